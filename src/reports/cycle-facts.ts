// The figures of one cycle: the size of its thread and its parts, the changes and their causes, and the prefix that it shares with the
// cycle before. For lists of cycles and for timelines.

import type { Cause, Lens, NodeRecord, Receipt } from '../core/index.js'
import { createdAtIso, isErased } from '../timeline/index.js'
import { loggedChanges } from '../diff/index.js'
import { byteLengthOf } from '../thread/index.js'
import { PartTokens, type PartRun } from './part-tokens.js'
import { tokenGroups, type Grouping, type TokenGroup } from './group-tokens.js'
import { comparePrefix, formatOf, rendererOf, type Prefix, type PrefixOptions } from './prefix.js'
import { sizeOf } from './size.js'
import type { ReportSource } from './source.js'

export type CycleFacts = Readonly<{
  cycle: number
  /** When the newest of its own nodes was made. */
  createdAt: string | undefined
  nodes: number
  /** The number of thread items, and the bytes of the rendering. */
  items: number
  bytes: number
  tokens: number
  runs: readonly PartRun[]
  /** With `by`. */
  groups?: readonly TokenGroup[]
  added: number
  removed: number
  changed: number
  causes: Readonly<Partial<Record<Cause, number>>>
  /** The number of nodes that came or changed in it and were erased since. */
  erased: number
  /** Against the cycle before it; undefined for the first. */
  prefix: Prefix | undefined
  receipt: Receipt
}>

export type FactsOptions = PrefixOptions & Readonly<{ by?: Grouping | undefined }>

/** The figures of the tree that a lens names, compared with another tree if one is given. */
export function cycleFacts(
  source: ReportSource,
  lens: Lens,
  before: Lens | undefined,
  { by, ...options }: FactsOptions = {},
): CycleFacts {
  const { trees, dialect, tokens } = source
  const [older, newer] = before === undefined ? ([undefined, trees.of(lens)] as const) : trees.pair(before, lens)
  const call = trees.callOf(lens)
  const sides =
    older &&
    ([
      { view: older, call: trees.callOf(before!) },
      { view: newer, call },
    ] as const)
  const compared = sides && comparePrefix(...sides, source, options)
  const prefix = compared?.prefix
  const alone = compared === undefined ? rendererOf(options, dialect)(newer, call) : []
  const changes = loggedChanges(older, newer)
  return Object.freeze({
    cycle: newer.cycle,
    createdAt: newestMade(changes),
    ...sizeOf(newer),
    bytes: compared?.sizes.later ?? byteLengthOf(alone),
    tokens: prefix?.total ?? tokens.rendered(newer, alone, 0, formatOf(options)).total,
    runs: tokens.reading(() => new PartTokens(newer, tokens.counts).runs(prefix?.tokens ?? 0)),
    ...(by === undefined
      ? {}
      : { groups: tokens.reading(() => tokenGroups(newer, tokens.counts, by, prefix?.tokens ?? 0)) }),
    ...countsOf(changes),
    erased: changes.filter(({ what, record }) => what !== 'removed' && isErased(record)).length,
    prefix,
    receipt: newer.receipt,
  })
}

/** The time of the newest node that came. A redacted node has the time of the node that it replaces, which is older than the commit. */
function newestMade(changes: ReturnType<typeof loggedChanges>): string | undefined {
  const replaced = new Set(changes.flatMap(({ what, record }) => (what === 'removed' ? [record.createdAtNs] : [])))
  let newest: NodeRecord | undefined
  for (const { what, record } of changes) {
    if (what !== 'added' || replaced.has(record.createdAtNs)) continue
    if (newest === undefined || record.createdAtNs > newest.createdAtNs) newest = record
  }
  return newest && createdAtIso(newest)
}

function countsOf(
  changes: ReturnType<typeof loggedChanges>,
): Pick<CycleFacts, 'added' | 'removed' | 'changed' | 'causes'> {
  const counts = { added: 0, removed: 0, changed: 0 }
  const causes: Partial<Record<Cause, number>> = {}
  for (const { what, cause } of changes) {
    counts[what]++
    causes[cause] = (causes[cause] ?? 0) + 1
  }
  return { ...counts, causes }
}
