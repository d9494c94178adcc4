// A LangGraph checkpointer over a store. Each thread and namespace is a context: a checkpoint is a commit, which is found again by its key. Pending
// writes come after their checkpoint and must be durable at once, so they are commits of a second context.

import {
  BaseCheckpointSaver,
  getCheckpointId,
  maxChannelVersion,
  TASKS,
  WRITES_IDX_MAP,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint'

import type { Snapshot } from '../context/index.js'
import { checkNames, checkOption, describe, invalid, PactError, TEXT } from '../errors/index.js'
import { sel } from '../selector/index.js'
import type { Store, StoredContext } from '../store/index.js'
import { isConflict, OpenContexts } from './contexts.js'
import { messageNodes, readMessages } from './messages.js'
import { fromAttribute, isSame, pack, toAttribute, unpack, type Packed } from './packed.js'
import { checkpointPlaces, conversationId, readPlace, threadPrefix, writesId, type Place } from './places.js'
import {
  readCheckpoint,
  readState,
  writeCheckpoint,
  writeState,
  type ChannelValue,
  type CheckpointRecord,
  type State,
} from './state.js'

export type PactSaverOptions = Readonly<{
  /** The channel whose LangChain messages become nodes; `messages` by default. */
  messages?: string | undefined
  /** Writes values as bytes and reads them; LangGraph's JSON by default. With encryption, messages are no nodes. */
  serde?: SerializerProtocol | undefined
}>

type Config = CheckpointTuple['config']
type Found = Readonly<{ record: CheckpointRecord; state: State }>

/**
 * Keeps the threads of a graph in a store.
 *
 * @example
 * ```ts
 * import { PactSaver } from 'pact-context/langgraph'
 * import { openStore } from 'pact-context/store'
 *
 * const store = await openStore('memory:')
 * const checkpointer = new PactSaver(store)
 * await checkpointer.getTuple({ configurable: { thread_id: 'trip' } }) // → undefined
 * ```
 */
export class PactSaver extends BaseCheckpointSaver {
  readonly #store: Store
  readonly #contexts: OpenContexts
  readonly #messages: string

  constructor(store: Store, options: PactSaverOptions = {}) {
    checkNames(options, ['messages', 'serde'], "{ messages: 'messages' }")
    checkOption('messages', options.messages, TEXT)
    super(options.serde)
    this.#store = store
    this.#contexts = new OpenContexts(store)
    this.#messages = options.messages ?? 'messages'
  }

  override async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    const place = readPlace(config)
    if (place === undefined) return undefined
    const found = await this.#find(place, getCheckpointId(config) || undefined)
    return found && this.#tuple(place, found)
  }

  override async *list(config: Config, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { before, filter = {} } = options
    const { checkpoint_ns: namespace, checkpoint_id: only } = config.configurable ?? {}
    const end: unknown = before?.configurable?.['checkpoint_id']
    let left = options.limit ?? Infinity
    for await (const place of checkpointPlaces(this.#store, config)) {
      if (left <= 0) return
      if (namespace !== undefined && namespace !== place.namespace) continue
      for (const { record, snapshot } of await this.#all(place)) {
        if (only !== undefined && record.id !== only) continue
        if (typeof end === 'string' && record.id >= end) continue
        const metadata = (await unpack(this.serde, record.metadata)) as Readonly<Record<string, unknown>>
        if (!Object.entries(filter).every(([name, value]) => metadata[name] === value)) continue
        if (left-- <= 0) return
        yield await this.#tuple(place, { record, state: readState(snapshot) })
      }
    }
  }

  override async put(
    config: Config,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
  ): Promise<Config> {
    const place = neededPlace(config, 'a checkpoint')
    const parent = getCheckpointId(config) || undefined
    const { channel_values: values, ...rest } = checkpoint
    const { id } = checkpoint
    const packed = { checkpoint: await pack(this.serde, rest), metadata: await pack(this.serde, metadata) }
    const changed = await this.#packedState(values, newVersions)
    const edit = async (ctx: StoredContext): Promise<void> => {
      const head = ctx.cycle > 1 ? readCheckpoint(ctx.snapshot('@t0')) : undefined
      const base = parent === undefined ? undefined : await this.#snapshotOf(ctx, head, parent)
      // If the parent is gone, all values as given are better than a state with holes.
      const isOrphan = parent !== undefined && base === undefined
      writeState(
        ctx,
        isOrphan
          ? await this.#packedState(values)
          : carriedOver(base && readState(base), changed, checkpoint, newVersions),
      )
      const newest = head === undefined || head.newest < id ? id : head.newest
      writeCheckpoint(ctx, { id, parent, newest, ...packed }, metadata)
    }
    try {
      await this.#contexts.write(conversationId(place), edit, id)
    } catch (error) {
      if (!isConflict(error) || error.details['reason'] !== 'key') throw error
      // This id was put before. A repeated call is answered, another checkpoint is refused.
      const { record } = (await this.#find(place, id)) ?? {}
      if (!isSame(record?.checkpoint, packed.checkpoint) || !isSame(record?.metadata, packed.metadata)) throw taken(id)
    }
    return configOf(place, id)
  }

  override async putWrites(config: Config, writes: PendingWrite[], taskId: string): Promise<void> {
    const place = neededPlace(config, 'writes')
    const checkpoint = getCheckpointId(config)
    if (!checkpoint) throw invalid('checkpoint_id', 'To put writes, the config needs a checkpoint_id.')
    const packed = new Map<number, Readonly<{ channel: string; value: Packed }>>()
    for (const [at, [channel, value]] of writes.entries()) {
      packed.set(WRITES_IDX_MAP[channel] ?? at, { channel, value: await pack(this.serde, value) })
    }
    await this.#contexts.write(writesId(place), (ctx) => {
      const before = new Map(
        ctx
          .nodes(sel`.block[data_checkpoint=${checkpoint}][data_task=${taskId}]`)
          .map(({ id, attributes }) => [attributes['data_index'], id] as const),
      )
      for (const [index, { channel, value }] of packed) {
        const old = before.get(index)
        // Results stay as they were put first; errors and interrupts have negative indexes, and the last one counts.
        if (old !== undefined && index >= 0) continue
        if (old !== undefined) ctx.update(sel`[id=${old}]`, { ttl: 0 })
        ctx.post(`${channel} of ${taskId}`, {
          data_checkpoint: checkpoint,
          data_task: taskId,
          data_index: index,
          data_channel: channel,
          data_value: toAttribute(value),
        })
      }
    })
  }

  override async deleteThread(threadId: string): Promise<void> {
    const prefix = threadPrefix(threadId)
    for (;;) {
      const { contexts } = await this.#store.list({ after: prefix, limit: 100 })
      const ids = contexts.map(({ id }) => id).filter((id) => id.startsWith(prefix))
      for (const id of ids) await this.#contexts.delete(id)
      if (ids.length === 0) return
    }
  }

  /** The checkpoint with an id, or the newest one. */
  async #find(place: Place, id: string | undefined): Promise<Found | undefined> {
    return this.#contexts.read(conversationId(place), async (ctx) => {
      const head = ctx.cycle > 1 ? readCheckpoint(ctx.snapshot('@t0')) : undefined
      if (head === undefined) return undefined
      const found = await this.#snapshotOf(ctx, head, id ?? head.newest)
      // The newest commit is never thinned out.
      const snapshot = found ?? (id === undefined ? ctx.snapshot('@t0') : undefined)
      const record = snapshot && readCheckpoint(snapshot)
      return record && { record, state: readState(snapshot) }
    })
  }

  /** The snapshot of a checkpoint; undefined if it was never put, or thinned out. */
  async #snapshotOf(ctx: StoredContext, head: CheckpointRecord | undefined, id: string): Promise<Snapshot | undefined> {
    if (head?.id === id) return ctx.snapshot('@t0')
    const answer = await ctx.answerTo(id)
    if (answer === undefined) return undefined
    try {
      const past = await this.#store.openAt(ctx.id, answer.cycle, { history: 1 })
      return past?.snapshot('@t0')
    } catch (error) {
      if (PactError.is(error) && error.code === 'E_SNAPSHOT_NOT_FOUND') return undefined
      throw error
    }
  }

  /** All checkpoints of a namespace, the largest id first. */
  async #all(place: Place): Promise<readonly Readonly<{ record: CheckpointRecord; snapshot: Snapshot }>[]> {
    const ctx = await this.#store.open(conversationId(place), { history: 'all', draft: 'leave' })
    const found = new Map<string, Readonly<{ record: CheckpointRecord; snapshot: Snapshot }>>()
    for (const { cycle } of ctx.snapshots()) {
      const snapshot = ctx.snapshot(`@c${cycle}`)
      const record = readCheckpoint(snapshot)
      // The newest first: a commit of somebody else, such as a redaction, shows the same checkpoint once more.
      if (record !== undefined && !found.has(record.id)) found.set(record.id, { record, snapshot })
    }
    return [...found.values()].toSorted((a, b) => (a.record.id < b.record.id ? 1 : -1))
  }

  async #tuple(place: Place, { record, state }: Found): Promise<CheckpointTuple> {
    const { id, parent } = record
    const checkpoint: Checkpoint = {
      ...((await unpack(this.serde, record.checkpoint)) as Omit<Checkpoint, 'channel_values'>),
      channel_values: await this.#values(state),
    }
    if (checkpoint.v < 4 && parent !== undefined) await this.#addPendingSends(place, checkpoint, parent)
    const metadata = (await unpack(this.serde, record.metadata)) as CheckpointMetadata
    const pendingWrites = await this.#pendingWrites(place, id)
    const tuple = { config: configOf(place, id), checkpoint, metadata, pendingWrites }
    return parent === undefined ? tuple : { ...tuple, parentConfig: configOf(place, parent) }
  }

  /** Before version 4 of checkpoints, packets to send were writes of the parent. */
  async #addPendingSends(place: Place, checkpoint: Checkpoint, parent: string): Promise<void> {
    const writes = await this.#pendingWrites(place, parent)
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_values[TASKS] = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
  }

  async #pendingWrites(place: Place, checkpoint: string): Promise<CheckpointPendingWrite[]> {
    const nodes = await this.#contexts.read(writesId(place), (ctx) =>
      ctx
        .nodes(sel`.block[data_checkpoint=${checkpoint}]`)
        .toSorted((a, b) => a.cycle - b.cycle || a.creationIndex - b.creationIndex),
    )
    const writes: CheckpointPendingWrite[] = []
    for (const { attributes } of nodes ?? []) {
      const { data_task: task, data_channel: channel, data_value: value } = attributes
      const packed = fromAttribute(value)
      if (typeof task !== 'string' || typeof channel !== 'string' || packed === undefined) continue
      writes.push([task, channel, await unpack(this.serde, packed)])
    }
    return writes
  }

  /** Packs the values of the channels that `names` has, or of all. */
  async #packedState(values: Readonly<Record<string, unknown>>, names: object = values): Promise<State> {
    const state = new Map<string, ChannelValue>()
    for (const [name, value] of Object.entries(values)) {
      if (!Object.hasOwn(names, name) || value === undefined) continue
      const messages = name === this.#messages ? await messageNodes(this.serde, value) : undefined
      state.set(name, messages ?? (await pack(this.serde, value)))
    }
    return state
  }

  async #values(state: State): Promise<Record<string, unknown>> {
    const values: [name: string, value: unknown][] = []
    for (const [name, value] of state) {
      values.push([name, 'text' in value ? await unpack(this.serde, value) : await readMessages(this.serde, value)])
    }
    return Object.fromEntries(values)
  }
}

/** The state of a checkpoint: what changed since its parent, and the rest as the parent has it. Versions count per branch, so they cannot find a value. */
function carriedOver(
  parent: State | undefined,
  changed: State,
  { channel_versions: versions }: Checkpoint,
  newVersions: ChannelVersions | undefined,
): State {
  const carried = [...(parent ?? [])].filter(
    ([name]) => Object.hasOwn(versions, name) && !Object.hasOwn(newVersions ?? {}, name),
  )
  return new Map([...carried, ...changed])
}

function neededPlace(config: Config, what: string): Place {
  const place = readPlace(config)
  if (place !== undefined) return place
  const message = `To put ${what}, the config needs a thread_id: { configurable: { thread_id: 'trip' } }.`
  throw invalid('thread_id', message)
}

function configOf({ thread, namespace }: Place, id: string): Config {
  return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } }
}

function taken(id: string): PactError {
  const message = `There is another checkpoint with the id ${describe(id)}; checkpoints do not change.`
  return new PactError('E_CONFLICT', message, { id })
}
