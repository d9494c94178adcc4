// Plants a fault: a valid request, and for each rule of its judge at least one change that breaks it.

import type { Keyed, Violation } from '../violations.js'

export type Planted<Options = Keyed> = Readonly<{
  rule: string
  what: string
  request: unknown
  options?: Options
  /** Other rules that the same fault breaks of necessity. */
  also?: readonly string[]
}>

export type Judged<Options = Keyed> = Readonly<{
  name: string
  rules: Readonly<Record<string, string>>
  check(body: unknown, options?: Options): Violation[]
  valid: readonly Readonly<{ what: string; request: unknown; options?: Options }>[]
  planted: readonly Planted<Options>[]
}>

/** `list` with `items` in the place of the element at `at`; none takes it out. */
export function instead<T>(list: readonly T[], at: number, ...items: readonly T[]): T[] {
  return list.toSpliced(at, 1, ...items)
}

/** `list` with `items` before the element at `at`. */
export function before<T>(list: readonly T[], at: number, ...items: readonly T[]): T[] {
  return list.toSpliced(at, 0, ...items)
}

/** An own key `__proto__`, which a literal would not make. */
export function withProto(record: Keyed): Keyed {
  return Object.defineProperty({ ...record }, '__proto__', { value: { x: 1 }, enumerable: true })
}
