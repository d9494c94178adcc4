// JSON text to values, strictly RFC 8259. JSON.parse would do but for three things: it rounds integers beyond 2^53, of
// which created_at_ns is one (D33), it follows five million brackets into the depth, and its errors name no line.
//
// One function per grammar rule over one cursor. Plain runs are sliced out of the text whole, never built up, and every
// character is looked at once, so the time is linear. Recursion ends at maxDepth. Values are fresh and not frozen: the
// decoder freezes what it keeps.

import { PactError } from '../errors/index.js'
import { isHidden, LIMITS, visible, type JsonValue } from '../core/index.js'

/** Reads a JSON text; integers beyond 2^53 become bigints, and containers may nest `maxDepth` deep (D33). */
export function parseJson(text: string, maxDepth: number): JsonValue {
  if (text.charCodeAt(0) === BOM) {
    fail(text, 0, 'The text starts with a byte order mark (U+FEFF), which JSON does not allow; remove it')
  }
  return new Parser(text, maxDepth).parse()
}

/** Decodes UTF-8 strictly: malformed bytes and a byte order mark are refused, with the byte at fault. */
export function decodeUtf8(bytes: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    const pos = findMalformed(bytes)
    const message = `The bytes are not UTF-8: byte ${pos} is not allowed there. Write the file as UTF-8.`
    throw new PactError('E_SNAPSHOT_INVALID', message, { pos }, { cause })
  }
  if (text.charCodeAt(0) !== BOM) return text
  const message = 'The bytes start with a byte order mark (EF BB BF), which JSON does not allow; remove it.'
  throw new PactError('E_SNAPSHOT_INVALID', message, { pos: 0 })
}

const BOM = 0xfeff
const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const PLAIN_RUN = /[ !#-[\]-\uffff]*/y

class Parser {
  readonly #text: string
  readonly #maxDepth: number
  #pos = 0

  constructor(text: string, maxDepth: number) {
    this.#text = text
    this.#maxDepth = maxDepth
  }

  parse(): JsonValue {
    const value = this.#value(0)
    this.#skipSpace()
    if (this.#pos < this.#text.length) this.#expected('the end of the text')
    return value
  }

  #value(depth: number): JsonValue {
    this.#skipSpace()
    const unit = this.#text.charCodeAt(this.#pos)
    switch (unit) {
      case QUOTE:
        return this.#string()
      case OPEN_OBJECT:
        return this.#object(depth + 1)
      case OPEN_ARRAY:
        return this.#array(depth + 1)
      case 0x74: // t
        return this.#word('true', true)
      case 0x66: // f
        return this.#word('false', false)
      case 0x6e: // n
        return this.#word('null', null)
      default:
        return unit === MINUS || isDigit(unit) ? this.#number() : this.#expected('a value')
    }
  }

  #object(depth: number): JsonValue {
    this.#open(depth)
    const object: Record<string, JsonValue> = {}
    if (this.#next() === CLOSE_OBJECT) return this.#close(object)
    for (;;) {
      if (this.#next() !== QUOTE) this.#expected('a quoted name')
      const name = this.#string()
      if (this.#next() !== COLON) this.#expected('":" after the name')
      this.#pos++
      const value = this.#value(depth)
      // Assigning to __proto__ would set the prototype; here it is a name like any other.
      if (name === '__proto__') define(object, name, value)
      else object[name] = value // of names that come twice, the last wins, as in Python and JSON.parse
      const unit = this.#next()
      if (unit === CLOSE_OBJECT) return this.#close(object)
      if (unit !== COMMA) this.#expected('"," or "}"')
      this.#pos++
    }
  }

  #array(depth: number): JsonValue {
    this.#open(depth)
    const items: JsonValue[] = []
    if (this.#next() === CLOSE_ARRAY) return this.#close(items)
    for (;;) {
      items.push(this.#value(depth))
      const unit = this.#next()
      if (unit === CLOSE_ARRAY) return this.#close(items)
      if (unit !== COMMA) this.#expected('"," or "]"')
      this.#pos++
    }
  }

  #open(depth: number): void {
    if (depth > this.#maxDepth) {
      fail(this.#text, this.#pos, `The text nests deeper than ${this.#maxDepth} levels; flatten it`)
    }
    this.#pos++
  }

  #close<T extends JsonValue>(value: T): T {
    this.#pos++
    return value
  }

  /** Finds the end of a string, checking on the way; only then are its escapes, if any, replaced all at once. */
  #string(): string {
    const text = this.#text
    const start = this.#pos++
    for (let escaped = false; ;) {
      this.#skipPlain()
      const unit = text.charCodeAt(this.#pos)
      if (unit === QUOTE) {
        this.#pos++
        return escaped ? (JSON.parse(text.slice(start, this.#pos)) as string) : text.slice(start + 1, this.#pos - 1)
      }
      if (unit !== BACKSLASH) {
        this.#expected(this.#pos < text.length ? 'control characters to be escaped in a string' : 'a closing quote')
      }
      escaped = true
      this.#escape()
    }
  }

  /** Skips plain characters of a string. A regex is fastest on long runs, but starting one costs as much as a short run. */
  #skipPlain(): void {
    const text = this.#text
    for (let pos = this.#pos; ; pos++) {
      const unit = text.charCodeAt(pos)
      if (unit === QUOTE || unit === BACKSLASH || !(unit >= SPACE) /* NaN, the end, too */) {
        this.#pos = pos
        return
      }
      if (pos - this.#pos < 16) continue
      PLAIN_RUN.lastIndex = pos
      PLAIN_RUN.test(text)
      this.#pos = PLAIN_RUN.lastIndex
      return
    }
  }

  #escape(): void {
    const letter = this.#text.charAt(++this.#pos)
    if (letter === 'u') {
      if (!/^[\da-f]{4}$/i.test(this.#text.slice(this.#pos + 1, this.#pos + 5))) {
        this.#expected('four hex digits', this.#pos + 1)
      }
      this.#pos += 5
      return
    }
    if (letter === '' || !'"\\/bfnrt'.includes(letter)) this.#expected('one of " \\ / b f n r t u after a backslash')
    this.#pos++
  }

  #number(): number | bigint {
    const text = this.#text
    const start = this.#pos
    if (text.charCodeAt(start) === MINUS) this.#pos++
    const digits = this.#digits('a digit')
    if (digits > 1 && text.charCodeAt(this.#pos - digits) === ZERO) {
      fail(text, start, 'A number must not start with 0; leave the zeros out')
    }
    let whole = true
    if (text.charCodeAt(this.#pos) === DOT) {
      whole = false
      this.#pos++
      this.#digits('a digit after the decimal point')
    }
    if ((text.charCodeAt(this.#pos) | 0x20) === 0x65 /* e or E */) {
      whole = false
      this.#pos++
      const sign = text.charCodeAt(this.#pos)
      if (sign === MINUS || sign === 0x2b /* + */) this.#pos++
      this.#digits('a digit in the exponent')
    }
    if (whole && digits > LIMITS.digits) {
      fail(text, start, `The integer has more than ${LIMITS.digits} digits; write it as a string`)
    }
    return this.#convert(text.slice(start, this.#pos), whole, start)
  }

  #digits(expected: string): number {
    const start = this.#pos
    while (isDigit(this.#text.charCodeAt(this.#pos))) this.#pos++
    if (this.#pos === start) this.#expected(expected)
    return this.#pos - start
  }

  #convert(literal: string, whole: boolean, start: number): number | bigint {
    const value = Number(literal)
    if (whole && !Number.isSafeInteger(value)) return BigInt(literal)
    if (!Number.isFinite(value)) {
      fail(this.#text, start, 'The number is too large for a float; write it as an integer or a string')
    }
    return value === 0 ? 0 : value // no -0: it would be written as 0, and read back as another value
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#pos)) this.#expected('a value')
    this.#pos += word.length
    return value
  }

  /** Skips white space and gives the unit that follows, NaN at the end. */
  #next(): number {
    this.#skipSpace()
    return this.#text.charCodeAt(this.#pos)
  }

  #skipSpace(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#pos)
      if (unit !== SPACE && unit !== NEWLINE && unit !== RETURN && unit !== TAB) return
      this.#pos++
    }
  }

  #expected(what: string, pos: number = this.#pos): never {
    const point = this.#text.codePointAt(pos)
    fail(this.#text, pos, `Expected ${what}, but found ${point === undefined ? 'the end' : describe(point)}`)
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE
}

function define(object: object, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

/** A character in quotes, or its number if it cannot be seen. */
function describe(point: number): string {
  const char = String.fromCodePoint(point)
  return isHidden(char) ? visible(char) : `"${char}"`
}

function fail(text: string, pos: number, problem: string): never {
  let line = 1
  let lineStart = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < pos; end = text.indexOf('\n', lineStart)) {
    line++
    lineStart = end + 1
  }
  const column = pos - lineStart + 1
  throw new PactError('E_SNAPSHOT_INVALID', `${problem} (line ${line}, column ${column}).`, { pos, line, column })
}

/** Finds the first byte that no UTF-8 text could have there, by halving; where the last character is cut off, the end. */
function findMalformed(bytes: Uint8Array): number {
  let good = 0
  let bad = bytes.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (startsWell(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  return good
}

function startsWell(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}
