// The one thing that a token counter is, for whoever writes one and whoever asks it.

import type { Node } from './node.js'

/**
 * Counts the tokens of one node's content: text as it is, anything else as canonical JSON, base64 left out. The count may
 * depend on the text and on what the content hash covers (content, role, kind, `data_*`, `content_*`): equal ones are counted
 * once.
 */
export interface CountTokens {
  (text: string, node: Node): number
  /** Another number whenever the counter begins to answer differently: everything is counted anew then. */
  readonly revision?: number | undefined
  /** Whether counting costs less than looking up what was counted before. */
  readonly isQuick?: boolean | undefined
}
