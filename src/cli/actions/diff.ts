import type { DetailedDiffAnswer } from '../../api/index.js'
import { diffSnapshots } from '../../commands/index.js'
import { clipLine } from '../columns.js'
import { diffLines } from '../diff-lines.js'
import { flag } from '../given.js'
import type { Action } from '../spec.js'
import { UsageError } from '../usage-error.js'
import { twin } from '../endpoint-input.js'

export const diff: Action = twin(
  'diff',
  ['id', 'a', 'b', 'selector'],
  diffSnapshots,
  (diff, { options, terminal }) => {
    const isContent = flag(options, 'content')
    const style = flag(options, 'stat') ? 'stat' : isContent ? 'content' : 'list'
    const lines = diffLines(diff as DetailedDiffAnswer, style)
    return lines.map((line) => clipLine(line, isContent ? Infinity : terminal.width))
  },
  ({ options }) => {
    if (flag(options, 'stat') && flag(options, 'content')) {
      throw new UsageError('--stat and --content do not go together.')
    }
    return { detailed: true }
  },
)
