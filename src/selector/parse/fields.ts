// Tests of attributes: `[…]`, `{…}`, and `(…)` right behind a type (04 §3.5, 001 §3.5.1). Both editions share what may
// stand inside.

import type { Comparison, Condition, FieldForm, FieldTest, Literal } from '../ast.js'
import { quoted } from '../selector-error.js'
import { readLiteral } from './literal.js'
import { END, type Reader } from './reader.js'

const EXCLAMATION = 0x21
const OPEN_PAREN = 0x28
const CLOSE_PAREN = 0x29
const COMMA = 0x2c
const DOT = 0x2e
const COLON = 0x3a
const LESS = 0x3c
const EQUALS = 0x3d
const GREATER = 0x3e
const CLOSE_BRACKET = 0x5d
const CLOSE_BRACE = 0x7d
const TILDE = 0x7e

/** Reads the tests from the opening sign, which stands here, to the closing one. */
export function parseFields(reader: Reader, form: FieldForm): Extract<Condition, { kind: 'fields' }> {
  const start = reader.pos
  const closing = closingOf(form)
  reader.pos++
  const tests = [parseTest(reader, closing)]
  while (continues(reader, form)) tests.push(parseTest(reader, closing))
  if (!reader.takeUnit(closing)) failAfterTest(reader, start, closing)
  reader.conditions += tests.length - 1
  return { kind: 'fields', form, tests, span: reader.spanFrom(start) }
}

function closingOf(form: FieldForm): number {
  if (form === 'bracket') return CLOSE_BRACKET
  return form === 'brace' ? CLOSE_BRACE : CLOSE_PAREN
}

/** Moves past what parts two tests: a comma, or in the grouped form a space (001 §3.5.1). */
function continues(reader: Reader, form: FieldForm): boolean {
  const isApart = reader.skipSpace()
  return reader.takeUnit(COMMA) || (form === 'paren' && isApart && reader.startsName())
}

function parseTest(reader: Reader, closing: number): FieldTest {
  reader.skipSpace()
  const start = reader.pos
  if (!reader.startsName()) failName(reader, closing)
  reader.skipName()
  while (reader.unit === COLON) reader.pos = reader.nameEnd(reader.pos + 1)
  if (reader.unit === DOT) readInside(reader, start)
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
  while (reader.unit === DOT) {
    const from = reader.pos + 1
    let end = reader.nameEnd(from)
    while (reader.unitAt(end) === COLON) end = reader.nameEnd(end + 1)
    reader.pos = end
    if (end === from) reader.fail('A key or an index is missing behind ".": content.command.', from - 1, from)
  }
  reader.needsNewDialect('The dotted name', start, reader.pos)
}

/** The attributes that only a snapshot gives (D9). */
function isFacet(name: string): boolean {
  return name === 'age' || name === 'born_turn' || name === 'depth'
}

function readOperator(reader: Reader, nameEnd: number): Comparison | undefined {
  const start = reader.pos
  const op = operatorAt(reader)
  if (op === undefined) return readIn(reader, nameEnd)
  reader.pos += op.length
  if (isOperatorSign(reader.unit)) {
    const written = reader.slice(start, reader.pos + 1)
    const hint = written === '==' ? ' Did you mean "="?' : ''
    reader.fail(`${quoted(written)} is no operator.${hint}`, start, reader.pos + 1)
  }
  return op
}

/** The operator of signs that stands here; the longer one of two. */
function operatorAt(reader: Reader): Exclude<Comparison, 'in'> | undefined {
  switch (reader.unit) {
    case EQUALS:
      return '='
    case TILDE:
      return '~'
    case LESS:
      return reader.unitAt(reader.pos + 1) === EQUALS ? '<=' : '<'
    case GREATER:
      return reader.unitAt(reader.pos + 1) === EQUALS ? '>=' : '>'
    case EXCLAMATION:
      return reader.unitAt(reader.pos + 1) === EQUALS ? '!=' : undefined
    default:
      return undefined
  }
}

function isOperatorSign(unit: number): boolean {
  return unit === EXCLAMATION || (unit >= LESS && unit <= GREATER) || unit === TILDE
}

/** `in` needs white space before it, or it would be the end of the name. */
function readIn(reader: Reader, nameEnd: number): 'in' | undefined {
  const start = reader.pos
  const end = start + 2
  if (start === nameEnd || reader.slice(start, end) !== 'in' || reader.nameEnd(start) !== end) return undefined
  reader.pos = end
  return 'in'
}

function readValue(reader: Reader, op: Comparison, closing: number): Literal {
  const start = reader.pos
  const next = reader.unit
  if (next === closing || next === COMMA || next === END) {
    reader.fail(`A value is missing behind "${op}".`, start, next === END ? start : start + 1)
  }
  if (op === 'in' && next === OPEN_PAREN) {
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

function failName(reader: Reader, closing: number): never {
  const start = reader.pos
  const sign = String.fromCharCode(closing)
  const found = reader.tokenAt(start)
  if (found === '') reader.fail(`The name of an attribute is missing here, and then "${sign}".`, start)
  const what = found === sign ? `before "${sign}"` : `where ${quoted(found)} stands`
  reader.fail(`The name of an attribute is missing ${what}.`, start, start + found.length)
}

function failAfterTest(reader: Reader, start: number, closing: number): never {
  const sign = String.fromCharCode(closing)
  const found = reader.tokenAt(reader.pos)
  const opening = reader.slice(start, start + 1)
  if (found === '') reader.fail(`"${opening}" is never closed by "${sign}".`, start)
  const hint = joinedTests(reader, start, found, sign)
  reader.fail(
    `Behind a test comes "," or "${sign}", not ${quoted(found)}${hint}.`,
    reader.pos,
    reader.pos + found.length,
  )
}

/** How to write tests that are joined by a word or sign of other languages; empty where they are not. */
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

/** How far a message looks for what was meant. */
const AHEAD = 80
