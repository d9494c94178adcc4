// The contract of a store: everything its users rely on, as cases for any test runner.

import type { Store } from 'pact-context/store'

import { casesOf, type ContractCase, type ContractOptions } from './contract.js'
import { ATTEMPTS } from './store-attempts.js'
import { COMMITS, KEYS } from './store-commits.js'
import { CLOSING, DELETING, LISTING, OPENING, PUTTING } from './store-contexts.js'
import { DRAFTS } from './store-drafts.js'
import { ERASING } from './store-erasing.js'
import { FORKS } from './store-forks.js'
import { REBASE } from './store-rebase.js'
import { REOPENING } from './store-reopening.js'
import { RETAINING } from './store-retaining.js'
import { WATCHING } from './store-watching.js'

/**
 * Returns the promises that callers of a store rely on, as cases to run on a `Store` over your own database. The cases are independent; each gets
 * its own database and rejects with a sentence if the store breaks the promise. With vitest or jest:
 *
 * @example
 * ```ts no-run: needs a test runner
 * import { MemoryRows, Store } from 'pact-context/store'
 * import { storeContract } from 'pact-context/testing'
 * import { test } from 'vitest' // or '@jest/globals'
 *
 * const place = () => {
 *   const rows = new MemoryRows()
 *   return { open: () => new Store(rows) }
 * }
 * for (const { name, run } of storeContract({ name: 'my store', place })) test(name, run)
 * ```
 *
 * @example
 * ```ts no-run: needs a test runner
 * import test from 'node:test'
 * import { openStore } from 'pact-context/store'
 * import { storeContract } from 'pact-context/testing'
 *
 * const place = () => ({ open: () => openStore('memory:') })
 * for (const { name, run } of storeContract({ name: 'memory', place, reopens: false })) test(name, run)
 * ```
 */
export function storeContract(options: ContractOptions<Store>): readonly ContractCase[] {
  const alone = [
    OPENING,
    PUTTING,
    LISTING,
    DELETING,
    CLOSING,
    COMMITS,
    KEYS,
    FORKS,
    REBASE,
    WATCHING,
    ERASING,
    RETAINING,
    DRAFTS,
  ]
  return casesOf(options, options.reopens === false ? alone : [...alone, ATTEMPTS, REOPENING])
}
