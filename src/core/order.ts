// Every order the documents name lives here, one function per rule, so that no other file sorts nodes by hand.

/** The fields that decide the place among siblings. */
export type SiblingKey = Readonly<{ offset: number; createdAtNs: bigint; creationIndex: number; id: string }>

/** The fields that decide the order of pruning (02 §7.1). */
export type PruningKey = Readonly<{ priority: number; createdAtNs: bigint; id: string }>

/** Orders the children of one parent. Total: 0 means the same id. */
export function compareSiblings(a: SiblingKey, b: SiblingKey): number {
  return (
    compareNumbers(a.offset, b.offset) ||
    compareNumbers(a.createdAtNs, b.createdAtNs) ||
    compareNumbers(a.creationIndex, b.creationIndex) ||
    compareText(a.id, b.id)
  )
}

/** The order of pruning: lowest priority, then oldest, then id (02 §7.1, D27). */
export function compareForPruning(a: PruningKey, b: PruningKey): number {
  return (
    compareNumbers(a.priority, b.priority) || compareNumbers(a.createdAtNs, b.createdAtNs) || compareText(a.id, b.id)
  )
}

/**
 * Orders text by code point. `<` ranks UTF-16 units, which puts characters beyond the BMP before U+E000; localeCompare
 * asks the host. A lone surrogate ranks as its own code point, as in Python.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  let i = 0
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++
  if (i === length) return a.length < b.length ? -1 : 1
  const unitA = a.charCodeAt(i)
  const unitB = b.charCodeAt(i)
  if (!isSurrogate(unitA) && !isSurrogate(unitB)) return unitA < unitB ? -1 : 1
  // The difference may lie in the second half of a pair; then the character began one unit earlier in both.
  const start = i > 0 && isLead(a.charCodeAt(i - 1)) && (isTrail(unitA) || isTrail(unitB)) ? i - 1 : i
  return a.codePointAt(start)! < b.codePointAt(start)! ? -1 : 1
}

function compareNumbers<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

function isLead(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
