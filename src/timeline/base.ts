// The base of a timeline: the versions from dropped snapshots that the oldest kept snapshot still needs. They are in a map, over the pages of the
// snapshot that the timeline was opened with, if it was opened from pages. The map grows in place while one timeline alone has it. A timeline
// that shares it copies it when it drops snapshots for the first time. So dropping snapshots costs what their cycles changed.

import { Gone, type NodeRecord, type Version } from '../core/index.js'
import type { Era } from './era.js'
import type { Erasing } from './erase.js'
import type { PagedLayer } from './paged-layer.js'
import { Links, type LinkHints } from './reference-index.js'

/** Returns the object that already exists for a version, since trees are compared by identity; else the version that was read. */
export type KnownVersion = (record: NodeRecord) => NodeRecord

export class Base {
  readonly #paged: PagedLayer | undefined
  #versions: Map<string, Version>
  #links: Links
  /** The number of versions that were replaced or are idle tombstones: links still mention them. */
  #dropped = 0
  #isShared = false

  private constructor(paged: PagedLayer | undefined, versions: Map<string, Version>) {
    this.#paged = paged
    this.#versions = versions
    this.#links = linksOf(versions)
  }

  static readonly NONE: Base = Base.of([]).shared()

  /** The base of a timeline whose past is known only by these records. */
  static of(records: readonly NodeRecord[]): Base {
    return new Base(undefined, new Map(records.map((record) => [record.id, record])))
  }

  /** The base of a timeline whose first snapshot is in pages. */
  static over(paged: PagedLayer): Base {
    return new Base(paged, new Map())
  }

  /** The version of a node that held in the end. */
  find(id: string): NodeRecord | undefined {
    const version = this.#versions.get(id) ?? this.#paged?.find(id)
    return version instanceof Gone ? undefined : version
  }

  /** True if it may have a version of this id. Reads the inner pages on the way to the leaf, but not the leaf. */
  mayHold(id: string): boolean {
    return this.#versions.has(id) || this.#isInPages(id)
  }

  /** Hints as those of an era, oldest first. */
  *links(): Generator<LinkHints, void, undefined> {
    if (this.#paged !== undefined) yield this.#paged.links
    yield this.#links
  }

  /** The same with what was erased. */
  mapped(erasing: Erasing): Base {
    const versions = Array.from(this.#versions, ([id, version]) => [id, erasing.version(version)] as const)
    return new Base(this.#paged?.mapped(erasing), new Map(versions))
  }

  /** The same for one more timeline: it does not change from now on. */
  shared(): this {
    this.#isShared = true
    return this
  }

  /** The base after the cycles of an era: this one if no other timeline has it, else a new one. */
  after(era: Era): Base {
    const base = this.#isShared ? new Base(this.#paged, this.#withoutIdle()) : this
    for (let cycle = era.first; cycle <= era.last; cycle++) {
      for (const version of era.logAt(cycle)!) base.#take(version)
    }
    return base
  }

  /**
   * Adds a newer version in place of an older one. Tombstones stay until the next rebuild: to delete and add the same id over and over
   * would make a Map skip all earlier entries, and n changes of one node would cost n².
   */
  #take(version: Version): void {
    const versions = this.#versions
    const { id } = version
    if (version instanceof Gone) {
      const isNeeded = this.#isInPages(id)
      if (!isNeeded && !versions.has(id)) return
      versions.set(id, version)
      if (isNeeded) return
    } else {
      const { size } = versions
      versions.set(id, version)
      this.#links.add(version)
      // Most ids are new. A lookup before adding would double the cost.
      if (versions.size > size) return
    }
    // A context that prunes at every commit would pile them up.
    if (++this.#dropped <= versions.size / 2 + SPARE) return
    this.#versions = this.#withoutIdle()
    this.#links = linksOf(this.#versions)
    this.#dropped = 0
  }

  /** A copy without tombstones that shadow nothing in the pages. */
  #withoutIdle(): Map<string, Version> {
    const isIdle = (version: Version): boolean => version instanceof Gone && !this.#isInPages(version.id)
    return new Map([...this.#versions].filter(([, version]) => !isIdle(version)))
  }

  #isInPages(id: string): boolean {
    return this.#paged?.mayHold(id) === true
  }
}

/** A map is not rebuilt for fewer dropped versions than this. */
const SPARE = 64

function linksOf(versions: ReadonlyMap<string, Version>): Links {
  const links = new Links()
  for (const version of versions.values()) if (!(version instanceof Gone)) links.add(version)
  return links
}
