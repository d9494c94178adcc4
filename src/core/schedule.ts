// What cadence needs to make a node again (D28).

import type { JsonValue } from './json.js'
import type { RareHeaders } from './record.js'
import type { NamedClass, Zone } from './types.js'

/** A node that can be made any number of times: all but its place, id and time. */
export type Template = Readonly<{
  nodeClass: Exclude<NamedClass, 'seg'>
  nodeType: string
  /** Only where the caller named one. */
  offset: number | undefined
  ttl: number | null
  priority: number
  role: string | undefined
  kind: string | undefined
  content: JsonValue | undefined
  rare: RareHeaders | undefined
  children: readonly Template[]
}>

/** A key whose node returns: in every cycle whose distance from the first is a multiple of `cad`. */
export type Schedule = Readonly<{
  key: string
  cad: number
  firstCycle: number
  zone: Zone
  /** Only where the caller named one. */
  offset: number | undefined
  node: Template
}>

/** How many parts the schedules of a context are kept in: a change copies one of them. */
const PARTS = 64

/** The schedules of one tree, by key. Changing them gives others; both share what is the same. */
export class Schedules {
  readonly size: number
  readonly #parts: readonly (ReadonlyMap<string, Schedule> | undefined)[]

  private constructor(size: number, parts: readonly (ReadonlyMap<string, Schedule> | undefined)[]) {
    this.size = size
    this.#parts = parts
  }

  static readonly NONE: Schedules = new Schedules(0, Array.from({ length: PARTS }))

  get(key: string): Schedule | undefined {
    return this.#parts[partOf(key)]?.get(key)
  }

  with(schedule: Schedule): Schedules {
    const { key } = schedule
    const part = new Map(this.#parts[partOf(key)]).set(key, schedule)
    return new Schedules(this.size + (this.get(key) === undefined ? 1 : 0), this.#parts.with(partOf(key), part))
  }

  without(key: string): Schedules {
    if (this.get(key) === undefined) return this
    const part = new Map(this.#parts[partOf(key)])
    part.delete(key)
    return new Schedules(this.size - 1, this.#parts.with(partOf(key), part))
  }

  *[Symbol.iterator](): Generator<Schedule, void, undefined> {
    if (this.size > 0) for (const part of this.#parts) if (part !== undefined) yield* part.values()
  }
}

function partOf(key: string): number {
  let hash = key.length
  for (let i = Math.max(0, key.length - MIXED_IN); i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) | 0
  return (hash ^ (hash >>> 11)) & (PARTS - 1)
}

/** The end of a key is where keys differ. */
const MIXED_IN = 16
