import type { DetailedDiffAnswer } from '../../api/index.js'
import { diffSnapshots } from '../../commands/index.js'
import { clipLine } from '../columns.js'
import { diffLines } from '../diff-lines.js'
import { flag } from '../given.js'
import type { Action } from '../spec.js'
import { UsageError } from '../usage-error.js'
import { inputOf } from '../endpoint-input.js'
import { noteAdvice } from './advice.js'

export const diff: Action = async (call) => {
  const { options, terminal } = call
  const isContent = flag(options, 'content')
  if (flag(options, 'stat') && isContent) throw new UsageError('--stat and --content do not go together.')
  const pool = await call.pool()
  const asked = inputOf(call, 'diff', ['id', 'a', 'b', 'selector'])
  const found = (await diffSnapshots(pool, { ...asked, detailed: true })) as DetailedDiffAnswer
  const { id, b, selector } = asked
  if (selector !== undefined && found.added.length + found.removed.length + found.changed.length === 0) {
    await noteAdvice(call, pool, { id, selector, at: b })
  }
  await call.answer(found, () => {
    const style = flag(options, 'stat') ? 'stat' : isContent ? 'content' : 'list'
    return diffLines(found, style).map((line) => clipLine(line, isContent ? Infinity : terminal.width))
  })
}
