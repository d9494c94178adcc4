// Bare tokens: the names behind `.`, `#` and `+`. A colon belongs to the token unless a whole predicate name follows it
// (D15), so `#cb:pre1` and `.block:first-draft` are one token and `.cb:pre` is a type with a predicate.

import { END, isDigit, Reader } from './reader.js'

const OPEN_PAREN = 0x28
const COLON = 0x3a

const PLAIN = ['pre', 'core', 'post', 'first', 'last']

/** The predicates that take an argument. */
export const CALLED: readonly string[] = ['depth', 'nth']

/** How long a predicate's name is at most: most names behind a colon are told by this. */
const LONGEST = Math.max(...[...PLAIN, ...CALLED].map((name) => name.length))

/** The predicates as written, for near names. */
export const PREDICATES: readonly string[] = [...PLAIN, ...CALLED].map((name) => `:${name}`)

/** What a token names; ids and keys may start with a digit and may be quoted. */
export type TokenKind = 'type' | 'id' | 'key' | 'tag'

const EXAMPLES: Readonly<Record<TokenKind, string>> = { type: '.block', id: '#cb:u1', key: '#policy', tag: '+audit' }
const QUOTED_FORMS = { type: "[nodeType='…']", tag: "{ tag='…' }" }

/** Reads the bare token behind the sign at `start`, the place being right behind the sign. */
export function readToken(reader: Reader, kind: TokenKind, start: number): string {
  const from = reader.pos
  if (!startsToken(reader, kind)) failWithoutToken(reader, kind, start)
  skipToken(reader)
  const token = reader.slice(from)
  if (reader.unitAt(reader.pos - 1) === COLON) {
    reader.fail(`A name is missing behind the colon of "${token}".`, reader.pos - 1)
  }
  return token
}

/** Whether a text can stand as a bare token of its kind, without quotes. */
export function isBareToken(text: string, kind: TokenKind): boolean {
  const reader = new Reader(text, '1.0')
  if (!startsToken(reader, kind) || text.endsWith(':')) return false
  skipToken(reader)
  return reader.unit === END
}

function startsToken(reader: Reader, kind: TokenKind): boolean {
  return reader.startsName() || ((kind === 'id' || kind === 'key') && isDigit(reader.unit))
}

function skipToken(reader: Reader): void {
  reader.skipName()
  while (reader.unit === COLON) {
    const name = reader.pos + 1
    const end = reader.nameEnd(name)
    if (end > name) {
      if (end - name <= LONGEST && isPredicate(reader.slice(name, end), reader.unitAt(end))) return
      reader.pos = end
    } else {
      if (reader.unitAt(name) !== COLON) return
      reader.pos = name // one of several colons in a row
    }
  }
}

function isPredicate(name: string, next: number): boolean {
  return PLAIN.includes(name) || (CALLED.includes(name) && next === OPEN_PAREN)
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
  if (isDigit(reader.unit)) {
    const text = reader.slice(reader.pos, reader.nameEnd(reader.pos))
    const instead = kind === 'tag' ? `[tag='${text}']` : `[nodeType='${text}']`
    reader.fail(`${what} starts with a letter: ${EXAMPLES[kind]}; any other is asked for by ${instead}.`, start, end)
  }
  reader.fail(`${what} is missing behind "${sign}": it reads like ${EXAMPLES[kind]}${quotes}.`, start, end)
}
