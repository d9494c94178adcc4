// Literals made ready for comparing (D21): numbers with all their digits, texts as they are.

import type { Literal } from '../../selector/index.js'

/** A literal as a value is compared with it. */
export type Operand = Readonly<{ text: string; number: Decimal | undefined; isNumber: boolean; isNull: boolean }>

/** A number as written: `scaled` divided by ten to the power of `scale`. */
export type Decimal = Readonly<{ near: number; isExact: boolean; scaled: bigint; scale: number }>

export function operandOf(literal: Literal): Operand {
  if (literal.kind === 'list') return { text: '', number: undefined, isNumber: false, isNull: false }
  const { text } = literal
  return { text, number: numberOf(text), isNumber: literal.kind === 'number', isNull: literal.kind === 'null' }
}

/** `-?digits[.digits]`, exactly at any size. */
export function numberOf(text: string): Decimal | undefined {
  const first = text.charCodeAt(0)
  if (first !== MINUS && (first < ZERO || first > NINE)) return undefined
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = fraction.replace(/0+$/, '')
  const near = Number(text)
  const isExact = digits === '' && Number.isSafeInteger(near)
  return { near, isExact, scaled: BigInt(whole + digits), scale: digits.length }
}

const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
