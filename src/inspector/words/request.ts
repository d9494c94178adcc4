// A request split by node, in bytes. Between nodes are the brackets and commas of the wrapper. Splitting
// changes no byte: the pieces joined together are the request.

import type { Breakpoint, Rendered } from '../../api/index.js'

export type Fragment = Readonly<{
  /** Null for wrapper bytes. */
  node: string | null
  part: 'sys' | 'core' | 'ctx'
  start: number
  end: number
  /** Wrapper bytes before the node's own. */
  lead: string
  text: string
  /** Index of its list item: a message, a thread item. */
  item: number
  tokens: number
  /** Total bytes before it. */
  tokensBefore: number
  breakpoint: Breakpoint | undefined
}>

export type Fragments = Readonly<{ list: readonly Fragment[]; bytes: number; tokens: number }>

export function cutRequest(rendered: Pick<Rendered, 'text' | 'sourceMap' | 'breakpoints'>): Fragments {
  const bytes = new TextEncoder().encode(rendered.text)
  const decoder = new TextDecoder()
  const slice = (from: number, to: number): string => decoder.decode(bytes.subarray(from, to))
  const list: Fragment[] = []
  let [at, tokens] = [0, 0]
  for (const { node, start, end, part, item, tokens: own } of rendered.sourceMap) {
    const from = Math.max(at, start)
    list.push({
      node,
      part,
      start: at,
      end,
      lead: slice(at, from),
      text: slice(from, end),
      item,
      tokens: own,
      tokensBefore: tokens,
      breakpoint: rendered.breakpoints.find(({ byte }) => byte > at && byte <= end),
    })
    tokens += own
    at = Math.max(at, end)
  }
  if (at < bytes.length || list.length === 0) {
    const rest = {
      node: null,
      part: 'sys',
      start: at,
      end: bytes.length,
      lead: '',
      text: slice(at, bytes.length),
    } as const
    list.push({ ...rest, item: -1, tokens: 0, tokensBefore: tokens, breakpoint: undefined })
  }
  return { list, bytes: bytes.length, tokens }
}
