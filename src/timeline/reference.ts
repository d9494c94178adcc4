// The target of a reference (D41): the live node with that id, else the live node that stands in for it. A reference keeps
// its text; the nodes tell by `supersedes` and by their earlier names whose place they took.

import { compareText, type NodeRecord } from '../core/index.js'

/** Whatever finds the nodes of one tree, with hints where to look; every hint is checked. */
export type Referring = Readonly<{
  find: (id: string) => NodeRecord | undefined
  /** Ids of nodes whose refs may name this id. */
  mayReferTo: (id: string) => Iterable<string>
  /** Ids of nodes that may stand in for this id. */
  mayStandInFor: (id: string) => Iterable<string>
}>

/** The node that an id means. */
export function meantBy(tree: Referring, id: string): NodeRecord | undefined {
  const own = tree.find(id)
  if (own !== undefined) return own
  let found: NodeRecord | undefined
  for (const standInId of tree.mayStandInFor(id)) {
    const standIn = tree.find(standInId)
    if (standIn?.standsInFor(id) !== true) continue
    // Only a file can have several; whichever it is, it has to be the same one everywhere.
    if (found === undefined || compareText(standIn.id, found.id) < 0) found = standIn
  }
  return found
}

/** The nodes whose refs mean this one, each once. */
export function* referrersTo(tree: Referring, record: NodeRecord): Generator<NodeRecord, void, undefined> {
  if (record.rare === undefined) return yield* namersOf(tree, record.id)
  const seen = new Set<string>()
  for (const name of record.names) {
    // A file may claim the name of a node that is there.
    if (name !== record.id && meantBy(tree, name) !== record) continue
    for (const referrer of namersOf(tree, name)) {
      if (seen.has(referrer.id)) continue
      seen.add(referrer.id)
      yield referrer
    }
  }
}

/** The nodes whose refs name this very id, each once. */
export function* namersOf(tree: Referring, id: string): Generator<NodeRecord, void, undefined> {
  for (const referrerId of new Set(tree.mayReferTo(id))) {
    const referrer = tree.find(referrerId)
    if (referrer?.refersTo(id) === true) yield referrer
  }
}
