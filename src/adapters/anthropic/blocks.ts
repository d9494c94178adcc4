// One part as a block of a message to Claude: as it came, where it came from Claude, else from what all formats share.

import type { JsonObject } from '../../core/index.js'
import { parsedInput } from '../conversation/call-input.js'
import type { CallPart, MediaPart, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  plainObject,
  textOf,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'

/** The block of a part, or undefined where Claude cannot have it. `callId` is the id its call has in this request. */
export function blockOf(part: Part, callId: string, pen: Pen): PlainObject | undefined {
  const block = makeBlock(part, callId, pen)
  return block && pen.own(block, part.record)
}

function makeBlock(part: Part, callId: string, pen: Pen): PlainObject | undefined {
  const rounded = (): void =>
    pen.note(
      'rounded',
      part.record,
      `An integer in ${part.record.id} has more digits than JSON numbers keep; it is rounded.`,
    )
  if (part.shape === 'anthropic' && isObject(part.raw)) return ownBlock(part.raw, part, callId, pen, rounded)
  switch (part.kind) {
    case 'text':
      return inOrder(
        { type: 'text', text: part.text },
        part.shape === 'anthropic' && part.keys ? plainObject(part.keys, rounded) : {},
      )
    case 'call':
      return inOrder({ type: 'tool_use', id: callId, name: part.name, input: inputOf(part, pen, rounded) })
    case 'result':
      return inOrder({
        type: 'tool_result',
        tool_use_id: callId,
        content: outputOf(part, pen, rounded),
        is_error: part.isError ? true : undefined,
      })
    case 'media':
      return mediaBlock(part) ?? leftOut(part, pen, 'Claude takes images and PDF documents only')
    case 'reasoning':
      return leftOut(part, pen, 'what another model thought cannot be given to Claude')
    case 'other':
      return leftOut(part, pen, 'only the provider it came from understands it')
    case 'gone':
      return pen.repair ? undefined : inOrder({ type: 'text', text: '' })
  }
}

function ownBlock(raw: JsonObject, part: Part, callId: string, pen: Pen, rounded: () => void): PlainObject {
  const known = pen.repair ? withKnownKeys(raw, part, pen) : raw
  const block = plainObject(known, rounded)
  if (part.kind === 'call' && block['id'] !== callId) return inOrder({ type: 'tool_use', id: callId }, block)
  if (part.kind === 'result' && block['tool_use_id'] !== callId)
    return inOrder({ type: 'tool_result', tool_use_id: callId }, block)
  return inOrder({ type: block['type'] }, block)
}

/** The keys that blocks may have, as far as they are refused otherwise: those that logs are known to add. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control', 'citations'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'caller'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  image: ['type', 'source', 'cache_control'],
  document: ['type', 'source', 'cache_control', 'citations', 'context', 'title'],
}

function withKnownKeys(raw: JsonObject, part: Part, pen: Pen): JsonObject {
  const { type } = raw
  const allowed = typeof type === 'string' ? KEYS[type] : undefined
  const extra = allowed === undefined ? [] : Object.keys(raw).filter((key) => !allowed.includes(key))
  if (extra.length === 0) return raw
  pen.note(
    'dropped-key',
    part.record,
    `The keys ${extra.join(', ')} of ${part.record.id} are left out: Claude refuses them.`,
  )
  return Object.fromEntries(Object.entries(raw).filter(([key]) => !extra.includes(key)))
}

/** Claude takes an object. */
function inputOf(part: CallPart, pen: Pen, rounded: () => void): PlainValue {
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

function outputOf({ output, record }: ResultPart, pen: Pen, rounded: () => void): PlainValue {
  if (output.kind === 'text') return output.text
  if (output.kind === 'json') return textOf(output.value)
  const blocks = output.parts.flatMap((part) => outputBlock(part, rounded) ?? [])
  if (blocks.length < output.parts.length) {
    pen.note('left-out', record, `A part of the result ${record.id} is left out: Claude cannot have it in a result.`)
  }
  return blocks
}

function outputBlock(part: OutputPart, rounded: () => void): PlainObject | undefined {
  if (part.shape === 'anthropic' && isObject(part.raw)) return plainObject(part.raw, rounded)
  if (part.kind === 'text') return part.text === '' ? undefined : inOrder({ type: 'text', text: part.text })
  return part.kind === 'media' ? mediaBlock(part) : undefined
}

function mediaBlock({ mediaType = 'image/*', source, filename }: Omit<MediaPart, 'record'>): PlainObject | undefined {
  const isImage = mediaType.startsWith('image/')
  if (!isImage && mediaType !== 'application/pdf') return undefined
  const from =
    source.kind === 'url'
      ? inOrder({ type: 'url', url: source.url })
      : inOrder({ type: 'base64', media_type: mediaType === 'image/*' ? 'image/png' : mediaType, data: source.data })
  return isImage
    ? inOrder({ type: 'image', source: from })
    : inOrder({ type: 'document', source: from, title: filename })
}

function leftOut(part: Part, pen: Pen, why: string): undefined {
  pen.note('left-out', part.record, `${part.record.id} is left out: ${why}.`)
  return undefined
}
