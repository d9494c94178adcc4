// The old form of a position, a list of hops: `(d1, seg, cont[offset=0], *:block)` (001 §3.8). Each hop went one level
// down, so the list is a coordinate as far as it names offsets, and a chain of `>` from there on.

import type { Span } from './ast.js'
import { CLASS_NAMES } from './legacy-token.js'
import type { Reader } from './scan.js'

export type Hop = Readonly<{ text: string; span: Span; isLegacy: boolean; listEnd: number }>

const LEGACY = /^(?:(?:seg|cont|block)(?:$|\s*[[{])|c@|\*@[+-]|\*:(?:seg|cont|block|mt|mc|cb)(?![\w:-]))/
const DEPTH = /^(?:d[+-]?\d+(?:\.\.d?[+-]?\d+)?|depth\(\s*[+-]?\d+\s*\))$/
const OFFSET = /^(?:-?\d+|c@\d+|cont\s*\[\s*offset\s*=\s*-?\d+\s*\])$/
const INTEGER = /-?\d+/
/** No hop is longer, so that no pattern looks at more. */
const MAX_HOP = 200

/**
 * Splits the parenthesis that opens here at its commas; undefined where it holds other parentheses than one `depth(…)`, or
 * is never closed. It stops at the second parenthesis inside, so that looking from each one stays linear.
 */
export function splitHops(reader: Reader, start: number): readonly Hop[] | undefined {
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

/** Behind the bracket that closes the one here, whatever stands inside in quotes or in brackets. */
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

/** Writes a list of hops as a chain; undefined where it is a place to insert at, or holds what no recipe covers. */
export function hopsToChain(hops: readonly string[]): string | undefined {
  const [first, ...rest] = hops
  if (first === undefined) return undefined
  if (!DEPTH.test(first)) return joinSteps(hops)
  const offsets: string[] = []
  let filter = ''
  let used = 0
  for (const hop of rest) {
    if (offsets.length === 0 && filter === '' && /^seg(?:$|\s*[[{])/.test(hop)) filter = hop.slice(3).trim()
    else if (OFFSET.test(hop) && filter === '') offsets.push(INTEGER.exec(hop.replace('c@', ''))![0])
    else break
    used++
  }
  const depth = first.replace(/^depth\(\s*([+-]?\d+)\s*\)$/, 'd$1')
  const coordinate = `(${[depth, ...offsets].join(', ')})${filter}`
  if (used === rest.length) return coordinate
  const steps = joinSteps(rest.slice(used))
  return steps === undefined ? undefined : `${coordinate} > ${steps}`
}

function joinSteps(hops: readonly string[]): string | undefined {
  const steps = hops.map(hopToStep)
  return steps.includes(undefined) ? undefined : steps.join(' > ')
}

function hopToStep(hop: string): string | undefined {
  if (/^-?\d+$/.test(hop)) return `*[offset=${hop}]`
  const offset = /^c@(\d+)$/.exec(hop)?.[1]
  if (offset !== undefined) return `.cont[offset=${offset}]`
  if (hop === '*@+') return '*[offset>0]'
  if (hop === '*@-') return '*[offset<0]'
  const name = CLASS_NAMES.find((each) => hop.startsWith(`*:${each}`))
  if (name !== undefined) return hop.slice(1).replace(':', '.')
  if (/^(?:seg|cont|block)(?:$|\s*[[{])/.test(hop)) return `.${hop}`
  return /^[.#*[{]/.test(hop) ? hop : undefined
}

function hopsBetween(text: string, cuts: readonly number[]): readonly Hop[] | undefined {
  const hops: Hop[] = []
  const listEnd = cuts.at(-1)! + 1
  for (let i = 1; i < cuts.length; i++) {
    const piece = text.slice(cuts[i - 1]! + 1, cuts[i])
    const hop = piece.trim()
    if (hop.length > MAX_HOP) return undefined
    const start = cuts[i - 1]! + 1 + (piece.length - piece.trimStart().length)
    hops.push({ text: hop, span: { start, end: start + hop.length }, isLegacy: LEGACY.test(hop), listEnd })
  }
  return hops
}
