// The columns of a timeline: a window of cycles, and sums over all of them in bins.

import type { Bin, CauseCounts } from '../api/index.js'
import type { CycleFacts } from '../reports/index.js'
import { command } from './command.js'
import { boundsOf, factsOf } from './cycles.js'
import { columnsOf, openColumn, optionsFor, sendsOf, notableCauses } from './sends.js'

const COLUMNS = 200
const MOST = 1000

/** Columns from one cycle to another, oldest first; the newest ones by default. */
export const timeline = command('timeline', async (pool, input, options) => {
  const { id, for: format, bins, operations } = input
  const state = await pool.state(id)
  const bounds = await boundsOf(pool, id)
  const { first, newest, thinned } = bounds
  const to = thinned.previous(Math.min(input.to ?? newest, newest))
  const from = Math.max(input.from ?? thinned.back(to, COLUMNS - 1), first, thinned.back(to, MOST - 1))
  const facts = newest === 0 || to < from ? [] : await factsOf(pool, state, bounds, from, to, format, options)
  const sends = sendsOf(await pool.read({ id }, (ctx) => ctx.attempts()))
  const columns = await columnsOf(pool, state, bounds, facts, sends, format)
  const isOpen = input.open === true || operations !== undefined
  const all =
    bins === undefined || newest === 0 ? undefined : await factsOf(pool, state, bounds, first, newest, format, options)
  const prefix = await optionsFor(format)
  const open = isOpen ? [await pool.read(input, (ctx) => openColumn(ctx, sends, prefix))] : []
  return {
    first,
    newest,
    columns: [...columns, ...open],
    ...(bins === undefined ? {} : { bins: binsOf(all ?? [], bins) }),
  }
})

/** The maximum of each bin, and the causes in it. */
function binsOf(facts: readonly CycleFacts[], bins: number): readonly Bin[] {
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
      broken: part.filter(({ prefix }) => prefix?.first !== undefined).length,
      causes,
    })
  }
  return found
}
