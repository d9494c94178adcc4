// Two contexts of one family side by side: their changes as rows, and the common beginning of their requests.

import { compareApart, type Branched } from '../diff/index.js'
import type { Lens, NodeRecord } from '../core/index.js'
import type { Parting, SentCall } from '../thread/index.js'
import type { View } from '../timeline/index.js'
import { comparedRows, type ChangeRowsInput } from './change-rows.js'
import {
  changeOf,
  comparePrefix,
  departureOf,
  hasChanged,
  type Prefix,
  type PrefixOptions,
  type WhatHappened,
} from './prefix.js'
import type { ReportSource } from './source.js'

/** The tree of one context, its newest snapshot that both contexts have, and the call that sent the tree, if it is known. */
export type ApartSide = Branched & Readonly<{ id: string; call: SentCall | undefined }>
export type ApartSides = Readonly<{ from: ApartSide; to: ApartSide; common: number }>

/** A side of a comparison; `common` is the newest cycle that both contexts have, 0 if there is none. */
export function apartSide({ trees }: ReportSource, id: string, lens: Lens, common: number): ApartSide {
  const call = trees.callOf(lens)
  if (common === 0) return { id, view: trees.still(lens), base: undefined, call }
  const [base, view] = trees.pair(`@c${common}`, lens)
  return { id, view, base, call }
}

/** The changes from a tree of another context, as `changeRows` gives those of one context. */
export function changesApart(
  { from, to, common }: ApartSides,
  input: ChangeRowsInput,
): ReturnType<typeof comparedRows> & Readonly<{ common: number }> {
  const apart = compareApart(from, to)
  const rows = comparedRows(from.view, to.view, input, {
    isForward: true,
    gained: apart.onlyTo,
    lost: apart.onlyFrom,
    changed: apart.changed,
    arrival: apart.reasonOfOnlyTo,
    leaving: apart.reasonOfOnlyFrom,
    reason: apart.reasonOf,
    mayPair: apart.isShared,
  })
  return { ...rows, common }
}

/** The common beginning of two requests, one of each context. */
export function prefixApart(
  source: ReportSource,
  { from, to, common }: ApartSides,
  options: PrefixOptions,
): Prefix & Readonly<{ sizes: Readonly<{ a: number; b: number }>; common: number }> {
  const what = (parting: Parting): WhatHappened => whatHappened(parting, { from, to, common })
  const { prefix, sizes } = comparePrefix(from, to, source, options, what)
  return { ...prefix, sizes: { a: sizes.earlier, b: sizes.later }, common }
}

/** The node at the parting, and what one of the two contexts did with it. */
function whatHappened({ earlier, later }: Parting, { from, to, common }: ApartSides): WhatHappened {
  const isShared = (record: NodeRecord | undefined): boolean => record !== undefined && record.cycle <= common
  const [old, next] = [earlier?.node, later?.node]
  const did = ({ id, view, base }: ApartSide, node: string | undefined): WhatHappened | undefined => {
    if (node === undefined || base === undefined || !isShared(base.find(node))) return undefined
    if (!hasChanged(node, base, view)) return undefined
    const now = view.find(node)
    const words = now === undefined ? departureOf(node, base, view) : changeOf(base.find(node)!, now)
    return { node, cause: `${node} ${words} of ${id}` }
  }
  const known = did(to, old) ?? did(from, old) ?? did(to, next) ?? did(from, next)
  if (known !== undefined) return known
  const [side, node] = next === undefined ? [from, old] : [to, next]
  const record = node === undefined ? undefined : side.view.find(node)
  if (node === undefined || record === undefined) {
    return { node: rootOf(to.view), cause: 'the part before the first node differs' }
  }
  return { node, cause: `${node} came in cycle ${record.cycle} of ${side.id}` }
}

function rootOf({ tree }: View): string {
  return tree.root.id
}
