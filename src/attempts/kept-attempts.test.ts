// Attempts that a store has written down: a listener of starts and endings has them all, and a context that is made
// again with them goes on with the same list and the same ids.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { CALL, expectListRenderedAgain } from '../../test/support/attempts.js'
import { DIALECTS, refusal } from '../../test/support/context.js'
import { editedPrograms, editedRuns, playEdited } from '../../test/support/edited.js'
import { canonicalJson, decodeAttempt, encodeAttempt } from '../codec/index.js'
import { checkpointOf, restoreContext } from '../context/persistence.js'
import { Context as ContextClass } from '../context/index.js'
import type { KeptAttempts, SentRecord } from '../core/index.js'
import {
  createContext,
  PactError,
  type Attempt,
  type AttemptInput,
  type Context,
  type ContextOptions,
  type Lens,
} from '../index.js'
import { Erasing } from '../timeline/index.js'
import { erasedAttempt } from './index.js'

/** The attempts of a context as a store would have them: one row for each id, in the order in which they came. */
class Rows {
  readonly #rows = new Map<string, Uint8Array>()

  constructor(ctx: Context) {
    ContextClass.partsOf(ctx).attempts.listen((changed) => {
      for (const record of changed) this.#rows.set(record.attempt_id, encodeAttempt(record))
    })
  }

  get records(): readonly SentRecord[] {
    return Array.from(this.#rows.values(), decodeAttempt)
  }
}

function keptOf(ctx: Context): KeptAttempts {
  return ContextClass.partsOf(ctx).attempts.kept
}

function madeAgain(ctx: Context, kept: KeptAttempts, options: ContextOptions = {}): Context {
  const checkpoint = checkpointOf(ContextClass.partsOf(ctx))
  return restoreContext(checkpoint, [], { id: ctx.id, ...options }, kept)
}

function talk(options: ContextOptions = {}): Context {
  const ctx = createContext(options)
  ctx.user('one')
  ctx.commit()
  ctx.user('two')
  return ctx
}

function end(attempt: Attempt, pick: number): void {
  if (pick % 5 === 0) attempt.complete({ tokenIn: 3, ...(pick % 2 === 0 ? { tokenOut: 4 } : {}) })
  if (pick % 5 === 1) attempt.cancel()
  if (pick % 5 === 2) attempt.fail(new TypeError('no\nroute \ud800'))
}

/** A budget that cannot be met, and is an error then, leaves nothing to send. */
function started(ctx: Context, input: AttemptInput): Attempt | undefined {
  try {
    return ctx.startAttempt(input)
  } catch (error) {
    if (PactError.is(error) && error.code === 'E_BUDGET') return undefined
    throw error
  }
}

describe.each(DIALECTS)('attempts that were written down, in %s', (dialect) => {
  test('make the same list again, and the next attempt gets the same id (D32)', () => {
    let [compared, retold, kept] = [0, 0, 0]
    /** The id of the next attempt, as the context that was made again gave it. */
    let promised: Readonly<{ ctx: Context; cycle: number; id: string }> | undefined
    const picks = fc.array(fc.nat(99), { minLength: 5, maxLength: 12 })
    const limit = fc.option(fc.nat(4), { nil: undefined })
    fc.assert(
      fc.property(editedPrograms(dialect), picks, limit, (program, chosen, keepAttempts) => {
        let at = 0
        promised = undefined
        const pick = (): number => chosen[at++ % chosen.length]!
        const rows = new Map<Context, Rows>()
        const running: Attempt[] = []
        playEdited(
          program,
          {
            before: (ctx) => void (rows.has(ctx) || rows.set(ctx, new Rows(ctx))),
            after: ({ ctx }) => {
              if (!rows.has(ctx)) rows.set(ctx, new Rows(ctx))
              const lens = (['preview', 'working', 'preview', '@t0'] as const)[pick() % 4]!
              if (pick() % 3 > 0 && (lens !== '@t0' || ctx.snapshots().length > 0)) {
                const input = { ...CALL, lens, ...(pick() % 2 === 0 ? { request: 'body' } : {}) }
                const attempt = started(ctx, input)
                if (attempt === undefined) return
                if (promised?.ctx === ctx && promised.cycle === ctx.cycle) {
                  expect(attempt.id).toBe(promised.id)
                  kept++
                }
                running.push(attempt)
              }
              const [oldest] = running.splice(0, pick() % 2)
              if (oldest !== undefined) end(oldest, pick())
              compare(ctx, rows.get(ctx)!.records, keepAttempts)
            },
          },
          { keepAttempts },
        )
      }),
      editedRuns(20),
    )

    function compare(ctx: Context, written: readonly SentRecord[], keep: number = 1000): void {
      const live = keptOf(ctx)
      expect(written.slice(written.length - live.records.length)).toEqual(live.records)
      expect(live.records.length).toBeLessThanOrEqual(keep)
      const again = madeAgain(ctx, { ...live, records: written }, { keepAttempts: keep })
      expect(again.attempts()).toEqual(ctx.attempts())
      expect(keptOf(again)).toEqual(live)
      promised = { ctx, cycle: ctx.cycle, id: again.startAttempt({ ...CALL, lens: 'working' }).id }
      compared++
      retold += written.filter(({ base_attempt: later }) => later !== undefined).length
    }

    if (compared >= 100) for (const count of [retold, kept]) expect(count).toBeGreaterThan(50)
  })
})

describe('a listener', () => {
  const told = (ctx: Context): SentRecord[][] => {
    const all: SentRecord[][] = []
    ContextClass.partsOf(ctx).attempts.listen((changed) => all.push([...changed]))
    return all
  }

  test('is told of a start with the record before it that is told anew, and of an ending', () => {
    const ctx = talk()
    const all = told(ctx)
    const first = ctx.startAttempt(CALL)
    ctx.user('three')
    const second = ctx.startAttempt(CALL)
    first.cancel()
    second.complete({ tokenIn: 1 })
    const [a, b] = ['attempt:2-0', 'attempt:2-1']
    expect(all.map((changed) => changed.map(({ attempt_id: id, status }) => [id, status]))).toEqual([
      [[a, 'running']],
      [
        [b, 'running'],
        [a, 'running'],
      ],
      [[a, 'canceled']],
      [[b, 'completed']],
    ])
    expect(all[1]![1]!.base_attempt).toBe(b)
    expect(all.flat().filter((record) => keptOf(ctx).records.includes(record))).toHaveLength(2)
  })

  test('is told of the ending of one that is kept no more, and of nothing once it has left', () => {
    const ctx = talk({ keepAttempts: 0 })
    const attempt = ctx.startAttempt(CALL)
    const all: SentRecord[] = []
    const leave = ContextClass.partsOf(ctx).attempts.listen((changed) => all.push(...changed))
    attempt.complete()
    leave()
    ctx.startAttempt(CALL)
    expect(all).toMatchObject([attempt.record])
  })
})

describe('a context that is made again', () => {
  test('knows attempts that still run, and gives each of them again (D32)', () => {
    const ctx = talk()
    const attempts = (['preview', 'working', '@t0'] as Lens[]).map((lens) => ctx.startAttempt({ ...CALL, lens }))
    const again = madeAgain(ctx, keptOf(ctx))
    again.user('after')
    again.startAttempt(CALL)
    expect(again.attempts().map(({ status }) => status)).toEqual(['running', 'running', 'running', 'running'])
    expectListRenderedAgain(again, attempts)
  })

  test('does not take an id twice, nor an attempt of a cycle that is not open', () => {
    const ctx = talk()
    ctx.startAttempt(CALL)
    const kept = keptOf(ctx)
    const twice = refusal(() => madeAgain(ctx, { ...kept, records: [...kept.records, ...kept.records] }))
    expect([twice.code, twice.details]).toEqual(['E_SNAPSHOT_INVALID', { id: 'attempt:2-0' }])
    for (const later of [
      { ...kept, cycle: 3 },
      { ...kept, records: [{ ...kept.records[0]!, cycle_id: 3 }] },
    ]) {
      const early = refusal(() => madeAgain(ctx, later))
      expect([early.code, early.details]).toEqual(['E_SNAPSHOT_INVALID', { cycle: 3 }])
    }
  })

  test('has forgotten what a store took out of a record, as the context that forgot it has (D56)', () => {
    const ctx = talk()
    const { id } = ctx.user('secret')
    ctx.startAttempt(CALL)
    const kept = keptOf(ctx)
    ctx.forget(`[id='${id}']`)
    const erasing = new Erasing(new Set([id]), new Set())
    const records = kept.records.map((record) => erasedAttempt(record, erasing))
    expect(canonicalJson(records)).not.toContain('secret')
    expect(madeAgain(ctx, { ...kept, records }).attempts()).toEqual(ctx.attempts())
  })
})
