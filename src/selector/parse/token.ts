// Bare tokens: the names behind `.`, `#` and `+`. A colon belongs to the token unless a whole predicate name follows it
// (D15), so `#cb:pre1` and `.block:first-draft` are one token and `.cb:pre` is a type with a predicate.

import { isDigit, Reader } from './reader.js'

const PLAIN = ['pre', 'core', 'post', 'first', 'last']

/** The predicates that take an argument. */
export const CALLED: readonly string[] = ['depth', 'nth']

/** The longest name of a predicate. Most names after a colon are longer, and need no lookup. */
const LONGEST = Math.max(...[...PLAIN, ...CALLED].map((name) => name.length))

/** The predicates as written, for near names. */
export const PREDICATES: readonly string[] = [...PLAIN, ...CALLED].map((name) => `:${name}`)

/** The kind of name; ids and keys may start with a digit and may be quoted. */
export type TokenKind = 'type' | 'id' | 'key' | 'tag'

const EXAMPLES: Readonly<Record<TokenKind, string>> = { type: '.block', id: '#cb:u1', key: '#policy', tag: '+audit' }
const QUOTED_FORMS = { type: "[nodeType='…']", tag: "{ tag='…' }" }

/** Reads the bare token behind the sign at `start`, the place being right behind the sign. */
export function readToken(reader: Reader, kind: TokenKind, start: number): string {
  const from = reader.pos
  if (!startsToken(reader, kind)) failWithoutToken(reader, kind, start)
  skipToken(reader)
  const token = reader.slice(from)
  if (reader.charAt(reader.pos - 1) === ':') {
    reader.fail(`A name is missing behind the colon of "${token}".`, reader.pos - 1)
  }
  return token
}

/** True if a text can be a bare token of its kind, without quotes. */
export function isBareToken(text: string, kind: TokenKind): boolean {
  const reader = new Reader(text, '1.0')
  if (!startsToken(reader, kind) || text.endsWith(':')) return false
  skipToken(reader)
  return reader.char === ''
}

function startsToken(reader: Reader, kind: TokenKind): boolean {
  return reader.startsName() || ((kind === 'id' || kind === 'key') && isDigit(reader.char))
}

function skipToken(reader: Reader): void {
  reader.skipName()
  while (reader.char === ':') {
    const name = reader.pos + 1
    const end = reader.nameEnd(name)
    if (end > name) {
      if (end - name <= LONGEST && isPredicate(reader.slice(name, end), reader.charAt(end))) return
      reader.pos = end
    } else {
      if (reader.charAt(name) !== ':') return
      reader.pos = name // one of several colons in a row
    }
  }
}

function isPredicate(name: string, next: string): boolean {
  return PLAIN.includes(name) || (CALLED.includes(name) && next === '(')
}

function failWithoutToken(reader: Reader, kind: TokenKind, start: number): never {
  const sign = reader.slice(start)
  const next = reader.char
  if ((next === "'" || next === '"') && (kind === 'type' || kind === 'tag')) {
    reader.fail(`A ${kind} in quotes is written ${QUOTED_FORMS[kind]}.`, start, reader.pos + 1)
  }
  const quotes = kind === 'id' || kind === 'key' ? '; any other text goes in quotes' : ''
  const what = kind === 'id' ? 'An id' : `A ${kind}`
  const end = next === '' ? reader.pos : reader.charEnd(reader.pos)
  if (isDigit(reader.char)) {
    const text = reader.slice(reader.pos, reader.nameEnd(reader.pos))
    const instead = kind === 'tag' ? `[tag='${text}']` : `[nodeType='${text}']`
    reader.fail(`${what} starts with a letter: ${EXAMPLES[kind]}; any other is asked for by ${instead}.`, start, end)
  }
  reader.fail(`${what} is missing behind "${sign}": it reads like ${EXAMPLES[kind]}${quotes}.`, start, end)
}
