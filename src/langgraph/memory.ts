// The long-term memory of LangGraph (`BaseStore`) in a store: a context for each namespace, a keyed node for each item, a commit for each batch of puts
// into a namespace.

import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint'

import { copyJson } from '../codec/index.js'
import type { JsonValue } from '../core/index.js'
import { invalid, isRecord } from '../errors/index.js'
import { sel } from '../selector/index.js'
import { OpenContexts, Remembered } from '../sessions/index.js'
import type { Store, StoredContext } from '../store/index.js'

const PREFIX = 'langgraph-memory/'
/** The default of LangGraph. */
const LIMIT = 10

/**
 * Keeps the long-term memory of graphs in a store.
 *
 * @example
 * ```ts
 * import { PactMemory } from 'pact-context/langgraph'
 * import { openStore } from 'pact-context/store'
 *
 * const memory = new PactMemory(await openStore('memory:'))
 * await memory.put(['users', '42'], 'taste', { colour: 'green' })
 * const found = await memory.search(['users'], { filter: { colour: 'green' } })
 * found.map(({ key }) => key) // → ['taste']
 * ```
 */
export class PactMemory extends BaseStore {
  readonly #store: Store
  readonly #contexts: OpenContexts
  readonly #items = new Remembered(itemsIn)

  constructor(store: Store) {
    super()
    this.#store = store
    this.#contexts = new OpenContexts(store)
  }

  /** Reads see the state before the batch; of several puts of a key the last one counts. Puts into one namespace are one commit. */
  override async batch<Ops extends Operation[]>(operations: Ops): Promise<OperationResults<Ops>> {
    const results: unknown[] = []
    const puts = new Map<string, Map<string, PutOperation>>()
    for (const operation of operations as readonly Operation[]) {
      if ('value' in operation) {
        const id = idOf(operation.namespace)
        const others = puts.get(id) ?? new Map<string, PutOperation>()
        puts.set(id, others.set(operation.key, operation))
        results.push(undefined)
      } else if ('namespacePrefix' in operation) results.push(await this.#search(operation))
      else if ('key' in operation) results.push(await this.#get(operation))
      else results.push(await this.#namespaces(operation))
    }
    for (const [id, of] of puts)
      await this.#contexts.change(id, (ctx) => put(ctx, this.#items.of(ctx), [...of.values()]))
    return results as OperationResults<Ops>
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const found = (await this.#itemsOf(idOf(namespace))).get(key)
    return found === undefined ? null : asItem(namespace, key, found)
  }

  async #search({ namespacePrefix, filter = {}, limit = LIMIT, offset = 0, query }: SearchOperation): Promise<Item[]> {
    if (query !== undefined)
      throw invalid('query', 'PactMemory has no index of meanings; search with filter, and without query.')
    const found: Item[] = []
    for (const namespace of await this.#all(namespacePrefix)) {
      for (const [key, item] of await this.#itemsOf(idOf(namespace))) {
        if (Object.entries(filter).every(([name, wanted]) => fits(item.value[name], wanted)))
          found.push(asItem(namespace, key, item))
        if (found.length >= offset + limit) return found.slice(offset)
      }
    }
    return found.slice(offset)
  }

  async #namespaces({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): Promise<string[][]> {
    const found = new Map<string, string[]>()
    for (const namespace of await this.#all([])) {
      const isWanted = matchConditions.every(({ matchType, path }) => {
        const from = matchType === 'prefix' ? 0 : namespace.length - path.length
        return from >= 0 && path.every((part, at) => part === '*' || part === namespace[from + at])
      })
      const cut = namespace.slice(0, maxDepth)
      if (isWanted && (await this.#itemsOf(idOf(namespace))).size > 0) found.set(JSON.stringify(cut), cut)
    }
    return [...found.values()].slice(offset, limit === undefined ? undefined : offset + limit)
  }

  /** Namespaces that begin with these parts, in the order of their ids. */
  async #all(prefix: readonly string[]): Promise<readonly string[][]> {
    const start = PREFIX + prefix.map(encodeURIComponent).join('/')
    const found: string[][] = []
    for (let after: string | undefined = PREFIX; after !== undefined;) {
      const page: Awaited<ReturnType<Store['list']>> = await this.#store.list({ after })
      const ids = page.contexts.map(({ id }) => id).filter((id) => id.startsWith(PREFIX))
      for (const id of ids) {
        if (prefix.length === 0 || id === start || id.startsWith(`${start}/`))
          found.push(id.slice(PREFIX.length).split('/').map(decodeURIComponent))
      }
      after = ids.length < page.contexts.length ? undefined : page.next
    }
    return found
  }

  async #itemsOf(id: string): Promise<Items> {
    return (await this.#contexts.read(id, (ctx) => this.#items.of(ctx))) ?? new Map()
  }
}

type Kept = Readonly<{ value: Readonly<Record<string, JsonValue>>; created: number; updated: number }>
type Items = ReadonlyMap<string, Kept>

function itemsIn(ctx: StoredContext): Items {
  const items = new Map<string, Kept>()
  for (const { attributes } of ctx.nodes('^sys .item')) {
    const { data_key: key, data_value: value, data_created: created, data_updated: updated } = attributes
    if (typeof key !== 'string' || !isRecord(value) || typeof created !== 'number' || typeof updated !== 'number')
      continue
    items.set(key, { value, created, updated })
  }
  return items
}

function put(ctx: StoredContext, before: Items, operations: readonly PutOperation[]): void {
  const now = Date.now()
  for (const { key, value } of operations) {
    const id = `langgraph:item:${key}`
    if (value !== null) {
      ctx.system.put(id, undefined, {
        nodeType: 'item',
        children: [],
        data_key: key,
        data_value: copyJson(value),
        data_created: before.get(key)?.created ?? now,
        data_updated: now,
      })
    } else if (before.has(key)) ctx.system.delete(sel`#${id}`)
  }
}

function asItem(namespace: readonly string[], key: string, { value, created, updated }: Kept): Item {
  const [createdAt, updatedAt] = [new Date(created), new Date(updated)]
  return { namespace: [...namespace], key, value: structuredClone(value), createdAt, updatedAt }
}

function idOf(namespace: readonly string[]): string {
  return PREFIX + namespace.map(encodeURIComponent).join('/')
}

/** A value, or an object of operators such as `{ $gt: 3 }`. */
function fits(value: unknown, wanted: unknown): boolean {
  const isOperators = isRecord(wanted) && Object.keys(wanted).some((name) => name.startsWith('$'))
  if (!isOperators) return value === wanted
  return Object.entries(wanted).every(([name, other]) => {
    const compare = OPERATORS[name]
    if (compare === undefined) throw invalid('filter', `There is no operator ${name} for a filter.`)
    return compare(value, other)
  })
}

const OPERATORS: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  $eq: (a, b) => a === b,
  $ne: (a, b) => a !== b,
  $gt: (a, b) => Number(a) > Number(b),
  $gte: (a, b) => Number(a) >= Number(b),
  $lt: (a, b) => Number(a) < Number(b),
  $lte: (a, b) => Number(a) <= Number(b),
  $in: (a, b) => Array.isArray(b) && b.includes(a),
  $nin: (a, b) => !Array.isArray(b) || !b.includes(a),
}
