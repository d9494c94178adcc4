// One part as Gemini takes it: as it came, where it came from Gemini and still is what it was, else from what all formats share.

import { exactType } from '../conversation/media.js'
import type { CallPart, MediaPart, Part, ResultPart } from '../conversation/neutral.js'
import { inOrder, isObject, textOf, type PlainObject } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { heldPart, inputObject, textsIn } from '../conversation/write-part.js'
import { isMade } from './call-ids.js'
import { camel, PART } from './fits.js'

/** The part, or undefined where Gemini cannot have it. */
export function partOf(part: Part, out: RequestWriter): PlainObject | undefined {
  const made = ownPart(part, out) ?? newPart(part, out)
  return made && out.own(made, part.record)
}

/** A part that came from Gemini; undefined if an edit left something that Gemini would refuse. */
function ownPart(part: Part, out: RequestWriter): PlainObject | undefined {
  const held = heldPart(part, 'gemini', {}, out)
  if (held === undefined || !out.repair) return held
  return out.fitted(paired(held, part), PART, part.record, 'Gemini')
}

/** A response has the name of its call, and both have one id if they have any, whatever an edit made of them. */
function paired(held: PlainObject, part: Part): PlainObject {
  if (part.kind !== 'call' && part.kind !== 'result') return held
  const kind = part.kind === 'call' ? 'functionCall' : 'functionResponse'
  const key = Object.keys(held).find((each) => camel(each) === kind)
  const data = key === undefined ? undefined : held[key]
  if (key === undefined || !isObject(data)) return held
  const given = idOf(part)
  const id = data['id'] === undefined || data['id'] === given ? {} : { id: given }
  const name = part.name === undefined || data['name'] === part.name ? {} : { name: part.name }
  if (Object.keys(id).length + Object.keys(name).length === 0) return held
  return Object.freeze({ ...held, [key]: inOrder({ ...data, ...id, ...name }) })
}

function newPart(part: Part, out: RequestWriter): PlainObject | undefined {
  switch (part.kind) {
    case 'text':
      return Object.freeze({ text: part.text })
    case 'call':
      return Object.freeze({ functionCall: callOf(idOf(part), part.name, inputObject(part, out)) })
    case 'result': {
      const response = responseOf(part, out)
      return Object.freeze({ functionResponse: answerOf(idOf(part), part.name ?? 'tool', response) })
    }
    case 'media':
      return mediaPart(part)
    case 'reasoning':
      return out.leaveOut(part, 'what another model thought cannot be given to Gemini')
    case 'other':
      return out.leaveOut(part, 'Gemini has no such part')
    case 'gone':
      return out.repair ? undefined : inOrder({ text: '' })
  }
}

function callOf(id: string | undefined, name: string, args: PlainObject): PlainObject {
  return Object.freeze(id === undefined ? { name, args } : { id, name, args })
}

function answerOf(id: string | undefined, name: string, response: PlainObject): PlainObject {
  return Object.freeze(id === undefined ? { name, response } : { id, name, response })
}

function idOf({ callId }: CallPart | ResultPart): string | undefined {
  return callId === '' || isMade(callId) ? undefined : callId
}

/** Gemini takes an object. */
function responseOf(part: ResultPart, out: RequestWriter): PlainObject {
  const { output, isError, record } = part
  const key = isError ? 'error' : 'output'
  if (output.kind === 'text') return Object.freeze({ [key]: output.text })
  if (output.kind === 'parts') return inOrder({ [key]: textsIn(part).join('\n') })
  const value = out.plain(output.value, record)
  return isObject(output.value) && !isError
    ? (value as PlainObject)
    : inOrder({ [key]: isError ? textOf(output.value) : value })
}

export function mediaPart(part: Omit<MediaPart, 'record'>): PlainObject {
  const { mediaType, source, filename } = part
  const isImage = mediaType?.startsWith('image/') === true
  const mimeType = exactType(part) ?? (isImage ? 'image/png' : 'application/octet-stream')
  return source.kind === 'url'
    ? inOrder({ fileData: inOrder({ mimeType, fileUri: source.url }) })
    : inOrder({ inlineData: inOrder({ mimeType, data: source.data, displayName: filename }) })
}
