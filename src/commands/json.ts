// Results of the library as plain JSON.

import type { JsonObject } from '../core/index.js'

/** The JSON form of a result. */
export function jsonOf(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value, plain)) as JsonObject
}

/** The same for a result whose fields are plain JSON already, but for `toJSON`. */
export function plainOf<T extends object>(value: T): Omit<T, 'toJSON'> {
  return jsonOf(value) as unknown as Omit<T, 'toJSON'>
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value instanceof Map ? Object.fromEntries(value) : value
}
