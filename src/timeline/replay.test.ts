// Replaying a commit costs what it changed: all other parts of the trees before and after are one.

import { describe, expect, it, test } from 'vitest'

import { createContext, PactError } from '../index.js'
import { Gone, NodeRecord, type RecordFields, type Version } from '../core/index.js'
import { checkpointOf, prepareCommit } from '../context/persistence.js'
import { Context } from '../context/index.js'
import { changedTree, timelineFrom, type Sequence, type Tree } from './index.js'

describe('changedTree', () => {
  it('makes anew the chunks around what changed, and shares the rest', () => {
    const fresh = [200, 6_000].map(freshChunks)
    // One more level of chunks in the larger tree, for each of the four places that change.
    expect(fresh[1]! - fresh[0]!).toBeLessThanOrEqual(6)
    expect(fresh[1]!).toBeLessThanOrEqual(24)
  })

  it('gives the tree itself where nothing changed, but for its frame', () => {
    const { tree, find } = history(40)
    const same = changedTree(tree, find, { versions: [], emptied: [], schedules: [] })
    expect(same.regions.every((region, i) => region === tree.regions[i])).toBe(true)
    expect(same.schedules).toBe(tree.schedules)
  })
})

describe('a change that does not fit its tree', () => {
  const { ctx, tree, find } = history(3)
  const [block] = ctx.select('d1 .block')
  const here = find(block!)!
  const core = find(here.parentId!)!
  const changed = (record: NodeRecord, fields: Partial<RecordFields>): NodeRecord =>
    new NodeRecord({ ...record, ...fields })
  const rows: readonly (readonly [why: string, id: string, versions: readonly Version[]])[] = [
    ['a region under something else', 'seq', [changed(find('seq')!, { parentId: core.id })]],
    ['a second root', 'other', [changed(find('root')!, { id: 'other' })]],
    ['a block that becomes a container', here.id, [changed(here, { nodeClass: 'cont' })]],
    ['a node in a block', here.id, [changed(here, { id: 'new', parentId: here.id })]],
    ['a node in nothing', 'nobody', [changed(here, { parentId: 'nobody' })]],
    ['a node in itself', 'root', [changed(core, { parentId: core.id })]],
    [
      'two that hold each other',
      'root',
      [changed(core, { id: 'a', parentId: 'b' }), changed(core, { id: 'b', parentId: 'a' })],
    ],
    ['a node under the root', 'root', [changed(here, { parentId: 'root' })]],
    ['a removal of nobody', 'nobody', [new Gone('nobody', 4, 'edited')]],
    ['a removal of a region', 'ah', [new Gone('ah', 4, 'edited')]],
    ['a container that leaves its child behind', here.id, [new Gone(core.id, 4, 'edited')]],
  ]
  test.each(rows)('is refused: %s, at %s', (_why, id, versions) => {
    const change = { versions, emptied: [], schedules: [] }
    const error = refusal(() => changedTree(tree, find, change))
    expect([error.code, error.details]).toEqual(['E_SNAPSHOT_INVALID', { id }])
  })

  test('is refused: the name of an emptied container that is not there', () => {
    const change = { versions: [], emptied: ['nobody'], schedules: [] }
    expect(refusal(() => changedTree(tree, find, change)).details).toEqual({ id: 'nobody' })
  })
})

function refusal(call: () => unknown): PactError {
  try {
    call()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

type History = Readonly<{
  ctx: Context
  tree: Tree
  find: (id: string) => ReturnType<ReturnType<typeof timelineFrom>['find']>
}>

/** A tree of many turns, made again from a checkpoint. */
function history(turns: number): History {
  let now = 0n
  const ctx = createContext({ clock: () => (now += 1n), history: 1 })
  for (let i = 0; i < turns; i++) {
    ctx.user(`turn ${i}`)
    ctx.commit()
  }
  const { snapshot } = checkpointOf(Context.partsOf(ctx))
  const timeline = timelineFrom(snapshot!, undefined)
  return { ctx, tree: timeline.treeAt(turns)!, find: (id) => timeline.find(id, turns) }
}

/** The number of new chunks after a turn with an update, a deletion, an insertion in the middle, and a message. */
function freshChunks(turns: number): number {
  const { ctx, tree, find } = history(turns)
  const at = (depth: number): string => ctx.select(`d${depth} .block`)[0]!
  ctx.update(`{ id="${at(turns >> 1)}" }`, { priority: 1 })
  ctx.delete(`{ id="${at(turns >> 2)}" }`)
  ctx.insert({ content: 'between' }, `(d${turns - 3}, 1)`)
  ctx.user('next')
  const { change } = prepareCommit(Context.partsOf(ctx)).record()
  const known = new Set(tree.regions.flatMap(({ children }) => chunksOf(children)))
  const after = changedTree(tree, find, change)
  return after.regions.flatMap(({ children }) => chunksOf(children)).filter((chunk) => !known.has(chunk)).length
}

/** The chunks of a sequence, without those below its members. */
function chunksOf(sequence: Sequence): readonly Sequence[] {
  return [sequence, ...(sequence.chunks ?? []).flatMap(chunksOf)]
}
