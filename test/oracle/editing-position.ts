// A position before any tree is asked (D19): the text of a coordinate with its sentinel, or one of the two
// object forms.

import type { Zone } from './editing-tree.js'
import { OracleError } from './selector-parse.js'

export type Position =
  | string
  | { depth: number; zone?: Zone } // CHOICE 1: `zone` may be in the position too, since a move has no header
  | { parent: string; offset?: number; zone?: Zone }

export type Sentinel = { kind: 'start' } | { kind: 'end' } | { kind: 'after' | 'before'; n: number }

/** `offset` and `sentinel` are never both there. Without a container's `parent` id, `hops` lead down from a depth. */
export type ParsedPosition =
  | { kind: 'depth'; depth: number; zone: Zone | undefined }
  | { kind: 'parent'; parent: string; offset: number | undefined; zone: Zone | undefined }
  | {
      kind: 'coordinate'
      depth: number
      hops: number[]
      offset: number | undefined
      sentinel: Sentinel | undefined
    }

export function parsePosition(position: Position): ParsedPosition {
  if (typeof position === 'string') return parseCoordinate(position)
  if ('depth' in position) return { kind: 'depth', depth: checkDepth(position.depth), zone: position.zone }
  const { parent, offset, zone } = position
  if (offset !== undefined && !Number.isSafeInteger(offset)) throw new OracleError('E_PLACEMENT_INVALID')
  return { kind: 'parent', parent, offset, zone }
}

/**
 * `(d2, end)`, `(d0, 0, +1)`, `(d2,)`, `(d2, 5)`.
 * CHOICE 2: a text that is no position is E_PLACEMENT_INVALID, not E_SELECTOR_INVALID; positions are alike in both
 * dialects. CHOICE 3: `(dK)` alone is `{ parent: the container at K }`, so that a negative offset in the header has a
 * position to go with.
 */
function parseCoordinate(text: string): ParsedPosition {
  const parts = /^\s*\(\s*d([+-]?\d+)\s*((?:,[^,()]*)*)\)\s*$/.exec(text)
  if (parts === null) throw new OracleError('E_PLACEMENT_INVALID', text)
  const depth = checkDepth(Number(parts[1]))
  const words = parts[2]!
    .split(',')
    .slice(1)
    .map((word) => word.trim())
  const last = words.pop()
  const hops = words.map((word) => {
    if (!/^[+-]?\d+$/.test(word)) throw new OracleError('E_PLACEMENT_INVALID', text)
    return Number(word)
  })
  const found = { kind: 'coordinate' as const, depth, hops, offset: undefined, sentinel: undefined }
  if (last === undefined) return found
  if (last === '') return { ...found, sentinel: { kind: 'start' } }
  if (last === 'end') return { ...found, sentinel: { kind: 'end' } }
  if (/^\d+$/.test(last)) return { ...found, offset: Number(last) }
  if (!/^[+-]\d+$/.test(last) || Number(last) === 0) throw new OracleError('E_PLACEMENT_INVALID', text)
  const n = Math.abs(Number(last))
  return { ...found, sentinel: { kind: last.startsWith('+') ? 'after' : 'before', n } }
}

function checkDepth(depth: number): number {
  if (!Number.isSafeInteger(depth) || depth < -1) throw new OracleError('E_DEPTH_INVALID')
  return depth
}
