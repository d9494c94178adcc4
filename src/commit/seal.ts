// Stage 3 of a commit: the active head becomes the newest segment (02 §6.2, D25), its nodes keep their ids.

import { className, type Dialect, type Mint, type NodeRecord } from '../core/index.js'
import {
  Branch,
  containerRecord,
  coreOf,
  headSeals,
  makeCore,
  recordOf,
  reparented,
  Sequence,
  type Draft,
  type TreeNode,
} from '../timeline/index.js'

/** How far apart neighbouring segments stand, so that others can be spliced in without renumbering (D30). */
const SEGMENT_GAP = 1_048_576

/** Moves what the active head holds into a new segment; an empty head seals none. Tells which record became which. */
export function sealHead(
  draft: Draft,
  mint: Mint,
  dialect: Dialect,
  onMove: (from: NodeRecord, to: NodeRecord) => void,
): void {
  if (!headSeals(draft)) return
  const needsCore = coreOf(draft.region('^ah')) === undefined
  const contType = className(dialect, 'cont')
  const segType = className(dialect, 'seg')
  const stamps = mint.stamp(
    needsCore
      ? [
          { nodeClass: 'cont', nodeType: contType },
          { nodeClass: 'seg', nodeType: segType },
        ]
      : [{ nodeClass: 'seg', nodeType: segType }],
    (id) => draft.holds(id),
  )
  if (needsCore) makeCore(draft, stamps[0]!, contType)
  const seq = draft.region('^seq')
  const offset = offsetAfter(seq.children.last, draft.cycle)
  const record = containerRecord(draft, stamps.at(-1)!, {
    nodeClass: 'seg',
    nodeType: segType,
    offset,
    parentId: seq.record.id,
  })
  const children = draft.takeAll('^ah').map((child) => {
    const moved = reparented(child, record.id, draft.cycle)
    onMove(recordOf(child), recordOf(moved))
    return moved
  })
  draft.insert([draft.region('^seq')], new Branch(record, Sequence.fromSorted(children)))
}

/** The next place in history (D30). At the end of the integers segments share one, and their times keep the order. */
function offsetAfter(newest: TreeNode | undefined, cycle: number): number {
  const behind = newest === undefined ? -Infinity : recordOf(newest).offset + SEGMENT_GAP
  return Math.min(Math.max(cycle * SEGMENT_GAP, behind), Number.MAX_SAFE_INTEGER)
}
