// The parsed form of a position, before any tree is read (D19): the text of a coordinate with its sentinel, or an object.

import { describe, PactError, short } from '../errors/index.js'
import type { Zone } from '../core/index.js'
import { rewritePosition } from '../selector/index.js'
import { checkZone } from './zone.js'

/**
 * The destination of nodes: `'(d2, end)'`, `'(d0, 0, +1)'`, `'(d2,)'`, `'(d2, 5)'`; a depth, at which history gets a new segment
 * if it is above 0; or a parent by its id.
 */
export type Position =
  | string
  | Readonly<{ depth: number; zone?: Zone | undefined; parent?: never; offset?: never }>
  | Readonly<{ parent: string; offset?: number | undefined; zone?: Zone | undefined; depth?: never }>

/** A gap between children, which are counted from 1. */
export type Sentinel = Readonly<{ kind: 'start' } | { kind: 'end' } | { kind: 'after' | 'before'; n: number }>

export type ParsedPosition =
  | Readonly<{ kind: 'depth'; depth: number; zone: Zone | undefined }>
  | Readonly<{ kind: 'parent'; parent: string; offset: number | undefined; zone: Zone | undefined }>
  | Readonly<{
      kind: 'coordinate'
      depth: number
      /** The offsets that lead down to the container. */
      hops: readonly number[]
      /** Never together with a sentinel. */
      offset: number | undefined
      sentinel: Sentinel | undefined
    }>

/** Parses a position; an error says how to write it. */
export function parsePosition(position: unknown): ParsedPosition {
  if (typeof position === 'string') return parseCoordinate(position)
  if (typeof position !== 'object' || position === null) {
    throw invalid(`A position is text such as '(d2, end)', or { depth } or { parent }, not ${describe(position)}.`)
  }
  const given: Readonly<Record<string, unknown>> = { ...position }
  const { depth, parent, offset, zone } = given
  const known = depth === undefined ? PARENT_NAMES : DEPTH_NAMES
  for (const name of Object.keys(given)) {
    if (known.includes(name) || given[name] === undefined) continue
    throw invalid(`A position has ${known.join(', ')}, and no "${short(name)}".`, { name })
  }
  if (depth !== undefined) return { kind: 'depth', depth: checkDepth(depth), zone: checkZone(zone) }
  if (typeof parent !== 'string') throw invalid('A position without a depth names a parent by its id.')
  if (offset !== undefined && !Number.isSafeInteger(offset)) {
    throw invalid(`An offset is an integer, not ${describe(offset)}.`, { name: 'offset' })
  }
  return { kind: 'parent', parent, offset: offset === 0 ? 0 : (offset as number | undefined), zone: checkZone(zone) }
}

const DEPTH_NAMES: readonly string[] = ['depth', 'zone']
const PARENT_NAMES: readonly string[] = ['parent', 'offset', 'zone']

function parseCoordinate(text: string): ParsedPosition {
  const trimmed = text.trim()
  if (!trimmed.startsWith('(') || !trimmed.endsWith(')')) throw badText(text, 'it is in parentheses')
  const [anchor, ...words] = trimmed
    .slice(1, -1)
    .split(',')
    .map((word) => word.trim())
  if (!/^d[+-]?\d+$/.test(anchor!)) throw badText(text, 'it begins with a depth such as d0 or d2')
  const depth = checkDepth(Number(anchor!.slice(1)))
  const last = words.pop()
  const hops = words.map((word) => {
    if (/^[+-]?\d+$/.test(word) && Number.isSafeInteger(Number(word))) return Number(word) + 0
    throw badText(text, `"${word}" is no offset`)
  })
  const found = { kind: 'coordinate', depth, hops, offset: undefined, sentinel: undefined } as const
  if (last === undefined) return found
  if (last === '') return { ...found, sentinel: { kind: 'start' } }
  if (last === 'end') return { ...found, sentinel: { kind: 'end' } }
  if (!/^[+-]?\d+$/.test(last) || !Number.isSafeInteger(Number(last))) {
    throw badText(text, 'it ends in an offset, a comma, end, +N or -N')
  }
  if (/^\d/.test(last)) return { ...found, offset: Number(last) }
  const n = Math.abs(Number(last))
  if (n === 0) throw badText(text, 'children are counted from 1')
  return { ...found, sentinel: { kind: last.startsWith('+') ? 'after' : 'before', n } }
}

function checkDepth(depth: unknown): number {
  if (typeof depth === 'number' && Number.isSafeInteger(depth) && depth >= -1) return depth
  const message = `A depth is a whole number: -1 for ^sys, 0 for the active head, 1 and up for history, not ${describe(depth)}.`
  throw new PactError('E_DEPTH_INVALID', message, { depth })
}

function badText(text: string, rule: string): PactError {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)
  const suggestion = rewritePosition(text)
  if (suggestion !== undefined) {
    const message = `${shown} is a position of an older draft. Write: ${suggestion}`
    return new PactError('E_SELECTOR_LEGACY', message, { pos: 0, token: text, selector: text, suggestion })
  }
  return invalid(`${shown} is no position: ${rule}. Write '(d2, end)', '(d0, 0, +1)', '(d2,)' or '(d2, 5)'.`, {
    token: text,
  })
}

function invalid(message: string, details: Readonly<Record<string, unknown>> = {}): PactError {
  return new PactError('E_PLACEMENT_INVALID', message, details)
}
