// Goes to the next changed row and wraps around.

import type { Session } from '../state/session.js'
import { fetchAnswer } from '../state/reads.js'
import { actionsOf } from './actions.js'
import { treeAsk } from './tree-ask.js'

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
