// Which contexts there are. A file of its own: it needs nothing of what contexts are made of, and what only lists is to start fast.

import type { ContextList, ListContextsInput } from './answers.js'
import { checkInput } from './check.js'
import type { Desk } from './desk.js'
import { pageIn, PAGING } from './pages.js'

const PAGE = 100

/** Lists contexts in the order of their ids, a page at a time. */
export async function listContexts(desk: Pick<Desk, 'list'>, input: ListContextsInput = {}): Promise<ContextList> {
  const { limit, cursor } = pageIn(checkInput(input, PAGING), PAGE)
  const { contexts, next } = await desk.list(limit, cursor)
  return next === undefined ? { contexts } : { contexts, cursor: next }
}
