// Keys of Chat Completions. Compatible servers have their own next to these, so all keys that came in the format are sent; with `unknown: 'drop'` these alone.

import type { NodeRecord } from '../../core/index.js'
import { anything, byKind, droppedKeys, fields, type Fit } from '../conversation/fit.js'
import { isObject, type PlainObject } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'

/** The keys of a message, in the order in which they are written. */
export const CHAT_KEYS: readonly string[] = [
  'role',
  'content',
  'refusal',
  'name',
  'audio',
  'function_call',
  'tool_calls',
  'tool_call_id',
]

/** An object with these keys, each of any value. */
function having(...keys: readonly string[]): Fit {
  return fields({}, Object.fromEntries(keys.map((key) => [key, anything])))
}

/** A part or a call whose data is under the key that its type names. */
function typed(type: string, data: Fit): Fit {
  const more = ['id', 'type', 'prompt_cache_breakpoint'].map((key) => [key, anything])
  return fields({}, { ...Object.fromEntries(more), [type]: data })
}

const KINDS: Readonly<Record<string, Fit>> = {
  text: typed('text', anything),
  refusal: typed('refusal', anything),
  image_url: typed('image_url', having('url', 'detail')),
  input_audio: typed('input_audio', having('data', 'format')),
  file: typed('file', having('file_data', 'file_id', 'filename')),
  function: typed('function', having('name', 'arguments')),
  custom: typed('custom', having('name', 'input')),
}
const PART = byKind('type', KINDS)
const MESSAGE = having(...CHAT_KEYS)

/** A part or a call as it is sent; `what` is how a repair calls it. */
export function knownPart(made: PlainObject, record: NodeRecord, out: RequestWriter, what: string): PlainObject {
  return known(made, PART, record, out, what)
}

/** The other keys of a message as they are sent. */
export function knownKeys(keys: PlainObject, record: NodeRecord, out: RequestWriter): PlainObject {
  return known(keys, MESSAGE, record, out, 'The message ')
}

function known(made: PlainObject, fit: Fit, record: NodeRecord, out: RequestWriter, what: string): PlainObject {
  if (!out.dropsUnknown) return made
  const dropped = droppedKeys(false)
  const fitted = fit(made, dropped)
  out.dropKeys(record, [...dropped], 'keys that are not known are left out', what)
  return isObject(fitted) ? fitted : made
}
