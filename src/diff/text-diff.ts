// The shortest edit script (deletions and insertions) between two sequences: lines, tokens or the elements of an array.
//
// Method: Myers, An O(ND) Difference Algorithm (1986), in linear space. Common ends are cut off, elements become numbers,
// and those that only one side has are set aside: they are deletions and insertions in any case. In what is left, one
// path is followed from the start and one from the end, each with one more edit per round, until they meet; a point where
// they meet lies on a shortest path, and the two boxes before and behind it are solved in the same way, each with half
// the edits.
//
// Two limits keep that small: the edits that are searched for, which bounds rounds and memory, and the steps of all
// searches together, since long runs of equal elements make even few edits slow. Where a limit ends the search, what the
// two paths have passed so far is solved, and the middle between them becomes one deletion and one insertion. So the
// changes always lead from the older to the newer sequence; past a limit there are only more of them than necessary.

/** One place of change: these elements of the older sequence became those of the newer. All others are kept. */
export type Change = Readonly<{ olderStart: number; olderEnd: number; newerStart: number; newerEnd: number }>

/** Changes that lie close together, with the kept elements around and between them. */
export type Cluster = Change & Readonly<{ changes: readonly Change[] }>

/** The edits that a search looks for by default, in addition to those that are certain; they take some 2^23 steps. */
export const MAX_EDITS = 4096

/** The steps all searches of one content may take, however many arrays it holds: less than half a second of work. */
const MAX_STEPS = 1 << 25

/** The elements, of both sides and between their common ends, beyond which nothing is searched. */
export const MAX_ELEMENTS: number = 1 << 20

/** The search limits of one content, the work done so far, and a mark if a limit made the answer longer than necessary. */
export class Search {
  readonly maxEdits: number
  readonly maxSteps: number
  steps = 0
  truncated = false

  constructor(maxEdits: number = MAX_EDITS, maxSteps: number = MAX_STEPS) {
    this.maxEdits = maxEdits
    this.maxSteps = maxSteps
  }
}

/** Finds the changes between two sequences, in order; neighbouring deletions and insertions are one change. */
export function diffSequences<T extends string | number>(
  older: readonly T[],
  newer: readonly T[],
  search: Search,
): readonly Change[] {
  const shorter = Math.min(older.length, newer.length)
  let start = 0
  while (start < shorter && older[start] === newer[start]) start++
  let tail = 0
  while (tail < shorter - start && older[older.length - 1 - tail] === newer[newer.length - 1 - tail]) tail++
  const middle = {
    olderStart: start,
    olderEnd: older.length - tail,
    newerStart: start,
    newerEnd: newer.length - tail,
  }
  if (isEmpty(middle)) return []
  if (middle.olderEnd === start || middle.newerEnd === start) return [middle]
  if (middle.olderEnd + middle.newerEnd - 2 * start > MAX_ELEMENTS) {
    search.truncated = true
    return [middle]
  }
  return diffMiddle(older, newer, middle, search)
}

/** Joins changes into clusters: two belong together when the `context` elements around them touch or overlap. */
export function clusterChanges(changes: readonly Change[], context: number, olderLength: number): readonly Cluster[] {
  const clusters: Cluster[] = []
  let first = 0
  for (let i = 0; i < changes.length; i++) {
    const next = changes[i + 1]
    if (next !== undefined && next.olderStart - changes[i]!.olderEnd <= 2 * context) continue
    clusters.push(clusterOf(changes.slice(first, i + 1), context, olderLength))
    first = i + 1
  }
  return clusters
}

function clusterOf(changes: readonly Change[], context: number, olderLength: number): Cluster {
  const [first, last] = [changes[0]!, changes.at(-1)!]
  // Kept elements are equal on both sides, so the older side alone gives their number.
  const before = Math.min(context, first.olderStart)
  const behind = Math.min(context, olderLength - last.olderEnd)
  return {
    olderStart: first.olderStart - before,
    olderEnd: last.olderEnd + behind,
    newerStart: first.newerStart - before,
    newerEnd: last.newerEnd + behind,
    changes,
  }
}

function isEmpty(change: Change): boolean {
  return change.olderStart === change.olderEnd && change.newerStart === change.newerEnd
}

// ---- Between the common ends

function diffMiddle<T extends string | number>(
  older: readonly T[],
  newer: readonly T[],
  middle: Change,
  search: Search,
): readonly Change[] {
  const left = older.slice(middle.olderStart, middle.olderEnd)
  const right = newer.slice(middle.newerStart, middle.newerEnd)
  const matching = new Matching(...shareElements(left, right), search)
  matching.match(0, matching.older.ids.length, 0, matching.newer.ids.length)

  const changes: Change[] = []
  const keptLeft = keptPlaces(matching.older, left.length)
  const keptRight = keptPlaces(matching.newer, right.length)
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    const [olderStart, newerStart] = [i + middle.olderStart, j + middle.newerStart]
    while (i < left.length && keptLeft[i] === 0) i++
    while (j < right.length && keptRight[j] === 0) j++
    const change = { olderStart, olderEnd: i + middle.olderStart, newerStart, newerEnd: j + middle.newerStart }
    if (!isEmpty(change)) changes.push(change)
    // As many elements are kept on one side as on the other, and in the same order.
    while (i < left.length && keptLeft[i] === 1 && keptRight[j] === 1) {
      i++
      j++
    }
  }
  return changes
}

/** The elements of one side that the other has too: as numbers, with their positions, and a mark for those with a partner. */
type Shared = Readonly<{ ids: Int32Array; places: Int32Array; kept: Uint8Array }>

function shareElements<T>(older: readonly T[], newer: readonly T[]): [older: Shared, newer: Shared] {
  const ids = new Map<T, number>()
  for (const element of older) if (!ids.has(element)) ids.set(element, ids.size)
  const inNewer = new Uint8Array(ids.size)
  for (const element of newer) {
    const id = ids.get(element)
    if (id !== undefined) inNewer[id] = 1
  }
  return [pickShared(older, ids, inNewer), pickShared(newer, ids, inNewer)]
}

function pickShared<T>(elements: readonly T[], ids: ReadonlyMap<T, number>, inBoth: Uint8Array): Shared {
  const picked: number[] = []
  const places: number[] = []
  for (let i = 0; i < elements.length; i++) {
    const id = ids.get(elements[i]!)
    if (id === undefined || inBoth[id] === 0) continue
    picked.push(id)
    places.push(i)
  }
  return { ids: Int32Array.from(picked), places: Int32Array.from(places), kept: new Uint8Array(picked.length) }
}

function keptPlaces(shared: Shared, length: number): Uint8Array {
  const places = new Uint8Array(length)
  for (let i = 0; i < shared.kept.length; i++) places[shared.places[i]!] = shared.kept[i]!
  return places
}

// ---- Myers

/** A part of both sequences: n elements of the older from a, m of the newer from b. */
type Box = Readonly<{ a: number; n: number; b: number; m: number }>

/** The direction of one path, and how far into the older sequence it has come on each diagonal x - y. */
type Path = Readonly<{ older: Int32Array; newer: Int32Array; reach: Int32Array }>

/** A place in a box, counted from the corner where the path starts. */
type Point = Readonly<{ x: number; y: number }>

const NOWHERE: Point = { x: 0, y: 0 }

/** Finds partners in two sequences of numbers. The path from the end is one from the start of the reversed sequences. */
class Matching {
  readonly older: Shared
  readonly newer: Shared
  readonly #search: Search
  readonly #forward: Path
  readonly #backward: Path
  /** The index of diagonal 0 in a reach. */
  readonly #zero: number

  constructor(older: Shared, newer: Shared, search: Search) {
    this.older = older
    this.newer = newer
    this.#search = search
    const edits = Math.min(search.maxEdits, older.ids.length + newer.ids.length)
    this.#zero = Math.ceil(edits / 2) + 2
    const size = 2 * this.#zero + 1
    this.#forward = { older: older.ids, newer: newer.ids, reach: new Int32Array(size) }
    this.#backward = { older: older.ids.toReversed(), newer: newer.ids.toReversed(), reach: new Int32Array(size) }
  }

  /** Marks the partners between two places. The edits halve with each level, so the recursion is a dozen levels deep. */
  match(olderStart: number, olderEnd: number, newerStart: number, newerEnd: number): void {
    const [older, newer] = [this.older.ids, this.newer.ids]
    let [a, aEnd, b, bEnd] = [olderStart, olderEnd, newerStart, newerEnd]
    while (a < aEnd && b < bEnd && older[a] === newer[b]) this.#keep(a++, b++)
    while (a < aEnd && b < bEnd && older[aEnd - 1] === newer[bEnd - 1]) this.#keep(--aEnd, --bEnd)
    if (a === aEnd || b === bEnd) return
    const [first, last] = this.#cut({ a, n: aEnd - a, b, m: bEnd - b })
    this.match(a, a + first.x, b, b + first.y)
    this.match(aEnd - last.x, aEnd, bEnd - last.y, bEnd)
  }

  #keep(older: number, newer: number): void {
    this.older.kept[older] = 1
    this.newer.kept[newer] = 1
  }

  /** Cuts a box at a point on a shortest path: a part at its start and a part at its end, here with nothing between. */
  #cut(box: Box): readonly [first: Point, last: Point] {
    const { n, m } = box
    const reversed = { ...box, a: this.older.ids.length - box.a - n, b: this.newer.ids.length - box.b - m }
    const odd = (n - m) % 2 !== 0
    const { maxEdits } = this.#search
    this.#forward.reach[this.#zero + 1] = 0
    this.#backward.reach[this.#zero + 1] = 0
    for (let d = 0; ; d++) {
      // A shortest path with an odd number of edits is completed by the path from the start, an even one by the other.
      if (2 * d - 1 > maxEdits) return this.#giveUp(box, d - 1, d - 1)
      const first = this.#advance(this.#forward, box, d, this.#backward.reach, odd ? d - 1 : -1)
      if (first !== undefined) return [first, { x: n - first.x, y: m - first.y }]
      if (2 * d > maxEdits) return this.#giveUp(box, d, d - 1)
      const last = this.#advance(this.#backward, reversed, d, this.#forward.reach, odd ? -1 : d)
      if (last !== undefined) return [{ x: n - last.x, y: m - last.y }, last]
      if (this.#isSpent) return this.#giveUp(box, d, d)
    }
  }

  get #isSpent(): boolean {
    return this.#search.steps > this.#search.maxSteps
  }

  /** Gives a path its d-th edit on every diagonal, and the point where it meets the other one after `met` edits. */
  #advance(path: Path, box: Box, d: number, other: Int32Array, met: number): Point | undefined {
    const { older, newer, reach } = path
    const { a, n, b, m } = box
    const { maxSteps } = this.#search
    const zero = this.#zero
    const last = highest(d, n)
    // Only diagonals that the other path has been on can have been met on.
    const metLow = n - m - met
    const metHigh = n - m + met
    let { steps } = this.#search
    for (let k = lowest(d, m); k <= last && steps <= maxSteps; k += 2) {
      const below = reach[zero + k - 1]!
      const above = reach[zero + k + 1]!
      let x = k === -d || (k !== d && below < above) ? above : below + 1
      const from = x
      while (x < n && x - k < m && older[a + x] === newer[b + x - k]) x++
      reach[zero + k] = x
      steps += 1 + x - from
      if (k >= metLow && k <= metHigh && x + other[zero + n - m - k]! >= n) {
        this.#search.steps = steps
        return { x, y: x - k }
      }
    }
    this.#search.steps = steps
  }

  /** Cuts a box where the paths have come to after some rounds; the elements between them have no partners. */
  #giveUp(box: Box, forward: number, backward: number): readonly [first: Point, last: Point] {
    this.#search.truncated = true
    // Out of steps, a round was left half way, and not every place in a reach belongs to this box.
    if (this.#isSpent) return [NOWHERE, NOWHERE]
    const first = this.#furthest(this.#forward, box, forward)
    const last = this.#furthest(this.#backward, box, backward)
    // Not having met does not mean that one lies before the other.
    return first.x + last.x <= box.n && first.y + last.y <= box.m ? [first, last] : [first, NOWHERE]
  }

  #furthest({ reach }: Path, { n, m }: Box, d: number): Point {
    let best = NOWHERE
    for (let k = lowest(d, m); k <= highest(d, n); k += 2) {
      const x = reach[this.#zero + k]!
      if (x <= n && x - k <= m && 2 * x - k > best.x + best.y) best = { x, y: x - k }
    }
    return best
  }
}

/** The first diagonal of round d; those that have left the box are passed over, in steps that keep even and odd apart. */
function lowest(d: number, m: number): number {
  return -d + 2 * Math.max(0, d - m)
}

function highest(d: number, n: number): number {
  return d - 2 * Math.max(0, d - n)
}
