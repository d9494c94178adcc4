// The messages of a part of the tree, in order. A block is a message, and so is a container with a role; any other container
// only groups. Blocks that an assistant wrote one by one, a thought, a text, its calls, are one message, as providers have it.

import type { NodeRecord } from '../../core/index.js'
import { Branch, recordOf, regionOf, type Tree, type TreeNode } from '../../timeline/index.js'
import { ATTRIBUTES, type Message, type Part, type Place } from './neutral.js'
import { NO_KEYS } from './plain-json.js'
import { formOf, objectIn, partsOf, readerOf } from './read-part.js'

/** The messages of a segment, or of the active head. `records` gives the record of a node as it is read. */
export function messagesOf(segment: Branch, records: RecordReader = recordOf): readonly Message[] {
  const messages: Message[] = []
  for (const child of segment.children.toArray()) addMessages(messages, child, placeOf(recordOf(child)), records)
  return joinRuns(messages)
}

/** The open turn, then the sealed ones, newest first. */
export function* turnsBack(tree: Tree): Generator<Branch> {
  yield regionOf(tree, '^ah')
  const { children } = regionOf(tree, '^seq')
  for (let i = children.size - 1; i >= 0; i--) yield children.at(i) as Branch
}
/** The record of a node. */
export type RecordReader = (node: TreeNode) => NodeRecord

/** The messages in the cores of turns, newest first: readers of the newest ones need not read the others. */
export function* coreMessagesBack(turns: Iterable<Branch>): Generator<Readonly<{ message: Message; turn: Branch }>> {
  for (const turn of turns) {
    for (const message of messagesBack(turn)) if (message.place === 'core') yield { message, turn }
  }
}

/** The messages below a turn or a container that only groups. */
function* messagesBack(node: Branch, place?: Place): Generator<Message> {
  for (let i = node.children.size - 1; i >= 0; i--) {
    const child = node.children.at(i)!
    const at = place ?? placeOf(recordOf(child))
    if (child instanceof Branch && isGroup(child)) {
      yield* messagesBack(child, at)
      continue
    }
    const messages: Message[] = []
    addMessages(messages, child, at, recordOf)
    yield* messages.toReversed()
  }
}

/** True for a container that is no message and says nothing itself. */
function isGroup({ record }: Branch): boolean {
  if (record.role !== undefined || record.isRendered) return false
  return formOf(record) === undefined && objectIn(record, ATTRIBUTES.request) === undefined
}

/** The messages of `^sys`. */
export function systemMessages(region: Branch, records: RecordReader): readonly Message[] {
  const messages: Message[] = []
  for (const child of region.children.toArray()) addMessages(messages, child, 'system', records)
  return messages
}

function placeOf({ offset }: NodeRecord): Place {
  return offset < 0 ? 'pre' : offset > 0 ? 'post' : 'core'
}

function addMessages(messages: Message[], node: TreeNode, place: Place, records: RecordReader): void {
  const record = records(node)
  const format = record.rare === undefined ? undefined : formatOf(record)
  if (!(node instanceof Branch)) {
    messages.push(messageOf(record, place, format, partsOf(record, format)))
    return
  }
  const request = objectIn(record, ATTRIBUTES.request)
  if (request !== undefined) {
    messages.push(messageOf(record, place, format, [{ kind: 'other', record, raw: request, shape: format }]))
    return
  }
  if (record.role !== undefined || formOf(record) !== undefined) {
    messages.push(messageOf(record, place, format, partsUnder(node, format, records)))
    return
  }
  if (record.isRendered) messages.push(messageOf(record, place, format, partsOf(record, format)))
  for (const child of node.children.toArray()) addMessages(messages, child, place, records)
}

function messageOf(record: NodeRecord, place: Place, format: string | undefined, parts: readonly Part[]): Message {
  const isPlain = record.rare?.attributes === undefined
  const form = isPlain ? undefined : formOf(record)
  const envelope = isPlain ? NO_KEYS : (objectIn(record, ATTRIBUTES.message) ?? NO_KEYS)
  return { record, place, role: record.role, format, form, envelope, parts }
}

/** The format that a message came in, if it is one that is known here: anybody can write the attribute. */
function formatOf({ rare }: NodeRecord): string | undefined {
  const name = rare?.attributes?.get(ATTRIBUTES.format)
  return typeof name === 'string' && readerOf(name) !== undefined ? name : undefined
}

/** All parts below a container, its own content first. */
function partsUnder(node: TreeNode, format: string | undefined, records: RecordReader): readonly Part[] {
  const record = records(node)
  if (!(node instanceof Branch)) return partsOf(record, format)
  const parts = record.isRendered ? [...partsOf(record, format)] : []
  for (const child of node.children.toArray()) parts.push(...partsUnder(child, format, records))
  return parts
}

/** Joins what an assistant wrote block by block: calls to the text or thought before them, and what follows a thought or a call. */
function joinRuns(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = []
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]!
    const last = joined[joined.length - 1]
    if (last === undefined || !belongTogether(last, message)) joined.push(message)
    else joined[joined.length - 1] = { ...last, parts: last.parts.concat(message.parts) }
  }
  return joined
}

function belongTogether(before: Message, after: Message): boolean {
  if (before.role !== 'assistant' || !isLoose(before) || !isLoose(after)) return false
  const [last, next] = [before.parts.at(-1), after.parts[0]]
  if (!isStep(last) && !isStep(next)) return false
  return next !== undefined && isMadeNext(before, next.record)
}

/**
 * True if a node was made directly behind a message. Where a result has expired, what the model said to it stays another message: the call was made
 * before, and a cache has it so.
 */
export function isMadeNext({ record, parts }: Message, { creationIndex }: NodeRecord): boolean {
  return creationIndex === (parts.at(-1)?.record ?? record).creationIndex + 1
}

/** A block by hand, an assistant's, in the core: a container says what its message is, and so does what was imported. */
function isLoose({ record, place, role, format, form }: Message): boolean {
  const isByHand = record.nodeClass === 'block' && format === undefined && form === undefined
  return place === 'core' && role === 'assistant' && isByHand
}

function isStep(part: Part | undefined): boolean {
  return part?.kind === 'call' || part?.kind === 'reasoning'
}
