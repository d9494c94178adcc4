// The text of a selector, in either dialect, to a plain tree of what it says (000 §4, 001 §4; D1, D2, D7, D9–D11, D15–D18,
// D21–D23, D44, D53). A recursive descent over the characters, one function per rule, no tokens and no recovery: the first fault
// throws its code. Nothing here knows a node.

import type { Literal, Operator } from './selector-values.js'

export type Dialect = '1.0' | '0.1'
export type Side = 'pre' | 'core' | 'post'
export type Region = '^root' | '^sys' | '^seq' | '^ah'

/** One question put to one node, or (`position`) to a set of nodes. */
export type Condition =
  | { kind: 'region'; region: Region } //                                                       ^ah
  | { kind: 'type'; name: string } //                                                           .block:note
  | { kind: 'handle'; text: string } //                                                         #x: key in 1.0, id in 0.1
  | { kind: 'tag'; tag: string } //                                                             +audit
  | { kind: 'present'; name: string } //                                                        [role]
  | { kind: 'behavior'; name: 'ephemeral' | 'sticky' } //                                       [sticky]
  | { kind: 'compare'; name: string; operator: Operator; literals: Literal[]; list: boolean } // [ttl<=1], {x in [1,2]}
  | { kind: 'side'; side: Side } //                                                             .cb:pre
  | { kind: 'depth'; ranges: { from: bigint; to: bigint }[] } //                                :depth(1,3-5)
  | { kind: 'position'; nth: bigint | 'last' } //                                               :first is nth 1

/** Where the nodes of a step come from, before its conditions. */
export type Source =
  | { kind: 'reached' } //                                          what the combinator reaches
  | { kind: 'zone'; side: Side } //                                 a step that begins with :pre (D13)
  | { kind: 'depth'; from: bigint; to: bigint } //                  d1..d3 (D11)
  | { kind: 'coordinate'; depth: bigint; offsets: bigint[] } //     (d1, 0, 2) (D17)
  | { kind: 'selector'; body: Body } //                             ( .a, .b )

export type Step = { reach: 'first' | 'descendant' | 'child'; source: Source; conditions: Condition[] }
export type Group = Step[]
export type Union = Group[]
/** `A ?? B ?? C` */
export type Body = Union[]

/** `@t-2` is { t: -2n }, `@t-*` is { t: 'oldest' }, `@c7` is { c: 7n }. */
export type TimePoint = { kind: 't'; value: bigint | 'oldest' } | { kind: 'c'; value: bigint }
export type Time =
  | { kind: 'point'; point: TimePoint }
  | { kind: 'range'; from: TimePoint; to: TimePoint }
  | { kind: 'all' | 'working' | 'preview' }

export type Control = { name: string; value: string | undefined }
export type Selector = { time: Time | undefined; body: Body; controls: Control[] }

/** A selector that is no selector, with the code the decisions give it. */
export class OracleError extends Error {
  readonly code: string

  constructor(code: string, message: string = code) {
    super(message)
    this.name = 'OracleError'
    this.code = code
  }
}

/** The meaning of the text, or an OracleError. Also checks what needs the whole text: facets (D9) and `@mode` (D23). */
export function parseOracleSelector(text: string, dialect: Dialect): Selector {
  const reader = new Reader(text, dialect)
  const selector = readSelector(reader)
  if (
    reader.usesFacet &&
    !(selector.time?.kind === 'point' || selector.time?.kind === 'range' || selector.time?.kind === 'all')
  ) {
    throw new OracleError('E_SELECTOR_INVALID', 'A facet needs a time prefix that names snapshots (D9).')
  }
  for (const control of selector.controls) checkControl(control, selector.time)
  return selector
}

const FACETS = new Set(['age', 'born_turn', 'depth'])

class Reader {
  readonly text: string
  readonly dialect: Dialect
  at = 0
  usesFacet = false

  constructor(text: string, dialect: Dialect) {
    this.text = text
    this.dialect = dialect
  }

  get new(): boolean {
    return this.dialect === '1.0'
  }

  get ended(): boolean {
    return this.at >= this.text.length
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.at)
  }

  seesMatch(pattern: RegExp): boolean {
    return new RegExp(pattern.source, 'y').test(this.text.slice(this.at))
  }

  /** Takes the pattern if it is at this position, and returns its groups. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    const match = new RegExp(pattern.source, 'y').exec(this.text.slice(this.at))
    if (match === null) return undefined
    this.at += match[0].length
    return match
  }

  takeText(text: string): boolean {
    if (!this.sees(text)) return false
    this.at += text.length
    return true
  }

  expect(text: string): void {
    if (!this.takeText(text)) this.fail(`"${text}" expected`)
  }

  space(): boolean {
    return this.take(/[ \t\r\n]+/) !== undefined
  }

  fail(message: string, code = 'E_SELECTOR_INVALID'): never {
    throw new OracleError(code, `${message} at ${this.at} of ${JSON.stringify(this.text)}`)
  }
}

function readSelector(reader: Reader): Selector {
  reader.space()
  const time = reader.sees('@') ? readTime(reader) : undefined
  reader.space()
  if (reader.sees('??')) {
    const legacy = reader.new && reader.seesMatch(/\?\?[ \t\r\n]*\{/)
    reader.fail('A leading ??', legacy ? 'E_SELECTOR_LEGACY' : 'E_SELECTOR_INVALID')
  }
  const body = readBody(reader)
  const controls = readTail(reader, body)
  return { time, body, controls }
}

// ---------------------------------------------------------------------------------------------------------------- time

function readTime(reader: Reader): Time {
  const first = readTimeAtom(reader)
  if (!reader.seesMatch(/\.\.|:/)) {
    if (first === 'history')
      return { kind: 'range', from: { kind: 't', value: 0n }, to: { kind: 't', value: 'oldest' } }
    if (typeof first === 'string') return { kind: first }
    return { kind: 'point', point: first }
  }
  reader.take(/\.\.|:/)
  if (first === 'all' || reader.seesMatch(/@?\*/)) {
    reader.fail('@* is no endpoint of a range (D7)', 'E_SNAPSHOT_RANGE_WILDCARD')
  }
  if (typeof first === 'string') reader.fail(`@${first} is no endpoint of a range`)
  const second = reader.sees('@') ? readTimeAtom(reader) : readShortEndpoint(reader, first.kind)
  if (typeof second === 'string') reader.fail(`@${second} is no endpoint of a range`)
  if (first.kind !== second.kind) reader.fail('A range of two kinds (D7)', 'E_SNAPSHOT_RANGE_KIND_MISMATCH')
  return { kind: 'range', from: first, to: second }
}

function readTimeAtom(reader: Reader): TimePoint | 'all' | 'working' | 'preview' | 'history' {
  if (reader.takeText('@*')) return 'all'
  if (reader.takeText('@t-*')) return { kind: 't', value: 'oldest' }
  const word = reader.take(/@(working|preview|history)(?![A-Za-z0-9_=-])/)
  if (word !== undefined) return word[1] as 'working' | 'preview' | 'history'
  const turn = reader.take(/@t([+-]?\d+)(?![A-Za-z0-9_])/)
  if (turn !== undefined) return { kind: 't', value: wholeNumber(turn[1]!) }
  const cycle = reader.take(/@c(\d+)(?![A-Za-z0-9_])/)
  if (cycle !== undefined) return { kind: 'c', value: BigInt(cycle[1]!) }
  return reader.fail('No time prefix')
}

function readShortEndpoint(reader: Reader, kind: 't' | 'c'): TimePoint {
  if (kind === 't' && reader.takeText('-*')) return { kind: 't', value: 'oldest' }
  const number = reader.take(kind === 't' ? /[+-]?\d+(?![A-Za-z0-9_])/ : /\d+(?![A-Za-z0-9_])/)
  if (number === undefined) reader.fail('No endpoint of a range')
  return { kind, value: wholeNumber(number[0]) }
}

function wholeNumber(text: string): bigint {
  return BigInt(text.replace('+', ''))
}

// ------------------------------------------------------------------------------------------------- groups and chains

function readBody(reader: Reader): Body {
  const unions = [readUnion(reader)]
  while (reader.sees('??')) {
    if (!reader.new) reader.fail('?? belongs to dialect 1.0 (D1)')
    reader.takeText('??')
    unions.push(readUnion(reader))
  }
  return unions
}

function readUnion(reader: Reader): Union {
  const groups = [readGroup(reader)]
  while (reader.takeText(',')) groups.push(readGroup(reader))
  return groups
}

function readGroup(reader: Reader): Group {
  const steps: Group = []
  let child = false
  for (;;) {
    const spaced = reader.space()
    if (reader.ended || reader.seesMatch(/[,)?@]/)) break
    const last = steps.at(-1)
    if (reader.sees('>')) {
      if (last === undefined || child) reader.fail('> without a step to its left')
      reader.takeText('>')
      child = true
    } else if (last !== undefined && !child && reader.new && reader.seesMatch(/[[{+]/)) {
      readConditions(reader, last) // D22: after a space too, they filter the step to their left
    } else {
      if (last !== undefined && !child && !spaced) reader.fail('A combinator expected')
      steps.push(readStep(reader, last === undefined ? 'first' : child ? 'child' : 'descendant'))
      child = false
    }
  }
  if (child) reader.fail('> without a step to its right')
  if (steps.length === 0) reader.fail('A step expected')
  return steps
}

function readStep(reader: Reader, reach: Step['reach']): Step {
  const step: Step = { reach, source: { kind: 'reached' }, conditions: [] }
  if (reader.sees('^')) {
    const region = reader.take(/\^(?:sys|seq|ah|root)(?![A-Za-z0-9_-])/)
    if (region === undefined) reader.fail('An unknown root')
    step.conditions.push({ kind: 'region', region: region[0] as Region })
  } else if (reader.sees('*')) {
    if (reader.seesMatch(/\*@[+-]|\*:block(?![A-Za-z0-9_-])/)) reader.fail('A legacy hop', 'E_SELECTOR_LEGACY')
    reader.takeText('*')
  } else if (reader.seesMatch(/:(?:pre|core|post)(?![A-Za-z0-9_-])/)) {
    step.source = { kind: 'zone', side: reader.take(/:(pre|core|post)/)![1] as Side }
  } else if (reader.sees('(')) {
    if (!reader.new) reader.fail('Parentheses belong to dialect 1.0 (D1)')
    if (reach !== 'first') reader.fail('Parentheses come first in a chain')
    step.source = readParentheses(reader)
  } else if (reader.seesMatch(/d[+-]?\d|depth\(/) && reader.new) {
    if (reach !== 'first') reader.fail('A depth comes first in a chain (001 §4)')
    step.source = readDepth(reader)
  } else if (reader.seesMatch(/(?:seg|cont)(?![A-Za-z0-9_-])|c@|within\(/)) {
    reader.fail('A legacy hop (D18)', 'E_SELECTOR_LEGACY')
  } else if (!reader.seesMatch(/[.#+[{:]/)) {
    reader.fail('A step expected')
  }
  readConditions(reader, step)
  return step
}

/** `(d1, 0, 2)` is a coordinate; anything else in parentheses is a selector without time and controls. */
function readParentheses(reader: Reader): Source {
  const coordinate = reader.take(/\([ \t\r\n]*d([+-]?\d+)((?:[ \t\r\n]*,[ \t\r\n]*[+-]?\d+)*)[ \t\r\n]*\)/)
  if (coordinate !== undefined) {
    const offsets = coordinate[2]!.match(/[+-]?\d+/g) ?? []
    return { kind: 'coordinate', depth: checkDepth(reader, coordinate[1]!), offsets: offsets.map(wholeNumber) }
  }
  reader.expect('(')
  reader.space()
  const body = readBody(reader)
  reader.expect(')')
  const [first, ...others] = body[0]!
  if (isBareDepth(first!) && others.some((member) => !isBareDepth(member) && !isCoordinate(member))) {
    reader.fail('A position of older drafts, never a union (D44)', 'E_SELECTOR_LEGACY')
  }
  return { kind: 'selector', body }
}

function isBareDepth(group: Group): boolean {
  return group.length === 1 && group[0]!.source.kind === 'depth' && group[0]!.conditions.length === 0
}

/** A coordinate, a range of depths in parentheses, or a set of such. */
function isCoordinate(group: Group): boolean {
  const [step] = group
  if (group.length > 1 || step!.conditions.length > 0) return false
  if (step!.source.kind === 'coordinate') return true
  if (step!.source.kind !== 'selector' || step!.source.body.length > 1) return false
  return step!.source.body[0]!.every((member) => isCoordinate(member) || isBareDepth(member))
}

/** d1, d1..d3, d1..3, depth(1) */
function readDepth(reader: Reader): Source {
  const call = reader.take(/depth\([ \t\r\n]*([+-]?\d+)[ \t\r\n]*\)/)
  if (call !== undefined) {
    const depth = checkDepth(reader, call[1]!)
    return { kind: 'depth', from: depth, to: depth }
  }
  const hop = reader.take(/d([+-]?\d+)(?:\.\.d?([+-]?\d+))?(?![A-Za-z0-9_-])/)
  if (hop === undefined) reader.fail('No depth')
  const from = checkDepth(reader, hop[1]!)
  const to = hop[2] === undefined ? from : checkDepth(reader, hop[2])
  if (to < from) reader.fail('An inverted range of depths', 'E_DEPTH_INVALID')
  return { kind: 'depth', from, to }
}

function checkDepth(reader: Reader, text: string): bigint {
  const depth = wholeNumber(text)
  if (depth < -1n) reader.fail('A depth below -1', 'E_DEPTH_INVALID')
  return depth
}

// ---------------------------------------------------------------------------------------------------------- conditions

/** Everything attached to a step without a space. */
function readConditions(reader: Reader, step: Step): void {
  for (;;) {
    if (reader.sees('.')) readType(reader, step)
    else if (reader.sees('#')) step.conditions.push({ kind: 'handle', text: readHandle(reader) })
    else if (reader.sees('+')) step.conditions.push({ kind: 'tag', tag: readTag(reader) })
    else if (reader.sees('[')) step.conditions.push(...readFilter(reader, '[', ']'))
    else if (reader.sees('{')) step.conditions.push(...readFilter(reader, '{', '}'))
    else if (reader.sees(':')) step.conditions.push(readPseudo(reader))
    else return
  }
}

function readType(reader: Reader, step: Step): void {
  if (!reader.new && step.conditions.some((condition) => condition.kind === 'type')) {
    reader.fail('A second type belongs to dialect 1.0')
  }
  reader.expect('.')
  if (!reader.seesMatch(/[A-Za-z]/)) reader.fail('A type name expected')
  const name = readToken(reader)
  step.conditions.push(name === 'sys' ? { kind: 'region', region: '^sys' } : { kind: 'type', name })
  if (reader.sees('(')) {
    if (!reader.new) reader.fail('The grouped form belongs to dialect 1.0')
    step.conditions.push(...readGrouped(reader))
  }
}

function readHandle(reader: Reader): string {
  reader.expect('#')
  return reader.seesMatch(/['"]/) ? readQuoted(reader) : readToken(reader)
}

function readTag(reader: Reader): string {
  if (!reader.new) reader.fail('+tag belongs to dialect 1.0 (D1)')
  reader.expect('+')
  if (reader.seesMatch(/\d/)) reader.fail('A tag that starts with a digit is written [tag=…]')
  return reader.seesMatch(/['"]/) ? readQuoted(reader) : readToken(reader)
}

/** A name with its `:name` parts; the whole names of pseudos end it (D15). */
function readToken(reader: Reader): string {
  const start = reader.take(/[A-Za-z0-9_][A-Za-z0-9_-]*/)
  if (start === undefined) reader.fail('A name expected')
  let token = start[0]
  while (
    reader.seesMatch(/:[A-Za-z0-9_-]+/) &&
    !reader.seesMatch(/:(?:pre|core|post|first|last)(?![A-Za-z0-9_-])|:(?:depth|nth)\(/)
  ) {
    token += reader.take(/:[A-Za-z0-9_-]+/)![0]
  }
  return token
}

function readPseudo(reader: Reader): Condition {
  reader.expect(':')
  const name = reader.take(/[A-Za-z][A-Za-z0-9_-]*/)?.[0]
  switch (name) {
    case 'pre':
    case 'core':
    case 'post':
      return { kind: 'side', side: name }
    case 'first':
      return { kind: 'position', nth: 1n }
    case 'last':
      return { kind: 'position', nth: 'last' }
    case 'nth': {
      const number = reader.take(/\([ \t\r\n]*(\d+)[ \t\r\n]*\)/)
      if (number === undefined || BigInt(number[1]!) === 0n) reader.fail(':nth counts from 1 (D16)')
      return { kind: 'position', nth: BigInt(number[1]!) }
    }
    case 'depth':
      return { kind: 'depth', ranges: readDepthList(reader) }
    default:
      return reader.fail(`An unknown pseudo "${name ?? ''}"`)
  }
}

function readDepthList(reader: Reader): { from: bigint; to: bigint }[] {
  const ranges: { from: bigint; to: bigint }[] = []
  reader.expect('(')
  do {
    const range = reader.take(/[ \t\r\n]*(-?\d+)[ \t\r\n]*(?:(?:-|\.\.)[ \t\r\n]*(-?\d+)[ \t\r\n]*)?/)
    if (range === undefined) reader.fail('A depth expected (D10)')
    const from = checkDepth(reader, range[1]!)
    const to = range[2] === undefined ? from : checkDepth(reader, range[2])
    if (to < from) reader.fail('An inverted range of depths', 'E_DEPTH_INVALID')
    ranges.push({ from, to })
  } while (reader.takeText(','))
  reader.expect(')')
  return ranges
}

function readFilter(reader: Reader, open: string, close: string): Condition[] {
  const conditions: Condition[] = []
  reader.expect(open)
  do {
    reader.space()
    conditions.push(readProperty(reader))
    reader.space()
  } while (reader.takeText(','))
  reader.expect(close)
  return conditions
}

/** `.block(a='x' b=5)`: the same filters, parted by a space or a comma (001 §3.5.1). */
function readGrouped(reader: Reader): Condition[] {
  const conditions: Condition[] = []
  reader.expect('(')
  reader.space()
  for (;;) {
    conditions.push(readProperty(reader))
    const spaced = reader.space()
    const comma = reader.takeText(',')
    reader.space()
    if (!comma && reader.takeText(')')) return conditions
    if (!spaced && !comma) reader.fail('A space, a comma or ")" expected')
  }
}

function readProperty(reader: Reader): Condition {
  const plain = reader.take(/[A-Za-z_][A-Za-z0-9_-]*(?::[A-Za-z0-9_-]+)*/)?.[0]
  if (plain === undefined) reader.fail('The name of an attribute expected')
  const inside = reader.new ? (reader.take(/(?:\.[A-Za-z0-9_-]+(?::[A-Za-z0-9_-]+)*)+/)?.[0] ?? '') : '' // D53
  const name = plain + inside
  if (FACETS.has(name)) reader.usesFacet = true
  const member = reader.take(/[ \t\r\n]*in[ \t\r\n]*(?=\[)/)
  if (member !== undefined) return { kind: 'compare', name, operator: '=', literals: readList(reader), list: true }
  const operator = reader.take(/[ \t\r\n]*(!=|<=|>=|=|<|>|~)[ \t\r\n]*/)?.[1] as Operator | undefined
  if (operator === undefined) {
    return name === 'ephemeral' || name === 'sticky' ? { kind: 'behavior', name } : { kind: 'present', name }
  }
  if (!reader.sees('[')) return { kind: 'compare', name, operator, literals: [readLiteral(reader)], list: false }
  if (operator !== '=' && operator !== '!=') reader.fail('Only =, != and in take a list')
  return { kind: 'compare', name, operator, literals: readList(reader), list: true }
}

function readList(reader: Reader): Literal[] {
  const literals: Literal[] = []
  reader.expect('[')
  do {
    reader.space()
    literals.push(readLiteral(reader))
    reader.space()
  } while (reader.takeText(','))
  reader.expect(']')
  return literals
}

function readLiteral(reader: Reader): Literal {
  if (reader.seesMatch(/['"]/)) return { kind: 'string', text: readQuoted(reader) }
  const number = reader.take(/[+-]?\d+(?:\.\d+)?(?![A-Za-z0-9_.:-])/)
  if (number !== undefined) return { kind: 'number', text: number[0].replace('+', '') }
  const word = reader.take(/[A-Za-z][A-Za-z0-9_-]*(?::[A-Za-z0-9_-]+)*/)?.[0]
  if (word === undefined) reader.fail('A value expected')
  return word === 'null' || word === 'None' ? { kind: 'null', text: word } : { kind: 'string', text: word }
}

/** A backslash escapes a quote or a backslash and stands for itself before anything else. */
function readQuoted(reader: Reader): string {
  const quote = reader.take(/['"]/)![0]
  let text = ''
  for (;;) {
    if (reader.ended) reader.fail('A string without its end')
    if (reader.takeText(quote)) return text
    const escaped = reader.take(/\\(['"\\])/)
    text += escaped === undefined ? reader.take(/[^]/)![0] : escaped[1]!
  }
}

// ------------------------------------------------------------------------------------------------------------ controls

/** Controls, and in 1.0 filters of the last step among them (D22), to the end of the text. */
function readTail(reader: Reader, body: Body): Control[] {
  const controls: Control[] = []
  let spaced = /[ \t\r\n]/.test(reader.text[reader.at - 1] ?? '')
  while (!reader.ended) {
    if (reader.sees('@')) {
      if (!spaced) reader.fail('A space before a control expected')
      controls.push(readControl(reader))
    } else if (reader.new && controls.length > 0 && reader.seesMatch(/[[{+]/)) {
      readConditions(reader, body.at(-1)!.at(-1)!.at(-1)!)
    } else {
      reader.fail('The end expected')
    }
    spaced = reader.space()
  }
  return controls
}

function readControl(reader: Reader): Control {
  if (reader.takeText('@*')) return { name: '*', value: undefined }
  const name = reader.take(/@([A-Za-z][A-Za-z0-9_-]*)/)?.[1]
  if (name === undefined) reader.fail('The name of a control expected')
  if (!reader.takeText('=')) return { name, value: undefined }
  if (reader.seesMatch(/['"]/)) return { name, value: readQuoted(reader) }
  const value = reader.take(/[A-Za-z0-9_.:+-]+/)?.[0]
  if (value === undefined) reader.fail('The value of a control expected')
  return { name, value }
}

function checkControl({ name, value }: Control, time: Time | undefined): void {
  const valid: Record<string, RegExp> = {
    order: /^(?:pre|post|bfs|path|turn:asc|turn:desc)$/,
    skip: /^\d+$/,
    limit: /^\d+$/,
    mode: /^(?:pairwise|latest|union)$/,
    first: /^$/,
    unique: /^$/,
  }
  const pattern = Object.hasOwn(valid, name) ? valid[name] : undefined
  if (pattern !== undefined && !pattern.test(value ?? ''))
    throw new OracleError('E_SELECTOR_INVALID', `@${name}=${value}`)
  if (name === 'mode' && time?.kind !== 'range')
    throw new OracleError('E_SELECTOR_INVALID', '@mode without a range (D23)')
}
