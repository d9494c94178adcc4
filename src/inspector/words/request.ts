// A request cut into the stretches of its nodes, in bytes. Between them stand the brackets and commas of the wrapper, and the cut
// never changes a byte: all the pieces after each other are the request.

import type { Breakpoint, Rendered } from '../api/types.js'

export type Fragment = Readonly<{
  /** Null for the wrapper alone. */
  node: string | null
  part: 'sys' | 'core' | 'ctx'
  start: number
  end: number
  /** Wrapper bytes in front of what the node says. */
  lead: string
  text: string
  /** Which item of the list it is in: a message, a thread item. */
  item: number
  tokens: number
  /** Before it, in all. */
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
