import type { DetailedDiff, Lens } from '../../context/index.js'
import { diffSnapshots } from '../../commands/index.js'
import { clipLine } from '../columns.js'
import { diffLines } from '../diff-lines.js'
import { flag, word } from '../given.js'
import type { Action } from '../spec.js'
import { UsageError } from '../usage-error.js'

export const run: Action = async (call) => {
  const [isStat, isContent] = [flag(call.options, 'stat'), flag(call.options, 'content')]
  if (isStat && isContent) throw new UsageError('--stat and --content do not go together.')
  const [a, b] = [word(call, 1) as Lens, word(call, 2) as Lens]
  const selector = call.arguments[3]
  const input = { id: word(call, 0), a, b, detailed: true, ...(selector === undefined ? {} : { selector }) }
  const diff = await diffSnapshots(await call.desk(), input)
  // The answer is the JSON of a detailed diff, which has the same fields.
  const style = isStat ? 'stat' : isContent ? 'content' : 'list'
  await call.answer(diff, () =>
    diffLines(diff as unknown as DetailedDiff, style).map((line) =>
      clipLine(line, isContent ? Infinity : call.terminal.width),
    ),
  )
}
