// The columns of a timeline: a window of cycles, and sums over all of them in bins.

import type { AttemptRecord, Bin, CauseCounts } from '../api/index.js'
import type { CycleFacts } from '../reports/index.js'
import { command } from './command.js'
import { boundsOf, factsOf, optionsFor, type Bounds } from './cycles.js'
import { withPastOf } from './shared-past.js'
import { columnsOf, openColumn, sendsOf, notableCauses, type Sends } from './sends.js'

const COLUMNS = 200
const MOST = 1000

/** Columns from one cycle to another, oldest first; the newest ones by default. */
export const timeline = command('timeline', async (pool, input, options) => {
  const { id, for: format, by, bins, operations } = input
  const look = { format, by }
  const state = await pool.state(id)
  const bounds = await boundsOf(pool, id)
  const { first, newest, thinned } = bounds
  const to = thinned.previous(Math.min(input.to ?? newest, newest))
  const from = Math.max(input.from ?? thinned.back(to, COLUMNS - 1), first, thinned.back(to, MOST - 1))
  const facts = newest === 0 || to < from ? [] : await factsOf(pool, state, bounds, from, to, look, options)
  const limits = limitsOf(bounds, facts)
  const sends = sendsOf(await pool.read({ id }, (ctx) => ctx.attempts()))
  const columns = await columnsOf(pool, state, bounds, facts, sends, look)
  const isOpen = input.open === true || operations !== undefined
  const start = Math.max(first, input.binsFrom ?? first)
  const end = thinned.previous(Math.min(newest, input.binsTo ?? newest))
  const all =
    bins === undefined || newest === 0 || end < start
      ? []
      : await factsOf(pool, state, bounds, start, end, { format }, options)
  const prefix = await optionsFor(look)
  const open = isOpen ? [await pool.read(input, (ctx) => openColumn(ctx, sends, prefix))] : []
  return {
    first,
    newest,
    columns: [...(await withPastOf(pool, id, columns)), ...open],
    limits,
    ...(bins === undefined ? {} : { bins: binsOf(all, bins, sends) }),
  }
})

/** The limits of the policy; a context that was opened without one has those of its receipts. */
function limitsOf({ limits }: Bounds, facts: readonly CycleFacts[]): Bounds['limits'] {
  if (limits.length > 0) return limits
  const passed = facts.flatMap(({ receipt }) => receipt.limits.filter(({ rule }) => rule.startsWith('maxTokens')))
  return [...new Map(passed.map(({ rule, limit }) => [rule, { rule, limit }])).values()]
}

/** The maximum of each bin, and the causes in it. */
function binsOf(facts: readonly CycleFacts[], bins: number, sends: Sends): readonly Bin[] {
  const width = Math.max(1, Math.ceil(facts.length / bins))
  const found: Bin[] = []
  for (let at = 0; at < facts.length; at += width) {
    const part = facts.slice(at, at + width)
    const causes: Partial<Record<keyof CauseCounts, number>> = {}
    for (const each of part) {
      for (const [name, count] of Object.entries(notableCauses(each.causes)) as [keyof CauseCounts, number][]) {
        causes[name] = (causes[name] ?? 0) + count
      }
    }
    found.push({
      from: part[0]!.cycle,
      to: part.at(-1)!.cycle,
      tokens: Math.max(...part.map(({ tokens }) => tokens)),
      failed: part.reduce((sum, { cycle }) => sum + failedIn(sends.get(cycle)), 0),
      broken: part.filter(({ prefix }) => prefix?.first !== undefined).length,
      causes,
    })
  }
  return found
}

function failedIn(attempts: readonly AttemptRecord[] = []): number {
  return attempts.filter(({ status }) => status === 'error').length
}
