// Stage 1 of a commit: expired nodes leave, unless a node that stays needs them (D24, D26).
//
// A node is at risk if it has expired or is inside a node that has. Only some of these are judged: nodes that this cycle puts at risk,
// which the sums in the tree lead to, and nodes that have lost their keeper (see waiting.ts). Everything else stays. The survivors are
// found from the nodes that are held or needed from outside: each saved node saves its ancestors, the nodes that it refers to, and its
// children that have not expired themselves.

import type { NodeRecord } from '../core/index.js'
import {
  childrenOf,
  endingIn,
  recordOf,
  sortByPlace,
  walkNodes,
  type Draft,
  type Sequence,
  type TreeNode,
} from '../timeline/index.js'
import type { Keepers } from './keepers.js'
import type { Verdict, Waiting } from './waiting.js'

/** The nodes that a caller holds (D26). */
export type Held = (id: string) => boolean

/** True if a caller holds a node, or one that it replaced (D41). */
export function isHeld(draft: Draft, record: NodeRecord, held: Held): boolean {
  if (record.rare === undefined || held(record.id)) return held(record.id)
  return record.names.some((id) => held(id) && draft.meant(id) === record)
}

export type ExpiryInput = Readonly<{
  draft: Draft
  held: Held
  /** The ids whose last hold has ended since the last commit. */
  released: Iterable<string>
  /** The waiting nodes of the last snapshot; undefined if they have not been searched for yet. */
  waiting: Waiting | undefined
}>

/** Removes the expired nodes of the open cycle, and says who was judged and who stays. */
export function expireNodes(input: ExpiryInput): Omit<Verdict, 'touched' | 'emptied'> {
  const { draft, waiting } = input
  const isNothingDue = draft.tree.regions.every(({ children }) => children.due > draft.cycle)
  if (isNothingDue && (waiting?.expired.size ?? 0) === 0) return NO_VERDICT
  const doubts = new Doubts(input)
  const judged = doubts.gather()
  const doubtful = doubts.atRisk(judged)
  nodesJudged += doubtful.size
  const { keepers, outside } = survivors(input, doubtful)
  const doomed: NodeRecord[] = []
  for (const [id, node] of doubtful) {
    const record = recordOf(node)
    const parent = record.parentId!
    // A doomed subtree leaves as a whole, with its top node.
    if (!keepers.has(id) && (!doubtful.has(parent) || keepers.has(parent))) doomed.push(record)
  }
  for (const record of sortByPlace(draft, doomed)) draft.remove(record, 'expired')
  return { judged, keepers, outside }
}

const NO_VERDICT: Omit<Verdict, 'touched' | 'emptied'> = { judged: [], keepers: new Map(), outside: new Map() }

/** For tests that count: how many nodes all commits so far have judged. */
export function countJudged(): number {
  return nodesJudged
}

let nodesJudged = 0

/** Finds the nodes that may not stay as they are. */
class Doubts {
  readonly #input: ExpiryInput
  /** Ids in doubt, with their nodes where these are at hand. */
  readonly #loose = new Map<string, TreeNode | undefined>()
  readonly #risks = new Map<string, boolean>()

  constructor(input: ExpiryInput) {
    this.#input = input
  }

  gather(): Iterable<string> {
    const { draft, waiting, released } = this.#input
    const tops = waiting === undefined ? expiredTops : endingIn
    for (const { children } of draft.tree.regions) {
      for (const top of tops(children, draft.cycle)) this.#loosenAll(top)
    }
    if (waiting !== undefined) {
      for (const { id } of draft.changes) this.#lookAt(id, waiting.expired)
      for (const id of waiting.touched) this.#lookAt(id, waiting.expired)
      for (const id of released) this.#loosenMeant(id, waiting.expired)
    }
    return this.#loose.keys()
  }

  /** Those of them that are there and at risk, with their nodes. */
  atRisk(ids: Iterable<string>): ReadonlyMap<string, TreeNode> {
    const { draft } = this.#input
    const found = new Map<string, TreeNode>()
    for (const id of ids) {
      const record = draft.find(id)
      if (record === undefined || !this.#isAtRisk(record)) continue
      const isLeaf = record.nodeClass === 'block'
      found.set(id, this.#loose.get(id) ?? (isLeaf ? record : draft.nodeOf(record)))
    }
    return found
  }

  /** Looks at a node that came, left or changed since the last commit judged it. */
  #lookAt(id: string, waiting: Keepers): void {
    const { draft } = this.#input
    const record = draft.find(id)
    if (record === undefined) return this.#loosen(id)
    // It may have taken a meaning from another node.
    for (const name of record.rare === undefined ? [id] : record.names) this.#loosenMeant(name, waiting)
    if (waiting.has(id) || this.#isAtRisk(record)) this.#loosenAll(draft.nodeOf(record))
    else if (!waiting.keepsOn(record)) this.#loosen(id)
  }

  /** Puts the waiting nodes in doubt that an id may mean. */
  #loosenMeant(id: string, waiting: Keepers): void {
    if (waiting.has(id)) this.#loosen(id)
    for (const standIn of this.#input.draft.mayStandInFor(id)) if (waiting.has(standIn)) this.#loosen(standIn)
  }

  #loosenAll(top: TreeNode): void {
    for (const node of walkNodes(top)) this.#loosen(recordOf(node).id, node)
  }

  /** Puts a node in doubt, and with it all nodes that are kept by way of it. */
  #loosen(id: string, node?: TreeNode): void {
    if (node !== undefined) this.#loose.set(id, node)
    else if (!this.#loose.has(id)) this.#loose.set(id, undefined)
    else return
    const queue = [id]
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const kept of this.#input.waiting?.expired.keptBy(next) ?? []) {
        if (this.#loose.has(kept)) continue
        this.#loose.set(kept, undefined)
        queue.push(kept)
      }
    }
  }

  #isAtRisk(record: NodeRecord): boolean {
    const { draft } = this.#input
    const line: string[] = []
    let isAtRisk = false
    // A file may give a region a ttl, which ends nothing.
    for (let up = record; up.nodeClass !== 'region' && up.nodeClass !== 'root'; up = draft.find(up.parentId!)!) {
      const known = this.#risks.get(up.id)
      isAtRisk = known ?? isExpired(up, draft.cycle)
      line.push(up.id)
      if (isAtRisk || known !== undefined) break
    }
    // Nodes below it share its verdict.
    for (const id of line) this.#risks.set(id, isAtRisk)
    return isAtRisk
  }
}

function* expiredTops(sequence: Sequence, cycle: number): Generator<TreeNode, void, undefined> {
  if (sequence.due > cycle) return
  for (const chunk of sequence.chunks ?? []) yield* expiredTops(chunk, cycle)
  for (const item of sequence.items ?? []) {
    if (isExpired(recordOf(item), cycle)) yield item
    else yield* expiredTops(childrenOf(item), cycle)
  }
}

/** The nodes in doubt that stay after all, each with its keeper. */
function survivors(input: ExpiryInput, doubtful: ReadonlyMap<string, TreeNode>): Pick<Verdict, 'keepers' | 'outside'> {
  const { draft } = input
  const keepers = new Map<string, string | undefined>()
  const outside = new Map<string, NodeRecord>()
  const queue: TreeNode[] = []
  const save = (id: string, keeper: string | undefined): void => {
    const node = doubtful.get(id)
    if (node === undefined || keepers.has(id)) return
    keepers.set(id, keeper)
    queue.push(node)
  }
  for (const [id, node] of doubtful) {
    const keeper = outsideKeeper(input, node, doubtful)
    if (keeper === undefined) continue
    if (keeper !== HOLD) outside.set(keeper.id, keeper)
    save(id, keeper === HOLD ? undefined : keeper.id)
  }
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    const { id, parentId, refs } = recordOf(node)
    save(parentId!, id)
    for (const ref of refs) save(draft.meant(ref)?.id ?? ref, id)
    for (const child of childrenOf(node)) if (!isExpired(recordOf(child), draft.cycle)) save(recordOf(child).id, id)
  }
  return { keepers, outside }
}

const HOLD = Symbol('held')

/** The keeper of a node in doubt that is not in doubt itself: everything that is not in doubt stays. */
function outsideKeeper(
  { draft, held }: ExpiryInput,
  node: TreeNode,
  doubtful: ReadonlyMap<string, TreeNode>,
): NodeRecord | typeof HOLD | undefined {
  const record = recordOf(node)
  if (isHeld(draft, record, held)) return HOLD
  for (const referrer of draft.referrersOf(record)) if (!doubtful.has(referrer.id)) return referrer
  for (const child of childrenOf(node)) if (!doubtful.has(recordOf(child).id)) return recordOf(child)
  // It has not expired itself, so its parent is at risk too, and stays.
  const isParentSafe = !isExpired(record, draft.cycle) && !doubtful.has(record.parentId!)
  return isParentSafe ? draft.find(record.parentId!) : undefined
}

function isExpired(record: NodeRecord, cycle: number): boolean {
  return record.expiry <= cycle
}
