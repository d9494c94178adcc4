// One part as the AI SDK takes it: as it came, where it came from there and still is what it was, else from what all formats share.

import { parsedInput } from '../conversation/call-input.js'
import { exactType } from '../conversation/media.js'
import type { MediaPart, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import { inOrder, isObject, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import { plainOf, type Pen } from '../conversation/request-format.js'
import { isAsThought } from '../conversation/thoughts.js'
import { PARTS } from './fits.js'
import { untag } from './tagged.js'

export type PartRole = keyof typeof PARTS

/** The part, or undefined where the SDK cannot have it in a message of this role. */
export function partOf(part: Part, role: PartRole, pen: Pen): PlainObject | undefined {
  const made = ownPart(part, role, pen) ?? newPart(part, role, pen)
  return made && pen.own(made, part.record)
}

/** What came as a part of the SDK's; undefined where an edit left of it what the SDK would refuse. */
function ownPart(part: Part, role: PartRole, pen: Pen): PlainObject | undefined {
  const held = heldPart(part, pen)
  if (held === undefined || !pen.repair) return held
  if (part.kind === 'reasoning' && !isAsThought(part.record)) return undefined
  const dropped = new Set<string>()
  const fitted = PARTS[role](paired(held, part), dropped) as PlainObject | undefined
  if (fitted !== undefined && dropped.size > 0) {
    const { record } = part
    const keys = [...dropped].join(', ')
    pen.note('dropped-key', record, `${record.id} is sent without ${keys}: the SDK refuses what stands there.`)
  }
  return fitted
}

/** A URL or bytes among it: the SDK takes them as they are, and JSON.stringify writes them. */
export function heldPart(part: Part, pen: Pen): PlainObject | undefined {
  if (part.shape !== 'ai-sdk') return undefined
  if (part.kind === 'text' && part.raw === undefined && part.keys !== undefined) {
    const keys = untag(plainOf(part.keys, part.record, pen)) as PlainObject
    return inOrder({ type: 'text', text: part.text }, keys)
  }
  return isObject(part.raw) ? (untag(plainOf(part.raw, part.record, pen)) as PlainObject) : undefined
}

/** A result has the id and the tool's name of its call, whatever an edit made of them. */
function paired(held: PlainObject, part: Part): PlainObject {
  if (part.kind !== 'call' && part.kind !== 'result') return held
  const toolName = part.name ?? held['toolName'] ?? 'tool'
  if (held['toolCallId'] === part.callId && held['toolName'] === toolName) return held
  return inOrder({ ...held, toolCallId: part.callId, toolName })
}

function newPart(part: Part, role: PartRole, pen: Pen): PlainObject | undefined {
  switch (part.kind) {
    case 'text':
      return Object.freeze({ type: 'text', text: part.text })
    case 'call':
      return Object.freeze({
        type: 'tool-call',
        toolCallId: part.callId,
        toolName: part.name,
        input: plainOf(parsedInput(part).value, part.record, pen),
      })
    case 'result':
      return Object.freeze({
        type: 'tool-result',
        toolCallId: part.callId,
        toolName: part.name ?? 'tool',
        output: outputOf(part, pen),
      })
    case 'media':
      return mediaPart(part, role)
    case 'reasoning':
      return leftOut(part, pen, 'what a model thought is given back in its own form, unchanged, or not at all')
    case 'other':
      return leftOut(part, pen, 'the SDK has no such part in this message')
    case 'gone':
      return pen.repair ? undefined : inOrder({ type: 'text', text: '' })
  }
}

function outputOf({ output, isError, record }: ResultPart, pen: Pen): PlainObject {
  if (output.kind === 'text') return Object.freeze({ type: isError ? 'error-text' : 'text', value: output.text })
  if (output.kind === 'json')
    return inOrder({ type: isError ? 'error-json' : 'json', value: plainOf(output.value, record, pen) })
  if (output.parts.some((part) => part.kind === 'other')) {
    pen.note('left-out', record, `A part of the result ${record.id} is left out: only its own provider understands it.`)
  }
  const isText = output.parts.every((part) => part.kind === 'text')
  if (isText) {
    const text = output.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
    return inOrder({ type: isError ? 'error-text' : 'text', value: text })
  }
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

function leftOut({ record }: Part, pen: Pen, why: string): undefined {
  pen.note('left-out', record, `${record.id} is left out: ${why}.`)
  return undefined
}
