// The place that a position means in a tree (D19, D30, D31): a new segment, or a container and a place in it.

import { PactError, short, type ErrorCode } from '../errors/index.js'
import { className, type NodeRecord, type Zone } from '../core/index.js'
import {
  childrenOf,
  coreOf,
  depthOf,
  lineOf,
  makeCore,
  recordOf,
  regionNameOf,
  type Branch,
  type Draft,
  type TreeNode,
} from '../timeline/index.js'
import { idsOf, nameOf, type EditSession } from './edit-session.js'
import type { ParsedPosition, Sentinel } from './position.js'
import { zoneFor } from './zone.js'

/** The fields of a header about a place. */
export type PlaceHeader = Readonly<{ offset?: number | undefined; zone?: Zone | undefined }>

export type Target =
  | Readonly<{ kind: 'splice'; depth: number; offset: number | undefined }>
  | Readonly<{ kind: 'container'; container: NodeRecord; where: Where; zone: Zone | undefined }>

/** A place among the children of a container. */
export type Where =
  | Readonly<{ kind: 'offset'; offset: number }>
  | Readonly<{ kind: 'gap'; left: NodeRecord | undefined; right: NodeRecord | undefined; isStart: boolean }>
  | Readonly<{ kind: 'next'; side: 'pre' | 'post' | 'inside' }>

/** The reach of a caller: the system capability inserts into `^sys` and may move anywhere. */
export type Reach = 'ordinary' | 'system insert' | 'anywhere'

/** Refuses a place in `^sys` to those who may not write there, before anything else is looked at (D31, N21). */
export function checkAuthority(session: EditSession, position: ParsedPosition, reach: Reach): void {
  const { draft } = session
  const start = position.kind === 'parent' ? draft.find(position.parent) : anchorAt(draft, position.depth)
  if (reach !== 'ordinary' || start === undefined || start.nodeClass === 'root') return
  if (regionNameOf(draft, start) !== '^sys') return
  throw refusal(session, 'E_NOT_AUTHORIZED', `${start.id} is in ^sys, which only ctx.system may change.`, start)
}

/** Finds the place; a head without a core gets one if it is needed. `moved` are ids of nodes that leave their places for it. */
export function resolve(
  session: EditSession,
  position: ParsedPosition,
  header: PlaceHeader,
  reach: Reach,
  moved: ReadonlySet<string> = NOBODY,
): Target {
  const { zone, offset, sentinel } = placeOf(position, header)
  checkAuthority(session, position, reach)
  if (position.kind === 'depth' && position.depth > 0)
    return spliceAt(session.draft, position.depth, zone, offset, reach)
  const container = containerOf(session, position, reach)
  if (container.nodeClass === 'block') {
    throw refusal(session, 'E_PARENT_NOT_CONTAINER', `${container.id} is a block and cannot hold nodes.`, container)
  }
  if (isInSealedCore(session.draft, container)) throw sealedCore(session, container)
  const inside = lineOf(session.draft, container).find(({ id }) => moved.has(id))
  if (inside !== undefined) {
    throw refusal(
      session,
      'E_CYCLE_DETECTED',
      `${inside.id} cannot move below itself, into ${container.id}.`,
      container,
    )
  }
  if (sentinel !== undefined) {
    return { kind: 'container', container, where: gapAt(session, container, sentinel, moved), zone }
  }
  return placeIn(session, container, zone, offset, position.kind === 'depth')
}

const NOBODY: ReadonlySet<string> = new Set()

type PositionParts = Readonly<{ zone: Zone | undefined; offset: number | undefined; sentinel: Sentinel | undefined }>

/** Joins position and header, if they agree. */
function placeOf(position: ParsedPosition, header: PlaceHeader): PositionParts {
  const zone = position.kind === 'coordinate' ? undefined : position.zone
  const offset = position.kind === 'depth' ? undefined : position.offset
  const sentinel = position.kind === 'coordinate' ? position.sentinel : undefined
  for (const [name, ours, theirs] of [
    ['zone', zone, header.zone],
    ['offset', sentinel === undefined ? offset : sentinel.kind, header.offset],
  ] as const) {
    if (ours === undefined || theirs === undefined || ours === theirs) continue
    const message = `The position says ${ours} and the header says ${name} ${theirs}; name it once.`
    throw new PactError('E_PLACEMENT_INVALID', message, { name })
  }
  return { zone: zone ?? header.zone, offset: offset ?? header.offset, sentinel }
}

function spliceAt(
  draft: Draft,
  depth: number,
  zone: Zone | undefined,
  offset: number | undefined,
  reach: Reach,
): Target {
  if (reach === 'system insert') {
    throw new PactError('E_PLACEMENT_INVALID', 'ctx.system inserts into ^sys; use ctx.insert for history.', { depth })
  }
  const deepest = draft.region('^seq').children.size + 1
  if (depth > deepest) {
    const message = `A new segment can be at depth ${deepest} at the deepest, not at ${depth}.`
    throw new PactError('E_DEPTH_INVALID', message, { depth, deepest })
  }
  if (zone !== undefined && zone !== 'core') {
    const place = zone === 'pre' ? `(d${depth},)` : `(d${depth}, end)`
    const message = `A new segment holds its nodes in the core; to add ${zone}-context to a segment, use '${place}'.`
    throw new PactError('E_PLACEMENT_INVALID', message, { name: 'zone' })
  }
  return { kind: 'splice', depth, offset }
}

/** A place by zone and offset, with defaults for what is missing. */
function placeIn(
  session: EditSession,
  container: NodeRecord,
  zone: Zone | undefined,
  offset: number | undefined,
  isByDepth: boolean,
): Target {
  const at = (where: Where, inside = container): Target => ({ kind: 'container', container: inside, where, zone })
  const isHead = container.nodeType === '^ah'
  if (offset !== undefined) {
    if (isByDepth && isHead) {
      if (zoneFor(zone, offset) === 'core') return at({ kind: 'offset', offset }, coreOfHead(session))
    }
    if (hasZones(container) && offset === 0) {
      const advice = isHead ? "'(d0, 0, end)' is inside it" : 'which is sealed'
      const message = `Offset 0 of ${container.id} is its core's, ${advice}; pre-context takes offsets below 0, post-context above.`
      throw refusal(session, 'E_DUPLICATE_CORE', message, container)
    }
    return at({ kind: 'offset', offset })
  }
  if (!hasZones(container)) return at({ kind: 'next', side: 'inside' })
  const side = zone ?? (isHead ? 'core' : 'post')
  if (side !== 'core') return at({ kind: 'next', side })
  if (!isHead) throw sealedCore(session, container)
  return at({ kind: 'next', side: 'inside' }, coreOfHead(session))
}

function containerOf(session: EditSession, position: ParsedPosition, reach: Reach): NodeRecord {
  const { draft } = session
  const start = position.kind === 'parent' ? draft.find(position.parent) : anchorAt(draft, position.depth)
  if (start === undefined) {
    const name = position.kind === 'parent' ? `no node ${short(position.parent)}` : `nothing at depth ${position.depth}`
    throw new PactError('E_PARENT_NOT_FOUND', `There is ${name} in the working state.`, {
      position: positionText(position),
    })
  }
  if (start.nodeClass === 'root' || start.nodeType === '^seq') {
    const advice = start.nodeClass === 'root' ? 'the regions' : 'segments; use { depth } for a new one'
    throw refusal(session, 'E_PLACEMENT_INVALID', `${start.id} holds nothing but ${advice}.`, start)
  }
  if (reach === 'system insert' && regionNameOf(draft, start) !== '^sys') {
    throw refusal(session, 'E_PLACEMENT_INVALID', `${start.id} is outside ^sys; use ctx.insert for it.`, start)
  }
  return position.kind === 'coordinate' ? descend(session, start, position.hops) : start
}

function positionText(position: ParsedPosition): string {
  return position.kind === 'parent' ? position.parent : `d${position.depth}`
}

/** Follows offsets downward. */
function descend(session: EditSession, start: NodeRecord, hops: readonly number[]): NodeRecord {
  let container = start
  for (const hop of hops) {
    if (container.nodeType === '^ah' && hop === 0) {
      container = coreOfHead(session)
      continue
    }
    const children = childrenOf(session.draft.nodeOf(container))
    const first = children.rankOfOffset(hop)
    const found = children.at(first)
    if (found === undefined || recordOf(found).offset !== hop) {
      throw refusal(
        session,
        'E_PARENT_NOT_FOUND',
        `${nameOf(session, container)} has no child at offset ${hop}.`,
        container,
      )
    }
    // Blocks at offset 0 without a container count as being in one (D12).
    const isVirtual = container.nodeClass === 'seg' && hop === 0 && recordOf(found).nodeClass !== 'core'
    if (isVirtual) throw sealedCore(session, container)
    const next = children.at(first + 1)
    if (next !== undefined && recordOf(next).offset === hop) {
      const message = `${container.id} has several children at offset ${hop}; name the one you mean as { parent }.`
      throw refusal(session, 'E_PLACEMENT_INVALID', message, container)
    }
    container = recordOf(found)
  }
  return container
}

/** The container at a depth. */
export function anchorAt(draft: Draft, depth: number): NodeRecord | undefined {
  if (depth <= 0) return draft.region(depth === 0 ? '^ah' : '^sys').record
  const { children } = draft.region('^seq')
  const segment = children.at(children.size - depth)
  return segment && recordOf(segment)
}

/** The head's core, made where it is missing. */
function coreOfHead(session: EditSession): NodeRecord {
  const core = coreOf(session.draft.region('^ah'))
  if (core !== undefined) return core.record
  const nodeType = className(session.dialect, 'cont')
  const [stamp] = session.stamp([{ nodeClass: 'cont', nodeType }])
  return makeCore(session.draft, stamp!, nodeType, session.by).record
}

/** The gap that a sentinel names, between the children that stay. */
function gapAt(session: EditSession, container: NodeRecord, sentinel: Sentinel, moved: ReadonlySet<string>): Where {
  const children = childrenOf(session.draft.nodeOf(container))
  const { size } = children
  if ((sentinel.kind === 'after' || sentinel.kind === 'before') && sentinel.n > size) {
    const message = `${nameOf(session, container)} has ${size} children, so there is no child ${sentinel.n}.`
    throw refusal(session, 'E_PLACEMENT_INVALID', message, container)
  }
  const at =
    sentinel.kind === 'start'
      ? 0
      : sentinel.kind === 'end'
        ? size
        : sentinel.kind === 'after'
          ? sentinel.n
          : sentinel.n - 1
  return {
    kind: 'gap',
    left: nextStaying(children, at - 1, -1, moved),
    right: nextStaying(children, at, 1, moved),
    isStart: at === 0 && sentinel.kind !== 'end',
  }
}

function nextStaying(
  children: Branch['children'],
  from: number,
  step: 1 | -1,
  moved: ReadonlySet<string>,
): NodeRecord | undefined {
  for (let i = from; ; i += step) {
    const node: TreeNode | undefined = children.at(i)
    if (node === undefined || !moved.has(recordOf(node).id)) return node && recordOf(node)
  }
}

/** True if its children are divided into pre-context, core and post-context. */
export function hasZones({ nodeClass, nodeType }: NodeRecord): boolean {
  return nodeClass === 'seg' || nodeType === '^ah'
}

/** True if a node is the core of a segment, or is in one; blocks at offset 0 count as in one (D12). */
export function isInSealedCore(draft: Draft, record: NodeRecord): boolean {
  const [region, , child] = lineOf(draft, record)
  return region?.nodeType === '^seq' && child?.offset === 0
}

/** The depth of a node that is neither the root nor `^seq`. */
export function depthIn(draft: Draft, record: NodeRecord): number {
  return depthOf(draft, record)!
}

export function sealedCore(session: EditSession, record: NodeRecord): PactError {
  const message = `${nameOf(session, record)} is sealed: nothing enters or leaves a sealed core. replace() and delete() put nodes in its place.`
  return refusal(session, 'E_SEALED_CORE', message, record)
}

function refusal(session: EditSession, code: ErrorCode, message: string, record: NodeRecord): PactError {
  return new PactError(code, message, idsOf(session, { id: record }))
}
