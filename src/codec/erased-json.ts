// Erasing nodes in the documents' form (D56), for records that keep nodes in this form, such as attempts.

import type { JsonObject } from '../core/index.js'
import { CALL_ID, EMPTIED, ERASED, RARE_NAMES, REFERENCE_NAMES, STANDS_FOR } from './document.js'

/** The nodes without the texts of erased ones; the same list if none is erased. */
export function erasedJson(nodes: readonly JsonObject[], ids: ReadonlySet<string>): readonly JsonObject[] {
  if (!nodes.some(({ id, [ERASED]: isErased }) => ids.has(id as string) && isErased !== true)) return nodes
  return Object.freeze(nodes.map((node) => (ids.has(node['id'] as string) ? withoutTexts(node) : node)))
}

function withoutTexts(node: JsonObject): JsonObject {
  const kept = Object.entries(node).filter(([name]) => KEPT.has(name))
  return Object.freeze(
    Object.fromEntries([...kept, ...(node['content'] === undefined ? [] : [['content', ''] as const]), [ERASED, true]]),
  )
}

/** The fields that stay: the place and the type of a node, without its texts. */
const KEPT: ReadonlySet<string> = new Set(
  [...REFERENCE_NAMES, 'creation_index', ...RARE_NAMES, CALL_ID, STANDS_FOR, EMPTIED].filter(
    (name) => name !== 'content' && name !== 'provenance',
  ),
)
