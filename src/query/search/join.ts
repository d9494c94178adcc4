// Lists joined once, at the end: arrays beyond some 16,000 entries are costly to grow, and `flat` takes ten times longer.

/** How many arguments a call safely takes. */
const MAX_JOINED = 10_000

/** One list of several; a lone one as it is. */
export function joined<T>(lists: readonly (readonly T[])[]): readonly T[] {
  if (lists.length === 1) return lists[0]!
  if (lists.length <= MAX_JOINED) return (NOTHING as readonly T[]).concat(...lists)
  const parts: (readonly T[])[] = []
  for (let i = 0; i < lists.length; i += MAX_JOINED) parts.push(joined(lists.slice(i, i + MAX_JOINED)))
  return joined(parts)
}

const NOTHING: readonly never[] = []
