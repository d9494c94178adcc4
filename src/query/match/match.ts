// The one matcher: a chain of steps against rows, from left to right (04 §3, D11–D16). Each step turns the rows reached so
// far into the next ones: whatever is in reach and passes the step's tests. :first and its kin count among what is left at
// the point where they are written; all tests before that may be asked in any order, the cheapest first.

import type { View } from '../../timeline/index.js'
import type { Coordinate, DepthScope } from '../../selector/index.js'
import type { Group, Narrowing, Source, Spot, Step, Test, Union } from '../plan/plan.js'
import type { Visits } from '../search/visits.js'
import type { FlatTree } from './flat-tree.js'
import { rowsThrough } from './kind-chain.js'
import type { KindSet } from './kinds.js'
import type { RightKinds } from './right-kinds.js'

export type Rows = readonly number[]

export const NO_ROWS: Rows = Object.freeze([])

/** What rows are matched for, and what may make it faster. */
export type Matching = Readonly<{
  view: View
  budget: Visits
  kinds: RightKinds
  /** How the groups of a union become one list; parentheses need it too. */
  unite: (flat: FlatTree, union: Union, matching: Matching) => Rows
  /** Which rows pass a test that columns can tell, of some or of all; undefined where they do not tell. */
  told: ((test: Test, rows: Rows | undefined, view: View) => Rows | undefined) | undefined
}>

/** The rows that a group selects: in document order, but for a lone set of coordinates or parenthesis. */
export function matchGroup(flat: FlatTree, { steps, scope, traits }: Group, matching: Matching): Rows {
  let rows: Rows = NO_ROWS
  let afterZone = false
  // Steps that ask for kinds alone are taken at once, unless the matcher is to be asked alone.
  const isMatcherAlone = matching.told === undefined || scope !== undefined || flat.hasVirtual
  const lead = isMatcherAlone ? 0 : traits.lead
  for (let i = lead; i < steps.length; i++) {
    const { source, otherTests } = steps[i]!
    // A short list of all that passes the first test is as good as having asked it.
    const first = source === undefined ? otherTests[0] : undefined
    const few = first && matching.told?.(first, undefined, matching.view)
    if (few?.length === 0) return NO_ROWS
    if (i === lead && few !== undefined && !isMatcherAlone) {
      const chain = matching.kinds.chain(steps, traits.through, flat.kinds)
      rows = rowsThrough(flat, chain, lead, few, matching.budget)
      i = traits.through
    } else if (i === lead && lead > 0) rows = led(flat, steps, lead, matching)
    else {
      const from = i === 0 ? undefined : { rows: inOrder(rows), isChild: steps[i]!.reach === 'child', afterZone }
      if (source === undefined) rows = candidates(flat, steps[i]!, few, from, matching)
      else rows = fromSource(flat, steps[i]!, source, from, matching)
    }
    const step = steps[i]!
    if (step.isZone || scope !== undefined || (flat.hasVirtual && !step.meetsVirtual)) {
      rows = rows.filter((row) => isOpen(flat, row, step, scope))
    }
    rows = passing(flat, rows, step.otherTests, matching, few === undefined ? 0 : 1)
    for (let at = 0; at < step.counting.length; at++) rows = narrowed(flat, rows, step.counting[at]!, matching)
    if (rows.length === 0) return NO_ROWS
    afterZone = step.isZone
  }
  return rows
}

/** What is at the end of the first steps. */
function led(flat: FlatTree, steps: readonly Step[], lead: number, { kinds, budget }: Matching): Rows {
  budget.spend(flat.size)
  return flat.rowsIn(kinds.chain(steps, lead, flat.kinds))
}

/** Whether anything but virtual cores was found; those only lead on, they are no result (D12). */
export function findsSomething({ records }: FlatTree, rows: Rows): boolean {
  return rows.some((row) => records[row] !== undefined)
}

/** What the last step has reached, in document order, and how to go on from there. */
type From = Readonly<{ rows: Rows; isChild: boolean; afterZone: boolean }> | undefined

/** The rows of the right kind in reach: of all, or of a few. */
function candidates(flat: FlatTree, step: Step, few: Rows | undefined, from: From, matching: Matching): Rows {
  const right = step.kindTests.length === 0 ? undefined : matching.kinds.of(step, flat.kinds)
  if (right?.isEmpty === true) return NO_ROWS
  if (few === undefined && from !== undefined && isNarrow(flat, from)) return under(flat, right, from, matching)
  const rows = few === undefined ? rowsOfKinds(flat, right, matching) : few.filter((row) => isRight(flat, row, right))
  return from === undefined ? rows : inReach(flat, rows, from)
}

/** Whether what is below some rows is quicker to go through than all rows of the right kinds: none is below another. */
function isNarrow(flat: FlatTree, { rows, isChild, afterZone }: NonNullable<From>): boolean {
  if (flat.hasVirtual || afterZone) return false
  let covered = 0
  let end = -1
  for (let i = 0; i < rows.length; i++) {
    if (rows[i]! <= end) return false
    end = flat.lastOf(rows[i]!)
    covered += end - rows[i]!
  }
  return isChild || covered * 2 < flat.size
}

/** The rows of the right kinds below rows that lie apart. */
function under(
  flat: FlatTree,
  right: KindSet | undefined,
  { rows, isChild }: NonNullable<From>,
  matching: Matching,
): Rows {
  const found: number[] = []
  let looks = 0
  for (let i = 0; i < rows.length; i++) {
    const last = flat.lastOf(rows[i]!)
    for (let row = rows[i]! + 1; row <= last; row = isChild ? flat.lastOf(row) + 1 : row + 1) {
      looks++
      if (isRight(flat, row, right)) found.push(row)
    }
  }
  matching.budget.spend(looks)
  return found
}

function isRight(flat: FlatTree, row: number, right: KindSet | undefined): boolean {
  return right === undefined || right.has[flat.codeOf(row)] === 1
}

function rowsOfKinds(flat: FlatTree, right: KindSet | undefined, { budget }: Matching): Rows {
  budget.spend(flat.size)
  return right === undefined ? flat.records.map((_, row) => row) : flat.rowsOf(right)
}

/** Of some rows in document order, those below others. After a zone, its own nodes count as within reach (D13). */
function inReach(flat: FlatTree, rows: Rows, { rows: from, isChild, afterZone }: NonNullable<From>): Rows {
  if (!isChild) return below(flat, rows, from, afterZone)
  const isFrom = membership(flat, from, rows.length)
  if (afterZone) return rows.filter(isFrom)
  return rows.filter((row) => {
    if (row > 0 && isFrom(flat.parentOf(row))) return true
    const holder = flat.holderOf(row)
    return holder !== undefined && isFrom(holder)
  })
}

/** Whether a row is one of some; for a few questions it is not worth marking them. */
function membership({ size }: FlatTree, rows: Rows, questions: number): (row: number) => boolean {
  if (rows.length * questions <= size) return (row) => rows.includes(row)
  const isOne = new Uint8Array(size)
  for (let i = 0; i < rows.length; i++) isOne[rows[i]!] = 1
  return (row) => isOne[row] === 1
}

function below(flat: FlatTree, rows: Rows, from: Rows, isWithin: boolean): Rows {
  // Most often all of them: what is asked of `^seq`.
  if (from[0]! < rows[0]! && flat.lastOf(from[0]!) >= rows[rows.length - 1]!) return rows
  const found: number[] = []
  let next = 0
  let last = -1
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const end = isWithin ? row + 1 : row
    while (next < from.length && from[next]! < end) last = Math.max(last, flat.lastOf(from[next++]!))
    if (row <= last) found.push(row)
  }
  return found
}

function fromSource(flat: FlatTree, step: Step, source: Source, from: From, matching: Matching): Rows {
  const found =
    source.kind === 'coordinates'
      ? source.coordinates.flatMap((coordinate) => atCoordinate(flat, coordinate, matching))
      : chosen(flat, source.choices, matching)
  const unique = [...new Set(found)]
  matching.budget.spend(unique.length)
  const right = passing(flat, unique, step.kindTests, matching)
  if (from === undefined) return right
  const allowed = new Set(inReach(flat, inOrder(right), from))
  return right.filter((row) => allowed.has(row))
}

/** The first that finds something; else the last, whose virtual cores may still lead on. */
function chosen(flat: FlatTree, choices: readonly Union[], matching: Matching): Rows {
  let rows = NO_ROWS
  for (const union of choices) {
    rows = matching.unite(flat, union, matching)
    if (findsSomething(flat, rows)) return rows
  }
  return rows
}

/** The container at a depth, then the children with each further offset; siblings that share one are all meant (D17). */
function atCoordinate(flat: FlatTree, { from, to, offsets }: Coordinate, { budget }: Matching): Rows {
  budget.spend(flat.units.length)
  let rows: Rows = flat.unitsAt(from, to)
  for (const offset of offsets) {
    rows = rows.flatMap((row) => flat.childrenOf(row).filter((child) => flat.records[child]?.offset === offset))
    budget.spend(rows.length)
  }
  return rows
}

/** Whether a step may look at a row at all, before its conditions do. */
function isOpen(flat: FlatTree, row: number, step: Step, scope: DepthScope | undefined): boolean {
  const record = flat.records[row]
  if (scope !== undefined) {
    const depth = flat.depthAt(row)
    if (depth === undefined || depth < scope.from || depth > scope.to) return false
  }
  if (record === undefined) return step.meetsVirtual && !step.isZone
  // Inside a depth scope no region can be met (D11).
  if (scope !== undefined && record.nodeClass === 'region') return false
  if (!step.isZone) return true
  const above = row === 0 ? undefined : flat.records[flat.parentOf(row)]
  return above?.nodeClass === 'seg' || above?.nodeType === '^ah' || above?.nodeType === '^sys'
}

function passing(
  flat: FlatTree,
  rows: Rows,
  tests: readonly Test[],
  { view, budget, told }: Matching,
  from: number = 0,
): Rows {
  let left = rows
  for (let i = from; i < tests.length && left.length > 0; i++) {
    const test = tests[i]!
    budget.spend(left.length)
    left = told?.(test, left, view) ?? tested(flat, left, test, view)
  }
  return left
}

/** Asks node by node. */
export function tested(flat: FlatTree, rows: Rows, { test, sees }: Test, view: View): Rows {
  const spot: Spot = { record: undefined, depth: undefined }
  const found: number[] = []
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    spot.record = flat.records[row]
    if (sees === 'place') spot.depth = flat.depthAt(row)
    if (test(spot, view)) found.push(row)
  }
  // The list itself where all pass: its ids may be known.
  return found.length === rows.length ? rows : found
}

function narrowed(flat: FlatTree, rows: Rows, narrowing: Narrowing, matching: Matching): Rows {
  if (narrowing.kind === 'test') return passing(flat, rows, [narrowing], matching)
  matching.budget.spend(rows.length)
  const families = new Map<number, number[]>()
  for (const row of inOrder(rows)) {
    const family = families.get(flat.parentOf(row))
    if (family === undefined) families.set(flat.parentOf(row), [row])
    else family.push(row)
  }
  const { n, fromEnd } = narrowing
  const picked = new Set([...families.values()].map((family) => (fromEnd ? family.at(-n) : family[n - 1])))
  return rows.filter((row) => picked.has(row))
}

export function inOrder(rows: Rows): Rows {
  for (let i = 1; i < rows.length; i++) if (rows[i - 1]! > rows[i]!) return rows.toSorted((a, b) => a - b)
  return rows
}
