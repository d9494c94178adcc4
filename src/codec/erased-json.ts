// What is left of nodes in the documents' form when what they said was taken out (D56), for whoever keeps such a form.

import type { JsonObject } from '../core/index.js'
import { ERASED } from './document.js'

/** Nodes in the documents' form without what was erased; the same list where nothing was. */
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

/** What says where a node stands and what it is, and nothing of what it says. */
const KEPT: ReadonlySet<string> = new Set([
  'id',
  'nodeType',
  'offset',
  'ttl',
  'priority',
  'cycle',
  'created_at_ns',
  'created_at_iso',
  'creation_index',
  'role',
  'kind',
  'key',
  'tags',
  'refs',
  'supersedes',
  'removable',
  'pinned',
  'cad',
  'data_call_id',
  'pact:stands_for',
  'pact:emptied',
])
