// The time prefix in all its forms (04 §3.7, D5, D7): one snapshot, a range of them, all, the working state, the preview.

import type { TimePoint, TimePrefix } from '../ast.js'
import { CONTROLS } from '../names.js'
import { quoted } from '../selector-error.js'
import { readInteger, startsInteger, isSpace, type Reader } from './reader.js'
import { suggestNames } from '../../errors/index.js'

const WORDS = ['history', 'working', 'preview'] as const
const FORMS = ['@t0', '@t-1', '@c1', '@*', '@working', '@preview', '@history']
/** The characters that may follow a prefix without a space; the end of the text may, too. */
const MAY_FOLLOW = '^.#([{'

/** Reads the prefix, if there is one; white space before the place has been skipped. */
export function parseTime(reader: Reader): TimePrefix | undefined {
  if (reader.char !== '@') return undefined
  const start = reader.pos
  const time = readPrefix(reader, start)
  const next: string = reader.char
  if (!isSpace(next) && !MAY_FOLLOW.includes(next)) {
    const end = Math.max(reader.nameEnd(reader.pos), reader.charEnd(reader.pos))
    reader.fail(`${quoted(reader.slice(start, end))} is no time prefix; a space ends it.`, start, end)
  }
  return time
}

/** True if a name after `@` is a time, and so no control. */
export function isTimeName(name: string): boolean {
  return WORDS.some((word) => word === name) || (name.length < 20 && /^[tc]-?\d+$|^t-$/.test(name))
}

function readPrefix(reader: Reader, start: number): TimePrefix {
  if (startsPoint(reader)) {
    const from = readPoint(reader)
    const operator = takeOperator(reader)
    if (operator === undefined) return { kind: 'at', at: from, span: reader.spanFrom(start) }
    const to = readOtherEnd(reader, kindOf(from))
    return { kind: 'range', from, to, written: 'range', operator, span: reader.spanFrom(start) }
  }
  if (reader.take('@*')) {
    if (startsOperator(reader)) failWildcard(reader, start)
    return { kind: 'all', span: reader.spanFrom(start) }
  }
  const end = reader.nameEnd(start + 1)
  const word = WORDS.find((each) => each === reader.slice(start + 1, end))
  if (word === undefined) failPrefix(reader, start, end)
  reader.pos = end
  if (startsOperator(reader)) failWordInRange(reader, start)
  const span = reader.spanFrom(start)
  if (word !== 'history') return { kind: word, span }
  return {
    kind: 'range',
    from: { kind: 't', value: 0 },
    to: { kind: 'oldest' },
    written: 'history',
    operator: '..',
    span,
  }
}

/** `@t` and `@c` start a point only where a number, or the star of `@t-*`, follows. */
function startsPoint(reader: Reader): boolean {
  const kind = reader.charAt(reader.pos + 1)
  if (reader.char !== '@' || (kind !== 't' && kind !== 'c')) return false
  return startsInteger(reader, reader.pos + 2) || (kind === 't' && startsOldest(reader, reader.pos + 2))
}

function startsOldest(reader: Reader, at: number): boolean {
  return reader.charAt(at) === '-' && reader.charAt(at + 1) === '*'
}

function readPoint(reader: Reader): TimePoint {
  const start = reader.pos
  const kind = reader.charAt(reader.pos + 1) === 't' ? 't' : 'c'
  reader.pos += 2
  return readPointValue(reader, kind, start)
}

function readPointValue(reader: Reader, kind: 't' | 'c', start: number): TimePoint {
  if (kind === 't' && startsOldest(reader, reader.pos)) {
    reader.pos += 2
    return { kind: 'oldest' }
  }
  const value = readInteger(reader)
  if (kind === 'c' && value < 0) reader.fail('A cycle has no sign: @c12.', start, reader.pos)
  return { kind, value }
}

/** The second end of a range; without a prefix it is of the first one's kind (D7). */
function readOtherEnd(reader: Reader, kind: 't' | 'c'): TimePoint {
  const start = reader.pos
  if (startsPoint(reader)) {
    const to = readPoint(reader)
    if (kindOf(to) === kind) return to
    const sentence = `${quoted(reader.slice(start))} cannot end a range that starts with @${kind}…; both are of one kind.`
    reader.failAs('E_SNAPSHOT_RANGE_KIND_MISMATCH', sentence, start, reader.pos)
  }
  if (startsInteger(reader, start) || (kind === 't' && startsOldest(reader, start))) {
    return readPointValue(reader, kind, start)
  }
  if (reader.take('@*') || reader.take('*')) failWildcard(reader, start)
  const end = reader.nameEnd(reader.char === '@' ? start + 1 : start)
  if (reader.char === '@' && WORDS.some((word) => word === reader.slice(start + 1, end))) {
    reader.pos = end
    failWordInRange(reader, start)
  }
  reader.fail('The other end of the range is missing: @t-5..@t-1.', start, Math.max(end, reader.charEnd(start)))
}

function kindOf(point: TimePoint): 't' | 'c' {
  return point.kind === 'c' ? 'c' : 't'
}

function startsOperator(reader: Reader): boolean {
  return reader.char === ':' || (reader.char === '.' && reader.charAt(reader.pos + 1) === '.')
}

function takeOperator(reader: Reader): '..' | ':' | undefined {
  if (!startsOperator(reader)) return undefined
  const operator = reader.char === ':' ? ':' : '..'
  reader.pos += operator.length
  return operator
}

function failWildcard(reader: Reader, start: number): never {
  const sentence = '"@*" already means every snapshot and cannot be an end of a range; the oldest one is @t-*.'
  reader.failAs('E_SNAPSHOT_RANGE_WILDCARD', sentence, start, reader.pos)
}

function failWordInRange(reader: Reader, start: number): never {
  reader.fail(`${quoted(reader.slice(start))} cannot be an end of a range.`, start, reader.pos)
}

function failPrefix(reader: Reader, start: number, end: number): never {
  const name = reader.slice(start, end)
  if (CONTROLS.includes(name.slice(1)))
    reader.fail(`The control "${name}" belongs at the end of the selector.`, start, end)
  const near = suggestNames(name, FORMS)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  reader.fail(`Unknown time prefix ${quoted(name)}.${hint}`, start, end)
}
