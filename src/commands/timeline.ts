// The columns of a timeline: a window of cycles, each a few hundred bytes, and sums of all of them in bins.

import type { CycleFacts } from '../context/index.js'
import type { Bin, CauseCounts, CommandOptions, Timeline, TimelineInput } from './answers.js'
import { checkInput, flagIn, formatIn, READING, readingOf, textOf, wholeIn } from './check.js'
import { boundsOf, factsOf } from './cycles.js'
import type { Desk } from './desk.js'
import { columnsOf, openColumn, optionsFor, sendsOf, toldCauses } from './sends.js'

const COLUMNS = 200
const MOST = 1000
const MOST_BINS = 500

/** Columns from one cycle to another, oldest first; the newest ones by default. */
export async function timeline(desk: Desk, input: TimelineInput, options: CommandOptions = {}): Promise<Timeline> {
  const given = checkInput(input, ['id', 'from', 'to', 'bins', 'for', 'open', ...READING])
  const id = textOf(given, 'id')
  const format = formatIn(given, 'for')
  const reading = readingOf(given)
  const bins = wholeIn(given, 'bins', 1, MOST_BINS)
  const wantsOpen = flagIn(given, 'open') ?? false
  const state = await desk.state(id)
  const bounds = await boundsOf(desk, id)
  const { first, newest, thinned } = bounds
  const to = thinned.previous(Math.min(wholeIn(given, 'to', 0) ?? newest, newest))
  const from = Math.max(wholeIn(given, 'from', 0) ?? thinned.back(to, COLUMNS - 1), first, thinned.back(to, MOST - 1))
  const facts = newest === 0 || to < from ? [] : await factsOf(desk, state, bounds, from, to, format, options)
  const sends = sendsOf(await desk.read(id, {}, (ctx) => ctx.attempts()))
  const columns = await columnsOf(desk, state, bounds, facts, sends, format)
  const isOpen = wantsOpen || reading.operations !== undefined
  const all =
    bins === undefined || newest === 0 ? undefined : await factsOf(desk, state, bounds, first, newest, format, options)
  const prefix = await optionsFor(format)
  const open = isOpen ? [await desk.read(id, reading, (ctx) => openColumn(ctx, sends, prefix))] : []
  return {
    first,
    newest,
    columns: [...columns, ...open],
    ...(bins === undefined ? {} : { bins: binsOf(all ?? [], bins) }),
  }
}

/** The highest of each bin, and what happened in it. */
function binsOf(facts: readonly CycleFacts[], bins: number): readonly Bin[] {
  const width = Math.max(1, Math.ceil(facts.length / bins))
  const found: Bin[] = []
  for (let at = 0; at < facts.length; at += width) {
    const part = facts.slice(at, at + width)
    const causes: Partial<Record<keyof CauseCounts, number>> = {}
    for (const each of part) {
      for (const [name, count] of Object.entries(toldCauses(each.causes)) as [keyof CauseCounts, number][]) {
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
