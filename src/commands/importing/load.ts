// Importing needs every adapter, so it is loaded on demand.

import type { Store } from '../../store/index.js'
import type { ImportedFile, ImportFileInput, ImportFileOptions } from './import-file.js'

/** Imports what a stream of bytes holds into a store: one context for each conversation. */
export async function importFile(
  store: Store,
  input: ImportFileInput,
  options: ImportFileOptions = {},
): Promise<ImportedFile> {
  const importing = await import('./import-file.js')
  return importing.importFile(store, input, options)
}
