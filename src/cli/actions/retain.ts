// `retain`: thins out the history of a context.

import { retainSnapshots } from '../../commands/index.js'
import { inputOf } from '../endpoint-input.js'
import { count } from '../given.js'
import type { Action } from '../spec.js'
import { UsageError } from '../usage-error.js'
import { withProgress } from './care.js'

export const run: Action = async (call) => {
  const input = inputOf(call, 'retain', ['id'])
  if (input.newest === undefined && input.every === undefined && input.since === undefined) {
    throw new UsageError('retain needs to know what stays: --newest, --every or --since.')
  }
  const pool = await call.pool()
  const receipt = await withProgress(call, 'retain', 'nothing was thinned out', (options) =>
    retainSnapshots(pool, input, options),
  )
  await call.answer(receipt, () => {
    const { thinned, kept, needed, texts } = receipt
    const because = needed.length === 0 ? '' : `; ${count(needed.length)} of them since forks or attempts need them`
    return [
      [
        ['good', `${count(thinned, 'snapshot')} thinned out`],
        ['plain', `, ${count(kept)} kept${because}; ${count(texts, 'text')} gone that none of these shows`],
      ],
    ]
  })
  // Also if Ctrl-C came too late: it is done.
  return 0
}
