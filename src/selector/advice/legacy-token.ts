// The tokens of older drafts of edition 1.0 (D18): recognized, so that the error can say what to write instead.

import type { Reader } from '../parse/reader.js'

const STAR = 0x2a
const PLUS = 0x2b
const MINUS = 0x2d
const COLON = 0x3a
const AT = 0x40

/** What could stand as a hop without a sign in front. */
export const HOP_WORDS: readonly string[] = ['seg', 'cont', 'block']

export const CLASS_NAMES: readonly string[] = [...HOP_WORDS, 'mt', 'mc', 'cb']

/** Where the legacy token that starts a step here ends; undefined where there is none. */
export function legacyEnd(reader: Reader): number | undefined {
  if (reader.unit === STAR) return starEnd(reader)
  const start = reader.pos
  const end = reader.nameEnd(start)
  const word = reader.slice(start, end)
  if (word === 'c' && reader.charAt(end) === '@') return reader.digitsEnd(end + 1)
  if (word === 'within' && reader.charAt(end) === '(') return end + 1
  return HOP_WORDS.includes(word) && reader.charAt(end) !== ':' ? hopEnd(reader, end) : undefined
}

/** `*@+`, `*@-` and `*:block`. */
function starEnd(reader: Reader): number | undefined {
  const start = reader.pos
  const next = reader.unitAt(start + 1)
  if (next === AT) {
    const sign = reader.unitAt(start + 2)
    return sign === PLUS || sign === MINUS ? start + 3 : undefined
  }
  if (next !== COLON) return undefined
  const end = reader.nameEnd(start + 2)
  return CLASS_NAMES.includes(reader.slice(start + 2, end)) ? end : undefined
}

/** `cont[offset=0]` is one token, as far as its bracket is simple. */
function hopEnd(reader: Reader, end: number): number {
  if (reader.charAt(end) !== '[') return end
  for (let at = end + 1; at < end + 40; at++) {
    const char = reader.charAt(at)
    if (char === ']') return at + 1
    if (char === '' || char === '[' || char === "'" || char === '"') break
  }
  return end
}
