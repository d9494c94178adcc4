// What one cycle was, in figures: how large its thread is, what it is made of, what changed and why, and how much of the thread before it
// is still there. For lists of cycles and for timelines.

import type { Cause, Lens, NodeRecord, Receipt } from '../core/index.js'
import { createdAtIso, type View } from '../timeline/index.js'
import { loggedChanges } from '../diff/index.js'
import { byteLengthOf } from '../thread/index.js'
import { ContextEdits, type AnyContext } from './edits.js'
import { PartTokens, type PartRun } from './part-tokens.js'
import { comparePrefix, rendererOf, type Prefix, type PrefixOptions, type Render } from './prefix.js'

export type CycleFacts = Readonly<{
  cycle: number
  /** When the newest of its own nodes was made. */
  createdAt: string | undefined
  nodes: number
  /** Items of the thread, and bytes of what is rendered. */
  items: number
  bytes: number
  tokens: number
  runs: readonly PartRun[]
  added: number
  removed: number
  changed: number
  causes: Readonly<Partial<Record<Cause, number>>>
  /** Against the cycle before it; undefined for the first. */
  prefix: Prefix | undefined
  receipt: Receipt
}>

/** The rendering that was asked for last: of cycles one after another, the later one is the earlier one next. */
export class LastRendering {
  #tree: View['tree'] | undefined
  #rendered: ReturnType<Render> = []

  of(view: View, render: Render): ReturnType<Render> {
    if (this.#tree !== view.tree) {
      this.#rendered = render(view)
      this.#tree = view.tree
    }
    return this.#rendered
  }
}

/** Tells about the tree that a lens names, against another one; `last` is handed on from cycle to cycle, under the same options. */
export function cycleFacts(
  ctx: AnyContext,
  lens: Lens,
  before: Lens | undefined,
  options: PrefixOptions = {},
  last: LastRendering = new LastRendering(),
): CycleFacts {
  const { views, home, gate, tokens: counts } = ContextEdits.partsOf(ctx)
  const [older, newer] = before === undefined ? ([undefined, views.of(lens)] as const) : views.pair(before, lens)
  const { dialect, count } = home.edition
  const renderer = rendererOf(options, dialect)
  const render: Render = (view) => last.of(view, renderer)
  const compared = older === undefined ? undefined : comparePrefix(older, newer, home.edition, options, render)
  const prefix = compared?.prefix
  const alone = compared === undefined ? render(newer) : []
  const changes = loggedChanges(older, newer)
  return Object.freeze({
    cycle: newer.cycle,
    createdAt: newestOf(changes.filter(({ what }) => what === 'added').map(({ record }) => record)),
    ...sizeOf(newer),
    bytes: compared?.sizes.later ?? byteLengthOf(alone),
    tokens: prefix?.total ?? count(newer, alone, 0).total,
    runs: gate.reading(() => new PartTokens(newer, counts).runs(prefix?.tokens ?? 0)),
    ...countsOf(changes),
    prefix,
    receipt: newer.receipt,
  })
}

/** How many nodes a tree has, root and regions included, and how many items its thread. */
export function sizeOf({ tree }: View): Readonly<{ nodes: number; items: number }> {
  let [nodes, items] = [1, tree.root.isRendered ? 1 : 0]
  for (const { record, children } of tree.regions) {
    nodes += 1 + children.count
    items += children.rendered + (record.isRendered ? 1 : 0)
  }
  return { nodes, items }
}

function newestOf(records: readonly NodeRecord[]): string | undefined {
  let newest: NodeRecord | undefined
  for (const record of records) if (newest === undefined || record.createdAtNs > newest.createdAtNs) newest = record
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
