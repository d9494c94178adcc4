// Whole numbers with and without a sign, as times, depths, offsets and counts need them.

import { isDigit, type Reader } from './reader.js'

const PLUS = 0x2b
const MINUS = 0x2d
const ZERO = 0x30

/** Whether a whole number starts here, perhaps with a sign. */
export function startsInteger(reader: Reader, at: number): boolean {
  const unit = reader.unitAt(at)
  return isDigit(unit === MINUS || unit === PLUS ? reader.unitAt(at + 1) : unit)
}

/** Where the whole number that starts here ends. */
export function integerEnd(reader: Reader, at: number): number {
  return reader.digitsEnd(isDigit(reader.unitAt(at)) ? at : at + 1)
}

/** Reads a whole number, which the caller has seen to start here. */
export function readInteger(reader: Reader): number {
  const start = reader.pos
  const isNegative = reader.takeUnit(MINUS)
  if (!isNegative) reader.takeUnit(PLUS)
  let value = 0
  for (; isDigit(reader.unit); reader.pos++) value = value * 10 + (reader.unit - ZERO)
  // Beyond what a double holds exactly the sum is only roughly right, and refused.
  if (!Number.isSafeInteger(value)) reader.fail(`The number ${reader.slice(start)} is too large.`, start, reader.pos)
  return isNegative && value > 0 ? -value : value // never -0
}
