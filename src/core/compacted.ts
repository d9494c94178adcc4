// Summaries (D63): a node that takes the place of others names each of them, with its content hash and its tokens. A node that no snapshot
// holds travels with the summary.

import type { Maker } from './cause.js'
import type { JsonObject, JsonValue } from './json.js'
import type { NodeRecord } from './record.js'
import { SHED } from './shed.js'

/** Holds, on a summary, the list of the nodes that it stands for. */
export const COMPACTED = 'pact:compacted'

/** The kind of the node that a compaction makes. */
export const SUMMARY = 'summary'

/** One node that a summary stands for; parents come before their children. */
export type CompactedNode = Readonly<{
  id: string
  /** The content hash and the tokens; neither is known once the content was erased. */
  hash?: string
  tokens?: number
  /** The summary in this list that stands for the node itself. */
  of?: string
  /** For a node that is a summary itself, the cycle of its own list. */
  summary?: number
  /** For a container, true if it has ever held anything. */
  held?: boolean
  /** The headers and the content, if no snapshot holds this version of the node, and its place. */
  node?: JsonObject
  at?: CompactedPlace
  erased?: true
}>

/** The place of a node that no snapshot holds, and the facts that its headers do not say. */
export type CompactedPlace = Readonly<{
  parent: string
  /** For a node directly in the active head: its core, which is in the same segment later. */
  core?: string
  /** The time of creation in nanoseconds, as digits. */
  ns: string
  by: Maker
  ttl_from: number
}>

/** The value of `COMPACTED`: `cycle` is the snapshot that holds the nodes which do not travel. */
export type Compacted = Readonly<{ cycle: number; nodes: readonly CompactedNode[] }>

/** The nodes that a summary stands for; undefined if the node is none. */
export function compactedOf({ rare }: Pick<NodeRecord, 'rare'>): Compacted | undefined {
  return rare?.attributes?.get(COMPACTED) as Compacted | undefined
}

/** Names, on a summary that a provider made itself, the nodes of the request that it was made of. They stay in the tree: other providers need them. */
export const COVERS = 'pact:covers'

/** A node with its content hash, and the cycle in which it expires, if it does. */
export type CoveredNode = readonly [id: string, hash: string, expiry?: number]

/** The value of `COVERS`. */
export type Covers = readonly CoveredNode[]

/** The nodes that a provider's summary stands for; undefined if the node is none. */
export function coversOf({ rare }: Pick<NodeRecord, 'rare'>): Covers | undefined {
  return rare?.attributes?.get(COVERS) as Covers | undefined
}

/** True for a value that `COVERS` may have. */
export function isCovers(value: unknown): value is Covers {
  return Array.isArray(value) && value.every(isCoveredNode)
}

function isCoveredNode(entry: unknown): boolean {
  if (!Array.isArray(entry) || entry.length < 2 || entry.length > 3) return false
  const [id, hash, expiry = 0] = entry as readonly unknown[]
  return isId(id) && isId(hash) && Number.isSafeInteger(expiry)
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** An attribute as readers of a node see it, without the originals that are kept with it; undefined if there is nothing else. */
export function shownAttribute(name: string, value: JsonValue): JsonValue | undefined {
  if (name === SHED) return undefined
  if (name !== COMPACTED) return value
  const { cycle, nodes } = value as unknown as Compacted
  const shown = nodes.map(({ node: _node, at: _at, held: _held, ...entry }) => Object.freeze(entry))
  return Object.freeze({ cycle, nodes: Object.freeze(shown) })
}

const INTRO = 'This is a summary of the earlier conversation. It stands in place of the original messages:'

/** The content of a summary: a line that says what it is, and the text. */
export function summaryContent(text: string, intro: string = INTRO): string {
  return intro === '' ? text : `${intro}\n\n${text}`
}
