// The calls of cycles that a fork has of another context: they were made before the fork, and their records are there.

import type { AttemptRecord, Column, CycleAnswer } from '../api/index.js'
import { sentIn } from './sent-in.js'
import type { ContextPool } from './pool.js'

type Past = NonNullable<CycleAnswer['before']>

/** The attempts of a cycle from before the fork; undefined for a cycle of the context itself, and if there were none. */
export async function attemptsBefore(pool: ContextPool, id: string, cycle: number): Promise<Past | undefined> {
  for (const { context, to, from } of await ancestorsOf(pool, id)) {
    if (cycle <= from || cycle > to) continue
    const attempts = (await attemptsIn(pool, context)).filter((each) => sentIn(each) === cycle)
    return attempts.length === 0 ? undefined : { context, attempts }
  }
  return undefined
}

/** The columns with the last call of each cycle from before the fork. */
export async function withPastOf(
  pool: ContextPool,
  id: string,
  columns: readonly Column[],
): Promise<readonly Column[]> {
  const before = new Map<number, NonNullable<Column['before']>>()
  for (const { context, from, to } of await ancestorsOf(pool, id)) {
    if (!columns.some(({ cycle }) => cycle > from && cycle <= to)) continue
    for (const each of await attemptsIn(pool, context)) {
      const cycle = sentIn(each)
      if (cycle > from && cycle <= to) before.set(cycle, { context, status: each.status })
    }
  }
  if (before.size === 0) return columns
  return columns.map((column) => {
    const known = before.get(column.cycle)
    return known === undefined ? column : { ...column, before: known }
  })
}

/** The contexts that a fork comes from, nearest first, each with the cycles that it made: after `from`, up to `to`. */
type Ancestor = Readonly<{ context: string; from: number; to: number }>

async function ancestorsOf(pool: ContextPool, id: string): Promise<readonly Ancestor[]> {
  const family = await pool.family(id)
  const found: Ancestor[] = []
  let to = Infinity
  let at = family.find((each) => each.id === id)?.parent
  while (at !== undefined && !found.some(({ context }) => context === at?.id)) {
    const { id: context, cycle } = at
    to = Math.min(to, cycle)
    at = family.find((each) => each.id === context)?.parent
    found.push({ context, from: Math.min(at?.cycle ?? 0, to), to })
  }
  return found
}

/** None of a context that was deleted, or whose newest rows are lost. */
async function attemptsIn(pool: ContextPool, id: string): Promise<readonly AttemptRecord[]> {
  const known = (await pool.family(id)).find((each) => each.id === id)
  if (known === undefined || known.damaged === true) return []
  return pool.read({ id }, (ctx) => ctx.attempts())
}
