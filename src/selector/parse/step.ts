// One step of a chain: its start, and the conditions attached to it (04 §3, §4; 001 §4).

import type { Condition, Coordinate, Group, Union } from '../ast.js'
import type { StepDraft } from './open-ast.js'
import { quoted } from '../selector-error.js'
import {
  failAttached,
  failOffset,
  failParens,
  failPosition,
  failPredicate,
  failStep,
  offerPredicate,
} from './complaints.js'
import { legacyEnd } from '../advice/legacy-token.js'
import { SELECTOR_LIMITS } from '../limits.js'
import { isQuote, readQuoted } from './literal.js'
import {
  readCoordinate,
  readDepthCall,
  readDepthList,
  readDepths,
  readNth,
  startsCoordinate,
  startsDepth,
} from './depth.js'
import { parseFields } from './fields.js'
import { isNameStart, isSpace, type Reader } from './reader.js'
import { suggestNames } from '../../errors/index.js'
import { readToken } from './token.js'

const REGIONS = ['^sys', '^seq', '^ah', '^root'] as const
const NONE: readonly Condition[] = []

/** Reads the content of parentheses up to the closing one; given by the caller, since it reads steps in turn. */
export type ReadChoices = (reader: Reader) => readonly Union[]

/** Reads one step; the place is at its first character. */
export function parseStep(reader: Reader, reach: StepDraft['reach'], readChoices: ReadChoices): StepDraft {
  const start = reader.pos
  const isStar = reader.char === '*'
  const anchor = parseStart(reader, readChoices)
  reader.conditions = isStar || anchor === undefined ? 0 : 1
  const first = anchor ?? parseCounted(reader, NONE)
  if (first === undefined) failStep(reader)
  const step: StepDraft = { reach, conditions: [first], span: { start, end: start } }
  parseAttached(reader, step)
  return step
}

/** Reads the conditions that follow without a space, and checks the end of the step. */
export function parseAttached(reader: Reader, step: StepDraft): void {
  for (;;) {
    const condition = parseCounted(reader, step.conditions)
    if (condition === undefined) break
    step.conditions.push(condition)
  }
  step.span.end = reader.pos
  if (!endsStep(reader.char)) failAttached(reader, step.span.start)
}

function endsStep(char: string): boolean {
  if (char === '' || isSpace(char)) return true
  return char === '>' || char === ',' || char === ')' || char === '?'
}

/** Turns a depth that starts a group into its first step (D10). */
export function stepAtDepth(reader: Reader, from: number, to: number, start: number): StepDraft {
  const span = reader.spanFrom(start)
  const step: StepDraft = {
    reach: 'descendant',
    conditions: [{ kind: 'coordinate', coordinate: { from, to, offsets: [], span }, span }],
    span: { ...span },
  }
  reader.conditions = 1
  parseAttached(reader, step)
  return step
}

/** Forms that only start a step: a region, `*`, a depth, parentheses. */
function parseStart(reader: Reader, readChoices: ReadChoices): Condition | undefined {
  const start = reader.pos
  switch (reader.char) {
    case '*':
      if (legacyEnd(reader) !== undefined) failStep(reader)
      reader.pos++
      return { kind: 'any', span: reader.spanFrom(start) }
    case '^':
      return parseRegion(reader)
    case '(':
      return parseParens(reader, readChoices)
    case 'd':
      return parseDepthWord(reader)
    default:
      return undefined
  }
}

function parseRegion(reader: Reader): Condition {
  const start = reader.pos
  reader.pos = reader.nameEnd(start + 1)
  const written = reader.slice(start)
  const region = REGIONS.find((name) => name === written)
  if (region !== undefined) return { kind: 'region', region, written, span: reader.spanFrom(start) }
  const near = suggestNames(written, REGIONS)
  const hint = near === undefined ? ` The regions are ${REGIONS.join(', ')}.` : ` Did you mean "${near}"?`
  reader.fail(`Unknown region ${quoted(written)}.${hint}`, start, reader.pos)
}

/** `depth(0)`, `depth(2)`, and `d2` behind another step. */
function parseDepthWord(reader: Reader): Condition | undefined {
  const start = reader.pos
  if (reader.take('depth(')) {
    const { from, to, span } = readDepthCall(reader, start)
    reader.needsNewDialect('The anchor', start, reader.pos)
    if (from > 0) return { kind: 'coordinate', coordinate: { from, to, offsets: [], span }, span }
    return { kind: 'region', region: from === 0 ? '^ah' : '^sys', written: `depth(${from})`, span }
  }
  if (!startsDepth(reader)) return undefined
  const { from, to, span } = readDepths(reader)
  reader.needsNewDialect('The depth', start, reader.pos)
  return { kind: 'coordinate', coordinate: { from, to, offsets: [], span }, span }
}

/** A coordinate, a set of coordinates, or a selector in parentheses (001 §4, §10). */
function parseParens(reader: Reader, readChoices: ReadChoices): Condition {
  const start = reader.pos
  reader.needsNewDialect('The parenthesis', start, start + 1)
  if (startsCoordinate(reader)) {
    const coordinate = readCoordinate(reader, failOffset)
    return { kind: 'coordinate', coordinate, span: coordinate.span }
  }
  if (++reader.nesting > SELECTOR_LIMITS.nesting) {
    reader.failAs('E_SELECTOR_TOO_LARGE', `Parentheses nest at most ${SELECTOR_LIMITS.nesting} deep.`, start)
  }
  reader.pos++
  reader.skipSpace()
  if (reader.char === ')') reader.fail('There is nothing in these parentheses.', start, reader.pos + 1)
  const choices = readChoices(reader)
  if (!reader.take(')')) failParens(reader, start)
  reader.nesting--
  const span = reader.spanFrom(start)
  const coordinates = coordinatesOf(choices)
  if (coordinates !== undefined) return { kind: 'coordinates', coordinates, span }
  if (isPositionForm(reader, choices)) failPosition(reader, span)
  return { kind: 'group', choices, span }
}

/** A list that starts with a bare depth and names more than places: hops of an older draft, never a union (D44). */
function isPositionForm(reader: Reader, [union]: readonly Union[]): boolean {
  const [first, ...others] = union!.groups.map(placeOf)
  if (first === undefined || reader.charAt(first.span.start) !== 'd') return false
  return others.includes(undefined)
}

/** The depth, coordinate or set of coordinates of a group that has nothing else. */
function placeOf({ scope, steps }: Group): Condition | undefined {
  const only = steps.length === 1 && steps[0]!.conditions.length === 1 ? steps[0]!.conditions[0]! : undefined
  if (scope !== undefined || only === undefined) return undefined
  const isAnchor = only.kind === 'region' && only.written.startsWith('depth(')
  return isAnchor || only.kind === 'coordinate' || only.kind === 'coordinates' ? only : undefined
}

/** The coordinates, where the parentheses hold nothing else. */
function coordinatesOf(choices: readonly Union[]): readonly Coordinate[] | undefined {
  const coordinates: Coordinate[] = []
  for (const group of choices.length === 1 ? choices[0]!.groups : []) {
    const place = placeOf(group)
    if (place?.kind !== 'coordinate') return undefined
    coordinates.push(place.coordinate)
  }
  return coordinates.length > 0 ? coordinates : undefined
}

/** Reads one condition and counts it; several types or tests in one have counted all of them but one. */
function parseCounted(reader: Reader, before: readonly Condition[]): Condition | undefined {
  const start = reader.pos
  const condition = parseCondition(reader, before)
  if (condition !== undefined) reader.countCondition(start)
  return condition
}

/** One condition that may be anywhere in a step; undefined if none follows directly. */
function parseCondition(reader: Reader, before: readonly Condition[]): Condition | undefined {
  const start = reader.pos
  switch (reader.char) {
    case '.':
      return parseTypes(reader, before)
    case '#': {
      const kind = reader.dialect === '1.0' ? 'key' : 'id'
      reader.pos++
      const name = isQuote(reader.char) ? readQuoted(reader) : readToken(reader, kind, start)
      const span = reader.spanFrom(start)
      return kind === 'key' ? { kind, key: name, span } : { kind, id: name, span }
    }
    case '+': {
      reader.needsNewDialect('The tag', start, Math.max(reader.nameEnd(start + 1), start + 1))
      reader.pos++
      const tag = readToken(reader, 'tag', start)
      return { kind: 'tag', tag, span: reader.spanFrom(start) }
    }
    case '[':
      return parseFields(reader, 'bracket')
    case '{':
      return parseFields(reader, 'brace')
    case '(':
      return isRightBehindType(reader, before) ? parseGrouped(reader) : undefined
    case ':':
      return parsePredicate(reader)
    default:
      return undefined
  }
}

/** `.log.entry` is one condition with two names; `.sys` is the region and a step of its own (D10). */
function parseTypes(reader: Reader, before: readonly Condition[]): Condition {
  const start = reader.pos
  const first = readType(reader)
  if (reader.dialect === '0.1' && before.some(isTypeToken)) reader.needsNewDialect('A second type,', start, reader.pos)
  if (first === 'sys') return { kind: 'region', region: '^sys', written: '.sys', span: reader.spanFrom(start) }
  const names = [first]
  while (reader.char === '.') {
    const sign = reader.pos
    const name = readType(reader)
    reader.needsNewDialect('A second type,', sign, reader.pos)
    if (name === 'sys') {
      reader.pos = sign
      break
    }
    names.push(name)
  }
  reader.conditions += names.length - 1
  return { kind: 'types', names, span: reader.spanFrom(start) }
}

function readType(reader: Reader): string {
  const sign = reader.pos
  reader.pos++
  return readToken(reader, 'type', sign)
}

function parseGrouped(reader: Reader): Condition {
  const start = reader.pos
  const inside = reader.spaceEnd(start + 1)
  const isTest = reader.dialect === '1.0' && isNameStart(reader.text, inside)
  if (!isTest) offerPredicate(reader)
  reader.needsNewDialect('The parenthesis', start, start + 1)
  if (reader.charAt(inside) === ')') {
    reader.fail('Parentheses right behind a type hold tests: .block(ttl=1).', start, inside + 1)
  }
  return parseFields(reader, 'paren')
}

function parsePredicate(reader: Reader): Condition {
  const start = reader.pos
  reader.pos = reader.nameEnd(start + 1)
  const name = reader.slice(start + 1)
  const isCalled = reader.char === '('
  switch (name) {
    case 'pre':
    case 'core':
    case 'post':
    case 'first':
    case 'last': {
      if (isCalled) reader.fail(`":${name}" takes nothing in parentheses.`, start, reader.pos + 1)
      const span = reader.spanFrom(start)
      return name === 'first' || name === 'last' ? { kind: name, span } : { kind: 'zone', zone: name, span }
    }
    case 'depth':
    case 'nth': {
      const example = name === 'nth' ? ':nth(1)' : ':depth(1)'
      if (!reader.take('(')) reader.fail(`":${name}" takes a number: ${example}.`, start, reader.pos)
      if (name === 'nth') return { kind: 'nth', n: readNth(reader, start), span: reader.spanFrom(start) }
      return { kind: 'depth', ranges: readDepthList(reader, start), span: reader.spanFrom(start) }
    }
    case '':
      return reader.fail('A name is missing behind ":".', start)
    default:
      return failPredicate(reader, start)
  }
}

function isRightBehindType(reader: Reader, before: readonly Condition[]): boolean {
  const last = before.at(-1)
  return last !== undefined && isTypeToken(last) && last.span.end === reader.pos
}

function isTypeToken(condition: Condition): boolean {
  return condition.kind === 'types' || (condition.kind === 'region' && condition.written === '.sys')
}
