// One part as a block of a message to Claude, and the ids of calls.

import { exactType } from '../conversation/media.js'
import type { CallPart, MediaPart, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import { outputList, type PartForm } from '../conversation/part-form.js'
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
import { inputObject, toolName } from '../conversation/write-part.js'
import { blocksBy, CALL_ID, isImageType, type Role } from './kinds.js'

const LONGEST_NAME = 128

/** Calls and results have the ids of this request already. */
export const BLOCK: PartForm<Role> = {
  format: 'anthropic',
  who: 'Claude',
  first: { type: 'text' },
  plain: (value) => inOrder({ type: value['type'] }, value),
  own: (held, part, role, out) => out.fitted(paired(held, part), blocksBy(role), part.record, 'Claude'),
  text: (text) => Object.freeze({ type: 'text', text }),
  call: (part, out) => {
    const name = out.repair ? toolName(part, LONGEST_NAME, out) : part.name
    return Object.freeze({ type: 'tool_use', id: part.callId, name, input: inputObject(part, out) })
  },
  result: (part, out) => {
    const block = { type: 'tool_result', tool_use_id: part.callId, content: outputOf(part, out) }
    return Object.freeze(part.isError ? { ...block, is_error: true } : block)
  },
  media: mediaBlock,
  leavesOut: {
    media: 'Claude takes images and PDF documents only',
    other: 'Claude has no such block in this message',
  },
}

/** A call or a result with its id in this request. */
function paired(held: PlainObject, part: Part): PlainObject {
  if (part.kind === 'call') return inOrder({ type: 'tool_use', id: part.callId }, held)
  return part.kind === 'result' ? inOrder({ type: 'tool_result', tool_use_id: part.callId }, held) : held
}

function outputOf({ output, record }: ResultPart, out: RequestWriter): PlainValue {
  if (output.kind === 'text') return output.text
  if (output.kind === 'json') return textOf(output.value)
  return outputList(output.parts, record, 'Claude', outputBlock, out)
}

function outputBlock(part: OutputPart): PlainObject | undefined {
  if (part.shape === 'anthropic' && isObject(part.raw)) {
    const own = plainObject(part.raw)
    const fitted = blocksBy('result')(inOrder({ type: own['type'] }, own), new Set())
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

  /** A call or a result with the id that it has in this request; any other part as it is. */
  named(part: Part): Part {
    if (part.kind !== 'call' && part.kind !== 'result') return part
    const callId = part.kind === 'call' ? this.#ofCall(part) : (this.#given.get(part.callId) ?? fitting(part.callId))
    return callId === part.callId ? part : { ...part, callId }
  }

  #ofCall(part: CallPart): string {
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
