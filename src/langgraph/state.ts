// The state of a graph in a tree. Messages are blocks of the conversation. Every other channel, and the checkpoint itself, is a keyed container
// without content in `^sys`: selectors find it, and no thread or request shows it.

import type { CheckpointMetadata } from '@langchain/langgraph-checkpoint'

import { canonicalJson } from '../codec/index.js'
import type { Snapshot } from '../context/index.js'
import { sel } from '../selector/index.js'
import type { StoredContext } from '../store/index.js'
import { messageName, type MessageNode } from './messages.js'
import { fromAttribute, isSame, toAttribute, type Packed } from './packed.js'

/** Messages are nodes, all other values are packed. */
export type ChannelValue = Packed | readonly MessageNode[]

/** All channels with a value. */
export type State = ReadonlyMap<string, ChannelValue>

/** A checkpoint without the values of its channels. */
export type CheckpointRecord = Readonly<{
  id: string
  parent: string | undefined
  /** The largest id of a checkpoint so far. */
  newest: string
  checkpoint: Packed
  metadata: Packed
}>

/** The checkpoint of a snapshot; undefined if it has none. */
export function readCheckpoint(snapshot: Snapshot): CheckpointRecord | undefined {
  const attributes = snapshot.first('^sys .checkpoint')?.attributes ?? {}
  const { data_id: id, data_parent: parent, data_newest: newest } = attributes
  const checkpoint = fromAttribute(attributes['data_checkpoint'])
  const metadata = fromAttribute(attributes['data_metadata'])
  if (typeof id !== 'string' || checkpoint === undefined || metadata === undefined) return undefined
  return {
    id,
    parent: typeof parent === 'string' ? parent : undefined,
    newest: typeof newest === 'string' ? newest : id,
    checkpoint,
    metadata,
  }
}

/** A snapshot as the saver sees it. */
export type Shown = Readonly<{
  record: CheckpointRecord | undefined
  state: State
  /** Ids of the nodes of the messages in `state`, in order. */
  ids: readonly string[]
}>

export function readShown(snapshot: Snapshot): Shown {
  const state = new Map<string, ChannelValue>()
  const found = messagesIn(snapshot)
  for (const { attributes } of snapshot.nodes(CHANNELS)) {
    const { data_channel: name, data_value: value } = attributes
    const read = value === MESSAGES ? found.map(({ message }) => message) : fromAttribute(value)
    if (typeof name === 'string' && read !== undefined) state.set(name, read)
  }
  return { record: readCheckpoint(snapshot), state, ids: found.map(({ id }) => id) }
}

/** The value of the channel whose messages are nodes. */
const MESSAGES = 'messages'

/** Makes the open cycle show a checkpoint instead of `before`. Only differences become edits. */
export function showState(
  ctx: StoredContext,
  before: Shown,
  record: CheckpointRecord,
  state: State,
  metadata: CheckpointMetadata,
): Shown {
  writeChannels(ctx, before.state, state)
  const ids = writeMessages(ctx, before, messagesOf(state))
  writeCheckpoint(ctx, record, metadata)
  return { record, state, ids }
}

/** True if the newest commit shows this. Messages may have left with it, if somebody gave them a time to live. */
export function isShown(ctx: StoredContext, { state, ids }: Shown): boolean {
  return ctx.count('.block[data_message]') === ids.length && ctx.count(CHANNELS) === state.size
}

const CHANNELS = '^sys .channel'

function writeChannels(ctx: StoredContext, before: State, state: State): void {
  for (const [name, value] of state) {
    const old = before.get(name)
    const isKept = isMessages(value) ? isMessages(old) : !isMessages(old) && isSame(old, value)
    if (isKept) continue
    ctx.system.put(`langgraph:channel:${name}`, undefined, {
      nodeType: 'channel',
      children: [],
      data_channel: name,
      data_value: isMessages(value) ? MESSAGES : toAttribute(value),
    })
  }
  for (const name of before.keys()) {
    if (!state.has(name)) ctx.system.delete(sel`#${`langgraph:channel:${name}`}`)
  }
}

/** The metadata as given: its source and step become attributes that selectors can name. */
function writeCheckpoint(
  ctx: StoredContext,
  { id, parent, newest, checkpoint, metadata }: CheckpointRecord,
  { source, step }: Readonly<{ source?: unknown; step?: unknown }>,
): void {
  ctx.system.put('langgraph:checkpoint', undefined, {
    nodeType: 'checkpoint',
    children: [],
    data_id: id,
    data_parent: parent ?? null,
    data_newest: newest,
    data_checkpoint: toAttribute(checkpoint),
    data_metadata: toAttribute(metadata),
    data_source: typeof source === 'string' ? source : null,
    data_step: typeof step === 'number' ? step : null,
  })
}

/** Keeps the messages that stay in order, changes those with a newer form, drops the others, and adds what is new at the end. */
function writeMessages(ctx: StoredContext, { state, ids }: Shown, messages: readonly MessageNode[]): readonly string[] {
  const before = messagesOf(state)
  const kept: string[] = []
  for (const [at, id] of ids.entries()) {
    const old = before[at]
    const wanted = messages[kept.length]
    if (old !== undefined && wanted !== undefined && isSameMessage(wanted, old)) {
      kept.push(id)
    } else if (old !== undefined && wanted !== undefined && messageName(wanted) === messageName(old)) {
      const { role, content, rest } = wanted
      const [node] = ctx.replace(sel`[id=${id}]`, { role, content, data_message: rest })
      kept.push(node?.id ?? id)
    } else {
      // Leaves with this commit. A deletion would leave an empty message in the conversation.
      ctx.update(sel`[id=${id}]`, { ttl: 0 })
    }
  }
  const added = messages
    .slice(kept.length)
    .map(({ role, content, rest }) => ctx.add(content, { zone: 'core', role, data_message: rest }).id)
  return [...kept, ...added]
}

function messagesIn(snapshot: Snapshot): readonly Readonly<{ id: string; message: MessageNode }>[] {
  return snapshot.thread().flatMap(({ id, role = 'user', content }) => {
    const rest = snapshot.node(id)?.attributes['data_message']
    return typeof rest === 'string' ? [{ id, message: { role, content, rest } }] : []
  })
}

function messagesOf(state: State): readonly MessageNode[] {
  return [...state.values()].find(isMessages) ?? []
}

function isMessages(value: ChannelValue | undefined): value is readonly MessageNode[] {
  return Array.isArray(value)
}

/** Contents come back with sorted keys, so objects are compared by their canonical form. */
function isSameMessage(a: MessageNode, b: MessageNode): boolean {
  if (a === b) return true
  if (a.rest !== b.rest || a.role !== b.role) return false
  return a.content === b.content || canonicalJson(a.content) === canonicalJson(b.content)
}
