// Putting nodes into their place: which offset each takes (D17, D19), and a new segment in history (D30).

import { PactError } from '../errors/index.js'
import {
  className,
  compareSiblings,
  type NodeRecord,
  type SiblingKey,
  type Template,
  type Zone,
} from '../core/index.js'
import {
  Branch,
  childrenOf,
  containerRecord,
  recordOf,
  SEGMENT_GAP,
  sealingOffset,
  Sequence,
  type TreeNode,
} from '../timeline/index.js'
import { idsOf, nameOf, type EditSession } from './edit-session.js'
import {
  above,
  below,
  checkHeight,
  depthToBe,
  heightOf,
  makeNode,
  nextOffset,
  requestsOf,
  Stamps,
} from './make-node.js'
import { anchorAt, hasZones, type Target, type Where } from './resolve-position.js'
import { zoneClash } from './zone.js'

type Age = Omit<SiblingKey, 'offset'>

/** Gives one node after the other its offset; each must be put in before the next one asks. */
export class Placing {
  readonly #session: EditSession
  readonly #target: Extract<Target, { kind: 'container' }>
  #left: SiblingKey | undefined
  #rest: number

  constructor(session: EditSession, target: Extract<Target, { kind: 'container' }>, count: number) {
    this.#session = session
    this.#target = target
    this.#left = target.where.kind === 'gap' ? target.where.left : undefined
    this.#rest = count
  }

  /** The offset of the next node; age decides among equal offsets. */
  next(age: Age): number {
    const { container, where, zone } = this.#target
    const offset = this.#offset(where, age)
    if (zone !== undefined) checkPlaceInZone(this.#session, container, zone, offset)
    this.#rest--
    this.#left = { ...age, offset }
    return offset
  }

  #offset(where: Where, age: Age): number {
    if (where.kind === 'offset') return where.offset
    if (where.kind === 'gap') return this.#inGap(where, age)
    if (where.side === 'pre') return -1
    const { draft, dialect } = this.#session
    const children = childrenOf(draft.nodeOf(draft.find(this.#target.container.id)!))
    const highest = children.last && recordOf(children.last).offset
    return where.side === 'post' ? above(Math.max(0, highest ?? 0)) : nextOffset(highest, dialect)
  }

  #inGap({ left: first, right, isStart }: Extract<Where, { kind: 'gap' }>, age: Age): number {
    const zones = hasZones(this.#target.container)
    const left = this.#left
    if (first === undefined && right === undefined) {
      if (zones) return isStart ? -this.#rest : left === undefined ? 1 : above(left.offset)
      return left === undefined ? 0 : above(left.offset)
    }
    if (first === undefined) return below(zones ? Math.min(0, right!.offset) : right!.offset, this.#rest)
    if (right === undefined) return above(zones ? Math.max(0, left!.offset) : left!.offset)
    const free = freeOffset(left!, age, right, zones)
    if (free !== undefined) return free
    const message = `Nothing fits between ${first.id} and ${right.id}: their offsets leave no integer free, and by its age it would have another place. Take another gap, or name an offset.`
    throw new PactError('E_PLACEMENT_INVALID', message, { left: first.id, right: right.id })
  }
}

function checkPlaceInZone(session: EditSession, container: NodeRecord, zone: Zone, offset: number): void {
  const actual = hasZones(container)
    ? offset < 0
      ? 'pre'
      : 'post'
    : container.nodeClass === 'core'
      ? 'core'
      : undefined
  if (actual === zone) return
  if (hasZones(container) && zone !== 'core') throw zoneClash(zone, offset)
  const message = `${nameOf(session, container)} has no zone '${zone}' at this place.`
  throw new PactError('E_PLACEMENT_INVALID', message, { name: 'zone', ...idsOf(session, { id: container }) })
}

/** The lowest free integer between neighbours, else one of their offsets where the ages then allow it. */
function freeOffset(left: SiblingKey, age: Age, right: SiblingKey, zones: boolean): number | undefined {
  let free = left.offset + 1
  if (zones && free === 0) free = 1
  if (free < right.offset) return free
  return [left.offset, right.offset].find((offset) => {
    const node = { ...age, offset }
    return compareSiblings(left, node) < 0 && compareSiblings(node, right) < 0 && !(zones && offset === 0)
  })
}

/** Makes a node in its place. */
export function placeNew(session: EditSession, template: Template, target: Target): TreeNode {
  const { draft } = session
  const container = target.kind === 'splice' ? splice(session, target.depth) : target.container
  checkHeight(heightOf(template), depthToBe(draft, container))
  const stamps = session.stamp(requestsOf(template))
  const offset = target.kind === 'splice' ? (target.offset ?? 0) : new Placing(session, target, 1).next(stamps[0]!)
  const node = makeNode(session, template, container.id, offset, new Stamps(stamps))
  draft.insert(draft.pathTo(container.id), node)
  return node
}

/** Makes a segment with an empty core at a depth, where every deeper one moves down by one; gives the core. */
export function splice(session: EditSession, depth: number): NodeRecord {
  const { draft, dialect, by } = session
  const older = anchorAt(draft, depth)
  const newer = depth === 1 ? undefined : anchorAt(draft, depth - 1)
  const segType = className(dialect, 'seg')
  const contType = className(dialect, 'cont')
  const [segStamp, coreStamp] = session.stamp([
    { nodeClass: 'seg', nodeType: segType },
    { nodeClass: 'cont', nodeType: contType },
  ])
  const seq = draft.region('^seq')
  const segment = containerRecord(draft, segStamp!, {
    nodeClass: 'seg',
    nodeType: segType,
    offset: newer === undefined ? sealingOffset(draft) : spliceOffset(segStamp!, older, newer),
    parentId: seq.record.id,
    by,
  })
  const core = containerRecord(draft, coreStamp!, {
    nodeClass: 'core',
    nodeType: contType,
    offset: 0,
    parentId: segment.id,
    by,
  })
  draft.insert([seq], new Branch(segment, Sequence.fromSorted([new Branch(core, Sequence.EMPTY)])))
  return core
}

function spliceOffset(age: Age, older: NodeRecord | undefined, newer: NodeRecord): number {
  if (older === undefined) {
    return below(newer.offset, Math.min(SEGMENT_GAP, Math.max(1, newer.offset - Number.MIN_SAFE_INTEGER)))
  }
  // Halved before they are added, so that no sum leaves the safe integers.
  const middle = older.offset + Math.floor((newer.offset - older.offset) / 2)
  const offset = middle > older.offset ? middle : freeOffset(older, age, newer, false)
  if (offset !== undefined) return offset
  const message = `No segment fits between ${older.id} and ${newer.id}: nothing is renumbered, and their offsets leave no integer free.`
  throw new PactError('E_PLACEMENT_INVALID', message, { left: older.id, right: newer.id })
}
