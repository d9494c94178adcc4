// The law of the floor (D56): on random programs of every edit, a context whose older snapshots are not loaded gives each
// answer that a context with everything gives, or says that history is not loaded, and nothing else; and it gives the
// answer wherever everything that the question is about is loaded. So it is while older history comes and goes: as a span,
// one snapshot by itself, after opening again, and with commits and forks in between.

import fc from 'fast-check'
import { createContext, type Context, type ContextOptions } from 'pact-context'
import { toOpenAIChat } from 'pact-context/openai'
import { describe, expect, test } from 'vitest'

import { decodeCheckpoint, decodeCommitRecord, encodeCheckpoint, encodeCommitRecord } from '../../src/codec/index.js'
import { Context as ContextClass } from '../../src/context/index.js'
import {
  historyOf,
  historyWanted,
  holdHistory,
  loadAlone,
  loadSpan,
  olderBeginning,
  olderTimeline,
  restoreContext,
  unloadHistory,
} from '../../src/context/persistence.js'
import type { Checkpoint, CommitRecord, NodeRecord } from '../../src/core/index.js'
import { eachRecord, listedSnapshot } from '../../src/timeline/index.js'
import { clockOf } from '../oracle/editing-arbitrary.js'
import { CALL } from '../support/attempts.js'
import { textOf } from '../support/context.js'
import {
  editedPrograms,
  editedRuns,
  expectAllDone,
  playEdited,
  type Call,
  type EditedProgram,
} from '../support/edited.js'
import { callContext, type Outcome } from '../support/editing-law.js'
import { playExpand, type ExpandCall } from '../support/expanding.js'
import { answerOf, isNotLoaded, questions } from '../support/floor.js'
import { expectSame } from '../support/same.js'

describe.each(['1.0', '0.1'] as const)('a context with a floor, in %s', (dialect) => {
  test('answers as one with everything does, or says what is not loaded', () => {
    const runs: Readonly<Record<string, number>>[] = []
    const told: Told = {
      answered: 0,
      refused: 0,
      span: 0,
      one: 0,
      loaded: 0,
      unloaded: 0,
      opened: 0,
      forked: 0,
      expanded: 0,
      lacked: 0,
    }
    const picks = fc.array(fc.nat(9999), { minLength: 20, maxLength: 40 })
    fc.assert(
      fc.property(editedPrograms(dialect, 40), fc.integer({ min: 1, max: 4 }), picks, (program, history, chosen) => {
        runs.push(new Law(withCommits(program), history, chosen, told).run())
      }),
      editedRuns(8),
    )
    if (runs.length < 8) return
    expectAllDone(runs)
    expect(told.answered).toBeGreaterThan(told.refused)
    const { expanded, lacked, ...often } = told
    for (const [name, count] of Object.entries(often)) expect(count, name).toBeGreaterThan(4)
    for (const [name, count] of Object.entries({ expanded, lacked })) expect(count, name).toBeGreaterThan(0)
  })
})

test('a repair says why a result is gone where a loaded snapshot tells, of several the last that went (D48)', () => {
  let now = 0n
  const full = createContext({ clock: () => ++now })
  full.user('go')
  full.assistant({ name: 'f', arguments: {} }, { kind: 'call', data_call_id: 'k' })
  full.tool('one', { kind: 'result', data_call_id: 'k', ttl: 1 })
  const [, , second] = [full.commit(), full.commit(), full.tool('two', { kind: 'result', data_call_id: 'k' })]
  full.commit()
  full.replace(`{ id="${second.id}" }`, { content: 'no result', kind: 'text', data_call_id: null })
  for (let turn = 0; turn < 3; turn++) full.commit()
  const causesIn = (ctx: Context): unknown => toOpenAIChat(ctx, { lens: '@t0' }).repairs.map(({ cause }) => cause)
  expect(causesIn(full)).toContain('superseded')
  const { checkpoint, records } = writtenFrom(full, 1)
  const opened = (history: number): Context =>
    restoreContext(checkpoint, records, { history }, undefined, { isBacked: true })
  expect(causesIn(opened(4))).toEqual(causesIn(full))
  expect(causesIn(opened(1))).not.toContain('superseded')
})

/** The past has to be long for a floor to matter. */
function withCommits(program: EditedProgram): EditedProgram {
  const steps = program.steps.flatMap((step, i) => (i % 3 === 2 ? [step, { do: 'commit' as const }] : [step]))
  return { ...program, steps }
}

type Told = Record<
  'answered' | 'refused' | 'span' | 'one' | 'loaded' | 'unloaded' | 'opened' | 'forked' | 'expanded' | 'lacked',
  number
>

class Law {
  readonly #program: EditedProgram
  readonly #history: number
  readonly #picks: readonly number[]
  readonly #told: Told
  #picked = 0
  #readings = 0
  /** The context with the floor, and what this says is loaded of it. */
  #ctx: Context | undefined
  #floor = 0
  #pinned = Infinity
  #alone = new Set<number>()
  #holds: (() => void)[] = []
  #held: { id: string; isHeld: boolean }[] = []

  constructor(program: EditedProgram, history: number, picks: readonly number[], told: Told) {
    this.#program = program
    this.#history = history
    this.#picks = picks
    this.#told = told
  }

  run(): Readonly<Record<string, number>> {
    const clock = clockOf(this.#program.ticks)
    const counted = (): bigint => {
      this.#readings++
      return clock()
    }
    const watch = {
      after: ({ ctx, call, outcome }: { ctx: Context; call: Call; outcome: object }) => this.#after(ctx, call, outcome),
    }
    const { done, ctx } = playEdited(this.#program, watch, { clock: counted, ...this.#given() })
    if (ctx.snapshots().length === 0) return done
    this.#forkBoth(ctx)
    this.#load(ctx, '@*')
    this.#compare(ctx)
    this.#checkSame()
    return done
  }

  #given(): ContextOptions {
    const { length } = this.#program.steps
    return {
      emptySegments: length % 3 === 0 ? 'remove' : 'keep',
      ids: length % 4 === 0 ? ({ cycle, index }) => `${index}@${cycle}` : undefined,
      attemptClock: () => 1n,
    }
  }

  #pick(among: number): number {
    const drawn = this.#picks[this.#picked % this.#picks.length]! + Math.floor(this.#picked / this.#picks.length) * 7
    this.#picked++
    return drawn % among
  }

  #after(full: Context, call: Call, outcome: object): void {
    if (call.do === 'fork' || call.do === 'import') {
      this.#held = []
      this.#ctx = undefined
    } else if (this.#ctx !== undefined) {
      const { cycle } = this.#ctx
      const ours = call.do === 'expand' ? this.#expand(full, call) : callContext(this.#ctx, call, this.#holds)
      expect(ours, JSON.stringify(call)).toEqual(outcome)
      if (this.#ctx.cycle > cycle)
        this.#floor = Math.max(this.#floor, Math.min(cycle - this.#history + 1, this.#pinned))
      if (this.#ctx.cycle > cycle && cycle === 1) this.#floor = 1
    }
    if (call.do === 'hold' && !('code' in outcome)) this.#held.push({ id: call.id, isHeld: true })
    if (call.do === 'release' && this.#held.length > 0) this.#held[call.pick % this.#held.length]!.isHeld = false
    if ((call.do !== 'commit' && call.do !== 'fork' && call.do !== 'import') || 'code' in outcome) return
    // Only a cycle that has just begun can be opened.
    if (this.#ctx === undefined) this.#open(full)
    this.#act(full)
    // Of most moments a part of the questions is enough.
    this.#compare(full, this.#pick(4) + 3)
    // Before the first snapshot an opened context tells more of its structure than it needs to.
    if (full.snapshots().length === 0 || this.#pick(2) > 0) return
    const started = [full, this.#ctx!].map((ctx) =>
      answerOf(() => ctx.startAttempt({ ...CALL, for: toOpenAIChat }).complete({})),
    )
    expectSame(started[1], started[0])
  }

  /** An expand; it is refused only for a snapshot that is not loaded, and goes through once this is loaded. */
  #expand(full: Context, call: ExpandCall): Outcome {
    let { outcome, lacking } = playExpand(this.#ctx!, call)
    if (lacking?.load !== undefined) {
      const { first } = ContextClass.partsOf(full).timeline.bounds!
      const isLoaded = lacking.cycle >= this.#floor || this.#alone.has(lacking.cycle)
      expect([isLoaded, lacking.cycle >= first]).toEqual([false, true])
      this.#told.lacked++
      this.#load(full, lacking.load)
      ;({ outcome, lacking } = playExpand(this.#ctx!, call))
      expect(lacking).toBeUndefined()
    }
    if (!('code' in outcome)) this.#told.expanded++
    return outcome
  }

  /** Something that changes what is loaded. */
  #act(full: Context): void {
    const { bounds } = ContextClass.partsOf(full).timeline
    if (bounds === undefined) return
    const { first, newest } = bounds
    const cycle = first + this.#pick(newest - first + 1)
    switch (this.#pick(7)) {
      case 0:
        return this.#open(full)
      case 1:
      case 2:
        return this.#load(full, `@c${cycle}`)
      case 3:
        return this.#load(full, `@c${cycle}..@t0`)
      case 4:
        return this.#unload(newest)
      default:
        return undefined
    }
  }

  /** From a checkpoint of some cycle and the records since, with a limit. */
  #open(full: Context): void {
    const parts = ContextClass.partsOf(full)
    const { bounds } = parts.timeline
    const from = bounds && bounds.first + this.#pick(bounds.newest - bounds.first + 1)
    const { checkpoint, records } = writtenFrom(full, from)
    const { odi, prune, ticks } = this.#program
    const clock = clockOf(ticks)
    for (let i = 0; i < this.#readings; i++) clock()
    const countTokens = (text: string): number => text.length
    const options = { ...this.#given(), id: full.id, odi, countTokens, clock, ...(prune ? { prune } : {}) }
    const limited = { ...options, history: this.#history }
    const ctx = restoreContext(checkpoint, records, limited, parts.attempts.kept, { isBacked: true }) as Context
    const { holds } = ContextClass.partsOf(ctx)
    this.#holds = this.#held.map(({ id, isHeld }) => {
      const hold = holds.take(id)
      if (!isHeld) hold.release()
      return () => hold.release()
    })
    this.#ctx = ctx
    this.#floor = bounds === undefined ? 0 : Math.max(from!, bounds.newest - this.#history + 1)
    this.#pinned = Infinity
    this.#alone = new Set()
    this.#told.opened++
  }

  #load(full: Context, lens: string): void {
    const parts = ContextClass.partsOf(this.#ctx!)
    const { kind, from, to } = historyWanted(lens, parts.timeline.bounds)
    this.#told[kind]++
    if (kind === 'loaded') return
    expect(to).toBe(kind === 'one' ? from : this.#floor - 1)
    // A store begins with some earlier checkpoint, and rolls forward.
    const { first } = parts.timeline.bounds!
    const start = kind === 'one' ? first + this.#pick(from - first + 1) : from
    const { checkpoint, records } = writtenFrom(full, start, to)
    const release = holdHistory(parts)
    const older = olderTimeline(parts, olderBeginning(parts, checkpoint.snapshot), records)
    if (kind === 'one') {
      loadAlone(parts, older, from, from === start ? checkpoint.snapshot!.extras : undefined)
      if (from === first && start !== first) throw new Error('There is nothing before the first.')
      this.#alone.add(from)
    } else {
      loadSpan(parts, older, checkpoint.snapshot!.extras)
      this.#floor = this.#pinned = from
      for (const cycle of this.#alone) if (cycle >= from) this.#alone.delete(cycle)
    }
    release()
    this.#checkSame()
  }

  #unload(newest: number): void {
    unloadHistory(ContextClass.partsOf(this.#ctx!))
    this.#told.unloaded++
    this.#pinned = Infinity
    this.#alone = new Set()
    this.#floor = Math.max(this.#floor, newest - this.#history + 1)
  }

  #compare(full: Context, every: number = 1): void {
    const ctx = this.#ctx!
    const { bounds } = ContextClass.partsOf(ctx).timeline
    if (bounds !== undefined) expect(bounds.oldest).toBe(this.#floor)
    const loaded = { floor: this.#floor, alone: this.#alone }
    for (const { name, isLoaded, ask, known } of questions(full, loaded, (among) => this.#pick(among))) {
      if (every > 1 && this.#pick(every) > 0) continue
      const ours = answerOf(() => ask(ctx))
      if (isNotLoaded(ours)) {
        expect(isLoaded, `${name}, above ${this.#floor}: ${JSON.stringify(ours)}`).toBe(false)
        const { cycle, oldest, newest } = ours.details
        expect([oldest, newest]).toEqual([bounds!.oldest, bounds!.newest])
        expect(cycle, name).toBeGreaterThanOrEqual(bounds!.first)
        expect(cycle, name).toBeLessThan(bounds!.oldest)
        this.#told.refused++
        continue
      }
      const right = answerOf(() => ask(full))
      const isWhole = this.#floor === bounds?.first
      expectSame(ours, known === undefined || isWhole ? right : known(right, ours), `${name}, above ${this.#floor}`)
      this.#told.answered++
    }
  }

  /** Forks at a snapshot that can be read go on alike. */
  #forkBoth(full: Context): void {
    const readable = [...this.#alone]
    for (let cycle = this.#floor; cycle < full.cycle; cycle++) readable.push(cycle)
    const cycle = readable[this.#pick(readable.length)]!
    const forks = [full, this.#ctx!].map((ctx) => ctx.fork(`@c${cycle}`))
    for (let i = 0; i < 3; i++) {
      const told = forks.map((fork) => {
        fork.user(`turn ${i}`, { ttl: 2 })
        const next = answerOf(() => fork.diffDetailed('@t0', 'preview'))
        const done = answerOf(() => fork.commit().receipt)
        return [fork.id, next, done, textOf(fork.export()), textOf(fork.export('working'))]
      })
      expectSame(told[1], told[0])
      this.#told.forked++
    }
  }

  /** One version of a node is one object, wherever it came from. */
  #checkSame(): void {
    const { timeline } = ContextClass.partsOf(this.#ctx!)
    const versions = new Map<string, NodeRecord>()
    const look = (record: NodeRecord): void => {
      const name = `${record.born} ${record.id}`
      if (versions.has(name) && versions.get(name) !== record) expect.fail(`${name} is there twice.`)
      versions.set(name, record)
      if (timeline.known(record.id, record.born) !== record) expect.fail(`${name} is not known.`)
    }
    for (const cycle of [...this.#alone, ...range(timeline.oldest!, timeline.newest!)]) {
      const { root, regions } = timeline.holding(cycle)!.treeAt(cycle)!
      look(root)
      for (const region of regions) eachRecord(region, look)
      for (const version of timeline.holding(cycle)!.changesAt(cycle)) if ('content' in version) look(version)
    }
  }
}

function* range(from: number, to: number): Generator<number, void, undefined> {
  for (let cycle = from; cycle <= to; cycle++) yield cycle
}

/** The rows of a context from some cycle on, through bytes: no object of it is one of the context's. */
function writtenFrom(
  full: Context,
  from: number | undefined,
  to: number = Infinity,
): Readonly<{ checkpoint: Checkpoint; records: readonly CommitRecord[] }> {
  const parts = ContextClass.partsOf(full)
  const { checkpoint, records } = historyOf(parts)
  const snapshot =
    from === undefined
      ? undefined
      : { ...listedSnapshot(parts.timeline, from), extras: parts.home.edition.extrasAt(from) }
  const isNewest = from === parts.timeline.newest
  const opening = isNewest ? ([...records].at(-1)?.opening ?? checkpoint.opening) : undefined
  const written = from === undefined ? checkpoint : { ...checkpoint, snapshot, opening }
  return {
    checkpoint: decodeCheckpoint(encodeCheckpoint(written)),
    records: [...records]
      .filter(({ cycle }) => cycle > (from ?? 0) && cycle <= to)
      .map((record) => decodeCommitRecord(encodeCommitRecord(record))),
  }
}
