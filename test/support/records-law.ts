// The records of a context, and the context that was never closed: however it is kept, it is made again the same.

import { PactError, type Context, type ContextOptions, type Lens } from 'pact-context'
import { expect, vi } from 'vitest'

import { Context as ContextClass } from '../../src/context/index.js'
import { historyOf, prepareCommit, type WrittenRecord } from '../../src/context/persistence.js'
import { clockOf } from '../oracle/editing-arbitrary.js'
import { textOf, walk } from './context.js'
import { playEdited, type Call, type EditedProgram } from './edited.js'
import { callContext, type Outcome } from './editing-law.js'
import { playExpand } from './expanding.js'
import { compareExplanations, compareLives } from './known-part.js'
import { expectSame } from './same.js'
import { readCommit, writeCommit, type WrittenRow } from './written.js'

/** The way in which a context is kept, but for its commits, and made again. */
export type Way<Kept> = Readonly<{
  /** A context as its open cycle began. */
  keep: (ctx: Context) => Kept
  /** A context at the oldest snapshot that it has; how later cycles began is in no record of it. */
  keepOldest: (ctx: Context) => Kept
  restore: (kept: Kept, records: readonly WrittenRecord[], options: ContextOptions) => Context
}>

/** The rows of one context in a store. */
type Written<Kept> = { readonly checkpoints: { kept: Kept; records: number }[]; readonly records: WrittenRow[] }

/** The rows that a context is made again from. */
type Beginning<Kept> = Readonly<{ kept: Kept; records: readonly WrittenRow[] }>

/** The same context, made again after the last commit, with the same calls since. */
type Twin = { readonly ctx: Context; holds: (() => void)[] }

export type Told = Record<'exact' | 'partly' | 'followed' | 'unwritten' | 'expanded' | 'skipped', number>

/** One program, with a context made again after every commit and kept as its twin until the next. */
export class Law<Kept> {
  readonly #way: Way<Kept>
  readonly #program: EditedProgram
  readonly #history: number | undefined
  readonly #picks: readonly number[]
  readonly #told: Told
  #picked = 0
  /** The number of readings of the clock. */
  #readings = 0
  /** The records that each context has written, and the last one of each. */
  readonly #written = new Map<Context, Written<Kept>>()
  readonly #last = new Map<Context, WrittenRow>()
  #twin: Twin | undefined
  #held: { id: string; isHeld: boolean }[] = []
  /** The answer of the twin to an expand that its original is asked for next. */
  #expanded: Outcome | undefined

  constructor(
    way: Way<Kept>,
    program: EditedProgram,
    history: number | undefined,
    picks: readonly number[],
    told: Told,
  ) {
    this.#way = way
    this.#program = program
    this.#history = history
    this.#picks = picks
    this.#told = told
  }

  run(): Readonly<Record<string, number>> {
    const { ticks } = this.#program
    const clock = clockOf(ticks)
    const counted = (): bigint => {
      this.#readings++
      return clock()
    }
    this.#watchCommits()
    const { done } = playEdited(
      this.#program,
      {
        before: (ctx, call) => this.#before(ctx, call),
        skips: (ctx, call) => this.#skips(ctx, call),
        after: ({ ctx, call, outcome }) => this.#after(ctx, call, outcome),
      },
      { clock: counted, ...this.#given() },
    )
    vi.restoreAllMocks()
    return done
  }

  /** Facts that the program does not state; read off it. */
  #given(): ContextOptions {
    const { length } = this.#program.steps
    return {
      history: this.#history,
      emptySegments: length % 3 === 0 ? 'remove' : 'keep',
      ids: length % 4 === 0 ? ({ cycle, index }) => `${index}@${cycle}` : undefined,
    }
  }

  #pick(among: number): number {
    return this.#picks[this.#picked++ % this.#picks.length]! % among
  }

  /** Every commit is written down between working it out and showing it, as a store does. */
  #watchCommits(): void {
    const last = this.#last
    vi.spyOn(ContextClass.prototype, 'commit').mockImplementation(function (this: Context) {
      const parts = ContextClass.partsOf(this)
      const before = textOf(this.export('working'))
      if (this.cycle % 3 === 0) {
        prepareCommit(parts).discard()
        expect(textOf(this.export('working'))).toBe(before)
      }
      const pending = prepareCommit(parts)
      const bytes = writeCommit(pending.record(), parts.timeline)
      expect(textOf(this.export('working'))).toBe(before)
      expect(() => this.user('too soon')).toThrow(PactError)
      last.set(this, bytes)
      return pending.publish()
    })
  }

  #before(ctx: Context, call: Call): void {
    if (!this.#written.has(ctx)) this.#writtenOf(ctx)
    if (call.do !== 'commit' || this.#twin === undefined) return
    expect(textOf(this.#twin.ctx.export('working'))).toBe(textOf(ctx.export('working')))
    expect(this.#twin.ctx.operations()).toEqual(ctx.operations())
  }

  /** The twin is asked to expand first: only one that has fewer snapshots may lack the one that this needs. */
  #skips(ctx: Context, call: Call): boolean {
    if (call.do !== 'expand' || this.#twin === undefined) return false
    const { outcome, lacking } = playExpand(this.#twin.ctx, call)
    this.#expanded = outcome
    if (lacking === undefined) return false
    const [live, twins] = [ctx, this.#twin.ctx].map((each) => each.snapshots().map(({ cycle }) => cycle))
    expect(twins).not.toContain(lacking.cycle)
    if (!live!.includes(lacking.cycle)) return false
    this.#told.skipped++
    return true
  }

  #after(ctx: Context, call: Call, outcome: object): void {
    if (call.do === 'fork' || call.do === 'import') {
      // A new context begins, and the twin is left behind with the old one.
      this.#held = []
      this.#twin = undefined
      this.#writtenOf(ctx)
      this.#makeAgain(ctx)
      return
    }
    const { holds } = this.#twin ?? {}
    if (this.#twin !== undefined) {
      expect(call.do === 'expand' ? this.#expanded : callContext(this.#twin.ctx, call, holds!)).toEqual(outcome)
      if (call.do === 'expand' && !('code' in outcome)) this.#told.expanded++
      this.#told.followed++
    }
    if (call.do === 'hold' && !('code' in outcome)) this.#held.push({ id: call.id, isHeld: true })
    if (call.do === 'release' && this.#held.length > 0) this.#held[call.pick % this.#held.length]!.isHeld = false
    if (call.do !== 'commit' || 'code' in outcome) return
    const written = this.#writtenOf(ctx)
    const record = this.#last.get(ctx)!
    if (this.#twin !== undefined) expectSame(this.#last.get(this.#twin.ctx), record)
    written.records.push(record)
    // The twin's copy is as good.
    for (const each of this.#twin === undefined ? [ctx] : [ctx, this.#twin.ctx]) {
      written.checkpoints.push({ kept: this.#way.keep(each), records: written.records.length })
    }
    this.#makeAgain(ctx)
  }

  #writtenOf(ctx: Context): Written<Kept> {
    let written = this.#written.get(ctx)
    if (written === undefined) {
      written = { checkpoints: [{ kept: this.#way.keep(ctx), records: 0 }], records: [] }
      this.#written.set(ctx, written)
    }
    return written
  }

  #makeAgain(ctx: Context): void {
    const isUnwritten = this.#pick(3) === 0
    const { kept, records } = isUnwritten ? this.#keptBy(ctx) : this.#sinceSome(ctx)
    const decoded = records.map(
      (record): WrittenRecord =>
        (before) =>
          readCommit(record, before),
    )
    const twin = this.#way.restore(kept, decoded, this.#options(ctx))
    if (isUnwritten) {
      this.#told.unwritten++
      expect(twin.snapshots()).toEqual(ctx.snapshots())
      expect(leftOutIn(twin)).toEqual(leftOutIn(ctx))
    }
    this.#twin = { ctx: twin, holds: this.#held.map(({ id, isHeld }) => holdAgain(twin, id, isHeld)) }
    this.#compare(ctx, twin)
  }

  /** A checkpoint of some earlier cycle, and what was written since. */
  #sinceSome(ctx: Context): Beginning<Kept> {
    const { checkpoints, records } = this.#writtenOf(ctx)
    const { kept, records: from } = checkpoints[this.#pick(checkpoints.length)]!
    return { kept, records: records.slice(from) }
  }

  /** The past that the context keeps, as if it had never been written down. */
  #keptBy(ctx: Context): Beginning<Kept> {
    const parts = ContextClass.partsOf(ctx)
    const records = Array.from(historyOf(parts).records, (record) => writeCommit(record, parts.timeline))
    return { kept: this.#way.keepOldest(ctx), records }
  }

  #options(ctx: Context): ContextOptions {
    const { odi, prune, ticks } = this.#program
    const clock = clockOf(ticks)
    for (let i = 0; i < this.#readings; i++) clock()
    const countTokens = (text: string): number => text.length
    return { ...this.#given(), id: ctx.id, odi, countTokens, clock, ...(prune ? { prune } : {}) }
  }

  #compare(live: Context, twin: Context): void {
    const cycles = live.snapshots().map(({ cycle }) => cycle)
    const known = twin.snapshots().map(({ cycle }) => cycle)
    expect(known).toEqual(cycles.slice(0, known.length))
    const lenses: Lens[] = [...known.map((cycle): Lens => `@c${cycle}`), 'working']
    // A limit may refuse the next commit.
    const [preview, twins] = [live, twin].map((ctx) => attempt(() => ctx.export('preview')))
    expect(twins).toBe(preview)
    if (preview !== 'E_BUDGET') lenses.push('preview')
    const isExact = known.length === cycles.length
    this.#told[isExact ? 'exact' : 'partly']++
    for (const lens of lenses) {
      expectSame(textOf(twin.export(lens)), textOf(live.export(lens)))
      expectSame(textOf(twin.threadBytes(lens)), textOf(live.threadBytes(lens)))
      expectSame(textOf(twin.referenceBytes(lens)), textOf(live.referenceBytes(lens)))
      expectSame(twin.snapshot(lens).receipt, live.snapshot(lens).receipt)
      // Explaining everything everywhere would take most of the time.
      if (lens.startsWith('@') && lens !== lenses[0] && this.#pick(4) > 0) continue
      if (!isExact) compareExplanations(live, twin, lens)
      else
        for (const { id } of walk(live.snapshot(lens).root)) expectSame(twin.explain(id, lens), live.explain(id, lens))
    }
    for (const [i, lens] of lenses.entries()) {
      const other = lenses[this.#pick(lenses.length)]!
      expectSame(twin.diffDetailed(other, lens), live.diffDetailed(other, lens))
      if (i > 0) expectSame(twin.diffDetailed(lens, lenses[i - 1]!), live.diffDetailed(lens, lenses[i - 1]!))
    }
    const forks = [live, twin].map((ctx) => (known.length === 0 ? ctx.fork('working') : ctx.fork()).id)
    expect(forks[1]).toBe(forks[0])
    if (known.length === 0) return
    const block = live.dialect === '1.0' ? '.block' : '.cb'
    const range = `@c${known.at(-1)}..@c${known[0]} ${block}`
    expect(twin.rangeDiffLatest(range)).toEqual(live.rangeDiffLatest(range))
    if (!isExact) return compareLives(live, twin, known.at(-1)!)
    expect(twin.past).toEqual(live.past)
    expect(twin.select(`@* ${block}`)).toEqual(live.select(`@* ${block}`))
    if (this.#pick(3) > 0) return
    const ids = new Set(cycles.flatMap((cycle) => walk(live.snapshot(`@c${cycle}`).root).map(({ id }) => id)))
    for (const id of ids) expectSame(twin.life(id), live.life(id))
  }
}

function leftOutIn({ warnings }: Context): Context['warnings'] {
  return warnings.filter(({ details }) => details['kind'] === 'schedule-left-out')
}

/** Holds die with the process; here they are taken again, also of a node that another one stands in for meanwhile. */
function holdAgain(ctx: Context, id: string, isHeld: boolean): () => void {
  const hold = ContextClass.partsOf(ctx).holds.take(id)
  if (!isHeld) hold.release()
  return () => hold.release()
}

function attempt(read: () => Uint8Array): string {
  try {
    return textOf(read())
  } catch (error) {
    return (error as PactError).code
  }
}
