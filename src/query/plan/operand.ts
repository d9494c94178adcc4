// Literals made ready for comparing (D21): numbers with all their digits, texts as they are.

import type { Literal } from '../../selector/index.js'

/** A literal as a value is compared with it. */
export type Operand = Readonly<{ text: string; number: Decimal | undefined; isNumber: boolean; isNull: boolean }>

/** A number as written, exactly at any size. */
export class Decimal {
  readonly near: number
  /** True if `near` is the exact value. */
  readonly isExact: boolean
  /** `scaled` divided by ten to the power of `scale` is the number; most are compared without it. */
  readonly scale: number
  readonly #digits: string
  #scaled: bigint | undefined

  constructor(whole: string, fraction: string) {
    this.scale = fraction.length
    this.near = Number(fraction === '' ? whole : `${whole}.${fraction}`)
    this.isExact = fraction === '' && Number.isSafeInteger(this.near)
    this.#digits = whole + fraction
  }

  get scaled(): bigint {
    return (this.#scaled ??= BigInt(this.#digits))
  }
}

export function operandOf(literal: Literal): Operand {
  if (literal.kind === 'list') return { text: '', number: undefined, isNumber: false, isNull: false }
  const { text } = literal
  return { text, number: numberOf(text), isNumber: literal.kind === 'number', isNull: literal.kind === 'null' }
}

/** `-?digits[.digits]`, zeros at the end of a fraction left out. */
export function numberOf(text: string): Decimal | undefined {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0
  const dot = digitsEnd(text, start)
  if (dot === start) return undefined
  if (dot === text.length) return new Decimal(text, '')
  let end = text.length
  if (text.charCodeAt(dot) !== DOT || dot + 1 === end || digitsEnd(text, dot + 1) < end) return undefined
  while (text.charCodeAt(end - 1) === ZERO) end--
  return new Decimal(text.slice(0, dot), text.slice(dot + 1, end))
}

function digitsEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && isDigit(text.charCodeAt(end))) end++
  return end
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE
}

const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
