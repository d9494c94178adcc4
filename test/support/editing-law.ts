// The law of editing: random programs of every edit, on a context and on a naive model that has never seen the engine
// (test/oracle/editing.ts): after each call and each commit both hold the same tree, to the byte, and refuse the same calls
// with the same codes.
// PACT_RUNS, PACT_SEED and PACT_SHRINK say how many programs, which, and whether a failing one is made smaller.

import { createHash } from 'node:crypto'

import fc from 'fast-check'
import {
  createContext,
  importSnapshot,
  PactError,
  type AddHeader,
  type Context,
  type ContextOptions,
  type Dialect,
  type Lens,
  type NodeSpec,
  type Replacement,
} from 'pact-context'
import { expect } from 'vitest'

import { textOf } from './context.js'
import {
  callOracle,
  clockOf,
  editProgram,
  redactOptions,
  resolveStep,
  type EditCall,
  type EditOutcome,
  type EditProgram,
} from '../oracle/editing-arbitrary.js'
import { EditingOracle } from '../oracle/editing.js'
import { oracleSelect } from '../oracle/selector.js'
import { expectRenderedAgain } from './attempts.js'
import { runs } from './runs.js'

const DEFAULT_RUNS = 50
const RUNS = runs(DEFAULT_RUNS)
const SEED = Number(process.env['PACT_SEED'] ?? 20261116)
const SHRINKS = process.env['PACT_SHRINK'] !== 'no'

type Side = {
  context: Context
  oracle: EditingOracle
  holds: (() => void)[]
  oracleHolds: (() => void)[]
  options: ContextOptions // for an import of what the context exports
}

/** Earlier snapshots as they were made: their bytes never change. */
type Sealed = { context: Context; cycle: number; hash: string }

function hashOf(context: Context, lens: Lens): string {
  return createHash('sha256').update(context.export(lens)).update(context.threadBytes(lens)).digest('hex')
}

function start(program: EditProgram): Side {
  const { dialect, odi, prune, ticks } = program
  const countTokens = (text: string): number => text.length
  // Read off the program, so that it draws what it drew before there was this option (D55).
  const emptySegments = program.steps.length % 3 === 0 ? ('remove' as const) : ('keep' as const)
  const options = { odi, clock: clockOf(ticks), countTokens, emptySegments, ...(prune ? { prune } : {}) }
  const context = createContext({ dialect, ...options })
  const oracle = new EditingOracle({ dialect, ...options, clock: clockOf(ticks) })
  return { context, oracle, holds: [], oracleHolds: [], options }
}

export type Outcome = Exclude<EditOutcome, { fork: EditingOracle }> | { fork: Context }

/** Runs one call on a context; `options` are for an import. */
export function callContext(
  context: Context,
  call: EditCall,
  holds: (() => void)[],
  options: ContextOptions = {},
): Outcome {
  const part = 'system' in call && call.system ? context.system : context
  try {
    switch (call.do) {
      case 'add': {
        const { content, ...header } = call.spec
        return { ids: [part.add(content as string, header as AddHeader).id] }
      }
      case 'put':
      case 'set':
        return { ids: [part[call.do](call.key, call.content as string, call.header as AddHeader).id] }
      case 'insert':
        return { ids: [part.insert(call.spec as NodeSpec, call.position).id] }
      case 'replace':
        return { ids: part.replace(call.selector, call.spec as unknown as Replacement).map(({ id }) => id) }
      case 'move':
        return { ids: part.move(call.selector, call.position).map(({ id }) => id) }
      case 'delete':
        return { ids: part.delete(call.selector, call.options).map(({ id }) => id) }
      case 'update':
        return { ids: part.update(call.selector, call.changes).map(({ id }) => id) }
      case 'redact':
        return { ids: part.redact(call.selector, redactOptions(call.options)).map(({ id }) => id) }
      case 'compact': {
        const plan = context.planCompaction({ keep: call.keep })
        const { id } = context.compact(plan, call.text, { intro: '' })
        return {
          ids: [id, ...plan.nodes.map((each) => each.id), ...plan.stays.map(({ id: each, why }) => `${each} ${why}`)],
        }
      }
      case 'expand':
        return { ids: context.expand(call.id).map(({ id }) => id) }
      case 'undo':
        return { undone: context.undo() }
      case 'commit': {
        const { receipt } = context.commit()
        return {
          receipt: {
            removed: receipt.removed.map(({ size: _size, ...rest }) => rest),
            shed: [...receipt.shed],
            ...(receipt.compacted === undefined ? {} : { compacted: [...receipt.compacted] }),
            limits: receipt.limits.map(({ kept: _kept, ...rest }) => rest),
            unmet: [...receipt.unmet],
          },
        }
      }
      case 'fork':
        return { fork: context.fork(call.lens === 'working' ? 'working' : `@c${call.lens}`) }
      case 'import':
        return { fork: importSnapshot(context.export(`@c${call.cycle}`), options) }
      case 'hold': {
        const hold = context.hold(call.id)
        holds.push(() => hold.release())
        return { done: true }
      }
      case 'release':
        holds[call.pick % (holds.length || 1)]?.()
        return { done: true }
    }
  } catch (error) {
    if (PactError.is(error)) return { code: error.code }
    throw error
  }
}

/** An export without the makers of the nodes that travel with a summary: the model does not know these. */
function shown(context: Context, lens: Lens): string {
  return textOf(context.export(lens)).replaceAll(/"by":"[a-zA-Z.]+"/g, '"by":"?"')
}

function play(program: EditProgram): Record<string, number> {
  const counts: Record<string, number> = {}
  const sealed: Sealed[] = []
  let side = start(program)
  let before = shown(side.context, 'working')
  for (const step of program.steps) {
    const call = resolveStep(side.oracle, step)
    if (call === undefined) continue
    const theirs = callOracle(side.oracle, call, side.oracleHolds)
    const ours = callContext(side.context, call, side.holds, side.options)
    const said = JSON.stringify(call)
    if ('fork' in theirs && 'fork' in ours) {
      side = { ...side, context: ours.fork, oracle: theirs.fork, holds: [], oracleHolds: [] }
    } else {
      expect(ours, said).toEqual(theirs)
    }
    const name = `${'system' in call && call.system ? 'system ' : ''}${call.do} ${'code' in ours ? ours.code : 'ok'}`
    counts[name] = (counts[name] ?? 0) + 1
    const { context, oracle } = side
    const after = shown(context, 'working')
    expect(after, said).toBe(oracle.exportText('working'))
    if ('code' in ours) expect(after, said).toBe(before)
    before = after
    if (call.do === 'commit' && !('code' in ours)) {
      const cycle = context.cycle - 1
      expect(shown(context, '@t0'), said).toBe(oracle.exportText(cycle))
      expect(context.thread('@t0'), said).toEqual(oracle.thread(cycle))
      sealed.push({ context, cycle, hash: hashOf(context, `@c${cycle}`) })
    } else expect(context.thread(), said).toEqual(oracle.thread('working'))
  }
  checkReading(side)
  // Whatever was done since, in the context itself or in a fork: no earlier snapshot has changed.
  for (const { context, cycle, hash } of sealed) expect(hashOf(context, `@c${cycle}`)).toBe(hash)
  return counts
}

const SELECTORS = {
  '1.0': [
    '.block',
    '#a',
    '+t',
    'd1 .block',
    '^seq :post',
    '.cont > .block',
    '[cycle>2]',
    '.seg:last *',
    '[supersedes]',
  ],
  '0.1': ['.cb', "[key='a']", "[tags='t']", '.mt:depth(1) .cb', '^seq :post', '.mc > .cb', '[cycle>2]', '[supersedes]'],
} as const

/** The other reads of an edited tree: selectors find what a naive walk finds, attempts can be rendered again. */
function checkReading({ context, oracle }: Side): void {
  const { dialect } = context
  for (const selector of SELECTORS[dialect]) {
    const world = { dialect, snapshots: [], working: oracle.tree('working') }
    expect(context.select(`@working ${selector}`), selector).toEqual(oracleSelect(world, `@working ${selector}`))
  }
  expectRenderedAgain(context, 'working')
  if (context.snapshots().length === 0) return
  const exported = textOf(context.export('@t0'))
  expect(textOf(importSnapshot(exported).export('@t0'))).toBe(exported)
  expectRenderedAgain(context, '@t0')
}

/** Calls that have to succeed often. */
const CALLS = [
  'add',
  'put',
  'set',
  'insert',
  'replace',
  'move',
  'delete',
  'update',
  'redact',
  'compact',
  'expand',
  'commit',
  'import',
  'system put',
  'system set',
  'system move',
  'system redact',
]

/** Runs random programs of one dialect; each dialect has its own file, so that they run side by side. */
export function checkEditing(dialect: Dialect): void {
  const counts: Record<string, number> = {}
  fc.assert(
    fc.property(editProgram(40, [dialect]), (program) => {
      for (const [name, count] of Object.entries(play(program))) counts[name] = (counts[name] ?? 0) + count
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: !SHRINKS },
  )
  // Programs that are refused everywhere would agree too; a handful of them says nothing about that.
  if (RUNS < DEFAULT_RUNS) return
  for (const call of CALLS) expect(counts[`${call} ok`] ?? 0, call).toBeGreaterThan(RUNS / 20)
  expect(Object.keys(counts).filter((name) => name.endsWith('E_ODI_VIOLATION')).length).toBeGreaterThan(1)
}
