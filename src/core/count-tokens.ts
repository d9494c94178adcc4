// The interface of a token counter.

import type { Node } from './node.js'

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
