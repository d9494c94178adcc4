// The text of a selector and the place in it. Everything the parser looks at goes through here and is counted, so that a
// test can state that the work is linear in the text.
//
// What a bare name may hold: ASCII letters and digits, `_`, `-`, and beyond ASCII every character but white space,
// punctuation, arrows, mathematical signs, controls and lone surrogates. The table is fixed rather than asked of the
// host's Unicode, so that a selector reads alike everywhere; and "curly" quotes, `≤` or a no-break space, which come in
// by pasting, are errors instead of a part of a name. A dot never belongs to a bare name, a colon only by D15 (token.ts).

import type { ErrorCode } from '../../errors/index.js'
import type { Dialect } from '../../core/index.js'
import type { Span } from '../ast.js'
import { quoted, selectorError } from '../selector-error.js'
import { SELECTOR_LIMITS } from '../limits.js'

/** What stands behind the end of the text; no unit is negative. */
export const END = -1

// The signs that a file of the parser compares with are named in it: those of its own are compiled as plain numbers, while
// imported ones would be fetched each time.
const TAB = 0x09
const RETURN = 0x0d
const SPACE = 0x20
const HYPHEN = 0x2d
const ZERO = 0x30
const NINE = 0x39
const BEYOND_ASCII = 0x80

export class Reader {
  readonly text: string
  readonly dialect: Dialect
  /** The unit at the place, as its number; END behind the end. Kept by `pos`, since most questions are about this one. */
  unit: number
  #pos = 0
  /** How many units have been looked at. */
  reads = 1
  groups = 0
  nesting = 0
  /** The conditions of the step being read, each type name and each test counted. */
  conditions = 0
  /** Whether `age`, `born_turn` and `depth` have a snapshot to be judged by (D9). */
  hasSnapshot = false

  constructor(text: string, dialect: Dialect) {
    this.text = text
    this.dialect = dialect
    this.unit = unitOf(text, 0)
  }

  get pos(): number {
    return this.#pos
  }

  set pos(pos: number) {
    this.#pos = pos
    this.unit = this.unitAt(pos)
  }

  unitAt(at: number): number {
    this.reads++
    return unitOf(this.text, at)
  }

  /** The unit as text, for forms that are rarely read; empty behind the end. */
  peek(ahead = 0): string {
    return this.charAt(this.pos + ahead)
  }

  charAt(at: number): string {
    this.reads++
    return this.text[at] ?? ''
  }

  /** Moves past one unit if it stands here. */
  takeUnit(unit: number): boolean {
    if (this.unit !== unit) return false
    this.pos++
    return true
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
    if (!isSpace(this.unit)) return false
    do this.pos++
    while (isSpace(this.unit))
    return true
  }

  /** Moves past a run of name characters, colons not among them. */
  skipName(): void {
    this.pos = this.nameEnd(this.#pos)
  }

  // The loops below run over every unit of the text, so they ask the text itself and count once, at the end.

  spaceEnd(from: number): number {
    const { text } = this
    let end = from
    while (end < text.length && isSpace(text.charCodeAt(end))) end++
    this.reads += end - from + 1
    return end
  }

  digitsEnd(from: number): number {
    const { text } = this
    let end = from
    while (end < text.length && isDigit(text.charCodeAt(end))) end++
    this.reads += end - from + 1
    return end
  }

  /** Where one of two units stands next, or the end of the text. */
  find(one: number, other: number, from: number): number {
    const { text } = this
    let at = from
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit === one || unit === other) break
    }
    this.reads += at - from + 1
    return at
  }

  /** Where a run of name characters (without colons) ends. */
  nameEnd(from: number): number {
    const { text } = this
    let end = from
    for (let width = nameWidth(text, end); width > 0; width = nameWidth(text, end)) end += width
    this.reads += end - from + 1
    return end
  }

  /** Where the text ends, white space left out. */
  lastEnd(): number {
    const { text } = this
    let end = text.length
    while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--
    this.reads += text.length - end + 1
    return end
  }

  /** Whether a name may start here. */
  startsName(): boolean {
    return this.unit < BEYOND_ASCII ? isLetter(this.unit) : isNameStart(this.text, this.#pos)
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

export function isSpace(unit: number): boolean {
  return unit === SPACE || (unit >= TAB && unit <= RETURN)
}

export function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE
}

/** Bounds are checked by hand: charCodeAt's own answer behind the end, NaN, would cost it its fast path. */
function unitOf(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : END
}

/** Whether a name may start here; digits and hyphens come later in a name. */
export function isNameStart(text: string, at: number): boolean {
  const unit = unitOf(text, at)
  return unit < BEYOND_ASCII ? isLetter(unit) : nameWidth(text, at) > 0
}

/** How many units the name character at a place takes; 0 where there is none. */
export function nameWidth(text: string, at: number): 0 | 1 | 2 {
  if (at >= text.length) return 0
  const unit = text.charCodeAt(at)
  if (unit < BEYOND_ASCII) return NAME_ASCII[unit] === 1 ? 1 : 0
  const code = text.codePointAt(at)!
  if (code > 0xffff) return 2
  return isNameBeyondAscii(code) ? 1 : 0
}

/** Looked up instead of compared, since every unit of every name is asked. */
const NAME_ASCII = Uint8Array.from({ length: BEYOND_ASCII }, (_, code) => Number(isNameAscii(code)))

function isNameAscii(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === HYPHEN
}

/** A letter of ASCII, or `_`. */
function isLetter(code: number): boolean {
  return code >= 0x61 ? code <= 0x7a : code >= 0x41 && (code <= 0x5a || code === 0x5f)
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
