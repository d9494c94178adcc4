// A conversation from elsewhere, or an export, becomes a context of the store.

import { PactError, short } from '../errors/index.js'
import type { JsonValue } from '../context/index.js'
import { IMPORT_FORMATS } from '../formats/index.js'
import type { Imported, ImportInput } from './answers.js'
import { checkInput, invalid, oneOf, textOf } from './check.js'
import type { Desk } from './desk.js'

/** Reads a conversation into a new context, committed turn by turn; E_CONFLICT where the id is taken. */
export async function importConversation(desk: Desk, input: ImportInput): Promise<Imported> {
  const given = checkInput(input, ['id', 'format', 'body', 'dialect'])
  const id = textOf(given, 'id')
  const format = oneOf(given, 'format', ['auto', ...IMPORT_FORMATS]) ?? 'auto'
  const dialect = oneOf(given, 'dialect', ['1.0', '0.1'])
  if (given['body'] === undefined) throw invalid('body', 'body is missing: the conversation, as text or as JSON.')
  const store = desk.store('Importing')
  if ((await store.find(id)) !== undefined) {
    throw new PactError('E_CONFLICT', `There is a context ${short(id)} already; choose another id.`, { id })
  }
  const { readConversation } = await import('./importing/index.js')
  const options = dialect === undefined ? { id } : { id, dialect }
  // Text of ours is read as text, so that its numbers stay exact.
  const body = given['body'] as JsonValue
  const read = readConversation(typeof body === 'string' && format !== 'pact' ? parsed(body) : body, {
    format,
    options,
  })
  const { cycle } = await store.put(read.context, id)
  const warnings = read.context.warnings.map(({ message }) => message)
  return { id, cycle, format: read.format, unread: [...read.unread, ...warnings] }
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    // The parser's own message quotes what it read.
    throw invalid('body', 'The body is no JSON.')
  }
}
