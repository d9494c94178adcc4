// Reports on a context, for callers that hold the context itself.

import { asCall, describe, PactError } from '../errors/index.js'
import type { Lens } from '../core/index.js'
import type { View } from '../timeline/index.js'
import type { RendersRequests } from '../thread/index.js'
import {
  checkPlacementOptions,
  comparePrefix,
  placementFindings,
  sourceMapOf,
  type PlacementFinding,
  type PlacementOptions,
  type Prefix,
  type PrefixOptions,
  type ReportSource,
  type SourceMap,
} from '../reports/index.js'
import { ContextEdits, type AnyContext } from './edits.js'
import type { Parts } from './parts.js'
import { prefixSides } from './prefix-sides.js'
import { Snapshot } from './snapshot.js'

/** The part of a context that reports read. */
export function reportSource(ctx: AnyContext): ReportSource {
  return sourceOf(ContextEdits.partsOf(ctx))
}

function sourceOf({ views, home }: Parts): ReportSource {
  const { dialect, tokens } = home.edition
  return { dialect, trees: views, tokens }
}

/**
 * Names the parts of a context that end the prefix of its requests in at least every second commit: a prompt cache then keeps nothing
 * behind them. Gives one finding for each, the costliest first.
 */
export function lintPlacement(ctx: AnyContext, options: PlacementOptions = {}): readonly PlacementFinding[] {
  return asCall(lintPlacement, () => {
    if (!(ctx instanceof ContextEdits)) {
      throw new PactError('E_CONTENT_INVALID', `Placements are read from a context, not from ${describe(ctx)}.`, {})
    }
    const [last, rest] = checkPlacementOptions(options)
    const cycles = ctx.snapshots({ limit: last + 1 }).map(({ cycle }) => cycle)
    return placementFindings(cycles.toReversed(), reportSource(ctx), rest)
  })
}

/** A prefix with the sizes in bytes of the earlier rendering (`a`) and the later one (`b`). */
export type SizedPrefix = Prefix & Readonly<{ sizes: Readonly<{ a: number; b: number }> }>

/** A prefix as `ctx.prefix` gives it, with the sizes of both sides. */
export function sizedPrefix(ctx: AnyContext, a?: Lens, b?: Lens, options?: PrefixOptions): SizedPrefix {
  const parts = ContextEdits.partsOf(ctx)
  const [earlier, later] = prefixSides(parts, a, b)
  const { prefix, sizes } = comparePrefix(earlier, later, sourceOf(parts), options)
  return { ...prefix, sizes: { a: sizes.earlier, b: sizes.later } }
}

export type RenderedSource = SourceMap & Readonly<{ lens: Lens; snapshot: Snapshot }>

/** The tree that a lens names, or that would be sent now, with the source map of its rendering. */
export function renderedSource(
  ctx: AnyContext,
  given: Lens | undefined,
  to: RendersRequests | undefined,
  options?: object,
): RenderedSource {
  const parts = ContextEdits.partsOf(ctx)
  const lens = given ?? parts.views.sentLens
  const view: View = parts.views.still(lens)
  const call = parts.views.callOf(lens)
  const source = sourceMapOf(view, sourceOf(parts), { for: to, options }, call)
  return { lens, snapshot: Snapshot.handOut(view, parts.home), ...source }
}
