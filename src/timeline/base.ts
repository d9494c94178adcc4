// What the snapshots that were let go leave behind: the versions that still held when the oldest kept one was made. Kept in
// layers, a newer one over older ones. The newest grows in place as long as one timeline alone has it; from the moment
// another one shares it, it never changes again, and the next cycles make a layer of their own. So letting go costs what the
// cycles changed, and only behind a fork, now and then, the joining of two layers of about one size.

import { Gone, type NodeRecord, type Version } from '../core/index.js'
import type { Era } from './era.js'
import type { Erasing } from './erase.js'
import { Links, type LinkHints } from './reference-index.js'

/** One layer: the versions of some ids, and who names whom. */
export type Layer = Readonly<{
  find: (id: string) => Version | undefined
  /** Whether it may have a version of this id. Cannot fail, as `after` must not. */
  mayHold: (id: string) => boolean
  /** All of them by id; undefined where they lie elsewhere, and nothing is joined to them. */
  versions: ReadonlyMap<string, Version> | undefined
  links: LinkHints
  /** The same with what was erased. */
  mapped: (erasing: Erasing) => Layer
}>

export class Base {
  static readonly NONE: Base = new Base([])

  /** Oldest first; each at least twice as large as the next. */
  #layers: readonly Layer[]
  /** The newest layer, where nobody else has it. */
  #own: Listed | undefined

  private constructor(layers: readonly Layer[], own?: Listed) {
    this.#layers = own === undefined ? layers : [...layers, own]
    this.#own = own
  }

  /** What snapshots would have left behind of which nothing is known but this. */
  static of(records: readonly NodeRecord[]): Base {
    if (records.length === 0) return Base.NONE
    return Base.over(new Listed(new Map(records.map((record) => [record.id, record]))))
  }

  /** The same, in a layer that there is. */
  static over(layer: Layer): Base {
    return new Base([layer])
  }

  /** The version of a node that held in the end. */
  find(id: string): NodeRecord | undefined {
    for (let at = this.#layers.length - 1; at >= 0; at--) {
      const version = this.#layers[at]!.find(id)
      if (version !== undefined) return version instanceof Gone ? undefined : version
    }
    return undefined
  }

  /** Whether it may have a version of this id; opens the pages that lead to where it would stand, and not that one. */
  mayHold(id: string): boolean {
    return this.#layers.some((layer) => layer.mayHold(id))
  }

  /** Hints as those of an era, oldest first. */
  *links(): Generator<LinkHints, void, undefined> {
    for (const { links } of this.#layers) yield links
  }

  /** The same with what was erased. */
  mapped(erasing: Erasing): Base {
    return new Base(this.#layers.map((layer) => layer.mapped(erasing)))
  }

  /** The same for one more who holds it: it does not change from now on. */
  shared(): Base {
    this.#own = undefined
    return this
  }

  /** The same after the cycles of an era: this one, where nobody else holds it, or another. */
  after(era: Era): Base {
    const base = this.#own === undefined ? new Base(this.#layers, new Listed(new Map())) : this
    base.#take(era)
    return base
  }

  #take(era: Era): void {
    const below = this.#layers.slice(0, -1)
    let own = this.#own!
    for (let cycle = era.first; cycle <= era.last; cycle++) {
      for (const version of era.logAt(cycle)!) own.take(version, below)
    }
    for (;;) {
      const next = below.at(-1)?.versions
      if (next === undefined || next.size >= 2 * own.versions.size) break
      below.pop()
      own = Listed.joined(next, own.versions, below)
    }
    this.#layers = [...below, own]
    this.#own = own
  }
}

/** A layer with all of its versions in a map. */
class Listed implements Layer {
  #versions: Map<string, Version>
  #links: Links
  /** How many versions its links were made of that it has no more, and how many it has that need not be there. */
  #dropped = 0

  constructor(versions: Map<string, Version>) {
    this.#versions = versions
    this.#links = linksOf(versions)
  }

  /** Two layers as one, without what need not be said to be gone: nothing of that may stay from one to the next. */
  static joined(
    older: ReadonlyMap<string, Version>,
    newer: ReadonlyMap<string, Version>,
    below: readonly Layer[],
  ): Listed {
    const all = new Map(older)
    for (const [id, version] of newer) all.set(id, version)
    return new Listed(withoutIdle(all, below))
  }

  get versions(): ReadonlyMap<string, Version> {
    return this.#versions
  }

  get links(): LinkHints {
    return this.#links
  }

  mayHold(id: string): boolean {
    return this.#versions.has(id)
  }

  find(id: string): Version | undefined {
    return this.#versions.get(id)
  }

  mapped(erasing: Erasing): Layer {
    if (![...erasing.ids].some((id) => this.#versions.has(id))) return this
    return new Listed(new Map(Array.from(this.#versions, ([id, version]) => [id, erasing.version(version)])))
  }

  /**
   * Takes up a newer version, in the place of an older one. What has left stays as such until all is made anew: a map that the same
   * id leaves and enters again and again looks past all its earlier places, so n changes of one node would cost n².
   */
  take(version: Version, below: readonly Layer[]): void {
    const versions = this.#versions
    const { id } = version
    if (version instanceof Gone) {
      const isNeeded = below.some((layer) => layer.mayHold(id))
      if (!isNeeded && !versions.has(id)) return
      versions.set(id, version)
      if (isNeeded) return
    } else {
      const { size } = versions
      versions.set(id, version)
      this.#links.add(version)
      // Most ids are new; looking for each of them first would cost as much as adding it.
      if (versions.size > size) return
    }
    // In a context that prunes for ever they would pile up.
    if (++this.#dropped <= versions.size / 2 + SPARE) return
    this.#versions = withoutIdle(versions, below)
    this.#links = linksOf(this.#versions)
    this.#dropped = 0
  }
}

/** All but what has left and no lower layer has: nobody needs to be told. */
function withoutIdle(versions: ReadonlyMap<string, Version>, below: readonly Layer[]): Map<string, Version> {
  const isIdle = (id: string, version: Version): boolean =>
    version instanceof Gone && !below.some((layer) => layer.mayHold(id))
  return new Map([...versions].filter(([id, version]) => !isIdle(id, version)))
}

/** So few are not worth the making of links anew. */
const SPARE = 64

function linksOf(versions: ReadonlyMap<string, Version>): Links {
  const links = new Links()
  for (const version of versions.values()) if (!(version instanceof Gone)) links.add(version)
  return links
}
