// The law of tokens: after any program of edits, with forks, imports and pruning, what `tokens` says is what a naive recount
// of the public nodes gives: in all and by everything, in every lens, and in the receipts. PACT_RUNS and PACT_SEED widen it.

import fc from 'fast-check'
import { canonicalJson, type Context, type Lens, type Node, type Snapshot, type TokensBy } from 'pact-context'
import { expect, test } from 'vitest'

import { editedPrograms, editedRuns, expectAllDone, playEdited, snapshotsOf } from '../support/edited.js'

const BY: readonly Exclude<TokensBy, 'name'>[] = ['region', 'depth', 'role', 'kind', 'key', 'node']

/** Depends on all that a count may depend on: the fields of the content hash. Other names, such as `pact:compacted`, are not among them. */
function count(text: string, { role, kind, attributes }: Pick<Node, 'role' | 'kind' | 'attributes'>): number {
  const hashed = Object.keys(attributes).filter((name) => /^(?:data|content)_/.test(name))
  return text.length + 7 * (role ?? '').length + 3 * (kind ?? '').length + hashed.length
}

test.each(['1.0', '0.1'] as const)('tokens are a recount of all nodes, after any edits (%s)', (dialect) => {
  const all: Record<string, number>[] = []
  let counted = 0
  fc.assert(
    fc.property(editedPrograms(dialect), (program) => {
      const edited = playEdited(
        program,
        {
          after: ({ ctx, call }) => {
            // In between as well, so that what is kept with a chunk is met again after later edits.
            check(ctx, 'working')
            if (call.do === 'commit' || call.do === 'fork') check(ctx, 'preview')
            counted++
          },
        },
        { countTokens: count },
      )
      for (const { ctx, lens } of snapshotsOf(edited)) check(ctx, lens)
      all.push(edited.done)
    }),
    editedRuns(25),
  )
  expectAllDone(all)
  expect(counted).toBeGreaterThan(0)
})

function check(ctx: Context, lens: Lens): void {
  let snapshot: Snapshot
  try {
    snapshot = ctx.snapshot(lens)
  } catch {
    return // a preview may be refused
  }
  const nodes = counted(snapshot)
  const total = nodes.reduce((sum, { tokens }) => sum + tokens, 0)
  expect(ctx.tokens(lens)).toEqual({ total })
  for (const by of BY) {
    const naive: Record<string, number> = {}
    for (const node of nodes) naive[node[by]] = (naive[node[by]] ?? 0) + node.tokens
    const told = ctx.tokens(lens, { by })
    expect(told.total).toBe(total)
    // A region or a segment without a word is listed too.
    expect(Object.fromEntries(Object.entries(told.by).filter(([name, sum]) => sum > 0 || name in naive))).toEqual(naive)
    expect(snapshot.tokens({ by })).toEqual(told)
  }
  const limit = snapshot.receipt.limits.find(({ rule }) => rule === 'maxTokens')
  if (limit !== undefined) expect(limit.after).toBe(total)
}

/** Names of tools are in test/reports/tokens-only.test.ts. */
type Counted = Readonly<Record<Exclude<TokensBy, 'name'>, string> & { tokens: number }>

function counted({ root }: Snapshot): readonly Counted[] {
  const found: Counted[] = []
  const walk = (node: Node, region: string, depth: string, outerKey: string): void => {
    const key = node.key ?? outerKey
    if (node.content !== undefined) {
      const text = typeof node.content === 'string' ? node.content : canonicalJson(node.content)
      const { role = '', kind = '' } = node
      found.push({ region, depth, role, kind, key, node: node.id, tokens: count(text, node) })
    }
    for (const [at, child] of node.children.entries()) {
      walk(child, region, node.nodeType === '^seq' ? String(node.children.length - at) : depth, key)
    }
  }
  for (const region of root.children) {
    walk(region, region.nodeType, { '^sys': '-1', '^ah': '0' }[region.nodeType] ?? '', '')
  }
  return found
}
