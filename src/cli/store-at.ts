// Opens the store at an address, and makes its folder.

import fs from 'node:fs'
import path from 'node:path'

import { sqliteFile } from '../core/index.js'
import { PactError } from '../errors/index.js'
import { UsageError } from './usage-error.js'

/**
 * The use of a store: 'make' may make a missing one, 'write' needs one, 'read' writes nothing, and 'try' reads, and takes a missing one for an
 * empty one.
 */
export type StoreUse = 'make' | 'write' | 'read' | 'try'

/** Opens the store at an address. */
export async function storeAt<T>(
  address: string,
  use: StoreUse,
  open: (address: string, options: Readonly<{ readOnly: boolean }>) => Promise<T>,
): Promise<T> {
  const file = sqliteFile(address, process.platform) ?? ''
  const isMissing = file !== '' && !fs.existsSync(file)
  if (isMissing && use === 'try') return open('memory:', { readOnly: false })
  if (isMissing && use === 'make') {
    try {
      makeFolder(path.dirname(path.resolve(file)))
    } catch (cause) {
      const message = `The folder of the store ${address} cannot be made.`
      throw new PactError('E_STORE', message, { reason: 'folder' }, { cause })
    }
  }
  // A missing store that may not be made is refused by opening it read-only.
  const readOnly = use === 'read' || use === 'try' || (isMissing && use === 'write')
  try {
    return await open(address, { readOnly })
  } catch (error) {
    if (PactError.is(error) && error.details['name'] === 'url') throw new UsageError(error.message, { cause: error })
    throw error
  }
}

/** Makes a folder and its parents. Node's own `recursive` tries for ever under /proc, where none can be made. */
function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  const parent = path.dirname(folder)
  // A drive of Windows that does not exist is its own parent.
  if (parent !== folder) makeFolder(parent)
  try {
    fs.mkdirSync(folder)
  } catch (error) {
    // Another process may have just made it.
    if (!fs.existsSync(folder)) throw error
  }
}
