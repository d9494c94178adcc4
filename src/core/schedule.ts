// The data from which cadence makes a node again (D28).

import type { JsonValue } from './json.js'
import { firstIndex } from './bisect.js'
import { compareText } from './order.js'
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

/** The schedules of one tree, in the order of their keys. A change gives a new value. */
export class Schedules implements Iterable<Schedule> {
  readonly #list: readonly Schedule[]

  private constructor(list: readonly Schedule[]) {
    this.#list = list
  }

  static readonly NONE: Schedules = new Schedules([])

  /** Schedules in any order; the last one of a key counts. */
  static of(schedules: Iterable<Schedule>): Schedules {
    return Schedules.NONE.changed(Array.from(schedules, (schedule) => ({ key: schedule.key, schedule })))
  }

  get size(): number {
    return this.#list.length
  }

  get(key: string): Schedule | undefined {
    const found = this.#list[this.#placeOf(key)]
    return found?.key === key ? found : undefined
  }

  with(schedule: Schedule): Schedules {
    const isKnown = this.get(schedule.key) !== undefined
    return new Schedules(this.#list.toSpliced(this.#placeOf(schedule.key), isKnown ? 1 : 0, schedule))
  }

  without(key: string): Schedules {
    return this.get(key) === undefined ? this : new Schedules(this.#list.toSpliced(this.#placeOf(key), 1))
  }

  /** The schedules after several changes. */
  changed(changes: readonly ScheduleChange[]): Schedules {
    if (changes.length === 0) return this
    const byKey = new Map(this.#list.map((schedule) => [schedule.key, schedule]))
    for (const { key, schedule } of changes) {
      if (schedule === undefined) byKey.delete(key)
      else byKey.set(key, schedule)
    }
    return new Schedules([...byKey.values()].sort((a, b) => compareText(a.key, b.key)))
  }

  /** The changes that lead from other schedules to these, by key. */
  changesSince(before: Schedules): readonly ScheduleChange[] {
    const changes: ScheduleChange[] = []
    const [older, newer] = [before.#list, this.#list]
    for (let i = 0, j = 0; i < older.length || j < newer.length;) {
      const [old, now] = [older[i], newer[j]]
      const order = old === now ? 0 : old === undefined ? 1 : now === undefined ? -1 : compareText(old.key, now.key)
      if (order < 0) changes.push({ key: old!.key, schedule: undefined })
      else if (old !== now) changes.push({ key: now!.key, schedule: now })
      if (order <= 0) i++
      if (order >= 0) j++
    }
    return changes
  }

  /** True if anything returns in this cycle. */
  isDueIn(cycle: number): boolean {
    return this.#list.some((schedule) => isDue(schedule, cycle))
  }

  /** The schedules that return in this cycle. */
  dueIn(cycle: number): readonly Schedule[] {
    return this.#list.filter((schedule) => isDue(schedule, cycle))
  }

  [Symbol.iterator](): Iterator<Schedule> {
    return this.#list[Symbol.iterator]()
  }

  /** The index of a key, or of the first key after it. */
  #placeOf(key: string): number {
    return firstIndex(this.#list.length, (at) => compareText(this.#list[at]!.key, key) >= 0)
  }
}

/** Not in the cycle that it was written in, which has its node. */
function isDue({ firstCycle, cad }: Schedule, cycle: number): boolean {
  return cycle > firstCycle && (cycle - firstCycle) % cad === 0
}
