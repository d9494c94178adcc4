// Where a store is; the folder of the usual one is made.

import fs from 'node:fs'
import path from 'node:path'

import { PactError } from '../errors/index.js'
import { UsageError } from './usage-error.js'

/** Opens what an address names. A store that is not there is made with its folder, or, for whoever only reads, is an empty one. */
export async function storeAt<T>(address: string, mayMake: boolean, open: (address: string) => Promise<T>): Promise<T> {
  const file = /^sqlite:(?:\/\/(?=.))?(.+)$/s.exec(address)?.[1]
  if (file !== undefined && !fs.existsSync(file)) {
    if (!mayMake) return open('memory:')
    try {
      makeFolder(path.dirname(path.resolve(file)))
    } catch (cause) {
      const message = `The folder of the store ${address} cannot be made.`
      throw new PactError('E_STORE', message, { reason: 'folder' }, { cause })
    }
  }
  try {
    return await open(address)
  } catch (error) {
    if (PactError.is(error) && error.details['name'] === 'url') throw new UsageError(error.message, { cause: error })
    throw error
  }
}

/** One after another: where none can be made, as under /proc, Node's own `recursive` tries for ever. */
function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    fs.mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!fs.existsSync(folder)) throw error
  }
}
