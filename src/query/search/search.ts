// Searches a tree part by part for the results of a union whose groups are local: the root with `^sys`, the leaves of history,
// the active head. Collecting, going one by one and comparing two trees are all this one walk.

import type { NodeRecord } from '../../core/index.js'
import type { NumberRange } from '../../selector/index.js'
import type { Branch, Sequence, View } from '../../timeline/index.js'
import { FlatTree, type Extent } from '../match/flat-tree.js'
import { matchGroup, realRows, type Matching } from '../match/match.js'
import { inKeyOrder, inOrder, type Rows } from '../match/result-order.js'
import type { Visits } from '../match/visits.js'
import type { Lists, PartMemo } from '../memory/part-memo.js'
import type { Group, Plan, Union } from '../plan/plan.js'

/** The results in one part of a tree: a list for each group, or one list for all of them. */
export type PlacedLists<T> = Readonly<{ place: TreePart; lists: readonly (readonly T[])[] }>

/** The form in which results are remembered, and the way to make one list of those of neighbouring parts. */
export type Form<T> = Readonly<{
  of: (records: readonly NodeRecord[]) => readonly T[]
  join: (lists: Lists<T>) => readonly T[]
}>

type TreePart = 'before' | 'seq' | 'head'

/** Some neighbouring segments of a tree, and the depth of the first. */
type Stretch = Readonly<{ chunk: Sequence | Branch; depth: number }>

export class Search {
  readonly #view: View
  readonly #groups: readonly Group[]
  /** All groups give one list in document order. */
  readonly #isMerged: boolean
  readonly #matching: Matching

  constructor(view: View, { groups }: Union, plan: Pick<Plan, 'dialect' | 'order'>, budget: Visits) {
    this.#view = view
    this.#groups = groups
    this.#isMerged = plan.order !== undefined || (plan.dialect === '0.1' && groups.length > 1)
    this.#matching = { view, dialect: plan.dialect, budget }
  }

  /** The records of every part, in document order. */
  *records(): Generator<PlacedLists<NodeRecord>, void, undefined> {
    const depths = this.#depths()
    if (reaches(depths, -1)) yield this.#before()
    for (const stretch of stretchesOf(this.#view.tree.regions[1].children, depths)) yield this.#inStretch(stretch)
    if (reaches(depths, 0)) yield this.#head()
  }

  /** The results of every part; those of history come from the memo where it has them. Only for lasting unions. */
  *remembered<T>(memo: PartMemo<T>, form: Form<T>): Generator<PlacedLists<T>, void, undefined> {
    const { tree } = this.#view
    const { children } = tree.regions[1]
    memo.begin(tree)
    yield formed(this.#before(), form)
    for (const lists of this.#newest(children, children.size, memo, form)) yield { place: 'seq', lists }
    yield formed(this.#head(), form)
    memo.end(children)
  }

  /** The lists of the newest chunk of a level, which is another one after every commit: by the chunks in it, or by segment. */
  *#newest<T>(chunk: Sequence, depth: number, memo: PartMemo<T>, form: Form<T>): Generator<Lists<T>, void, undefined> {
    let below = depth
    for (const part of (chunk.chunks ?? chunk.items!) as readonly (Sequence | Branch)[]) {
      const isNewest = chunk.chunks?.at(-1) === part
      if (isNewest) yield* this.#newest(part, below, memo, form)
      else yield this.#known(part, below, memo, form)
      below -= sizeOf(part)
    }
  }

  /** The lists of a part that later trees will have too. */
  #known<T>(part: Sequence | Branch, depth: number, memo: PartMemo<T>, form: Form<T>): Lists<T> {
    this.#matching.budget.spend(1)
    const known = memo.get(part)
    if (known !== undefined) return known
    const chunks = 'items' in part ? part.chunks : undefined
    if (chunks === undefined) return memo.set(part, formed(this.#inStretch({ chunk: part, depth }), form).lists)
    let below = depth
    const lists = chunks.map((chunk) => {
      const found = this.#known(chunk, below, memo, form)
      below -= chunk.size
      return found
    })
    return memo.set(
      part,
      lists[0]!.map((_, i) => form.join(lists.map((each) => each[i]!))),
    )
  }

  /** The records in one unit; without a unit, the root and `^seq` themselves. */
  inUnit(unit: Branch | undefined): readonly NodeRecord[] {
    const { root, regions } = this.#view.tree
    const [sys, seq, head] = regions
    if (unit === head) return this.#head().lists.flat()
    if (unit === sys || unit === undefined) {
      const isTop = (record: NodeRecord): boolean => record === root || record === seq.record
      return this.#before()
        .lists.flat()
        .filter((record) => isTop(record) === (unit === undefined))
    }
    const depth = seq.children.size - seq.children.rank(unit.record)
    return this.#inStretch({ chunk: unit, depth }).lists.flat()
  }

  /** Joins the lists of all parts. In the order of one key, results before history come last (D20). */
  collect<T>(found: Iterable<PlacedLists<T>>): readonly T[] {
    const parts = [...found]
    const width = this.#isMerged ? 1 : this.#groups.length
    const lists: (readonly T[])[] = []
    for (let i = 0; i < width; i++) {
      const isBeforeLast = !this.#isMerged && this.#groups[i]!.isKeyed && parts[0]?.place === 'before'
      const ordered = isBeforeLast ? [...parts.slice(1), parts[0]!] : parts
      for (const part of ordered) if (part.lists[i]!.length > 0) lists.push(part.lists[i]!)
    }
    return joined(lists)
  }

  #before(): PlacedLists<NodeRecord> {
    return this.#in('before', FlatTree.of(this.#view.tree, { ...NOTHING, sys: true }))
  }

  #head(): PlacedLists<NodeRecord> {
    return this.#in('head', FlatTree.of(this.#view.tree, { ...NOTHING, head: true }))
  }

  /** Rows are kept with a leaf if it is not the newest, which the next commit replaces. */
  #inStretch({ chunk, depth }: Stretch): PlacedLists<NodeRecord> {
    const { tree } = this.#view
    if ('items' in chunk && depth > chunk.size) return this.#in('seq', FlatTree.ofLeaf(tree, chunk, depth))
    return this.#in(
      'seq',
      FlatTree.of(tree, { ...NOTHING, segments: 'items' in chunk ? chunk.items! : [chunk], depth }),
    )
  }

  /** The root and `^seq` are results of the part before history alone. */
  #in(place: TreePart, flat: FlatTree): PlacedLists<NodeRecord> {
    const first = place === 'before' ? 0 : flat.seqRow + 1
    const lists = this.#match(flat).map((rows) => rows.filter((row) => row >= first).map((row) => flat.records[row]!))
    return { place, lists }
  }

  /** The rows that each group finds, each node where it is first found. */
  #match(flat: FlatTree): readonly Rows[] {
    const lists = this.#groups.map((group) => {
      const rows = realRows(flat, matchGroup(flat, group, this.#matching))
      return this.#isKeyed(group) ? inKeyOrder(flat, rows) : rows
    })
    if (lists.length === 1) return lists
    const seen = new Set<number>()
    const apart = lists.map((rows) => rows.filter((row) => !seen.has(row) && seen.add(row)))
    return this.#isMerged ? [inOrder(apart.flat())] : apart
  }

  #isKeyed({ isKeyed }: Group): boolean {
    return isKeyed && !this.#isMerged
  }

  /** The only depths that can hold a result. */
  #depths(): readonly NumberRange[] | undefined {
    const depths = this.#groups.map(({ traits }) => traits.depths)
    return depths.every((each) => each !== undefined) ? depths.flat() : undefined
  }
}

const NOTHING: Extent = { sys: false, head: false, segments: [], depth: 0 }

/** The number of segments in a part. */
function sizeOf(part: Sequence | Branch): number {
  return 'items' in part ? part.size : 1
}

function formed<T>({ place, lists }: PlacedLists<NodeRecord>, { of }: Form<T>): PlacedLists<T> {
  return { place, lists: lists.map((records) => (records.length === 0 ? NONE : of(records))) }
}

/** Not frozen: V8 takes several times as long to join lists if one of them is. */
const NONE: readonly never[] = []

/** History leaf by leaf, or the segments at some depths. */
function* stretchesOf(seq: Sequence, depths: readonly NumberRange[] | undefined): Generator<Stretch, void, undefined> {
  if (depths !== undefined) {
    for (const index of segmentsAt(seq, depths)) yield { chunk: seq.at(index) as Branch, depth: seq.size - index }
    return
  }
  let depth = seq.size
  for (const leaf of seq.leaves()) {
    yield { chunk: leaf, depth }
    depth -= leaf.size
  }
}

/** The indexes of the segments at some depths, in document order. */
function segmentsAt(seq: Sequence, depths: readonly NumberRange[]): readonly number[] {
  const found = new Set<number>()
  for (const { from, to } of depths) {
    for (let depth = Math.max(1, from); depth <= Math.min(to, seq.size); depth++) found.add(seq.size - depth)
  }
  return [...found].sort((a, b) => a - b)
}

function reaches(depths: readonly NumberRange[] | undefined, depth: number): boolean {
  return depths === undefined || depths.some(({ from, to }) => from <= depth && to >= depth)
}

/** The number of arguments that a call safely takes. */
const MAX_JOINED = 10_000

/** Joins lists at once: to grow a long array item by item takes several times as long. */
export function joined<T>(lists: readonly (readonly T[])[]): readonly T[] {
  if (lists.length === 1) return lists[0]!
  if (lists.length <= MAX_JOINED) return ([] as readonly T[]).concat(...lists)
  const half = Math.ceil(lists.length / 2)
  return joined([joined(lists.slice(0, half)), joined(lists.slice(half))])
}
