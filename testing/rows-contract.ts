// The contract of a database: every promise of the `Rows` port, as cases for any test runner.

import type { Rows } from 'pact-context/store'

import { casesOf, type ContractCase, type ContractOptions } from './contract.js'
import { ATTEMPTS, DERIVED } from './rows-beside.js'
import { CHANGED } from './rows-changed.js'
import { ANSWERS, BYTES, COMMITS, READING } from './rows-commits.js'
import { CONNECTIONS } from './rows-connections.js'
import { DRAFTS } from './rows-drafts.js'
import { ERASING, MOVING } from './rows-erasing.js'
import { DELETING, FORKS, LISTING, MAKING } from './rows-contexts.js'

/**
 * Returns the promises that `pact-context/store` relies on, as cases to run on your own `Rows`. The cases are independent; each gets
 * its own database and rejects with a sentence if the database breaks the promise. With vitest or jest:
 *
 * @example
 * ```ts no-run: needs a test runner
 * import { MemoryRows } from 'pact-context/store'
 * import { rowsContract } from 'pact-context/testing'
 * import { test } from 'vitest' // or '@jest/globals'
 *
 * const place = () => {
 *   const rows = new MemoryRows()
 *   return { open: () => rows }
 * }
 * for (const { name, run } of rowsContract({ name: 'my database', place })) test(name, run)
 * ```
 *
 * @example
 * ```ts no-run: needs a test runner
 * import test from 'node:test'
 * import { MemoryRows } from 'pact-context/store'
 * import { rowsContract } from 'pact-context/testing'
 *
 * for (const { name, run } of rowsContract({ name: 'my database', place: () => ({ open: () => new MemoryRows() }), reopens: false })) {
 *   test(name, run)
 * }
 * ```
 */
export function rowsContract(options: ContractOptions<Rows>): readonly ContractCase[] {
  const alone = [
    MAKING,
    FORKS,
    LISTING,
    DELETING,
    COMMITS,
    ANSWERS,
    READING,
    BYTES,
    ATTEMPTS,
    DERIVED,
    CHANGED,
    ERASING,
    MOVING,
    DRAFTS,
  ]
  return casesOf(options, options.reopens === false ? alone : [...alone, CONNECTIONS])
}
