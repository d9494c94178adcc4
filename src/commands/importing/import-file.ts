// A file with conversations into a store: one context for each, written whole or not at all. What could not be read is reported with its
// line, and the rest is imported all the same.

import { PactError, short } from '../../errors/index.js'
import type { Store, StoredContext } from '../../store/index.js'
import type { ImportFormat } from '../../formats/index.js'
import { findConversations, type FoundConversation } from './conversations.js'
import { Names } from './names.js'
import type { Unread } from './plan.js'
import type { Deed } from './play.js'
import { readConversation, readSession, type ReadConversation, type ReadOptions } from './read-conversation.js'
import { addNew } from './update.js'

export type ImportFileInput = Readonly<{
  chunks: AsyncIterable<Uint8Array>
  /** The id of a context whose conversation has none; with more than one, a number follows. */
  name: string
  /** The id of the contexts, instead of the ids in the file. */
  id?: string | undefined
  format?: ImportFormat | 'auto' | undefined
  /** Adds what is new where the context is there already; else that is refused. */
  update?: boolean | undefined
}>

export type ImportFileOptions = Readonly<{
  signal?: AbortSignal | undefined
  /** Called after each conversation. */
  onImported?: ((imported: ImportedContext) => void) | undefined
  /** Called while a conversation that was read is put into a context. */
  onStep?: ((done: number, total: number) => void) | undefined
  /** The largest length of a line, in bytes. */
  longest?: number | undefined
}>

export type ImportedContext = Readonly<{
  /** The line of the file that it begins on. */
  line: number
  id: string
  status: 'imported' | 'updated' | 'unchanged' | 'refused' | 'unreadable'
  format?: ImportFormat
  messages?: number
  /** Compactions and edits of the agent, if there are any. */
  compactions?: number
  edits?: number
  /** The newest cycle. */
  cycle?: number
  /** Messages that an update has added. */
  added?: number
  unread: readonly Unread[]
  error?: Readonly<{ code: string; message: string }>
}>

export type ImportedFile = Readonly<{
  contexts: readonly ImportedContext[]
  /** Lines with nothing in them that could be read. */
  unread: readonly Unread[]
  /** The import was stopped before its end. */
  stopped: boolean
}>

/** The result for one conversation, as it is reported. */
type Known = Readonly<{ line: number; id: string }>

/** Imports what a stream of bytes holds. */
export async function importFile(
  store: Store,
  input: ImportFileInput,
  options: ImportFileOptions = {},
): Promise<ImportedFile> {
  const { signal, onImported, onStep, longest } = options
  const contexts: ImportedContext[] = []
  const unread: Unread[] = []
  const names = new Names(input)
  const take = async (found: FoundConversation, isOnly: boolean): Promise<void> => {
    const known = { line: found.line, id: names.of(found, isOnly) }
    const imported = await importOne(store, input, found, known, { signal, onStep })
    contexts.push(imported)
    onImported?.(imported)
  }
  // The id of the first depends on whether there is a second, so it waits for the second.
  let waiting: FoundConversation | undefined
  for await (const found of findConversations(input.chunks, { longest })) {
    if (signal?.aborted === true) return { contexts, unread, stopped: true }
    if (!('body' in found)) unread.push({ line: found.line, what: found.reason })
    else {
      if (waiting !== undefined) await take(waiting, false)
      waiting = found
    }
  }
  if (signal?.aborted === true) return { contexts, unread, stopped: true }
  if (waiting !== undefined) await take(waiting, contexts.length === 0)
  return { contexts, unread, stopped: false }
}

async function importOne(
  store: Store,
  { format, update = false }: ImportFileInput,
  found: FoundConversation,
  known: Known,
  { signal, onStep }: Pick<ImportFileOptions, 'signal' | 'onStep'>,
): Promise<ImportedContext> {
  let read: ReadConversation
  try {
    read = readFound(found, { format: found.format ?? format, options: { id: known.id }, onStep })
  } catch (error) {
    return { ...known, status: 'unreadable', unread: found.unread, error: toldOf(error) }
  }
  const { messages } = read
  const unread = [...found.unread, ...read.unread.map(whatIs)]
  const about = { ...known, format: read.format, messages, ...changesIn(read.deeds), unread }
  try {
    const { cycle } = await store.put(read.context, known.id)
    return { ...about, status: 'imported', cycle }
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_CONFLICT') throw error
    if (!update) {
      const message = `The context ${short(known.id)} is there already; --update adds what is new in the file, --id gives another name.`
      return { ...about, status: 'refused', error: { code: 'E_CONFLICT', message } }
    }
  }
  if (read.format === 'pact') {
    const message = `The context ${short(known.id)} is there already, and an export is a state, not a log that goes on; --id gives another name.`
    return { ...about, status: 'refused', error: { code: 'E_CONFLICT', message } }
  }
  try {
    const stored: StoredContext = await store.open(known.id, { history: 1 })
    const added = await addNew(stored, read.deeds, signal)
    return { ...about, status: added === 0 ? 'unchanged' : 'updated', added, cycle: stored.cycle - 1 }
  } catch (error) {
    return { ...about, status: 'refused', error: toldOf(error) }
  }
}

function readFound({ body, session, format }: FoundConversation, given: ReadOptions): ReadConversation {
  return session !== undefined && format !== undefined
    ? readSession(session, format, given)
    : readConversation(body, given)
}

function changesIn(deeds: readonly Deed[]): Pick<ImportedContext, 'compactions' | 'edits'> {
  const count = (wanted: string): number => deeds.filter((deed) => 'why' in deed && deed.why === wanted).length
  const [compactions, edits] = [count('compaction'), count('edit')]
  return { ...(compactions === 0 ? {} : { compactions }), ...(edits === 0 ? {} : { edits }) }
}

/** Errors of a conversation are reported; errors of the store end the import. */
function toldOf(error: unknown): Readonly<{ code: string; message: string }> {
  if (!PactError.is(error) || error.code === 'E_STORE' || error.code === 'E_INTERNAL') throw error
  return { code: error.code, message: error.message }
}

function whatIs(what: string): Unread {
  return { what }
}
