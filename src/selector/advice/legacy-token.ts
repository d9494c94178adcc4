// The tokens of older drafts of edition 1.0 (D18), each with its replacement, so that an error can say what to write instead.

import type { Reader } from '../parse/reader.js'

/** Hops without a sign in front. */
const HOP_WORDS: readonly string[] = ['seg', 'cont', 'block']

export const CLASS_NAMES: readonly string[] = [...HOP_WORDS, 'mt', 'mc', 'cb']

/** A legacy token: its end, and its replacement; undefined if the recipe has none. */
export type LegacyToken = Readonly<{ end: number; fix: string | undefined }>

export const OFFSET_SIGNS: ReadonlyMap<string, string> = new Map([
  ['*@+', '*[offset>0]'],
  ['*@-', '*[offset<0]'],
])

/** The legacy token at a place; undefined if there is none. `within(…)` is not among them, see isWithin. */
export function legacyTokenAt(reader: Reader, start: number): LegacyToken | undefined {
  const isStar = reader.charAt(start) === '*'
  const sign = isStar ? OFFSET_SIGNS.get(reader.slice(start, start + 3)) : undefined
  if (sign !== undefined) return { end: start + 3, fix: sign }
  const from = isStar ? start + 2 : start
  const end = reader.nameEnd(from)
  const word = reader.slice(from, end)
  const fix = `.${word}`
  if (isStar) return reader.charAt(start + 1) === ':' && CLASS_NAMES.includes(word) ? { end, fix } : undefined
  const next = reader.charAt(end)
  if (word !== 'c' || next !== '@') return HOP_WORDS.includes(word) && next !== ':' ? { end, fix } : undefined
  const digits = reader.digitsEnd(end + 1)
  const offset = reader.slice(end + 1, digits)
  return { end: digits, fix: offset === '' ? undefined : `.cont[offset=${offset}]` }
}

/** True if `within(` is here, a scope with what is searched in it. */
export function isWithin(reader: Reader, start: number): boolean {
  return reader.slice(start, start + WITHIN.length) === WITHIN
}

export const WITHIN = 'within('

/** The end of the legacy token that starts a step here; undefined if there is none. */
export function legacyEnd(reader: Reader): number | undefined {
  const start = reader.pos
  if (isWithin(reader, start)) return start + WITHIN.length
  const end = legacyTokenAt(reader, start)?.end
  return end !== undefined && HOP_WORDS.includes(reader.slice(start, end)) ? hopEnd(reader, end) : end
}

/** `cont[offset=0]` is one token, as far as its bracket is simple. */
function hopEnd(reader: Reader, end: number): number {
  const [bracket] = /^\[[^[\]'"]{0,38}\]/.exec(reader.slice(end, end + 40)) ?? ['']
  return end + bracket.length
}
