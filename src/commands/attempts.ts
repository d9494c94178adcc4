// Attempts: what was sent to providers, listed and noted.

import type { AttemptInput } from '../context/index.js'
import { StoredContext } from '../store/index.js'
import type { AttemptList, AttemptRecord, AttemptsInput, RecordAttemptInput } from './answers.js'
import { checkInput, formatIn, invalid, lensIn, objectIn, oneOf, READING, readingOf, textOf, wholeIn } from './check.js'
import type { Desk } from './desk.js'
import { rendererFor } from './formats.js'
import { pageAfter, pageIn, PAGING } from './pages.js'

const PAGE = 100

/** The records of attempts, oldest first, a page at a time: of one cycle, or of all. */
export async function listAttempts(desk: Desk, input: AttemptsInput): Promise<AttemptList> {
  const given = checkInput(input, ['id', 'cycle', ...PAGING])
  const cycle = wholeIn(given, 'cycle', 0)
  const page = pageIn(given, PAGE)
  return desk.read(textOf(given, 'id'), {}, (ctx) => {
    const isWanted = (each: AttemptRecord): boolean => cycle === undefined || each.cycle_id === cycle
    const { entries, ...rest } = pageAfter(ctx.attempts(), (each) => each.attempt_id, isWanted, page)
    return { attempts: entries, ...rest }
  })
}

const NAMES = ['id', 'provider', 'model', 'params', 'lens', 'for', 'options', 'request', 'keepRequest']
const ENDS = ['status', 'tokenIn', 'tokenOut', 'error']

/** Notes a provider call that has ended: what was sent, and how it went. */
export async function recordAttempt(desk: Desk, input: RecordAttemptInput): Promise<AttemptRecord> {
  const given = checkInput(input, [...NAMES, ...ENDS, ...READING])
  const status = oneOf(given, 'status', ['completed', 'canceled', 'error']) ?? 'completed'
  const usage = { tokenIn: wholeIn(given, 'tokenIn', 0), tokenOut: wholeIn(given, 'tokenOut', 0) }
  const error = objectIn(given, 'error')
  if (status === 'error' && error === undefined) throw invalid('error', 'error is missing: { name?, message }.')
  const to = await rendererFor(formatIn(given, 'for'))
  const lens = lensIn(given, 'lens')
  const { provider, model, params, options, request, keepRequest } = given
  const asked = { provider, model, params, lens, options, request, keepRequest, for: to } as AttemptInput
  const id = textOf(given, 'id')
  const record = await desk.read(id, readingOf(given), (ctx) => {
    const attempt = ctx.startAttempt(asked)
    if (status === 'completed') return attempt.complete(usage)
    return status === 'canceled' ? attempt.cancel() : attempt.fail(error)
  })
  await desk.alone(id, async (ctx) => {
    if (ctx instanceof StoredContext) await ctx.flush()
  })
  return record
}
