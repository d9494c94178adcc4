// The earlier ids that stand-ins keep (D41). A commit keeps those that the refs of a live node, or a hold, name. Any other id protects
// nothing from then on, here as after an import, and no list grows with every edit of a node.

import { NodeRecord } from '../core/index.js'
import { Gone, type Draft } from '../timeline/index.js'
import type { Held } from './expire.js'

export type NamesInput = Readonly<{
  draft: Draft
  held: Held
  /** The ids whose last hold has ended since the last commit. */
  released: Iterable<string>
  /** The first commit of this context: holds of another context may have kept names in its tree. */
  isFirst: boolean
  onChange: (from: NodeRecord, to: NodeRecord) => void
}>

/** Drops the ids that nothing names any more from all nodes that may have such. */
export function dropIdleNames({ draft, held, released, isFirst, onChange }: NamesInput): void {
  // Collected first, since dropping a name is a change too.
  for (const id of doubtfulIn(draft, released, isFirst)) {
    const record = draft.find(id)
    if (record?.rare?.standsFor === undefined) continue
    const { standsFor, ...rest } = record.rare
    const kept = standsFor.filter((name) => held(name) || draft.isNamed(name))
    if (kept.length === standsFor.length) continue
    const rare = kept.length === 0 ? rest : { ...rest, standsFor: Object.freeze(kept) }
    // A version of an earlier cycle stays as it is; no call made the new one.
    const version = record.born === draft.cycle ? {} : { born: draft.cycle, by: 'commit' as const }
    const changed = new NodeRecord({
      ...record,
      ...version,
      rare: Object.keys(rare).length === 0 ? undefined : rare,
    })
    draft.change(changed)
    onChange(record, changed)
  }
}

/** The ids of nodes that may have lost the last one who named them: by a changed node, or by a hold that ended. */
function doubtfulIn(draft: Draft, released: Iterable<string>, isFirst: boolean): ReadonlySet<string> {
  const ids = new Set(isFirst ? draft.timeline.standInsOf(undefined) : NONE)
  const doubt = (name: string): void => {
    for (const standIn of draft.mayStandInFor(name)) ids.add(standIn)
  }
  for (const version of draft.changes) {
    const refs = version instanceof Gone ? NONE : version.refs
    if (!(version instanceof Gone) && version.rare?.standsFor !== undefined) ids.add(version.id)
    const before = draft.timeline.find(version.id, draft.cycle - 1)
    if (before !== undefined && before.refs !== refs) for (const name of before.refs) doubt(name)
  }
  for (const name of released) doubt(name)
  return ids
}

const NONE: readonly string[] = []
