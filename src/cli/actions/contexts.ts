// `fork`, `rm` and `attempts`.

import { PactError } from '../../errors/index.js'
import { oneLine } from '../../core/index.js'
import { forkContext, listAttempts, missingContext, removeContext } from '../../commands/index.js'
import { allPages, restLines } from '../all-pages.js'
import { table, tabbed } from '../columns.js'
import { isConfirmed } from '../confirm.js'
import { inputOf } from '../endpoint-input.js'
import { flag } from '../given.js'
import type { Action } from '../spec.js'

export const fork: Action = async (call) => {
  const { readOnly: _, ...made } = await forkContext(await call.pool(), inputOf(call, 'fork', ['from', 'lens']))
  await call.answer(made, () => [
    [
      ['good', oneLine(made.id)],
      ['plain', ` at cycle ${made.cycle}`],
    ],
  ])
}

export const rm: Action = async (call) => {
  const input = inputOf(call, 'delete', ['id'])
  const { id, forks = false } = input
  const isSure = flag(call.options, 'yes')
  const what = `${oneLine(id)} with all its past${forks ? ' and its forks' : ''}`
  if (!isSure && !(await isConfirmed(call, `Remove ${what}, for good?`))) {
    call.terminal.note('warn', 'Nothing was removed.')
    return 1
  }
  const removing = flag(call.options, 'moved')
    ? call.store().then(async (store) => ({ deleted: await store.delete(id, { forks, moved: true }) }))
    : call.pool().then((pool) => removeContext(pool, input))
  const removed = await removing.catch(namingTheFlag)
  if (!removed.deleted) throw missingContext(id)
  await call.answer(removed, () => [[['plain', `${oneLine(id)} is gone, with all its past.`]]])
  return 0
}

/** The library names an option; the terminal has a flag for it. */
function namingTheFlag(error: unknown): never {
  if (!PactError.is(error) || error.details['forks'] === undefined) throw error
  throw new PactError(error.code, error.message.replace('{ forks: true }', '--forks'), error.details)
}

export const attempts: Action = async (call) => {
  const input = inputOf(call, 'attempts', ['id'])
  const pool = await call.pool()
  const { entries: found, ...rest } = await allPages(call, async (page) => {
    const { attempts: entries, ...next } = await listAttempts(pool, { ...input, ...page })
    return { entries, ...next }
  })
  await call.answer({ attempts: found, ...rest }, () => {
    const rows = found.map((each) => [
      oneLine(each.attempt_id),
      `@c${each.base_cycle ?? 0}`,
      oneLine(each.provider),
      oneLine(each.model),
      each.status,
      oneLine(each.token_in ?? ''),
      oneLine(each.token_out ?? ''),
    ])
    if (!call.terminal.isTTY) return tabbed(rows)
    if (rows.length === 0)
      return [[['dim', 'No attempts. A program records them with ctx.startAttempt; an import has none.']]]
    const columns = ['attempt', 'sent', 'provider', 'model', 'status', 'in', 'out'].map((title) => ({ title }))
    return [...table(columns, rows, call.terminal.width), ...restLines(rest.cursor)]
  })
}
