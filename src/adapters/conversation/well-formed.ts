// Halves of characters. A text that was cut inside an emoji has half of a surrogate pair, which providers refuse in JSON. A request has U+FFFD in its
// place, in every text and every key; the tree keeps what it has.

import { type JsonObject, type JsonValue, NodeRecord } from '../../core/index.js'

/** The same value with whole characters only; the value itself if nothing is to be replaced. */
export function wellFormed<Value extends JsonValue>(value: Value): Value {
  return whole(value) as Value
}

function whole(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list = value.map(whole)
    return list.every((item, i) => item === value[i]) ? value : list
  }
  return wholeObject(value as JsonObject)
}

function wholeObject(object: JsonObject): JsonObject {
  let isSame = true
  const names = new Set<string>()
  const entries = Object.entries(object).map(([key, value]) => {
    // Two keys may differ in nothing but what is replaced.
    let name = wellFormed(key)
    while (names.has(name)) name += '\ufffd'
    names.add(name)
    const made = whole(value)
    isSame &&= name === key && made === value
    return [name, made] as const
  })
  return isSame ? object : Object.fromEntries(entries)
}

/** A node with whole characters only; the record itself if nothing is to be replaced. */
export function wellFormedRecord(record: NodeRecord): NodeRecord {
  const { content, rare } = record
  const made = content === undefined ? undefined : whole(content)
  const attributes = rare?.attributes && wholeAttributes(rare.attributes)
  if (made === content && attributes === rare?.attributes) return record
  return new NodeRecord({ ...record, content: made, rare: attributes === undefined ? rare : { ...rare, attributes } })
}

function wholeAttributes(attributes: ReadonlyMap<string, JsonValue>): ReadonlyMap<string, JsonValue> {
  let isSame = true
  const made = Array.from(attributes, ([name, value]) => {
    const each = whole(value)
    isSame &&= each === value
    return [name, each] as const
  })
  return isSame ? attributes : new Map(made)
}
