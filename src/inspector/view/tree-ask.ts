// The tree's questions to the server, and the way to the next changed row.

import type { Ask } from '../api/http.js'
import * as routes from '../api/routes.js'
import type { Tree } from '../../api/index.js'
import type { Session } from '../state/session.js'
import type { At } from '../state/link.js'
import { askedAt, type Query } from '../words/selector.js'
import { fetchAnswer } from '../state/reads.js'
import { actionsOf } from './actions.js'

/** Number of matches whose turns are opened. */
const MOST_MATCHED = 200

/** The question for a range of rows of the moment in view, or around a node. */
export function treeAsk(
  { place, moment, before, tree, edits, selection }: Session,
  row: number | string,
  rows: number,
): Ask<Tree> | null {
  const { context } = place.value
  const at = moment.value
  if (at === null) return null
  const query = selection.query.value
  // A selector with its own time may be about another tree.
  const q = tree.onlyMatches.value ? asSought(query, at) : null
  return routes.tree(
    context,
    {
      at,
      from: before(at),
      open: tree.all.value
        ? 'all'
        : [...tree.opened.value, ...tree.matched.value.filter((id) => !tree.opened.value.includes(id))],
      closed: tree.closed.value,
      ghosts: tree.ghosts.value,
      rows,
      ...(typeof row === 'string' ? { find: row } : { row }),
      ...(q === null ? {} : { q, only: true }),
    },
    edits.draft.value,
  )
}

/** The question of the tree: a selector or words. */
function asSought(query: Query, at: At): string | null {
  if (query.kind === 'words') return query.words
  return query.kind === 'here' ? askedAt(query, at)!.selector : null
}

/** The question for the turns that hold matches, so that they can be opened. */
export function matchedTurnsAsk({ place, moment, edits, selection }: Session): Ask<Tree> | null {
  const query = selection.query.value
  const at = moment.value
  const q = at === null ? null : asSought(query, at)
  if (at === null || q === null) return null
  const params = { at, from: null, open: [], closed: [], ghosts: false, row: 0, rows: MOST_MATCHED, q, only: true }
  return routes.tree(place.value.context, params, edits.draft.value)
}

/** Goes to the next changed row and wraps around. */
export async function nextChange(session: Session): Promise<void> {
  const { place } = session
  const node = place.peek().node
  const question = node === null ? treeAsk(session, 0, 1) : treeAsk(session, node, 1)
  const answer = question === null ? undefined : await fetchAnswer(question).catch(() => undefined)
  const { changed = [], found = -1 } = answer ?? {}
  const row = changed.find((each) => each > found) ?? changed[0]
  if (row === undefined) return session.say('Nothing changed here.')
  const there = treeAsk(session, row, 1)
  const target = there === null ? undefined : (await fetchAnswer(there).catch(() => undefined))?.rows[0]
  if (target !== undefined) actionsOf(session).pick(target.id)
}
