// One part as the AI SDK takes it.

import { exactType } from '../conversation/media.js'
import type { MediaPart, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import type { PartForm } from '../conversation/part-form.js'
import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { parsedInput, textsIn } from '../conversation/write-part.js'
import { partsBy, type PartRole } from './kinds.js'
import { untag } from './tagged.js'

export const PART: PartForm<PartRole> = {
  format: 'ai-sdk',
  who: 'the SDK',
  first: { type: 'text' },
  // The SDK takes a URL and bytes as they are, and JSON.stringify writes them.
  plain: (value) => untag(value) as PlainObject,
  own: (held, part, role, out) => out.fitted(paired(held, part), partsBy(role), part.record, 'the SDK'),
  text: (text) => Object.freeze({ type: 'text', text }),
  call: ({ callId, name, record, ...part }, out) =>
    Object.freeze({
      type: 'tool-call',
      toolCallId: callId,
      toolName: name,
      input: out.plain(parsedInput(part).value, record),
    }),
  result: (part, out) =>
    Object.freeze({
      type: 'tool-result',
      toolCallId: part.callId,
      toolName: part.name ?? 'tool',
      output: outputOf(part, out),
    }),
  media: mediaPart,
  leavesOut: {
    thought: 'what a model thought is given back in its own form, unchanged, or not at all',
    other: 'the SDK has no such part in this message',
  },
}

/** A result has the id and the tool's name of its call, whatever an edit made of them. */
function paired(held: PlainObject, part: Part): PlainObject {
  if (part.kind !== 'call' && part.kind !== 'result') return held
  const toolName = part.name ?? held['toolName'] ?? 'tool'
  if (held['toolCallId'] === part.callId && held['toolName'] === toolName) return held
  return inOrder({ ...held, toolCallId: part.callId, toolName })
}

function outputOf(part: ResultPart, out: RequestWriter): PlainObject {
  const { output, isError, record } = part
  if (output.kind === 'text') return Object.freeze({ type: isError ? 'error-text' : 'text', value: output.text })
  if (output.kind === 'json')
    return inOrder({ type: isError ? 'error-json' : 'json', value: out.plain(output.value, record) })
  if (output.parts.some(({ kind }) => kind === 'other')) {
    out.note('left-out', record, `A part of the result ${record.id} is left out: only its own provider understands it.`)
  }
  if (output.parts.every(({ kind }) => kind === 'text'))
    return inOrder({ type: isError ? 'error-text' : 'text', value: textsIn(part).join('\n') })
  return inOrder({ type: 'content', value: Object.freeze(output.parts.flatMap(outputPart)) })
}

function outputPart(part: OutputPart): readonly PlainValue[] {
  if (part.kind === 'text') return [inOrder({ type: 'text', text: part.text })]
  if (part.kind !== 'media') return []
  const { source, mediaType } = part
  const isImage = mediaType?.startsWith('image/') === true
  if (source.kind === 'url') return [inOrder({ type: isImage ? 'image-url' : 'file-url', url: source.url })]
  return [inOrder({ type: isImage ? 'image-data' : 'file-data', data: source.data, mediaType: typeOf(part) })]
}

function mediaPart(part: MediaPart, role: PartRole): PlainObject {
  const { mediaType, source, filename } = part
  const data = source.kind === 'url' ? source.url : source.data
  return mediaType?.startsWith('image/') === true && role === 'user'
    ? inOrder({ type: 'image', image: data, mediaType: exactType(part) })
    : inOrder({ type: 'file', data, filename, mediaType: typeOf(part) })
}

function typeOf(part: Pick<MediaPart, 'source' | 'mediaType'>): string {
  const isImage = part.mediaType?.startsWith('image/') === true
  return exactType(part) ?? (isImage ? 'image/png' : 'application/octet-stream')
}
