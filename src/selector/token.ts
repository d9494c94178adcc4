// Bare tokens: the names behind `.`, `#` and `+`. A colon belongs to the token unless a whole predicate name follows it
// (D15), so `#cb:pre1` and `.block:first-draft` are one token and `.cb:pre` is a type with a predicate.

import { isDigit, isNameStart, Reader } from './scan.js'

/** Predicates without and with an argument. */
const PLAIN = ['pre', 'core', 'post', 'first', 'last']
const CALLED = ['depth', 'nth']

/** The predicates as written, for near names. */
export const PREDICATES: readonly string[] = [...PLAIN, ...CALLED].map((name) => `:${name}`)

/** What a token names; ids and keys may start with a digit and may be quoted. */
export type TokenKind = 'type' | 'id' | 'key' | 'tag'

const EXAMPLES: Readonly<Record<TokenKind, string>> = { type: '.block', id: '#cb:u1', key: '#policy', tag: '+audit' }
const QUOTED_FORMS = { type: "[nodeType='…']", tag: "{ tag='…' }" }

/** Reads the bare token behind the sign at `start`, the place being right behind the sign. */
export function readToken(reader: Reader, kind: TokenKind, start: number): string {
  const from = reader.pos
  if (!startsToken(reader.text, from, kind)) failWithoutToken(reader, kind, start)
  reader.pos = tokenEnd(reader, from)
  const token = reader.slice(from)
  if (token.endsWith(':')) reader.fail(`A name is missing behind the colon of "${token}".`, reader.pos - 1)
  return token
}

/** Whether a text can stand as a bare token of its kind, without quotes. */
export function isBareToken(text: string, kind: TokenKind): boolean {
  if (!startsToken(text, 0, kind) || text.endsWith(':')) return false
  return tokenEnd(new Reader(text, '1.0'), 0) === text.length
}

function startsToken(text: string, at: number, kind: TokenKind): boolean {
  return isNameStart(text, at) || ((kind === 'id' || kind === 'key') && isDigit(text[at] ?? ''))
}

function tokenEnd(reader: Reader, from: number): number {
  let end = reader.nameEnd(from)
  while (reader.charAt(end) === ':') {
    const name = end + 1
    const next = reader.nameEnd(name)
    if (next === name) {
      if (reader.charAt(name) !== ':') break
      end = name // one of several colons in a row
    } else {
      if (isPredicate(reader.slice(name, next), reader.charAt(next))) break
      end = next
    }
  }
  return end
}

function isPredicate(name: string, next: string): boolean {
  return PLAIN.includes(name) || (CALLED.includes(name) && next === '(')
}

function failWithoutToken(reader: Reader, kind: TokenKind, start: number): never {
  const sign = reader.slice(start)
  const next = reader.peek()
  if ((next === "'" || next === '"') && (kind === 'type' || kind === 'tag')) {
    reader.fail(`A ${kind} in quotes is written ${QUOTED_FORMS[kind]}.`, start, reader.pos + 1)
  }
  const quotes = kind === 'id' || kind === 'key' ? '; any other text goes in quotes' : ''
  const what = kind === 'id' ? 'An id' : `A ${kind}`
  const end = next === '' ? reader.pos : reader.charEnd(reader.pos)
  if (isDigit(next)) reader.fail(`${what} starts with a letter: ${EXAMPLES[kind]}.`, start, end)
  reader.fail(`${what} is missing behind "${sign}": it reads like ${EXAMPLES[kind]}${quotes}.`, start, end)
}
