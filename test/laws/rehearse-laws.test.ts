// Laws of `rehearse`, over random programs of every call: it leaves every byte, id, time and step as before, and what it returns is what
// the same edits give on a fork.

import fc from 'fast-check'
import { createContext, importSnapshot, replayOperations, type Context, type ContextOptions } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf } from '../oracle/editing-arbitrary.js'
import { DIALECTS, textOf } from '../support/context.js'
import {
  callFor,
  editedPrograms,
  editedRuns,
  playEdited,
  treeOf,
  type Call,
  type EditedProgram,
} from '../support/edited.js'
import { callContext, type Outcome } from '../support/editing-law.js'

const LONG = { timeout: 900_000 }

describe.each(DIALECTS)('in PACT/%s', (dialect) => {
  test('a rehearsal leaves every byte, id, time and step as before', LONG, () => {
    let rehearsed = 0
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const [plain, trying] = [new Player(program), new Player(program)]
        for (const [n, step] of program.steps.entries()) {
          const before = stateOf(trying.ctx)
          const edits = trying.ctx.rehearse(() => {
            const first = editsFrom(trying.ctx, program, n, 3)
            // A rehearsal in it, and a batch that is kept, go with it.
            trying.ctx.rehearse(() => editsFrom(trying.ctx, program, n + 1, 2))
            trying.ctx.batch(() => editsFrom(trying.ctx, program, n + 2, 1))
            previewOf(trying.ctx)
            return first
          })
          rehearsed += edits.filter((outcome) => 'ids' in outcome).length
          expect(stateOf(trying.ctx)).toEqual(before)
          const call = callFor(plain.ctx, treeOf(plain.ctx), step)
          if (call === undefined) continue
          expect(shown(trying.run(call))).toEqual(shown(plain.run(call)))
          expect(stateOf(trying.ctx)).toEqual(stateOf(plain.ctx))
        }
        while (plain.ctx.undo()) expect(trying.ctx.undo()).toBe(true)
        expect(stateOf(trying.ctx)).toEqual(stateOf(plain.ctx))
      }),
      editedRuns(5),
    )
    expect(rehearsed).toBeGreaterThan(0)
  })

  test('a rehearsal returns what the same edits give on a fork', LONG, () => {
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        let n = 0
        playEdited(program, {
          before: (ctx) => {
            const at = n++
            const fork = ctx.fork('working')
            const known = ctx.operations().length
            const [operations, tree] = ctx.rehearse(() => {
              editsFrom(ctx, program, at, 4)
              return [ctx.operations().slice(known), withoutIds(ctx)] as const
            })
            replayOperations(fork, operations)
            expect(withoutIds(fork)).toEqual(tree)
          },
        })
      }),
      editedRuns(5),
    )
  })
})

/** One context of two that are equal as long as the same is done to both. Its clock does not move, since rehearsals read it too. */
class Player {
  ctx: Context
  #holds: (() => void)[] = []
  readonly #options: ContextOptions

  constructor({ dialect, odi, prune }: EditedProgram) {
    const countTokens = (text: string): number => text.length
    this.#options = { dialect, odi, countTokens, clock: clockOf([0]), ...(prune ? { prune } : {}) }
    this.ctx = createContext(this.#options)
  }

  run(call: Call): Outcome {
    const outcome: Outcome =
      call.do === 'import'
        ? { fork: importSnapshot(textOf(this.ctx.export('@t0')), this.#options) }
        : callContext(this.ctx, call, this.#holds)
    if ('fork' in outcome) {
      this.ctx = outcome.fork
      this.#holds = []
    }
    return outcome
  }
}

const NO_EDITS: readonly string[] = ['commit', 'fork', 'import', 'hold', 'release']

/** Plays the edits among the steps from one on, each as it reads in the tree at hand. */
function editsFrom(ctx: Context, { steps }: EditedProgram, from: number, count: number): readonly Outcome[] {
  return steps.slice(from, from + count).flatMap((step) => {
    if (NO_EDITS.includes(step.do)) return []
    const call = callFor(ctx, treeOf(ctx), step)
    return call === undefined || call.do === 'import' ? [] : [callContext(ctx, call, [])]
  })
}

function shown(outcome: Outcome): unknown {
  return 'fork' in outcome ? 'a context' : outcome
}

/** All that shows of the open cycle, and what its commit would make. */
function stateOf(ctx: Context): readonly unknown[] {
  return [ctx.cycle, textOf(ctx.export('working')), ctx.operations(), previewOf(ctx), ctx.warnings, ctx.snapshots()]
}

function previewOf(ctx: Context): string {
  try {
    return textOf(ctx.export('preview'))
  } catch (error) {
    return (error as { code: string }).code
  }
}

const OWN = new Set([
  'id',
  'refs',
  'supersedes',
  'pact:stands_for',
  'creation_index',
  'created_at_ns',
  'created_at_iso',
  // Ids and times of nodes that travel with a summary.
  'ns',
  'of',
  'parent',
  'core',
])

/** The working tree without ids and times. */
function withoutIds(ctx: Context): unknown {
  const { root } = JSON.parse(textOf(ctx.export('working'))) as { root: unknown }
  return JSON.parse(JSON.stringify(root, (name, value: unknown) => (OWN.has(name) ? undefined : value)))
}
