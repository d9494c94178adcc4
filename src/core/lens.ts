// The names of trees that calls read (D5).

/** `@t0` is the latest snapshot, `@t-1` the one before, `@c12` that of cycle 12; `attempt:12-0` is the tree that an attempt sent. */
export type Lens = '@t0' | `@t-${number}` | `@c${number}` | `attempt:${string}` | 'working' | 'preview'

/** True if a lens names the tree of an attempt; the argument may be anything, since it comes from callers. */
export function isSentLens(lens: unknown): lens is `attempt:${string}` {
  return typeof lens === 'string' && lens.startsWith('attempt:')
}
