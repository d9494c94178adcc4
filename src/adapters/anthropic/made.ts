// Messages to Claude that were written, and whose they are: what is done to them later is told of their nodes.

import type { NodeRecord } from '../../core/index.js'
import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Role } from './blocks.js'

/** The node of a message that was written, for what is done to it later. */
const nodes = new WeakMap<PlainObject, NodeRecord>()

export function nodeOf(made: PlainObject): NodeRecord | undefined {
  return nodes.get(made)
}

/** A message that is known to be a node's; `like` is one whose place it takes. */
export function messageLike(role: Role, content: PlainValue, like: PlainObject): PlainObject {
  const made = inOrder({ role, content })
  const node = nodes.get(like)
  if (node !== undefined) nodes.set(made, node)
  return made
}

export function setNode(made: PlainObject, record: NodeRecord): void {
  nodes.set(made, record)
}

export function blocksIn({ content }: PlainObject): readonly PlainObject[] {
  return Array.isArray(content) ? (content as readonly PlainObject[]) : []
}
