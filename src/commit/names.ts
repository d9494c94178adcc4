// Which earlier ids a stand-in keeps (D41): those that somebody still names. What is not named when the node is committed
// protects nothing from then on, here as after an import, so that no list grows with every edit of a node.

import { NodeRecord } from '../core/index.js'
import { Gone, type Draft } from '../timeline/index.js'
import type { Held } from './expire.js'

/** Takes the ids that nobody names from the nodes that were made in this cycle. Tells which record became which. */
export function dropIdleNames(draft: Draft, held: Held, onChange: (from: NodeRecord, to: NodeRecord) => void): void {
  // Changing an entry of the list while going through it is safe: it keeps its place.
  for (const record of draft.changes) {
    if (record instanceof Gone || record.cycle !== draft.cycle || record.rare?.standsFor === undefined) continue
    const { standsFor, ...rest } = record.rare
    const kept = standsFor.filter((id) => held(id) || draft.isNamed(id))
    if (kept.length === standsFor.length) continue
    const rare = kept.length === 0 ? rest : { ...rest, standsFor: Object.freeze(kept) }
    const changed = new NodeRecord({ ...record, rare: Object.keys(rare).length === 0 ? undefined : rare })
    draft.change(changed)
    onChange(record, changed)
  }
}
