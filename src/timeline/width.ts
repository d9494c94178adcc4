// The width of trees. A file of its own, so that laws can grow tall trees of few nodes.

/** The most children of a leaf, and the most chunks of an inner chunk. */
export const LEAF_WIDTH = 32
export const INNER_WIDTH = 32
