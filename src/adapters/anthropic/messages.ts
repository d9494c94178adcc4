// Written messages: their blocks, and messages that take the place of others.

import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import type { Role } from './kinds.js'

/** A message that takes the place of another one, and comes from the same node. */
export function messageLike(role: Role, content: PlainValue, like: PlainObject, out: RequestWriter): PlainObject {
  const made = inOrder({ role, content })
  const node = out.originOf(like)
  return node === undefined ? made : out.comesFrom(made, node)
}

export function blocksIn({ content }: PlainObject): readonly PlainObject[] {
  return Array.isArray(content) ? (content as readonly PlainObject[]) : NONE
}

const NONE: readonly PlainObject[] = Object.freeze([])
