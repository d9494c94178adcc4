// Attribute tests: how an attribute of a node is read, and how it compares with a literal (04 §5, D21).

import { COMPACTED, compareText, SHED, type JsonValue, type NodeRecord } from '../../core/index.js'
import { BOUND } from '../../codec/index.js'
import { contentHashOfRecord, createdAtIso } from '../../timeline/index.js'
import type { View } from '../../timeline/index.js'
import type { Comparison, FieldTest } from '../../selector/index.js'
import { listMemberTest, memberTest, type Comparing } from './members.js'
import { numberOf, operandOf, type Decimal, type Operand } from './operand.js'
import type { Predicate } from './plan.js'

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

/** The test of one attribute, except nodeType. */
export function compileField(test: FieldTest): Predicate {
  const { name, op } = test
  if (op === undefined && name === 'ephemeral') {
    return (record, view) => record !== undefined && (view.ttlOf(record) ?? 2) <= 1
  }
  if (op === undefined && name === 'sticky') {
    return (record, view) => record?.rare?.cad === 1 && view.ttlOf(record) !== null
  }
  const text = onlyText(test)
  if (text !== undefined && isOwnName(name)) return (record) => record?.rare?.attributes?.get(name) === text
  const read = readerOf(name)
  if (text !== undefined) return (record, view, depth) => read(record, view, depth) === text
  const accepts = valueTest(test)
  return (record, view, depth) => accepts(read(record, view, depth))
}

/** The one text that passes, if the test is for equality with a text. */
function onlyText({ name, op, value }: FieldTest): string | undefined {
  if (op !== '=' || value === undefined || value.kind === 'list' || value.kind === 'null') return undefined
  if (STRINGS.has(name)) return value.text
  const isOther = NUMBERS.has(name) || isTags(name) || value.kind === 'number'
  // A boolean equals its name.
  return isOther || value.text === 'true' || value.text === 'false' ? undefined : value.text
}

/** A test of the value that an attribute reads as. */
type ValueTest = (actual: JsonValue) => boolean

function valueTest({ name, op, value }: FieldTest): ValueTest {
  if (op === undefined || value === undefined) return (actual) => actual !== null
  const comparing: Comparing = NUMBERS.has(name) ? 'numbers' : STRINGS.has(name) ? 'texts' : 'types'
  const isList = isTags(name)
  if (value.kind === 'list') return memberOfList(isList, comparing, op, value.items.map(operandOf))
  const operand = operandOf(value)
  if (isList) return (actual) => compareList(actual, op, operand)
  if (op === '=') return (actual) => equals(comparing, actual, operand)
  if (op === '!=') return (actual) => !equals(comparing, actual, operand)
  if (op === '~') return partTest(name, operand)
  return (actual) => compares(comparing, actual, op, operand)
}

/** `in` and `=` with a list ask for one of its members, `!=` for none; the parser allows nothing else with a list. */
function memberOfList(isList: boolean, comparing: Comparing, op: Comparison, operands: readonly Operand[]): ValueTest {
  const isMember = op !== '!='
  if (isList) {
    const holdsOne = listMemberTest(operands)
    return (actual) => holdsOne(listIn(actual)) === isMember
  }
  const isOne = memberTest(operands, comparing)
  return (actual) => isOne(actual) === isMember
}

/** A test of this name reads the place of the node or the cycle of the view, not only the record. */
export function seesPlace(dotted: string): boolean {
  const dot = dotted.indexOf('.')
  const name = dot < 0 ? dotted : dotted.slice(0, dot)
  return name === 'ttl' || name === 'age' || name === 'depth' || name === 'ephemeral' || name === 'sticky'
}

/** Reads an attribute as selectors see it; null if it is missing. */
type Reader = (record: NodeRecord | undefined, view: View, depth: number | undefined) => JsonValue

function readerOf(name: string): Reader {
  if (name.includes('.')) return insideReader(name)
  return READERS.get(name) ?? ((record) => record?.rare?.attributes?.get(name) ?? null)
}

/** True for the names that only `rare.attributes` can have. */
function isOwnName(name: string): boolean {
  return !name.includes('.') && !READERS.has(name)
}

/** `content.command`: an attribute of that very name, or a value inside the one before the first dot (D53). */
function insideReader(name: string): Reader {
  const [attribute, ...steps] = name.split('.')
  const read = readerOf(attribute!)
  return (record, view, depth) => {
    const attributes = record?.rare?.attributes
    if (attributes?.has(name)) return attributes.get(name) ?? null
    let value = read(record, view, depth)
    for (const step of steps) value = valueInside(value, step)
    return value
  }
}

/** The own property of an object, or the element of a list; null for everything else. */
function valueInside(value: JsonValue, step: string): JsonValue {
  if (typeof value !== 'object' || value === null) return null
  const isThere = Array.isArray(value) ? /^(?:0|[1-9]\d*)$/.test(step) : Object.hasOwn(value, step)
  return isThere ? ((value as Readonly<Record<string, JsonValue>>)[step] ?? null) : null
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // Digests of thoughts (D58), the originals of shed results (D61) and the lists of summaries (D63) are no answers.
  [BOUND, () => null],
  [SHED, () => null],
  [COMPACTED, () => null],
  ['id', (record) => record?.id ?? null],
  ['nodeType', (record) => record?.nodeType ?? null],
  ['offset', (record) => record?.offset ?? 0], // a virtual core is at 0 (D12)
  ['ttl', (record, view) => (record === undefined ? null : view.ttlOf(record))],
  ['cad', (record) => record?.rare?.cad ?? null],
  ['priority', (record) => record?.priority ?? null],
  ['cycle', (record) => record?.cycle ?? null],
  ['born_turn', (record) => record?.cycle ?? null],
  ['age', (record, view) => (record === undefined ? null : view.cycle - record.cycle)],
  ['depth', (record, _view, depth) => (record === undefined ? null : (depth ?? null))],
  ['created_at_ns', (record) => record?.createdAtNs ?? null],
  ['created_at_iso', (record) => (record === undefined ? null : createdAtIso(record))],
  ['creation_index', (record) => record?.creationIndex ?? null],
  ['role', (record) => record?.role ?? null],
  ['kind', (record) => record?.kind ?? null],
  ['key', (record) => record?.rare?.key ?? null],
  ['tag', tagsOrNull],
  ['tags', tagsOrNull],
  ['content', (record) => record?.content ?? null],
  ['content_hash', (record) => (record === undefined ? null : contentHashOfRecord(record))],
  ['refs', (record) => record?.rare?.refs ?? null],
  ['supersedes', (record) => record?.rare?.supersedes ?? null],
  ['removable', (record) => record?.rare?.removable ?? null],
  ['pinned', (record) => record?.rare?.pinned ?? null],
  ['provenance', (record) => record?.rare?.provenance ?? null],
])

function tagsOrNull(record: NodeRecord | undefined): JsonValue {
  return record === undefined || record.tags.length === 0 ? null : record.tags
}

function isTags(name: string): boolean {
  return name === 'tag' || name === 'tags'
}

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

function equals(comparing: Comparing, actual: JsonValue, operand: Operand): boolean {
  if (operand.isNull || actual === null) return operand.isNull && actual === null
  if (comparing === 'numbers') return operand.number !== undefined && sameNumber(actual, operand.number)
  return comparing === 'texts' ? actual === operand.text : sameTyped(actual, operand)
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

/** Applies an ordering operator. */
function compares(comparing: Comparing, actual: JsonValue, op: Comparison, operand: Operand): boolean {
  if (actual === null || operand.isNull) return false
  if (comparing === 'numbers') {
    return operand.number !== undefined && holds(op, compareNumbers(actual as number | bigint, operand.number))
  }
  if (comparing === 'types' && operand.number !== undefined) {
    if (typeof actual === 'number' || typeof actual === 'bigint')
      return holds(op, compareNumbers(actual, operand.number))
    const number = typeof actual === 'string' ? numberOf(actual) : undefined
    if (number !== undefined) return holds(op, compareDecimals(number, operand.number))
  }
  const text = textIn(actual)
  return text !== undefined && holds(op, compareText(text, operand.text))
}

/** `~`: a substring, an element of a list, or for content a text anywhere inside (D21, D53). */
function partTest(name: string, operand: Operand): ValueTest {
  const { text, isNull } = operand
  if (isNull) return () => false
  return (actual) => {
    if (typeof actual === 'string') return actual.includes(text)
    return holdsItem(actual, operand) || (name === 'content' && holdsText(actual, text))
  }
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

function holdsItem(actual: JsonValue, operand: Operand): boolean {
  return Array.isArray(actual) && (actual as readonly JsonValue[]).some((item) => sameTyped(item, operand))
}

/** Searches the strings anywhere in an object or list; keys do not count (D53). */
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
