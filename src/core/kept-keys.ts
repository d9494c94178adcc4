// Keys of a message or of a part of it besides its content, such as `reasoning_content`. Adapters keep them with the node, and the same provider
// gets them again, so they count as its content does.

import { isObject, type JsonObject, type JsonValue } from './json.js'

/** Attributes with such keys: of a message, and of a text part. */
export const KEPT_KEYS = { message: 'data_message', part: 'data_part' } as const

/** These say which message it is, and no model reads them. */
const LABELS: ReadonlySet<string> = new Set(['id', 'role', 'status', 'type'])

/** The kept keys of a node that a model may read, by attribute. `attribute` gives an attribute of the node. */
export function keptKeys(attribute: (name: string) => JsonValue | undefined): readonly JsonObject[] {
  return Object.values(KEPT_KEYS).flatMap((name) => {
    const keys = attribute(name)
    if (!isObject(keys)) return []
    const entries = Object.entries(keys).filter(([key, value]) => !LABELS.has(key) && saysSomething(value))
    // fromEntries makes own properties, whatever their names are.
    return entries.length === 0 ? [] : [Object.fromEntries(entries)]
  })
}

function saysSomething(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== null && value !== '' && !(isObject(value) && Object.keys(value).length === 0)
}
