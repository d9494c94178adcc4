// Lists of literals as sets, made once: whether a value is one of a thousand costs what one of two does. Equal is what
// `=` with each of them would call equal (D21).

import type { JsonValue } from '../../core/index.js'
import type { Decimal, Operand } from './operand.js'

/** The comparison of an attribute: as numbers, as texts, or by the type of each value. */
export type Comparing = 'numbers' | 'texts' | 'types'

/** True if the value of an attribute equals one of some literals. */
export function memberTest(operands: readonly Operand[], comparing: Comparing): (actual: JsonValue) => boolean {
  const { texts, numbers, hasNull } = membersOf(operands, comparing)
  return (actual) => {
    if (actual === null) return hasNull
    if (typeof actual === 'string') return texts.has(actual)
    if (typeof actual === 'number' || typeof actual === 'bigint') return numbers.has(keyOf(actual))
    return typeof actual === 'boolean' && comparing === 'types' && texts.has(String(actual))
  }
}

/** True if a list of texts has one of some literals. The list is null if it has no text. */
export function listMemberTest(operands: readonly Operand[]): (list: readonly JsonValue[]) => boolean {
  const { texts, hasNull } = membersOf(operands, 'texts')
  return (list) => (list.length === 0 ? hasNull : list.some((item) => texts.has(item as string)))
}

type Members = Readonly<{ texts: ReadonlySet<string>; numbers: ReadonlySet<number | bigint>; hasNull: boolean }>

function membersOf(operands: readonly Operand[], comparing: Comparing): Members {
  const texts = new Set<string>()
  const numbers = new Set<number | bigint>()
  let hasNull = false
  for (const { text, number, isNumber, isNull } of operands) {
    if (isNull) {
      hasNull = true
      continue
    }
    // A text is no number and a number no text, but where the attribute says which of them is meant.
    if (comparing === 'texts' || (comparing === 'types' && !isNumber)) texts.add(text)
    const key =
      comparing === 'numbers' || (comparing === 'types' && isNumber) ? number && keyOfDecimal(number) : undefined
    if (key !== undefined) numbers.add(key)
  }
  return { texts, numbers, hasNull }
}

/** Integers by their digits, safe ones as numbers; fractions as the doubles they are. */
function keyOf(actual: number | bigint): number | bigint {
  if (typeof actual === 'number')
    return Number.isInteger(actual) && !Number.isSafeInteger(actual) ? BigInt(actual) : actual
  const near = Number(actual)
  return Number.isSafeInteger(near) ? near : actual
}

/** The key of all values that equal a literal; undefined if it has too many digits to equal a double. */
function keyOfDecimal({ near, scaled, scale }: Decimal): number | bigint | undefined {
  if (scale === 0) return keyOf(scaled)
  return Number.isInteger(near) ? undefined : near
}
