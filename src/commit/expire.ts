// Stage 1 of a commit: what has lived its ttl leaves, unless something that stays needs it (D24, D26).
//
// Only the subtrees of expired nodes are looked at; the sums in the tree lead there. Everything outside them stays, so
// the survivors are found by starting from what is held or referred to from outside and following, from each node that
// is saved, its ancestors, what it refers to, and its children that have not expired themselves.

import type { NodeRecord } from '../core/index.js'
import { childrenOf, recordOf, walkNodes, type Draft, type Sequence, type TreeNode } from '../timeline/index.js'

/** Which nodes a caller holds (D26). */
export type Held = (id: string) => boolean

/** Whether a caller holds a node, or one whose place it took (D41). */
export function isHeld(draft: Draft, record: NodeRecord, held: Held): boolean {
  if (record.rare === undefined || held(record.id)) return held(record.id)
  return record.names.some((id) => held(id) && draft.meant(id) === record)
}

/** Removes the expired nodes of the open cycle. */
export function expireNodes(draft: Draft, held: Held): void {
  if (draft.tree.regions.every((region) => region.children.due > draft.cycle)) return
  const atRisk = new Map<string, TreeNode>()
  for (const region of draft.tree.regions) {
    for (const top of expiredTops(region.children, draft.cycle)) {
      for (const node of walkNodes(top)) atRisk.set(recordOf(node).id, node)
    }
  }
  if (atRisk.size === 0) return
  const saved = survivors(draft, atRisk, held)
  for (const [id, node] of atRisk) {
    const record = recordOf(node)
    const parent = record.parentId!
    // With its top node a whole doomed subtree leaves.
    if (!saved.has(id) && (!atRisk.has(parent) || saved.has(parent))) draft.remove(record, 'expired')
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

function survivors(draft: Draft, atRisk: ReadonlyMap<string, TreeNode>, held: Held): ReadonlySet<string> {
  const saved = new Set<string>()
  const queue: TreeNode[] = []
  const save = (id: string): void => {
    const node = atRisk.get(id)
    if (node === undefined || saved.has(id)) return
    saved.add(id)
    queue.push(node)
  }
  for (const [id, node] of atRisk)
    if (isHeld(draft, recordOf(node), held) || isNamedFromOutside(draft, node, atRisk)) save(id)
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    const record = recordOf(node)
    save(record.parentId!)
    for (const id of record.refs) save(draft.meant(id)?.id ?? id)
    for (const child of childrenOf(node)) if (!isExpired(recordOf(child), draft.cycle)) save(recordOf(child).id)
  }
  return saved
}

function isNamedFromOutside(draft: Draft, node: TreeNode, atRisk: ReadonlyMap<string, TreeNode>): boolean {
  for (const referrer of draft.referrersOf(recordOf(node))) if (!atRisk.has(referrer.id)) return true
  return false
}

function isExpired(record: NodeRecord, cycle: number): boolean {
  return record.expiry <= cycle
}
