// The sizes beyond which input is refused, before anything recurses into it (D33). One place, so that every door agrees.

export const LIMITS: Readonly<
  Record<'depth' | 'digits' | 'text' | 'values' | 'nodes' | 'items' | 'operations', number>
> = {
  /** How deep a JSON value, and how deep the tree, may nest. */
  depth: 128,
  /** How many digits an integer may have. */
  digits: 4300,
  /** How long one string may be, in UTF-16 units. */
  text: 64 * 1024 * 1024,
  /** How many values one JSON value may hold in all; a few shared objects can spell out billions. */
  values: 4_000_000,
  /** How many nodes one call may add. */
  nodes: 100_000,
  /** How many tags or refs one node may have. */
  items: 1_000_000,
  /** How many operations one call may apply. */
  operations: 100_000,
}
