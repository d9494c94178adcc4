// The sizes beyond which input is refused, before anything recurses into it (D33). One place, so that every door agrees.

export const LIMITS: Readonly<
  Record<'depth' | 'digits' | 'text' | 'values' | 'nodes' | 'items' | 'operations', number>
> = {
  /** The largest depth of a JSON value, and of the tree. */
  depth: 128,
  /** The largest number of digits of an integer. */
  digits: 4300,
  /** The largest length of one string, in UTF-16 units. */
  text: 64 * 1024 * 1024,
  /** The largest number of values in one JSON value; a few shared objects can expand to billions. */
  values: 4_000_000,
  /** The largest number of nodes that one call may add. */
  nodes: 100_000,
  /** The largest number of tags or refs of one node. */
  items: 1_000_000,
  /** The largest number of operations that one call may apply. */
  operations: 100_000,
}
