// The tokens of single nodes, for whoever shows which part of a rendering is whose.

import type { View } from '../timeline/index.js'
import type { Edition } from './edition.js'
import type { TokenTable } from './token-report.js'

/** Which bytes of a rendering are a node's own, and how many tokens the node is. */
export type SourceEntry = Readonly<{ node: string; start: number; end: number; tokens: number }>

/** How many tokens a node of this tree has; counted when first asked for, since most renderings are never asked. */
export function nodeTokens(view: View, { tokens }: Pick<Edition, 'tokens'>): (node: string) => number {
  let by: TokenTable['by'] | undefined
  return (node) => (by ??= (tokens(view, { by: 'node' }) as TokenTable).by)[node] ?? 0
}
