import { oneLine } from '../../core/index.js'
import type { CycleLine } from '../../api/index.js'
import { logCycles } from '../../commands/index.js'
import { clipLine } from '../columns.js'
import { number, word } from '../given.js'
import type { Action } from '../spec.js'
import type { TextLine } from '../terminal.js'

const PAGE = 200
/** The default on a terminal; a pipe gets all. */
const SHOWN = 500

export const log: Action = async (call) => {
  const { terminal, options, json } = call
  const pool = await call.pool()
  const id = word(call, 0)
  const { cycle: newest, draft } = await pool.state(id)
  const widest = String(newest).length
  const isStreamed = json === undefined && !terminal.isTTY
  const most = number(options, 'limit') ?? (terminal.isTTY && json === undefined ? SHOWN : Infinity)
  const cycles: CycleLine[] = []
  let shown = 0
  let before = number(options, 'before')
  do {
    const limit = Math.min(PAGE, most - shown)
    const page = await logCycles(pool, { id, limit, before })
    shown += page.cycles.length
    if (isStreamed) await terminal.lines(page.cycles.map((line) => lineOf(line, widest)))
    else cycles.push(...page.cycles)
    before = page.before
  } while (before !== undefined && shown < most && !terminal.isBroken)
  if (isStreamed) return
  await call.answer({ cycles }, () => {
    const open = draft === true ? [OPEN] : []
    if (cycles.length === 0) return [...open, [['dim', 'Nothing was committed yet.']]]
    const lines = [...open, ...cycles.map((line) => clipLine(lineOf(line, widest), terminal.width))]
    const older: TextLine = [['dim', `older ones: --before ${before}`]]
    return before === undefined ? lines : [...lines, older]
  })
}

const OPEN: TextLine = [['dim', 'The open cycle has saved edits: pctx draft shows them.']]

function lineOf({ cycle, createdAt, words }: CycleLine, widest: number): TextLine {
  const at = createdAt === null ? '' : `${createdAt.slice(0, 19).replace('T', ' ')}  `
  return [
    ['time', `@c${cycle}`.padEnd(widest + 4)],
    ['dim', at],
    ['plain', oneLine(words)],
  ]
}
