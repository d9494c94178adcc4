// One part as a block of a message to Claude: as it came, where it came from Claude and still is what it was, else from what all
// formats share.

import { parsedInput } from '../conversation/call-input.js'
import { exactType } from '../conversation/media.js'
import type { CallPart, MediaPart, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  plainObject,
  textOf,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import { plainOf, type Pen } from '../conversation/request-format.js'
import { isAsThought } from '../conversation/thoughts.js'
import { BLOCKS, isImageType, RESULT_PART, TOOL_NAME } from './fits.js'

export type Role = keyof typeof BLOCKS

/** The block of a part, or undefined where Claude cannot have it in a message of this role. `callId` is the id its call has in this request. */
export function blockOf(part: Part, callId: string, role: Role, pen: Pen): PlainObject | undefined {
  const block = (pen.repair ? ownBlock(part, callId, role, pen) : undefined) ?? newBlock(part, callId, role, pen)
  return block && pen.own(block, part.record)
}

/** The block of a part as the tree holds it. */
export function heldBlock(part: Part, pen: Pen): PlainObject | undefined {
  const callId = part.kind === 'call' || part.kind === 'result' ? part.callId : ''
  const own = held(part, callId, pen)
  return pen.own(own === undefined ? (newBlock(part, callId, undefined, pen) ?? EMPTY) : own, part.record)
}

const EMPTY: PlainObject = Object.freeze({ type: 'text', text: '' })

/** What came from Claude, with the call id that it has in this request. */
function held(part: Part, callId: string, pen: Pen): PlainObject | undefined {
  if (part.shape !== 'anthropic') return undefined
  if (part.kind === 'text' && part.raw === undefined && part.keys !== undefined) {
    return inOrder({ type: 'text', text: part.text }, plainOf(part.keys, part.record, pen) as PlainObject)
  }
  if (!isObject(part.raw)) return undefined
  const raw = plainOf(part.raw, part.record, pen) as PlainObject
  if (part.kind === 'call' && pen.repair) return inOrder({ type: 'tool_use', id: callId }, raw)
  if (part.kind === 'result' && pen.repair) return inOrder({ type: 'tool_result', tool_use_id: callId }, raw)
  return inOrder({ type: raw['type'] }, raw)
}

/** Undefined where an edit left of it what Claude would refuse. */
function ownBlock(part: Part, callId: string, role: Role, pen: Pen): PlainObject | undefined {
  if (part.kind === 'reasoning' && !isAsThought(part.record)) return undefined
  const block = held(part, callId, pen)
  if (block === undefined) return undefined
  const dropped = new Set<string>()
  const fitted = BLOCKS[role](block, dropped) as PlainObject | undefined
  if (fitted !== undefined && dropped.size > 0) {
    const { record } = part
    const keys = [...dropped].join(', ')
    pen.note('dropped-key', record, `${record.id} is sent without ${keys}: Claude refuses what stands there.`)
  }
  return fitted
}

/** `role` is undefined for a message as it is held. */
function newBlock(part: Part, callId: string, role: Role | undefined, pen: Pen): PlainObject | undefined {
  switch (part.kind) {
    case 'text':
      return Object.freeze({ type: 'text', text: part.text })
    case 'call':
      return Object.freeze({ type: 'tool_use', id: callId, name: nameOf(part, pen), input: inputOf(part, pen) })
    case 'result':
      return resultBlock(callId, outputOf(part, pen), part.isError)
    case 'media':
      return mediaBlock(part) ?? leftOut(part, pen, 'Claude takes images and PDF documents only')
    case 'reasoning':
      return leftOut(
        part,
        pen,
        isAsThought(part.record) ? NOT_ITS_OWN : 'Claude takes back no thought that was changed',
      )
    case 'other':
      return leftOut(part, pen, role === undefined ? NOT_ITS_OWN : 'Claude has no such block in this message')
    case 'gone':
      return undefined
  }
}

function resultBlock(callId: string, content: PlainValue, isError: boolean): PlainObject {
  const block = { type: 'tool_result', tool_use_id: callId, content }
  return Object.freeze(isError ? { ...block, is_error: true } : block)
}

const NOT_ITS_OWN = 'only the provider it came from understands it'

/** A name that Claude takes. */
function nameOf({ name, record }: CallPart, pen: Pen): string {
  if (!pen.repair || TOOL_NAME.test(name)) return name
  const made = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128) || 'tool'
  pen.note('converted', record, `The call ${record.id} is of the tool ${made}: its own name would be refused.`)
  return made
}

/** Claude takes an object. */
function inputOf(part: CallPart, pen: Pen): PlainValue {
  const { value, isObjectItself } = parsedInput(part)
  if (!isObjectItself) {
    const { id } = part.record
    pen.note(
      'converted',
      part.record,
      `The arguments of ${id} are no JSON object; they stand in one, under "arguments".`,
    )
  }
  return plainOf(value, part.record, pen)
}

function outputOf({ output, record }: ResultPart, pen: Pen): PlainValue {
  if (output.kind === 'text') return output.text
  if (output.kind === 'json') return textOf(output.value)
  const blocks = output.parts.flatMap((part) => outputBlock(part) ?? [])
  const isLess = output.parts.some((part) => part.kind !== 'text' && outputBlock(part) === undefined)
  if (isLess) {
    pen.note('left-out', record, `A part of the result ${record.id} is left out: Claude cannot have it in a result.`)
  }
  return Object.freeze(blocks)
}

function outputBlock(part: OutputPart): PlainObject | undefined {
  if (part.shape === 'anthropic' && isObject(part.raw)) {
    const own = plainObject(part.raw)
    const fitted = RESULT_PART(inOrder({ type: own['type'] }, own), new Set())
    if (fitted !== undefined) return fitted as PlainObject
  }
  if (part.kind === 'text') return part.text.trim() === '' ? undefined : inOrder({ type: 'text', text: part.text })
  return part.kind === 'media' ? mediaBlock(part) : undefined
}

function mediaBlock(part: Omit<MediaPart, 'record'>): PlainObject | undefined {
  const { source, mediaType, filename } = part
  const exact = exactType({ source, mediaType })
  // A file of which nobody says more than where it is: Claude reads PDF documents from there.
  const type = exact ?? (source.kind === 'url' ? (mediaType ?? 'application/pdf') : undefined)
  const isImage = source.kind === 'url' ? type?.startsWith('image/') === true : isImageType(type)
  if (!isImage && type !== 'application/pdf') return undefined
  if (source.kind === 'base64' && (type === undefined || source.data.trim() === '')) return undefined
  const from =
    source.kind === 'url'
      ? inOrder({ type: 'url', url: source.url })
      : inOrder({ type: 'base64', media_type: type, data: source.data })
  return isImage
    ? inOrder({ type: 'image', source: from })
    : inOrder({ type: 'document', source: from, title: filename })
}

function leftOut({ record }: Part, pen: Pen, why: string): undefined {
  pen.note('left-out', record, `${record.id} is left out: ${why}.`)
  return undefined
}
