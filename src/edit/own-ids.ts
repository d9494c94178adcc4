// A list of edits in which the nodes that the list itself makes are named by their place: the same request, made again later, has other
// ids for them, and is the same request all the same.

import type { Dialect } from '../core/index.js'
import { renameIn } from './rename.js'

/** Operations as `operations()` gives them, without the ids they gave out, and with own nodes named by edit and place. */
export function operationsByPlace(operations: readonly object[], dialect: Dialect): readonly object[] {
  const places = new Map<string, string>()
  return operations.map((operation, n) => {
    const { made, opened, ...said } = operation as Readonly<{ made?: unknown; opened?: unknown }>
    textsOf(opened).forEach((id, i) => places.set(id, `opened:${i}`))
    const named = renameIn(said as never, places, dialect)
    // From the end: the nodes that were asked for come last, and a container that was missing before them may be there now.
    const ids = textsOf(made)
    ids.forEach((id, i) => places.set(id, `made:${n}-${ids.length - i}`))
    return named
  })
}

function textsOf(ids: unknown): readonly string[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}
