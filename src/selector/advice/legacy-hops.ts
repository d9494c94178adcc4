// The old form of a position, a list of hops: `(d1, seg, cont[offset=0], *:block)` (001 §3.8). Each hop went one level
// down, so the list is a coordinate as far as it names offsets, and a chain of `>` from there on.

import type { Span } from '../ast.js'
import { CLASS_NAMES, OFFSET_SIGNS } from './legacy-token.js'
import { SELECTOR_LIMITS } from '../limits.js'
import { Reader } from '../parse/reader.js'

export type Hop = Readonly<{ text: string; span: Span; isLegacy: boolean }>

/** The hops of a parenthesis, and its end. */
export type HopList = Readonly<{ hops: readonly Hop[]; end: number }>

const LEGACY = /^(?:(?:seg|cont|block)(?:$|\s*[[{])|c@|\*@[+-]|\*:(?:seg|cont|block|mt|mc|cb)(?![\w:-]))/
const ANY_OF_CLASS = /^\*:(?:seg|cont|block|mt|mc|cb)(?![\w:-])/
const DEPTH = /^(?:d[+-]?\d+(?:\.\.d?[+-]?\d+)?|depth\(\s*[+-]?\d+\s*\))$/
const OFFSET = /^(?:-?\d+|c@\d+|cont\s*\[\s*offset\s*=\s*-?\d+\s*\])$/
const INTEGER_ONLY = /^-?\d+$/
const SENTINEL = /^(?:|end|[+-]?\d+)$/
/** The longest hop that a pattern is tried on. */
const MAX_HOP = 200

/**
 * Splits the parenthesis that opens here at its commas; undefined where it holds other parentheses than one `depth(…)`, or
 * is never closed. The scan stops at the second inner parenthesis, so that the total work stays linear.
 */
export function splitHops(reader: Reader, start: number): HopList | undefined {
  const cuts = [start]
  let brackets = 0
  let calls = 0
  let isInCall = false
  for (let at = start + 1; ; at++) {
    const char = reader.charAt(at)
    if (char === '') return undefined
    if (char === '(') {
      if (++calls > 1 || reader.slice(at - 5, at) !== 'depth') return undefined
      isInCall = true
    } else if (char === ')') {
      if (!isInCall) return hopsBetween(reader.text, [...cuts, at])
      isInCall = false
    } else if (char === '[' || char === '{') brackets++
    else if (char === ']' || char === '}') brackets--
    else if (char === ',' && brackets === 0) cuts.push(at)
    else if (char === "'" || char === '"') at = quoteEnd(reader, at) - 1
  }
}

/** Behind the quote that closes the one here; the end of the text where none does. */
export function quoteEnd(reader: Reader, start: number): number {
  const quote = reader.charAt(start)
  for (let at = start + 1; ; at++) {
    const char = reader.charAt(at)
    if (char === '') return at
    if (char === quote) return at + 1
    if (char === '\\' && reader.charAt(at + 1) !== '') at++
  }
}

/** The end of the bracket that opens here; quotes and inner brackets are skipped. */
export function bracketEnd(reader: Reader, start: number): number {
  let open = 0
  for (let at = start; ; at++) {
    const char = reader.charAt(at)
    if (char === '') return at
    if (char === "'" || char === '"') at = quoteEnd(reader, at) - 1
    else if ('[{('.includes(char)) open++
    else if (']})'.includes(char) && --open === 0) return at + 1
  }
}

/** True for a list of hops without old tokens: it starts with a bare depth and names more (D44). */
export function isPositionForm([first, ...rest]: readonly string[]): boolean {
  return DEPTH.test(first!) && rest.some((hop) => !DEPTH.test(hop) && !OFFSET.test(hop))
}

/** Writes a list of hops as a chain; undefined for a position, and for hops that the recipe does not cover. */
export function hopsToChain(hops: readonly string[]): string | undefined {
  const [first = '', ...rest] = hops
  if (!DEPTH.test(first)) return joinSteps(hops)
  const offsets: string[] = []
  let filter = ''
  let used = 0
  for (const hop of rest) {
    if (offsets.length === 0 && filter === '' && /^seg(?:$|\s*[[{])/.test(hop)) filter = hop.slice(3).trim()
    else if (OFFSET.test(hop) && filter === '') offsets.push(offsetOf(hop))
    else break
    used++
  }
  const depth = first.replace(/^depth\(\s*([+-]?\d+)\s*\)$/, 'd$1')
  const coordinate = `(${[depth, ...offsets].join(', ')})${filter}`
  if (used === rest.length) return coordinate
  const steps = joinSteps(rest.slice(used))
  if (steps === undefined) return undefined
  // `(d1, *:block)` asks for the same as `(d1, .block)`: all blocks of the turn, its messages too.
  const isScope = offsets.length === 0 && filter === '' && ANY_OF_CLASS.test(rest[used]!)
  return isScope ? `${depth} ${steps}` : `${coordinate} > ${steps}`
}

/** Writes `within(scope, step)` as `scope step`, and `within(scope)` as its scope; undefined for other lists. */
export function withinToChain([scope = '', ...rest]: readonly string[]): string | undefined {
  const start = DEPTH.test(scope) || scope.startsWith('^') ? scope : hopToStep(scope)
  const step = joinSteps(rest)
  if (start === undefined || step === undefined || rest.length > 1) return undefined
  return step === '' ? start : `${start} ${asStep(step)}`
}

/** A depth scopes the hops behind it: the messages of a turn are in its core, which the older drafts did not count. */
export function positionToChain(hops: readonly string[]): string | undefined {
  const [depth, second, ...rest] = hops
  if (second === undefined || INTEGER_ONLY.test(second)) return hopsToChain(hops)
  const step = hopToStep(second)
  const steps = joinSteps(rest)
  if (step === undefined || steps === undefined) return undefined
  return `${depth} ${asStep(step)}${steps === '' ? '' : ` > ${steps}`}`
}

/** A step of its own: behind a space a bare filter would join the step on its left (D22). */
function asStep(step: string): string {
  return /^[[{+]/.test(step) ? `*${step}` : step
}

/**
 * Rewrites the documents' forms of a position (001 §3.9) to ours (D19): `(d0, seg, cont[offset=0], end)` to `(d0, 0, end)`.
 * Undefined for any other text.
 */
export function rewritePosition(text: string): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('(') || trimmed.length > SELECTOR_LIMITS.text) return undefined
  const { hops, end } = splitHops(new Reader(trimmed, '1.0'), 0) ?? { hops: [], end: 0 }
  if (end !== trimmed.length || !hops.some(({ isLegacy }) => isLegacy)) return undefined
  const [first, ...between] = hops.map(({ text }) => text)
  const sentinel = between.pop()
  const depth = /^(?:d|depth\(\s*)([+-]?\d+)(?:\s*\))?$/.exec(first!)?.[1]
  const offsets = between[0] === 'seg' ? between.slice(1) : between
  if (depth === undefined || sentinel === undefined || !SENTINEL.test(sentinel)) return undefined
  if (!offsets.every((hop) => OFFSET.test(hop))) return undefined
  const numbers = offsets.map(offsetOf)
  return `(${[`d${depth}`, ...numbers].join(', ')},${sentinel === '' ? '' : ` ${sentinel}`})`
}

function joinSteps(hops: readonly string[]): string | undefined {
  const steps = hops.map(hopToStep)
  return steps.includes(undefined) ? undefined : steps.join(' > ')
}

function offsetOf(hop: string): string {
  return /-?\d+/.exec(hop)![0]
}

function hopToStep(hop: string): string | undefined {
  // The fallback binds looser than a chain, so no hop can hold one.
  if (hop.includes('??')) return undefined
  if (INTEGER_ONLY.test(hop)) return `*[offset=${hop}]`
  const offset = /^c@(\d+)$/.exec(hop)?.[1]
  if (offset !== undefined) return `.cont[offset=${offset}]`
  const sign = OFFSET_SIGNS.get(hop)
  if (sign !== undefined) return sign
  const name = CLASS_NAMES.find((each) => hop.startsWith(`*:${each}`))
  if (name !== undefined) return hop.slice(1).replace(':', '.')
  if (/^(?:seg|cont|block)(?:$|\s*[[{])/.test(hop)) return `.${hop}`
  return /^(?:[.#*[{:]|\+\D)/.test(hop) ? hop : undefined
}

function hopsBetween(text: string, cuts: readonly number[]): HopList | undefined {
  const hops: Hop[] = []
  for (let i = 1; i < cuts.length; i++) {
    const piece = text.slice(cuts[i - 1]! + 1, cuts[i])
    const hop = piece.trim()
    if (hop.length > MAX_HOP) return undefined
    const start = cuts[i - 1]! + 1 + (piece.length - piece.trimStart().length)
    hops.push({ text: hop, span: { start, end: start + hop.length }, isLegacy: LEGACY.test(hop) })
  }
  return { hops, end: cuts.at(-1)! + 1 }
}
