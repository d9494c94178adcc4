// Values in tests: numbers with their digits kept (D21), text in quotes, bare words, null, lists. Read and printed here, so
// that both agree on quotes and escapes.

import type { Literal } from '../ast.js'
import { quoted } from '../selector-error.js'
import { isDigit, type Reader } from './reader.js'

type Scalar = Exclude<Literal, { kind: 'list' }>

/** Reads a value. */
export function readLiteral(reader: Reader): Literal {
  if (reader.char !== '[') return readScalar(reader)
  const start = reader.pos
  reader.pos++
  const items = [readItem(reader)]
  while (reader.take(',')) items.push(readItem(reader))
  if (!reader.take(']')) failInList(reader, start)
  return { kind: 'list', items, span: reader.spanFrom(start) }
}

/** Reads text in quotes; `\'`, `\"` and `\\` are the sign itself, any other backslash is a backslash. */
export function readQuoted(reader: Reader): string {
  const start = reader.pos
  const quote = reader.char
  let text = ''
  let from = start + 1
  for (let at = reader.find(quote, '\\', from); ; at = reader.find(quote, '\\', at + 1)) {
    const char = reader.charAt(at)
    if (char === quote) {
      reader.pos = at + 1
      return text + reader.slice(from, at)
    }
    if (char === '') reader.fail(`The quote that starts here is never closed.`, start)
    if (isEscaped(reader.charAt(at + 1))) {
      text += reader.slice(from, at)
      from = ++at
    }
  }
}

export function isQuote(char: string): boolean {
  return char === "'" || char === '"'
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
  if (reader.char === '[') reader.fail('A list holds plain values, no lists.', reader.pos)
  const item = readScalar(reader)
  reader.skipSpace()
  return item
}

function readScalar(reader: Reader): Scalar {
  const start = reader.pos
  const char = reader.char
  if (isQuote(char)) {
    const text = readQuoted(reader)
    return { kind: 'string', text, span: reader.spanFrom(start) }
  }
  if (isDigit(isSign(char) ? reader.charAt(reader.pos + 1) : char)) return readNumber(reader)
  if (reader.startsName()) return readWord(reader)
  const found = reader.tokenAt(start)
  if (found === '' || found === ']' || found === ',')
    reader.fail(`A value is missing behind "${lastSign(reader)}".`, start)
  reader.fail(`A value cannot start with ${quoted(found)}.`, start)
}

function readNumber(reader: Reader): Scalar {
  const start = reader.pos
  const sign = reader.char
  reader.pos = reader.digitsEnd(isSign(sign) ? start + 1 : start)
  if (reader.char === '.' && isDigit(reader.charAt(reader.pos + 1))) reader.pos = reader.digitsEnd(reader.pos + 1)
  const next = reader.char
  if (next === '.' || next === ':' || reader.nameEnd(reader.pos) > reader.pos) {
    let end = reader.namesEnd(reader.pos)
    while (reader.charAt(end) === '.') end = reader.namesEnd(end + 1)
    const value = reader.slice(start, end)
    reader.fail(`${quoted(value)} is no number; as text it goes in quotes.`, start, end)
  }
  const text = reader.slice(sign === '+' ? start + 1 : start)
  return { kind: 'number', text, span: reader.spanFrom(start) }
}

/** A bare word may contain colons anywhere, since no predicate can follow a value. */
function readWord(reader: Reader): Scalar {
  const start = reader.pos
  reader.pos = reader.namesEnd(start)
  const text = reader.slice(start)
  const kind = text === 'null' || text === 'None' ? 'null' : 'word'
  return { kind, text, span: reader.spanFrom(start) }
}

function failInList(reader: Reader, start: number): never {
  const found = reader.tokenAt(reader.pos)
  if (found === '') reader.fail('The list that starts here is never closed.', start)
  reader.fail(`A list goes on with "," or ends with "]", not ${quoted(found)}.`, reader.pos, reader.pos + found.length)
}

function isSign(char: string): boolean {
  return char === '+' || char === '-'
}

function isEscaped(char: string): boolean {
  return isQuote(char) || char === '\\'
}

function lastSign(reader: Reader): string {
  return reader.slice(0).trimEnd().at(-1) ?? ''
}
