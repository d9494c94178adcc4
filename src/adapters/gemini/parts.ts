// One part as Gemini takes it: as it came, where it came from Gemini, else from what all formats share.

import type { CallPart, MediaPart, Part, ResultPart } from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  plainJson,
  plainObject,
  textOf,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import { parsedInput } from '../conversation/call-input.js'
import type { Pen } from '../conversation/request-format.js'

/** The parts that a part becomes: mostly one, none where Gemini cannot have it. `name` is that of the call a result answers. */
export function partOf(part: Part, name: string | undefined, pen: Pen): PlainObject | undefined {
  const made = makePart(part, name, pen)
  return made && pen.own(made, part.record)
}

function makePart(part: Part, name: string | undefined, pen: Pen): PlainObject | undefined {
  const rounded = (): void => {
    pen.note(
      'rounded',
      part.record,
      `An integer in ${part.record.id} has more digits than JSON numbers keep; it is rounded.`,
    )
  }
  if (part.shape === 'gemini' && isObject(part.raw)) return ownPart(plainObject(part.raw, rounded), part, name, pen)
  switch (part.kind) {
    case 'text':
      return inOrder({ text: part.text }, part.shape === 'gemini' && part.keys ? plainObject(part.keys, rounded) : {})
    case 'call':
      return inOrder({ functionCall: inOrder({ id: part.callId, name: part.name, args: argsOf(part, pen, rounded) }) })
    case 'result':
      return inOrder({
        functionResponse: inOrder({
          id: part.callId === '' ? undefined : part.callId,
          name: name ?? part.name ?? 'tool',
          response: responseOf(part, rounded),
        }),
      })
    case 'media':
      return mediaPart(part)
    case 'reasoning':
      return leftOut(part, pen, 'what another model thought cannot be given to Gemini')
    case 'other':
      return leftOut(part, pen, 'only the provider it came from understands it')
    case 'gone':
      return pen.repair ? undefined : inOrder({ text: '' })
  }
}

/** A response has the name of its call, whatever an edit made of either. */
function ownPart(raw: PlainObject, part: Part, name: string | undefined, pen: Pen): PlainObject {
  const key = raw['functionResponse'] === undefined ? 'function_response' : 'functionResponse'
  const response = raw[key] as PlainObject | undefined
  if (part.kind !== 'result' || !pen.repair || name === undefined || response?.['name'] === name) return raw
  return inOrder({ [key]: inOrder({ ...response, name }) }, raw)
}

function argsOf(part: CallPart, pen: Pen, rounded: () => void): PlainObject {
  const { value, isObjectItself } = parsedInput(part)
  if (!isObjectItself) {
    pen.note(
      'converted',
      part.record,
      `The arguments of the call ${part.record.id} are no JSON object; they stand in one, under "arguments".`,
    )
  }
  return plainObject(value, rounded)
}

/** Gemini takes an object. */
function responseOf({ output, isError }: ResultPart, rounded: () => void): PlainObject {
  const key = isError ? 'error' : 'output'
  if (output.kind === 'text') return inOrder({ [key]: output.text })
  if (output.kind === 'parts') {
    return inOrder({ [key]: output.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n') })
  }
  const value: PlainValue = plainJson(output.value, rounded)
  return isObject(output.value) && !isError
    ? (value as PlainObject)
    : inOrder({ [key]: isError ? textOf(output.value) : value })
}

export function mediaPart({ mediaType, source, filename }: Omit<MediaPart, 'record'>): PlainObject {
  const mimeType = mediaType ?? 'application/octet-stream'
  return source.kind === 'url'
    ? inOrder({ fileData: inOrder({ mimeType, fileUri: source.url }) })
    : inOrder({ inlineData: inOrder({ mimeType, data: source.data, displayName: filename }) })
}

function leftOut(part: Part, pen: Pen, why: string): undefined {
  pen.note('left-out', part.record, `${part.record.id} is left out: ${why}.`)
  return undefined
}
