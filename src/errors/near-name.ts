// Suggestions for unknown names: "Did you mean …?"

const MAX_LENGTH = 40

/** Finds the known name nearest to an unknown one; undefined where none is near. The earlier of two equally near wins. */
export function suggestNames(unknown: string, known: readonly string[]): string | undefined {
  if (unknown.length > MAX_LENGTH) return undefined
  const lower = unknown.toLowerCase()
  let best: string | undefined
  let least = Math.max(1, Math.floor(unknown.length / 3)) + 1
  for (const name of known) {
    if (Math.abs(name.length - unknown.length) >= least) continue
    const distance = editDistance(lower, name.toLowerCase())
    if (distance < least) [best, least] = [name, distance]
  }
  return best
}

/** The number of letters to add, drop, change or swap with a neighbour to turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1)
      row.push(least)
    }
    ;[before, above] = [above, row]
  }
  return above[b.length]!
}
