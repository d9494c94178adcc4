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

/** By key. */
export type Schedules = ReadonlyMap<string, Schedule>

export const NO_SCHEDULES: Schedules = new Map()
