// The provider calls of the cycles in a timeline. A call sent a snapshot, or the open cycle: then it has figures of its own. Each is compared
// with the call before it, and so is a snapshot.

import { reportSource, sentLens } from '../context/index.js'
import { PactError } from '../errors/index.js'
import type { AttemptRecord, Column, Figures, Send } from '../api/index.js'
import { cycleFacts, type CycleFacts, type FactsOptions } from '../reports/index.js'
import type { Lens } from '../core/index.js'
import { FORMAT_NAMES, type FormatName } from '../formats/index.js'
import type { ContextState } from '../store/index.js'
import { shortCause } from './cycle-words.js'
import { nameOfLook, optionsFor, type Bounds, type Look } from './cycles.js'
import { sentIn } from './sent-in.js'
import type { ContextPool, OpenContext } from './pool.js'

/** The largest number of calls of one cycle in an answer; the newest are kept. */
const MOST = 200
/** The largest length of the cause of a broken prefix. */
const CAUSE = 60

/** The attempts of a context by the cycle whose tree they sent, or that was open. */
export type Sends = ReadonlyMap<number, readonly AttemptRecord[]>

export function sendsOf(attempts: readonly AttemptRecord[]): Sends {
  const sends = new Map<number, AttemptRecord[]>()
  for (const each of attempts) {
    const cycle = sentIn(each)
    const known = sends.get(cycle)
    if (known === undefined) sends.set(cycle, [each])
    else known.push(each)
  }
  return sends
}

/** Columns of cycles from their facts, each against the cycle before it that exists. */
export async function columnsOf(
  pool: ContextPool,
  state: ContextState,
  { first, thinned }: Bounds,
  facts: readonly CycleFacts[],
  sends: Sends,
  look: Look,
): Promise<readonly Column[]> {
  const beforeOf = (cycle: number): number | undefined => (cycle > first ? thinned.previous(cycle - 1) : undefined)
  const isOwn = (cycle: number | undefined): boolean => cycle !== undefined && (sends.get(cycle) ?? []).some(isOpenSend)
  // A column needs more than two snapshots only if an open cycle was sent.
  const special = facts.map(({ cycle }) => cycle).filter((cycle) => isOwn(cycle) || isOwn(beforeOf(cycle)))
  const own = new Map<number, Column>()
  const options = await optionsFor(look)
  const name = `${state.id}\n${state.number} ${state.epoch} ${nameOfLook(look)}`
  const build = (ctx: OpenContext): void => {
    const builder = new ColumnBuilder(ctx, options, { pool, name })
    for (const cycle of special) {
      const before = beforeOf(cycle)
      const last = before === undefined ? undefined : builder.last(before, sends)
      if (!own.has(cycle)) own.set(cycle, builder.column(cycle, sends.get(cycle) ?? [], last))
    }
  }
  if (special.length > 0) await withPast(pool, state.id, beforeOf(special[0]!) ?? special[0]!, special.at(-1)!, build)
  return facts.map((each) => own.get(each.cycle) ?? columnOf(each, plainSends(each.cycle, sends)))
}

/** Others may commit in between, and an open context keeps only its newest snapshots; then the context is opened again. */
export async function withPast<T>(
  pool: ContextPool,
  id: string,
  from: number,
  to: number,
  work: (ctx: OpenContext) => T,
): Promise<T> {
  try {
    return work(await pool.past(id, from, to))
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_HISTORY_NOT_LOADED') throw error
    return work(await pool.past(id, from, to))
  }
}

/** The column of the open cycle, against the last call, with the calls that sent the open cycle. */
export function openColumn(ctx: OpenContext, sends: Sends, options: FactsOptions): Column {
  const builder = new ColumnBuilder(ctx, options)
  const newest = ctx.cycle - 1
  const before = newest === 0 ? undefined : builder.last(newest, sends)
  const column = builder.column(ctx.cycle, sends.get(ctx.cycle) ?? [], before, sentLens(ctx))
  return { ...column, cycle: ctx.cycle, open: true }
}

class ColumnBuilder {
  readonly #ctx: OpenContext
  readonly #options: FactsOptions
  /** The cache of facts, and the prefix of their keys; facts of the open cycle are not cached. */
  readonly #memory: Readonly<{ pool: ContextPool; name: string }> | undefined

  constructor(ctx: OpenContext, options: FactsOptions, memory?: Readonly<{ pool: ContextPool; name: string }>) {
    this.#ctx = ctx
    this.#options = options
    this.#memory = memory
  }

  /** The lens of the tree that the last call of a cycle sent; the snapshot if there was no call, or its tree is unknown. */
  last(cycle: number, sends: Sends): Lens {
    const record = sends.get(cycle)?.at(-1)
    return record !== undefined && isOpenSend(record) && this.#isKnown(record) ? lensOf(record) : `@c${cycle}`
  }

  column(cycle: number, records: readonly AttemptRecord[], first: Lens | undefined, own: Lens = `@c${cycle}`): Column {
    let before = first
    let snapshot: CycleFacts | undefined
    const calls: Send[] = []
    for (const record of records) {
      if (!isOpenSend(record)) {
        snapshot ??= this.#facts(own, before)
        calls.push({ ...aboutCall(record), sent: 'snapshot' })
        before = own
      } else if (this.#isKnown(record)) {
        calls.push({ ...aboutCall(record), sent: 'open', figures: figuresOf(this.#facts(lensOf(record), before)) })
        before = lensOf(record)
      } else calls.push({ ...aboutCall(record), sent: 'untold' })
    }
    return columnOf(snapshot ?? this.#facts(own, before), calls.slice(-MOST))
  }

  #facts(lens: Lens, before: Lens | undefined): CycleFacts {
    const name = `${this.#memory?.name} ${lens} ${before ?? ''}`
    const known = this.#memory?.pool.cycles.get(name)
    if (known !== undefined) return known
    const facts = cycleFacts(reportSource(this.#ctx), lens, before, this.#options)
    this.#memory?.pool.cycles.set(name, facts)
    return facts
  }

  /** True if the record gives the tree again. */
  #isKnown(record: AttemptRecord): boolean {
    if (record.adapter === undefined) return false
    const known = KNOWN.get(record)
    if (known !== undefined) return known
    const isKnown = this.#canRead(record)
    KNOWN.set(record, isKnown)
    return isKnown
  }

  #canRead(record: AttemptRecord): boolean {
    try {
      return this.#ctx.snapshot(lensOf(record)).cycle === record.cycle_id
    } catch (error) {
      if (PactError.is(error) && (error.code === 'E_CONFLICT' || error.code === 'E_SNAPSHOT_NOT_FOUND')) return false
      throw error
    }
  }
}

/** A record that changes, or loses something to an erasure, is a new object. */
const KNOWN = new WeakMap<AttemptRecord, boolean>()

function isOpenSend({ lens }: AttemptRecord): boolean {
  return lens === 'working' || lens === 'preview'
}

function lensOf({ attempt_id: id }: AttemptRecord): Lens {
  return id
}

function plainSends(cycle: number, sends: Sends): readonly Send[] {
  const records = (sends.get(cycle) ?? []).slice(-MOST)
  return records.map((record) => ({ ...aboutCall(record), sent: 'snapshot' }))
}

function aboutCall(record: AttemptRecord): Omit<Send, 'sent'> {
  const { attempt_id: attempt, status, reported, token_in: input } = record
  const format = formatOfCall(record)
  const read = reported?.cacheRead
  return {
    attempt,
    status,
    ...(format === undefined ? {} : { format }),
    ...(read === undefined || input === null ? {} : { billed: { input, read } }),
  }
}

/** The format of a call's request: that of its adapter, else the usual one of its provider. */
export function formatOfCall({ adapter, provider }: AttemptRecord): FormatName | undefined {
  const name = adapter ?? (provider === 'openai' ? 'openai-chat' : provider)
  return FORMAT_NAMES.find((each) => each === name)
}

function columnOf(facts: CycleFacts, sends: readonly Send[]): Column {
  return { cycle: facts.cycle, ...figuresOf(facts), sends }
}

function figuresOf({ cycle, items, bytes, tokens, runs, groups, causes, prefix }: CycleFacts): Figures {
  const first = prefix?.first
  return {
    items,
    bytes,
    tokens,
    runs,
    ...(groups === undefined ? {} : { groups }),
    causes: notableCauses(causes),
    prefix: {
      tokens: prefix?.tokens ?? 0,
      broken: first !== undefined,
      ...(first === undefined ? {} : { node: first.node, cause: shortCause(first, cycle).slice(0, CAUSE) }),
    },
  }
}

/** Causes other than `created`, which every commit has. */
export function notableCauses(causes: CycleFacts['causes']): CycleFacts['causes'] {
  return Object.fromEntries(Object.entries(causes).filter(([cause]) => cause !== 'created'))
}
