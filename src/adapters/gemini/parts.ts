// One part as Gemini takes it: as it came, where it came from Gemini and still is what it was, else from what all formats share.

import { parsedInput } from '../conversation/call-input.js'
import { exactType } from '../conversation/media.js'
import type { CallPart, MediaPart, Part, ResultPart } from '../conversation/neutral.js'
import { inOrder, isObject, textOf, type PlainObject } from '../conversation/plain-json.js'
import { plainOf, type Pen } from '../conversation/request-format.js'
import { isMade } from './call-ids.js'
import { camel, PART } from './fits.js'

/** The part, or undefined where Gemini cannot have it. */
export function partOf(part: Part, pen: Pen): PlainObject | undefined {
  const own = part.shape === 'gemini' ? ownPart(part, pen) : undefined
  const made = own ?? newPart(part, pen)
  return made && pen.own(made, part.record)
}

/** What came from Gemini; undefined where an edit left of it what Gemini would refuse. */
function ownPart(part: Part, pen: Pen): PlainObject | undefined {
  const held = heldPart(part, pen)
  if (held === undefined || !pen.repair) return held
  const dropped = new Set<string>()
  const fitted = PART(paired(held, part), dropped) as PlainObject | undefined
  if (fitted !== undefined && dropped.size > 0) {
    const { record } = part
    const keys = [...dropped].join(', ')
    pen.note('dropped-key', record, `${record.id} is sent without ${keys}: Gemini refuses what stands there.`)
  }
  return fitted
}

function heldPart(part: Part, pen: Pen): PlainObject | undefined {
  if (part.kind === 'text' && part.raw === undefined && part.keys !== undefined) {
    return inOrder({ text: part.text }, plainOf(part.keys, part.record, pen) as PlainObject)
  }
  return isObject(part.raw) ? (plainOf(part.raw, part.record, pen) as PlainObject) : undefined
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

function newPart(part: Part, pen: Pen): PlainObject | undefined {
  switch (part.kind) {
    case 'text':
      return Object.freeze({ text: part.text })
    case 'call':
      return Object.freeze({ functionCall: callOf(idOf(part), part.name, argsOf(part, pen)) })
    case 'result': {
      const response = responseOf(part, pen)
      return Object.freeze({ functionResponse: answerOf(idOf(part), part.name ?? 'tool', response) })
    }
    case 'media':
      return mediaPart(part)
    case 'reasoning':
      return leftOut(part, pen, 'what another model thought cannot be given to Gemini')
    case 'other':
      return leftOut(part, pen, 'Gemini has no such part')
    case 'gone':
      return pen.repair ? undefined : inOrder({ text: '' })
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

function argsOf(part: CallPart, pen: Pen): PlainObject {
  const { value, isObjectItself } = parsedInput(part)
  const { record } = part
  if (!isObjectItself) {
    const text = `The arguments of ${record.id} are no JSON object; they stand in one, under "arguments".`
    pen.note('converted', record, text)
  }
  return plainOf(value, record, pen) as PlainObject
}

/** Gemini takes an object. */
function responseOf({ output, isError, record }: ResultPart, pen: Pen): PlainObject {
  const key = isError ? 'error' : 'output'
  if (output.kind === 'text') return Object.freeze({ [key]: output.text })
  if (output.kind === 'parts') {
    return inOrder({ [key]: output.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n') })
  }
  const value = plainOf(output.value, record, pen)
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

function leftOut({ record }: Part, pen: Pen, why: string): undefined {
  pen.note('left-out', record, `${record.id} is left out: ${why}.`)
  return undefined
}
