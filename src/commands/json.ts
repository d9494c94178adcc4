// What the library gives, as plain JSON.

import type { JsonObject } from '../context/index.js'

/** The JSON form of a result: its own, where it has one. */
export function jsonOf(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value, plain)) as JsonObject
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value instanceof Map ? Object.fromEntries(value) : value
}
