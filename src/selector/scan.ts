// The text of a selector and the place in it. Everything the parser looks at goes through here and is counted, so that a
// test can state that the work is linear in the text.
//
// What a bare name may hold: ASCII letters and digits, `_`, `-`, and beyond ASCII every character but white space,
// punctuation, arrows, mathematical signs, controls and lone surrogates. The table is fixed rather than asked of the
// host's Unicode, so that a selector reads alike everywhere; and "curly" quotes, `≤` or a no-break space, which come in
// by pasting, are errors instead of a part of a name. A dot never belongs to a bare name, a colon only by D15 (token.ts).

import type { ErrorCode } from '../errors/index.js'
import type { Dialect } from '../core/index.js'
import type { Span } from './ast.js'
import { quoted, selectorError } from './errors.js'
import { SELECTOR_LIMITS } from './limits.js'

export class Reader {
  readonly text: string
  readonly dialect: Dialect
  pos = 0
  /** How many units have been looked at. */
  reads = 0
  groups = 0
  nesting = 0
  /** The conditions of the step being read, each type name and each test counted. */
  conditions = 0
  /** Whether `age`, `born_turn` and `depth` have a snapshot to be judged by (D9). */
  hasSnapshot = false

  constructor(text: string, dialect: Dialect) {
    this.text = text
    this.dialect = dialect
  }

  /** The unit at a distance from the place; empty behind the end. */
  peek(ahead = 0): string {
    return this.charAt(this.pos + ahead)
  }

  charAt(at: number): string {
    this.reads++
    return this.text[at] ?? ''
  }

  /** Moves past `text` if it stands here. */
  take(text: string): boolean {
    this.reads += text.length
    if (!this.text.startsWith(text, this.pos)) return false
    this.pos += text.length
    return true
  }

  /** Moves past white space and tells whether there was any. */
  skipSpace(): boolean {
    const start = this.pos
    this.pos = this.spaceEnd(start)
    return this.pos > start
  }

  spaceEnd(from: number): number {
    let end = from
    while (isSpace(this.charAt(end))) end++
    return end
  }

  digitsEnd(from: number): number {
    let end = from
    while (isDigit(this.charAt(end))) end++
    return end
  }

  /** Where a run of name characters (without colons) ends. */
  nameEnd(from: number): number {
    let end = from
    for (;;) {
      this.reads++
      const width = nameWidth(this.text, end)
      if (width === 0) return end
      end += width
    }
  }

  slice(start: number, end: number = this.pos): string {
    return this.text.slice(start, end)
  }

  spanFrom(start: number): Span {
    return { start, end: this.pos }
  }

  /** Counts one more group against the limit. */
  countGroup(start: number): void {
    this.groups++
    if (this.groups <= SELECTOR_LIMITS.groups) return
    this.failAs('E_SELECTOR_TOO_LARGE', `A selector has at most ${SELECTOR_LIMITS.groups} groups.`, start)
  }

  /** Counts further conditions of a step against the limit. */
  countConditions(count: number, start: number, end: number): void {
    this.conditions += count
    if (this.conditions <= SELECTOR_LIMITS.conditions) return
    const sentence = `A step has at most ${SELECTOR_LIMITS.conditions} conditions.`
    this.failAs('E_SELECTOR_TOO_LARGE', sentence, start, end)
  }

  /** Refuses a form that only the newer edition has (D1). */
  needsNewDialect(form: string, start: number, end: number): void {
    if (this.dialect === '1.0') return
    this.fail(`${form} ${quoted(this.slice(start, end))} belongs to dialect 1.0; this is dialect 0.1.`, start, end)
  }

  fail(sentence: string, start: number, end?: number): never {
    this.failAs('E_SELECTOR_INVALID', sentence, start, end)
  }

  /** Throws; without an end, what is at fault is the one character at `start`. */
  failAs(code: ErrorCode, sentence: string, start: number, end: number = this.charEnd(start)): never {
    throw selectorError(code, sentence, this.text, start, end)
  }

  /** Where the whole character at a place ends. */
  charEnd(start: number): number {
    const code = this.text.codePointAt(start)
    return code === undefined ? start : start + (code > 0xffff ? 2 : 1)
  }

  /** The character, word or number at a place, for a message to quote. */
  tokenAt(start: number): string {
    return this.slice(start, Math.max(this.nameEnd(start), this.charEnd(start)))
  }
}

export function isSpace(char: string): boolean {
  return char === ' ' || (char >= '\t' && char <= '\r')
}

export function isDigit(char: string): boolean {
  return char >= '0' && char <= '9'
}

/** Whether a name may start here; digits and hyphens come later in a name. */
export function isNameStart(text: string, at: number): boolean {
  return nameWidth(text, at) > 0 && !isDigit(text[at]!) && text[at] !== '-'
}

/** How many units the name character at a place takes; 0 where there is none. */
export function nameWidth(text: string, at: number): 0 | 1 | 2 {
  const code = text.codePointAt(at)
  if (code === undefined) return 0
  if (code < 0x80) return isNameAscii(code) ? 1 : 0
  if (code > 0xffff) return 2
  return isNameBeyondAscii(code) ? 1 : 0
}

function isNameAscii(code: number): boolean {
  if (code >= 0x61) return code <= 0x7a
  if (code >= 0x41) return code <= 0x5a || code === 0x5f
  return (code >= 0x30 && code <= 0x39) || code === 0x2d
}

/** What does not belong to a name beyond ASCII, as pairs of first and last. */
const NOT_IN_NAMES: readonly (readonly [number, number])[] = [
  [0x0080, 0x00a9],
  [0x00ab, 0x00b4],
  [0x00b6, 0x00b6],
  [0x00b8, 0x00b9],
  [0x00bb, 0x00bf],
  [0x00d7, 0x00d7],
  [0x00f7, 0x00f7],
  [0x1680, 0x1680],
  [0x2000, 0x200b], // spaces; the joiners 200c and 200d stay in
  [0x200e, 0x206f], // directions, dashes, quotes, dots, primes
  [0x2190, 0x22ff], // arrows, mathematical operators
  [0x3000, 0x3004],
  [0x3008, 0x3020], // ideographic space, stops and brackets
  [0xd800, 0xdfff], // lone surrogates
  [0xfeff, 0xfeff],
  [0xff00, 0xff0f],
  [0xff1a, 0xff20],
  [0xff3b, 0xff40],
  [0xff5b, 0xff65], // fullwidth punctuation
  [0xfff0, 0xffff],
]

function isNameBeyondAscii(code: number): boolean {
  return !NOT_IN_NAMES.some(([first, last]) => code >= first && code <= last)
}
