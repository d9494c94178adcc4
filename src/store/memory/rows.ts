// Rows in memory: for tests, and for contexts that need not outlive the process. Bytes are copied in and out, so that
// callers cannot change stored data.

import { compareText } from '../../core/index.js'
import { storeFault } from '../fault.js'
import type { ContextKey, ContextRow } from '../rows.js'
import { PLAIN } from '../sql/cells.js'
import {
  bytesOf,
  isPlus,
  isRange,
  KEYS,
  play,
  ROLLBACK,
  select,
  update,
  type Changes,
  type NewRow,
  type Query,
  type Range,
  type Result,
  type Table,
  type Value,
  type Where,
  type Work,
} from '../sql/query.js'
import { SqlRows, type TakenName } from '../sql/rows.js'

/** No work of ours yields SQL. */
type StoredQuery = Exclude<Query, { kind: 'sql' }>

/** Rows of one context or family, by the rest of their key. */
type Group = Map<string, NewRow>

export class MemoryRows extends SqlRows {
  readonly name = 'memory:'
  protected readonly cells = PLAIN
  readonly #tables = new Map<Table, Map<Value, Group>>()
  #lastNumber = 0
  /** Takes back what the current work has done, in reverse order. */
  #undo: (() => void)[] = []
  /** Increases with every change that a watch reports. */
  #version = 0
  readonly #waiting = new Set<() => void>()

  protected async reading<T>(work: () => Work<T>): Promise<T> {
    return play(work, (query) => this.#run(query as StoredQuery))
  }

  protected async writing<T>(work: () => Work<T>): Promise<T | undefined> {
    this.#undo = []
    try {
      return play(work, (query) => this.#run(query as StoredQuery))
    } catch (error) {
      for (const step of this.#undo.reverse()) step()
      if (error === ROLLBACK) return undefined
      throw error
    }
  }

  #run(query: StoredQuery): Result {
    const { table } = query
    if (query.kind === 'insert') {
      const inserted = query.rows.filter((row) => this.#insert(table, copyOf(row), query.onConflict))
      return { rows: [], count: inserted.length }
    }
    const found = this.#find(table, query.where)
    switch (query.kind) {
      case 'select': {
        const { columns, order, isDescending = false, limit } = query
        if (columns?.[0] === 'count') return { rows: [{ count: found.length }], count: 0 }
        if (order !== undefined) found.sort((a, b) => compare(a[order]!, b[order]!) * (isDescending ? -1 : 1))
        return { rows: found.slice(0, limit).map(copyOf), count: 0 }
      }
      case 'update':
        for (const row of found) this.#set(table, row, copyOf({ ...row, ...changed(row, query.changes) }))
        break
      case 'delete':
        for (const row of found) this.#set(table, row, undefined)
    }
    return { rows: [], count: found.length }
  }

  #find(table: Table, where: Where): NewRow[] {
    const [owner, ...rest] = KEYS[table]
    const groups = this.#groups(table)
    const own = where[owner] as ContextKey | undefined
    if (own === undefined) return [...groups.values()].flatMap((group) => matching(group.values(), where))
    const group: Group = groups.get(own) ?? new Map()
    const isOne = rest.every((name) => where[name] !== undefined && !isRange(where[name]))
    if (!isOne) return matching(group.values(), where)
    const row = group.get(nameOf(table, where as NewRow))
    return row === undefined ? [] : matching([row], where)
  }

  #groups(table: Table): Map<Value, Group> {
    let groups = this.#tables.get(table)
    if (groups === undefined) this.#tables.set(table, (groups = new Map()))
    return groups
  }

  /** False if the row exists and stays. */
  #insert(table: Table, row: NewRow, onConflict: 'fail' | 'ignore' | 'replace'): boolean {
    const isThere = this.#groups(table).get(row[KEYS[table][0]]!)?.has(nameOf(table, row)) === true
    if (isThere && onConflict === 'fail') throw storeFault('A row was written twice.', 'failed', { reason: 'driver' })
    if (isThere && onConflict === 'ignore') return false
    this.#set(table, row, row)
    return true
  }

  /** Replaces the row with the key of `row`, or deletes it. */
  #set(table: Table, row: NewRow, next: NewRow | undefined): void {
    const groups = this.#groups(table)
    const owner = row[KEYS[table][0]]!
    let group = groups.get(owner)
    if (group === undefined) groups.set(owner, (group = new Map()))
    const name = nameOf(table, row)
    const before = group.get(name)
    const put = (value: NewRow | undefined): unknown =>
      value === undefined ? group.delete(name) : group.set(name, value)
    put(next)
    if (group.size === 0) groups.delete(owner)
    this.#undo.push(() => {
      put(before)
      if (group.size > 0) groups.set(owner, group)
      else groups.delete(owner)
    })
  }

  // ---- Names and numbers

  async find(id: string): Promise<ContextRow | undefined> {
    return (await this.reading(() => this.contexts({ id: bytesOf(id) })))[0]
  }

  async list(after: string | undefined, limit: number): Promise<readonly ContextRow[]> {
    const all = await this.reading(() => this.contexts({}))
    const rest = all.filter(({ id }) => after === undefined || compareText(id, after) > 0)
    return rest.sort((a, b) => compareText(a.id, b.id)).slice(0, limit)
  }

  protected freshKey(): undefined {}

  protected *takeName(id: string): Work<TakenName | undefined> {
    if ((yield* select('contexts', ['ctx'], { id: bytesOf(id) })).length > 0) return undefined
    this.#undo.push(() => this.#lastNumber--)
    return { ctx: ++this.#lastNumber, isMade: false }
  }

  protected *releaseName(): Work<void> {}

  protected *countAttempt(ctx: ContextKey): Work<NewRow | undefined> {
    yield* update('contexts', { attempts: { plus: 1 } }, { ctx })
    const [context] = yield* select('contexts', ['attempts'], { ctx })
    return context && { seq: Number(context['attempts']) }
  }

  async scrub(family: ContextKey, upTo?: number): Promise<readonly string[]> {
    await this.writing(() => this.finishAudit(family, upTo))
    return []
  }

  // ---- Watches

  async changed(since: string | undefined, _every: number, signal: AbortSignal): Promise<string> {
    while (since === String(this.#version) && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        this.#waiting.add(wake)
        signal.addEventListener('abort', wake)
      })
    }
    return String(this.#version)
  }

  protected notify(): void {
    this.#version++
    for (const wake of this.#waiting) wake()
  }

  async check(): Promise<readonly string[]> {
    return []
  }

  async close(): Promise<void> {}
}

/** The key of a row within its group. */
function nameOf(table: Table, row: NewRow): string {
  const [, ...rest] = KEYS[table]
  return rest.map((name) => shown(row[name]!)).join(' ')
}

function shown(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
}

function matching(rows: Iterable<NewRow>, where: Where): NewRow[] {
  const conditions = Object.entries(where).filter(([, value]) => value !== undefined)
  return [...rows].filter((row) => conditions.every(([name, value]) => fits(row[name]!, value)))
}

function fits(cell: Value, value: Value | Range | undefined): boolean {
  if (!isRange(value)) return cell === value || (cell !== null && compare(cell, value!) === 0)
  const { from = -Infinity, to = Infinity } = value
  return Number(cell) >= from && Number(cell) <= to
}

function compare(a: Value, b: Value): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return a === b ? 0 : Number(a) - Number(b)
}

function changed(row: NewRow, changes: Changes): NewRow {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => [name, isPlus(value) ? Number(row[name]) + value.plus : value!]),
  )
}

/** A copy with its own bytes. `Buffer.slice` would share them. */
function copyOf(row: NewRow): NewRow {
  const copies = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? new Uint8Array(value) : value,
  ])
  return Object.fromEntries(copies) as NewRow
}
