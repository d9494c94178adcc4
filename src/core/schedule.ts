// The data from which cadence makes a node again (D28).

import type { JsonValue } from './json.js'
import type { RareHeaders } from './record.js'
import {
  addDue,
  eachDifference,
  findIn,
  insertInto,
  nextDue,
  removeFrom,
  sizeOf,
  walkTwigs,
  type Twig,
} from './schedule-tree.js'
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

/** A key whose node returns in every cycle whose distance from the first is a multiple of `cad`. */
export type Schedule = Readonly<{
  key: string
  cad: number
  firstCycle: number
  zone: Zone
  /** Only where the caller named one. */
  offset: number | undefined
  node: Template
}>

/** The schedule that a key has now; undefined where it has none any more. */
export type ScheduleChange = Readonly<{ key: string; schedule: Schedule | undefined }>

/** The schedules of one tree, in the order of their keys. A change gives a new value; both share the unchanged part. */
export class Schedules {
  readonly #top: Twig | undefined

  private constructor(top: Twig | undefined) {
    this.#top = top
  }

  static readonly NONE: Schedules = new Schedules(undefined)

  get size(): number {
    return sizeOf(this.#top)
  }

  get(key: string): Schedule | undefined {
    return findIn(this.#top, key)
  }

  with(schedule: Schedule): Schedules {
    return new Schedules(insertInto(this.#top, schedule))
  }

  without(key: string): Schedules {
    return this.get(key) === undefined ? this : new Schedules(removeFrom(this.#top!, key))
  }

  /** The changes that lead from other schedules to these, by key. */
  changesSince(before: Schedules): readonly ScheduleChange[] {
    const changes: ScheduleChange[] = []
    eachDifference(before.#top, this.#top, (key, schedule) => changes.push({ key, schedule }))
    return changes
  }

  /** True if anything returns in this cycle. */
  isDueIn(cycle: number): boolean {
    return nextDue(this.#top, cycle) === cycle
  }

  /** The schedules that return in this cycle. */
  dueIn(cycle: number): readonly Schedule[] {
    const due: Schedule[] = []
    addDue(this.#top, cycle, due)
    return due
  }

  [Symbol.iterator](): Generator<Schedule, void, undefined> {
    return walkTwigs(this.#top)
  }
}
