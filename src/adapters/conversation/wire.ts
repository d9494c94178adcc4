// Parts and keys that the tables do not know. A provider adds kinds and keys every month; one that it sent itself goes back to it. Such a part keeps the
// name of its format and a digest of itself from the moment it comes in. After an edit the digest is another one, and the part is checked like
// one that was written by hand.

import type { JsonObject, JsonValue, NodeRecord } from '../../core/index.js'
import { isKnown, type Fit } from './fit.js'
import { ATTRIBUTES, digestOf } from './neutral.js'
import { isObject, NO_KEYS, type PlainObject } from './plain-json.js'

/** A part as it comes in: its content, and other keys of a text or of a message. */
export type CamePart = Readonly<{
  content: JsonValue
  keys?: JsonObject | undefined
  envelope?: JsonObject | undefined
}>

/** True if the tables of a format know all of a part. */
export type KnowsPart = (part: CamePart) => boolean

/** By the fit of a part. A text has its other keys apart, `first` before them; a value that is no object has nothing to know. */
export function knownBy(fit: Fit, first: PlainObject = NO_KEYS): KnowsPart {
  return ({ content, keys }) => {
    if (isObject(content)) return isKnown(content as PlainObject, fit)
    if (keys === undefined || typeof content !== 'string') return true
    return isKnown({ ...first, ...(keys as PlainObject), text: content }, fit)
  }
}

/** The value of `data_wire` for a part. */
export function wireMark(format: string, { content, keys = {}, envelope = {} }: CamePart): string {
  return `${format} ${digestOf([content, keys, envelope])}`
}

/** True if a part came in this format with something that the tables do not know, and is what it was. */
export function isAsCame({ content = '', rare }: NodeRecord, format: string): boolean {
  const mark = rare?.attributes?.get(ATTRIBUTES.wire)
  if (typeof mark !== 'string' || !mark.startsWith(`${format} `)) return false
  const keysAt = (name: string): JsonObject => (rare!.attributes!.get(name) ?? {}) as JsonObject
  return mark === wireMark(format, { content, keys: keysAt(ATTRIBUTES.part), envelope: keysAt(ATTRIBUTES.message) })
}
