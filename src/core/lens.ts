// How a call names the tree that it reads (D5).

/** `@t0` is the latest snapshot, `@t-1` the one before, `@c12` that of cycle 12. */
export type Lens = '@t0' | `@t-${number}` | `@c${number}` | 'working' | 'preview'
