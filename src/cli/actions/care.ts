// `fsck`, `replay`, `erase`, `retain` and `transfer`. The first two end with 1 if something is wrong.

import { PactError } from '../../errors/index.js'
import type { Answer } from '../../api/index.js'
import { oneLine } from '../../core/index.js'
import {
  eraseNodes,
  fsckStore,
  replayStore,
  type CommandOptions,
  type Progress as Reported,
  retainSnapshots,
} from '../../commands/index.js'
import { inputOf, twin } from '../endpoint-input.js'
import { count, flag, text, word } from '../given.js'
import { Progress } from '../progress.js'
import type { Action, Call } from '../spec.js'
import type { TextLine } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { openAt } from '../open-store.js'
import { noteAdvice } from './advice.js'

export const fsck: Action = async (call) => {
  const pool = await call.pool().catch(damageOf)
  const input = inputOf(call, 'fsck', ['id'])
  const report =
    'problems' in pool
      ? pool
      : await withProgress(call, 'fsck', 'not everything was read', (options) => fsckStore(pool, input, options))
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

/** A store that is too damaged to be opened has one problem. */
function damageOf(error: unknown): Answer<'fsck'> {
  if (!PactError.is(error) || error.details['reason'] !== 'damaged') throw error
  const problems = [{ kind: 'damage', message: error.message }] as const
  return { ok: false, contexts: 0, rows: 0, problems, repaired: false }
}

export const replay: Action = async (call) => {
  const pool = await call.pool()
  const input = inputOf(call, 'replay', ['id'])
  const report = await withProgress(call, 'replay', 'not everything was rendered again', (options) =>
    replayStore(pool, input, options),
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
  try {
    return await eraseFound(call)
  } catch (error) {
    // The error does not quote the selector, which may name what is to be erased. Only the terminal says more.
    const { id, selector } = inputOf(call, 'erase', ['id', 'selector'])
    if (PactError.is(error) && error.code === 'E_NODE_NOT_FOUND')
      await noteAdvice(call, await call.pool(), { id, selector })
    throw error
  }
}

const eraseFound = twin('erase', ['id', 'selector'], eraseNodes, (receipt) => [
  [['plain', 'What they said is gone from every snapshot, fork and attempt; ids, places and the chain stay.']],
  ...Object.entries(receipt).map(([name, value]): TextLine => [
    ['dim', `  ${oneLine(name)}: `],
    ['plain', oneLine(value, 200)],
  ]),
])

/** Shows the progress of some work. Ctrl-C ends the work if it can be ended, and a note says what was left undone. */
async function withProgress<T>(
  call: Call,
  what: string,
  undone: string,
  work: (options: CommandOptions) => Promise<T>,
): Promise<T> {
  const progress = new Progress(call.terminal, what, call.isQuiet)
  const signal = call.interruptible()
  const onProgress = ({ id, done, total }: Reported): void => progress.at(done, total, oneLine(id, 40))
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

/** Thins out the history of a context. */
export const retain: Action = async (call) => {
  const input = inputOf(call, 'retain', ['id'])
  if (input.newest === undefined && input.every === undefined && input.since === undefined) {
    throw new UsageError('retain needs to know what stays: --newest, --every or --since.')
  }
  const pool = await call.pool()
  const receipt = await withProgress(call, 'retain', 'nothing was thinned out', (options) =>
    retainSnapshots(pool, input, options),
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
  // Also if Ctrl-C came too late: it is done.
  return 0
}

export const transfer: Action = async (call) => {
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
