// The cycles of a context: listed, told in a line each, and as the columns of a timeline. What is known of a cycle is remembered, since
// it never changes; whatever is not is worked out a stretch at a time.

import { PactError } from '../errors/index.js'
import {
  cycleFacts,
  glanceAt,
  largestNodes,
  LastRendering,
  type ContextGlance,
  type CycleFacts,
  type JsonObject,
  type Lens,
  type PrefixOptions,
} from '../context/index.js'
import type { ContextState } from '../store/index.js'
import type {
  AttemptRecord,
  CommandOptions,
  CycleAnswer,
  CycleInput,
  CyclePage,
  FormatName,
  PageInput,
  SnapshotPage,
} from './answers.js'
import { checkInput, lensIn, READING, readingOf, textOf, wholeIn } from './check.js'
import { cycleWords } from './cycle-words.js'
import type { Desk } from './desk.js'
import { rendererFor } from './formats.js'
import { jsonOf } from './json.js'
import { shownLens } from './reads.js'
import type { OpenContext } from './trial.js'
import { turn } from './turn.js'

/** How many cycles are listed where nobody says, and at the most. */
const PAGE = 50
const MOST = 1000
/** How many cycles are loaded at once, and how many are worked out before others have their turn. */
const STRETCH = 4096
const TURN = 16
/** Receipts of more nodes than this are not remembered. */
const LARGE = 50

/** Which cycles exist: the oldest and the newest, 0 and 0 where there is none, and which are missing between them. */
export type Bounds = Readonly<{ first: number; newest: number; thinned: ContextGlance['thinned'] }>

/** The facts of the cycles from one to another that exist, oldest first; each is compared with the one that exists before it. */
export async function factsOf(
  desk: Desk,
  state: ContextState,
  { first, thinned }: Bounds,
  from: number,
  to: number,
  format?: FormatName,
  { signal, onProgress }: CommandOptions = {},
): Promise<readonly CycleFacts[]> {
  const { id, number, epoch } = state
  const renderer = await rendererFor(format)
  const options: PrefixOptions = renderer === undefined ? {} : { for: renderer }
  const nameOf = (cycle: number): string => `${id}\n${number} ${epoch} ${cycle} ${format ?? ''}`
  const found: CycleFacts[] = []
  const last = new LastRendering()
  let [ctx, worked]: [OpenContext | undefined, number] = [undefined, 0]
  let end = 0
  for (let cycle = thinned.next(from); cycle <= to; cycle = thinned.next(cycle + 1)) {
    if (cycle > end) ctx = undefined
    let facts = desk.cycles.get(nameOf(cycle))
    if (facts === undefined) {
      if (ctx === undefined) end = thinned.previous(Math.min(to, cycle + STRETCH - 1))
      ctx ??= await desk.past(id, cycle, end)
      const before = cycle > first ? thinned.previous(cycle - 1) : undefined
      try {
        facts = factsAt(ctx, cycle, before, options, last)
      } catch (error) {
        // Others have committed since, and an open context keeps only its newest snapshots.
        if (!PactError.is(error) || error.code !== 'E_HISTORY_NOT_LOADED') throw error
        ctx = await desk.past(id, cycle, end)
        facts = factsAt(ctx, cycle, before, options, last)
      }
      if (facts.receipt.removed.length <= LARGE) desk.cycles.set(nameOf(cycle), facts)
      if (++worked % TURN === 0) {
        await turn(signal)
        onProgress?.({ id, done: cycle - from + 1, total: to - from + 1 })
      }
    }
    found.push(facts)
  }
  return found
}

function factsAt(
  ctx: OpenContext,
  cycle: number,
  before: number | undefined,
  options: PrefixOptions,
  last: LastRendering,
): CycleFacts {
  return cycleFacts(ctx, `@c${cycle}`, before === undefined ? undefined : `@c${before}`, options, last)
}

export async function boundsOf(desk: Desk, id: string): Promise<Bounds> {
  return desk.read(id, {}, (ctx) => {
    const { first = 0, newest = 0, thinned } = glanceAt(ctx)
    return { first, newest, thinned }
  })
}

type Page = Readonly<{ facts: readonly CycleFacts[]; bounds: Bounds; before: number | undefined }>

/** A page of cycles, newest first. */
async function pageOf(desk: Desk, input: PageInput, options: CommandOptions): Promise<Page> {
  const given = checkInput(input, ['id', 'limit', 'before'])
  const id = textOf(given, 'id')
  const limit = wholeIn(given, 'limit', 1, MOST) ?? PAGE
  const before = wholeIn(given, 'before', 0) ?? Infinity
  const state = await desk.state(id)
  const bounds = await boundsOf(desk, id)
  const { first, newest, thinned } = bounds
  const to = thinned.previous(Math.min(newest, before - 1))
  if (newest === 0 || to < first) return { facts: [], bounds, before: undefined }
  const from = Math.max(first, thinned.back(to, limit - 1))
  const facts = (await factsOf(desk, state, bounds, from, to, undefined, options)).toReversed()
  return { facts, bounds, before: from > first ? from : undefined }
}

/** Lists snapshots, newest first, with sizes and receipts. */
export async function listSnapshots(desk: Desk, input: PageInput, options: CommandOptions = {}): Promise<SnapshotPage> {
  const { facts, bounds, before } = await pageOf(desk, input, options)
  const { newest, thinned } = bounds
  const snapshots = facts.map(({ cycle, createdAt = null, nodes, items, bytes, tokens, receipt }) => {
    const back = newest - cycle - thinned.count(cycle, newest)
    const label = back === 0 ? ('@t0' as const) : (`@t-${back}` as const)
    const ref = { kind: 't', value: back === 0 ? 0 : -back, label, cycle } as const
    return { cycle, ref, createdAt, nodes, items, bytes, tokens, receipt }
  })
  return before === undefined ? { snapshots } : { snapshots, before }
}

/** Tells what each commit changed, newest first. */
export async function logCycles(desk: Desk, input: PageInput, options: CommandOptions = {}): Promise<CyclePage> {
  const { facts, before } = await pageOf(desk, input, options)
  const cycles = facts.map((each) => {
    const { cycle, createdAt = null, added, removed, changed, causes, tokens } = each
    return { cycle, createdAt, added, removed, changed, causes, tokens, words: cycleWords(each) }
  })
  return before === undefined ? { cycles } : { cycles, before }
}

/** One cycle for a pane: what it holds, what pruning did, what returns, what was sent. */
export async function readCycle(desk: Desk, input: CycleInput): Promise<CycleAnswer> {
  const given = checkInput(input, ['id', 'at', ...READING])
  const reading = readingOf(given)
  return desk.read(textOf(given, 'id'), reading, (ctx): CycleAnswer => {
    const lens: Lens = lensIn(given, 'at') ?? shownLens(ctx, reading.operations !== undefined)
    const isOpen = lens === 'working' || lens === 'preview'
    const { cycle, receipt, schedules, segments, nodes, tokens, createdAt, largest } = largestNodes(ctx, lens)
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
}

/** The cycle whose tree an attempt sent: a snapshot, or the one that was open. */
export function sentIn({ lens, cycle_id: open, base_cycle: base }: AttemptRecord): number {
  return lens === 'working' || lens === 'preview' ? open : (base ?? open)
}
