// One node by its id, or by a selector that finds just one.

import { invalid, PactError, short } from '../errors/index.js'
import type { Lens } from '../core/index.js'
import type { View } from '../timeline/index.js'
import { adviceOn } from './empty-answer.js'
import type { Queries } from './query.js'

/** The beginnings of selectors. No id that the engine makes starts like one; an id of the caller's own that exists comes first. */
const SELECTS = /^(?:[#.+*^[{(:@]|d\d)/

/** The id that a text is, or that of the one node that it selects in a tree. */
export function oneNode(view: View, text: string, lens: Lens, queries: Queries): string {
  if (!SELECTS.test(text) || view.find(text) !== undefined || view.departureOf(text) !== undefined) return text
  if (text.startsWith('@')) {
    throw invalid('node', `${short(text)} begins with a time prefix; give the lens by itself, after the node.`)
  }
  const found = queries.nodes(text, { limit: 4 }, view).map(({ id }) => id)
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    const advice = adviceOn(text, queries.dialect, true)
    const message = `Nothing in ${lens} matches ${short(text)}.${advice === '' ? '' : ` ${advice}`}`
    throw new PactError('E_NODE_NOT_FOUND', message, { id: text, lens })
  }
  const some = found.slice(0, 3).join(', ')
  throw invalid(
    'node',
    `${short(text)} finds several nodes in ${lens}, and one is wanted: ${some}${found.length > 3 ? ', …' : ''}.`,
  )
}
