// Whole numbers with and without a sign, for times, depths, offsets and counts.

import { isDigit, type Reader } from './reader.js'

/** True if a whole number starts here, perhaps with a sign. */
export function startsInteger(reader: Reader, at: number): boolean {
  const char = reader.charAt(at)
  return isDigit(char === '-' || char === '+' ? reader.charAt(at + 1) : char)
}

/** The end of the whole number that starts here. */
export function integerEnd(reader: Reader, at: number): number {
  return reader.digitsEnd(isDigit(reader.charAt(at)) ? at : at + 1)
}

/** Reads a whole number, which the caller has seen to start here. */
export function readInteger(reader: Reader): number {
  const start = reader.pos
  const isNegative = reader.take('-')
  if (!isNegative) reader.take('+')
  const digits = reader.pos
  reader.pos = reader.digitsEnd(digits)
  const value = Number(reader.slice(digits))
  if (!Number.isSafeInteger(value)) reader.fail(`The number ${reader.slice(start)} is too large.`, start, reader.pos)
  return isNegative && value > 0 ? -value : value // never -0
}
