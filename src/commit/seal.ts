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
  sealingOffset,
  Sequence,
  type Draft,
} from '../timeline/index.js'

/** Moves the content of the active head into a new segment; an empty head seals none. Gives the new record of each moved one. */
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
    draft,
  )
  if (needsCore) makeCore(draft, stamps[0]!, contType, 'commit')
  const seq = draft.region('^seq')
  const record = containerRecord(draft, stamps.at(-1)!, {
    nodeClass: 'seg',
    nodeType: segType,
    offset: sealingOffset(draft),
    parentId: seq.record.id,
    by: 'commit',
  })
  const { children: held } = draft.region('^ah')
  const children = held.toArray().map((child) => {
    const moved = reparented(child, record.id, draft.cycle)
    onMove(recordOf(child), recordOf(moved))
    return moved
  })
  const segment = new Branch(record, Sequence.fromSorted(children))
  draft.seal(segment)
}
