// The cycles of a context: as a list, as a log, and as facts for a timeline. Facts of a committed cycle never change, so they are cached;
// missing ones are computed a stretch at a time.

import { PactError } from '../errors/index.js'
import type { CycleAnswer, FormatName, Input } from '../api/index.js'
import { cycleFacts, largestNodes, type CycleFacts, type FactsOptions, type Grouping } from '../reports/index.js'
import { glanceAt, type ContextGlance, reportSource } from '../context/index.js'
import type { JsonObject, Lens } from '../core/index.js'
import type { ContextState } from '../store/index.js'
import { command, type CommandOptions } from './command.js'
import { cycleWords } from './cycle-words.js'
import { rendererFor } from './formats.js'
import { jsonOf } from './json.js'
import type { ContextPool, OpenContext } from './pool.js'
import { shownLens } from './reads.js'
import { sentIn } from './sent-in.js'
import { attemptsBefore } from './shared-past.js'
import { yieldToEventLoop } from './work-slices.js'

/** The default length of a page. */
const PAGE = 50
/** Cycles that are loaded at once, and cycles that are computed between two yields to the event loop. */
const STRETCH = 4096
const TURN = 16
/** Receipts of more nodes than this are not cached. */
const LARGE = 50

/** The oldest and the newest cycle, 0 and 0 if there is none, and the ones missing between them. */
export type Bounds = Readonly<{ first: number; newest: number }> & Pick<ContextGlance, 'thinned' | 'limits'>

/** The format whose prefixes are compared, and the grouping of the tokens. */
export type Look = Readonly<{ format?: FormatName | undefined; by?: Grouping | undefined }>

export function nameOfLook({ format, by }: Look): string {
  return [format, by].filter((each) => each !== undefined).join(' ')
}

/** The facts of the cycles in a range, oldest first; each is compared with the one before it that exists. */
export async function factsOf(
  pool: ContextPool,
  state: ContextState,
  { first, thinned }: Bounds,
  from: number,
  to: number,
  look: Look = {},
  { signal, onProgress }: CommandOptions = {},
): Promise<readonly CycleFacts[]> {
  const { id, number, epoch } = state
  const options = await optionsFor(look)
  const nameOf = (cycle: number): string => `${id}\n${number} ${epoch} ${cycle} ${nameOfLook(look)}`
  const found: CycleFacts[] = []
  let [ctx, worked]: [OpenContext | undefined, number] = [undefined, 0]
  let end = 0
  for (let cycle = thinned.next(from); cycle <= to; cycle = thinned.next(cycle + 1)) {
    if (cycle > end) ctx = undefined
    let facts = pool.cycles.get(nameOf(cycle))
    if (facts === undefined) {
      if (ctx === undefined) end = thinned.previous(Math.min(to, cycle + STRETCH - 1))
      ctx ??= await pool.past(id, cycle, end)
      const before = cycle > first ? thinned.previous(cycle - 1) : undefined
      try {
        facts = factsAt(ctx, cycle, before, options)
      } catch (error) {
        // Others have committed since, and an open context keeps only its newest snapshots.
        if (!PactError.is(error) || error.code !== 'E_HISTORY_NOT_LOADED') throw error
        ctx = await pool.past(id, cycle, end)
        facts = factsAt(ctx, cycle, before, options)
      }
      if (facts.receipt.removed.length <= LARGE) pool.cycles.set(nameOf(cycle), facts)
      if (++worked % TURN === 0) {
        await yieldToEventLoop(signal)
        onProgress?.({ id, done: cycle - from + 1, total: to - from + 1 })
      }
    }
    found.push(facts)
  }
  return found
}

export async function optionsFor({ format, by }: Look): Promise<FactsOptions> {
  const renderer = await rendererFor(format)
  return { ...(renderer === undefined ? {} : { for: renderer }), ...(by === undefined ? {} : { by }) }
}

function factsAt(ctx: OpenContext, cycle: number, before: number | undefined, options: FactsOptions): CycleFacts {
  return cycleFacts(reportSource(ctx), `@c${cycle}`, before === undefined ? undefined : `@c${before}`, options)
}

export async function boundsOf(pool: ContextPool, id: string): Promise<Bounds> {
  return pool.read({ id }, (ctx) => {
    const { first = 0, newest = 0, thinned, limits } = glanceAt(ctx)
    return { first, newest, thinned, limits }
  })
}

type Page = Readonly<{ facts: readonly CycleFacts[]; bounds: Bounds; before: number | undefined }>

/** A page of cycles, newest first. */
async function pageOf(pool: ContextPool, input: Input<'log'>, options: CommandOptions): Promise<Page> {
  const { id, limit = PAGE, before = Infinity } = input
  const state = await pool.state(id)
  const bounds = await boundsOf(pool, id)
  const { first, newest, thinned } = bounds
  const to = thinned.previous(Math.min(newest, before - 1))
  if (newest === 0 || to < first) return { facts: [], bounds, before: undefined }
  const from = Math.max(first, thinned.back(to, limit - 1))
  const facts = (await factsOf(pool, state, bounds, from, to, undefined, options)).toReversed()
  return { facts, bounds, before: from > first ? from : undefined }
}

/** Lists snapshots, newest first, with sizes and receipts. */
export const listSnapshots = command('snapshots', async (pool, input, options) => {
  const { facts, bounds, before } = await pageOf(pool, input, options)
  const { newest, thinned } = bounds
  const snapshots = facts.map(({ cycle, createdAt = null, nodes, items, bytes, tokens, receipt }) => {
    const back = newest - cycle - thinned.count(cycle, newest)
    const label = back === 0 ? ('@t0' as const) : (`@t-${back}` as const)
    const ref = { kind: 't', value: back === 0 ? 0 : -back, label, cycle } as const
    return { cycle, ref, createdAt, nodes, items, bytes, tokens, receipt }
  })
  return before === undefined ? { snapshots } : { snapshots, before }
})

/** Lists what each commit changed, newest first. */
export const logCycles = command('log', async (pool, input, options) => {
  const { facts, before } = await pageOf(pool, input, options)
  const cycles = facts.map((each) => {
    const { cycle, createdAt = null, added, removed, changed, causes, tokens } = each
    return { cycle, createdAt, added, removed, changed, causes, tokens, words: cycleWords(each) }
  })
  return before === undefined ? { cycles } : { cycles, before }
})

/** One cycle: its sizes, its receipt, its schedules, its attempts. */
export const readCycle = command('cycle', async (pool, input) => {
  const answer = await pool.read(input, (ctx): CycleAnswer => {
    const lens: Lens = input.at ?? shownLens(ctx, input)
    const isOpen = lens === 'working' || lens === 'preview'
    const pane = largestNodes(reportSource(ctx), lens)
    const { cycle, receipt, schedules, segments, nodes, tokens, createdAt, largest } = pane
    return {
      cycle,
      createdAt: createdAt ?? null,
      segments,
      nodes,
      tokens,
      receipt,
      schedules: schedules.map((each) => jsonOf(each)),
      largest,
      attempts: ctx.attempts().filter((each) => sentIn(each) === cycle),
      ...(isOpen ? { operations: ctx.operations().map((each): JsonObject => jsonOf(each)) } : {}),
    }
  })
  const before = await attemptsBefore(pool, input.id, answer.cycle)
  return before === undefined ? answer : { ...answer, before }
})
