// Every id of a timeline with its versions. An id that the mint gave tells the cycle it was given in (`block:12-3`), and
// what each cycle changed is kept anyway, so such an id is looked up there, among a handful. What cannot be found that
// way is kept in maps: ids from elsewhere, later versions, and whatever came with many others.

import type { Version } from './timeline.js'

export class IdIndex {
  /** The cycle of the first log. */
  #first = 0
  /** What each commit changed, one log per cycle; no id stands twice in one. */
  readonly #logs: (readonly Version[])[] = []
  readonly #others = new OtherIds()

  /** Takes up what the commit of the next cycle changed. */
  append(cycle: number, log: readonly Version[]): void {
    if (this.#logs.length === 0) this.#first = cycle
    this.#logs.push(log)
    for (const version of log) if (!isShort(log) || cycleNamedBy(version.id) !== cycle) this.#others.add(version)
  }

  /** Takes up a version that no log of this timeline has. */
  add(version: Version): void {
    this.#others.add(version)
  }

  /** What the commit of this cycle changed. */
  logAt(cycle: number): readonly Version[] | undefined {
    return cycle < this.#first ? undefined : this.#logs[cycle - this.#first]
  }

  /** The newest version from this cycle or before it. */
  versionAt(id: string, cycle: number): Version | undefined {
    const other = this.#others.versionAt(id, cycle)
    const named = cycleNamedBy(id)
    // An id from elsewhere may name any cycle, also one after which it came.
    if (named < 0 || named > cycle || (other !== undefined && other.born > named)) return other
    return this.#inLog(id, named) ?? other
  }

  #inLog(id: string, cycle: number): Version | undefined {
    const log = this.logAt(cycle)
    if (log === undefined || !isShort(log)) return undefined
    for (let i = 0; i < log.length; i++) if (log[i]!.id === id) return log[i]
    return undefined
  }
}

/** Whether a log is looked through as quickly as a map. */
function isShort(log: readonly Version[]): boolean {
  return log.length <= 32
}

/** The cycle in an id such as `block:12-3` or `seg:f1:12-0`, or in whatever looks like one; -1 for none. */
function cycleNamedBy(id: string): number {
  let at = id.length - 1
  while (at >= 0 && isDigit(id.charCodeAt(at))) at--
  if (at < 0 || at === id.length - 1 || id.charCodeAt(at) !== HYPHEN) return -1
  let cycle = 0
  let place = 1
  for (at--; at >= 0 && place <= MAX_PLACE && isDigit(id.charCodeAt(at)); at--) {
    cycle += (id.charCodeAt(at) - ZERO) * place
    place *= 10
  }
  return place > 1 && place <= MAX_PLACE && id.charCodeAt(at) === COLON ? cycle : -1
}

const HYPHEN = 0x2d
const ZERO = 0x30
const COLON = 0x3a
/** Cycles of more digits than this has are not told from ids. */
const MAX_PLACE = 1e15

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= ZERO + 9
}

/** How many shards there are; each is 2^(1/8) times as likely as the one before, so they fill up one after another. */
const SHARDS = 8
const SLOTS = 256

/** One big Map doubles all at once, a jump of megabytes in a single commit; in shards, doublings are spread over time. */
class OtherIds {
  // One version per id is the rule, so only ids with a history pay for a list.
  readonly #shards: readonly Map<string, Version | Version[]>[] = Array.from({ length: SHARDS }, () => new Map())

  versionAt(id: string, cycle: number): Version | undefined {
    const versions = this.#shardOf(id).get(id)
    if (versions === undefined) return undefined
    if (!Array.isArray(versions)) return versions.born <= cycle ? versions : undefined
    return lastUpTo(versions, cycle)
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

/** The last of the versions, oldest first, from this cycle or before it: mostly the newest, otherwise any of many. */
function lastUpTo(versions: readonly Version[], cycle: number): Version | undefined {
  let [known, after] = [0, versions.length]
  if (versions.at(-1)!.born <= cycle) return versions.at(-1)
  while (known < after) {
    const middle = (known + after) >> 1
    if (versions[middle]!.born <= cycle) known = middle + 1
    else after = middle
  }
  return versions[known - 1]
}

/** The end of an id is where ids differ. */
const MIXED_IN = 8

const SHARD_OF_SLOT: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => {
  // The share of the first k shards is (2^(k/8) - 1), of all of them 1.
  return Math.min(SHARDS - 1, Math.floor(SHARDS * Math.log2(1 + slot / SLOTS)))
})
