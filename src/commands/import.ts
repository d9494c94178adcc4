// Makes contexts of the store from conversations or exports. Importing needs every adapter, so it is loaded on demand.

import { PactError, short, invalid } from '../errors/index.js'
import type { JsonValue } from '../core/index.js'
import { command } from './command.js'
import type { Store } from '../store/index.js'
import type { ImportedFile, ImportFileInput, ImportFileOptions } from './importing/import-file.js'
import type { PortableConversation, PortableFile } from './importing/portable.js'
import type { Context } from '../context/index.js'

/** Reads a conversation into a new context, committed turn by turn; E_CONFLICT if the id is taken. */
export const importConversation = command('import', async (pool, input, options) => {
  const { id, format = 'auto', body, dialect } = input
  const store = pool.store('Importing')
  if ((await store.find(id)) !== undefined) {
    throw new PactError('E_CONFLICT', `There is a context ${short(id)} already; choose another id.`, { id })
  }
  const { readWithPauses } = await import('./importing/read-conversation.js')
  // Our own export is read as text, so that its numbers stay exact.
  const conversation = typeof body === 'string' && format !== 'pact' ? parsed(body) : body
  const asked = { format, options: dialect === undefined ? { id } : { id, dialect } }
  return pool.slices.run(options, async (pause) => {
    const read = await readWithPauses(conversation, asked, pause)
    const { signal } = options
    signal?.throwIfAborted()
    const { cycle } = await store.put(read.context, id, signal === undefined ? {} : { signal })
    const warnings = read.context.warnings.map(({ message }) => message)
    return { id, cycle, format: read.format, unread: [...read.unread, ...warnings] }
  })
})

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    // The parser's own message quotes what it read.
    throw invalid('body', 'The body is no JSON.')
  }
}

/** Imports what a stream of bytes holds into a store: one context for each conversation. */
export async function importFile(
  store: Store,
  input: ImportFileInput,
  options: ImportFileOptions = {},
): Promise<ImportedFile> {
  const importing = await import('./importing/import-file.js')
  return importing.importFile(store, input, options)
}

/** The conversations of a file as JSON for a page without a server, and what could not be read. */
export async function portableFile(
  input: Pick<ImportFileInput, 'chunks' | 'name'>,
  options: Readonly<{ salt?: string | undefined; signal?: AbortSignal | undefined }> = {},
): Promise<PortableFile> {
  const importing = await import('./importing/portable.js')
  return importing.portableFile(input, options)
}

/** The context of such a conversation. */
export async function readPortable(given: PortableConversation): Promise<Context> {
  const importing = await import('./importing/portable.js')
  return importing.readPortable(given).context
}
