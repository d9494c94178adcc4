// `transfer`: a context with all its forks goes to another store.

import { oneLine } from '../../core/index.js'
import { count, flag, text, word } from '../given.js'
import { openAt } from '../open-store.js'
import type { Action } from '../spec.js'
import { UsageError } from '../usage-error.js'
import { withProgress } from './care.js'

export const run: Action = async (call) => {
  const { options } = call
  const to = text(options, 'to') ?? ''
  if (to === 'memory:') throw new UsageError('A store in memory: ends with this command, and the context with it.')
  if (to === call.address())
    throw new UsageError(`The context is in ${oneLine(to, 200)} already; --to names another store.`)
  const source = await call.store()
  const target = await openAt(to, 'make')
  try {
    const receipt = await withProgress(call, 'transfer', 'nothing was moved', ({ signal, onProgress }) =>
      source.move(word(call, 0), target, {
        deleteSource: flag(options, 'deleteSource'),
        author: text(options, 'author'),
        reason: text(options, 'reason'),
        signal,
        onProgress: ({ id, cycle, head }) => onProgress?.({ id, done: cycle, total: head }),
      }),
    )
    await call.answer(receipt, () => {
      const { contexts, commits, waited, deleted } = receipt
      const left = deleted ? '' : '; what is left here cannot be opened, and goes with --delete-source'
      return [
        [
          ['good', `${count(contexts.length, 'context')} moved to ${oneLine(receipt.to, 200)}`],
          ['plain', `: ${count(commits, 'commit')}; writers waited ${count(Math.ceil(waited))} ms${left}`],
        ],
      ]
    })
    // Also where Ctrl-C came too late: it is done.
    return 0
  } finally {
    await target.close()
  }
}
