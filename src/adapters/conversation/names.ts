// Attributes of imported messages, under names that all adapters share, so that every adapter reads what another one imported.

import { canonicalJson, sha256Hex } from '../../codec/index.js'
import type { JsonValue, NodeRecord } from '../../core/index.js'

/** Attributes of the nodes that adapters make and read. */
export const ATTRIBUTES = {
  /** On a message: the format it came in. */
  format: 'data_format',
  /** On a message: how its content stood there, where the nodes do not tell. */
  form: 'data_form',
  /** On a message: its other keys. */
  message: 'data_message',
  /** On a container in `^sys` that says nothing itself: keys of the request other than its messages. */
  request: 'data_request',
  /** On a text part: its other keys. */
  part: 'data_part',
  /** On a thought: a digest of it, by which one that was changed is known; its provider takes it to the letter or not at all. */
  thought: 'data_thought',
  /** On a call and on its results: what ties them together. */
  callId: 'data_call_id',
  /** On a result: the name of the tool, for formats that ask for it. */
  toolName: 'data_tool_name',
  /** True on a result whose tool failed, where the content does not say it. */
  error: 'data_error',
} as const

/** Forms of the content of a message: a list of parts, one text, null, nothing at all, or another value. */
export const FORMS = ['list', 'text', 'null', 'absent', 'value'] as const

export type Form = (typeof FORMS)[number]

export function digestOf(content: JsonValue): string {
  return sha256Hex(canonicalJson(content)).slice(0, 16)
}

/** True if a thought is the one that was imported, or was written by hand: a provider takes back no other. */
export function isAsThought({ content = '', rare }: NodeRecord): boolean {
  const digest = rare?.attributes?.get(ATTRIBUTES.thought)
  return digest === undefined || digest === digestOf(content)
}
