// Messages that were written for Claude, and the node each of them is.

import type { NodeRecord } from '../../core/index.js'
import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Role } from './blocks.js'

/** For what is done to a message after it was written. */
const nodes = new WeakMap<PlainObject, NodeRecord>()

export function nodeOf(made: PlainObject): NodeRecord | undefined {
  return nodes.get(made)
}

export function madeOf(made: PlainObject, node: NodeRecord): void {
  nodes.set(made, node)
}

/** A message that is known to be a node's; `like` is one whose place it takes. */
export function messageLike(role: Role, content: PlainValue, like: PlainObject): PlainObject {
  const made = inOrder({ role, content })
  const node = nodes.get(like)
  if (node !== undefined) nodes.set(made, node)
  return made
}

export function blocksIn({ content }: PlainObject): readonly PlainObject[] {
  return Array.isArray(content) ? (content as readonly PlainObject[]) : []
}
