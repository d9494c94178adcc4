import fs from 'node:fs'
import path from 'node:path'

import { oneLine } from '../../core/index.js'
import { portableFile, type ImportedFile, type PortableConversation, type Unread } from '../../commands/index.js'
import { checkFile, count, flag, number, openFile, text } from '../given.js'
import { keyWords, printNewLinks } from '../new-links.js'
import { openBrowser } from '../open-browser.js'
import type { Action, Call } from '../spec.js'
import { UsageError } from '../usage-error.js'
import { nameOf, unreadLines } from './import.js'
import { ended } from './serve.js'

/** Shows files in the inspector: from memory, or as one page without a server. */
export const open: Action = async (call) => {
  const html = text(call.options, 'html')
  const isRedacted = flag(call.options, 'redact')
  if (isRedacted && html === undefined) throw new UsageError('--redact is for a page to share: give --html too.')
  for (const file of call.rest) if (file !== '-') checkFile(file)
  return html === undefined ? serve(call) : write(call, html, isRedacted)
}

async function serve(call: Call): Promise<number> {
  const { serveFiles } = await import('../serving.js')
  const signal = call.interruptible()
  const files = call.rest.map((file) => ({ name: nameOf(file), chunks: openFile(call, file, signal) }))
  const { results, serve: start } = await serveFiles(files, { signal, port: number(call.options, 'port') ?? 0 })
  for (const [i, result] of results.entries()) {
    const { contexts } = result
    const left = contexts.reduce((sum, { unread }) => sum + unread.length, 0)
    const empty = contexts.flatMap(({ line, messages }) => (messages === 0 ? [line] : []))
    noteUnread(call, call.rest[i]!, { unread: unreadIn(result), left, empty, found: contexts.length })
  }
  const ids = results.flatMap(({ contexts }) => contexts.filter(({ cycle }) => cycle !== undefined).map(({ id }) => id))
  if (signal.aborted) return 130
  if (ids.length === 0) throw nothing()
  const { url, link, newLink, close } = await start()
  if (call.options['open'] !== false) openBrowser(call.terminal, link)
  await call.answer({ url, link, contexts: ids }, () => [
    [
      ['plain', `${count(ids.length, 'conversation')} at `],
      ['place', url],
      ['dim', ', in memory only'],
    ],
    [
      ['plain', 'Open this in your browser; it works once: '],
      ['bold', link],
    ],
    [['dim', keyWords(call)]],
  ])
  const stop = printNewLinks(call, newLink)
  await ended(signal)
  stop()
  await close()
  return 0
}

async function write(call: Call, file: string, isRedacted: boolean): Promise<number> {
  const { pageOf } = await import('../serving.js')
  const signal = call.interruptible()
  const salt = isRedacted ? crypto.randomUUID() : undefined
  const conversations = new Map<string, PortableConversation>()
  for (const given of call.rest) {
    const input = { name: nameOf(given), chunks: openFile(call, given, signal) }
    const found = await portableFile(input, { salt, signal })
    noteUnread(call, given, { ...found, found: found.conversations.length })
    for (const each of found.conversations) {
      let id = each.id
      for (let n = 2; conversations.has(id); n++) id = `${each.id}-${n}`
      conversations.set(id, { ...each, id })
    }
  }
  if (signal.aborted) return 130
  if (conversations.size === 0) throw nothing()
  const page = pageOf([...conversations.values()])
  fs.writeFileSync(file, page)
  const ids = [...conversations.keys()]
  await call.answer({ file, bytes: Buffer.byteLength(page), contexts: ids, redacted: isRedacted }, () => [
    [
      ['plain', `${count(ids.length, 'conversation')} in `],
      ['bold', oneLine(path.relative('', file))],
      ['plain', `, ${count(Math.ceil(Buffer.byteLength(page) / 1024))} KB, without a server`],
      ['dim', isRedacted ? '; every text is masked' : '; it holds every text of the files'],
    ],
  ])
  return 0
}

function nothing(): UsageError {
  return new UsageError('There is no conversation in these files that can be read.', { isOfWords: false })
}

function unreadIn({ contexts, unread }: ImportedFile): readonly Unread[] {
  const faults = contexts.flatMap(({ line, error }) => (error === undefined ? [] : [{ line, what: error.message }]))
  return [...unread, ...faults]
}

type Found = Readonly<{ unread: readonly Unread[]; left: number; empty: readonly number[]; found: number }>

/** Says what of a file is not in the page: `left` counts the entries of its conversations that could not be read. */
function noteUnread(call: Call, file: string, { unread, left, empty, found }: Found): void {
  const name = file === '-' ? 'standard input' : file
  const note = (words: string): void => call.terminal.note('warn', oneLine(words))
  const told = [...unread, ...empty.map((line) => ({ line, what: 'It has no messages.' }))]
  for (const line of unreadLines(told)) note(`${name}, ${line}`)
  if (left > 0)
    note(
      `${name}: ${count(left, 'entry', 'entries')} of it ${left === 1 ? 'is' : 'are'} not shown; pctx import says why.`,
    )
  if (found === 0 && unread.length === 0) note(`There is no conversation in "${name}".`)
}
