// The text of a selector and the place in it. Every character that the parser looks at is read here and counted, so that a test can
// check that the work is linear in the text.
//
// A bare name may hold ASCII letters and digits, `_`, `-`, and beyond ASCII every character but white space,
// punctuation, arrows, mathematical signs, controls and lone surrogates. The table is fixed and does not follow
// the Unicode version of the host, so that a selector reads alike everywhere. "Curly" quotes, `≤` and a no-break space,
// which come in by pasting, are errors instead of a part of a name. A dot never belongs to a bare name, a colon only by D15 (token.ts).

import type { ErrorCode } from '../../errors/index.js'
import type { Dialect } from '../../core/index.js'
import type { Span } from '../ast.js'
import { quoted, selectorError } from '../selector-error.js'
import { SELECTOR_LIMITS } from '../limits.js'

const BEYOND_ASCII = 0x80

export class Reader {
  readonly text: string
  readonly dialect: Dialect
  /** The UTF-16 unit at the place, as text; empty behind the end. */
  char: string
  #pos = 0
  /** The number of units that were read. */
  reads = 1
  groups = 0
  nesting = 0
  /** The conditions of the step being read, each type name and each test counted. */
  conditions = 0
  /** True if `age`, `born_turn` and `depth` have a snapshot to refer to (D9). */
  hasSnapshot = false

  constructor(text: string, dialect: Dialect) {
    this.text = text
    this.dialect = dialect
    this.char = text[0] ?? ''
  }

  get pos(): number {
    return this.#pos
  }

  set pos(pos: number) {
    this.#pos = pos
    this.char = this.charAt(pos)
  }

  charAt(at: number): string {
    this.reads++
    return this.text[at] ?? ''
  }

  /** Moves past `text` if it is here. */
  take(text: string): boolean {
    this.reads += text.length
    if (!this.text.startsWith(text, this.pos)) return false
    this.pos += text.length
    return true
  }

  /** Moves past white space; gives false if there was none. */
  skipSpace(): boolean {
    if (!isSpace(this.char)) return false
    do this.pos++
    while (isSpace(this.char))
    return true
  }

  /** Moves past a run of name characters, colons not among them. */
  skipName(): void {
    this.pos = this.nameEnd(this.#pos)
  }

  spaceEnd(from: number): number {
    return this.#endOf(from, (text, at) => (isSpace(text[at] ?? '') ? 1 : 0))
  }

  digitsEnd(from: number): number {
    return this.#endOf(from, (text, at) => (isDigit(text[at] ?? '') ? 1 : 0))
  }

  /** The end of a run of name characters (without colons). */
  nameEnd(from: number): number {
    return this.#endOf(from, nameWidth)
  }

  /** The end of names that are joined by colons. */
  namesEnd(from: number): number {
    let end = this.nameEnd(from)
    while (this.charAt(end) === ':') end = this.nameEnd(end + 1)
    return end
  }

  /** The next place of one of two units, or the end of the text. */
  find(one: string, other: string, from: number): number {
    return this.#endOf(from, (text, at) => (at < text.length && text[at] !== one && text[at] !== other ? 1 : 0))
  }

  /** The end of a run of characters; `width` gives the units of one that belongs to it, and else 0. Counts once, at the end. */
  #endOf(from: number, width: (text: string, at: number) => number): number {
    let end = from
    for (let units = width(this.text, end); units > 0; units = width(this.text, end)) end += units
    this.reads += end - from + 1
    return end
  }

  /** The end of the text, without trailing white space. */
  lastEnd(): number {
    const { text } = this
    let end = text.length
    while (isSpace(text[end - 1] ?? '')) end--
    this.reads += text.length - end + 1
    return end
  }

  /** True if a name may start here. */
  startsName(): boolean {
    return isNameStart(this.text, this.#pos)
  }

  slice(start: number, end: number = this.#pos): string {
    return this.text.slice(start, end)
  }

  spanFrom(start: number): Span {
    return { start, end: this.#pos }
  }

  /** Counts one more group against the limit. */
  countGroup(start: number): void {
    this.groups++
    if (this.groups <= SELECTOR_LIMITS.groups) return
    this.failAs('E_SELECTOR_TOO_LARGE', `A selector has at most ${SELECTOR_LIMITS.groups} groups.`, start)
  }

  /** Counts one more condition of the step, which has been read from `start` to here, against the limit. */
  countCondition(start: number): void {
    this.conditions++
    if (this.conditions <= SELECTOR_LIMITS.conditions) return
    const sentence = `A step has at most ${SELECTOR_LIMITS.conditions} conditions.`
    this.failAs('E_SELECTOR_TOO_LARGE', sentence, start, this.pos)
  }

  /** Refuses a form that only the newer edition has (D1). */
  needsNewDialect(form: string, start: number, end: number): void {
    if (this.dialect === '1.0') return
    this.fail(`${form} ${quoted(this.slice(start, end))} belongs to dialect 1.0; this is dialect 0.1.`, start, end)
  }

  fail(sentence: string, start: number, end?: number): never {
    this.failAs('E_SELECTOR_INVALID', sentence, start, end)
  }

  /** Throws; without an end, the fault is the one character at `start`. */
  failAs(code: ErrorCode, sentence: string, start: number, end: number = this.charEnd(start)): never {
    throw selectorError(code, sentence, this.text, start, end)
  }

  /** The end of the whole character at a place. */
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

/** True if a name may start here; digits and hyphens come later in a name. */
export function isNameStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < BEYOND_ASCII ? isLetter(code) : nameWidth(text, at) > 0
}

/** The number of units of the name character at a place; 0 if there is none. */
export function nameWidth(text: string, at: number): 0 | 1 | 2 {
  if (at >= text.length) return 0
  const unit = text.charCodeAt(at)
  if (unit < BEYOND_ASCII) return isNameAscii(unit) ? 1 : 0
  const code = text.codePointAt(at)!
  if (code > 0xffff) return 2
  return isNameBeyondAscii(code) ? 1 : 0
}

function isNameAscii(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x2d
}

/** A letter of ASCII, or `_`. */
function isLetter(code: number): boolean {
  return code >= 0x61 ? code <= 0x7a : code >= 0x41 && (code <= 0x5a || code === 0x5f)
}

/** Characters beyond ASCII that names cannot contain, as pairs of first and last. */
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

/** True if a whole number starts here, perhaps with a sign. */
export function startsInteger(reader: Reader, at: number): boolean {
  const char = reader.charAt(at)
  return isDigit(char === '-' || char === '+' ? reader.charAt(at + 1) : char)
}

/** The end of the whole number that starts here. */
export function integerEnd(reader: Reader, at: number): number {
  return reader.digitsEnd(isDigit(reader.charAt(at)) ? at : at + 1)
}

/** Reads a whole number, which the caller has seen to start here. */
export function readInteger(reader: Reader): number {
  const start = reader.pos
  const isNegative = reader.take('-')
  if (!isNegative) reader.take('+')
  const digits = reader.pos
  reader.pos = reader.digitsEnd(digits)
  const value = Number(reader.slice(digits))
  if (!Number.isSafeInteger(value)) reader.fail(`The number ${reader.slice(start)} is too large.`, start, reader.pos)
  return isNegative && value > 0 ? -value : value // never -0
}
