// How a call names the tree that it reads (D5).

/** `@t0` is the latest snapshot, `@t-1` the one before, `@c12` that of cycle 12; `attempt:12-0` is what that attempt has sent. */
export type Lens = '@t0' | `@t-${number}` | `@c${number}` | `attempt:${string}` | 'working' | 'preview'

/** Whether a lens names what an attempt has sent; it may be anything, since it comes from callers. */
export function isSentLens(lens: unknown): lens is `attempt:${string}` {
  return typeof lens === 'string' && lens.startsWith('attempt:')
}
