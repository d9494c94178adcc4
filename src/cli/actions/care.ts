// `fsck`, `replay`, `retain` and `erase`: 1 where something was found.

import { oneLine } from '../../context/index.js'
import { eraseNodes, fsckStore, replayStore, type CommandOptions, type Progress as Told } from '../../commands/index.js'
import { count, flag, text, word } from '../given.js'
import { Progress } from '../progress.js'
import type { Action, Call } from '../spec.js'
import type { TextLine } from '../terminal.js'

export const fsck: Action = async (call) => {
  const id = call.arguments[0]
  const desk = await call.desk()
  const input = { ...(id === undefined ? {} : { id }), repair: flag(call.options, 'repair') }
  const report = await withProgress(call, 'fsck', 'not everything was read', (options) =>
    fsckStore(desk, input, options),
  )
  await call.answer(report, () => [
    ...report.problems.map(({ id, cycle, kind, message }): TextLine => {
      const where = [id === undefined ? 'the store' : oneLine(id), cycle === undefined ? '' : ` @c${cycle}`].join('')
      return [
        [kind === 'damage' ? 'bad' : 'warn', `${kind} `],
        ['bold', where],
        ['plain', `: ${oneLine(message)}`],
      ]
    }),
    [
      [report.ok ? 'good' : 'bad', report.ok ? 'sound' : count(report.problems.length, 'problem')],
      ['plain', `: ${count(report.rows, 'row')} of ${count(report.contexts, 'context')} read`],
      ['plain', report.repaired ? '; what is derived was made again' : ''],
    ],
  ])
  return report.ok ? 0 : 1
}

export const replay: Action = async (call) => {
  const id = call.arguments[0]
  const desk = await call.desk()
  const input = id === undefined ? {} : { id }
  const report = await withProgress(call, 'replay', 'not everything was rendered again', (options) =>
    replayStore(desk, input, options),
  )
  await call.answer(report, () => [
    ...report.differences.map(({ id, cycle, attempt, what, byte, message }): TextLine => {
      const where = `${oneLine(id)} @c${cycle}${attempt === undefined ? '' : ` ${oneLine(attempt)}`}`
      const at = byte < 0 ? '' : ` differs at byte ${count(byte)}`
      return [
        ['bad', where],
        ['plain', ` ${what}${at}: ${oneLine(message)}`],
      ]
    }),
    [
      [report.ok ? 'good' : 'bad', report.ok ? 'the same' : count(report.differences.length, 'difference')],
      [
        'plain',
        `: ${count(report.snapshots, 'snapshot')} and ${count(report.attempts, 'attempt')} of ${count(report.contexts, 'context')} rendered again`,
      ],
      [
        'plain',
        report.unknown === 0 ? '' : `; of ${count(report.unknown, 'attempt')} there is nothing to compare with`,
      ],
    ],
  ])
  return report.ok ? 0 : 1
}

export const erase: Action = async (call) => {
  const [author, reason] = [text(call.options, 'author'), text(call.options, 'reason')]
  const input = {
    id: word(call, 0),
    selector: word(call, 1),
    ...(author === undefined ? {} : { author }),
    ...(reason === undefined ? {} : { reason }),
  }
  const receipt = await eraseNodes(await call.desk(), input)
  await call.answer(receipt, () => [
    [['plain', 'What they said is gone from every snapshot, fork and attempt; ids, places and the chain stay.']],
    ...Object.entries(receipt).map(([name, value]): TextLine => [
      ['dim', `  ${oneLine(name)}: `],
      ['plain', oneLine(value, 200)],
    ]),
  ])
}

/** Shows how far it is while something is done. Ctrl-C ends it where it can be ended, and what that leaves undone is said. */
export async function withProgress<T>(
  call: Call,
  what: string,
  undone: string,
  work: (options: CommandOptions) => Promise<T>,
): Promise<T> {
  const progress = new Progress(call.terminal, what, call.isQuiet)
  const signal = call.interruptible()
  const onProgress = ({ id, done, total }: Told): void => progress.at(done, total, oneLine(id, 40))
  try {
    return await work({ signal, onProgress })
  } catch (error) {
    progress.end()
    if (error === signal.reason) call.terminal.note('warn', `Stopped: ${undone}.`)
    throw error
  } finally {
    progress.end()
  }
}
