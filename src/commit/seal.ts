// Stage 3 of a commit: the active head becomes the newest segment (02 §6.2, D25), its nodes keep their ids.

import { className, type Dialect, type Mint } from '../core/index.js'
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
} from '../timeline/index.js'

/** How far apart neighbouring segments stand, so that others can be spliced in without renumbering (D30). */
const SEGMENT_GAP = 1_048_576

/** Moves what the active head holds into a new segment; an empty head seals none. */
export function sealHead(draft: Draft, mint: Mint, dialect: Dialect): void {
  if (!headSeals(draft)) return
  if (coreOf(draft.region('^ah')) === undefined) makeCore(draft, mint, dialect)
  const seq = draft.region('^seq')
  const newest = seq.children.last
  const offset = Math.max(
    draft.cycle * SEGMENT_GAP,
    newest === undefined ? -Infinity : recordOf(newest).offset + SEGMENT_GAP,
  )
  const record = containerRecord(draft, mint, 'seg', className(dialect, 'seg'), offset, seq.record.id)
  const children = draft.takeAll('^ah').map((child) => reparented(child, record.id, draft.cycle))
  draft.insert([draft.region('^seq')], new Branch(record, Sequence.fromSorted(children)))
}
