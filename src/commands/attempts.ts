// Attempts: the records of provider calls, listed and added.

import { invalid } from '../errors/index.js'
import type { AttemptRecord } from '../api/index.js'
import type { AttemptInput } from '../attempts/index.js'
import { isStored } from './pool.js'
import { command } from './command.js'
import { rendererFor } from './formats.js'
import { pageAfter } from './pages.js'

const PAGE = 100

/** The records of attempts, oldest first, a page at a time: of one cycle, or of all. */
export const listAttempts = command('attempts', (pool, { id, cycle, limit = PAGE, cursor }) =>
  pool.read({ id }, (ctx) => {
    const isWanted = (each: AttemptRecord): boolean => cycle === undefined || each.cycle_id === cycle
    const { entries, ...rest } = pageAfter(ctx.attempts(), (each) => each.attempt_id, isWanted, { limit, cursor })
    return { attempts: entries, ...rest }
  }),
)

/** Records a provider call that has ended: the request and the outcome. */
export const recordAttempt = command('recordAttempt', async (pool, input) => {
  const { id, base, operations, status = 'completed', tokenIn, tokenOut, error, for: format, ...asked } = input
  if (status === 'error' && error === undefined) throw invalid('error', 'error is missing: { name?, message }.')
  const attempted = { ...asked, for: await rendererFor(format) } as AttemptInput
  const record = await pool.read({ id, base, operations }, (ctx) => {
    const attempt = ctx.startAttempt(attempted)
    if (status === 'completed') return attempt.complete({ tokenIn, tokenOut })
    return status === 'canceled' ? attempt.cancel() : attempt.fail(error)
  })
  await pool.alone(id, async (ctx) => {
    if (isStored(ctx)) await ctx.flush()
  })
  return record
})
