// A session of the OpenAI Agents SDK: one context, one node for each item, one commit for each change. Items that leave a session (popped, cleared,
// compacted) leave the newest snapshot; earlier snapshots keep them.

import type {
  AgentInputItem,
  OpenAIResponsesCompactionArgs,
  OpenAIResponsesCompactionAwareSession,
  OpenAIResponsesCompactionResult,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents-core'

import { canonicalJson } from '../codec/index.js'
import type { Node } from '../core/index.js'
import { PactError } from '../errors/index.js'
import { OpenContexts } from '../sessions/index.js'
import type { CommitOptions, Store, StoredContext } from '../store/index.js'
import { itemIn, nodeOf, readItem } from './items.js'

/** The input of a function that compacts: the items, and the arguments of the SDK. */
export type CompactionInput = Readonly<{ items: readonly AgentInputItem[]; args: OpenAIResponsesCompactionArgs }>

/** The items that stand for the given ones, and what it cost to make them. */
export type Compaction = Readonly<{
  items: readonly AgentInputItem[]
  usage?: OpenAIResponsesCompactionResult['usage'] | undefined
}>

export type SessionOptions = Readonly<{
  /** Called after each turn of an agent. It returns the items that replace the given ones, or nothing to leave them. */
  compact?: ((input: CompactionInput) => Promise<Compaction | undefined> | Compaction | undefined) | undefined
}>

/** An item of the session; without a node it is not stored yet. An item other than that of the node takes its place. */
type Entry = Readonly<{ node?: Node; item: AgentInputItem }>

export type { StoreSession }

/**
 * A session of the OpenAI Agents SDK in a context of a store, which is made if it is missing.
 *
 * @example
 * ```ts
 * import { createSession } from 'pact-context/openai-agents'
 * import { openStore } from 'pact-context/store'
 *
 * const store = await openStore('memory:')
 * const session = createSession(store, 'support-42')
 * await session.addItems([{ role: 'user', content: 'Hello' }])
 * await session.getItems() // → [{ role: 'user', content: 'Hello' }]
 * ```
 */
export function createSession(store: Store, id: string, options: SessionOptions = {}): StoreSession {
  return new StoreSession(store, id, options)
}

class StoreSession
  implements
    SessionHistoryRewriteAwareSession,
    SessionHistoryTransactionAwareSession,
    OpenAIResponsesCompactionAwareSession
{
  readonly #id: string
  readonly #options: SessionOptions
  readonly #contexts: OpenContexts
  /** Ids that this object has read or written: what a compaction by the runner stands for. */
  #seen: ReadonlySet<string> | undefined

  constructor(store: Store, id: string, options: SessionOptions) {
    this.#id = id
    this.#options = options
    this.#contexts = new OpenContexts(store)
  }

  async getSessionId(): Promise<string> {
    return this.#id
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const entries = await this.#entries()
    if (limit === undefined) this.#seen = idsOf(entries)
    const from = limit === undefined ? 0 : Math.max(entries.length - Math.max(limit, 0), 0)
    return entries.slice(from).map(({ item }) => item)
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    await this.#change((entries) => [...entries, ...newEntries(items)])
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    let popped: AgentInputItem | undefined
    await this.#change((entries) => {
      popped = entries.at(-1)?.item
      return entries.slice(0, -1)
    })
    return popped
  }

  /** Removes all items. Earlier snapshots keep them; `store.delete` and `store.erase` do not. */
  async clearSession(): Promise<void> {
    await this.#change(() => [])
  }

  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    await this.#change((entries) =>
      mutations.reduce<readonly Entry[]>((before, { callId, replacement }) => {
        const isCall = ({ item }: Entry): boolean => item.type === 'function_call' && item.callId === callId
        const first = before.findIndex(isCall)
        const others = before.map((entry, n) => (n === first ? { ...entry, item: replacement } : entry))
        return others.filter((_, n) => n === first || !isCall(before[n]!))
      }, entries),
    )
  }

  /** One commit. Its key is the operation's id, so that the same operation is never applied twice. */
  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    const asked = [readItem(transaction)]
    await this.#change(
      (entries) => {
        if (transaction.type === 'append_items') return [...entries, ...newEntries(transaction.items)]
        const { expectedSuffix, replacement } = transaction
        const start = entries.length - expectedSuffix.length
        if (start < 0 || !expectedSuffix.every((item, n) => isSame(entries[start + n]!.item, item))) {
          const message = `The last ${expectedSuffix.length} items of ${this.#id} are not the expected ones, so nothing was replaced; read the session again.`
          throw new PactError('E_CONFLICT', message, { reason: 'stale', operation: operationId })
        }
        return [...entries.slice(0, start), ...newEntries(replacement)]
      },
      { key: operationId, asked },
    )
  }

  /** Items that another process has added since this session was last read stay, behind the new ones. */
  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    const seen = this.#seen
    await this.#change((entries) => compacted(entries, seen ?? idsOf(entries), items))
  }

  async runCompaction(args: OpenAIResponsesCompactionArgs = {}): Promise<OpenAIResponsesCompactionResult | null> {
    const { compact } = this.#options
    if (compact === undefined) return null
    const before = await this.#entries()
    const made = await compact({ items: before.map(({ item }) => item), args })
    if (made === undefined) return null
    await this.#change((entries) => compacted(entries, idsOf(before), made.items))
    return made.usage === undefined ? null : { usage: made.usage }
  }

  async #entries(): Promise<readonly Entry[]> {
    return (await this.#contexts.read(this.#id, entriesIn)) ?? []
  }

  /** Commits what `update` makes of the newest items; if another writer was first, it is asked again. */
  async #change(update: (entries: readonly Entry[]) => readonly Entry[], commit: CommitOptions = {}): Promise<void> {
    let written: readonly string[] = []
    const edit = (ctx: StoredContext): void => {
      const before = entriesIn(ctx)
      written = write(ctx, before, update(before))
    }
    const committed = (): void => {
      if (this.#seen !== undefined) this.#seen = new Set([...this.#seen, ...written])
    }
    await this.#contexts.change(this.#id, edit, { ...commit, committed })
  }
}

function entriesIn(ctx: StoredContext): readonly Entry[] {
  return ctx.nodes('^seq .block').flatMap((node) => {
    const item = itemIn(node)
    return item === undefined ? [] : [{ node, item }]
  })
}

function newEntries(items: readonly AgentInputItem[]): readonly Entry[] {
  return items.map((item) => ({ item }))
}

function idsOf(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ node }) => node?.id ?? []))
}

function isSame(a: AgentInputItem, b: AgentInputItem): boolean {
  return canonicalJson(readItem(a)) === canonicalJson(readItem(b))
}

/** Writes the difference of two lists: what is missing goes, what is changed is replaced in its place, what is new is added at the end. Returns the ids of the added nodes. */
function write(ctx: StoredContext, before: readonly Entry[], after: readonly Entry[]): readonly string[] {
  const known = new Set(before)
  const misfit = after.findIndex((entry) => !known.has(entry) && !fits(entry))
  const list =
    misfit < 0 ? after : [...after.slice(0, misfit), ...newEntries(after.slice(misfit).map(({ item }) => item))]
  const kept = idsOf(list)
  for (const { node } of before) if (!kept.has(node!.id)) ctx.update(`{ id="${node!.id}" }`, { ttl: 0 })
  const added: string[] = []
  for (const entry of list) {
    if (known.has(entry)) continue
    const { content, ...header } = nodeOf(readItem(entry.item))
    if (entry.node === undefined) added.push(ctx.add(content, { ...header, zone: 'core' }).id)
    else ctx.replace(`{ id="${entry.node.id}" }`, { content, ...header })
  }
  return added
}

/** True if the item can take the place of the node: a replacement keeps the attributes that it does not name. */
function fits({ node, item }: Entry): boolean {
  const spec = nodeOf(readItem(item))
  return node === undefined || Object.keys(node.attributes).every((name) => Object.hasOwn(spec, name))
}

/** The entries with `items` instead of the covered ones. Those at the end of both stay as they are. */
function compacted(
  entries: readonly Entry[],
  covers: ReadonlySet<string>,
  items: readonly AgentInputItem[],
): readonly Entry[] {
  const covered = entries.filter(({ node }) => covers.has(node!.id))
  let same = 0
  while (same < Math.min(covered.length, items.length) && isSame(covered.at(-1 - same)!.item, items.at(-1 - same)!))
    same++
  const gone = covered.slice(0, covered.length - same)
  const made = items.slice(0, items.length - same)
  const places = new Map(gone.map((entry, n) => [entry, made[n]]))
  const others = entries.filter((entry) => !places.has(entry))
  // More items than places: all are written again, in order.
  if (made.length > gone.length) return newEntries([...made, ...others.map(({ item }) => item)])
  return entries.flatMap((entry) => {
    if (!places.has(entry)) return [entry]
    const item = places.get(entry)
    return item === undefined ? [] : [{ ...entry, item }]
  })
}
