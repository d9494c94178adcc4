// The number of generated programs of a law. By default enough that a planted fault is found and all of `npm test` stays
// within a few minutes; `npm run soak` plays the same laws wider.

/** PACT_WIDER times the usual number, or exactly as many as PACT_RUNS says. */
export function runs(usual: number): number {
  return countFrom('PACT_RUNS') ?? Math.ceil(usual * (countFrom('PACT_WIDER') ?? 1))
}

/** The same for laws that count pairs of a tree and a selector, for which PACT_PAIRS says how many. */
export function pairs(usual: number): number {
  return countFrom('PACT_PAIRS') ?? Math.ceil(usual * (countFrom('PACT_WIDER') ?? 1))
}

/** True if the run is a wide one, which plays what would take too long in `npm test`. */
export function isWider(): boolean {
  return countFrom('PACT_WIDER') !== undefined
}

function countFrom(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  const count = Number(text)
  if (count > 0) return count
  throw new Error(`${name} is a number above 0, not "${text}".`)
}
