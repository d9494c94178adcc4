// Cycles that retention removed. Each retention records in the audit list of its family which cycles it kept; the last
// one counts.

import { Thinned } from '../timeline/index.js'
import { auditOf, entryOf, type Retention, type CycleRun } from './audit.js'
import type { LineagePart } from './lineage.js'
import type { AuditRow, ContextRow, Rows } from './rows.js'
import { permanentName } from './seal.js'

/** Cycles that a context no longer shows, its own and its ancestors'. */
export async function thinnedIn(
  rows: Rows,
  { family, epoch }: ContextRow,
  line: readonly LineagePart[],
): Promise<Thinned> {
  // Every retention increases the epoch.
  if (epoch === 0) return Thinned.NONE
  return thinnedOf(await auditOf(rows, family), line)
}

export function thinnedOf(audits: readonly AuditRow[], line: readonly LineagePart[]): Thinned {
  const cycles = line.flatMap(({ context, to }) => ownThinned(audits, context).filter((cycle) => cycle <= to))
  return Thinned.of([...new Set(cycles)].sort((a, b) => a - b))
}

/** Removed cycles of one context's own rows. */
export function ownThinned(audits: readonly AuditRow[], context: ContextRow): readonly number[] {
  const last = lastRetained(audits, context)
  if (last === undefined) return []
  const kept = new Set(decodeRuns(last.kept))
  const cycles: number[] = []
  for (let cycle = last.first; cycle <= last.last; cycle++) if (!kept.has(cycle)) cycles.push(cycle)
  return cycles
}

/** The newest retention of a context, which had another number before a move. */
function lastRetained(audits: readonly AuditRow[], context: ContextRow): Retention | undefined {
  let number: string | undefined = String(context.ctx)
  for (const { retained, moved } of audits.map(entryOf).toReversed()) {
    if (retained !== undefined && retained.ctx === number) return retained
    if (moved !== undefined) number = new Map(moved.numbers).get(permanentName(context))
  }
  return undefined
}

/** Encodes ascending cycles as runs: one run for every 100th of a million, one for the newest. */
export function encodeRuns(cycles: readonly number[]): readonly CycleRun[] {
  const runs: CycleRun[] = []
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

export function* decodeRuns(runs: readonly CycleRun[]): Generator<number, void, undefined> {
  for (const [start, count, step] of runs) for (let i = 0; i < count; i++) yield start + i * step
}
