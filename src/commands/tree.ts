// The tree of a context, a window of rows at a time, and the names in it.

import { PactError } from '../errors/index.js'
import { namesIn, treeRows, type Lens } from '../context/index.js'
import type { Names, NamesInput, Tree, TreeInput } from './tree-answers.js'
import { checkInput, flagIn, lensIn, READING, readingOf, textIn, textOf, textsIn, wholeIn } from './check.js'
import type { Desk } from './desk.js'
import { pageIn, PAGING, placeOf } from './pages.js'
import { shownLens } from './reads.js'
import type { OpenContext } from './trial.js'

const ROWS = 200
const MOST = 1000
/** How many matches are looked for. */
const MATCHES = 10_000
/** How many nodes are looked at for them. */
const VISITS = 5_000_000
const BOUNDS = { limit: MATCHES, maxVisits: VISITS }

const NAMES = ['id', 'at', 'from', 'open', 'closed', 'row', 'rows', 'find', 'q', 'only', 'ghosts']

/** A window of rows: what is open, marked against another tree, with what left in its place. */
export async function readTree(desk: Desk, input: TreeInput): Promise<Tree> {
  const given = checkInput(input, [...NAMES, ...READING])
  const reading = readingOf(given)
  const open = given['open'] === 'all' ? 'all' : (textsIn(given, 'open') ?? [])
  const q = textIn(given, 'q')
  const [row, rows] = [wholeIn(given, 'row', 0) ?? 0, wholeIn(given, 'rows', 0, MOST) ?? ROWS]
  return desk.read(textOf(given, 'id'), reading, (ctx): Tree => {
    const at = lensIn(given, 'at') ?? shownLens(ctx, reading.operations !== undefined)
    return treeRows(ctx, {
      at,
      from: lensIn(given, 'from'),
      open,
      closed: textsIn(given, 'closed') ?? [],
      row,
      rows,
      find: textIn(given, 'find'),
      ghosts: flagIn(given, 'ghosts') ?? true,
      matches: q === undefined ? undefined : matchesOf(ctx, at, q),
      only: flagIn(given, 'only') ?? false,
    })
  })
}

/** What a selector begins with; anything else is a text to look for. */
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
  const wanted = q.toLowerCase()
  const ids: string[] = []
  for (const { id, content } of snapshot.thread()) {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    if (text.toLowerCase().includes(wanted)) ids.push(id)
    if (ids.length >= MATCHES) break
  }
  return ids
}

/** How many names of each sort are told where nobody says. */
const NAMES_PAGE = 500

/** Types, keys, tags, roles, kinds and attributes of a tree, with counts; a page has so many of each. */
export async function readNames(desk: Desk, input: NamesInput): Promise<Names> {
  const given = checkInput(input, ['id', 'at', ...PAGING, ...READING])
  const reading = readingOf(given)
  const page = pageIn(given, NAMES_PAGE)
  const skip = placeOf(page)
  return desk.read(textOf(given, 'id'), reading, (ctx): Names => {
    const lens = lensIn(given, 'at') ?? shownLens(ctx, reading.operations !== undefined)
    const { names, isLast } = namesIn(ctx, lens, { skip, limit: page.limit })
    return isLast ? names : { ...names, cursor: String(skip + page.limit) }
  })
}
