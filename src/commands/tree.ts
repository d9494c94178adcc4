// The tree of a context, a window of rows at a time, and the names in it.

import { reportSource } from '../context/index.js'
import { PactError } from '../errors/index.js'
import type { Names, Tree } from '../api/index.js'
import { changeRows, changesApart, namesIn, treeRows, WordSearch } from '../reports/index.js'
import type { Lens } from '../core/index.js'
import { command } from './command.js'
import { withOther } from './other-context.js'
import { placeOf } from './pages.js'
import { shownLens } from './reads.js'
import type { OpenContext } from './pool.js'

const ROWS = 200
/** The bounds of a search: matches that are found, and nodes that are visited for them. */
const MATCHES = 10_000
const BOUNDS = { limit: MATCHES, maxVisits: 5_000_000 }

/** A window of rows, marked against another tree, with the nodes that left in their places. */
export const readTree = command('tree', (pool, input) => {
  const { open = [], closed = [], row = 0, rows = ROWS, from, find, q, ghosts = true, only = false } = input
  return pool.read(input, (ctx): Tree => {
    const at = input.at ?? shownLens(ctx, input)
    const matches = q === undefined ? undefined : matchesOf(ctx, at, q)
    return treeRows(reportSource(ctx), { at, from, open, closed, row, rows, find, ghosts, matches, only })
  })
})

/** A window of the changes between two trees. */
export const readChanges = command('changes', (pool, input) => {
  const { a: from, b: to, row = 0, rows = ROWS, find, without = [], other } = input
  const window = { from, to, row, rows, find, without }
  if (other !== undefined && other !== input.id)
    return withOther(pool, input, other, (_, sides) => changesApart(sides, window))
  return pool.read(input, (ctx) => changeRows(reportSource(ctx), window))
})

/** The beginnings of selectors; anything else is a text to search for. */
const SELECTOR = /^[\s]*[@^.#:[({+*!]/

function matchesOf(ctx: OpenContext, at: Lens, q: string): readonly string[] {
  const snapshot = ctx.snapshot(at)
  if (SELECTOR.test(q)) {
    const found: unknown = q.trimStart().startsWith('@') ? ctx.select(q, BOUNDS) : undefined
    if (found === undefined) return snapshot.select(q, BOUNDS)
    if (Array.isArray(found)) return found
    const message = 'A range of snapshots has no rows; ask select for it.'
    throw new PactError('E_SELECTOR_INVALID', message, { pos: 0, token: q })
  }
  const ids: string[] = []
  for (const { id } of new WordSearch(q).inTree(reportSource(ctx), at)) {
    ids.push(id)
    if (ids.length >= MATCHES) break
  }
  return ids
}

const NAMES_PAGE = 500

/** Types, keys, tags, roles, kinds and attributes of a tree, with counts; a page has `limit` of each. */
export const readNames = command('names', async (pool, input) => {
  const { limit = NAMES_PAGE } = input
  const skip = placeOf(input.cursor)
  return pool.read(input, (ctx): Names => {
    const { names, isLast } = namesIn(reportSource(ctx), input.at ?? shownLens(ctx, input), { skip, limit })
    return isLast ? names : { ...names, cursor: String(skip + limit) }
  })
})
