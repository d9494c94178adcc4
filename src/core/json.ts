// JSON as this package holds it: integers that outgrow a double are bigints, so that digits survive (D33).

export type JsonValue = string | number | bigint | boolean | null | readonly JsonValue[] | JsonObject

export type JsonObject = { readonly [name: string]: JsonValue }

/** A string or any JSON value; checked, copied and frozen when it is taken. */
export type ContentInput = string | number | bigint | boolean | null | object

/** True for an object of names and values: no list, no null. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
