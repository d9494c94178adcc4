// Where in the segments of a chunk a group matches, by their shapes.

/** Where in a unit of some shape a group matches: indexes in document order, the unit itself being 0. */
export type Positions = readonly number[]

export const NOWHERE: Positions = []

/** The positions for each shape of a set, in the order of its shapes. */
export class Pattern {
  readonly positions: readonly Positions[]
  /** Which is the only shape with a match; -1 where there are several. */
  readonly only: number
  #shared: Pattern | undefined

  constructor(positions: readonly Positions[], only: number) {
    this.positions = positions
    this.only = only
  }

  /** Whether there is one shape in all. */
  get isUniform(): boolean {
    return this.positions.length === 1
  }

  /** The one among equals, so that what is kept under it serves every selector that selects the same. */
  get shared(): Pattern {
    return (this.#shared ??= shared(this))
  }
}

export const NO_PATTERN: Pattern = new Pattern([], -1)

export function patternFrom(positions: readonly Positions[]): Pattern {
  let only = -1
  let matching = 0
  for (let i = 0; i < positions.length; i++) {
    if (positions[i] === NOWHERE) continue
    only = i
    matching++
  }
  return matching === 0 ? NO_PATTERN : new Pattern(positions, matching === 1 ? only : -1)
}

const patterns = new Map<string, Pattern>()
const MAX_SHARED = 4096

function shared(pattern: Pattern): Pattern {
  const key = pattern.positions.join(';')
  const known = patterns.get(key)
  if (known !== undefined) return known
  if (patterns.size >= MAX_SHARED) patterns.clear()
  patterns.set(key, pattern)
  return pattern
}
