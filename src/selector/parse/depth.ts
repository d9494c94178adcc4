// Depths (D10): the scope or anchor `d1..d3`, the anchor `depth(0)`, the predicate `:depth(1,2-4)`, and the coordinates
// `(d1, 0, 2)` that start with one.

import type { Coordinate, NumberRange, Span } from '../ast.js'
import { quoted } from '../selector-error.js'
import { integerEnd, readInteger, startsInteger, nameWidth, type Reader } from './reader.js'

const LOWEST = -1

/** True if `d1`, `d-1` or the start of `d1..d3` is here. */
export function startsDepth(reader: Reader, at: number = reader.pos): boolean {
  return reader.charAt(at) === 'd' && startsInteger(reader, at + 1)
}

/** Reads `d1`, `d1..d3` or `d1..3`. */
export function readDepths(reader: Reader): NumberRange {
  const start = reader.pos
  reader.pos++
  const from = readDepth(reader, start)
  let to = from
  if (reader.take('..')) {
    const other = reader.pos
    reader.take('d')
    if (!startsInteger(reader, reader.pos)) {
      const sentence = `The other end of the range of depths is missing; for d${from} and everything older write d${from}..d9999.`
      reader.fail(sentence, other, reader.charEnd(reader.pos))
    }
    to = readDepth(reader, other)
  }
  if (nameWidth(reader.text, reader.pos) > 0) {
    const end = reader.nameEnd(reader.pos)
    const [, one, other] = /^d(\d+)-d?(\d+)$/.exec(reader.slice(start, Math.min(end, start + 20))) ?? []
    const hint = one === undefined ? '' : `; a range is d${one}..d${other}`
    reader.fail(`${quoted(reader.slice(start, end))} is no depth${hint}.`, start, end)
  }
  return rangeOf(reader, from, to, start)
}

/** Reads `depth(n)`, the place being right behind the opening parenthesis. */
export function readDepthCall(reader: Reader, start: number): NumberRange {
  reader.skipSpace()
  const at = reader.pos
  if (!startsInteger(reader, at)) failArgument(reader, start, 'depth(0)')
  const value = readDepth(reader, at)
  reader.skipSpace()
  if (!reader.take(')')) failArgument(reader, start, 'depth(0)')
  return rangeOf(reader, value, value, start)
}

/** Reads the content of `:depth(…)` and the closing parenthesis. */
export function readDepthList(reader: Reader, start: number): readonly NumberRange[] {
  const ranges: NumberRange[] = []
  do {
    reader.skipSpace()
    ranges.push(readListedDepths(reader, start))
    reader.skipSpace()
  } while (reader.take(','))
  if (!reader.take(')')) failArgument(reader, start, ':depth(1), :depth(1,2) or :depth(1-3)')
  return ranges
}

/** Reads the `n` of `:nth(n)`, the closing parenthesis included. */
export function readNth(reader: Reader, start: number): number {
  reader.skipSpace()
  if (!startsInteger(reader, reader.pos)) failArgument(reader, start, ':nth(1)')
  const value = readInteger(reader)
  reader.skipSpace()
  if (!reader.take(')')) failArgument(reader, start, ':nth(1)')
  if (value < 1) reader.fail(`":nth" counts from 1, so ${value} names nothing.`, start, reader.pos)
  return value
}

/**
 * True if the parenthesis that opens here holds a coordinate. The lookahead ends after the first comma, so that the total work stays
 * linear.
 */
export function startsCoordinate(reader: Reader): boolean {
  let at = reader.spaceEnd(reader.pos + 1)
  if (!startsDepth(reader, at)) return false
  at = integerEnd(reader, at + 1)
  if (reader.charAt(at) === '.' && reader.charAt(at + 1) === '.') {
    const other = reader.charAt(at + 2) === 'd' ? at + 3 : at + 2
    if (!startsInteger(reader, other)) return false
    at = integerEnd(reader, other)
  }
  at = reader.spaceEnd(at)
  if (reader.charAt(at) === ')') return true
  return reader.charAt(at) === ',' && startsInteger(reader, reader.spaceEnd(at + 1))
}

/** Reads `(d1, 0, 2)`; `failAt` explains a wrong text in the place of an offset. */
export function readCoordinate(reader: Reader, failAt: (reader: Reader) => never): Coordinate {
  const start = reader.pos
  reader.pos++
  reader.skipSpace()
  const { from, to } = readDepths(reader)
  const offsets: number[] = []
  reader.skipSpace()
  while (reader.take(',')) {
    reader.skipSpace()
    if (!startsInteger(reader, reader.pos)) failAt(reader)
    offsets.push(readInteger(reader))
    reader.skipSpace()
  }
  if (!reader.take(')')) failAt(reader)
  return { from, to, offsets, span: reader.spanFrom(start) }
}

function readListedDepths(reader: Reader, start: number): NumberRange {
  const at = reader.pos
  if (!startsInteger(reader, at)) failArgument(reader, start, ':depth(1), :depth(1,2) or :depth(1-3)')
  const from = readDepth(reader, at)
  reader.skipSpace()
  let to = from
  if (reader.take('-') || reader.take('..')) {
    reader.skipSpace()
    if (!startsInteger(reader, reader.pos)) failArgument(reader, start, ':depth(1-3)')
    to = readDepth(reader, at)
  }
  return rangeOf(reader, from, to, at)
}

function readDepth(reader: Reader, start: number): number {
  const depth = readInteger(reader)
  if (depth >= LOWEST) return depth
  reader.failAs('E_DEPTH_INVALID', `There is no depth ${depth}; the lowest is -1, ^sys.`, start, reader.pos)
}

function rangeOf(reader: Reader, from: number, to: number, start: number): NumberRange {
  const span: Span = reader.spanFrom(start)
  if (from <= to) return { from, to, span }
  const sentence = `The range of depths ${quoted(reader.slice(start))} runs backwards; write the lower one first.`
  reader.failAs('E_DEPTH_INVALID', sentence, span.start, span.end)
}

function failArgument(reader: Reader, start: number, example: string): never {
  const found = reader.tokenAt(reader.pos)
  const end = reader.pos + found.length
  if (found === '') reader.fail(`${quoted(reader.slice(start))} is never closed; write ${example}.`, start, end)
  const isEmpty = found === ')' && reader.charAt(reader.pos - 1) === '('
  const trouble = isEmpty ? 'is empty' : 'cannot be read'
  reader.fail(`${quoted(reader.slice(start, end))} ${trouble}; write ${example}.`, start, end)
}
