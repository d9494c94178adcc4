// `retain`: thins out the past of a context.

import { retainSnapshots } from '../../commands/index.js'
import { count, number, text, word } from '../given.js'
import type { Action } from '../spec.js'
import { UsageError } from '../usage-error.js'
import { withProgress } from './care.js'

export const run: Action = async (call) => {
  const { options } = call
  const since = options['since']
  const keep = {
    newest: number(options, 'newest'),
    every: number(options, 'every'),
    since: since instanceof Date ? since.toISOString() : undefined,
  }
  if (Object.values(keep).every((each) => each === undefined))
    throw new UsageError('retain needs to know what stays: --newest, --every or --since.')
  const input = { id: word(call, 0), ...keep, author: text(options, 'author'), reason: text(options, 'reason') }
  const desk = await call.desk()
  const receipt = await withProgress(call, 'retain', 'nothing was thinned out', (told) =>
    retainSnapshots(desk, input, told),
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
  // Also where Ctrl-C came too late: it is done.
  return 0
}
