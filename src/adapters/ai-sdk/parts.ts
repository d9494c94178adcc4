// One part as the AI SDK takes it: as it came, where it came from there, else from what all formats share.

import { parsedInput } from '../conversation/call-input.js'
import type { MediaPart, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import { untag } from './tagged.js'

/** The part, or undefined where the SDK cannot have it. `name` is that of the call a result answers. */
export function partOf(part: Part, role: string, name: string | undefined, pen: Pen): PlainObject | undefined {
  const made = makePart(part, role, name, pen)
  return made && pen.own(made, part.record)
}

function makePart(part: Part, role: string, name: string | undefined, pen: Pen): PlainObject | undefined {
  const rounded = (): void => {
    pen.note(
      'rounded',
      part.record,
      `An integer in ${part.record.id} has more digits than JSON numbers keep; it is rounded.`,
    )
  }
  // A URL or bytes among it: the SDK takes them as they are, and JSON.stringify writes them.
  if (part.shape === 'ai-sdk' && isObject(part.raw)) return untag(part.raw) as PlainObject
  switch (part.kind) {
    case 'text':
      return inOrder(
        { type: 'text', text: part.text },
        part.shape === 'ai-sdk' && part.keys ? (untag(part.keys) as PlainObject) : {},
      )
    case 'call':
      return inOrder({
        type: 'tool-call',
        toolCallId: part.callId,
        toolName: part.name,
        input: plainObject(parsedInput(part).value, rounded),
      })
    case 'result':
      return inOrder({
        type: 'tool-result',
        toolCallId: part.callId,
        toolName: name ?? part.name ?? 'tool',
        output: outputOf(part, rounded),
      })
    case 'media':
      return mediaPart(part, role)
    case 'reasoning':
      return leftOut(part, pen, 'what a model thought can be given back in its own form only')
    case 'other':
      return leftOut(part, pen, 'only the provider it came from understands it')
    case 'gone':
      return pen.repair ? undefined : inOrder({ type: 'text', text: '' })
  }
}

function outputOf({ output, isError }: ResultPart, rounded: () => void): PlainObject {
  if (output.kind === 'text') return inOrder({ type: isError ? 'error-text' : 'text', value: output.text })
  if (output.kind === 'json')
    return inOrder({ type: isError ? 'error-json' : 'json', value: plainJson(output.value, rounded) })
  const only = output.parts.length === 1 ? output.parts[0]! : undefined
  if (isError || only?.kind === 'text') {
    const text = output.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
    return inOrder({ type: isError ? 'error-text' : 'text', value: text })
  }
  return inOrder({ type: 'content', value: output.parts.flatMap(outputPart) })
}

function outputPart(part: OutputPart): readonly PlainValue[] {
  if (part.kind === 'text') return [inOrder({ type: 'text', text: part.text })]
  if (part.kind !== 'media') return []
  const { source, mediaType = 'application/octet-stream' } = part
  const isImage = mediaType.startsWith('image/')
  if (source.kind === 'url') return [inOrder({ type: isImage ? 'image-url' : 'file-url', url: source.url })]
  return [inOrder({ type: isImage ? 'image-data' : 'file-data', data: source.data, mediaType })]
}

function mediaPart({ mediaType, source, filename }: MediaPart, role: string): PlainObject {
  const data = source.kind === 'url' ? source.url : source.data
  const isImage = mediaType?.startsWith('image/') === true
  const exact = mediaType === 'image/*' ? undefined : mediaType
  return isImage && role === 'user'
    ? inOrder({ type: 'image', image: data, mediaType: exact })
    : inOrder({
        type: 'file',
        data,
        filename,
        mediaType: exact ?? (isImage ? 'image/png' : 'application/octet-stream'),
      })
}

function leftOut(part: Part, pen: Pen, why: string): undefined {
  pen.note('left-out', part.record, `${part.record.id} is left out: ${why}.`)
  return undefined
}
