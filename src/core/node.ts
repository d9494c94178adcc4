// The node that callers hold: one node as one lens shows it. It is frozen, and its values never change. The interface of token counters is
// here too, since they get a node.

import type { JsonObject, JsonValue } from './json.js'

export interface Node {
  readonly id: string
  readonly nodeType: string
  /** The id of the parent; only the root has none. */
  readonly parentId: string | undefined
  readonly offset: number
  /** Snapshots left, as this lens shows it; null stays for good. */
  readonly ttl: number | null
  readonly cad: number | undefined
  readonly priority: number
  readonly cycle: number
  readonly createdAtNs: bigint
  readonly createdAtIso: string
  readonly creationIndex: number
  readonly role: string | undefined
  readonly kind: string | undefined
  readonly key: string | undefined
  readonly tags: readonly string[]
  /** Undefined where the node has none, as most containers do. */
  readonly content: JsonValue | undefined
  readonly contentHash: string
  readonly refs: readonly string[]
  readonly supersedes: string | undefined
  readonly removable: boolean
  readonly pinned: boolean
  readonly provenance: JsonValue | undefined
  /** `data_*`, `content_*`, namespaced and unknown imported names. */
  readonly attributes: Readonly<Record<string, JsonValue>>
  /** In canonical order; empty for blocks. */
  readonly children: readonly Node[]
  /** One line about it. */
  toString(): string
  /** The specification's names, with plain numbers, so that JSON.stringify works. */
  toJSON(): JsonObject
}

/**
 * Counts the tokens of one node's content: text as it is, anything else as canonical JSON, base64 left out. The count may depend
 * on the text and on the fields that the content hash covers (content, role, kind, `data_*`, `content_*`): equal ones are counted
 * once.
 */
export interface CountTokens {
  (text: string, node: Node): number
  /** A number that changes when the counter begins to answer differently; everything is then counted again. */
  readonly revision?: number | undefined
  /** True if counting costs less than looking up an earlier count. */
  readonly isQuick?: boolean | undefined
}
