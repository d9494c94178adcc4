// Reads a file that may be damaged: the same bytes as it once held, an error that says so, or something else.

import fs from 'node:fs'

import { PactError } from '../../../dist/index.js'
import { faultsOf, OPTIONS, storeAt, sumsOf, told } from './files.mjs'

/**
 * @typedef {{ id: string, sums: [number, string][], attempts: string, answers: string }} Known what a whole file shows of a context
 * @typedef {'same' | 'reported' | 'found by fsck' | 'other bytes' | 'other attempts' | 'crash'} Verdict
 */

/**
 * @param {string} file
 * @param {string} known a file with what was there, as JSON
 * @returns {Promise<{ verdict: Verdict, text: string }>}
 */
export async function examine(file, known) {
  const expected = /** @type {readonly Known[]} */ (JSON.parse(fs.readFileSync(known, 'utf8')))
  /** @type {import('../../../dist/store/index.js').Store | undefined} */
  let store
  try {
    const opened = (store = storeAt(file))
    /** @type {Known[]} */
    const found = []
    const { contexts } = await opened.list({ limit: 1000 })
    const ids = new Set([...contexts, ...expected].map(({ id }) => id))
    for (const id of ids) found.push(await shownBy(opened, id))
    const differing = differences(expected, found)
    if (differing === undefined) return { verdict: 'same', text: '' }
    const faults = await faultsOf(file, opened)
    if (faults.length > 0) return { verdict: 'found by fsck', text: faults.join(' ') }
    return { ...differing }
  } catch (error) {
    // In words that say what it is.
    const isTold = PactError.is(error) && error.code === 'E_STORE' && error.details['reason'] !== 'driver'
    if (isTold) return { verdict: 'reported', text: told(error) }
    return { verdict: 'crash', text: error instanceof Error ? String(error.stack) : told(error) }
  } finally {
    await store?.close().catch(() => undefined)
  }
}

/**
 * All that a context shows.
 * @param {import('../../../dist/store/index.js').Store} store
 * @param {string} id
 * @returns {Promise<Known>}
 */
export async function shownBy(store, id) {
  const ctx = await store.open(id, OPTIONS)
  const answers = []
  for (const key of ['key 5', 'key 15', 'key 25', 'key 35']) answers.push((await ctx.answerTo(key)) ?? null)
  return { id, sums: [...sumsOf(ctx)], attempts: JSON.stringify(ctx.attempts()), answers: JSON.stringify(answers) }
}

/**
 * @param {readonly Known[]} expected
 * @param {readonly Known[]} found
 * @returns {{ verdict: Verdict, text: string } | undefined}
 */
function differences(expected, found) {
  const wanted = new Map(expected.map((each) => [each.id, each]))
  const ids = new Set([...expected, ...found].map(({ id }) => id))
  for (const id of ids) {
    const [was, is] = [wanted.get(id), found.find((each) => each.id === id)]
    if (was === undefined || is === undefined) return { verdict: 'other bytes', text: `context ${id}` }
    if (JSON.stringify(was.sums) !== JSON.stringify(is.sums))
      return { verdict: 'other bytes', text: `snapshots of ${id}` }
  }
  for (const id of ids) {
    const [was, is] = [wanted.get(id), found.find((each) => each.id === id)]
    if (was?.attempts !== is?.attempts) return { verdict: 'other attempts', text: `attempts of ${id}` }
    if (was?.answers !== is?.answers) return { verdict: 'other attempts', text: `answers of ${id}` }
  }
  return undefined
}
