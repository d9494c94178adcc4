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

import { checkNames, checkOption, describe, invalid, PactError, TEXT } from '../errors/index.js'
import { OpenContexts, Remembered } from '../sessions/index.js'
import type { Store, StoredContext } from '../store/index.js'
import { MessageCodec } from './messages.js'
import { isSame, pack, unpack } from './packed.js'
import { checkpointPlaces, conversationId, readPlace, threadPrefix, writesId, type Place } from './places.js'
import {
  isShown,
  readCheckpoint,
  readShown,
  showState,
  type ChannelValue,
  type CheckpointRecord,
  type Shown,
  type State,
} from './state.js'
import { addWrites, hasWrites, readWrites, type Write, type Writes } from './writes.js'

export type PactSaverOptions = Readonly<{
  /** The channel whose LangChain messages become nodes; `messages` by default. */
  messages?: string | undefined
  /** Writes values as bytes and reads them; LangGraph's JSON by default. With encryption, messages are no nodes. */
  serde?: SerializerProtocol | undefined
}>

type Config = CheckpointTuple['config']
type Found = Readonly<{ record: CheckpointRecord; state: State }>

const NOTHING: Shown = { record: undefined, state: new Map(), ids: [] }

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
  readonly #codec: MessageCodec
  readonly #shown = new Remembered((ctx) => (ctx.cycle > 1 ? readShown(ctx.snapshot('@t0')) : NOTHING))
  readonly #writes = new Remembered(readWrites)

  constructor(store: Store, options: PactSaverOptions = {}) {
    checkNames(options, ['messages', 'serde'], "{ messages: 'messages' }")
    checkOption('messages', options.messages, TEXT)
    super(options.serde)
    this.#store = store
    this.#contexts = new OpenContexts(store)
    this.#messages = options.messages ?? 'messages'
    this.#codec = new MessageCodec(this.serde)
  }

  override async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    const place = readPlace(config)
    if (place === undefined) return undefined
    const found = await this.#find(place, getCheckpointId(config) || undefined)
    return found && this.#tuple(place, found, await this.#writesOf(place))
  }

  override async *list(config: Config, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { before, filter = {} } = options
    const { checkpoint_ns: namespace, checkpoint_id: only } = config.configurable ?? {}
    const end: unknown = before?.configurable?.['checkpoint_id']
    let left = options.limit ?? Infinity
    for await (const place of checkpointPlaces(this.#store, config)) {
      if (left <= 0) return
      if (namespace !== undefined && namespace !== place.namespace) continue
      const writes = await this.#writesOf(place)
      for (const { record, state } of await this.#all(place)) {
        if (only !== undefined && record.id !== only) continue
        if (typeof end === 'string' && record.id >= end) continue
        const metadata = (await unpack(this.serde, record.metadata)) as Readonly<Record<string, unknown>>
        if (!Object.entries(filter).every(([name, value]) => metadata[name] === value)) continue
        if (left-- <= 0) return
        yield await this.#tuple(place, { record, state: state() }, writes)
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
    let shown = NOTHING
    const edit = async (ctx: StoredContext): Promise<void> => {
      const now = this.#shown.of(ctx)
      const base = parent === undefined ? undefined : await this.#shownAt(ctx, now, parent)
      // If the parent is gone, all values as given are better than a state with holes.
      const isOrphan = parent !== undefined && base === undefined
      const state = isOrphan
        ? await this.#packedState(values)
        : carriedOver(base?.state, changed, checkpoint, newVersions)
      const newest = now.record === undefined || now.record.newest < id ? id : now.record.newest
      shown = showState(ctx, now, { id, parent, newest, ...packed }, state, metadata)
    }
    const committed = (ctx: StoredContext): void => {
      if (isShown(ctx, shown)) this.#shown.note(ctx, shown)
    }
    try {
      await this.#contexts.change(conversationId(place), edit, { key: id, asked: [packed], committed })
    } catch (error) {
      if (!isOtherRequest(error)) throw error
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
    const packed: Write[] = []
    for (const [at, [channel, value]] of writes.entries()) {
      const index = WRITES_IDX_MAP[channel] ?? at
      packed.push({ task: taskId, index, channel, value: await pack(this.serde, value) })
    }
    let after: Writes = new Map()
    const edit = (ctx: StoredContext): void => {
      after = addWrites(ctx, this.#writes.of(ctx), checkpoint, packed)
    }
    const committed = (ctx: StoredContext): void => {
      if (hasWrites(ctx, after)) this.#writes.note(ctx, after)
    }
    await this.#contexts.change(writesId(place), edit, { committed })
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
      const now = this.#shown.of(ctx)
      if (now.record === undefined) return undefined
      const found = await this.#shownAt(ctx, now, id ?? now.record.newest)
      // The newest commit is never thinned out.
      const { record, state } = found ?? (id === undefined ? now : NOTHING)
      return record && { record, state }
    })
  }

  /** The commit of a checkpoint; undefined if it was never put, or thinned out. */
  async #shownAt(ctx: StoredContext, now: Shown, id: string): Promise<Shown | undefined> {
    if (now.record?.id === id) return now
    const answer = await ctx.answerTo(id)
    if (answer === undefined) return undefined
    try {
      const past = await this.#store.openAt(ctx.id, answer.cycle, { history: 1 })
      return past && readShown(past.snapshot('@t0'))
    } catch (error) {
      if (PactError.is(error) && error.code === 'E_SNAPSHOT_NOT_FOUND') return undefined
      throw error
    }
  }

  /** All checkpoints of a namespace, the largest id first. */
  async #all(place: Place): Promise<readonly Readonly<{ record: CheckpointRecord; state: () => State }>[]> {
    const ctx = await this.#store.open(conversationId(place), { history: 'all', draft: 'leave' })
    const found = new Map<string, Readonly<{ record: CheckpointRecord; state: () => State }>>()
    for (const { cycle } of ctx.snapshots()) {
      const snapshot = ctx.snapshot(`@c${cycle}`)
      const record = readCheckpoint(snapshot)
      // The newest first: a commit of somebody else, such as a redaction, shows the same checkpoint once more.
      if (record !== undefined && !found.has(record.id))
        found.set(record.id, { record, state: () => readShown(snapshot).state })
    }
    return [...found.values()].toSorted((a, b) => (a.record.id < b.record.id ? 1 : -1))
  }

  async #tuple(place: Place, { record, state }: Found, writes: Writes): Promise<CheckpointTuple> {
    const { id, parent } = record
    const checkpoint: Checkpoint = {
      ...((await unpack(this.serde, record.checkpoint)) as Omit<Checkpoint, 'channel_values'>),
      channel_values: await this.#values(state),
    }
    if (checkpoint.v < 4 && parent !== undefined)
      this.#addPendingSends(checkpoint, await this.#pendingWrites(writes, parent))
    const metadata = (await unpack(this.serde, record.metadata)) as CheckpointMetadata
    const pendingWrites = await this.#pendingWrites(writes, id)
    const tuple = { config: configOf(place, id), checkpoint, metadata, pendingWrites }
    return parent === undefined ? tuple : { ...tuple, parentConfig: configOf(place, parent) }
  }

  /** Before version 4 of checkpoints, packets to send were writes of the parent. */
  #addPendingSends(checkpoint: Checkpoint, writes: readonly CheckpointPendingWrite[]): void {
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_values[TASKS] = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
  }

  async #writesOf(place: Place): Promise<Writes> {
    return (await this.#contexts.read(writesId(place), (ctx) => this.#writes.of(ctx))) ?? new Map()
  }

  async #pendingWrites(writes: Writes, checkpoint: string): Promise<CheckpointPendingWrite[]> {
    const pending: CheckpointPendingWrite[] = []
    for (const { task, channel, value } of writes.get(checkpoint) ?? [])
      pending.push([task, channel, await unpack(this.serde, value)])
    return pending
  }

  /** Packs the values of the channels that `names` has, or of all. */
  async #packedState(values: Readonly<Record<string, unknown>>, names: object = values): Promise<State> {
    const state = new Map<string, ChannelValue>()
    for (const [name, value] of Object.entries(values)) {
      if (!Object.hasOwn(names, name) || value === undefined) continue
      const messages = name === this.#messages ? await this.#codec.write(value) : undefined
      state.set(name, messages ?? (await pack(this.serde, value)))
    }
    return state
  }

  async #values(state: State): Promise<Record<string, unknown>> {
    const values: [name: string, value: unknown][] = []
    for (const [name, value] of state) {
      values.push([name, 'text' in value ? await unpack(this.serde, value) : await this.#codec.read(value)])
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

/** True if the id was put before, with another request. */
function isOtherRequest(error: unknown): boolean {
  return PactError.is(error) && error.code === 'E_CONFLICT' && error.details['reason'] === 'key'
}

function taken(id: string): PactError {
  const message = `There is another checkpoint with the id ${describe(id)}; checkpoints do not change.`
  return new PactError('E_CONFLICT', message, { id })
}
