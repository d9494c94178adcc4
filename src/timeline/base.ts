// What the snapshots that were let go leave behind: the versions that still held when the oldest kept one was made. Kept in
// layers, a newer one over older ones, each of which never changes again: so forks share them, and letting go of a few
// cycles costs what they changed and, now and then, the joining of two layers of about one size.

import { Gone, type NodeRecord, type Version } from '../core/index.js'
import type { Era } from './era.js'
import type { Erasing } from './erase.js'
import { Links } from './reference-index.js'

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
    return new Base([layerOf(new Map(records.map((record) => [record.id, record])))])
  }

  /** The version of a node that held in the end. */
  find(id: string): NodeRecord | undefined {
    for (let at = this.#layers.length - 1; at >= 0; at--) {
      const version = this.#layers[at]!.versions.get(id)
      if (version !== undefined) return version instanceof Gone ? undefined : version
    }
    return undefined
  }

  /** Hints as those of an era, oldest first. */
  *links(): Generator<Links, void, undefined> {
    for (const { links } of this.#layers) yield links
  }

  /** The same with what was erased. */
  mapped(erasing: Erasing): Base {
    const layers = this.#layers.map((layer) => {
      if (![...erasing.ids].some((id) => layer.versions.has(id))) return layer
      return layerOf(new Map(Array.from(layer.versions, ([id, version]) => [id, erasing.version(version)])))
    })
    return new Base(layers)
  }

  /** The same after the cycles of an era. */
  after(era: Era): Base {
    const layers = [...this.#layers]
    let versions = new Map<string, Version>()
    for (let cycle = era.first; cycle <= era.last; cycle++) put(versions, era.logAt(cycle)!)
    for (;;) {
      const below = layers.at(-1)
      if (below === undefined || below.versions.size >= 2 * versions.size) break
      const joined = new Map(below.versions)
      put(joined, versions.values())
      versions = joined
      layers.pop()
    }
    // Under the lowest layer there is nothing that could be gone.
    if (layers.length === 0) for (const [id, version] of versions) if (version instanceof Gone) versions.delete(id)
    return new Base([...layers, layerOf(versions)])
  }
}

type Layer = Readonly<{ versions: ReadonlyMap<string, Version>; links: Links }>

/** What comes later stands later, also where it takes the place of an older version. */
function put(versions: Map<string, Version>, newer: Iterable<Version>): void {
  for (const version of newer) {
    versions.delete(version.id)
    versions.set(version.id, version)
  }
}

function layerOf(versions: ReadonlyMap<string, Version>): Layer {
  const links = new Links()
  for (const version of versions.values()) if (!(version instanceof Gone)) links.add(version)
  return { versions, links }
}
