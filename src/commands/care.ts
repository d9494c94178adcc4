// Maintenance of a store: fsck checks the rows, replay renders everything again and compares the bytes.

import { createHash } from 'node:crypto'

import { PactError } from '../errors/index.js'
import { checkInput, ENDPOINTS, type Difference, type Input, type LintAnswer } from '../api/index.js'
import { glanceAt, importSnapshot } from '../context/index.js'
import { lintSelector } from '../selector/index.js'
import type { AttemptRecord } from '../core/index.js'
import { FORMAT_NAMES } from '../formats/index.js'
import type { Store, StoredContext } from '../store/index.js'
import { command, type CommandOptions } from './command.js'
import { yieldToEventLoop } from './work-slices.js'
import { rendererFor } from './formats.js'
import { withHistory } from './pool.js'

/** Checks one context or all of them. */
export const fsckStore = command('fsck', async (pool, { id, repair = false }, { signal, onProgress }) => {
  const report = await pool.store('fsck').fsck(id, {
    repair,
    signal,
    onProgress: ({ id, cycle, head }) => onProgress?.({ id, done: cycle, total: head }),
  })
  const problems = report.problems.map(({ id, cycle, kind, message }) => ({
    ...(id === undefined ? {} : { id }),
    ...(cycle === undefined ? {} : { cycle }),
    kind,
    message,
  }))
  const { ok, contexts, rows, repaired } = report
  return { ok, contexts, rows, problems, repaired }
})

/** Cycles that are replayed at once, and cycles that are rendered between two yields to the event loop. */
const STRETCH = 64
const TURN = 16
/** The largest number of differences in an answer. */
const ENOUGH = 100

type Tally = { contexts: number; snapshots: number; attempts: number; unknown: number; differences: Difference[] }

/**
 * Renders every stored snapshot and attempt again. A snapshot from the rows, from derived data and from its own export must be the same; a
 * request must have the hash that was recorded when it was sent.
 */
export const replayStore = command('replay', async (pool, { id: only }, options) => {
  const store = pool.store('replay')
  const tally: Tally = { contexts: 0, snapshots: 0, attempts: 0, unknown: 0, differences: [] }
  if (only !== undefined) await replayContext(store, (await pool.state(only)).id, tally, options)
  else {
    let after: string | undefined
    do {
      const page = await store.list(after === undefined ? {} : { after })
      for (const { id, cycle, damaged } of page.contexts) {
        if (damaged !== true) await replayContext(store, id, tally, options)
        else tally.differences.push({ id, cycle, what: 'export', byte: -1, message: 'its newest rows are lost' })
      }
      after = page.next
    } while (after !== undefined && tally.differences.length < ENOUGH)
  }
  return { ok: tally.differences.length === 0, ...tally }
})

async function replayContext(
  store: Store,
  id: string,
  tally: Tally,
  { signal, onProgress }: CommandOptions,
): Promise<void> {
  tally.contexts++
  const state = await store.find(id)
  if (state === undefined) return
  const ctx = await store.openAt(id, state.cycle, { history: 1 })
  if (ctx === undefined) return
  const { first = 1, newest = 0, thinned } = glanceAt(ctx)
  for (let from = first; from <= newest;) {
    const to = thinned.previous(Math.min(newest, from + STRETCH - 1))
    const played = await store.openAt(id, to, { history: to - from + 1 })
    if (played === undefined) return
    for (let cycle = from; cycle <= to; cycle = thinned.next(cycle + 1)) {
      if (++tally.snapshots % TURN === 0 && signal !== undefined) await yieldToEventLoop(signal)
      await replaySnapshot(store, played, cycle, cycle === to, tally)
      if (tally.differences.length >= ENOUGH) return
    }
    onProgress?.({ id, done: to, total: newest })
    from = thinned.next(to + 1)
  }
  for (const record of ctx.attempts()) {
    if (signal !== undefined) await yieldToEventLoop(signal)
    await replayAttempt(ctx, record, tally)
  }
}

async function replaySnapshot(
  store: Store,
  ctx: StoredContext,
  cycle: number,
  isLast: boolean,
  { differences }: Tally,
): Promise<void> {
  const { id } = ctx
  const lens = `@c${cycle}` as const
  try {
    const bytes = ctx.export(lens)
    const thread = ctx.threadBytes(lens)
    const again = importSnapshot(bytes)
    const others: (readonly [Difference['what'], Uint8Array, Uint8Array, string])[] = [
      ['export', bytes, again.export(), 'imported again, it is exported otherwise'],
      ['thread', thread, again.threadBytes('@t0'), 'imported again, its thread is another one'],
    ]
    if (isLast) {
      const alone = await store.openAt(id, cycle, { history: 1 })
      if (alone !== undefined) others.push(['export', bytes, alone.export(lens), 'opened by itself, it is another one'])
    }
    for (const [what, one, other, message] of others) {
      const byte = firstDifference(one, other)
      if (byte !== undefined) differences.push({ id, cycle, what, byte, message })
    }
  } catch (error) {
    if (!PactError.is(error) || isUnreadable(error)) throw error
    differences.push({ id, cycle, what: 'export', byte: -1, message: error.message })
  }
}

async function replayAttempt(ctx: StoredContext, record: AttemptRecord, tally: Tally): Promise<void> {
  tally.attempts++
  const { attempt_id: attempt, cycle_id: cycle, request_hash: hash } = record
  const note = (message: string): void => {
    tally.differences.push({ id: ctx.id, cycle, attempt, what: 'request', byte: -1, message })
  }
  try {
    const to = await rendererFor(FORMAT_NAMES.find((name) => name === record.adapter))
    const body = await withHistory(
      async () => ctx.requestOf(attempt, { for: to }),
      (lens) => ctx.loadHistory(lens),
    )
    const sum = createHash('sha256').update(body).digest('hex')
    if (hash !== undefined && sum !== hash) note('the body that was kept is not the one that was sent')
  } catch (error) {
    if (!PactError.is(error) || isUnreadable(error)) throw error
    const { reason } = error.details
    // These are differences; with other reasons the record does not hold enough to compare.
    if (reason === 'incomplete' || (reason === 'own-body' && record.adapter !== undefined)) note(error.message)
    else tally.unknown++
  }
}

function isUnreadable({ code, details }: PactError): boolean {
  return code === 'E_STORE' && details['reason'] !== 'damaged'
}

function firstDifference(one: Uint8Array, other: Uint8Array): number | undefined {
  if (Buffer.compare(one, other) === 0) return undefined
  const most = Math.min(one.length, other.length)
  for (let i = 0; i < most; i++) if (one[i] !== other[i]) return i
  return most
}

/** Lists errors in a selector, and improvements. */
export function lintText(input: Input<'lint'>): LintAnswer {
  const { selector, dialect, migrate } = checkInput(ENDPOINTS.lint.input, input)
  return lintSelector(selector, { dialect, migrate })
}
