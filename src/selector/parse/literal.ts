// Values in tests: numbers with their digits kept (D21), text in quotes, bare words, null, lists. Read and printed here, so
// that both agree on quotes and escapes.

import type { Literal } from '../ast.js'
import { quoted } from '../selector-error.js'
import { END, isDigit, type Reader } from './reader.js'

const DOUBLE_QUOTE = 0x22
const QUOTE = 0x27
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d

type Scalar = Exclude<Literal, { kind: 'list' }>

/** Reads the value that stands here. */
export function readLiteral(reader: Reader): Literal {
  if (reader.unit !== OPEN_LIST) return readScalar(reader)
  const start = reader.pos
  reader.pos++
  const items = [readItem(reader)]
  while (reader.takeUnit(COMMA)) items.push(readItem(reader))
  if (!reader.takeUnit(CLOSE_LIST)) failInList(reader, start)
  return { kind: 'list', items, span: reader.spanFrom(start) }
}

/** Reads text in quotes; `\'`, `\"` and `\\` stand for the sign itself, any other backslash for a backslash. */
export function readQuoted(reader: Reader): string {
  const start = reader.pos
  const quote = reader.unit
  let text = ''
  let from = start + 1
  for (let at = reader.find(quote, BACKSLASH, from); ; at = reader.find(quote, BACKSLASH, at + 1)) {
    const unit = reader.unitAt(at)
    if (unit === quote) {
      reader.pos = at + 1
      return text + reader.slice(from, at)
    }
    if (unit === END) reader.fail(`The quote that starts here is never closed.`, start)
    if (isEscaped(reader.unitAt(at + 1))) {
      text += reader.slice(from, at)
      from = ++at
    }
  }
}

export function isQuote(unit: number): boolean {
  return unit === QUOTE || unit === DOUBLE_QUOTE
}

export function formatLiteral(literal: Literal): string {
  switch (literal.kind) {
    case 'string':
      return quoteText(literal.text)
    case 'number':
    case 'word':
    case 'null':
      return literal.text
    case 'list':
      return `[${literal.items.map(formatLiteral).join(', ')}]`
  }
}

/** Puts a text in the quotes that need fewer escapes. */
export function quoteText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  return `${quote}${text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`
}

function readItem(reader: Reader): Scalar {
  reader.skipSpace()
  if (reader.unit === OPEN_LIST) reader.fail('A list holds plain values, no lists.', reader.pos)
  const item = readScalar(reader)
  reader.skipSpace()
  return item
}

function readScalar(reader: Reader): Scalar {
  const start = reader.pos
  const unit = reader.unit
  if (isQuote(unit)) {
    const text = readQuoted(reader)
    return { kind: 'string', text, span: reader.spanFrom(start) }
  }
  if (isDigit(isSign(unit) ? reader.unitAt(reader.pos + 1) : unit)) return readNumber(reader)
  if (reader.startsName()) return readWord(reader)
  const found = reader.tokenAt(start)
  if (found === '' || found === ']' || found === ',')
    reader.fail(`A value is missing behind "${lastSign(reader)}".`, start)
  reader.fail(`A value cannot start with ${quoted(found)}.`, start)
}

function readNumber(reader: Reader): Scalar {
  const start = reader.pos
  const sign = reader.unit
  reader.pos = reader.digitsEnd(isSign(sign) ? start + 1 : start)
  if (reader.unit === DOT && isDigit(reader.unitAt(reader.pos + 1))) reader.pos = reader.digitsEnd(reader.pos + 1)
  const next = reader.unit
  if (next === DOT || next === COLON || reader.nameEnd(reader.pos) > reader.pos) {
    let end = reader.pos
    while (end < wordEnd(reader, end)) end = wordEnd(reader, end)
    const value = reader.slice(start, end)
    reader.fail(`${quoted(value)} is no number; as text it goes in quotes.`, start, end)
  }
  const text = reader.slice(sign === PLUS ? start + 1 : start)
  return { kind: 'number', text, span: reader.spanFrom(start) }
}

/** A bare word holds colons wherever they stand: no predicate can follow a value. */
function readWord(reader: Reader): Scalar {
  const start = reader.pos
  let end = reader.nameEnd(start)
  while (reader.unitAt(end) === COLON) end = reader.nameEnd(end + 1)
  reader.pos = end
  const text = reader.slice(start)
  const kind = text === 'null' || text === 'None' ? 'null' : 'word'
  return { kind, text, span: reader.spanFrom(start) }
}

function wordEnd(reader: Reader, from: number): number {
  const unit = reader.unitAt(from)
  return unit === DOT || unit === COLON ? from + 1 : reader.nameEnd(from)
}

function failInList(reader: Reader, start: number): never {
  const found = reader.tokenAt(reader.pos)
  if (found === '') reader.fail('The list that starts here is never closed.', start)
  reader.fail(`A list goes on with "," or ends with "]", not ${quoted(found)}.`, reader.pos, reader.pos + found.length)
}

function isSign(unit: number): boolean {
  return unit === PLUS || unit === MINUS
}

function isEscaped(unit: number): boolean {
  return isQuote(unit) || unit === BACKSLASH
}

function lastSign(reader: Reader): string {
  return reader.slice(0).trimEnd().at(-1) ?? ''
}
