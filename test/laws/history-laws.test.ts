// The law of limited history (D56): on random programs of every edit, with forks and imports, a context that keeps the newest
// n snapshots answers about them as its twin does that keeps all; and about older ones it says that they are dropped, and
// never guesses.

import fc from 'fast-check'
import {
  createContext,
  importSnapshot,
  type Context,
  type ContextOptions,
  type Lens,
  type PactError,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { refusal, textOf, walk } from '../support/context.js'
import { editedPrograms, editedRuns, expectAllDone, playEdited, type Call } from '../support/edited.js'
import { callContext } from '../support/editing-law.js'
import { compareExplanations, compareLives } from '../support/known-part.js'
import { expectSame } from '../support/same.js'
import { clockOf } from '../oracle/editing-arbitrary.js'

describe.each(['1.0', '0.1'] as const)('with a limited history, in %s', (dialect) => {
  test('what is kept is as it would be with all of it', () => {
    const runs: Readonly<Record<string, number>>[] = []
    let dropped = 0
    fc.assert(
      fc.property(editedPrograms(dialect, 40), fc.integer({ min: 1, max: 5 }), (program, history) => {
        const { odi, prune, ticks } = program
        const countTokens = (text: string): number => text.length
        const options: ContextOptions = {
          dialect,
          history,
          odi,
          countTokens,
          clock: clockOf(ticks),
          ...(prune ? { prune } : {}),
        }
        let twin: Context | undefined = createContext(options)
        let holds: (() => void)[] = []
        const { done } = playEdited(program, {
          after: ({ ctx, call }) => {
            if (twin === undefined) return
            const next = follow(twin, call, holds, options)
            if (next === 'dropped') dropped++
            if (next !== 'same') holds = []
            twin = next === 'dropped' ? undefined : next === 'same' ? twin : next
            if (twin !== undefined && (call.do === 'commit' || call.do === 'fork')) compare(ctx, twin, history)
          },
        })
        runs.push(done)
      }),
      editedRuns(18),
    )
    expectAllDone(runs)
    if (runs.length >= 18) expect(dropped).toBeGreaterThan(0)
  })
})

/** The same call on the twin; a fork from a snapshot that the twin has let go ends the comparison. */
function follow(
  twin: Context,
  call: Call,
  holds: (() => void)[],
  options: ContextOptions,
): Context | 'same' | 'dropped' {
  if (call.do === 'import') return importSnapshot(textOf(twin.export('@t0')), options)
  const outcome = callContext(twin, call, holds)
  if ('fork' in outcome) return outcome.fork
  return 'code' in outcome && outcome.code === 'E_SNAPSHOT_NOT_FOUND' ? 'dropped' : 'same'
}

function compare(full: Context, twin: Context, history: number): void {
  const all = full.snapshots().map(({ cycle }) => cycle)
  const kept = twin.snapshots().map(({ cycle }) => cycle)
  expect(kept).toEqual(all.slice(0, kept.length))
  expect(kept.length).toBeLessThanOrEqual(history)
  const lenses: Lens[] = [...kept.map((cycle): Lens => `@c${cycle}`), 'working']
  // A limit may refuse the next commit.
  const [preview, other] = [full, twin].map((ctx) => attempt(() => ctx.export('preview')))
  expect(other).toBe(preview)
  if (preview !== 'E_BUDGET') lenses.push('preview')
  for (const lens of lenses) {
    expectSame(textOf(twin.export(lens)), textOf(full.export(lens)))
    expectSame(textOf(twin.threadBytes(lens)), textOf(full.threadBytes(lens)))
    expectSame(twin.snapshot(lens).receipt, full.snapshot(lens).receipt)
    compareExplanations(full, twin, lens)
  }
  for (const a of lenses) {
    for (const b of lenses) expectSame(twin.diffDetailed(a, b), full.diffDetailed(a, b))
  }
  if (kept.length === 0) return
  const block = full.dialect === '1.0' ? '.block' : '.cb'
  const range = `@c${kept.at(-1)}..@c${kept[0]} ${block}`
  expect(twin.rangeDiffLatest(range)).toEqual(full.rangeDiffLatest(range))
  const union = new Set(kept.flatMap((cycle) => full.select(`@c${cycle} ${block}`)))
  expect(new Set(twin.select(`@* ${block}`))).toEqual(union)
  expect(twin.select(`@t-* ${block}`)).toEqual(full.select(`@c${kept.at(-1)} ${block}`))
  compareLives(full, twin, kept.at(-1)!)
  expectUnknown(full, twin, all.slice(kept.length), lenses)
  const older = all[kept.length]
  if (older !== undefined) expectDropped(twin, older)
}

function attempt(read: () => Uint8Array): string {
  try {
    return textOf(read())
  } catch (error) {
    return (error as PactError).code
  }
}

/** A node that no kept snapshot holds does not exist, however it left: no answer names it (N42). */
function expectUnknown(full: Context, twin: Context, dropped: readonly number[], lenses: readonly Lens[]): void {
  const held = new Set(lenses.flatMap((lens) => walk(twin.snapshot(lens).root).map(({ id }) => id)))
  const gone = new Set(dropped.flatMap((cycle) => walk(full.snapshot(`@c${cycle}`).root).map(({ id }) => id)))
  for (const id of gone) {
    if (held.has(id)) continue
    for (const ask of [() => twin.life(id), () => twin.explain(id), () => twin.explain(id, '@t0')]) {
      expectSame(refusal(ask).code, 'E_NODE_NOT_FOUND', id)
    }
  }
}

function expectDropped(twin: Context, cycle: number): void {
  const reads: (() => unknown)[] = [
    () => twin.snapshot(`@c${cycle}`),
    () => twin.select(`@c${cycle} .block`),
    () => twin.select(`@c${cycle}..@c${cycle} .block`),
    () => twin.thread(`@t-${twin.cycle - 1 - cycle}`),
    () => twin.diff(`@c${cycle}`, '@t0'),
    () => twin.fork(`@c${cycle}`),
  ]
  for (const read of reads) {
    const { code, details } = refusal(read)
    expect([code, details['reason']]).toEqual(['E_SNAPSHOT_NOT_FOUND', 'dropped'])
  }
}
