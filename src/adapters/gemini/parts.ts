// One part as Gemini takes it.

import { exactType } from '../conversation/media.js'
import type { CallPart, MediaPart, Part, ResultPart } from '../conversation/neutral.js'
import type { PartForm } from '../conversation/part-form.js'
import { inOrder, isObject, textOf, type PlainObject } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { inputObject, textsIn } from '../conversation/write-part.js'
import { isMade } from './call-ids.js'
import { camel, PART_FIT } from './kinds.js'

export const PART: PartForm<'user'> = {
  format: 'gemini',
  who: 'Gemini',
  takesAnyThought: true,
  own: (held, part, _role, out) => out.fitted(paired(held, part), PART_FIT, part.record, 'Gemini'),
  text: (text) => Object.freeze({ text }),
  call: (part, out) =>
    Object.freeze({ functionCall: inOrder({ id: idOf(part), name: part.name, args: inputObject(part, out) }) }),
  result: (part, out) => {
    const response = responseOf(part, out)
    return Object.freeze({ functionResponse: inOrder({ id: idOf(part), name: part.name ?? 'tool', response }) })
  },
  media: mediaPart,
  leavesOut: {
    thought: 'what another model thought cannot be given to Gemini',
    other: 'Gemini has no such part',
  },
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
