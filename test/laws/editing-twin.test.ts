// An export is all that matters: a context and its import, made at some commit, give the same bytes under the
// same calls from then on, whatever was edited before: markers, stand-ins, demoted nodes, emptied containers, schedules.

import fc from 'fast-check'
import { createContext, importSnapshot, type Context } from 'pact-context'
import { expect, test } from 'vitest'

import { callOracle, editProgram, resolveStep, type EditProgram } from '../oracle/editing-arbitrary.js'
import { EditingOracle } from '../oracle/editing.js'
import { clockOf, textOf } from '../support/context.js'
import { callContext } from '../support/editing-law.js'
import { runs } from '../support/runs.js'

const RUNS = runs(24)
const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

/** The model only says which call a step means; the two contexts are compared with each other. */
function play({ dialect, odi, prune, steps }: EditProgram, twinAfter: number): number {
  const countTokens = (text: string): number => text.length
  const emptySegments = steps.length % 3 === 0 ? ('remove' as const) : ('keep' as const)
  const options = { dialect, odi, countTokens, emptySegments, ...(prune ? { prune } : {}) }
  let readings = 0
  const clock = clockOf(10n)
  const counted = (): bigint => ((readings += 1), clock())
  const oracle = new EditingOracle({ ...options, clock: clockOf(10n) })
  const context = createContext({ ...options, clock: counted })
  let twin: Context | undefined
  let calls = 0
  for (const step of steps) {
    // Holds and forks are no part of an export, and one import is enough.
    if (step.do === 'hold' || step.do === 'release' || step.do === 'fork' || step.do === 'import') continue
    const call = resolveStep(oracle, step)
    if (call === undefined) continue
    callOracle(oracle, call, [])
    const ours = callContext(context, call, [])
    if (twin === undefined) {
      if (call.do !== 'commit' || 'code' in ours || context.cycle <= twinAfter) continue
      // A due node was placed by the commit, and is placed by the import again, at the same times.
      const ahead = clockOf(10n)
      for (let i = context.diff('@t0', 'working').added.length; i < readings; i++) ahead()
      twin = importSnapshot(context.export(), { ...options, clock: ahead })
      expect(textOf(twin.export('working'))).toBe(textOf(context.export('working')))
    } else {
      calls++
      const theirs = callContext(twin, call, [])
      // An import has no older snapshots, so what a summary stands for may be out of its reach (D63). From here on they differ.
      const lacks = call.do === 'expand' && 'code' in theirs && theirs.code === 'E_SNAPSHOT_NOT_FOUND'
      if (lacks && !('code' in ours)) return calls
      expect(theirs, JSON.stringify(call)).toEqual(ours)
      expect(textOf(twin.export('working')), JSON.stringify(call)).toBe(textOf(context.export('working')))
      if (call.do === 'commit' && !('code' in ours)) {
        expect(textOf(twin.export())).toBe(textOf(context.export()))
        expect(twin.diff('@t-1', '@t0')).toEqual(context.diff('@t-1', '@t0'))
      }
    }
  }
  return calls
}

test('a context and its import stay alike under the same calls (D35)', () => {
  let calls = 0
  fc.assert(
    fc.property(editProgram(60), fc.nat(4), (program, twinAfter) => {
      calls += play(program, twinAfter)
    }),
    { numRuns: RUNS, seed: SEED },
  )
  expect(calls).toBeGreaterThan(RUNS * 5)
})
