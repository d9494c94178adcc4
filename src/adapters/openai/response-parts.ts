// The parts of a Responses message or output: as they came where they came in this format, else made of what all formats share; and items as the tree
// holds them.

import type { NodeRecord } from '../../core/index.js'
import { isImage, isPlayed, urlOf } from '../conversation/media.js'
import { ATTRIBUTES, type MediaPart, type Part, type TextPart } from '../conversation/neutral.js'
import {
  byKeys,
  isObject,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import { formOf, objectIn } from '../conversation/read-part.js'
import { withKeys, type CarryingForm } from '../conversation/write-part.js'
import { partsBy } from './response-kinds.js'
import { NODE, RESPONSES } from './response-read.js'

/** A part of what a role says, if it may say it. What is in an output of a tool is input. */
export const ITEM_FORM: CarryingForm = {
  name: 'the Responses API',
  part: (part, record, role, out) => {
    const isOutput = role === 'assistant'
    const { raw, shape } = part
    const fit = partsBy(isOutput ? 'assistant' : 'user')
    const own = shape === RESPONSES && isObject(raw) ? withKeys(raw, fit, record, out) : undefined
    if (own !== undefined && !hasLostDetail(own, raw)) return own
    if (part.kind === 'text') return textPart(part, isOutput)
    return part.kind === 'media' && !isOutput ? mediaPart(part) : undefined
  },
  user: (content) => byKeys(ITEM_ORDER, { role: 'user', content }),
}

/** True for a picture without the detail that it came with: the types ask for one, and an edit may have changed its name or its word. */
function hasLostDetail({ type, detail, ...own }: PlainObject, raw: unknown): boolean {
  const isBare = type === 'input_image' && detail === undefined && own['image_url'] !== undefined
  return isBare && Object.keys(raw as object).length > Object.keys(own).length + 1
}

function textPart({ text }: Omit<TextPart, 'record'>, isOutput: boolean): PlainObject {
  return plainObject(isOutput ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text })
}

function mediaPart(part: Omit<MediaPart, 'record'>): PlainObject | undefined {
  const { source, mediaType, filename } = part
  if (isImage(part)) return plainObject({ type: 'input_image', image_url: urlOf(part), detail: 'auto' })
  if (isPlayed(part)) return undefined
  if (source.kind === 'url') return plainObject({ type: 'input_file', file_url: source.url })
  const data = urlOf({ source, mediaType: mediaType ?? 'application/pdf' })
  return plainObject({ type: 'input_file', file_data: data, filename: filename ?? 'file' })
}

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
