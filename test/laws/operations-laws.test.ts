// Laws of edits as data, over random programs of every call: what `operations()` lists gives the same tree on a fork, but
// for ids and times; operations are the calls, to the byte; a fault leaves nothing behind; undo takes back what was one.

import fc from 'fast-check'
import {
  applyOperations,
  createContext,
  importSnapshot,
  PactError,
  replayOperations,
  type Context,
  type ContextOptions,
  type Operation,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf } from '../oracle/editing-arbitrary.js'
import { byCodePoint, DIALECTS, readExport, textOf, type ExportedNode } from '../support/context.js'
import {
  callFor,
  editedPrograms,
  editedRuns,
  expectAllDone,
  playEdited,
  treeOf,
  type Call,
  type EditedProgram,
} from '../support/edited.js'
import { callContext, type Outcome } from '../support/editing-law.js'

const LONG = { timeout: 900_000 }

describe.each(DIALECTS)('in PACT/%s', (dialect) => {
  test('what a cycle lists gives the same tree on a fork of its base, but for ids and times', LONG, () => {
    const runs: Readonly<Record<string, number>>[] = []
    let replayed = 0
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const bases = new WeakMap<Context, Readonly<{ cycle: number; fork: Context }>>()
        const taken = new WeakMap<Context, number>()
        const before = (ctx: Context, call: { do: string }): void => {
          // The first call of its cycle: nothing has been edited yet.
          if (bases.get(ctx)?.cycle !== ctx.cycle) bases.set(ctx, { cycle: ctx.cycle, fork: ctx.fork('working') })
          if (call.do !== 'commit') return
          replayed += ctx.operations().length
          const { fork } = bases.get(ctx)!
          expectReplayed(ctx, () => fork.fork('working'))
          const isFromSnapshot = ctx.snapshots().length > 0 && taken.get(ctx) !== ctx.cycle
          if (isFromSnapshot) expectReplayed(ctx, () => ctx.fork('@t0'))
        }
        const { done } = playEdited(program, {
          before,
          after: ({ ctx, call, outcome }) => {
            if (call.do === 'fork' && call.lens === 'working') taken.set(ctx, ctx.cycle)
            if ('receipt' in outcome) expect(ctx.operations()).toEqual([])
          },
        })
        runs.push(done)
      }),
      editedRuns(36),
    )
    expectAllDone(runs)
    expect(replayed).toBeGreaterThan(0)
  })

  test('an operation is its call: the same ids, codes and bytes', LONG, () => {
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const twins = [twinOf(program), twinOf(program)] as const
        for (const step of program.steps) {
          const call = callFor(twins[0].ctx, treeOf(twins[0].ctx), step)
          if (call === undefined) continue
          const operation = operationOf(call)
          const expected = run(twins[0], call)
          if (operation === undefined) expect(shown(run(twins[1], call))).toEqual(shown(expected))
          else expect(applied(twins[1].ctx, [operation]), JSON.stringify(operation)).toEqual(expected)
          expect(stateOf(twins[1].ctx)).toBe(stateOf(twins[0].ctx))
          expect(twins[1].ctx.operations()).toEqual(twins[0].ctx.operations())
        }
      }),
      editedRuns(24),
    )
  })

  test('a list is its calls in one step, and a fault in it leaves nothing', LONG, () => {
    const faults = fc.infiniteStream(fc.nat(1000))
    fc.assert(
      fc.property(editedPrograms(dialect), faults, (program, picks) => {
        // An abandoned edit has read the clock; one that does not move shows that nothing else is left of it.
        const still = { ...program, ticks: [0] }
        const [single, listed] = [twinOf(still), twinOf(still)]
        const waiting: { operation: Operation; ids: readonly string[] }[] = []
        const flush = (): void => {
          const list = waiting.map(({ operation }) => operation)
          const at = picks.next().value! % (list.length + 1)
          expectNothingLeft(listed.ctx, list, at)
          expectOneStep(listed.ctx, list)
          expect(applyOperations(listed.ctx, list)).toEqual(waiting.map(({ ids }) => ids))
          expect(stateOf(listed.ctx)).toBe(stateOf(single.ctx))
          expect(listed.ctx.operations()).toEqual(single.ctx.operations())
          waiting.length = 0
        }
        for (const step of program.steps) {
          // Undo means the last call there and the whole list here.
          if (step.do === 'undo') continue
          const call = callFor(single.ctx, treeOf(single.ctx), step)
          if (call === undefined) continue
          const operation = operationOf(call)
          if (operation === undefined) flush()
          const outcome = run(single, call)
          if (operation === undefined) expect(shown(run(listed, call))).toEqual(shown(outcome))
          else if ('ids' in outcome) waiting.push({ operation, ids: outcome.ids })
        }
      }),
      editedRuns(24),
    )
  })
})

/** Replays what a context lists on its base, as it is and after JSON, and compares. */
function expectReplayed(ctx: Context, base: () => Context): void {
  const operations = ctx.operations()
  if (operations.length === 0) return
  for (const list of [operations, JSON.parse(JSON.stringify(operations)) as typeof operations]) {
    const fork = base()
    replayOperations(fork, list)
    const again = fork.operations()
    expect(again.map(({ op }) => op)).toEqual(operations.map(({ op }) => op))
    const ids = new Map<string, string>()
    for (const [i, { made = [], opened = [] }] of again.entries()) {
      const own = operations[i]!
      expect(made).toHaveLength(own.made?.length ?? 0)
      for (const [n, id] of made.entries()) ids.set(id, own.made![n]!)
      for (const [n, id] of opened.entries()) ids.set(id, own.opened![n]!)
    }
    expect(withoutTimes(fork, ids), JSON.stringify(operations, undefined, 1)).toEqual(withoutTimes(ctx, new Map()))
  }
}

/** The working tree and what returns in it, with other ids, and without what tells when a node was made. */
function withoutTimes(ctx: Context, ids: ReadonlyMap<string, string>): unknown {
  const { root, schedules } = readExport(ctx.export('working')) as unknown as { root: ExportedNode; schedules: unknown }
  return JSON.parse(
    JSON.stringify({ root, schedules }, (name, value: unknown) => {
      if (['created_at_ns', 'created_at_iso', 'creation_index', 'ns'].includes(name)) return undefined
      return withIds(name, value)
    }),
  )

  function withIds(name: string, value: unknown): unknown {
    // The last three are in the list of a summary (D63).
    if (['id', 'supersedes', 'of', 'parent', 'core'].includes(name)) return ids.get(value as string) ?? value
    if (name !== 'refs' && name !== 'pact:stands_for') return value
    const renamed = (value as readonly string[]).map((id) => ids.get(id) ?? id)
    // An export writes these by code point, whatever was there first.
    return name === 'refs' ? renamed : renamed.sort(byCodePoint)
  }
}

type Twin = { ctx: Context; holds: (() => void)[]; readonly options: ContextOptions }

/** Two of these are equal as long as the same is done to both. */
function twinOf({ dialect, odi, prune, ticks }: EditedProgram): Twin {
  const countTokens = (text: string): number => text.length
  const options = { dialect, odi, countTokens, clock: clockOf(ticks), ...(prune ? { prune } : {}) }
  return { ctx: createContext(options), holds: [], options }
}

/** Makes a call and goes on in the context it gives, if it gives one. */
function run(twin: Twin, call: Call): Outcome {
  const outcome: Outcome =
    call.do === 'import' && !('cycle' in call)
      ? { fork: importSnapshot(textOf(twin.ctx.export('@t0')), twin.options) }
      : callContext(twin.ctx, call, twin.holds)
  if ('fork' in outcome) {
    twin.ctx = outcome.fork
    twin.holds = []
  }
  return outcome
}

function shown(outcome: Outcome): unknown {
  return 'fork' in outcome ? 'a context' : outcome
}

/** The same call as data, as JSON leaves it; undefined for what is no edit, and for a regular expression. */
function operationOf(call: Call): Operation | undefined {
  const region = 'system' in call && call.system ? { region: 'system' } : {}
  const operation = (fields: object): Operation =>
    JSON.parse(JSON.stringify({ op: call.do, ...region, ...fields })) as Operation
  switch (call.do) {
    case 'add': {
      const { content, ...header } = call.spec
      return operation({ content, header })
    }
    case 'put':
    case 'set':
      return operation({ key: call.key, content: call.content, header: call.header })
    case 'insert':
      return operation({ spec: call.spec, position: call.position })
    case 'replace':
      return operation({ selector: call.selector, spec: call.spec })
    case 'move':
      return operation({ selector: call.selector, position: call.position })
    case 'delete':
      return operation({ selector: call.selector, options: call.options })
    case 'update':
      return operation({ selector: call.selector, changes: call.changes })
    case 'redact':
      if (typeof call.options.match !== 'string') return undefined
      return operation({ selector: call.selector, options: call.options })
    default:
      return undefined
  }
}

/** The result of a list of one, as a call would give it. */
function applied(ctx: Context, operations: readonly Operation[]): Outcome {
  try {
    return { ids: [...applyOperations(ctx, operations)[0]!] }
  } catch (error) {
    if (!PactError.is(error)) throw error
    expect(error.details['operation']).toBe(0)
    return { code: error.code }
  }
}

/** Applies the list with a bad operation in it: nothing has changed. That no id is spent shows in what is done next. */
function expectNothingLeft(ctx: Context, list: readonly Operation[], at: number): void {
  const before = [stateOf(ctx), ctx.operations()]
  const bad: Operation = { op: 'delete', selector: '#no-such-node-anywhere' }
  const faulty = [...list.slice(0, at), bad, ...list.slice(at)]
  expect(() => applyOperations(ctx, faulty)).toThrow(
    expect.objectContaining({ code: 'E_NODE_NOT_FOUND', details: { selector: bad.selector, operation: at } }),
  )
  expect([stateOf(ctx), ctx.operations()]).toEqual(before)
}

/** Applies the list and undoes it, in a batch that is given up, so that the ids are as before. */
function expectOneStep(ctx: Context, list: readonly Operation[]): void {
  const [before, operations] = [stateOf(ctx), ctx.operations()]
  const givenUp = new Error('given up')
  expect(() =>
    ctx.batch(() => {
      applyOperations(ctx, list)
      const isStep = ctx.operations().length > operations.length
      expect(ctx.undo()).toBe(isStep)
      expect([stateOf(ctx), ctx.operations()]).toEqual([before, operations])
      expect(ctx.undo()).toBe(false)
      throw givenUp
    }),
  ).toThrow(givenUp)
}

function stateOf(ctx: Context): string {
  return textOf(ctx.export('working'))
}
