// The open cycle against the plainest model of it, a walk through its tree: what it finds, who refers to whom, and that
// a rollback or a copy leaves no trace.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { recordWith } from '../../test/support/records.js'
import { EMPTY_RECEIPT, NodeRecord, type RareHeaders } from '../core/index.js'
import { Draft } from './draft.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { Timeline } from './timeline.js'
import { newTree, walkRecords } from './tree.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 6) }
const CALLS = ['c1', 'c2']

type Step = Readonly<{
  do: 'block' | 'container' | 'remove' | 'move' | 'commit'
  pick: number
  refs: readonly number[]
  call: string | undefined
}>

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('block', 'block', 'block', 'container', 'remove', 'move', 'commit'),
  pick: fc.nat(50),
  // Ids are n0, n1, …, so a node may refer to others before they are there.
  refs: fc.array(fc.nat(15), { maxLength: 2 }),
  call: fc.option(fc.constantFrom(...CALLS), { nil: undefined }),
})
const steps = fc.array(step, { maxLength: 12 })
const edits = steps.map((list) => list.filter((each) => each.do !== 'commit'))

describe('Draft', () => {
  it('finds what its tree holds, with referrers and carriers, over any number of snapshots (D26, D27)', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (program) => {
        const writer = new DraftWriter()
        for (const each of program) {
          writer.run(each)
          checkLookups(writer)
        }
      }),
      SEED,
    )
  })

  it('is as it was after a rollback: the tree itself, the changes and every lookup', () => {
    fc.assert(
      fc.property(steps, edits, edits, (before, undone, after) => {
        const writer = new DraftWriter()
        for (const each of before) writer.run(each)
        const { tree } = writer.draft
        writer.draft.mark()
        const state = stateOf(writer.draft)
        for (const each of undone) writer.run(each)
        writer.draft.rollback()
        expect(writer.draft.tree).toBe(tree)
        expect(stateOf(writer.draft)).toEqual(state)
        checkLookups(writer)
        // The same ids come again as other nodes; what was rolled back must not answer for them.
        writer.serial = 0
        for (const each of after) writer.run({ ...each, refs: [] })
        checkLookups(writer)
      }),
      SEED,
    )
  })

  it('has copies that neither see its edits nor show it theirs', () => {
    fc.assert(
      fc.property(steps, edits, edits, (before, mine, theirs) => {
        const writer = new DraftWriter()
        for (const each of before) writer.run(each)
        const copy = new DraftWriter(writer.draft.copy(), writer.serial)
        const [own, copied] = [stateOf(writer.draft), stateOf(copy.draft)]
        expect(copied).toEqual(own)
        for (const each of theirs) copy.run(each)
        expect(stateOf(writer.draft)).toEqual(own)
        const theirState = stateOf(copy.draft)
        for (const each of mine) writer.run(each)
        expect(stateOf(copy.draft)).toEqual(theirState)
        checkLookups(writer)
        checkLookups(copy)
      }),
      SEED,
    )
  })

  it('holds an id while the tree or the last snapshot has it, and gives up what came and went unseen (N6)', () => {
    const writer = new DraftWriter()
    writer.run({ do: 'block', pick: 0, refs: [], call: undefined })
    expect(writer.draft.holds('n0')).toBe(true)
    writer.draft.remove(writer.draft.find('n0')!, 'edited')
    expect(writer.draft.holds('n0')).toBe(false)
    writer.run({ do: 'block', pick: 0, refs: [], call: undefined })
    writer.commit()
    writer.draft.remove(writer.draft.find('n1')!, 'edited')
    expect([writer.draft.find('n1'), writer.draft.holds('n1')]).toEqual([undefined, true])
    writer.commit()
    expect(writer.draft.holds('n1')).toBe(false)
  })

  it('notes only what differs from the last snapshot', () => {
    const writer = new DraftWriter()
    for (let i = 0; i < 100; i++) writer.run({ do: 'block', pick: 0, refs: [], call: undefined })
    writer.commit()
    expect([...writer.draft.changes]).toEqual([])
    writer.draft.remove(writer.draft.find('n7')!, 'edited')
    writer.run({ do: 'block', pick: 0, refs: [], call: undefined })
    expect([...writer.draft.changes].map((version) => [version.id, version.born])).toEqual([
      ['n7', 2],
      ['n100', 2],
    ])
  })
})

/** A draft with the few edits that a test needs. */
class DraftWriter {
  draft: Draft
  serial: number

  constructor(draft = Draft.first(Timeline.empty(), newTree()), serial = 0) {
    this.draft = draft
    this.serial = serial
  }

  run({ do: what, pick, refs, call }: Step): void {
    if (what === 'commit') return this.commit()
    const { draft } = this
    const records = recordsIn(draft).filter((each) => each.nodeClass === 'block' || each.nodeClass === 'cont')
    if (what === 'block' || what === 'container') {
      // A node that a rollback took back may come again, a live one may not.
      while (draft.holds(`n${this.serial}`)) this.serial++
      const parents = recordsIn(draft).filter((each) => each.nodeClass === 'region' || each.nodeClass === 'cont')
      const path = draft.pathTo(parents[pick % parents.length]!.id)
      const rare: RareHeaders = {
        refs: refs.map((n) => `n${n}`),
        ...(call === undefined ? {} : { attributes: new Map([['data_call_id', call]]) }),
      }
      const record = recordOf(`n${this.serial++}`, path.at(-1)!.record.id, what, draft.cycle, rare)
      return draft.insert(path, what === 'block' ? record : new Branch(record, Sequence.EMPTY))
    }
    const picked = records[pick % (records.length || 1)]
    if (picked === undefined) return
    const node: TreeNode = draft.nodeOf(picked)
    draft.remove(picked, 'edited')
    if (what === 'remove') return
    const moved = picked.movedTo(draft.region('^sys').record.id, draft.cycle)
    draft.insert([draft.region('^sys')], node instanceof Branch ? node.withRecord(moved) : moved)
  }

  commit(): void {
    const { timeline, cycle, tree, changes } = this.draft
    timeline.append(cycle, tree, [...changes], EMPTY_RECEIPT)
    this.draft = Draft.after(timeline, cycle)
  }
}

function checkLookups({ draft }: DraftWriter): void {
  const live = recordsIn(draft)
  const wrong: string[] = []
  const compare = (what: string, found: Iterable<NodeRecord>, expected: (record: NodeRecord) => boolean): void => {
    if (idsOf(found) !== idsOf(live.filter(expected))) wrong.push(what)
  }
  for (let n = 0; n < 30; n++) {
    const id = `n${n}`
    if (draft.find(id) !== live.find((record) => record.id === id)) wrong.push(id)
    const isNamed = live.some((record) => record.refs.includes(id))
    if (draft.isNamed(id) !== isNamed) wrong.push(`named ${id}`)
  }
  for (const node of live) {
    compare(`refs to ${node.id}`, draft.referrersOf(node), (record) => record.refs.includes(node.id))
  }
  for (const call of CALLS) compare(call, draft.carriersOf(call), (record) => record.callIds.includes(call))
  for (const record of live) {
    if (record.nodeClass === 'root') continue
    if (draft.pathTo(record.id).at(-1) !== draft.nodeOf(record)) wrong.push(`path to ${record.id}`)
  }
  expect(wrong).toEqual([])
}

function stateOf(draft: Draft): unknown {
  const changes = [...draft.changes].map((version) => [version.id, version.born, version instanceof NodeRecord])
  return { live: recordsIn(draft), changes: changes.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) }
}

function recordsIn({ tree }: Draft): readonly NodeRecord[] {
  return [tree.root, ...tree.regions.flatMap((region) => [...walkRecords(region)])]
}

function idsOf(records: Iterable<NodeRecord>): string {
  return Array.from(records, (record) => record.id)
    .sort()
    .join()
}

function recordOf(id: string, parentId: string, what: string, cycle: number, rare: RareHeaders): NodeRecord {
  const nodeClass = what === 'block' ? 'block' : 'cont'
  return recordWith({ id, parentId, nodeClass, nodeType: what, createdAtNs: BigInt(id.slice(1)), cycle, rare })
}
