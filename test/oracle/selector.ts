// A naive second opinion on the selector language of both dialects (D1, D2, D5, D7–D17, D20–D23, D44, D45, D53). It shares no code with the
// engine: the text is parsed afresh for every call, every condition walks the whole tree again, and lists are sorted by
// looking every node up. Only reads are modelled, on trees that keep the documents' rules.

import {
  atCoordinate,
  compareAcross,
  compareBig,
  documentOrder,
  evaluateBody,
  idOf,
  isAbove,
  isReal,
  judgedOnTheWhole,
  type OracleTree,
  type Place,
  sortByDocument,
  type View,
  viewOf,
} from './selector-match.js'
import {
  type Body,
  type Control,
  type Dialect,
  OracleError,
  parseOracleSelector,
  type Time,
  type TimePoint,
} from './selector-parse.js'

export type { OracleTree } from './selector-match.js'
export { OracleError } from './selector-parse.js'

/** One context: snapshots by cycle (any number), and the working state. */
export type OracleWorld = {
  dialect: Dialect
  snapshots: { cycle: number; tree: OracleTree }[]
  working: OracleTree
  preview?: OracleTree
}

/** `visible`: whom a result may hold, judged before any window. */
export type OracleOptions = {
  dialect?: Dialect
  skip?: number
  limit?: number
  flat?: boolean
  visible?: (place: Place) => boolean
  /** Each snapshot's own list, as a comparison of snapshots takes it (D23), instead of the joined one (D45). */
  apart?: boolean
}

/**
 * Ids in the order the decisions demand. Throws an OracleError with the error code for an invalid selector. A range gives
 * D8's flat union with `flat`, and throws OracleError('RANGE') without it.
 */
export function oracleSelect(world: OracleWorld, selector: string, options: OracleOptions = {}): string[] {
  const dialect = options.dialect ?? world.dialect
  const { time, body, controls } = parseOracleSelector(selector, dialect)
  if (time?.kind === 'range' && options.flat !== true) throw new OracleError('RANGE')
  const trees = views(world, time, dialect)
  const order = lastValue(controls, 'order')
  const isJoined = (time?.kind === 'all' || time?.kind === 'range') && options.apart !== true
  const ids = isJoined
    ? joined(trees, body, order).map(({ place }) => idOf(place))
    : trees.flatMap((view) => inOrder(view, evaluateBody(view, body, options.visible).filter(isReal), order).map(idOf))
  const skip = Number(lastValue(controls, 'skip') ?? 0)
  const limit = windowLimit(controls)
  const shown = [...new Set(ids)].slice(skip).slice(0, limit)
  return shown.slice(options.skip ?? 0).slice(0, options.limit)
}

/** A node where it was first seen: in which of the trees, the newest being 0. */
type Seen = { place: Place; tree: number }

/** D45: `??` on the whole; newest first, document order within each, each id where first seen; then `@order` over all. */
function joined(trees: readonly View[], body: Body, order: string | undefined): Seen[] {
  const whole = judgedOnTheWhole(trees, body)
  const seen: Seen[] = []
  for (const [tree, view] of trees.entries()) {
    for (const place of sortByDocument(view, evaluateBody(view, whole).filter(isReal))) {
      if (!seen.some((other) => idOf(other.place) === idOf(place))) seen.push({ place, tree })
    }
  }
  return order === undefined ? seen : seen.toSorted((a, b) => orderAcross(order, a.place, b.place) || a.tree - b.tree)
}

/** Compares two places that may be of two trees. Ties are left to the caller: the newer tree first. */
function orderAcross(order: string, a: Place, b: Place): number {
  switch (order) {
    case 'pre':
      return compareAcross(a, b)
    case 'post':
      return isAbove(a, b) || isAbove(b, a) ? -compareAcross(a, b) : compareAcross(a, b)
    case 'bfs':
      return a.level - b.level
    case 'path':
      return comparePaths(a, b)
    case 'turn:asc':
      return cycleOf(a) - cycleOf(b)
    case 'turn:desc':
      return cycleOf(b) - cycleOf(a)
    default:
      throw new Error(`Unforeseen order ${order}`)
  }
}

/** D17: the text of the coordinate that selects exactly this node. */
export function oracleCoordinate(tree: OracleTree, id: string): string {
  const view = viewOf(tree, '1.0', undefined)
  const place = documentOrder(view).find((one) => idOf(one) === id)
  if (place === undefined) throw new OracleError('E_NODE_NOT_FOUND')
  const byId = `{ id="${id.replaceAll(/["\\]/g, '\\$&')}" }`
  if (place.depth === undefined) return byId
  const coordinate = `(${[`d${place.depth}`, ...place.offsets].join(', ')})`
  const meant = atCoordinate(view, BigInt(place.depth), place.offsets)
  if (meant.length === 1) return coordinate
  const nth = meant.filter((one) => one.parent === place.parent).indexOf(place)
  const alsoMeant = meant.filter((one) => meant.filter((other) => other.parent === one.parent).indexOf(one) === nth)
  const shared = meant.filter((one) => one.parent === place.parent).length > 1
  return shared && alsoMeant.length === 1 ? `${coordinate}:nth(${nth + 1})` : byId
}

// ----------------------------------------------------------------------------------------------------------------- time

/** The trees that a time prefix names, in the order in which their results are joined (D5, D7, D8). */
function views(world: OracleWorld, time: Time | undefined, dialect: Dialect): View[] {
  const newestFirst = world.snapshots.toSorted((a, b) => b.cycle - a.cycle)
  const snapshotView = ({ cycle, tree }: { cycle: number; tree: OracleTree }): View => viewOf(tree, dialect, cycle)
  switch (time?.kind) {
    case undefined:
      if (dialect === '1.0') return [viewOf(world.working, dialect, undefined)]
      return views(world, { kind: 'point', point: { kind: 't', value: 0n } }, dialect)
    case 'working':
      return [viewOf(world.working, dialect, undefined)]
    case 'preview':
      if (world.preview === undefined) throw new Error('This world has no preview.')
      return [viewOf(world.preview, dialect, undefined)]
    case 'all':
      return newestFirst.map(snapshotView)
    case 'point': {
      const wanted = place(time.point, newestFirst.length)
      const found = newestFirst.filter(
        ({ cycle }, index) => BigInt(time.point.kind === 't' ? -index : cycle) === wanted,
      )
      if (found.length === 0) throw new OracleError('E_SNAPSHOT_NOT_FOUND')
      return found.map(snapshotView)
    }
    case 'range': {
      const ends = [place(time.from, newestFirst.length), place(time.to, newestFirst.length)].toSorted(compareBig)
      const found = newestFirst.filter(({ cycle }, index) => {
        const at = BigInt(time.from.kind === 't' ? -index : cycle)
        return at >= ends[0]! && at <= ends[1]!
      })
      if (found.length === 0) throw new OracleError('E_SNAPSHOT_NOT_FOUND')
      return found.map(snapshotView)
    }
  }
}

/** `@t0` is 0, `@t-1` is -1, the oldest of n snapshots is 1 - n; a cycle is itself. */
function place(point: TimePoint, snapshots: number): bigint {
  return point.value === 'oldest' ? BigInt(1 - snapshots) : point.value
}

// ------------------------------------------------------------------------------------------------------------- controls

function lastValue(controls: readonly Control[], name: string): string | undefined {
  return controls.findLast((control) => control.name === name)?.value
}

/** `@first` is `@limit=1`; of several the last one counts. */
function windowLimit(controls: readonly Control[]): number | undefined {
  const last = controls.findLast(({ name }) => name === 'limit' || name === 'first')
  if (last === undefined) return undefined
  return last.name === 'first' ? 1 : Number(last.value)
}

/** D23. Every order leaves ties in document order; without a control the list stays as it is. */
function inOrder(view: View, places: Place[], order: string | undefined): Place[] {
  const sorted = sortByDocument(view, places)
  switch (order) {
    case undefined:
      return places
    case 'pre':
      return sorted
    case 'post': {
      const childrenFirst = postOrder(view.root)
      return sorted.toSorted((a, b) => childrenFirst.indexOf(a) - childrenFirst.indexOf(b))
    }
    case 'bfs':
      return sorted.toSorted((a, b) => a.level - b.level)
    case 'path':
      return sorted.toSorted(comparePaths)
    case 'turn:asc':
      return sorted.toSorted((a, b) => cycleOf(a) - cycleOf(b))
    case 'turn:desc':
      return sorted.toSorted((a, b) => cycleOf(b) - cycleOf(a))
    default:
      throw new Error(`Unforeseen order ${order}`)
  }
}

function postOrder(place: Place): Place[] {
  return [...place.children.flatMap(postOrder), place]
}

/** Depth ascending, then offset by offset, a coordinate before those it begins; without a depth last. */
function comparePaths(a: Place, b: Place): number {
  if (a.depth !== b.depth) return (a.depth ?? Infinity) - (b.depth ?? Infinity)
  for (const [index, offset] of a.offsets.entries()) {
    const other = b.offsets[index]
    if (other === undefined) return 1
    if (offset !== other) return compareBig(offset, other)
  }
  return a.offsets.length - b.offsets.length
}

function cycleOf(place: Place): number {
  return Number(place.node!['cycle'])
}
