// A run of cycles: for each cycle its tree and its log, the list of versions that its commit made, with an index by id. A minted id names
// its cycle (`block:12-3`), so it is looked up in the log of that cycle, which is short. Versions that cannot be found that way are in a map:
// foreign ids, later versions, and the versions of long logs. A shared era never changes again, so a fork keeps nothing alive that came later.

import { EMPTY_RECEIPT, firstIndex, Gone, type NodeRecord, type Receipt, type Version } from '../core/index.js'
import type { Erasing } from './erase.js'
import { Links } from './reference-index.js'
import type { Tree } from './tree.js'

export class Era {
  /** The cycle of the first snapshot. */
  readonly first: number
  #trees: Tree[] = []
  /** The log of each cycle. An id is in a log at most once. */
  #logs: (readonly Version[])[] = []
  /** Created on demand: most commits prune nothing. */
  #receipts: Map<number, Receipt> | undefined
  readonly #others: OtherIds
  readonly links: Links = new Links()

  constructor(first: number, others?: Map<string, Version>) {
    this.first = first
    this.#others = new OtherIds(others)
  }

  /** An era that begins with a snapshot whose nodes are known by id already; the map is the era's from now on. */
  static imported(cycle: number, tree: Tree, records: readonly NodeRecord[], byId: Map<string, NodeRecord>): Era {
    const era = new Era(cycle, byId)
    era.#trees.push(tree)
    era.#logs.push(records)
    for (let i = 0; i < records.length; i++) era.links.add(records[i]!)
    return era
  }

  /** The same cycles up to one of them; a copy, which shares what the cycles made. */
  upTo(cycle: number): Era {
    const era = new Era(this.first)
    for (let at = this.first; at <= cycle; at++) era.append(this.treeAt(at)!, this.logAt(at)!, this.receiptAt(at))
    return era
  }

  /** Two adjacent eras as one. */
  static joined(older: Era, newer: Era): Era {
    const era = new Era(older.first)
    era.#trees = older.#trees.concat(newer.#trees)
    era.#logs = older.#logs.concat(newer.#logs)
    for (const each of [older, newer]) {
      // The logs themselves are the index for nearly all ids, so few versions are copied.
      for (const [cycle, receipt] of each.#receipts ?? NO_RECEIPTS) era.#addReceipt(cycle, receipt)
      era.#others.addAll(each.#others)
      era.links.addAll(each.links)
    }
    return era
  }

  /** The era after erasing; the same era if nothing in it was erased. */
  mapped(erasing: Erasing): Era {
    const era = new Era(this.first)
    let isSame = true
    for (const [i, tree] of this.#trees.entries()) {
      const [mapped, log] = [erasing.tree(tree), this.#logs[i]!.map((version) => erasing.version(version))]
      isSame &&= mapped === tree && log.every((version, at) => version === this.#logs[i]![at])
      era.append(mapped, log, this.receiptAt(this.first + i))
    }
    return isSame ? this : era
  }

  /** The number of snapshots. */
  get size(): number {
    return this.#trees.length
  }

  /** The cycle of the last snapshot; `first - 1` if there is none. */
  get last(): number {
    return this.first + this.#trees.length - 1
  }

  /** Adds the snapshot of the next cycle. */
  append(tree: Tree, log: readonly Version[], receipt: Receipt): void {
    const cycle = this.last + 1
    this.#trees.push(tree)
    this.#logs.push(log)
    if (receipt !== EMPTY_RECEIPT) this.#addReceipt(cycle, receipt)
    const isListed = isShort(log)
    for (const version of log) {
      if (!isListed || cycleNamedBy(version.id) !== cycle) this.#others.add(version)
      if (!(version instanceof Gone)) this.links.add(version)
    }
  }

  #addReceipt(cycle: number, receipt: Receipt): void {
    this.#receipts = (this.#receipts ?? new Map<number, Receipt>()).set(cycle, receipt)
  }

  treeAt(cycle: number): Tree | undefined {
    return this.#trees[cycle - this.first]
  }

  logAt(cycle: number): readonly Version[] | undefined {
    return this.#logs[cycle - this.first]
  }

  receiptAt(cycle: number): Receipt {
    return this.#receipts?.get(cycle) ?? EMPTY_RECEIPT
  }

  /** The newest version that a commit of this era made, up to a cycle. */
  versionAt(id: string, cycle: number): Version | undefined {
    const other = this.#others.versionAt(id, cycle)
    const named = cycleNamedBy(id)
    // A foreign id may name any cycle, also one before the node came.
    if (named < this.first || named > cycle || (other !== undefined && other.born > named)) return other
    return this.#inLog(id, named) ?? other
  }

  #inLog(id: string, cycle: number): Version | undefined {
    const log = this.logAt(cycle)
    if (log === undefined || !isShort(log)) return undefined
    for (let i = 0; i < log.length; i++) if (log[i]!.id === id) return log[i]
    return undefined
  }
}

const NO_RECEIPTS: ReadonlyMap<number, Receipt> = new Map()

/** True if a scan of a log is as fast as a map. */
function isShort(log: readonly Version[]): boolean {
  return log.length <= 32
}

/** The cycle in an id such as `block:12-3` or `seg:f1:12-0`, or in a foreign id of that form; -1 if there is none. */
export function cycleNamedBy(id: string): number {
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
/** Cycles with more digits than this are not read from ids. */
const MAX_PLACE = 1e15

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= ZERO + 9
}

/** The versions that a lookup by log does not find. */
class OtherIds {
  // Most ids have one version, so only ids with more pay for a list.
  #versions: Map<string, Version | Version[]> | undefined

  constructor(versions: Map<string, Version> | undefined) {
    this.#versions = versions
  }

  versionAt(id: string, cycle: number): Version | undefined {
    const versions = this.#versions?.get(id)
    if (versions === undefined) return undefined
    if (!Array.isArray(versions)) return versions.born <= cycle ? versions : undefined
    // They were added in the order of their cycles.
    return versions[firstIndex(versions.length, (at) => versions[at]!.born > cycle) - 1]
  }

  add(version: Version): void {
    const all = (this.#versions ??= new Map())
    const known = all.get(version.id)
    if (known === undefined) all.set(version.id, version)
    else if (Array.isArray(known)) known.push(version)
    else all.set(version.id, [known, version])
  }

  /** Adds the versions of a later era. */
  addAll(later: OtherIds): void {
    for (const versions of later.#versions?.values() ?? []) {
      if (Array.isArray(versions)) for (const version of versions) this.add(version)
      else this.add(versions)
    }
  }
}
