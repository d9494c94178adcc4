// `@*` and `@mode=union` over histories with every edit, forks, imports, holds and pruning, against the naive evaluator,
// which asks each snapshot for everything (D8, D45). PACT_RUNS and PACT_SEED widen it; a failing seed prints itself.

import fc from 'fast-check'
import { formatSelector, parseSelector, type Context, type Selector } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { readDocument } from '../oracle/diff.js'
import { selectorArbitrary } from '../oracle/selector-arbitrary.js'
import { oracleSelect, type OracleTree, type OracleWorld } from '../oracle/selector.js'
import { DIALECTS, textOf } from '../support/context.js'
import { answer } from '../support/answer.js'
import { editedPrograms, editedRuns, expectAllDone, playEdited } from '../support/edited.js'

/** Bodies whose nodes answer for themselves, whose segments do, and such that every snapshot must be asked. */
const BODIES = {
  // Changes of `update` under an id: an older snapshot selects a node that the newer one holds and does not select.
  changeable: [
    '[priority>0]',
    '[priority=0]',
    '[pinned=true]',
    '[tag]',
    '[tag=null]',
    "[tag='t']",
    '.block[priority<0]',
  ],
  nodes: ['*', '.block', "[content~'a']", '[offset<0]', "[key in ['k', 'note', null]]", '.seg', '[cycle>2]'],
  segments: ['^seq .block', '.cont > *', '^sys *', '.seg > .block', '.block:first', '.cont .block:last'],
  snapshots: [
    '[ttl<=2]',
    '.seg:last',
    '.seg:first > *',
    '(d1)',
    'd1 .block',
    '[ephemeral]',
    '* > .block[priority>=0] *',
  ],
  several: [
    '.block, .cont',
    '.seg:last, .block',
    '[ttl], .block > *',
    '.nothing ?? .block',
    '([ttl=1] ?? .cont) .block',
  ],
}
const ENDS = ['', ' @order=turn:desc', ' @order=path', ' @skip=2 @limit=3']
const PREFIXES = ['@* ', '@t-*..@t0 ', '@t-1..@t-4 ']

const RUNS = editedRuns(24)

describe.each(DIALECTS)('over several snapshots, %s', (dialect) => {
  test('@* and flat ranges give what a look into every snapshot gives, whatever was edited (D8, D45)', () => {
    const runs: Readonly<Record<string, number>>[] = []
    let older = 0
    fc.assert(
      fc.property(editedPrograms(dialect), fc.nat(1000), (program, pick) => {
        const { contexts, done } = playEdited(program)
        runs.push(done)
        for (const ctx of contexts) {
          const world = worldOf(ctx)
          for (const text of questionsOf(world, pick)) {
            const expected = answer(() => oracleSelect(world, text, { flat: true }))
            expect(
              answer(() => ctx.select(text) as readonly string[]),
              text,
            ).toEqual(expected)
            if (Array.isArray(expected) && expected.some((id) => ctx.node(id as string, '@t0') === undefined)) older++
          }
        }
      }),
      RUNS,
    )
    expectAllDone(runs)
    expect(older).toBeGreaterThan(RUNS.numRuns)
  })
})

/** A few of the bodies above, in turn, and some that are made for the trees at hand. */
function questionsOf(world: OracleWorld, pick: number): readonly string[] {
  if (world.snapshots.length === 0) return []
  const from = <T>(list: readonly T[], at: number): T => list[(pick + at) % list.length]!
  const fixed = Object.values(BODIES).flatMap((bodies, i) =>
    [0, 1, 2].map((at) => {
      const prefix = from(PREFIXES, i + at)
      const end = from(ENDS, Math.floor(pick / 7) + at)
      return `${prefix}${from(bodies, at)}${end}${prefix === '@* ' ? '' : ' @mode=union'}`
    }),
  )
  const drawn = fc.sample(selectorArbitrary(world, world.dialect, { errors: false }), { seed: pick, numRuns: 6 })
  return [...fixed, ...drawn.flatMap((text) => overAll(text, world.dialect))]
}

/** The same selector over all snapshots. */
function overAll(text: string, dialect: OracleWorld['dialect']): readonly string[] {
  const tree: Selector = parseSelector(text, { dialect })
  if (tree.controls.some(({ name }) => name === 'mode')) return []
  return [formatSelector({ ...tree, time: { kind: 'all', span: tree.span } })]
}

function worldOf(ctx: Context): OracleWorld {
  const treeOf = (lens: `@c${number}` | 'working'): OracleTree =>
    withoutNotes(readDocument(textOf(ctx.export(lens))).root)
  const snapshots = ctx.snapshots().map(({ cycle }) => ({ cycle, tree: treeOf(`@c${cycle}`) }))
  return { dialect: ctx.dialect, snapshots, working: treeOf('working') }
}

/** Names with `pact:` are the engine's own notes in an export; no selector sees them. */
function withoutNotes({ children, ...header }: OracleTree): OracleTree {
  const names = Object.entries(header).filter(([name]) => !name.startsWith('pact:'))
  const below = children === undefined ? {} : { children: (children as readonly OracleTree[]).map(withoutNotes) }
  return { ...Object.fromEntries(names), ...below }
}
