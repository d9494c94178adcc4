// An item that came from the Responses API, exactly as the tree holds it.

import type { NodeRecord } from '../../core/index.js'
import { ATTRIBUTES } from '../conversation/names.js'
import {
  byKeys,
  isObject,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { Part } from '../conversation/neutral.js'
import { formOf, objectIn } from '../conversation/read-part.js'
import { NODE } from './response-read.js'

/** The keys of an item, in the order in which they are written. */
export const ITEM_ORDER: readonly string[] = ['type', 'id', 'role', 'status', 'phase', 'content', 'call_id', 'name']

/** True if a node is a message, and not an item that its content is. */
export function isMessageNode({ kind }: NodeRecord): boolean {
  return kind === NODE.message || kind === NODE.input || kind === NODE.instructions
}

export function heldItem(record: NodeRecord): PlainObject {
  const { content = '', role } = record
  if (!isMessageNode(record)) {
    return isObject(content) ? byKeys(ITEM_ORDER, plainObject(content)) : asMessage(role ?? 'user', plainJson(content))
  }
  const values: Record<string, PlainValue> = { ...plainObject(objectIn(record, ATTRIBUTES.message) ?? {}) }
  if (role !== undefined) values['role'] = role
  if (formOf(record) !== 'absent') values['content'] = plainJson(content)
  return record.kind === NODE.input ? asInput(byKeys(ITEM_ORDER, values), record) : byKeys(ITEM_ORDER, values)
}

/** Somebody put a text in the place of an item. */
function asMessage(role: string, content: PlainValue): PlainObject {
  return byKeys(ITEM_ORDER, { role, content })
}

/** Messages that were a whole input: alone they are one again. */
const inputs = new WeakMap<object, NodeRecord>()

export function asInput(item: PlainObject, record: NodeRecord): PlainObject {
  inputs.set(item, record)
  return item
}

/** The text that an item alone is, if it came as one. */
export function oneText(item: PlainObject): Readonly<{ text: string; record: NodeRecord }> | undefined {
  const record = inputs.get(item)
  const { content } = item
  return record !== undefined && typeof content === 'string' ? { text: content, record } : undefined
}

/** Neighbouring parts of one node. */
export function byNode(parts: readonly Part[]): readonly (readonly Part[])[] {
  const runs: Part[][] = []
  for (const part of parts) {
    if (runs.at(-1)?.[0]!.record === part.record) runs.at(-1)!.push(part)
    else runs.push([part])
  }
  return runs
}
