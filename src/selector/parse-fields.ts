// Tests of attributes: `[…]`, `{…}`, and `(…)` right behind a type (04 §3.5, 001 §3.5.1). Both editions share what may
// stand inside.

import type { Comparison, Condition, FieldForm, FieldTest, Literal } from './ast.js'
import { quoted } from './errors.js'
import { readLiteral } from './literal.js'
import { isNameStart, type Reader } from './scan.js'

const CLOSING: Readonly<Record<FieldForm, string>> = { bracket: ']', brace: '}', paren: ')' }

/** The attributes that only a snapshot gives (D9). */
const FACETS = ['age', 'born_turn', 'depth']

/** Reads the tests from the opening sign, which stands here, to the closing one. */
export function parseFields(reader: Reader, form: FieldForm): Extract<Condition, { kind: 'fields' }> {
  const start = reader.pos
  const closing = CLOSING[form]
  reader.pos++
  const tests: FieldTest[] = []
  do {
    reader.skipSpace()
    tests.push(parseTest(reader, closing))
  } while (continues(reader, form))
  if (!reader.take(closing)) failAfterTest(reader, start, closing)
  return { kind: 'fields', form, tests, span: reader.spanFrom(start) }
}

/** Moves past what parts two tests: a comma, or in the grouped form a space (001 §3.5.1). */
function continues(reader: Reader, form: FieldForm): boolean {
  const isApart = reader.skipSpace()
  return reader.take(',') || (form === 'paren' && isApart && isNameStart(reader.text, reader.pos))
}

function parseTest(reader: Reader, closing: string): FieldTest {
  const start = reader.pos
  if (!isNameStart(reader.text, start)) failName(reader, closing)
  reader.pos = reader.nameEnd(start)
  while (reader.peek() === ':') reader.pos = reader.nameEnd(reader.pos + 1)
  const name = reader.slice(start)
  const nameEnd = reader.pos
  if (FACETS.includes(name) && !reader.hasSnapshot) {
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

function readOperator(reader: Reader, nameEnd: number): Comparison | undefined {
  const start = reader.pos
  for (const op of ['<=', '>=', '!=', '<', '>', '=', '~'] as const) {
    if (!reader.take(op)) continue
    const next = reader.peek()
    if ('=<>~!'.includes(next) && next !== '') {
      const written = reader.slice(start, reader.pos + 1)
      const hint = written === '==' ? ' Did you mean "="?' : ''
      reader.fail(`${quoted(written)} is no operator.${hint}`, start, reader.pos + 1)
    }
    return op
  }
  // `in` needs white space before it, or it would be the end of the name.
  if (start > nameEnd && reader.slice(start, start + 2) === 'in' && reader.nameEnd(start) === start + 2) {
    reader.pos += 2
    return 'in'
  }
  return undefined
}

function readValue(reader: Reader, op: Comparison, closing: string): Literal {
  const start = reader.pos
  const next = reader.peek()
  if (next === closing || next === ',' || next === '') {
    reader.fail(`A value is missing behind "${op}".`, start, next === '' ? start : start + 1)
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
  const what = found === closing ? `before "${closing}"` : `where ${quoted(found)} stands`
  reader.fail(`The name of an attribute is missing ${what}.`, start, start + found.length)
}

function failAfterTest(reader: Reader, start: number, closing: string): never {
  const found = reader.tokenAt(reader.pos)
  const opening = reader.slice(start, start + 1)
  if (found === '') reader.fail(`"${opening}" is never closed by "${closing}".`, start)
  reader.fail(`Behind a test comes "," or "${closing}", not ${quoted(found)}.`, reader.pos, reader.pos + found.length)
}
