// The index of all versions against a naive map of every snapshot, along histories that fork and fork again.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { recordWith } from '../../test/support/records.js'
import { EMPTY_RECEIPT, Gone, type NodeRecord, type Receipt, type Region, type Version } from '../core/index.js'
import { Draft } from './draft.js'
import { Timeline } from './timeline.js'
import { newTree, walkRecords, type Tree } from './tree.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 5) }

type Step = Readonly<{
  do: 'add' | 'crowd' | 'remove' | 'move' | 'again' | 'commit' | 'fork'
  line: number
  pick: number
}>

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('add', 'add', 'add', 'crowd', 'remove', 'move', 'again', 'commit', 'commit', 'fork'),
  line: fc.nat(),
  pick: fc.nat(),
})

describe('Timeline', () => {
  it('finds the version that the snapshot of any cycle holds, for ids that come, move, go and come back (D5)', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (program) => {
        const lines = [new Line()]
        for (const each of program) {
          const line = lines[each.line % lines.length]!
          if (each.do !== 'fork') line.run(each)
          else if (line.timeline.newest !== undefined) lines.push(line.fork(1 + (each.pick % line.timeline.newest)))
        }
        for (const line of lines) checkLine(line)
      }),
      SEED,
    )
  })

  it('answers alike 40 forks down, beyond the point where a fork makes an index of its own (D6)', () => {
    const lines = [new Line()]
    for (let n = 0; n < 5; n++) lines[0]!.run({ do: 'add', line: 0, pick: n })
    lines[0]!.commit()
    for (let depth = 1; depth <= 40; depth++) {
      const parent = lines.at(-1)!
      const { newest } = parent.timeline
      // Every fifth one leaves from an older snapshot, which one of its ancestors owns.
      const line = parent.fork(depth % 5 === 0 ? Math.max(1, newest! - 7) : newest!)
      for (const what of ['add', 'move', 'add', 'remove', 'again'] as const)
        line.run({ do: what, line: 0, pick: depth })
      line.commit()
      lines.push(line)
    }
    for (const line of lines) checkLine(line)
    // A branch that goes on further up is not seen further down.
    const before = lines.at(-1)!.timeline.find('n:1-0', 1)
    expect(before).toBeDefined()
    lines[0]!.run({ do: 'remove', line: 0, pick: 0 })
    lines[0]!.commit()
    checkLine(lines[0]!)
    checkLine(lines.at(-1)!)
    expect(lines.at(-1)!.timeline.find('n:1-0', 1)).toBe(before)
  })

  it('knows its oldest and newest snapshot, and none before the first (D5)', () => {
    const line = new Line()
    expect([line.timeline.oldest, line.timeline.newest, line.timeline.treeAt(1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    for (const pick of [0, 1, 2]) {
      line.run({ do: 'add', line: 0, pick })
      line.commit()
    }
    expect([line.timeline.oldest, line.timeline.newest]).toEqual([1, 3])
    const fork = line.fork(2)
    expect([fork.timeline.oldest, fork.timeline.newest]).toEqual([1, 2])
    fork.commit()
    fork.commit()
    expect([fork.timeline.oldest, fork.timeline.newest, line.timeline.newest]).toEqual([1, 4, 3])
    expect(fork.timeline.treeAt(3)).not.toBe(line.timeline.treeAt(3))
    expect(fork.timeline.treeAt(2)).toBe(line.timeline.treeAt(2))
    expect([fork.timeline.treeAt(0), fork.timeline.treeAt(5)]).toEqual([undefined, undefined])
  })

  it('starts where an imported history starts (D6)', () => {
    const timeline = Timeline.empty()
    timeline.append(12, newTree(), [], EMPTY_RECEIPT)
    expect([timeline.oldest, timeline.newest, timeline.treeAt(11)]).toEqual([12, 12, undefined])
  })

  it('keeps the receipt of each cycle, shared with forks up to where they leave (02 §7)', () => {
    const line = new Line()
    const receipts = [1, 2].map((n): Receipt => ({
      ...EMPTY_RECEIPT,
      unmet: [{ rule: 'maxNodes', limit: 0, actual: n }],
    }))
    for (const receipt of receipts) line.commit(receipt)
    line.commit()
    const fork = line.fork(1)
    fork.commit()
    expect([1, 2, 3].map((cycle) => line.timeline.receiptAt(cycle))).toEqual([...receipts, EMPTY_RECEIPT])
    expect([1, 2].map((cycle) => fork.timeline.receiptAt(cycle))).toEqual([receipts[0], EMPTY_RECEIPT])
  })
})

/** One history and the naive record of it: every node of every snapshot. */
class Line {
  readonly timeline: Timeline
  readonly seen: Map<number, ReadonlyMap<string, NodeRecord>>
  #draft: Draft
  #names = 0

  constructor(timeline = Timeline.empty(), draft = Draft.first(timeline, newTree()), seen: Line['seen'] = new Map()) {
    this.timeline = timeline
    this.#draft = draft
    this.seen = seen
  }

  run({ do: what, pick }: Step): void {
    const draft = this.#draft
    const live = recordsIn(draft.tree).filter((record) => record.nodeClass === 'block')
    const gone = Array.from(this.#everSeen()).filter((id) => draft.find(id) === undefined)
    const picked = live[pick % (live.length || 1)]
    if (what === 'commit') this.commit()
    else if (what === 'add') this.#add(pick)
    else if (what === 'crowd') for (let i = 0; i < 40; i++) this.#add(pick + i)
    else if (what === 'again' && gone.length > 0) this.#insert(recordOf(gone[pick % gone.length]!, draft.cycle), '^ah')
    else if (picked !== undefined && what !== 'again') {
      draft.remove(picked, 'edited')
      if (what === 'move') this.#insert(picked, picked.parentId === 'ah' ? '^sys' : '^ah')
    }
  }

  commit(receipt: Receipt = EMPTY_RECEIPT): void {
    const { cycle, tree, changes } = this.#draft
    this.timeline.append(cycle, tree, [...changes], receipt)
    this.seen.set(cycle, new Map(recordsIn(tree).map((record) => [record.id, record])))
    this.#draft = Draft.after(this.timeline, cycle)
  }

  fork(cycle: number): Line {
    const timeline = this.timeline.fork(cycle)
    const seen = new Map([...this.seen].filter(([each]) => each <= cycle))
    return new Line(timeline, Draft.after(timeline, cycle), seen)
  }

  /** With an id as the mint gives it, for this cycle or another one, or as anybody else might. */
  #add(pick: number): void {
    const { cycle } = this.#draft
    const named = [
      `:${cycle}-`,
      `:${cycle}-`,
      `:f1:${cycle}-`,
      '',
      `:${cycle + 2}-`,
      `:${Math.max(1, cycle - 2)}-`,
      ':0-',
      '-',
    ]
    this.#insert(recordOf(`n${named[pick % named.length]!}${this.#names++}`, cycle), '^ah')
  }

  #insert(record: NodeRecord, region: Region): void {
    const draft = this.#draft
    if (draft.find(record.id) !== undefined) return
    draft.insert([draft.region(region)], record.movedTo(draft.region(region).record.id, draft.cycle))
  }

  #everSeen(): ReadonlySet<string> {
    return new Set(
      [...this.seen.values()].flatMap((snapshot) => [...snapshot.keys()]).filter((id) => id.startsWith('n')),
    )
  }
}

function checkLine({ timeline, seen }: Line): void {
  const ids = new Set([...seen.values()].flatMap((snapshot) => [...snapshot.keys()]))
  const wrong: string[] = []
  for (const [cycle, snapshot] of seen) {
    if (recordsIn(timeline.treeAt(cycle)!).some((record) => snapshot.get(record.id) !== record))
      wrong.push(`@c${cycle}`)
    for (const id of [...ids, 'nobody']) {
      if (timeline.find(id, cycle) !== snapshot.get(id)) wrong.push(`${id} in @c${cycle}`)
    }
  }
  const newest = timeline.newest === undefined ? undefined : seen.get(timeline.newest)
  for (const record of newest?.values() ?? []) {
    for (const target of record.refs) {
      if (![...timeline.referrersOf(target)].includes(record.id)) wrong.push(`${record.id} refers to ${target}`)
    }
    for (const callId of record.callIds) {
      if (![...timeline.carriersOf(callId)].includes(record.id)) wrong.push(`${record.id} carries ${callId}`)
    }
  }
  expect(wrong).toEqual([])
}

function recordsIn(tree: Tree): readonly NodeRecord[] {
  return [tree.root, ...tree.regions.flatMap((region) => [...walkRecords(region)])]
}

/** Every node refers to n0 and to the one before it, and every third shares a call. */
function recordOf(id: string, cycle: number): NodeRecord {
  const n = Number(/\d+$/.exec(id)![0])
  const rare = { refs: ['n0', `n${n - 1}`], attributes: new Map([['data_call_id', `c${n % 3}`]]) }
  return recordWith({ id, parentId: 'ah', createdAtNs: BigInt(n), cycle, rare })
}

describe('a long timeline', () => {
  it('finds every version across its eras, and in forks from any of them (D5, D6)', () => {
    const line = new LongLine()
    for (let cycle = 1; cycle <= 40_000; cycle++) line.commit(cycle)
    const forks = [1, 1023, 1024, 1025, 17_000, 38_911, 38_912, 39_999, 40_000].map((cycle) => line.fork(cycle))
    for (const fork of forks) for (let n = 1; n <= 1500; n++) fork.commit(fork.timeline.newest! + 1)
    for (let cycle = 40_001; cycle <= 41_000; cycle++) line.commit(cycle)
    expect([line, ...forks].flatMap((each) => each.faults())).toEqual([])
  })
})

/** Thirty ids, of which each cycle changes one, takes one away and adds a new one; with the changes of each cycle. */
class LongLine {
  readonly timeline: Timeline
  readonly #logs: Map<number, readonly Version[]>
  readonly #tree = newTree()

  constructor(timeline = Timeline.empty(), logs: ReadonlyMap<number, readonly Version[]> = new Map()) {
    this.timeline = timeline
    this.#logs = new Map(logs)
  }

  commit(cycle: number): void {
    const changed = recordWith({ id: `x${cycle % 30}`, cycle, born: cycle })
    const added = recordWith({ id: `block:${cycle}-0`, cycle, born: cycle })
    const log = [changed, added, new Gone(`block:${cycle - 5}-0`, cycle, 'expired')]
    this.#logs.set(cycle, log)
    this.timeline.append(cycle, this.#tree, log, receiptOf(cycle))
  }

  fork(cycle: number): LongLine {
    const logs = new Map([...this.#logs].filter(([each]) => each <= cycle))
    return new LongLine(this.timeline.fork(cycle), logs)
  }

  faults(): string[] {
    const { newest } = this.timeline
    const wrong: string[] = []
    const known = new Map<string, Version>()
    for (let cycle = 1; cycle <= newest!; cycle++) {
      for (const version of this.#logs.get(cycle)!) known.set(version.id, version)
      if (this.timeline.changesAt(cycle).length !== 3) wrong.push(`log of ${cycle}`)
      if (this.timeline.receiptAt(cycle) !== receiptOf(cycle)) wrong.push(`receipt of ${cycle}`)
      if (cycle % 97 > 0 && cycle < newest! - 3) continue
      const ids = [
        `x${cycle % 30}`,
        `x${(cycle + 7) % 30}`,
        `block:${cycle}-0`,
        `block:${cycle - 3}-0`,
        `block:${cycle - 9}-0`,
      ]
      for (const id of ids) if (this.timeline.versionAt(id, cycle) !== known.get(id)) wrong.push(`${id} at ${cycle}`)
    }
    if (this.timeline.versionAt(`block:${newest! + 1}-0`, newest! + 1) !== undefined) wrong.push('beyond the newest')
    return wrong
  }
}

const RECEIPTS: readonly Receipt[] = [{ ...EMPTY_RECEIPT }, { ...EMPTY_RECEIPT }]

/** Now and then a commit has pruned something; each receipt is known again as the object it is. */
function receiptOf(cycle: number): Receipt {
  return cycle % 7 === 0 ? RECEIPTS[cycle % 2]! : EMPTY_RECEIPT
}
