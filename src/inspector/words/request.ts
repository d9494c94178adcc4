// A request split by node, in bytes. Between nodes are the brackets and commas of the wrapper. Splitting
// changes no byte: the pieces joined together are the request.

import type { Breakpoint, Rendered } from '../../api/index.js'

export type Fragment = Readonly<{
  /** Null for wrapper bytes. */
  node: string | null
  part: 'sys' | 'core' | 'ctx'
  start: number
  end: number
  /** Its end in the rendering without cache marks and params, in which prefixes count. */
  plainEnd: number
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

const LONG_LEAD = 120

export function cutRequest(rendered: Pick<Rendered, 'text' | 'sourceMap' | 'breakpoints'>): Fragments {
  const bytes = new TextEncoder().encode(rendered.text)
  const decoder = new TextDecoder()
  const slice = (from: number, to: number): string => decoder.decode(bytes.subarray(from, to))
  const list: Fragment[] = []
  const wrapper = (from: number, to: number, plainEnd: number): void => {
    const rest = { node: null, part: 'sys', start: from, end: to, plainEnd, lead: '', text: slice(from, to) } as const
    list.push({ ...rest, item: -1, tokens: 0, tokensBefore: tokens, breakpoint: undefined })
  }
  let [at, plain, tokens] = [0, 0, 0]
  for (const { node, start, end, plainEnd, part, item, tokens: own } of rendered.sourceMap) {
    // Tools and other params before the first node are a row of their own.
    if (start - at > LONG_LEAD) {
      wrapper(at, start, plain)
      at = start
    }
    const from = Math.max(at, start)
    list.push({
      node,
      part,
      start: at,
      end,
      plainEnd,
      lead: slice(at, from),
      text: slice(from, end),
      item,
      tokens: own,
      tokensBefore: tokens,
      breakpoint: rendered.breakpoints.find(({ byte }) => byte > plain && byte <= plainEnd),
    })
    tokens += own
    at = Math.max(at, end)
    plain = plainEnd
  }
  if (at < bytes.length || list.length === 0) wrapper(at, bytes.length, Infinity)
  return { list, bytes: bytes.length, tokens }
}
