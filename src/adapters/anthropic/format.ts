// Claude's Messages API: system text outside the messages, unique call ids, no half of a server tool, no white space at the end.

import type { NodeRecord } from '../../core/index.js'
import type { RequestOptions } from '../conversation/adapter.js'
import type { ThoughtFormat } from '../conversation/bound.js'
import type { AutomaticCacheAt, CacheFormat, CacheMarks } from '../conversation/cache-marks.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { OnlyNewOptions } from '../conversation/held.js'
import type { BlocksOptions, ExpiryOptions, ThinkingOptions } from '../conversation/message-options.js'
import { ATTRIBUTES, type Message, type Part } from '../conversation/neutral.js'
import type { Piece } from '../conversation/piece.js'
import { inOrder, NO_KEYS, plainJson, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Changes, Head, Start } from '../conversation/request-format.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { heldElement, systemParts, writtenPart } from '../conversation/write-part.js'
import { blocksBy, readAnthropicPart, type Role } from './kinds.js'
import { placed, raritiesIn } from './places.js'
import { type AnthropicConversation, readConversation, readReply, REPLIES } from './read.js'
import { leastCached } from './least.js'
import { keptParams, THREADS } from './message-threads.js'
import { blocksIn } from './messages.js'
import { openCode, serverTie } from './server-tools.js'
import { areOne, BLOCK, heldForm, isOwn, saysWithoutParts, writeMessages } from './write.js'
import type { AnthropicRequest } from './types.js'

export type AnthropicOptions = RequestOptions &
  BlocksOptions<'user' | 'system'> &
  ThinkingOptions &
  ExpiryOptions &
  OnlyNewOptions &
  Readonly<{
    /** System messages in mid-conversation: kept for models that take them, or given as the user's. */
    systemMessages?: 'keep' | 'user' | undefined
    /** Marks where the prompt cache should keep what comes before them. */
    cache?: boolean | AnthropicCache | undefined
  }>

/** Options for cache marks of Claude. */
export type AnthropicCache = Omit<CacheMarks, 'at'> &
  Readonly<{
    at?: AutomaticCacheAt | undefined
    /** The model that the request is for; an attempt knows it. Then `breakpoints` say which prefixes are too short for its cache. */
    model?: string | undefined
  }>

/** Marks are on blocks, so whatever may carry one is a list in every request, marked or not. */
const ANTHROPIC_CACHE: CacheFormat = {
  names: ['at', 'ttl', 'tools', 'model'],
  most: 4,
  isAutomatic: true,
  least: leastCached,
  beside: ({ at, ttl }) => (at === 'auto' ? { cache_control: markOf(ttl) } : {}),
  lookBack: 20,
  system: {
    key: 'system',
    listed: (value) => listOf(value),
  },
  bare: (message) => inOrder({ ...message, content: listOf(message['content']!) }),
  canMark: (block, message) => {
    if (message['clear_at'] === CLEARED['clear_at']) return false
    return typeof block === 'string' ? block.trim() !== '' : canMark(block as PlainObject, message['role'] as Role)
  },
  marked: (block, { ttl }) => inOrder({ ...block, cache_control: markOf(ttl) }),
}

function markOf(ttl: string | undefined): PlainObject {
  return inOrder({ type: 'ephemeral', ttl })
}

/** A text is a list of one block, null says nothing, and a cache mark is no difference. */
const ANTHROPIC_THOUGHTS: ThoughtFormat = {
  isBound: ({ type, signature, data }) => {
    return (type === 'thinking' && isText(signature)) || (type === 'redacted_thinking' && isText(data))
  },
  system: (value) => (value === undefined ? [] : listOf(value).map(withoutNulls)),
  message: (message) => ({ ...message, content: listOf(message['content'] ?? []).map(withoutNulls) }),
  tools: (value) => (Array.isArray(value) ? value.map((tool: PlainValue) => withoutNulls(unmarked(tool))) : value),
  keys: (envelope, role) => (role === 'system' ? envelope : {}),
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function withoutNulls(block: PlainObject): PlainObject {
  if (typeof block !== 'object' || block === null) return block
  let hasNull = false
  for (const key in block) hasNull ||= block[key] === null
  if (!hasNull) return block
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null))
}

export const ANTHROPIC: DefinedAdapter<AnthropicConversation, AnthropicOptions, AnthropicRequest> = defineAdapter({
  calls: { from: 'fromAnthropic', to: 'toAnthropic', receive: 'receiveAnthropic' },
  options: ['systemMessages'],
  format: {
    name: 'anthropic',
    version: 7,
    list: 'messages',
    isBlank: (text) => text.trim() === '',
    saysWithoutParts,
    cache: ANTHROPIC_CACHE,
    thoughts: ANTHROPIC_THOUGHTS,
    held: THREADS,
    ties: serverTie,
    scoped: (block) => ({ ...block, role: 'system', format: 'anthropic', envelope: CLEARED }),
    areOne,
    summaries: 'first',
    write: writeMessages,
    look: raritiesIn,
    uniqueIds: callIdsIn,
    filler: (text) => inOrder({ role: 'user', content: text }),
    request: (system, list, out, _options, pieces) => {
      if (!out.repair) return systemKey(heldSystem(system, out), undefined, out)
      const parts = system.flatMap((message) => message.parts)
      const write = (part: Part): PlainObject | undefined => writtenPart(part, 'system', BLOCK, out)
      const blocks = systemParts(parts, "Claude's system text holds text only", write, out)
      const { changes, leading, system: kept } = placed(list, pieces, blocks, out)
      const start = startOf(list, changes, pieces, out)
      const after = containerOf(pieces)
      if (kept.length + leading.length === 0) return { before: NO_KEYS, after, changed: changes, start }
      const [only] = system
      const isOneText = kept.length === 1 && leading.length === 0 && system.length === 1 && isBare(only!)
      const texts = [...kept, ...leading.flatMap(textBlocks)]
      const about = isOneText
        ? systemKey(kept[0]!['text'], only!.parts[0]!.record, out)
        : systemKey(texts.length === 0 ? undefined : Object.freeze(texts), undefined, out)
      return { ...about, after, changed: changes, start }
    },
  },
  params: () => ({ replaced: ['container'], unrepeated: keptParams }),
  readPart: readAnthropicPart,
  readConversation,
  readReply,
  replies: REPLIES,
})

/** A system message with this key is hidden from the model once a message of the user follows it. */
const CLEARED = Object.freeze({ clear_at: 'next_user_message' })

/** A line of the user before an assistant's message that would come first, as after pruning: some hosts of Claude refuse that. */
function startOf(
  list: readonly PlainObject[],
  changes: Changes | undefined,
  pieces: readonly Piece[],
  out: RequestWriter,
): Start | undefined {
  const first = list.find((message) => changes?.get(message)?.length !== 0)
  const role = first && (changes?.get(first)?.[0] ?? first)['role']
  // A summary of the server is first, and needs nothing before it.
  const [block] = first === undefined ? [] : blocksIn(changes?.get(first)?.[0] ?? first)
  if (role !== 'assistant' || block?.['type'] === 'compaction') return undefined
  const record = pieces.map(({ owners }) => owners.originOf(first!)).find((origin) => origin !== undefined)
  if (record !== undefined)
    out.note('added', record, `A line of the user is before ${record.id}: a request begins with one.`)
  return { drop: 0, put: [FIRST] }
}

/** The container of the last reply, if code in it waits for the results of its calls: Claude asks for it then. */
function containerOf(pieces: readonly Piece[]): Head['after'] {
  const last = pieces.findLast((piece) => !piece.isEmpty)
  if (last === undefined || openCode(last.list.map(blocksIn)) < 0) return undefined
  const ids = last.list.map((message) => last.owners.originOf(message)?.rare?.attributes?.get(ATTRIBUTES.container))
  const id = ids.findLast((each) => typeof each === 'string')
  return typeof id === 'string' ? { container: id } : undefined
}

const FIRST: PlainObject = inOrder({ role: 'user', content: '(continued)' })

function systemKey(system: PlainValue | undefined, owner: NodeRecord | undefined, out: RequestWriter): Head {
  const before: Record<string, PlainValue> = system === undefined ? {} : { system }
  return { before: owner === undefined ? before : out.ownAt(before, 'system', owner) }
}

function callIdsIn(written: readonly PlainObject[]): readonly string[] {
  const ids: string[] = []
  for (let i = 0; i < written.length; i++) {
    const blocks = blocksIn(written[i]!)
    for (let at = 0; at < blocks.length; at++) {
      const { type, id } = blocks[at]!
      if (type === 'tool_use') ids.push(id as string)
    }
  }
  return ids
}

/** True if a text came as one, or was written by hand as one. */
function isBare({ form, parts }: Message): boolean {
  const [only] = parts
  return (
    form !== 'list' && parts.length === 1 && only?.kind === 'text' && only.keys === undefined && only.raw === undefined
  )
}

function textBlocks(message: PlainObject): readonly PlainObject[] {
  const { content } = message
  if (typeof content === 'string') return [inOrder({ type: 'text', text: content })]
  return blocksIn(message).filter(({ type }) => type === 'text')
}

/** The system text as the tree holds it. */
function heldSystem(system: readonly Message[], out: RequestWriter): PlainValue | undefined {
  const [only] = system
  if (only === undefined) return undefined
  if (system.length === 1 && isOwn(only) && only.form !== 'list') return plainJson(only.record.content ?? '')
  if (system.length === 1 && !isOwn(only) && isBare(only)) return plainJson(only.record.content ?? '')
  return system.flatMap((message) => message.parts.flatMap((part) => heldElement(part, message, heldForm(out))))
}

function listOf(content: PlainValue): readonly PlainObject[] {
  if (typeof content === 'string') return [inOrder({ type: 'text', text: content })]
  return Array.isArray(content) ? content.map((block: PlainValue) => unmarked(block)) : []
}

/** Marks that came with an import are of another request. */
function unmarked(block: PlainValue): PlainObject {
  if (typeof block !== 'object' || block === null) return block as unknown as PlainObject
  const given = block as PlainObject
  if (given['cache_control'] === undefined && !Array.isArray(given['content'])) return given
  const { cache_control: _mark, content, ...rest } = given
  const inner = Array.isArray(content) ? content.map((each: PlainValue) => unmarked(each)) : content
  // The content of a result keeps its place among the keys.
  const keys = Object.keys(given).filter((key) => key !== 'cache_control')
  return inOrder(Object.fromEntries(keys.map((key) => [key, key === 'content' ? inner : rest[key]])))
}

/** True if the type of a block has a mark: thoughts and some others have none. */
function canMark(block: PlainObject, role: Role): boolean {
  const dropped = new Set<string>()
  const fitted = blocksBy(role)({ ...block, cache_control: MARK }, dropped)
  return fitted !== undefined && !dropped.has('cache_control')
}

const MARK: PlainObject = Object.freeze({ type: 'ephemeral' })
