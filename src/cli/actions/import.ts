import fs from 'node:fs'
import path from 'node:path'

import { oneLine } from '../../core/index.js'
import type { ImportFormat } from '../../api/index.js'
import { importFile, type ImportedContext, type ImportedFile, type Unread } from '../../commands/index.js'
import { checkFile, count, flag, openFile, text } from '../given.js'
import { Progress } from '../progress.js'
import type { Action, Call } from '../spec.js'
import type { Style, TextLine } from '../terminal.js'
import { UsageError } from '../usage-error.js'

/** The largest number of unreadable lines in a list. */
const LISTED = 10

export const read: Action = async (call) => {
  const files = call.rest
  const id = text(call.options, 'id')
  if (id !== undefined && files.length > 1)
    throw new UsageError('--id names the contexts of one file; there are several.')
  if (files.filter((file) => file === '-').length > 1) throw new UsageError('Standard input can be read once.')
  // All files are checked first, so that a mistyped name imports nothing.
  for (const file of files) if (file !== '-') checkFile(file)
  const store = await call.store()
  const signal = call.interruptible()
  const results: (ImportedFile & Readonly<{ file: string }>)[] = []
  for (const file of files) {
    if (signal.aborted) break
    const progress = new Progress(call.terminal, `import ${path.basename(file)}`, call.isQuiet)
    const size = file === '-' ? 0 : fs.statSync(file).size
    let [read, done] = [0, 0]
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of openFile(call, file, signal)) {
        read += chunk.length
        progress.at(read, size, count(done, 'conversation'))
        yield chunk
      }
    }
    const onImported = (): void => {
      done += 1
      progress.at(read, size, count(done, 'conversation'))
    }
    const onStep = (at: number, of: number): void => {
      if (read >= size) progress.at(at, of, `${count(at)} of ${count(of, 'message')}`)
    }
    const format = text(call.options, 'format') as ImportFormat | 'auto' | undefined
    const name = nameOf(file)
    const update = flag(call.options, 'update')
    const result = await importFile(
      store,
      { chunks: counted(), name, id, format, update },
      { signal, onImported, onStep },
    )
    progress.end()
    results.push({ file, ...result })
    if (call.json === undefined) await tell(call, file, result)
  }
  if (call.json !== undefined) await call.answer({ files: results }, () => [])
  if (signal.aborted) {
    call.terminal.note('warn', 'Stopped. What is listed is there, whole; --update goes on from it.')
    return 130
  }
  return results.every(isGood) ? 0 : 1
}

/** The id of a conversation without one. */
export function nameOf(file: string): string {
  return file === '-' ? 'stdin' : path.basename(file).replace(/(?:\.(?:jsonl?|ndjson|txt))?(?:\.gz)?$/i, '')
}

function isGood({ contexts, unread }: ImportedFile): boolean {
  return (
    unread.length === 0 &&
    contexts.length > 0 &&
    contexts.every(({ status }) => status !== 'refused' && status !== 'unreadable')
  )
}

async function tell(call: Call, given: string, { contexts, unread, stopped }: ImportedFile): Promise<void> {
  const file = given === '-' ? 'standard input' : given
  await call.terminal.lines(contexts.flatMap(linesOf))
  for (const line of unreadLines(unread)) call.terminal.note('warn', oneLine(`${file}, ${line}`))
  if (contexts.length === 0 && unread.length === 0 && !stopped) {
    call.terminal.note('bad', oneLine(`There is no conversation in "${file}".`))
  }
}

const STYLES: Readonly<Record<ImportedContext['status'], Style>> = {
  imported: 'good',
  updated: 'good',
  unchanged: 'dim',
  refused: 'bad',
  unreadable: 'bad',
}

function linesOf({
  line,
  id,
  status,
  format,
  messages,
  compactions = 0,
  edits = 0,
  cycle,
  added,
  unread,
  error,
}: ImportedContext): readonly TextLine[] {
  const about =
    error?.message ??
    [
      format,
      count(messages ?? 0, 'message'),
      ...(compactions === 0 ? [] : [count(compactions, 'compaction')]),
      ...(edits === 0 ? [] : [count(edits, 'edit')]),
      ...(added === undefined ? [] : [`${count(added)} new`]),
      `cycle ${cycle ?? 0}`,
    ].join(', ')
  return [
    [
      [STYLES[status], `${status} `],
      ['bold', oneLine(id)],
      ['plain', ` ${oneLine(about)}`],
      ['dim', error === undefined ? '' : ` (line ${line})`],
    ],
    ...unreadLines(unread).map((each): TextLine => [['dim', `  not read: ${oneLine(each)}`]]),
  ]
}

/** Unreadable parts, grouped. */
export function unreadLines(unread: readonly Unread[]): readonly string[] {
  const byWhat = new Map<string, number[]>()
  for (const { what, line } of unread)
    byWhat.set(what, [...(byWhat.get(what) ?? []), ...(line === undefined ? [] : [line])])
  const lines = [...byWhat].map(([what, lines]) => {
    if (lines.length === 0) return what
    const more = lines.length > LISTED ? ` and ${count(lines.length - LISTED)} more` : ''
    return `line${lines.length > 1 ? 's' : ''} ${lines.slice(0, LISTED).join(', ')}${more}: ${what}`
  })
  return lines.length > LISTED ? [...lines.slice(0, LISTED), `and ${count(lines.length - LISTED)} other things`] : lines
}
