// Tests of attributes: `[…]`, `{…}`, and `(…)` right behind a type (04 §3.5, 001 §3.5.1). Both editions share the tests.

import type { Comparison, Condition, FieldForm, FieldTest, Literal } from '../ast.js'
import { quoted } from '../selector-error.js'
import { readLiteral } from './literal.js'
import { type Reader } from './reader.js'

/** Reads the tests from the opening sign here to the closing one. */
export function parseFields(reader: Reader, form: FieldForm): Extract<Condition, { kind: 'fields' }> {
  const start = reader.pos
  const closing = CLOSING[form]
  reader.pos++
  const tests = [parseTest(reader, closing)]
  while (continues(reader, form)) tests.push(parseTest(reader, closing))
  if (!reader.take(closing)) failAfterTest(reader, start, closing)
  reader.conditions += tests.length - 1
  return { kind: 'fields', form, tests, span: reader.spanFrom(start) }
}

const CLOSING: Readonly<Record<FieldForm, string>> = { bracket: ']', brace: '}', paren: ')' }

/** Moves past the separator of two tests: a comma, or in the grouped form a space (001 §3.5.1). */
function continues(reader: Reader, form: FieldForm): boolean {
  const isApart = reader.skipSpace()
  return reader.take(',') || (form === 'paren' && isApart && reader.startsName())
}

function parseTest(reader: Reader, closing: string): FieldTest {
  reader.skipSpace()
  const start = reader.pos
  if (!reader.startsName()) failName(reader, closing)
  reader.pos = reader.namesEnd(start)
  if (reader.char === '.') readInside(reader, start)
  const name = reader.slice(start)
  const nameEnd = reader.pos
  if (!reader.hasSnapshot && isFacet(name)) {
    const sentence = `"${name}" is judged by a snapshot and needs a time prefix such as @t0 in front of the selector.`
    reader.fail(sentence, start, nameEnd)
  }
  reader.skipSpace()
  const op = readOperator(reader, nameEnd)
  if (op === undefined) {
    reader.pos = nameEnd
    return { name, op, value: undefined, span: { start, end: nameEnd } }
  }
  reader.skipSpace()
  const value = readValue(reader, op, closing)
  return { name, op, value, span: reader.spanFrom(start) }
}

/** Moves past the keys and indexes that lead into an attribute: `content.command`, `data_usage.input` (D53). */
function readInside(reader: Reader, start: number): void {
  while (reader.char === '.') {
    const from = reader.pos + 1
    reader.pos = reader.namesEnd(from)
    if (reader.pos === from) reader.fail('A key or an index is missing behind ".": content.command.', from - 1, from)
  }
  reader.needsNewDialect('The dotted name', start, reader.pos)
}

/** The attributes that only a snapshot gives (D9). */
function isFacet(name: string): boolean {
  return name === 'age' || name === 'born_turn' || name === 'depth'
}

function readOperator(reader: Reader, nameEnd: number): Comparison | undefined {
  const start = reader.pos
  const foreign = FOREIGN.exec(reader.slice(start, start + 2))?.[0]
  if (foreign !== undefined) {
    const sentence = `${quoted(foreign)} is no operator; a text inside is [content~'text'].`
    reader.fail(sentence, start, start + foreign.length)
  }
  const op = OPERATORS.find((each) => each === reader.slice(start, start + each.length))
  if (op === undefined) return readIn(reader, nameEnd)
  reader.pos += op.length
  if (isOperatorSign(reader.char)) {
    const written = reader.slice(start, reader.pos + 1)
    const hint = written === '==' ? ' Did you mean "="?' : ''
    reader.fail(`${quoted(written)} is no operator.${hint}`, start, reader.pos + 1)
  }
  return op
}

/** The operators of signs; the longer of two comes first. */
const OPERATORS = ['<=', '>=', '!=', '=', '~', '<', '>'] as const satisfies readonly Comparison[]

/** Operators of other languages that ask for a part of a text. */
const FOREIGN = /^[*^$|~]=/

function isOperatorSign(char: string): boolean {
  return char === '!' || (char >= '<' && char <= '>') || char === '~'
}

/** `in` needs white space before it, or it would be the end of the name. */
function readIn(reader: Reader, nameEnd: number): 'in' | undefined {
  const start = reader.pos
  const end = start + 2
  if (start === nameEnd || reader.slice(start, end) !== 'in' || reader.nameEnd(start) !== end) return undefined
  reader.pos = end
  return 'in'
}

function readValue(reader: Reader, op: Comparison, closing: string): Literal {
  const start = reader.pos
  const next = reader.char
  if (next === closing || next === ',' || next === '') {
    reader.fail(`A value is missing behind "${op}".`, start, next === '' ? start : start + 1)
  }
  if (op === 'in' && next === '(') {
    const inside = /^\(([^()[\]]{1,60})\)/.exec(reader.slice(start, start + AHEAD))?.[1]
    reader.fail(`"in" takes a list in brackets: in [${inside ?? '"a", "b"'}].`, start)
  }
  const value = readLiteral(reader)
  if (op === 'in' && value.kind !== 'list') {
    reader.fail(`"in" takes a list: in ["a", "b"].`, start, reader.pos)
  }
  if (value.kind === 'list' && op !== '=' && op !== '!=' && op !== 'in') {
    reader.fail(`A list goes with "=", "!=" or "in", not with "${op}".`, start, reader.pos)
  }
  return value
}

function failName(reader: Reader, closing: string): never {
  const start = reader.pos
  const found = reader.tokenAt(start)
  if (found === '') reader.fail(`The name of an attribute is missing here, and then "${closing}".`, start)
  const what = found === closing ? `before "${closing}"` : `at ${quoted(found)}`
  reader.fail(`The name of an attribute is missing ${what}.`, start, start + found.length)
}

function failAfterTest(reader: Reader, start: number, closing: string): never {
  const found = reader.tokenAt(reader.pos)
  if (found === '') reader.fail(`"${reader.charAt(start)}" is never closed by "${closing}".`, start)
  const sentence = `Behind a test comes "," or "${closing}", not ${quoted(found)}${joinedTests(reader, start, found, closing)}.`
  reader.fail(sentence, reader.pos, reader.pos + found.length)
}

/** The way to write tests that are joined by a word or sign of other languages; empty if they are not. */
function joinedTests(reader: Reader, start: number, found: string, sign: string): string {
  const isOr = /^(?:or|\|)$/i.test(found)
  if (!isOr && !/^(?:and|&)$/i.test(found)) return ''
  const opening = reader.slice(start, start + 1)
  const left = reader.slice(start + 1, Math.min(reader.pos, start + AHEAD)).trim()
  const behind = reader.slice(reader.pos + found.length, reader.pos + AHEAD)
  const right = behind
    .slice(0, Math.max(0, behind.indexOf(sign)))
    .replace(/^[|&]/, '')
    .trim()
  if (right === '') return isOr ? '; alternatives are groups of a union' : ''
  const space = opening === '{' ? ' ' : ''
  const wrap = (tests: string): string => `${opening}${space}${tests}${space}${sign}`
  return isOr ? `; alternatives are groups of a union: ${wrap(left)}, ${wrap(right)}` : `: ${wrap(`${left}, ${right}`)}`
}

/** The number of characters to read ahead for a suggestion. */
const AHEAD = 80
