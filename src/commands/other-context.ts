// Comparisons of two contexts that share a past.

import type { Reading } from '../api/index.js'
import { reportSource } from '../context/index.js'
import type { Lens } from '../core/index.js'
import { PactError } from '../errors/index.js'
import { apartSide, type ApartSides, type ReportSource } from '../reports/index.js'
import type { ContextInfo } from '../store/index.js'
import type { ContextPool, OpenContext } from './pool.js'

type Compared = Reading & Readonly<{ id: string; a?: Lens | undefined; b?: Lens | undefined }>

/** Compares the snapshot `a` of another context with the tree `b` of this one. */
export async function withOther<T>(
  pool: ContextPool,
  input: Compared,
  other: string,
  work: (source: ReportSource, sides: ApartSides) => T,
): Promise<T> {
  const { id, a = '@t0', b = '@t0' } = input
  if (!/^@[ct]/.test(a)) {
    throw new PactError('E_CONTENT_INVALID', 'Of another context, a snapshot is compared: a is such as @c12.', { a })
  }
  // The state of a context that does not exist is refused, too.
  await pool.state(other)
  const common = commonCycle(await pool.family(id), id, other)
  const cycle = await pool.read({ id: other }, (ctx) => ctx.snapshot(a).cycle)
  const shared = Math.min(common, cycle)
  const past = await pool.past(other, Math.max(shared, 1), cycle)
  return pool.read(input, (ctx: OpenContext) => {
    // A snapshot from before the fork is a snapshot of both.
    const base = Math.min(shared, ctx.snapshot(b).cycle)
    const from = apartSide(reportSource(past), other, `@c${cycle}`, base)
    const source = reportSource(ctx)
    return work(source, { from, to: apartSide(source, id, b, base), common: base })
  })
}

/** The newest cycle that two contexts of a family have together; 0 if they have none. */
export function commonCycle(family: readonly ContextInfo[], one: string, other: string): number {
  const pathOf = (id: string): ReadonlyMap<string, number> => {
    const path = new Map([[id, Infinity]])
    let at = family.find((each) => each.id === id)
    let newest = Infinity
    while (at?.parent !== undefined && !path.has(at.parent.id)) {
      newest = Math.min(newest, at.parent.cycle)
      path.set(at.parent.id, newest)
      const { id: next } = at.parent
      at = family.find((each) => each.id === next)
    }
    return path
  }
  const [a, b] = [pathOf(one), pathOf(other)]
  const both = [...a].flatMap(([id, cycle]) => (b.has(id) ? [Math.min(cycle, b.get(id)!)] : []))
  return Math.max(0, ...both.filter((cycle) => Number.isFinite(cycle)))
}
