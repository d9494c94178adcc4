// The keys of a Chat Completions message beside its content. Those that nobody knows are kept, since servers that speak this
// format have keys of their own (`reasoning_content`); known ones that say what they cannot say are not.

import type { JsonValue } from '../../core/index.js'
import type { Message } from '../conversation/neutral.js'
import { isObject, type PlainObject } from '../conversation/plain-json.js'
import { plainOf, type Pen } from '../conversation/request-format.js'

/** In the order in which they are written. */
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

/** What a key may say where it stands in an envelope; calls and the ids of results are nodes, and stand there only if they are none. */
const MAY_BE: Readonly<Record<string, (value: JsonValue, role: string | undefined) => boolean>> = {
  role: () => false,
  content: () => false,
  name: (value) => typeof value === 'string',
  refusal: (value, role) => value === null || (typeof value === 'string' && role === 'assistant'),
  audio: (value, role) =>
    value === null || (isObject(value) && typeof value['id'] === 'string' && role === 'assistant'),
  function_call: (value) => value === null,
  tool_calls: () => false,
  tool_call_id: () => false,
}

/** The other keys of a message that came from this format, without those that would be refused. */
export function chatKeys(message: Message, pen: Pen): PlainObject {
  const { envelope, record, role } = message
  const refused = Object.keys(envelope).filter(
    (key) => Object.hasOwn(MAY_BE, key) && !MAY_BE[key]!(envelope[key]!, role),
  )
  if (refused.length === 0) return plainOf(envelope, record, pen) as PlainObject
  pen.note(
    'dropped-key',
    record,
    `The message ${record.id} is sent without ${refused.join(', ')}: it would be refused.`,
  )
  const kept = Object.fromEntries(Object.entries(envelope).filter(([key]) => !refused.includes(key)))
  return plainOf(kept, record, pen) as PlainObject
}
