// The law of saves (D62): a context that is opened again after a save is the one that was never closed, with the edits of its open cycle. The
// same program is played on a context in memory and in the stores; saves and kills come anywhere. Ids, times, bytes, operations, undo
// steps and the row of the next commit are equal, and opening spends no id and no time.

import fc from 'fast-check'
import { createContext, importSnapshot, PactError, type Context, type ContextOptions } from 'pact-context'
import { Store, type Rows, type StoredContext } from 'pact-context/store'
import type { Place } from 'pact-context/testing'
import { describe, expect, test } from 'vitest'

import { encodeCommitRecord } from '../../src/codec/index.js'
import type { AnyContext } from '../../src/context/index.js'
import { ContextEdits, prepareCommit } from '../../src/context/persistence.js'
import { clockOf } from '../oracle/editing-arbitrary.js'
import { answer, compareContexts } from '../support/compare-contexts.js'
import { textOf } from '../support/context.js'
import { callFor, editedPrograms, editedRuns, expectAllDone, treeOf, type Call } from '../support/edited.js'
import type { EditedProgram } from '../support/edited.js'
import { callContext } from '../support/editing-law.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { postgresPlace, sharedServer } from '../support/postgres.js'
import { isWider } from '../support/runs.js'

const PROGRAMS = 25
const STEPS = isWider() ? 24 : 14
const { server, why } = await sharedServer()
const without = why === undefined ? '' : ` (without PostgreSQL: ${why})`

describe.each(['1.0', '0.1'] as const)(`drafts, in %s${without}`, (dialect) => {
  test('a context that is opened again after a save is the one that was never closed', async () => {
    const runs: Readonly<Record<string, number>>[] = []
    const told = { saved: 0, restored: 0, states: 0, undone: 0, rows: 0 }
    const places: Place<Rows>[] = [memoryPlace(), sqlitePlace({ durability: 'relaxed' })]
    if (server !== undefined) places.push(postgresPlace(server.url), postgresPlace(server.url, { routed: true }))
    const stores = await Promise.all(places.map(async (place) => new Store(await place.open())))
    const picks = fc.array(fc.nat(999), { minLength: 20, maxLength: 40 })
    try {
      await fc.assert(
        fc.asyncProperty(editedPrograms(dialect, STEPS), picks, async (program, chosen) => {
          const some = stores.filter((_, i) => i < 2 || runs.length % 5 === 0)
          runs.push(await new Law(program, `program ${runs.length}`, some, chosen, told).run())
        }),
        editedRuns(PROGRAMS),
      )
    } finally {
      for (const store of stores) await store.close()
      for (const place of places) await place.end?.()
    }
    expectAllDone(runs)
    if (runs.length >= PROGRAMS)
      for (const [what, count] of Object.entries(told)) expect(count, what).toBeGreaterThan(8)
  })
})

type Told = Record<'saved' | 'restored' | 'states' | 'undone' | 'rows', number>

type Side = { readonly store: Store; ctx: StoredContext; reads: { count: number } }

class Law {
  readonly #program: EditedProgram
  readonly #picks: readonly number[]
  readonly #told: Told
  readonly #stores: readonly Store[]
  readonly #reads = { count: 0 }
  #picked = 0
  #forks = 0
  #live: Context
  #sides: Side[] = []

  constructor(program: EditedProgram, name: string, stores: readonly Store[], picks: readonly number[], told: Told) {
    this.#program = program
    this.#picks = picks
    this.#told = told
    this.#stores = stores
    this.#live = createContext({ ...this.#options(this.#reads), dialect: program.dialect, id: name })
  }

  async run(): Promise<Readonly<Record<string, number>>> {
    const done: Record<string, number> = {}
    const { dialect, steps } = this.#program
    for (const store of this.#stores) {
      const reads = { ...this.#reads }
      const ctx = await store.create(this.#live.id, { ...this.#options(reads), dialect, history: 'all' })
      this.#sides.push({ store, ctx, reads })
    }
    for (const step of steps) {
      const call = callFor(this.#live, treeOf(this.#live), step)
      // A hold is not saved.
      if (call === undefined || call.do === 'hold' || call.do === 'release') {
        if (call !== undefined) done[call.do] = 1
        continue
      }
      if (await this.#do(call)) done[call.do] = (done[call.do] ?? 0) + 1
      if (this.#pick(4) === 0) this.#batch()
      if (this.#pick(2) === 0) await this.#save()
    }
    for (const { store } of this.#sides) expect((await store.fsck(this.#live.id)).problems).toEqual([])
    return done
  }

  #pick(among: number): number {
    this.#picked++
    return Math.floor(this.#picks[this.#picked % this.#picks.length]! + this.#picked / this.#picks.length) % among
  }

  #options(reads: { count: number }): ContextOptions {
    const { odi, prune, ticks, steps } = this.#program
    const clock = clockOf(ticks)
    for (let i = 0; i < reads.count; i++) clock()
    return {
      odi,
      countTokens: (text) => text.length,
      clock: () => {
        reads.count++
        return clock()
      },
      emptySegments: steps.length % 3 === 0 ? 'remove' : 'keep',
      ids: steps.length % 4 === 0 ? ({ cycle, index }) => `${index}@${cycle}` : undefined,
      ...(prune ? { prune } : {}),
    }
  }

  async #do(call: Call): Promise<boolean> {
    if (call.do === 'fork' || call.do === 'import') return this.#goOn(call)
    const outcome = callContext(this.#live, call, [])
    for (const { ctx } of this.#sides) {
      const theirs = call.do === 'commit' ? await commitTo(ctx) : callContext(ctx as unknown as Context, call, [])
      expect(theirs, JSON.stringify(call)).toEqual(outcome)
    }
    if (call.do === 'undo' && 'undone' in outcome && outcome.undone) this.#told.undone++
    return !('code' in outcome)
  }

  /** The program goes on in the fork or the import; a fork of the working state takes a draft along. */
  async #goOn(call: Extract<Call, { do: 'fork' | 'import' }>): Promise<boolean> {
    const from = this.#live
    const id = `${from.id}, ${call.do} ${++this.#forks}`
    if (call.do === 'fork') {
      const lens = call.lens === 'working' ? call.lens : (`@c${call.lens}` as const)
      const fork = answer(() => from.fork(lens, { id }))
      if ('code' in fork) return false
      this.#live = fork
      for (const side of this.#sides) side.ctx = await side.ctx.fork(lens, { id })
    } else {
      const text = textOf(from.export('@t0'))
      this.#live = importSnapshot(text, { ...this.#options(this.#reads), id })
      for (const side of this.#sides) {
        await side.store.put(importSnapshot(text, this.#options(side.reads)), id)
        side.ctx = await side.store.open(id, { ...this.#options(side.reads), history: 'all' })
      }
    }
    return true
  }

  #batch(): void {
    const fails = this.#pick(3) === 0
    for (const ctx of [this.#live, ...this.#sides.map((side) => side.ctx)]) {
      answer(() =>
        ctx.batch(() => {
          ctx.user('one of several')
          ctx.post('and another', { ttl: 2 })
          if (fails) throw new PactError('E_BUDGET', 'No.')
        }),
      )
    }
    if (this.#pick(3) > 0) return
    const undone = [this.#live, ...this.#sides.map((side) => side.ctx)].map((ctx) => ctx.undo())
    expect(new Set(undone).size).toBe(1)
    this.#told.undone++
  }

  /** Saves, opens some of the contexts again, and compares. */
  async #save(): Promise<void> {
    const operations = this.#live.operations()
    // Of a draft with a redaction only the state is kept, so it is opened for a look and the program goes on elsewhere.
    const isState = operations.some(({ op }) => op === 'redact')
    for (const side of this.#sides) {
      await side.ctx.save()
      this.#told.saved++
      const reads = { ...this.#reads }
      const again = await side.store.open(this.#live.id, { ...this.#options(reads), history: 'all' })
      expect(reads).toEqual(this.#reads)
      if (isState) {
        this.#told.states++
        expect(textOf(again.export('working'))).toBe(textOf(this.#live.export('working')))
        expect(textOf(again.threadBytes('working'))).toBe(textOf(this.#live.threadBytes('working')))
        continue
      }
      if (operations.length > 0)
        expect(again.draft).toMatchObject({ operations: operations.length, state: 'loaded', cycle: this.#live.cycle })
      if (this.#pick(3) === 0) continue
      this.#told.restored++
      side.ctx = again
      side.reads = reads
      compareContexts({ live: this.#live, twin: again, pick: (among) => this.#pick(among), isWhole: false })
    }
    const [first, ...others] = [this.#live, ...this.#sides.map(({ ctx }) => ctx)].map(nextRow)
    for (const other of others) expect(other).toEqual(first)
    this.#told.rows++
  }
}

async function commitTo(ctx: StoredContext): Promise<unknown> {
  try {
    const snapshot = await ctx.commit()
    return callContext({ commit: () => snapshot } as unknown as Context, { do: 'commit' }, [])
  } catch (error) {
    if (PactError.is(error)) return { code: error.code }
    throw error
  }
}

/** The bytes of the row that a commit would write now, or why it would not. */
function nextRow(ctx: AnyContext): unknown {
  return answer(() => {
    const pending = prepareCommit(ContextEdits.partsOf(ctx))
    try {
      return textOf(encodeCommitRecord(pending.record()))
    } finally {
      pending.discard()
    }
  })
}
