// Stand-ins in a file: nodes that claim the ids of others (D41).

import { COMPACTED, compactedOf, type NodeRecord } from '../core/index.js'
import { pathTo } from './canonical-json.js'
import { STANDS_FOR } from './document.js'
import { fault } from './raw.js'

/** A node that claims to stand in for others, and its path in the file. */
export type Claim = Readonly<{ record: NodeRecord; path: string }>

/** Refuses a stand-in for a live node, and two stand-ins for one id. `supersedes` alone is no claim. */
export function checkClaims(claims: readonly Claim[], isLive: (id: string) => boolean): void {
  const claimants = new Map<string, string>()
  for (const { record } of claims) {
    const { supersedes } = record.rare!
    if (supersedes !== undefined) claimants.set(supersedes, record.id)
  }
  for (const { record, path } of claims) {
    for (const id of record.rare!.standsFor ?? []) {
      const at = pathTo(path, STANDS_FOR)
      if (isLive(id)) throw fault(at, `${record.id} cannot stand in for ${id}, which the tree still has.`)
      const other = claimants.get(id)
      if (other !== undefined) throw fault(at, `${other} and ${record.id} cannot both stand in for ${id}.`)
      claimants.set(id, record.id)
    }
  }
}

/** Refuses a summary of a live node, and two summaries of one node (D63). */
export function checkSummaries(summaries: readonly Claim[], isLive: (id: string) => boolean): void {
  const known = new Map<string, string>()
  for (const { record, path } of summaries) {
    for (const { id } of compactedOf(record)!.nodes) {
      const other = known.get(id)
      if (isLive(id))
        throw fault(pathTo(path, COMPACTED), `${record.id} cannot stand for ${id}, which the tree still has.`)
      if (other !== undefined) {
        throw fault(pathTo(path, COMPACTED), `${other} and ${record.id} cannot both stand for ${id}.`)
      }
      known.set(id, record.id)
    }
  }
}
