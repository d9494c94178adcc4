// `draft`: shows the saved operations of the open cycle, or drops them.

import { oneLine } from '../../core/index.js'
import { dropDraft, readDraft } from '../../commands/index.js'
import { clipLine } from '../columns.js'
import { count, flag, word } from '../given.js'
import type { Action } from '../spec.js'
import type { TextLine } from '../terminal.js'

export const draft: Action = async (call) => {
  const pool = await call.pool()
  const id = word(call, 0)
  if (flag(call.options, 'discard')) {
    const { deleted } = await dropDraft(pool, { id })
    await call.answer({ deleted }, () => [[[deleted ? 'good' : 'dim', deleted ? 'draft dropped' : 'no draft']]])
    return
  }
  const saved = await readDraft(pool, { id })
  await call.answer(saved, () => {
    const { version, cycle, behind, operations } = saved
    if (version === 0) return [[['dim', 'no draft']]]
    const late = behind ? '; another writer has committed since' : ''
    const head: TextLine = [['plain', `draft of cycle ${cycle}, ${count(operations.length, 'operation')}${late}`]]
    const lines = operations.map(({ op, ...rest }): TextLine => [
      ['time', op.padEnd(10)],
      ['plain', oneLine(JSON.stringify(rest))],
    ])
    return [head, ...lines].map((line) => clipLine(line, call.terminal.width))
  })
}
