// Care of a store: whether what was written is there, and whether it still gives the same bytes.

import { createHash } from 'node:crypto'

import { PactError } from '../errors/index.js'
import { glanceAt, importSnapshot, lintSelector, type AttemptRecord } from '../context/index.js'
import { FORMAT_NAMES, type FormatName } from '../formats/index.js'
import type { Store, StoredContext } from '../store/index.js'
import type {
  CareInput,
  CommandOptions,
  Difference,
  FsckAnswer,
  FsckInput,
  LintAnswer,
  LintInput,
  ReplayAnswer,
} from './answers.js'
import { checkInput, flagIn, oneOf, textIn, textOf } from './check.js'
import { withHistory, type Desk } from './desk.js'
import { rendererFor } from './formats.js'
import { turn } from './turn.js'

/** Looks over one context or all of them. */
export async function fsckStore(desk: Desk, input: FsckInput = {}, options: CommandOptions = {}): Promise<FsckAnswer> {
  const given = checkInput(input, ['id', 'repair'])
  const { signal, onProgress } = options
  const report = await desk.store('fsck').fsck(textIn(given, 'id'), {
    repair: flagIn(given, 'repair') ?? false,
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
}

/** How many cycles are played at once, and how many are rendered before others have their turn. */
const STRETCH = 64
const TURN = 16
/** How many differences are told. */
const ENOUGH = 100

type Tally = { contexts: number; snapshots: number; attempts: number; unknown: number; differences: Difference[] }

/**
 * Renders every stored snapshot and attempt again: a snapshot from the rows, from what was derived of them and from its own export,
 * which must agree; a request from its record, which must have the hash that was noted when it was sent.
 */
export async function replayStore(
  desk: Desk,
  input: CareInput = {},
  options: CommandOptions = {},
): Promise<ReplayAnswer> {
  const only = textIn(checkInput(input, ['id']), 'id')
  const store = desk.store('replay')
  const tally: Tally = { contexts: 0, snapshots: 0, attempts: 0, unknown: 0, differences: [] }
  if (only !== undefined) await replayContext(store, (await desk.state(only)).id, tally, options)
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
}

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
      if (++tally.snapshots % TURN === 0 && signal !== undefined) await turn(signal)
      await replaySnapshot(store, played, cycle, cycle === to, tally)
      if (tally.differences.length >= ENOUGH) return
    }
    onProgress?.({ id, done: to, total: newest })
    from = thinned.next(to + 1)
  }
  for (const record of ctx.attempts()) {
    if (signal !== undefined) await turn(signal)
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
    const to = await rendererFor(FORMAT_NAMES.find((name): name is FormatName => name === record.adapter))
    const body = await withHistory(
      () => ctx.requestOf(attempt, { for: to }),
      (lens) => ctx.loadHistory(lens),
    )
    const sum = createHash('sha256').update(body).digest('hex')
    if (hash !== undefined && sum !== hash) note('the body that was kept is not the one that was sent')
  } catch (error) {
    if (!PactError.is(error) || isUnreadable(error)) throw error
    const { reason } = error.details
    // These say that something is another than it was; the others, that nobody kept enough to tell.
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

/** Lists what is wrong with a selector, or could be better. */
export function lintText(input: LintInput): LintAnswer {
  const given = checkInput(input, ['selector', 'dialect', 'migrate'])
  const [dialect, migrate] = [oneOf(given, 'dialect', ['1.0', '0.1']), flagIn(given, 'migrate')]
  return lintSelector(textOf(given, 'selector'), {
    ...(dialect === undefined ? {} : { dialect }),
    ...(migrate === undefined ? {} : { migrate }),
  })
}
