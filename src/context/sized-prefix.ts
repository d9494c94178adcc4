// A prefix with the sizes of what it compares: for doors, whose users see the two renderings nowhere else.

import type { Lens } from '../core/index.js'
import { ContextEdits, type AnyContext } from './edits.js'
import { comparePrefix, prefixSides, type Prefix, type PrefixOptions } from './prefix.js'

/** `sizes` are the bytes that the earlier rendering has, and the later one. */
export type SizedPrefix = Prefix & Readonly<{ sizes: Readonly<{ a: number; b: number }> }>

/** What `ctx.prefix` gives, and the bytes of both sides. */
export function sizedPrefix(ctx: AnyContext, a?: Lens, b?: Lens, options?: PrefixOptions): SizedPrefix {
  const parts = ContextEdits.partsOf(ctx)
  const [earlier, later] = prefixSides(parts, a, b)
  const { prefix, sizes } = comparePrefix(earlier, later, parts.home.edition, options)
  return { ...prefix, sizes: { a: sizes.earlier, b: sizes.later } }
}
