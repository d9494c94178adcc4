// Stores with one fault at a time, over a sound database: the contract of stores has to notice each.

import { ContextEdits } from '../../src/context/persistence.js'
import {
  MemoryRows,
  Store,
  type Rows,
  type StoredContext,
  type StoreEvent,
  type WatchOptions,
} from '../../src/store/index.js'

/** Makes a store, or one of its contexts, otherwise than it should be. */
type Fault = Readonly<{
  store?: (sound: Store) => Partial<Record<keyof Store, unknown>>
  context?: (sound: StoredContext, store: Store) => Partial<Record<keyof StoredContext, unknown>>
  rows?: (sound: Rows) => Partial<Rows>
}>

export const PLANTED_STORES: Readonly<Record<string, Fault>> = {
  'create opens what is there': { store: (sound) => ({ create: sound.open.bind(sound) }) },
  'open makes another one': {
    store: (sound) => ({
      open: async (id: string, options: object) => {
        await sound.delete(id, { forks: true })
        return sound.open(id, options)
      },
    }),
  },
  'delete says that it was there': {
    store: (sound) => ({ delete: async (id: string, options?: object) => (await sound.delete(id, options)) || true }),
  },
  'delete takes forks along unasked': {
    store: (sound) => ({ delete: (id: string) => sound.delete(id, { forks: true }) }),
  },
  'a page has no next': {
    store: (sound) => ({ list: async (options?: object) => ({ ...(await sound.list(options)), next: undefined }) }),
  },
  'put takes the newest snapshot alone': {
    store: (sound) => ({
      put: (given: object, id: string) => {
        const isPlain =
          !(given instanceof ContextEdits) || given.snapshots().length === 0 || given.operations().length > 0
        return sound.put(isPlain ? given : (given as StoredContext).snapshot('@t0'), id)
      },
    }),
  },
  'closing does nothing': { store: () => ({ close: async () => {} }) },
  'fsck knows every context': { store: (sound) => ({ fsck: () => sound.fsck() }) },
  'a watch that comes back does not tell what was erased': {
    store: (sound) => ({
      watch: (id?: string, options: WatchOptions = {}) =>
        options.from === undefined ? sound.watch(id, options) : without('erased', sound.watch(id, options)),
    }),
  },
  'a watch that comes back tells erasures that were heard of': {
    store: (sound) => ({
      watch: (id?: string, options: WatchOptions = {}) =>
        typeof options.from === 'number' && id !== undefined
          ? erasedFirst(id, options.from, sound.watch(id, options))
          : sound.watch(id, options),
    }),
  },
  'a mark is a cycle': {
    store: (sound) => ({
      watch: (id?: string, options: WatchOptions = {}) => sound.watch(id, { ...options, from: cycleIn(options.from) }),
    }),
  },
  'a key is ignored': { context: (sound) => ({ commit: () => sound.commit() }) },
  'a key is not answered': { context: () => ({ answerTo: async () => undefined }) },
  'a commit gives the snapshot before': {
    context: (sound) => ({
      commit: async (options?: object) => {
        const { cycle } = await sound.commit(options)
        return sound.snapshot(cycle > 1 ? `@c${cycle - 1}` : '@t0')
      },
    }),
  },
  'the loser loses its edits': {
    context: (sound) => ({
      commit: (options?: object) =>
        sound.commit(options).catch((error: unknown) => {
          while (sound.undo());
          throw error
        }),
    }),
  },
  'forks leave from the newest snapshot': {
    context: (sound) => ({ fork: (_lens: unknown, options: never) => sound.fork('@t0', options) }),
  },
  'a save does nothing': { context: () => ({ save: async () => {} }) },
  'a save is a commit': { context: (sound) => ({ save: async () => void (await sound.commit()) }) },
  'a draft is not shown': { context: () => ({ draft: undefined }) },
  'open drops drafts': {
    store: (sound) => ({ open: (id: string, options: object) => sound.open(id, { draft: 'discard', ...options }) }),
  },
  'a draft is never dropped': {
    store: (sound) => ({ open: (id: string, options: object) => sound.open(id, { ...options, draft: 'load' }) }),
  },
  'attempts are not written': { rows: () => ({ writeAttempts: async () => {} }) },
  'the ends of attempts are not written': {
    rows: (sound) => ({
      writeAttempts: async (ctx, attempts) => {
        const known = new Set((await sound.attempts(ctx, 1000)).map(({ id, writer }) => `${writer} ${id}`))
        await sound.writeAttempts(
          ctx,
          attempts.filter(({ id, writer }) => !known.has(`${writer} ${id}`)),
        )
      },
    }),
  },
  'a commit overwrites whatever is there': {
    rows: (sound) => ({
      commit: async (commit) => {
        const outcome = await sound.commit(commit)
        return outcome === 'conflict' ? 'done' : outcome
      },
    }),
  },
  'forks are not counted': {
    rows: (sound) => ({
      byNumber: async (ctx) => {
        const found = await sound.byNumber(ctx)
        return found && { ...found, forks: 0 }
      },
      create: async (context) => {
        const now = context.parent && (await sound.byNumber(context.parent.ctx))
        return sound.create(
          now === undefined ? context : { ...context, parent: { ...context.parent!, forks: now.forks } },
        )
      },
    }),
  },
}

/** A watch with some events left out. */
async function* without(kind: StoreEvent['kind'], watch: AsyncIterable<StoreEvent>): AsyncGenerator<StoreEvent> {
  for await (const event of watch) if (event.kind !== kind) yield event
}

async function* erasedFirst(id: string, cycle: number, watch: AsyncIterable<StoreEvent>): AsyncGenerator<StoreEvent> {
  yield { kind: 'erased', id, cycle, mark: `${cycle}.0.1` }
  for await (const event of watch) if (event.kind !== 'erased') yield event
}

function cycleIn(from: WatchOptions['from']): WatchOptions['from'] {
  const one = (each: number | string): number => (typeof each === 'number' ? each : Number.parseInt(each))
  if (typeof from === 'number' || typeof from === 'string') return one(from)
  return from && new Map(Array.from(from, ([id, each]) => [id, one(each)]))
}

/** Opens such a store on a database of its own, as often as it takes. */
export function plantedPlace(fault?: string): { open: () => Store } {
  const planted = fault === undefined ? {} : PLANTED_STORES[fault]!
  const memory: Rows = new MemoryRows()
  const rows = planted.rows === undefined ? memory : overlaid(memory, planted.rows(memory))
  return {
    open: () => {
      const sound = new Store(rows)
      const store = overlaid(sound, planted.store?.(sound) ?? {})
      if (planted.context === undefined) return store
      const { context } = planted
      const seated = async (opened: Promise<StoredContext>): Promise<StoredContext> => {
        const ctx = await opened
        return overlaid(ctx, context(ctx, store))
      }
      const opening = (call: 'open' | 'create') => (id: string, options?: object) => seated(sound[call](id, options))
      return overlaid(store, { open: opening('open'), create: opening('create') })
    },
  }
}

function overlaid<T extends object>(sound: T, otherwise: object): T {
  const known = new Map<string | symbol, unknown>()
  return new Proxy(sound, {
    get: (target, name) => {
      if (known.has(name)) return known.get(name)
      const own: unknown = Reflect.get(otherwise, name)
      const value: unknown = own ?? Reflect.get(target, name, target)
      if (typeof value !== 'function' || own !== undefined) return value
      const bound: unknown = value.bind(target)
      known.set(name, bound)
      return bound
    },
  })
}
