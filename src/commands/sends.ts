// The provider calls of the cycles in a timeline. What a call has sent is a snapshot, which says all of it, or what was open at the
// time; then it has figures of its own. Each is told against the send before it, and so is a snapshot (N95).

import { PactError } from '../errors/index.js'
import { cycleFacts, type CycleFacts, type Lens, type PrefixOptions } from '../context/index.js'
import type { ContextState } from '../store/index.js'
import type { AttemptRecord, Column, Figures, FormatName, Send } from './answers.js'
import { sentIn, type Bounds } from './cycles.js'
import type { Desk } from './desk.js'
import { rendererFor } from './formats.js'
import type { OpenContext } from './trial.js'

/** How many calls of one cycle are told, the newest ones. */
const MOST = 200
/** How much is said of what broke a prefix. */
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

/** Columns of cycles whose facts are known, each against the one before it that exists. */
export async function columnsOf(
  desk: Desk,
  state: ContextState,
  { first, thinned }: Bounds,
  facts: readonly CycleFacts[],
  sends: Sends,
  format: FormatName | undefined,
): Promise<readonly Column[]> {
  const beforeOf = (cycle: number): number | undefined => (cycle > first ? thinned.previous(cycle - 1) : undefined)
  const isOwn = (cycle: number | undefined): boolean => cycle !== undefined && (sends.get(cycle) ?? []).some(isOpenSend)
  // Only where something open was sent, a column is about more than two snapshots.
  const special = facts.map(({ cycle }) => cycle).filter((cycle) => isOwn(cycle) || isOwn(beforeOf(cycle)))
  const own = new Map<number, Column>()
  const options = await optionsFor(format)
  const name = `${state.id}\n${state.number} ${state.epoch} ${format ?? ''}`
  const tell = (ctx: OpenContext): void => {
    const teller = new Teller(ctx, options, { desk, name })
    for (const cycle of special) {
      const before = beforeOf(cycle)
      const last = before === undefined ? undefined : teller.last(before, sends)
      if (!own.has(cycle)) own.set(cycle, teller.column(cycle, sends.get(cycle) ?? [], last))
    }
  }
  if (special.length > 0) await withPast(desk, state.id, beforeOf(special[0]!) ?? special[0]!, special.at(-1)!, tell)
  return facts.map((each) => own.get(each.cycle) ?? columnOf(each, plainSends(each.cycle, sends)))
}

/** Others may commit in between, and an open context keeps only its newest snapshots; then it is opened again. */
async function withPast(
  desk: Desk,
  id: string,
  from: number,
  to: number,
  work: (ctx: OpenContext) => void,
): Promise<void> {
  try {
    return work(await desk.past(id, from, to))
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_HISTORY_NOT_LOADED') throw error
    return work(await desk.past(id, from, to))
  }
}

/** What a commit would make now, against the last send, and what was sent of the open cycle already. */
export function openColumn(ctx: OpenContext, sends: Sends, options: PrefixOptions): Column {
  const teller = new Teller(ctx, options)
  const newest = ctx.cycle - 1
  const before = newest === 0 ? undefined : teller.last(newest, sends)
  return { ...teller.column(ctx.cycle, sends.get(ctx.cycle) ?? [], before, 'preview'), open: true }
}

export async function optionsFor(format: FormatName | undefined): Promise<PrefixOptions> {
  const renderer = await rendererFor(format)
  return renderer === undefined ? {} : { for: renderer }
}

class Teller {
  readonly #ctx: OpenContext
  readonly #options: PrefixOptions
  /** Where facts are remembered, and under which name; nothing of an open cycle is. */
  readonly #memory: Readonly<{ desk: Desk; name: string }> | undefined

  constructor(ctx: OpenContext, options: PrefixOptions, memory?: Readonly<{ desk: Desk; name: string }>) {
    this.#ctx = ctx
    this.#options = options
    this.#memory = memory
  }

  /** The lens of what the last call of a cycle has sent; its snapshot, where there was none or nobody knows. */
  last(cycle: number, sends: Sends): Lens {
    const record = sends.get(cycle)?.at(-1)
    return record !== undefined && isOpenSend(record) && this.#isTold(record) ? lensOf(record) : `@c${cycle}`
  }

  column(cycle: number, records: readonly AttemptRecord[], first: Lens | undefined, own: Lens = `@c${cycle}`): Column {
    let before = first
    let snapshot: CycleFacts | undefined
    const told: Send[] = []
    for (const record of records) {
      const { attempt_id: attempt, status } = record
      if (!isOpenSend(record)) {
        snapshot ??= this.#facts(own, before)
        told.push({ attempt, status, sent: 'snapshot' })
        before = own
      } else if (this.#isTold(record)) {
        told.push({ attempt, status, sent: 'open', figures: figuresOf(this.#facts(lensOf(record), before)) })
        before = lensOf(record)
      } else told.push({ attempt, status, sent: 'untold' })
    }
    return columnOf(snapshot ?? this.#facts(own, before), told.slice(-MOST))
  }

  #facts(lens: Lens, before: Lens | undefined): CycleFacts {
    const name = `${this.#memory?.name} ${lens} ${before ?? ''}`
    const known = this.#memory?.desk.cycles.get(name)
    if (known !== undefined) return known
    const facts = cycleFacts(this.#ctx, lens, before, this.#options)
    this.#memory?.desk.cycles.set(name, facts)
    return facts
  }

  /** Whether the record gives the tree again. */
  #isTold(record: AttemptRecord): boolean {
    if (record.structure === undefined) return false
    const known = TOLD.get(record)
    if (known !== undefined) return known
    const isTold = this.#canTell(record)
    TOLD.set(record, isTold)
    return isTold
  }

  #canTell(record: AttemptRecord): boolean {
    try {
      return this.#ctx.snapshot(lensOf(record)).cycle === record.cycle_id
    } catch (error) {
      if (PactError.is(error) && (error.code === 'E_CONFLICT' || error.code === 'E_SNAPSHOT_NOT_FOUND')) return false
      throw error
    }
  }
}

/** A record that changes, or that something was erased from, is another object. */
const TOLD = new WeakMap<AttemptRecord, boolean>()

function isOpenSend({ lens }: AttemptRecord): boolean {
  return lens === 'working' || lens === 'preview'
}

function lensOf({ attempt_id: id }: AttemptRecord): Lens {
  return id as Lens
}

function plainSends(cycle: number, sends: Sends): readonly Send[] {
  const records = (sends.get(cycle) ?? []).slice(-MOST)
  return records.map(({ attempt_id: attempt, status }) => ({ attempt, status, sent: 'snapshot' }))
}

function columnOf(facts: CycleFacts, sends: readonly Send[]): Column {
  return { cycle: facts.cycle, ...figuresOf(facts), sends }
}

function figuresOf({ cycle, items, bytes, tokens, runs, causes, prefix }: CycleFacts): Figures {
  const first = prefix?.first
  return {
    items,
    bytes,
    tokens,
    runs,
    causes: toldCauses(causes),
    prefix: {
      tokens: prefix?.tokens ?? 0,
      broken: first !== undefined,
      ...(first === undefined ? {} : { node: first.node, cause: shortCause(first.cause, first.node, cycle) }),
    },
  }
}

/** Without what the column says already. */
function shortCause(cause: string, node: string, cycle: number): string {
  const about = cause.startsWith(`${node} `) ? cause.slice(node.length + 1) : cause
  return about.replace(` in cycle ${cycle}`, '').slice(0, CAUSE)
}

/** That nodes are new is what commits are for. */
export function toldCauses(causes: CycleFacts['causes']): CycleFacts['causes'] {
  return Object.fromEntries(Object.entries(causes).filter(([cause]) => cause !== 'created'))
}
