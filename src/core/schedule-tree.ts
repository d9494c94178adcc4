// Schedules by key in a balanced tree that never changes: adding one makes as many twigs as the tree is high, and the
// trees before and after share the rest. A twig also remembers the next cycle in which something below it is due, worked
// out when first asked for and shared by every tree that shares the twig, so that a commit looks at what is due and no more.
//
// The balance is by weight (Adams; with the factors 3 and 2 of Hirai and Yamamoto, which are proven for removals too).

import { compareText } from './order.js'
import type { Schedule } from './schedule.js'

export type Twig = Readonly<{ schedule: Schedule; left: Twig | undefined; right: Twig | undefined; size: number }> & {
  /** The first cycle from `from` on in which something here is due; good for every question between the two. */
  next: Readonly<{ from: number; due: number }> | undefined
}

/** For tests that count: how many twigs were made, and how many were asked again what is due in them. */
export function countTwigs(): Readonly<{ made: number; asked: number }> {
  return { made, asked }
}

let made = 0
let asked = 0

export function sizeOf(twig: Twig | undefined): number {
  return twig === undefined ? 0 : twig.size
}

export function findIn(twig: Twig | undefined, key: string): Schedule | undefined {
  let at = twig
  while (at !== undefined) {
    const order = compareText(key, at.schedule.key)
    if (order === 0) return at.schedule
    at = order < 0 ? at.left : at.right
  }
  return undefined
}

/** The tree with this schedule under its key. */
export function insertInto(twig: Twig | undefined, schedule: Schedule): Twig {
  if (twig === undefined) return make(schedule, undefined, undefined)
  const { left, right } = twig
  const order = compareText(schedule.key, twig.schedule.key)
  if (order === 0) return make(schedule, left, right)
  return order < 0
    ? balanced(twig.schedule, insertInto(left, schedule), right)
    : balanced(twig.schedule, left, insertInto(right, schedule))
}

/** The tree without a key that it has. */
export function removeFrom(twig: Twig, key: string): Twig | undefined {
  const { schedule, left, right } = twig
  const order = compareText(key, schedule.key)
  if (order < 0) return balanced(schedule, removeFrom(left!, key), right)
  if (order > 0) return balanced(schedule, left, removeFrom(right!, key))
  if (left === undefined || right === undefined) return left ?? right
  const [first, rest] = withoutFirst(right)
  return balanced(first, left, rest)
}

/** Every schedule, in the order of the keys. */
export function* walkTwigs(twig: Twig | undefined): Generator<Schedule, void, undefined> {
  // By hand, since a generator within a generator costs every step once more.
  const above: Twig[] = []
  for (let at = twig; at !== undefined || above.length > 0;) {
    for (; at !== undefined; at = at.left) above.push(at)
    const { schedule, right }: Twig = above.pop()!
    yield schedule
    at = right
  }
}

/** Calls back for every key whose schedule differs between two trees, with the newer schedule; shared parts are skipped. */
export function eachDifference(
  before: Twig | undefined,
  after: Twig | undefined,
  tell: (key: string, schedule: Schedule | undefined) => void,
): void {
  if (before === after) return
  if (before !== undefined && after !== undefined && before.schedule.key === after.schedule.key) {
    eachDifference(before.left, after.left, tell)
    if (before.schedule !== after.schedule) tell(after.schedule.key, after.schedule)
    return eachDifference(before.right, after.right, tell)
  }
  // Another top: one of them was turned to keep its balance, so that all below is compared, by key.
  const older = new Map(Array.from(walkTwigs(before), (schedule) => [schedule.key, schedule]))
  const newer = new Map(Array.from(walkTwigs(after), (schedule) => [schedule.key, schedule]))
  for (const key of [...new Set([...older.keys(), ...newer.keys()])].sort(compareText)) {
    if (older.get(key) !== newer.get(key)) tell(key, newer.get(key))
  }
}

/** The first cycle from this one on in which something is due. */
export function nextDue(twig: Twig | undefined, cycle: number): number {
  if (twig === undefined) return Infinity
  const { next } = twig
  if (next !== undefined && next.from <= cycle && cycle <= next.due) return next.due
  asked++
  const due = Math.min(dueFrom(twig.schedule, cycle), nextDue(twig.left, cycle), nextDue(twig.right, cycle))
  twig.next = { from: cycle, due }
  return due
}

/** Adds the schedules that are due in exactly this cycle, in the order of the keys. */
export function addDue(twig: Twig | undefined, cycle: number, due: Schedule[]): void {
  if (twig === undefined || nextDue(twig, cycle) !== cycle) return
  addDue(twig.left, cycle, due)
  if (dueFrom(twig.schedule, cycle) === cycle) due.push(twig.schedule)
  addDue(twig.right, cycle, due)
}

/** The first cycle from this one on in which a schedule is due; not the one it was written in, which has its node. */
function dueFrom({ firstCycle, cad }: Schedule, cycle: number): number {
  if (cycle <= firstCycle) return firstCycle + cad
  const behind = (cycle - firstCycle) % cad
  return behind === 0 ? cycle : cycle + cad - behind
}

function make(schedule: Schedule, left: Twig | undefined, right: Twig | undefined): Twig {
  made++
  return { schedule, left, right, size: sizeOf(left) + sizeOf(right) + 1, next: undefined }
}

/** A twig of parts of which one may have grown too heavy by one. */
function balanced(schedule: Schedule, left: Twig | undefined, right: Twig | undefined): Twig {
  if (isTooLight(left, right)) {
    const { schedule: middle, left: inner, right: outer } = right!
    if (isSingle(inner, outer)) return make(middle, make(schedule, left, inner), outer)
    return make(inner!.schedule, make(schedule, left, inner!.left), make(middle, inner!.right, outer))
  }
  if (isTooLight(right, left)) {
    const { schedule: middle, left: outer, right: inner } = left!
    if (isSingle(inner, outer)) return make(middle, outer, make(schedule, inner, right))
    return make(inner!.schedule, make(middle, outer, inner!.left), make(schedule, inner!.right, right))
  }
  return make(schedule, left, right)
}

function isTooLight(twig: Twig | undefined, other: Twig | undefined): boolean {
  return 3 * (sizeOf(twig) + 1) < sizeOf(other) + 1
}

function isSingle(inner: Twig | undefined, outer: Twig | undefined): boolean {
  return sizeOf(inner) + 1 < 2 * (sizeOf(outer) + 1)
}

function withoutFirst({ schedule, left, right }: Twig): readonly [first: Schedule, rest: Twig | undefined] {
  if (left === undefined) return [schedule, right]
  const [first, rest] = withoutFirst(left)
  return [first, balanced(schedule, rest, right)]
}
