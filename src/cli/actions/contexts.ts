// `fork`, `rm` and `attempts`.

import { PactError } from '../../errors/index.js'
import { oneLine } from '../../context/index.js'
import { forkContext, listAttempts, removeContext } from '../../commands/index.js'
import { allPages, restLines } from '../all-pages.js'
import { table, tabbed } from '../columns.js'
import { flag, lens, number, text, word } from '../given.js'
import type { Action } from '../spec.js'
import { missing } from '../missing.js'

export const fork: Action = async (call) => {
  const newId = text(call.options, 'id') ?? ''
  const made = await forkContext(await call.desk(), { id: word(call, 0), ...lens(call, 1), newId })
  await call.answer(made, () => [
    [
      ['good', oneLine(made.id)],
      ['plain', ` at cycle ${made.cycle}`],
    ],
  ])
}

export const rm: Action = async (call) => {
  const id = word(call, 0)
  const desk = await call.desk()
  const removed = await removeContext(desk, { id, forks: flag(call.options, 'forks') }).catch(inWordsOfThisDoor)
  if (!removed.deleted) throw missing(id)
  await call.answer(removed, () => [[['plain', `${oneLine(id)} is gone, with all its past.`]]])
}

/** What is an option of the call is a flag here. */
function inWordsOfThisDoor(error: unknown): never {
  if (!PactError.is(error) || error.details['forks'] === undefined) throw error
  throw new PactError(error.code, error.message.replace('{ forks: true }', '--forks'), error.details)
}

export const attempts: Action = async (call) => {
  const cycle = number(call.options, 'cycle')
  const asked = { id: word(call, 0), ...(cycle === undefined ? {} : { cycle }) }
  const desk = await call.desk()
  const { entries: found, ...rest } = await allPages(call, async (page) => {
    const { attempts: entries, ...next } = await listAttempts(desk, { ...asked, ...page })
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
    if (rows.length === 0) return [[['dim', 'No attempts.']]]
    const columns = ['attempt', 'sent', 'provider', 'model', 'status', 'in', 'out'].map((title) => ({ title }))
    return [...table(columns, rows, call.terminal.width), ...restLines(rest.cursor)]
  })
}
