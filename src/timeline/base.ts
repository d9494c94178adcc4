// What the snapshots that were let go leave behind: the versions that still held when the oldest kept one was made. Kept in
// layers, a newer one over older ones, each of which never changes again: so forks share them, and letting go of a few
// cycles costs what they changed and, now and then, the joining of two layers of about one size.

import { Gone, type NodeRecord, type Version } from '../core/index.js'
import type { Era } from './era.js'
import type { Erasing } from './erase.js'
import { Links, type LinkHints } from './reference-index.js'

/** One layer: the versions of some ids, and who names whom. */
export type Layer = Readonly<{
  find: (id: string) => Version | undefined
  /** Whether it may have a version of this id. Cannot fail, as `after` must not. */
  mayHold: (id: string) => boolean
  /** All of them by id, what came first stands first; undefined where they lie elsewhere, and nothing is joined to them. */
  versions: ReadonlyMap<string, Version> | undefined
  links: LinkHints
  /** The same with what was erased. */
  mapped: (erasing: Erasing) => Layer
}>

export class Base {
  static readonly NONE: Base = new Base([])

  /** Oldest first; each at least twice as large as the next. */
  readonly #layers: readonly Layer[]

  private constructor(layers: readonly Layer[]) {
    this.#layers = layers
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

  /** The same after the cycles of an era. */
  after(era: Era): Base {
    const layers = [...this.#layers]
    let versions = new Map<string, Version>()
    for (let cycle = era.first; cycle <= era.last; cycle++) put(versions, era.logAt(cycle)!)
    for (;;) {
      const below = layers.at(-1)
      if (below?.versions === undefined || below.versions.size >= 2 * versions.size) break
      const joined = new Map(below.versions)
      put(joined, versions.values())
      versions = joined
      layers.pop()
    }
    // What no lower layer has need not be said to be gone.
    for (const [id, version] of versions) {
      if (version instanceof Gone && !layers.some((layer) => layer.mayHold(id))) versions.delete(id)
    }
    return new Base([...layers, new Listed(versions)])
  }
}

/** What comes later stands later, also where it takes the place of an older version. */
function put(versions: Map<string, Version>, newer: Iterable<Version>): void {
  for (const version of newer) {
    versions.delete(version.id)
    versions.set(version.id, version)
  }
}

/** A layer with all of its versions in a map. */
class Listed implements Layer {
  readonly versions: ReadonlyMap<string, Version>
  readonly links: LinkHints

  constructor(versions: ReadonlyMap<string, Version>) {
    const links = new Links()
    for (const version of versions.values()) if (!(version instanceof Gone)) links.add(version)
    this.versions = versions
    this.links = links
  }

  mayHold(id: string): boolean {
    return this.versions.has(id)
  }

  find(id: string): Version | undefined {
    return this.versions.get(id)
  }

  mapped(erasing: Erasing): Layer {
    if (![...erasing.ids].some((id) => this.versions.has(id))) return this
    return new Listed(new Map(Array.from(this.versions, ([id, version]) => [id, erasing.version(version)])))
  }
}
