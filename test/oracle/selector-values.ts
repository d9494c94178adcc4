// D21 to the letter, with D53 for content: what a comparison in a selector says about one value. Numbers are exact at any size: every number,
// in a literal or in a node, becomes a whole number of digits with a decimal scale, and nothing passes through a double.

/** A value as written in a selector. A bare word is a string; `text` is as written, without quotes and escapes. */
export type Literal = { kind: 'number' | 'string' | 'null'; text: string }

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~'

const KNOWN_NUMBERS = new Set([
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

const KNOWN_STRINGS = new Set(['id', 'nodeType', 'role', 'kind', 'key', 'type', 'created_at_iso', 'content_hash'])

/** True if a node that reads `value` under `name` satisfies `[name op literal]`. A missing attribute reads null. */
export function compareValue(name: string, value: unknown, operator: Operator, literal: Literal): boolean {
  switch (operator) {
    case '=':
      return equals(name, value, literal)
    case '!=':
      return !equals(name, value, literal)
    case '~':
      return contains(name, value, literal)
    default:
      return ordered(name, value, operator, literal)
  }
}

function equals(name: string, value: unknown, literal: Literal): boolean {
  if (literal.kind === 'null') return value === null
  if (value === null) return false
  if (name === 'tag' || name === 'tags') {
    return (value as unknown[]).some((element) => element === literal.text) // tags are texts, as keys are
  }
  if (KNOWN_NUMBERS.has(name)) {
    const left = decimalOf(value)
    const right = decimalOfText(literal.text)
    return left !== undefined && right !== undefined && compareDecimals(left, right) === 0
  }
  if (KNOWN_STRINGS.has(name)) return value === literal.text
  return sameKeepingType(value, literal)
}

/** `5` is not `'5'`; a boolean is the word for it; a list or an object is never equal to a literal. */
function sameKeepingType(value: unknown, literal: Literal): boolean {
  if (typeof value === 'boolean') return literal.kind === 'string' && literal.text === String(value)
  if (typeof value === 'string') return literal.kind === 'string' && literal.text === value
  if (typeof value === 'number' || typeof value === 'bigint') {
    return literal.kind === 'number' && compareDecimals(decimalOf(value)!, decimalOfText(literal.text)!) === 0
  }
  return literal.kind === 'null' && value === null
}

function contains(name: string, value: unknown, literal: Literal): boolean {
  if (literal.kind === 'null' || KNOWN_NUMBERS.has(name)) return false
  if (typeof value === 'string') return value.includes(literal.text)
  if (name === 'tag' || name === 'tags') return equals(name, value, literal)
  if (name === 'content' && textsIn(value).some((text) => text.includes(literal.text))) return true
  if (Array.isArray(value)) return value.some((element) => sameKeepingType(element, literal))
  return false
}

/** D53: every text anywhere in a value; the keys of objects are none of them. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

function ordered(name: string, value: unknown, operator: '<' | '<=' | '>' | '>=', literal: Literal): boolean {
  if (literal.kind === 'null' || value === null || typeof value === 'object') return false
  const left = KNOWN_STRINGS.has(name) ? undefined : decimalOf(value)
  const right = KNOWN_STRINGS.has(name) ? undefined : decimalOfText(literal.text)
  if (left !== undefined && right !== undefined) return fits(operator, compareDecimals(left, right))
  if (KNOWN_NUMBERS.has(name)) return false
  return fits(operator, compareCodePoints(literalText(value as string | number | bigint | boolean), literal.text))
}

function literalText(value: string | number | bigint | boolean): string {
  return String(value)
}

function fits(operator: '<' | '<=' | '>' | '>=', comparison: number): boolean {
  if (comparison === 0) return operator === '<=' || operator === '>='
  return comparison < 0 ? operator === '<' || operator === '<=' : operator === '>' || operator === '>='
}

/** Orders text by code point; a lone surrogate counts as its own number, so it ranks below every astral character. */
export function compareCodePoints(a: string, b: string): number {
  const left = [...a].map((character) => character.codePointAt(0)!)
  const right = [...b].map((character) => character.codePointAt(0)!)
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! < right[i]! ? -1 : 1
  }
  return Math.sign(left.length - right.length)
}

/** digits / 10 ** scale */
type Decimal = { digits: bigint; scale: number }

function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value === 'bigint') return { digits: value, scale: 0 }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { digits: BigInt(value), scale: 0 } : decimalOfFloat(value)
  }
  return typeof value === 'string' ? decimalOfText(value) : undefined
}

function decimalOfText(text: string): Decimal | undefined {
  const parts = /^(-?\d+)(?:\.(\d+))?$/.exec(text)
  if (parts === null) return undefined
  const fraction = parts[2] ?? ''
  return { digits: BigInt(parts[1]! + fraction), scale: fraction.length }
}

/** The shortest decimal that reads back as this double, with its exponent written out. */
function decimalOfFloat(value: number): Decimal {
  const [mantissa, exponent] = String(value).split('e')
  const { digits, scale } = decimalOfText(mantissa!)!
  const shifted = scale - Number(exponent ?? '0')
  return shifted >= 0 ? { digits, scale: shifted } : { digits: digits * 10n ** BigInt(-shifted), scale: 0 }
}

function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const left = a.digits * 10n ** BigInt(scale - a.scale)
  const right = b.digits * 10n ** BigInt(scale - b.scale)
  return left < right ? -1 : left > right ? 1 : 0
}
