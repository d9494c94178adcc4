// The law of stores: a context that is stored, and opened again at any of its commits, is the one that was never closed. The
// same program is played on a context in memory and in the stores, with forks, imports, attempts and batches; each call has
// the same outcome, and after commits all that can be asked is answered the same, to the byte. Where only a part of the past is loaded, that
// answers what it can, and says E_HISTORY_NOT_LOADED to the rest until it is loaded.

import fc from 'fast-check'
import { createContext, importSnapshot, PactError, type Attempt, type Context, type ContextOptions } from 'pact-context'
import { toAnthropic } from 'pact-context/anthropic'
import { toOpenAIChat } from 'pact-context/openai'
import { Store, type OpenOptions, type Rows, type StoredContext } from 'pact-context/store'
import type { Place } from 'pact-context/testing'
import { describe, expect, test } from 'vitest'

import { ContextEdits } from '../../src/context/persistence.js'
import type { AnyContext } from '../../src/context/index.js'
import { eachRecord, type Timeline } from '../../src/timeline/index.js'
import { clockOf } from '../oracle/editing-arbitrary.js'
import { answer, compareContexts } from '../support/compare-contexts.js'
import { textOf } from '../support/context.js'
import {
  callFor,
  editedPrograms,
  editedRuns,
  expectAllDone,
  treeOf,
  type Call,
  type EditedProgram,
} from '../support/edited.js'
import { callContext, type Outcome } from '../support/editing-law.js'
import { playExpand, type ExpandCall } from '../support/expanding.js'
import { answerOf, isNotLoaded, questions } from '../support/floor.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { postgresPlace, sharedServer } from '../support/postgres.js'
import { isWider } from '../support/runs.js'
import { expectSame } from '../support/same.js'

/** 100 programs in all; every third is played in memory and SQLite, the others in one or the other; every fifth in PostgreSQL too. */
const PROGRAMS = 50
/** Their greatest length; comparing after each commit costs the square of it. */
const STEPS = isWider() ? 24 : 14
/** The number of snapshots that the stored contexts of a program have in memory. */
const HISTORIES = ['all', 1, 'all', 2, 'all', 3, 'all'] as const
/** The result for a caller without this option, as one program in a few has none. */
const DEFAULT = 50
const UNSAID = 25
/** A manifest after every second commit, so that `fsck` compares what was edited with what was stored. */
const SIZES = { packed: 4, tail: 8, manifest: 2 }
type History = (typeof HISTORIES)[number] | undefined

const { server, why } = await sharedServer()
const without = why === undefined ? '' : ` (without PostgreSQL: ${why})`

describe.each(['1.0', '0.1'] as const)(`stores, in %s${without}`, (dialect) => {
  test('a context that is opened again is the one that was never closed', async () => {
    const runs: Readonly<Record<string, number>>[] = []
    const told: Told = {
      reopened: 0,
      attempts: 0,
      requests: 0,
      batches: 0,
      keys: 0,
      checked: 0,
      answered: 0,
      refused: 0,
      loaded: 0,
      expanded: 0,
      lacked: 0,
    }
    const places: Place<Rows>[] = [memoryPlace(), sqlitePlace({ durability: 'relaxed' })]
    if (server !== undefined) places.push(postgresPlace(server.url), postgresPlace(server.url, { routed: true }))
    const stores = await Promise.all(places.map((place) => Backend.open(place)))
    const picks = fc.array(fc.nat(999), { minLength: 20, maxLength: 40 })
    try {
      await fc.assert(
        fc.asyncProperty(editedPrograms(dialect, STEPS), picks, async (program, chosen) => {
          const name = `program ${runs.length}`
          const some = stores.filter((_, i) => (i === 2 ? runs.length % 5 === 0 : runs.length % 3 !== i))
          const history = runs.length % UNSAID === 3 ? undefined : HISTORIES[runs.length % HISTORIES.length]
          runs.push(await new Law(program, name, some, chosen, told, history).run())
        }),
        editedRuns(PROGRAMS),
      )
    } finally {
      for (const store of stores) await store.end()
    }
    expectAllDone(runs)
    if (runs.length < PROGRAMS) return
    const { lacked, ...often } = told
    for (const [what, count] of Object.entries(often)) expect(count, what).toBeGreaterThan(16)
    expect(lacked).toBeGreaterThan(0)
  })
})

type Told = Record<
  | 'reopened'
  | 'attempts'
  | 'requests'
  | 'batches'
  | 'keys'
  | 'checked'
  | 'answered'
  | 'refused'
  | 'loaded'
  | 'expanded'
  | 'lacked',
  number
>

/** A database, and the store that is open on it now. */
class Backend {
  readonly #place: Place<Rows>
  store: Store

  private constructor(place: Place<Rows>, store: Store) {
    this.#place = place
    this.store = store
  }

  static async open(place: Place<Rows>): Promise<Backend> {
    return new Backend(place, new Store(await place.open(), SIZES))
  }

  async reopen(): Promise<void> {
    await this.store.close()
    this.store = new Store(await this.#place.open(), SIZES)
  }

  async end(): Promise<void> {
    await this.store.close()
    await this.#place.end?.()
  }
}

/** The number of times that the clocks of a context were read. */
type Clocks = { nodes: number; attempts: number }

/** The program's context in one of the stores. */
type Side = {
  readonly backend: Backend
  ctx: StoredContext
  clocks: Clocks
  holds: (() => void)[]
  /** The cycles of snapshots that were loaded by name, one by one. */
  alone: Set<number>
}

class Law {
  readonly #program: EditedProgram
  readonly #name: string
  readonly #backends: readonly Backend[]
  readonly #picks: readonly number[]
  readonly #told: Told
  readonly #history: History
  #picked = 0
  readonly #clocks: Clocks = { nodes: 0, attempts: 0 }
  /** Every context of the program, the one where it goes on last. */
  readonly #contexts: Context[] = []
  #sides: Side[] = []
  #holds: (() => void)[] = []
  #held: { id: string; isHeld: boolean }[] = []
  /** Attempts that run: in memory, and in each store. */
  #running: (readonly Attempt[])[] = []

  constructor(
    program: EditedProgram,
    name: string,
    backends: readonly Backend[],
    picks: readonly number[],
    told: Told,
    history: History,
  ) {
    this.#history = history
    this.#program = program
    this.#name = name
    this.#backends = backends
    this.#picks = picks
    this.#told = told
  }

  get #live(): Context {
    return this.#contexts.at(-1)!
  }

  async run(): Promise<Readonly<Record<string, number>>> {
    const done: Record<string, number> = {}
    this.#contexts.push(
      createContext({ ...this.#options(this.#clocks), dialect: this.#program.dialect, id: this.#name }),
    )
    for (const backend of this.#backends) {
      const clocks = { ...this.#clocks }
      const ctx = await backend.store.create(this.#name, this.#stored(clocks, { dialect: this.#program.dialect }))
      this.#sides.push({ backend, ctx, clocks, holds: [], alone: new Set() })
    }
    if (this.#history === undefined) await this.#age()
    for (const step of this.#program.steps) {
      const call = callFor(this.#live, treeOf(this.#live), step)
      if (call === undefined) continue
      const outcome = await this.#do(call)
      if (!('code' in outcome)) done[call.do] = (done[call.do] ?? 0) + 1
      if (call.do === 'commit' && !('code' in outcome)) await this.#committed()
      this.#beside()
    }
    await this.#end()
    return done
  }

  /** Enough commits that not all of them are loaded by default. */
  async #age(): Promise<void> {
    for (let n = 0; n < DEFAULT + 5; n++) {
      for (const ctx of [this.#live, ...this.#sides.map((side) => side.ctx)]) {
        ctx.user(`before ${n}`, { ttl: 2 })
        await ctx.commit()
      }
    }
    for (const side of this.#sides) await this.#reopen(side, false)
  }

  #pick(among: number): number {
    this.#picked++
    return Math.floor(this.#picks[this.#picked % this.#picks.length]! + this.#picked / this.#picks.length) % among
  }

  /** Facts that a program does not state are read off it; the clocks go on from there, and are counted on. */
  #options(clocks: Clocks): ContextOptions {
    const { odi, prune, ticks, steps } = this.#program
    const [nodes, attempts] = [clockOf(ticks), clockOf([1000, 7, 0])]
    for (let i = 0; i < clocks.nodes; i++) nodes()
    for (let i = 0; i < clocks.attempts; i++) attempts()
    return {
      odi,
      countTokens: (text) => text.length,
      clock: () => {
        clocks.nodes++
        return nodes()
      },
      attemptClock: () => {
        clocks.attempts++
        return attempts()
      },
      emptySegments: steps.length % 3 === 0 ? 'remove' : 'keep',
      ids: steps.length % 4 === 0 ? ({ cycle, index }) => `${index}@${cycle}` : undefined,
      ...(prune ? { prune } : {}),
    }
  }

  #stored(clocks: Clocks, more: OpenOptions = {}): OpenOptions {
    return { ...this.#options(clocks), history: this.#history, ...more }
  }

  async #do(call: Call): Promise<Outcome> {
    if (call.do === 'fork' || call.do === 'import') return this.#goOn(call)
    const outcome = callContext(this.#live, call, this.#holds)
    // With a key now and then, which has no visible effect.
    const key = call.do === 'commit' && this.#pick(3) === 0 ? `key ${this.#live.cycle}` : undefined
    for (const side of this.#sides) {
      const theirs =
        call.do === 'commit'
          ? await commitTo(side.ctx, key)
          : call.do === 'expand'
            ? await this.#expand(side, call)
            : callContext(inMemory(side.ctx), call, side.holds)
      expect(theirs, JSON.stringify(call)).toEqual(outcome)
      if (key === undefined || 'code' in outcome) continue
      this.#told.keys++
      expect((await side.ctx.answerTo(key))?.cycle).toBe(this.#live.cycle - 1)
    }
    if (call.do === 'hold' && !('code' in outcome)) this.#held.push({ id: call.id, isHeld: true })
    if (call.do === 'release' && this.#held.length > 0) this.#held[call.pick % this.#held.length]!.isHeld = false
    return outcome
  }

  /** An expand; it is refused only for a snapshot that is not loaded, and goes through once this is loaded. */
  async #expand(side: Side, call: ExpandCall): Promise<Outcome> {
    let { outcome, lacking } = playExpand(inMemory(side.ctx), call)
    if (lacking?.load !== undefined) {
      const { cycle, load } = lacking
      expect(cycle).toBeLessThan(ContextEdits.partsOf(side.ctx).timeline.bounds!.oldest)
      expect([this.#history === 'all', side.alone.has(cycle)]).toEqual([false, false])
      this.#told.lacked++
      await side.ctx.loadHistory(load)
      side.alone.add(cycle)
      ;({ outcome, lacking } = playExpand(inMemory(side.ctx), call))
      expect(lacking).toBeUndefined()
    }
    if (!('code' in outcome)) this.#told.expanded++
    return outcome
  }

  /** A fork or an import: the program goes on there. */
  async #goOn(call: Extract<Call, { do: 'fork' | 'import' }>): Promise<Outcome> {
    const from = this.#live
    const id = `${from.id}, ${call.do} ${this.#contexts.length}`
    if (call.do === 'fork') {
      const lens = call.lens === 'working' ? (this.#pick(2) === 0 ? 'preview' : 'working') : (`@c${call.lens}` as const)
      const fork = answer(() => from.fork(lens, { id }))
      for (const side of this.#sides) {
        let made = await answerLater(side.ctx.fork(lens, { id }))
        // Only a snapshot can be missing, not what is open.
        if ('code' in made && made.code === 'E_HISTORY_NOT_LOADED' && lens.startsWith('@')) {
          await side.ctx.loadHistory(lens)
          made = await answerLater(side.ctx.fork(lens, { id }))
        }
        expect('code' in made ? made.code : undefined).toBe('code' in fork ? fork.code : undefined)
        if (!('code' in made)) side.ctx = made
        side.alone = new Set()
      }
      if ('code' in fork) return fork
      this.#contexts.push(fork)
    } else {
      const text = textOf(from.export('@t0'))
      this.#contexts.push(importSnapshot(text, { ...this.#options(this.#clocks), id }))
      for (const side of this.#sides) {
        await side.backend.store.put(importSnapshot(text, this.#options(side.clocks)), id)
        side.ctx = await side.backend.store.open(id, this.#stored(side.clocks))
        side.alone = new Set()
      }
    }
    this.#held = []
    this.#holds = []
    this.#running = []
    for (const side of this.#sides) side.holds = []
    for (const side of this.#sides) await this.#compare(side)
    return { fork: this.#live }
  }

  async #committed(): Promise<void> {
    for (const side of this.#sides) {
      expect(side.clocks).toEqual(this.#clocks)
      if (this.#pick(2) === 0) await this.#reopen(side, this.#pick(3) === 0)
      // One that stays open is compared now and then, and at the latest when it is opened again.
      else if (this.#pick(4) < 2) continue
      await this.#compare(side)
    }
  }

  async #reopen(side: Side, isStoreToo: boolean): Promise<void> {
    this.#told.reopened++
    // Who runs dies with its process, on both sides.
    this.#running = []
    if (isStoreToo) {
      await side.backend.reopen()
      // The other store stays open; what it holds of this program is in its own hands.
    }
    side.clocks = { ...this.#clocks }
    side.ctx = await side.backend.store.open(this.#live.id, this.#stored(side.clocks))
    side.holds = this.#held.map(({ id, isHeld }) => holdAgain(side.ctx, id, isHeld))
    side.alone = new Set()
    const { bounds } = ContextEdits.partsOf(side.ctx).timeline
    if (bounds === undefined || this.#history === 'all') return
    expect(bounds.oldest).toBe(Math.max(bounds.first, bounds.newest - (this.#history ?? DEFAULT) + 1))
  }

  /** Features that programs lack: attempts, and several edits as one. */
  #beside(): void {
    const all: readonly AnyContext[] = [this.#live, ...this.#sides.map(({ ctx }) => ctx)]
    if (this.#pick(4) === 0) {
      const to = [toAnthropic, toOpenAIChat, undefined][this.#pick(3)]
      const lens = (['working', 'preview', undefined, '@t0'] as const)[this.#pick(4)]
      const keepRequest = to !== undefined && this.#pick(5) === 0
      const input = { provider: 'acme', model: 'm', params: { n: this.#picked }, for: to, lens, keepRequest }
      const started = all.map((ctx) => answer(() => ctx.startAttempt(input)))
      const [first, ...others] = started.map((each) => ('code' in each ? each : each.record))
      for (const other of others) expect(other).toEqual(first)
      const attempts = started.filter((each): each is Attempt => !('code' in each))
      if (attempts.length > 0) this.#running.push(attempts)
      this.#told.attempts += attempts.length
      if (to !== undefined) this.#told.requests += attempts.length
    }
    if (this.#running.length > 0 && this.#pick(2) === 0) {
      const [ending] = this.#running.splice(this.#pick(this.#running.length), 1)
      const how = this.#pick(3)
      for (const attempt of ending!) {
        if (how === 0) attempt.complete({ tokenIn: 1, tokenOut: how })
        else if (how === 1) attempt.cancel()
        else attempt.fail(new Error('overloaded'))
      }
    }
    if (this.#pick(8) > 0) return
    const fails = this.#pick(3) === 0
    const outcomes = all.map((ctx) =>
      answer(() =>
        ctx.batch(() => {
          const ids = [ctx.user('one of several').id, ctx.post('and another', { ttl: 2 }).id]
          if (fails) throw new PactError('E_BUDGET', 'No.')
          return ids
        }),
      ),
    )
    for (const outcome of outcomes.slice(1)) expect(outcome).toEqual(outcomes[0])
    this.#told.batches++
  }

  async #compare(side: Side): Promise<void> {
    const pick = (among: number): number => this.#pick(among)
    if (this.#history === 'all') return compareContexts({ live: this.#live, twin: side.ctx, pick, isWhole: false })
    this.#compareLoaded(side)
    if (this.#live.snapshots().length > 0 && this.#pick(3) === 0) await this.#load(side)
  }

  /** Loaded history answers as it should, and the rest says that it is not loaded. */
  #compareLoaded({ ctx, alone }: Side): void {
    const { bounds } = ContextEdits.partsOf(ctx).timeline
    checkIdentity(ContextEdits.partsOf(ctx).timeline)
    const loaded = { floor: bounds?.oldest ?? 0, alone }
    for (const { name, isLoaded, ask, known } of questions(this.#live, loaded, (among) => this.#pick(among))) {
      if (this.#pick(12) > 0) continue
      const ours = answerOf(() => ask(inMemory(ctx)))
      if (isNotLoaded(ours)) {
        this.#told.refused++
        expect(isLoaded, `${name}, above ${loaded.floor}`).toBe(false)
        expect(ours.details['cycle'], name).toBeLessThan(loaded.floor)
        continue
      }
      this.#told.answered++
      const right = answerOf(() => ask(this.#live))
      const isWhole = loaded.floor === bounds?.first
      expectSame(ours, known === undefined || isWhole ? right : known(right, ours), `${name}, above ${loaded.floor}`)
    }
  }

  /** Loads something of what is not there, or lets go of what was loaded. */
  async #load(side: Side): Promise<void> {
    const { timeline } = ContextEdits.partsOf(this.#live)
    const { first, newest } = timeline.bounds!
    const cycle = first + this.#pick(newest - first + 1)
    const lens = `@c${cycle}` as const
    switch (this.#pick(4)) {
      case 0:
        side.ctx.unloadHistory()
        side.alone = new Set()
        return
      case 1:
        await side.ctx.loadHistory(`${lens}..@t0`)
        break
      default:
        // Rows that are there anyway go with the next commits.
        if (cycle < ContextEdits.partsOf(side.ctx).timeline.bounds!.oldest) side.alone.add(cycle)
        await side.ctx.loadHistory(lens)
    }
    this.#told.loaded++
    expectSame(textOf(side.ctx.export(lens)), textOf(this.#live.export(lens)), lens)
    this.#compareLoaded(side)
  }

  /** All contexts of the program, opened once more. What was not committed is gone with the ids it had, so only the last is as it was. */
  async #end(): Promise<void> {
    const isCommitted = !('code' in (await this.#do({ do: 'commit' })))
    const pick = (among: number): number => this.#pick(among)
    for (const { backend } of this.#sides) {
      for (const live of this.#contexts) {
        const twin = await backend.store.open(live.id, this.#stored({ ...this.#clocks }, { history: 'all' }))
        if (live === this.#live && isCommitted) {
          for (const { id, isHeld } of this.#held) holdAgain(twin, id, isHeld)
          compareContexts({ live, twin, pick, isWhole: pick(3) === 0 })
        } else expectSame(snapshotsOf(twin), snapshotsOf(live))
        if (pick(4) > 0) continue
        this.#told.checked++
        expect((await backend.store.fsck(live.id)).problems).toEqual([])
      }
    }
  }
}

function snapshotsOf(ctx: AnyContext): readonly string[] {
  return ctx.snapshots().map(({ cycle }) => textOf(ctx.export(`@c${cycle}`)))
}

function inMemory(ctx: StoredContext): Context {
  return ctx as unknown as Context
}

async function commitTo(ctx: StoredContext, key: string | undefined): Promise<Outcome> {
  const snapshot = await answerLater(ctx.commit({ key }))
  if ('code' in snapshot) return snapshot
  return callContext({ commit: () => snapshot } as unknown as Context, { do: 'commit' }, [])
}

async function answerLater<T extends object>(call: Promise<T>): Promise<T | { code: string }> {
  const end = await Promise.allSettled([call])
  return answer(() => {
    if (end[0].status === 'fulfilled') return end[0].value
    throw end[0].reason as Error
  })
}

/** Holds die with the process; here they are taken again, also of a node that another one stands in for meanwhile. */
/** The index by id gives the very objects of each loaded tree: expiry, order and diffs compare versions by identity. */
function checkIdentity(timeline: Timeline): void {
  const { oldest, newest } = timeline
  if (oldest === undefined) return
  for (let cycle = oldest; cycle <= newest!; cycle++) {
    for (const region of timeline.treeAt(cycle)?.regions ?? []) {
      eachRecord(region, (record) => {
        if (timeline.find(record.id, cycle) !== record) expect.fail(`@c${cycle} has another object for ${record.id}.`)
      })
    }
  }
}

function holdAgain(ctx: AnyContext, id: string, isHeld: boolean): () => void {
  const hold = ContextEdits.partsOf(ctx).holds.take(id)
  if (!isHeld) hold.release()
  return () => hold.release()
}
