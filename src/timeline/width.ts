// How wide the trees are; apart from what they are made of, so that laws can grow tall trees of few nodes.

/** How many children a leaf, and how many chunks an inner chunk, may hold. */
export const LEAF_WIDTH = 32
export const INNER_WIDTH = 32
