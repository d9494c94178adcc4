// What a model thought goes back as it came, since its provider signs it. One that an edit changed, a redaction of a word, cannot.

import { canonicalJson, sha256Hex } from '../../codec/index.js'
import type { JsonValue, NodeRecord } from '../../core/index.js'
import { ATTRIBUTES } from './names.js'

export function digestOf(content: JsonValue): string {
  return sha256Hex(canonicalJson(content)).slice(0, 16)
}

/** Whether a thought is the one that was imported; of one that was written by hand nobody knows better. */
export function isAsThought({ content = '', rare }: NodeRecord): boolean {
  const digest = rare?.attributes?.get(ATTRIBUTES.thought)
  return digest === undefined || digest === digestOf(content)
}
