// Whole numbers with and without a sign, as times, depths, offsets and counts need them.

import { isDigit, type Reader } from './scan.js'

/** Whether a whole number starts here, perhaps with a sign. */
export function startsInteger(reader: Reader, at: number): boolean {
  const char = reader.charAt(at)
  return isDigit(char === '-' || char === '+' ? reader.charAt(at + 1) : char)
}

/** Where the whole number that starts here ends. */
export function integerEnd(reader: Reader, at: number): number {
  return reader.digitsEnd(isDigit(reader.charAt(at)) ? at : at + 1)
}

/** Reads a whole number, which the caller has seen to start here. */
export function readInteger(reader: Reader): number {
  const start = reader.pos
  reader.pos = integerEnd(reader, start)
  const value = Number(reader.slice(start))
  if (!Number.isSafeInteger(value)) reader.fail(`The number ${reader.slice(start)} is too large.`, start, reader.pos)
  return value === 0 ? 0 : value // never -0
}
