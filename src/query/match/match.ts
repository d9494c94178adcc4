// The one matcher: a chain of steps against rows, from left to right (04 §3, D11–D16). Each step turns the rows reached so
// far into the next ones: all rows in reach that pass the step's tests. `:first`, `:last` and `:nth` count among the rows that
// are left at the point where they are written.

import type { Dialect } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import type { Coordinate, DepthScope } from '../../selector/index.js'
import type { Group, Narrowing, Source, Step, Test, Union } from '../plan/plan.js'
import type { FlatTree } from './flat-tree.js'
import { inKeyOrder, inOrder, type Rows } from './result-order.js'
import type { Visits } from './visits.js'

export type Matching = Readonly<{ view: View; dialect: Dialect; budget: Visits }>

const NO_ROWS: Rows = Object.freeze([])

/** Joins the groups of a union: 0.1 sorts the whole, 1.0 goes from left to right; each node where it is first seen (D20). */
export function matchUnion(flat: FlatTree, { groups }: Union, matching: Matching): Rows {
  const lists = groups.map((group) => {
    const rows = matchGroup(flat, group, matching)
    return group.isKeyed ? inKeyOrder(flat, realRows(flat, rows)) : rows
  })
  if (lists.length === 1) return lists[0]!
  const unique = [...new Set(lists.flat())]
  return matching.dialect === '0.1' ? inOrder(unique) : unique
}

/** The rows that a group selects: in document order, but for a lone set of coordinates or parenthesis. */
export function matchGroup(flat: FlatTree, { steps, scope }: Group, matching: Matching): Rows {
  let rows: Rows = NO_ROWS
  let afterZone = false
  for (const [i, step] of steps.entries()) {
    const from: From = i === 0 ? undefined : { rows: inOrder(rows), isChild: step.reach === 'child', afterZone }
    const reached = step.source === undefined ? inReach(flat, from) : fromSource(flat, step.source, from, matching)
    matching.budget.spend(reached?.length ?? flat.size)
    rows = passing(flat, reached, step, scope, matching)
    for (const narrowing of step.counting) rows = narrowed(flat, rows, narrowing, matching)
    if (rows.length === 0) return NO_ROWS
    afterZone = step.isZone
  }
  return rows
}

/** A virtual core only leads on; it is no result (D12). */
export function realRows(flat: FlatTree, rows: Rows): Rows {
  return flat.hasVirtual ? rows.filter((row) => flat.records[row] !== undefined) : rows
}

/** The rows that the last step found, in document order, and how to go on from them. */
type From = Readonly<{ rows: Rows; isChild: boolean; afterZone: boolean }> | undefined

/** The rows in reach, in document order; undefined for all. After a zone, its own nodes are in reach (D13). */
function inReach(flat: FlatTree, from: From): Rows | undefined {
  if (from === undefined) return undefined
  const { rows, isChild, afterZone } = from
  if (isChild && afterZone) return rows
  const found: number[] = []
  if (isChild) {
    for (const row of rows) for (const child of flat.childrenOf(row)) found.push(child)
    return inOrder(unique(flat, found))
  }
  let end = -1
  for (const row of rows) {
    for (let at = Math.max(end + 1, afterZone ? row : row + 1); at <= flat.lastOf(row); at++) found.push(at)
    end = Math.max(end, flat.lastOf(row))
  }
  return found
}

/** A node in a virtual core is a child of the core and of the segment. */
function unique(flat: FlatTree, rows: Rows): Rows {
  return flat.hasVirtual ? [...new Set(rows)] : rows
}

function fromSource(flat: FlatTree, source: Source, from: From, matching: Matching): Rows {
  const found =
    source.kind === 'coordinates'
      ? source.coordinates.flatMap((coordinate) => atCoordinate(flat, coordinate, matching))
      : chosen(flat, source.choices, matching)
  const rows = [...new Set(found)]
  if (from === undefined) return rows
  const reached = new Set(inReach(flat, from))
  return rows.filter((row) => reached.has(row))
}

/** The first union that finds a node; else the last, whose virtual cores may still lead on (D12). */
function chosen(flat: FlatTree, choices: readonly Union[], matching: Matching): Rows {
  let rows = NO_ROWS
  for (const union of choices) {
    rows = matchUnion(flat, union, matching)
    if (realRows(flat, rows).length > 0) return rows
  }
  return rows
}

/** The unit at a depth, then the children with each further offset; siblings that share an offset are all meant (D17). */
function atCoordinate(flat: FlatTree, { from, to, offsets }: Coordinate, { budget }: Matching): Rows {
  budget.spend(flat.units)
  let rows: Rows = flat.unitsAt(from, to)
  for (const offset of offsets) {
    rows = rows.flatMap((row) => flat.childrenOf(row).filter((child) => flat.records[child]?.offset === offset))
    budget.spend(rows.length)
  }
  return rows
}

/** The rows, of some or of all, that a step may look at and that pass its tests. */
function passing(
  flat: FlatTree,
  rows: Rows | undefined,
  step: Step,
  scope: DepthScope | undefined,
  { view }: Matching,
): Rows {
  const { tests, passes } = step
  const isClosed = step.isZone || scope !== undefined || (flat.hasVirtual && !step.meetsVirtual)
  const seesPlace = tests.some(({ sees }) => sees === 'place')
  const found: number[] = []
  const count = rows?.length ?? flat.size
  for (let i = 0; i < count; i++) {
    const row = rows === undefined ? i : rows[i]!
    if (isClosed && !isOpen(flat, row, step, scope)) continue
    if (passes(flat.records[row], view, seesPlace ? flat.depthAt(row) : undefined)) found.push(row)
  }
  return found
}

/** A step may only look at some rows, before its tests do. */
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
  const above = flat.records[flat.parentOf(row)]
  return above?.nodeClass === 'seg' || above?.nodeType === '^ah' || above?.nodeType === '^sys'
}

function narrowed(flat: FlatTree, rows: Rows, narrowing: Narrowing, { view, budget }: Matching): Rows {
  budget.spend(rows.length)
  if (narrowing.kind === 'test') return tested(flat, rows, narrowing, view)
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

function tested(flat: FlatTree, rows: Rows, { test }: Test, view: View): Rows {
  return rows.filter((row) => test(flat.records[row], view, flat.depthAt(row)))
}
