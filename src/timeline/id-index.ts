// Every id of a timeline with its versions. One big Map doubles all at once, a jump of megabytes in a single commit; so
// the ids are spread over shards of unequal size, whose doublings are spread over time.

import type { Version } from './timeline.js'

/** How many shards there are; each is 2^(1/8) times as likely as the one before, so they fill up one after another. */
const SHARDS = 8
const SLOTS = 256

export class IdIndex {
  // One version per id is the rule, so only ids with a history pay for a list.
  readonly #shards: readonly Map<string, Version | Version[]>[] = Array.from({ length: SHARDS }, () => new Map())

  /** The newest version from this cycle or before it. */
  versionAt(id: string, cycle: number): Version | undefined {
    const versions = this.#shardOf(id).get(id)
    if (versions === undefined) return undefined
    if (!Array.isArray(versions)) return versions.born <= cycle ? versions : undefined
    return versions.findLast((version) => version.born <= cycle)
  }

  add(version: Version): void {
    const shard = this.#shardOf(version.id)
    const known = shard.get(version.id)
    if (known === undefined) shard.set(version.id, version)
    else if (Array.isArray(known)) known.push(version)
    else shard.set(version.id, [known, version])
  }

  #shardOf(id: string): Map<string, Version | Version[]> {
    let hash = id.length
    for (let i = Math.max(0, id.length - MIXED_IN); i < id.length; i++) hash = (hash * 31 + id.charCodeAt(i)) | 0
    return this.#shards[SHARD_OF_SLOT[(hash ^ (hash >>> 13)) & (SLOTS - 1)]!]!
  }
}

/** The end of an id is where ids differ. */
const MIXED_IN = 8

const SHARD_OF_SLOT: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => {
  // The share of the first k shards is (2^(k/8) - 1), of all of them 1.
  return Math.min(SHARDS - 1, Math.floor(SHARDS * Math.log2(1 + slot / SLOTS)))
})
