// What an attribute of a node reads as, and how it compares with a literal (04 §5, D21).

import { compareText, type JsonValue, type NodeRecord } from '../../core/index.js'
import { contentHashOfRecord, createdAtIso } from '../../timeline/index.js'
import type { View } from '../../timeline/index.js'
import type { Comparison, FieldTest } from '../../selector/index.js'
import { hashOf, sieveOf } from '../search/text-sieve.js'
import { listMemberTest, memberTest, type Comparing } from './members.js'
import { numberOf, operandOf, type Decimal, type Operand } from './operand.js'
import { KEY, TAGS, type Clue, type Like, type NumberField, type Predicate, type Spot } from './plan.js'

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
export function compileField(test: FieldTest, accepts: ValueTest = valueTest(test)): Predicate {
  const { name, op } = test
  if (op === undefined && name === 'ephemeral') {
    return (spot, view) => spot.record !== undefined && (view.ttlOf(spot.record) ?? 2) <= 1
  }
  if (op === undefined && name === 'sticky') {
    return ({ record }, view) => record?.rare?.cad === 1 && view.ttlOf(record) !== null
  }
  // A content is asked of every node that nothing else leaves out, so it is read without a detour.
  if (name === 'content') return ({ record }) => accepts(record?.content ?? null)
  const read = readerOf(name)
  return (spot, view) => accepts(read(spot, view))
}

/** The same as a function of the value that is read. */
export function valueTest({ name, op, value }: FieldTest): ValueTest {
  if (op === undefined || value === undefined) return (actual) => actual !== null
  if (value.kind === 'list') return listed(name, op, value.items.map(operandOf))
  const operand = operandOf(value)
  const { text } = operand
  const isList = name === 'tag' || name === 'tags'
  if (isList) return (actual) => compareList(actual, op, operand)
  // The usual cases: a text, compared as it is, and a small integer.
  if (STRINGS.has(name) && op === '=' && !operand.isNull) return (actual) => actual === text
  if (NUMBERS.has(name) && operand.number?.isExact === true) {
    const plain = plainOrder(op, operand.number.near)
    if (plain !== undefined) return plain
  } else if (!NUMBERS.has(name) && !operand.isNumber && !operand.isNull && (op === '=' || op === '!=')) {
    const isEqual = op === '='
    return (actual) => (typeof actual === 'string' ? actual === text : equals(name, actual, operand)) === isEqual
  }
  return testFor(name, op, operand)
}

/** What a value is asked. */
type ValueTest = (actual: JsonValue) => boolean

/** `in` and `=` with a list ask for one of it, `!=` for none; the parser allows nothing else with a list. */
function listed(name: string, op: Comparison, operands: readonly Operand[]): ValueTest {
  const isMember = op !== '!='
  if (name === 'tag' || name === 'tags') {
    const holdsOne = listMemberTest(operands)
    return (actual) => holdsOne(listIn(actual)) === isMember
  }
  const comparing: Comparing = NUMBERS.has(name) ? 'numbers' : STRINGS.has(name) ? 'texts' : 'types'
  const isOne = memberTest(operands, comparing)
  return (actual) => isOne(actual) === isMember
}

/** How columns tell what passes a test, or what may; `accepts` is its `valueTest`. */
export function clueOf(test: FieldTest, accepts: ValueTest): Clue | undefined {
  const { name, op, value } = test
  const isOne = value !== undefined && value.kind !== 'list' && value.kind !== 'null'
  // Keys and tags are texts, also where a number is written (D21).
  if (isOne && name === 'key' && op === '=') return markClue(KEY, value.text)
  if (isOne && (name === 'tag' || name === 'tags') && (op === '=' || op === '~')) {
    return markClue(TAGS, value.text)
  }
  if (isOne && name === 'content' && (op === '=' || op === '!=' || op === '~')) {
    return { kind: 'text', op, text: value.text }
  }
  if (NUMBER_FIELDS.has(name)) return isOne ? numberClue(test, value.text) : undefined
  if (READERS.has(name) || name.includes('.') || name === 'ephemeral' || name === 'sticky') return undefined
  const like = isOne && (op === '=' || op === '!=' || op === '~') ? likeOf(op, value.text) : undefined
  return { kind: 'attribute', name, hash: hashOf(name), accepts, acceptsNone: accepts(null), like }
}

/** Carries this key or tag. */
export function markClue(name: typeof KEY | typeof TAGS, text: string): Clue {
  const accepts: ValueTest = (value) => value === text
  return { kind: 'attribute', name, hash: hashOf(name), accepts, acceptsNone: false, like: likeOf('=', text) }
}

function likeOf(op: Like['op'], text: string): Like {
  return { op, text, hash: op === '~' ? sieveOf(text) : hashOf(text) }
}

/** Whether a test of this name looks at more than the record: at its place, or at the cycle it is seen in. */
export function seesPlace(dotted: string): boolean {
  const dot = dotted.indexOf('.')
  const name = dot < 0 ? dotted : dotted.slice(0, dot)
  return name === 'ttl' || name === 'age' || name === 'depth' || name === 'ephemeral' || name === 'sticky'
}

const NUMBER_FIELDS: ReadonlyMap<string, NumberField> = new Map([
  ['offset', 'offset'],
  ['priority', 'priority'],
  ['cycle', 'cycle'],
  ['born_turn', 'cycle'],
  ['age', 'cycle'],
  ['creation_index', 'creationIndex'],
])

/** A test of an integer that every record has with one small number, as a range. */
function numberClue({ name, op }: FieldTest, text: string): Clue | undefined {
  const number = numberOf(text)
  const range = number && (number.isExact ? rangeOf(op, number.near) : rangeBeside(op, number))
  if (range === undefined) return undefined
  const { low, high } = range
  return { kind: 'number', field: NUMBER_FIELDS.get(name)!, low, high, isAge: name === 'age' }
}

function rangeOf(op: Comparison | undefined, near: number): Readonly<{ low: number; high: number }> | undefined {
  switch (op) {
    case '=':
      return { low: near, high: near }
    case '<':
      return { low: -Infinity, high: near - 1 }
    case '<=':
      return { low: -Infinity, high: near }
    case '>':
      return { low: near + 1, high: Infinity }
    case '>=':
      return { low: near, high: Infinity }
    default:
      return undefined
  }
}

/** The integers on one side of a fraction. */
function rangeBeside(op: Comparison | undefined, { near, scale, scaled }: Decimal): ReturnType<typeof rangeOf> {
  if (!Number.isSafeInteger(Math.trunc(near)) || scale === 0) return undefined
  const unit = 10n ** BigInt(scale)
  const below = Number(scaled / unit) - (scaled < 0n ? 1 : 0)
  return rangeOf(op === '>=' ? '>' : op === '<' ? '<=' : op === '=' ? undefined : op, below)
}

/** The usual case of a number against a small integer, without a detour. */
function plainOrder(op: Comparison, near: number): ValueTest | undefined {
  switch (op) {
    case '<':
      return (actual) => actual !== null && (actual as number) < near
    case '<=':
      return (actual) => actual !== null && (actual as number) <= near
    case '>':
      return (actual) => actual !== null && (actual as number) > near
    case '>=':
      return (actual) => actual !== null && (actual as number) >= near
    default:
      return undefined
  }
}

/** One comparison of an actual value with one operand. */
function testFor(name: string, op: Comparison, operand: Operand): ValueTest {
  if (op === '!=') return (actual) => !equals(name, actual, operand)
  if (op === '=') return (actual) => equals(name, actual, operand)
  return (actual) => compares(name, actual, op, operand)
}

/** What a selector sees of a node under a name; null where there is nothing. */
type Reader = (spot: Spot, view: View) => JsonValue

function readerOf(name: string): Reader {
  if (name.includes('.')) return insideReader(name)
  const read = READERS.get(name)
  if (read === undefined) return ({ record }) => record?.rare?.attributes?.get(name) ?? null
  if (name === 'offset') return (spot) => spot.record?.offset ?? 0 // the virtual core stands at 0 (D12)
  return (spot, view) => (spot.record === undefined ? null : read(spot.record, view, spot))
}

/** `content.command`: an attribute of that very name, or what stands inside the one before the first dot (D53). */
function insideReader(name: string): Reader {
  const [attribute, ...steps] = name.split('.')
  const read = readerOf(attribute!)
  return (spot, view) => {
    const attributes = spot.record?.rare?.attributes
    if (attributes?.has(name)) return attributes.get(name) ?? null
    let value = read(spot, view)
    for (const step of steps) value = valueInside(value, step)
    return value
  }
}

/** What an object has under a key of its own, or a list at an index; null for all else. */
function valueInside(value: JsonValue, step: string): JsonValue {
  if (typeof value !== 'object' || value === null) return null
  const isThere = Array.isArray(value) ? /^(?:0|[1-9]\d*)$/.test(step) : Object.hasOwn(value, step)
  return isThere ? ((value as Readonly<Record<string, JsonValue>>)[step] ?? null) : null
}

const READERS: ReadonlyMap<string, (record: NodeRecord, view: View, spot: Spot) => JsonValue> = new Map<
  string,
  (record: NodeRecord, view: View, spot: Spot) => JsonValue
>([
  ['id', (record) => record.id],
  ['nodeType', (record) => record.nodeType],
  ['offset', (record) => record.offset],
  ['ttl', (record, view) => view.ttlOf(record)],
  ['cad', ({ rare }) => rare?.cad ?? null],
  ['priority', (record) => record.priority],
  ['cycle', (record) => record.cycle],
  ['born_turn', (record) => record.cycle],
  ['age', (record, view) => view.cycle - record.cycle],
  ['depth', (_record, _view, spot) => spot.depth ?? null],
  ['created_at_ns', (record) => record.createdAtNs],
  ['created_at_iso', (record) => createdAtIso(record)],
  ['creation_index', (record) => record.creationIndex],
  ['role', (record) => record.role ?? null],
  ['kind', (record) => record.kind ?? null],
  ['key', ({ rare }) => rare?.key ?? null],
  ['tag', ({ rare }) => (rare?.tags === undefined || rare.tags.length === 0 ? null : rare.tags)],
  ['tags', ({ rare }) => (rare?.tags === undefined || rare.tags.length === 0 ? null : rare.tags)],
  ['content', (record) => record.content ?? null],
  ['content_hash', (record) => contentHashOfRecord(record)],
  ['refs', ({ rare }) => rare?.refs ?? null],
  ['supersedes', ({ rare }) => rare?.supersedes ?? null],
  ['removable', ({ rare }) => rare?.removable ?? null],
  ['pinned', ({ rare }) => rare?.pinned ?? null],
  ['provenance', ({ rare }) => rare?.provenance ?? null],
])

/** Compares a node's number with a literal: integers by their digits, fractions as the doubles they are. */
function compareNumbers(actual: number | bigint, number: Decimal): number {
  const { near, isExact } = number
  if (isExact || typeof actual === 'number') {
    // The double that is nearest to a literal lies on the same side of any other double as the literal itself.
    if (actual < near) return -1
    if (actual > near) return 1
    if (isExact || !Number.isInteger(actual)) return 0
  }
  const { scaled, scale } = number
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
  if (op === '~') return contains(actual, operand) || (name === 'content' && holdsText(actual, operand.text))
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

/** `tag` is a list of texts: `=` and `~` ask for membership, and no list is null. */
function compareList(actual: JsonValue, op: Comparison, operand: Operand): boolean {
  const list = listIn(actual)
  const isThere = operand.isNull ? op !== '~' && list.length === 0 : list.includes(operand.text)
  if (op === '!=') return !isThere
  return (op === '=' || op === '~') && isThere
}

function listIn(actual: JsonValue): readonly JsonValue[] {
  return Array.isArray(actual) ? (actual as readonly JsonValue[]) : []
}

function contains(actual: JsonValue, operand: Operand): boolean {
  if (typeof actual === 'string') return actual.includes(operand.text)
  return Array.isArray(actual) && (actual as readonly JsonValue[]).some((item) => sameTyped(item, operand))
}

/** Whether a text anywhere in an object or list contains another; keys are not looked at (D53). */
function holdsText(value: JsonValue, text: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((item: JsonValue) => {
    return typeof item === 'string' ? item.includes(text) : holdsText(item, text)
  })
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
