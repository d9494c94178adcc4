// Parts that the tables do not know, or do not look into. A provider adds kinds and keys every month; what it sent itself goes back to it. Such a part
// keeps the name of its format and a digest of itself from the moment it comes in. After an edit the digest is another one: then the part is checked
// like one that was written by hand, and everything in it that no table looks into is left out (`asCame` in fit.ts).

import type { JsonObject, JsonValue, NodeRecord } from '../../core/index.js'
import { isKnown, type Fit } from './fit.js'
import { ATTRIBUTES, digestOf } from './neutral.js'
import { isObject, NO_KEYS, type PlainObject } from './plain-json.js'

/** A part as it comes in: its content, and other keys of a text or of a message. */
export type CamePart = Readonly<{
  content: JsonValue
  keys?: JsonObject | undefined
  envelope?: JsonObject | undefined
  /** False to ask for kinds and keys alone: values that no table looks into count as known. */
  looksInside?: boolean | undefined
}>

/** True if the tables of a format know all of a part. */
export type KnowsPart = (part: CamePart) => boolean

/** By the fit of a part. A text has its other keys apart, `first` before them; a value that is no object has nothing to know. */
export function knownBy(fit: Fit, first: PlainObject = NO_KEYS): KnowsPart {
  return ({ content, keys, looksInside }) => {
    if (isObject(content)) return isKnown(content as PlainObject, fit, looksInside)
    if (keys === undefined || typeof content !== 'string') return true
    return isKnown({ ...first, ...(keys as PlainObject), text: content }, fit, looksInside)
  }
}

/** The value of `data_wire` for a part. */
export function wireMark(format: string, { content, keys = {}, envelope = {} }: CamePart): string {
  return `${format} ${digestOf([content, keys, envelope])}`
}

/** True if a part came in this format with something that the tables do not know, and is what it was. */
export function isAsCame(record: NodeRecord, format: string): boolean {
  return markOf(record)?.startsWith(`${format} `) === true && !isChanged(record)
}

/** True if a part came with something that the tables do not know or do not look into, and an edit has changed it. */
export function isChanged(record: NodeRecord): boolean {
  const mark = markOf(record)
  if (mark === undefined) return false
  let isOther = changed.get(record)
  if (isOther === undefined) {
    const { content = '', rare } = record
    const keysAt = (name: string): JsonObject => (rare!.attributes!.get(name) ?? {}) as JsonObject
    const keys = { keys: keysAt(ATTRIBUTES.part), envelope: keysAt(ATTRIBUTES.message) }
    isOther = mark !== wireMark(mark.slice(0, mark.indexOf(' ')), { content, ...keys })
    changed.set(record, isOther)
  }
  return isOther
}

const changed = new WeakMap<NodeRecord, boolean>()

function markOf({ rare }: NodeRecord): string | undefined {
  const mark = rare?.attributes?.get(ATTRIBUTES.wire)
  return typeof mark === 'string' ? mark : undefined
}
