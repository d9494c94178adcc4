// Rows of the request: its items in order, with the first difference, removed items and cache breakpoints between them.

import type { PrefixAnswer } from '../../api/index.js'
import type { At } from '../state/link.js'
import type { Fragment } from '../words/request.js'
import type { Request } from './use-request.js'

export type RequestRow = Readonly<{ key: string }> &
  (
    | Readonly<{ kind: 'item'; node: string | null; fragment: Fragment; isSame: boolean }>
    | Readonly<{ kind: 'difference'; prefix: PrefixAnswer; byte: number; lost: number }>
    | Readonly<{ kind: 'new'; byte: number; from: At }>
    | Readonly<{ kind: 'left'; id: string; cause: string; item: number; from: At }>
    | Readonly<{ kind: 'breakpoint'; byte: number; tokens: number; isReadable: boolean; isFirst: boolean }>
  )

export function requestRows({ now, last, prefix, changes, from }: Request): readonly RequestRow[] {
  if (now === undefined) return []
  const { list, tokens } = now.cut
  const shared = prefix?.bytes ?? 0
  const first = prefix === undefined ? -1 : list.findIndex(({ plainEnd }) => plainEnd > shared)
  const left =
    from === null || last === undefined ? new Map<string, RequestRow[]>() : leftAfter(list, last.list, changes, from)
  // A call and its repaired result may be one node in two places.
  const lastPlace = new Map(list.map(({ node }, i) => [node, i]))
  const rows: RequestRow[] = []
  const waiting: RequestRow[] = []
  for (const [i, fragment] of list.entries()) {
    if (i === first && prefix !== undefined && from !== null) {
      // Offsets are those of the bytes in view, which may have params and marks that a prefix does not count.
      const byte = now.isSent ? fragment.start : (prefix.first?.byte ?? shared)
      if (prefix.first === undefined) rows.push({ kind: 'new', key: 'new', byte, from })
      else rows.push({ kind: 'difference', key: 'difference', prefix, byte, lost: tokens - prefix.tokens })
    }
    if (i === 0) rows.push(...(left.get('') ?? []))
    rows.push(...waiting.splice(0))
    rows.push({
      kind: 'item',
      key: `${i} ${fragment.node}`,
      node: fragment.node,
      fragment,
      isSame: first < 0 ? prefix !== undefined : i < first,
    })
    const mark = fragment.breakpoint
    if (mark !== undefined) {
      const tokensThere = fragment.tokensBefore + fragment.tokens
      const isReadable = prefix !== undefined && mark.byte <= shared
      rows.push({
        kind: 'breakpoint',
        key: `mark ${mark.byte}`,
        byte: now.isSent ? fragment.end : mark.byte,
        tokens: tokensThere,
        isReadable,
        isFirst: from === null,
      })
    }
    if (fragment.node === null || i !== lastPlace.get(fragment.node)) continue
    // Items missing at the first difference come after the line that names it.
    if (i + 1 === first) waiting.push(...(left.get(fragment.node) ?? []))
    else rows.push(...(left.get(fragment.node) ?? []))
  }
  return rows
}

/** Items that only the previous request had, by the item they followed. */
function leftAfter(
  now: readonly Fragment[],
  last: readonly Fragment[],
  changes: Request['changes'],
  from: At,
): Map<string, RequestRow[]> {
  const here = new Set(now.map(({ node }) => node))
  const causes = new Map<string, string>()
  for (const { mark, id, old, cause } of changes?.rows ?? []) {
    if (mark === '-') causes.set(id, cause)
    if (old !== undefined) causes.set(old, cause)
  }
  const found = new Map<string, RequestRow[]>()
  const told = new Set<string>()
  let anchor = ''
  for (const { node, item } of last) {
    if (node === null) continue
    if (here.has(node)) anchor = node
    else if (!told.has(node)) {
      told.add(node)
      const row: RequestRow = {
        kind: 'left',
        key: `left ${node}`,
        id: node,
        cause: causes.get(node) ?? 'left',
        item,
        from,
      }
      found.set(anchor, [...(found.get(anchor) ?? []), row])
    }
  }
  return found
}
