// One part as a block of a message to Claude: as it came, where it came from Claude and still is what it was, else from what all
// formats share.

import { BLOCKS, CALL_ID, RESULT_PART, isImageType } from './fits.js'
import { exactType } from '../conversation/media.js'
import type { CallPart, MediaPart, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import {
  type PlainObject,
  type PlainValue,
  inOrder,
  isObject,
  plainObject,
  textOf,
} from '../conversation/plain-json.js'
import { derivedId } from '../conversation/read-part.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { isAsThought } from '../conversation/names.js'
import { NOT_ITS_OWN, heldPart, inputObject, toolName } from '../conversation/write-part.js'

export type Role = keyof typeof BLOCKS

/** The block of a part, or undefined where Claude cannot have it in a message of this role. `callId` is the id its call has in this request. */
export function blockOf(part: Part, callId: string, role: Role, out: RequestWriter): PlainObject | undefined {
  const block = (out.repair ? ownBlock(part, callId, role, out) : undefined) ?? newBlock(part, callId, role, out)
  return block && out.own(block, part.record)
}

/** The block of a part as the tree holds it. */
export function heldBlock(part: Part, out: RequestWriter): PlainObject | undefined {
  const callId = part.kind === 'call' || part.kind === 'result' ? part.callId : ''
  const own = held(part, callId, out)
  return out.own(own === undefined ? (newBlock(part, callId, undefined, out) ?? EMPTY) : own, part.record)
}

const EMPTY: PlainObject = Object.freeze({ type: 'text', text: '' })

/** A block that came from Claude, with the call id that it has in this request. */
function held(part: Part, callId: string, out: RequestWriter): PlainObject | undefined {
  const raw = heldPart(part, 'anthropic', { type: 'text' }, out)
  if (raw === undefined) return undefined
  if (part.kind === 'call' && out.repair) return inOrder({ type: 'tool_use', id: callId }, raw)
  if (part.kind === 'result' && out.repair) return inOrder({ type: 'tool_result', tool_use_id: callId }, raw)
  return inOrder({ type: raw['type'] }, raw)
}

/** Undefined where an edit left of it what Claude would refuse. */
function ownBlock(part: Part, callId: string, role: Role, out: RequestWriter): PlainObject | undefined {
  if (part.kind === 'reasoning' && !isAsThought(part.record)) return undefined
  const block = held(part, callId, out)
  if (block === undefined) return undefined
  const fitted = out.fitted(block, BLOCKS[role], part.record, 'Claude')
  return fitted !== undefined && part.kind === 'reasoning' ? out.think(fitted, part.record) : fitted
}

/** `role` is undefined for a message as it is held. */
function newBlock(part: Part, callId: string, role: Role | undefined, out: RequestWriter): PlainObject | undefined {
  switch (part.kind) {
    case 'text':
      return Object.freeze({ type: 'text', text: part.text })
    case 'call':
      return callBlock(part, callId, out)
    case 'result':
      return resultBlock(callId, outputOf(part, out), part.isError)
    case 'media':
      return mediaBlock(part) ?? out.leaveOut(part, 'Claude takes images and PDF documents only')
    case 'reasoning':
      return out.leaveOut(
        part,
        isAsThought(part.record) ? NOT_ITS_OWN : 'Claude takes back no thought that was changed',
      )
    case 'other':
      return out.leaveOut(part, role === undefined ? NOT_ITS_OWN : 'Claude has no such block in this message')
    case 'gone':
      return undefined
  }
}

function callBlock(part: CallPart, callId: string, out: RequestWriter): PlainObject {
  const name = out.repair ? toolName(part, LONGEST_NAME, out) : part.name
  return Object.freeze({ type: 'tool_use', id: callId, name, input: inputObject(part, out) })
}

const LONGEST_NAME = 128

function resultBlock(callId: string, content: PlainValue, isError: boolean): PlainObject {
  const block = { type: 'tool_result', tool_use_id: callId, content }
  return Object.freeze(isError ? { ...block, is_error: true } : block)
}

function outputOf({ output, record }: ResultPart, out: RequestWriter): PlainValue {
  if (output.kind === 'text') return output.text
  if (output.kind === 'json') return textOf(output.value)
  const blocks = output.parts.flatMap((part) => outputBlock(part) ?? [])
  const isLess = output.parts.some((part) => part.kind !== 'text' && outputBlock(part) === undefined)
  if (isLess) {
    out.note('left-out', record, `A part of the result ${record.id} is left out: Claude cannot have it in a result.`)
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
  // A file known only by its URL: Claude reads PDF documents from URLs.
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

export class CallIds {
  readonly #out: RequestWriter
  readonly #seen = new Set<string>()
  /** The ids of calls, by what their results call them: those of the newest call. */
  readonly #given = new Map<string, string>()

  constructor(out: RequestWriter) {
    this.#out = out
  }

  /** The id of a call, or of the call that a result answers. */
  of(part: Part): string {
    if (part.kind === 'result') return this.#given.get(part.callId) ?? fitting(part.callId)
    if (part.kind !== 'call') return ''
    const id = this.#free(part)
    this.#given.set(part.callId, id)
    this.#seen.add(id)
    if (id !== part.callId) {
      const text = `The call ${part.record.id} has the id ${id} here: Claude refuses its own, or has it already.`
      this.#out.note('renamed-id', part.record, text)
    }
    return id
  }

  /** Some servers count the calls of each reply from 0, so one id may occur in every turn. Then the id of the node makes it unique. */
  #free({ callId, record }: CallPart): string {
    const isFree = (id: string): boolean => !this.#seen.has(id) && !this.#out.taken.has(id)
    const own = fitting(callId)
    if (isFree(own)) return own
    for (let n = 1; ; n++) {
      const id = derivedId(`${callId} ${record.id} ${n}`)
      if (isFree(id)) return id
    }
  }
}

function fitting(callId: string): string {
  return CALL_ID.test(callId) ? callId : derivedId(callId)
}

/** A message that takes the place of another one, and comes from the same node. */
export function messageLike(role: Role, content: PlainValue, like: PlainObject, out: RequestWriter): PlainObject {
  const made = inOrder({ role, content })
  const node = out.originOf(like)
  return node === undefined ? made : out.comesFrom(made, node)
}

export function blocksIn({ content }: PlainObject): readonly PlainObject[] {
  return Array.isArray(content) ? (content as readonly PlainObject[]) : NONE
}

const NONE: readonly PlainObject[] = Object.freeze([])
