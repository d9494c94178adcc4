// What an attribute of a node reads as, and how it compares with a literal (04 §5, D21).

import { compareText, type JsonValue } from '../core/index.js'
import { contentHashOfRecord, createdAtIso } from '../timeline/index.js'
import type { View } from '../timeline/index.js'
import type { Comparison, FieldTest, Literal } from './ast.js'
import type { Spot } from './scene.js'

/** A literal made ready for comparing: numbers as numbers, big integers as bigints. */
type Operand = Readonly<{ text: string; number: Decimal | undefined; isNumber: boolean; isNull: boolean }>

/** A number as written: `scaled` divided by ten to the power of `scale`. */
type Decimal = Readonly<{ near: number; scaled: bigint; scale: number }>

export type Predicate = (spot: Spot, view: View) => boolean

const NUMBERS: ReadonlySet<string> = new Set([
  'offset',
  'ttl',
  'cad',
  'priority',
  'cycle',
  'created_at_ns',
  'creation_index',
  'age',
  'born_turn',
  'depth',
])

const STRINGS: ReadonlySet<string> = new Set([
  'id',
  'nodeType',
  'role',
  'kind',
  'key',
  'type',
  'created_at_iso',
  'content_hash',
])

/** The test of one attribute, except nodeType, as a function of a spot. */
export function compileField(test: FieldTest): Predicate {
  const { name, op, value } = test
  if (op === undefined || value === undefined) return presence(name)
  const operands = (value.kind === 'list' ? value.items : [value]).map(operandOf)
  return (spot, view) => {
    const actual = readField(spot, view, name)
    if (name === 'tag' || name === 'tags') return compareList(actual, op, operands)
    if (op === '!=') return operands.every((operand) => !equals(name, actual, operand))
    if (op === '=' || op === 'in') return operands.some((operand) => equals(name, actual, operand))
    return operands.some((operand) => compares(name, actual, op, operand))
  }
}

/** What a selector sees of a node under a name; null where there is nothing. */
export function readField(spot: Spot, view: View, name: string): JsonValue {
  const { record } = spot
  if (record === undefined) return name === 'offset' ? 0 : null
  const { rare } = record
  switch (name) {
    case 'id':
      return record.id
    case 'nodeType':
      return record.nodeType
    case 'offset':
      return record.offset
    case 'ttl':
      return view.ttlOf(record)
    case 'cad':
      return rare?.cad ?? null
    case 'priority':
      return record.priority
    case 'cycle':
    case 'born_turn':
      return record.cycle
    case 'age':
      return view.cycle - record.cycle
    case 'depth':
      return spot.depth ?? null
    case 'created_at_ns':
      return record.createdAtNs
    case 'created_at_iso':
      return createdAtIso(record)
    case 'creation_index':
      return record.creationIndex
    case 'role':
      return record.role ?? null
    case 'kind':
      return record.kind ?? null
    case 'key':
      return rare?.key ?? null
    case 'tag':
    case 'tags':
      return rare?.tags === undefined || rare.tags.length === 0 ? null : rare.tags
    case 'content':
      return record.content ?? null
    case 'content_hash':
      return contentHashOfRecord(record)
    case 'refs':
      return rare?.refs ?? null
    case 'supersedes':
      return rare?.supersedes ?? null
    case 'removable':
      return rare?.removable ?? null
    case 'pinned':
      return rare?.pinned ?? null
    case 'provenance':
      return rare?.provenance ?? null
    default:
      return rare?.attributes?.get(name) ?? null
  }
}

function presence(name: string): Predicate {
  if (name === 'ephemeral') {
    return (spot, view) => spot.record !== undefined && (view.ttlOf(spot.record) ?? 2) <= 1
  }
  if (name === 'sticky') {
    return ({ record }, view) => record?.rare?.cad === 1 && view.ttlOf(record) !== null
  }
  return (spot, view) => readField(spot, view, name) !== null
}

function operandOf(literal: Literal): Operand {
  if (literal.kind === 'list') return { text: '', number: undefined, isNumber: false, isNull: false }
  const { text } = literal
  return { text, number: numberOf(text), isNumber: literal.kind === 'number', isNull: literal.kind === 'null' }
}

/** `-?digits[.digits]`, exactly at any size. */
function numberOf(text: string): Decimal | undefined {
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = fraction.replace(/0+$/, '')
  return { near: Number(text), scaled: BigInt(whole + digits), scale: digits.length }
}

/** Compares a node's number with a literal: integers by their digits, fractions as the doubles they are. */
function compareNumbers(actual: number | bigint, { near, scaled, scale }: Decimal): number {
  if (typeof actual === 'number' && !Number.isInteger(actual)) return actual < near ? -1 : actual > near ? 1 : 0
  const value = BigInt(actual) * 10n ** BigInt(scale)
  return value < scaled ? -1 : value > scaled ? 1 : 0
}

function equals(name: string, actual: JsonValue, operand: Operand): boolean {
  if (operand.isNull || actual === null) return operand.isNull && actual === null
  if (NUMBERS.has(name)) return operand.number !== undefined && sameNumber(actual, operand.number)
  if (STRINGS.has(name)) return actual === operand.text
  return sameTyped(actual, operand)
}

/** Keeps the type: 5 is not '5' (04 §5.4). */
function sameTyped(actual: JsonValue, operand: Operand): boolean {
  if (typeof actual === 'number' || typeof actual === 'bigint') {
    return operand.isNumber && operand.number !== undefined && sameNumber(actual, operand.number)
  }
  if (typeof actual === 'boolean') return !operand.isNumber && String(actual) === operand.text
  return !operand.isNumber && actual === operand.text
}

function sameNumber(actual: JsonValue, number: Decimal): boolean {
  return (typeof actual === 'number' || typeof actual === 'bigint') && compareNumbers(actual, number) === 0
}

function compares(name: string, actual: JsonValue, op: Comparison, operand: Operand): boolean {
  if (actual === null || operand.isNull) return false
  if (op === '~') return contains(actual, operand)
  if (NUMBERS.has(name)) {
    return operand.number !== undefined && holds(op, compareNumbers(actual as number | bigint, operand.number))
  }
  if (!STRINGS.has(name) && operand.number !== undefined) {
    if (typeof actual === 'number' || typeof actual === 'bigint')
      return holds(op, compareNumbers(actual, operand.number))
    const number = typeof actual === 'string' ? numberOf(actual) : undefined
    if (number !== undefined) return holds(op, compareDecimals(number, operand.number))
  }
  const text = textIn(actual)
  return text !== undefined && holds(op, compareText(text, operand.text))
}

/** `tag` is a list: `=`, `in` and `~` ask for membership, and no list is null. */
function compareList(actual: JsonValue, op: Comparison, operands: readonly Operand[]): boolean {
  const list: readonly JsonValue[] = Array.isArray(actual) ? actual : []
  const has = (operand: Operand): boolean => {
    if (operand.isNull) return op !== '~' && list.length === 0
    return !operand.isNumber && list.includes(operand.text)
  }
  if (op === '!=') return !operands.some(has)
  return (op === '=' || op === 'in' || op === '~') && operands.some(has)
}

function contains(actual: JsonValue, operand: Operand): boolean {
  if (typeof actual === 'string') return actual.includes(operand.text)
  return Array.isArray(actual) && (actual as readonly JsonValue[]).some((item) => sameTyped(item, operand))
}

function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const [left, right] = [a.scaled * 10n ** BigInt(scale - a.scale), b.scaled * 10n ** BigInt(scale - b.scale)]
  return left < right ? -1 : left > right ? 1 : 0
}

function textIn(value: JsonValue): string | undefined {
  if (typeof value === 'object' && value !== null) return undefined
  return String(value)
}

function holds(op: Comparison, order: number): boolean {
  switch (op) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '=':
    case '!=':
    case '~':
    case 'in':
      return false
  }
}
