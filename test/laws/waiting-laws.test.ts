// The nodes that a commit takes do not depend on findings of earlier commits (G6): a fork begins without any of them and
// judges every node again, so at each commit of a random program a fork that commits at the same moment must lose the same
// nodes, in the same order. The naive models of test/oracle say that it is right; this says that it is all of it, with
// edits, holds and limits that hit the keepers of waiting nodes far more often than a plain program would.
// PACT_RUNS and PACT_SEED widen it.

import fc from 'fast-check'
import { createContext, PactError, type Context, type ContextOptions, type Hold, type PrunePolicy } from 'pact-context'
import { expect, test } from 'vitest'

import { readExport, walkExport } from '../support/context.js'
import { runs } from '../support/runs.js'

const RUNS = runs(100)
const SEED = Number(process.env['PACT_SEED'] ?? 26)

type Step = Readonly<{
  do:
    | 'add'
    | 'box'
    | 'brief'
    | 'into'
    | 'replace'
    | 'update'
    | 'delete'
    | 'move'
    | 'undo'
    | 'hold'
    | 'release'
    | 'commit'
  pick: number
  other: number
  refs: readonly number[]
  ttl: number | null
  flag: boolean
}>

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.oneof(
    { weight: 6, arbitrary: fc.constant('add' as const) },
    { weight: 3, arbitrary: fc.constant('brief' as const) },
    { weight: 5, arbitrary: fc.constant('commit' as const) },
    { weight: 8, arbitrary: fc.constantFrom('box', 'into', 'replace', 'update', 'delete', 'move', 'hold', 'release') },
    { weight: 1, arbitrary: fc.constant('undo' as const) },
  ),
  pick: fc.nat(40),
  other: fc.nat(40),
  refs: fc.array(fc.nat(40), { maxLength: 2 }),
  ttl: fc.option(fc.nat(2), { nil: null, freq: 4 }),
  flag: fc.boolean(),
})

const policy: fc.Arbitrary<PrunePolicy | undefined> = fc.option(
  fc.record({
    maxNodes: fc.integer({ min: 8, max: 30 }),
    protectSegments: fc.nat(1),
    unit: fc.constantFrom('node' as const, 'turn' as const),
    target: fc.constantFrom(undefined, 0.7),
  }),
  { nil: undefined, freq: 3 },
)

const options = fc.record({ prune: policy, emptySegments: fc.constantFrom('keep' as const, 'remove' as const) })

test('a commit that knows what waits takes what one that knows nothing takes (D26, D41, D55)', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), options, (steps, given) => {
      const run = new Run(given)
      for (const each of steps) run.take(each)
    }),
    { numRuns: RUNS, seed: SEED },
  )
})

class Run {
  readonly #ctx: Context
  readonly #holds: Hold[] = []

  constructor(given: ContextOptions) {
    this.#ctx = createContext({ clock: () => 1n, ...given })
  }

  take(each: Step): void {
    try {
      if (each.do === 'commit') this.#commitTwice()
      else this.#edit(each)
    } catch (error) {
      // A place where the node is not allowed, an id that is gone: such a call does nothing.
      if (!(error instanceof PactError) || error.code === 'E_INTERNAL') throw error
    }
  }

  #edit({ do: what, pick, other, refs, ttl, flag }: Step): void {
    const ctx = this.#ctx
    const ids = liveIds(ctx)
    const idAt = (n: number): string => ids[n % ids.length] ?? 'nobody'
    const target = `[id='${idAt(pick)}']`
    const header = { ttl, refs: refs.map(idAt) }
    if (what === 'add') ctx.post('x', header)
    else if (what === 'box') {
      const children = [{ content: 'in', ttl: pick % 3 }, { content: 'in' }, { content: 'in', refs: [idAt(other)] }]
      ctx.add(undefined, { ...header, removable: flag, children })
    } else if (what === 'brief') {
      // Soon empty; a reference to it, or to what it is in, may come later, and so may a hold.
      const inner = { removable: true, refs: header.refs, children: [{ content: 'brief', ttl: pick % 2 }] }
      ctx.add(undefined, flag ? { zone: 'post', ...inner } : { zone: 'post', removable: true, children: [inner] })
    } else if (what === 'into') ctx.insert({ content: 'y', ...header }, { parent: idAt(pick) })
    else if (what === 'replace') ctx.replace(target, flag ? { content: 'z' } : { content: 'z', refs: header.refs, ttl })
    else if (what === 'update') ctx.update(target, flag ? { tags: ['t'] } : { ttl })
    else if (what === 'delete') ctx.delete(target)
    else if (what === 'move') ctx.move(target, flag ? { parent: idAt(other) } : { depth: 0, zone: 'post' })
    else if (what === 'undo') ctx.undo()
    else if (what === 'hold') this.#holds.push(ctx.hold(idAt(pick)))
    else if (what === 'release') this.#holds.splice(0, 1).forEach((hold) => hold.release())
  }

  #commitTwice(): void {
    const ctx = this.#ctx
    const twin = ctx.fork('working')
    for (const { id } of this.#holds) {
      const meant = meantNow(ctx, id)
      if (meant !== undefined) twin.hold(meant)
    }
    const before = new Set(liveIds(ctx))
    const kept = (of: Context): readonly string[] => liveIds(of).filter((id) => before.has(id))
    const left = (of: Context): unknown => of.past.at(-1)!.changes.filter((change) => 'left' in change)
    twin.commit()
    ctx.commit()
    expect(kept(ctx)).toEqual(kept(twin))
    expect(left(ctx)).toEqual(left(twin))
  }
}

/** In document order, without root and regions. */
function liveIds(ctx: Context): readonly string[] {
  return ctx.nodes('*').flatMap(({ id, nodeType }) => (nodeType.startsWith('^') ? [] : [id]))
}

/** The node that a hold means now: itself, or the one that took its place (D41). */
function meantNow(ctx: Context, id: string): string | undefined {
  if (ctx.node(id) !== undefined) return id
  const nodes = walkExport(readExport(ctx.export('working')).root)
  const standsFor = (node: (typeof nodes)[number]): boolean => {
    const earlier = node['pact:stands_for']
    return node['supersedes'] === id || (Array.isArray(earlier) && earlier.includes(id))
  }
  return nodes.find(standsFor)?.id
}
