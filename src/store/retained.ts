// Which cycles of a context were thinned out: each retention says in the list of its family which of them it kept, and the last one counts.

import { Thinned } from '../timeline/index.js'
import { auditOf, entryOf, type Retained, type Run } from './audit.js'
import type { Stretch } from './past.js'
import type { AuditRow, ContextKey, ContextRow, Rows } from './rows.js'

/** The cycles that a context does not show any more, its own and those of whoever it comes from. */
export async function thinnedIn(rows: Rows, { family, epoch }: ContextRow, line: readonly Stretch[]): Promise<Thinned> {
  // Every retention makes the epoch another one.
  if (epoch === 0) return Thinned.NONE
  return thinnedOf(await auditOf(rows, family), line)
}

export function thinnedOf(audits: readonly AuditRow[], line: readonly Stretch[]): Thinned {
  const cycles = line.flatMap(({ context, to }) => ownThinned(audits, context.ctx).filter((cycle) => cycle <= to))
  return Thinned.of([...new Set(cycles)].sort((a, b) => a - b))
}

/** Those of the rows of one context. */
export function ownThinned(audits: readonly AuditRow[], ctx: ContextKey): readonly number[] {
  const last = audits.map(retainedBy).findLast((each) => each?.ctx === String(ctx))
  if (last === undefined) return []
  const kept = new Set(cyclesOf(last.kept))
  const cycles: number[] = []
  for (let cycle = last.first; cycle <= last.last; cycle++) if (!kept.has(cycle)) cycles.push(cycle)
  return cycles
}

function retainedBy(audit: AuditRow): Retained | undefined {
  return entryOf(audit).retained
}

/** Cycles in ascending order as runs: one for every hundredth of a million, and one for the newest. */
export function runsOf(cycles: readonly number[]): readonly Run[] {
  const runs: Run[] = []
  for (let at = 0; at < cycles.length;) {
    const start = cycles[at]!
    const step = (cycles[at + 1] ?? start + 1) - start
    let count = 1
    while (cycles[at + count] === start + count * step) count++
    runs.push([start, count, step])
    at += count
  }
  return runs
}

export function* cyclesOf(runs: readonly Run[]): Generator<number, void, undefined> {
  for (const [start, count, step] of runs) for (let i = 0; i < count; i++) yield start + i * step
}
