// The law of lives: on random programs of every edit, with forks, what `life` reads off the versions of an id is what a
// naive look at all snapshots finds: which of them hold the node, and between which neighbours it came, went, changed,
// stood elsewhere or was sealed. PACT_RUNS and PACT_SEED widen it.

import fc from 'fast-check'
import { createContext, type Context, type LifeEvent, type Node } from 'pact-context'
import { expect, test } from 'vitest'

import { callOracle, clockOf, editProgram, resolveStep, type EditProgram } from '../oracle/editing-arbitrary.js'
import { EditingOracle } from '../oracle/editing.js'
import { callContext } from '../support/editing-law.js'
import { runs } from '../support/runs.js'

const RUNS = runs(36)
const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

test('a life is what all snapshots together show, in a context and in its forks', () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(editProgram(40), (program) => {
      for (const context of play(program)) checkLives(context, seen)
    }),
    { numRuns: RUNS, seed: SEED },
  )
  // A law about nothing would hold as well.
  const all: readonly LifeEvent['what'][] = ['created', 'cadence', 'expanded', 'sealed', 'edited', 'moved', 'dropped']
  const ends: readonly LifeEvent['what'][] = ['expired', 'pruned', 'superseded', 'redacted', 'compacted']
  if (RUNS >= 36) for (const what of [...all, ...ends]) expect(seen.get(what) ?? 0, what).toBeGreaterThan(0)
})

/** Runs a program, going on in every fork, and gives all contexts there were. */
function play({ dialect, odi, prune, ticks, steps }: EditProgram): Context[] {
  const options = { dialect, odi, countTokens: (text: string): number => text.length, ...(prune ? { prune } : {}) }
  let context = createContext({ ...options, clock: clockOf(ticks) })
  let oracle = new EditingOracle({ ...options, clock: clockOf(ticks) })
  const contexts = [context]
  let [holds, oracleHolds]: (() => void)[][] = [[], []]
  for (const step of steps) {
    const call = resolveStep(oracle, step)
    if (call === undefined) continue
    const theirs = callOracle(oracle, call, oracleHolds!)
    const ours = callContext(context, call, holds!)
    if (!('fork' in theirs && 'fork' in ours)) continue
    oracle = theirs.fork
    context = ours.fork
    contexts.push(context)
    holds = []
    oracleHolds = []
  }
  return contexts
}

/** One node as one snapshot shows it: its own fields, and its place. */
type Seen = Readonly<{ headers: string; ttl: number | null; parent: string | undefined; offset: number; node: Node }>

function checkLives(context: Context, seen: Map<string, number>): void {
  const cycles = context
    .snapshots()
    .map(({ cycle }) => cycle)
    .toReversed()
  const trees = cycles.map((cycle) => nodesOf(context.snapshot(`@c${cycle}`).root))
  const ids = new Set(trees.flatMap((tree) => [...tree.keys()]))
  for (const id of ids) {
    const life = context.life(id)
    expect(life.runs, id).toEqual(runsOf(id, cycles, trees))
    const events = life.events.filter(({ cycle }) => cycle < context.cycle)
    expect(events.map(plainly), id).toEqual(eventsOf(context, id, cycles, trees))
    for (const event of events) {
      seen.set(event.what, (seen.get(event.what) ?? 0) + 1)
      checkWho(context, id, event)
    }
  }
}

function nodesOf(root: Node): ReadonlyMap<string, Seen> {
  const nodes = new Map<string, Seen>()
  const add = (node: Node): void => {
    // That a container was emptied is no header: it follows from what it held. Nor are the earlier ids of a node, which commits drop (D41).
    const { children: _children, ttl: _ttl, offset: _offset, ...all } = node.toJSON()
    const { 'pact:emptied': _emptied, 'pact:stands_for': _names, ...headers } = all
    const { ttl, parentId: parent, offset } = node
    nodes.set(node.id, { headers: JSON.stringify(headers), ttl, parent, offset, node })
    for (const child of node.children) add(child)
  }
  add(root)
  return nodes
}

function runsOf(id: string, cycles: readonly number[], trees: readonly ReadonlyMap<string, Seen>[]): object[] {
  const runs: { from: number; to: number }[] = []
  for (const [i, cycle] of cycles.entries()) {
    if (!trees[i]!.has(id)) continue
    if (i > 0 && trees[i - 1]!.has(id)) runs.at(-1)!.to = cycle
    else runs.push({ from: cycle, to: cycle })
  }
  return runs
}

function plainly({ cycle, what }: LifeEvent): string {
  const isArrival = ['created', 'imported', 'cadence', 'expanded'].includes(what)
  const isEnd = ['expired', 'pruned', 'superseded', 'redacted', 'dropped', 'compacted'].includes(what)
  return `${cycle} ${isArrival ? 'came' : isEnd ? 'went' : what === 'demoted' ? 'moved' : what}`
}

function eventsOf(
  context: Context,
  id: string,
  cycles: readonly number[],
  trees: readonly ReadonlyMap<string, Seen>[],
): string[] {
  return cycles.flatMap((cycle, i) => {
    const [before, after] = [trees[i - 1], trees[i]!]
    const [old, now] = [before?.get(id), after.get(id)]
    if (now === undefined) {
      // A node that crosses the border of ^sys becomes another one.
      const crossed =
        old !== undefined && context.life(id).events.find((each) => each.cycle === cycle)!.what === 'moved'
      return old === undefined ? [] : [`${cycle} ${crossed ? 'moved' : 'went'}`]
    }
    const events = old === undefined ? ['came'] : changesOf(old, now, before!, after)
    if (isSealed(context, cycle, now, after)) {
      const wasThere = old !== undefined && segmentOf(old, before!) === segmentOf(now, after)
      if (!wasThere) events.push('sealed')
    }
    return events.map((what) => `${cycle} ${what}`)
  })
}

function changesOf(
  old: Seen,
  now: Seen,
  before: ReadonlyMap<string, Seen>,
  after: ReadonlyMap<string, Seen>,
): string[] {
  const events = isMoved(old, now, before, after) ? ['moved'] : []
  const ran = old.ttl === null ? null : Math.max(0, old.ttl - 1)
  return old.headers === now.headers && now.ttl === ran ? events : [...events, 'edited']
}

/** True if the node, or something it is in, is in another place; an empty core that waited in the head was only sealed. */
function isMoved(old: Seen, now: Seen, before: ReadonlyMap<string, Seen>, after: ReadonlyMap<string, Seen>): boolean {
  if (old.parent !== now.parent && old.offset === now.offset && before.get(old.parent!)!.node.nodeType === '^ah')
    return false
  if (old.parent !== now.parent || old.offset !== now.offset) return true
  return now.parent !== undefined && isMoved(before.get(now.parent)!, after.get(now.parent)!, before, after)
}

function isSealed(context: Context, cycle: number, now: Seen, tree: ReadonlyMap<string, Seen>): boolean {
  const segment = segmentOf(now, tree)
  if (segment === undefined || segment === now.node.id || tree.get(segment)!.node.cycle !== cycle) return false
  return context.explain(segment, `@c${cycle}`).created!.by === 'commit'
}

function segmentOf({ node, parent }: Seen, tree: ReadonlyMap<string, Seen>): string | undefined {
  if (parent === undefined) return undefined
  return tree.get(parent)!.node.nodeType === '^seq' ? node.id : segmentOf(tree.get(parent)!, tree)
}

/** Who did it, as explain and receipts tell it for that cycle. */
function checkWho(context: Context, id: string, { cycle, what, by }: LifeEvent): void {
  const lens = `@c${cycle}` as const
  const explained = context.explain(id, lens)
  if (what === 'created') expect(by).toBe(explained.created!.by)
  else if (what === 'imported') expect([by, explained.created!.by]).toEqual([undefined, 'import'])
  else if (what === 'cadence') expect([by, explained.created!.by]).toEqual([undefined, 'cadence'])
  else if (what === 'expanded') expect([by, explained.created!.by]).toEqual([undefined, undefined])
  else if (['superseded', 'redacted', 'compacted'].includes(what)) expect(by).toBe(explained.supersededBy)
  else if (what === 'pruned')
    expect(by).toBe(context.snapshot(lens).receipt.removed.find((each) => each.id === id)?.rule)
  else if (what === 'expired' || what === 'sealed' || what === 'demoted') expect(by).toBeUndefined()
  if (explained.left !== undefined) {
    const { cause } = explained.left
    // A summary goes by the call that brings its nodes back.
    if (cause === 'expanded') expect([what, by]).toEqual(['dropped', 'expand'])
    else expect(what).toBe(cause === 'edited' ? 'dropped' : cause)
  }
}
