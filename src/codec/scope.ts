// State that the fields of one record share while it is written or read: where bodies are, the time that times are counted from, the cycle,
// and the versions that the record has listed so far.

import { NodeRecord, type Version } from '../core/index.js'

/** Takes the bodies of a record that is written. */
export type BodyWriter = Readonly<{
  /** Adds the text of a body and returns its number: 1, 2, 3 … */
  add: (text: string) => number
  /** The previous version of a node. A body equal to the previous one is not written again. */
  before: (id: string) => NodeRecord | undefined
}>

/** Gives the bodies of a record that is read. */
export type BodyReader = Readonly<{
  count: number
  /** The text of a body; undefined if it was erased. */
  text: (number: number) => string | undefined
  before: (id: string) => NodeRecord | undefined
  /** Called with the owner of each body and its path in the record. */
  owner?: ((number: number, owner: BodyOwner, path: string) => void) | undefined
  /** The ids of erased nodes that have no body in this record. */
  erased?: ReadonlySet<string> | undefined
  /** Called with the id of each node without a body. */
  bodiless?: ((id: string) => void) | undefined
}>

/** The node or the schedule that a body belongs to; `summary` stands for the node and holds its body. */
export type BodyOwner = Readonly<{ id: string; summary?: string } | { key: string }>

export class Scope<Bodies extends Pick<BodyReader, 'before'>> {
  /** Without bodies, contents are part of the record. */
  readonly bodies: Bodies | undefined
  /** The time from which the first time of each list is counted. */
  readonly ns: bigint
  /** The cycle of the tree that is read. */
  readonly cycle: number
  /** The time of the node before, in the list that is being written or read. */
  #time: bigint
  #listed: readonly Version[]
  #byId: ReadonlyMap<string, Version> | undefined

  constructor(bodies: Bodies | undefined, ns: bigint, cycle = 0, listed: readonly Version[] = []) {
    this.bodies = bodies
    this.ns = ns
    this.#time = ns
    this.cycle = cycle
    this.#listed = listed
  }

  /** The scope of the cycle that the record opens. */
  nextCycle(): Scope<Bodies> {
    return new Scope(this.bodies, this.ns, this.cycle + 1, this.#listed)
  }

  /** Begins a list of nodes. */
  begin(): void {
    this.#time = this.ns
  }

  /** A time as its distance from the one before; the time itself if the distance is no safe integer. */
  distanceTo(time: bigint): number | bigint {
    const distance = Number(time - this.#time)
    this.#time = time
    return Number.isSafeInteger(distance) ? distance : time
  }

  /** The reverse of `distanceTo`. */
  timeAfter(distance: number | bigint): bigint {
    this.#time = typeof distance === 'bigint' ? distance : this.#time + BigInt(distance)
    return this.#time
  }

  /** Makes a finished list of versions visible to `before`: an opening follows the change in the same record. */
  add(versions: readonly Version[]): void {
    this.#listed = versions
    this.#byId = undefined
  }

  /** The version that a node had before the list that is being written or read. */
  before(id: string): NodeRecord | undefined {
    if (this.#listed.length === 0) return this.bodies?.before(id)
    this.#byId ??= new Map(this.#listed.map((version) => [version.id, version]))
    const version = this.#byId.get(id)
    if (version === undefined) return this.bodies?.before(id)
    return version instanceof NodeRecord ? version : undefined
  }
}

export type WriteScope = Scope<BodyWriter>
export type ReadScope = Scope<BodyReader>
