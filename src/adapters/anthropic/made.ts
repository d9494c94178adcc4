// Messages to Claude that were written, and what is made of them.

import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import type { Role } from './blocks.js'

/** A message that takes the place of another one, and comes from the same node. */
export function messageLike(role: Role, content: PlainValue, like: PlainObject, pen: Pen): PlainObject {
  const made = inOrder({ role, content })
  const node = pen.originOf(like)
  return node === undefined ? made : pen.comesFrom(made, node)
}

export function blocksIn({ content }: PlainObject): readonly PlainObject[] {
  return Array.isArray(content) ? (content as readonly PlainObject[]) : NONE
}

const NONE: readonly PlainObject[] = Object.freeze([])
