// Words in the contents of a tree, or of all history.

import type { Answer } from '../api/index.js'
import { reportSource } from '../context/index.js'
import { WordSearch, type Hit } from '../reports/index.js'
import { PactError } from '../errors/index.js'
import { command } from './command.js'
import { boundsOf } from './cycles.js'
import type { OpenContext } from './pool.js'
import { withPast } from './sends.js'

type InTree = Extract<Answer<'search'>, { ids: readonly string[] }>

const HITS = 100
/** Ids in an answer about one tree. */
const IDS = 5000
/** Cycles of a page. */
const STRETCH = 500

/** Finds words in the contents of a tree; without one, of all snapshots, newest first. */
export const searchNodes = command('search', async (pool, input) => {
  const { id, words, at, before = Infinity, limit = HITS } = input
  if (words.trim() === '') throw new PactError('E_CONTENT_INVALID', 'words are empty.', { field: 'words' })
  const search = new WordSearch(words)
  if (at !== undefined) {
    return pool.read(input, (ctx): InTree => {
      const found = [...search.inTree(reportSource(ctx), at)]
      return {
        hits: found.slice(0, limit).map((hit) => withLife(ctx, hit)),
        ids: found.slice(0, IDS).map((hit) => hit.id),
        count: found.length,
      }
    })
  }
  // All history has no open cycle, but operations that cannot be applied are refused here as in every read.
  if (input.operations !== undefined) await pool.read(input, () => undefined)
  const { first, newest, thinned } = await boundsOf(pool, id)
  const to = thinned.previous(Math.min(newest, before - 1))
  if (newest === 0 || to < first) return { hits: [], cycles: 0 }
  const from = Math.max(first, thinned.back(to, STRETCH - 1))
  const page = await withPast(pool, id, from, to, (ctx) => {
    const source = reportSource(ctx)
    const found: Hit[] = []
    let cycle = to
    for (let count = 1; ; count++) {
      const older = cycle > first ? thinned.previous(cycle - 1) : undefined
      found.push(...search.inCycle(source, cycle, older))
      // A page ends with a cycle.
      if (cycle <= from || found.length >= limit || older === undefined) return { found, cycle, count }
      cycle = older
    }
  })
  const hits = await pool.read({ id }, (ctx) => page.found.slice(0, 10 * limit).map((hit) => withLife(ctx, hit)))
  return { hits, cycles: page.count, ...(page.cycle > first ? { next: page.cycle } : {}) }
})

/** A hit with the run of cycles that holds its text. */
function withLife(ctx: OpenContext, hit: Hit): InTree['hits'][number] {
  const run = ctx.life(hit.id).runs.findLast(({ from }) => from <= hit.cycle)
  return run === undefined || run.to < hit.cycle ? hit : { ...hit, ...run }
}
