// A schedule in a record: its key with the number of a body that holds all of it, or itself where bodies stand in the record.

import { LIMITS, type Schedule, type ScheduleChange } from '../core/index.js'
import type { BodyReader, BodyWriter } from './bodies.js'
import { quoteJson } from './canonical-json.js'
import { parseJson } from './json-text.js'
import { fault, objectAt } from './raw.js'
import { decodeSchedule, encodeSchedule } from './schedules.js'
import { integerOf, listOf, nameOf } from './strict-read.js'

export function scheduleText(schedule: Schedule, bodies: BodyWriter | undefined): string {
  const text = encodeSchedule(schedule)
  return bodies === undefined ? text : `[${quoteJson(schedule.key)},${bodies.add(text)}]`
}

/** As of the snapshot of a cycle; a schedule whose body was taken out has ended (D56). */
export function readSchedule(
  value: unknown,
  path: string,
  cycle: number,
  bodies: BodyReader | undefined,
): ScheduleChange {
  if (bodies === undefined) {
    const schedule = decodeSchedule(objectAt(value, path), cycle, '1.0')
    return { key: schedule.key, schedule }
  }
  const parts = listOf(value, path, 2, 2)
  const [key, number] = [nameOf(parts[0], `${path}[0]`), integerOf(parts[1], `${path}[1]`, 1)]
  if (number > bodies.count) throw fault(path, `There are ${bodies.count} bodies, and this is number ${number}.`)
  bodies.owner?.(number, { key }, path)
  const text = bodies.text(number)
  if (text === undefined) return { key, schedule: undefined }
  const schedule = decodeSchedule(objectAt(parseJson(text, LIMITS.depth * 3 + 16), path), cycle, '1.0')
  if (schedule.key !== key) throw fault(path, `This is the schedule of another key than "${key}".`)
  return { key, schedule }
}
