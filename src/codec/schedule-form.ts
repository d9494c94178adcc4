// Schedules in records: the key and the number of a body that holds the schedule, or the schedule itself where bodies are not written apart.

import type { Schedule, ScheduleChange } from '../core/index.js'
import { bodyText } from './bodies.js'
import { integer, mapped, name, parseText, some, tuple, type Form } from './forms.js'
import { fault, objectAt } from './raw.js'
import { decodeSchedule, encodeSchedule } from './schedules.js'

const BODY = tuple<{ key: string; body: number }>({ key: name, body: integer(1) })

/** A schedule and its key. A schedule whose body was erased has ended (D56). */
const SCHEDULE: Form<ScheduleChange> = {
  write: ({ key, schedule }, scope) => {
    const written = encodeSchedule(schedule!)
    return scope.bodies === undefined ? written : BODY.write({ key, body: scope.bodies.add(written) }, scope)
  },
  read: (value, path, scope) => {
    const { bodies, cycle } = scope
    if (bodies === undefined) {
      const schedule = decodeSchedule(objectAt(value, path), cycle, '1.0')
      return { key: schedule.key, schedule }
    }
    const { key, body } = BODY.read(value, path, scope)
    const found = bodyText(bodies, body, { key }, path)
    if (found === undefined) return { key, schedule: undefined }
    const schedule = decodeSchedule(objectAt(parseText(found), path), cycle, '1.0')
    if (schedule.key !== key) throw fault(path, `This is the schedule of another key than "${key}".`)
    return { key, schedule }
  },
}

/** A change of the schedule of a key; the key alone where it has ended. */
export const SCHEDULE_CHANGE: Form<ScheduleChange> = {
  write: (change, scope) =>
    change.schedule === undefined ? name.write(change.key, scope) : SCHEDULE.write(change, scope),
  read: (value, path, scope) =>
    typeof value === 'string' ? { key: value, schedule: undefined } : SCHEDULE.read(value, path, scope),
}

/** All schedules of a tree. */
export const SCHEDULES: Form<readonly Schedule[]> = mapped(
  some(SCHEDULE),
  (schedules) => schedules.map((schedule) => ({ key: schedule.key, schedule })),
  (changes) => changes.flatMap(({ schedule }) => schedule ?? []),
)
