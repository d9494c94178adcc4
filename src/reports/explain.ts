// The explanation of a node: why it is where it is, and its future, as data and in words.

import { PactError, short } from '../errors/index.js'
import { compactedOf, isToolResult, REDACTION, shedOf, type NodeRecord } from '../core/index.js'
import {
  coordinateOf,
  createdAtIso,
  Gone,
  isErased,
  isPrunable,
  lineOf,
  regionNameOf,
  sortByPlace,
  taskOf,
  type View,
} from '../timeline/index.js'
import { inWords } from './explain-words.js'
import type { Departure, Ending, ExplainedPlace, Explanation, Facts, Shedding } from './explanation.js'
import { forecastOf } from './forecast.js'
import { ruleFor, zoneIn } from './place.js'

/** Facts that only the context knows. */
export type ExplainInput = Readonly<{
  lens: string
  view: View
  /** True if a hold keeps the node that a name means. */
  isHeld: (name: string) => boolean
  /** The reach of pruning; undefined if nothing is pruned. */
  reach: PruningReach | undefined
  /** Empty segments leave (D55). */
  takesSegments: boolean
  /** Gives the prospects of a tool result; undefined if nothing is shed. */
  sheddingOf: ((record: NodeRecord) => Shedding | undefined) | undefined
}>

/** Pruning takes nothing out of this many of the newest segments. */
export type PruningReach = Readonly<{ protectedSegments: number }>

/** Explains one node; a departed node is explained by its last version and by its departure. */
export function explain(id: string, input: ExplainInput): Explanation {
  const { view, lens } = input
  const record = view.find(id)
  const gone = record === undefined ? view.departureOf(id) : undefined
  if (record === undefined && gone === undefined) {
    view.checkWhole(id, lens)
    const message = `There is no node ${short(id)} in ${lens}, and no snapshot before it holds one.`
    throw new PactError('E_NODE_NOT_FOUND', message, { id, lens })
  }
  const facts = record === undefined ? departed(id, input, gone!) : present(record, input)
  const sentences = Object.freeze(inWords(facts, nextOf(view)))
  return Object.freeze(Object.defineProperty({ ...facts, sentences }, 'toString', { value: () => sentences.join(' ') }))
}

function present(record: NodeRecord, input: ExplainInput): Facts {
  const { lens, view, isHeld, reach, takesSegments, sheddingOf } = input
  // Holds concern the future, so no earlier snapshot knows them.
  const isOpen = lens === 'working' || lens === 'preview'
  const isKept = (each: NodeRecord): boolean =>
    isOpen && each.names.some((name) => isHeld(name) && view.meant(name) === each)
  const held = isKept(record)
  const next = nextOf(view)
  const { leaves, keeper } = forecastOf(record, { view, next, isHeld: isKept, takesSegments })
  const end = endOf(view, record)
  const { id, rare } = record
  const referrers = sortByPlace(view, [...view.referrersOf(record)])
  const refs = referrers.map((referrer) => referrer.id).filter((each) => each !== id)
  const place = placeOf(view, record)
  const isShedable = isToolResult(record) && place.region !== '^sys'
  const isTask = reach !== undefined && holdsTask(view, record)
  return {
    id,
    nodeType: record.nodeType,
    lens,
    isThere: true,
    created: createdOf(view, record),
    changed: changedOf(view, record),
    place,
    expires: leaves?.by === 'ttl' ? Object.freeze({ ...end!, cycle: leaves.cycle }) : undefined,
    outlives: keeper && end,
    empties: leaves?.by === 'empty' ? Object.freeze({ cycle: leaves.cycle }) : undefined,
    returns: returnOf(view, record.instanceKey),
    keptBy: Object.freeze({
      pinned: rare?.pinned === true,
      held,
      refs: Object.freeze(refs),
      keeper: keeper && Object.freeze(keeper),
    }),
    prunable: isInReach(place, reach) && isPrunable(record) && !held && refs.length === 0 && !isTask,
    isTask,
    shedding: shedOf(record) !== undefined ? 'shed' : isShedable ? sheddingOf?.(record) : undefined,
    standsFor: standsForOf(record),
    supersedes: rare?.supersedes,
    supersededBy: undefined,
    redaction: redactionOf(view.written(record)),
    ...(isErased(record) ? { isErased: true as const } : {}),
    left: undefined,
  }
}

/** The nodes that a summary stands for; undefined for any other node. */
function standsForOf(record: NodeRecord): Facts['standsFor'] {
  const nodes = compactedOf(record)?.nodes.filter(({ of }) => of === undefined)
  if (nodes === undefined) return undefined
  const tokens = nodes.reduce((sum, each) => sum + (each.tokens ?? 0), 0)
  return Object.freeze({ ids: Object.freeze(nodes.map(({ id }) => id)), tokens })
}

/** True for the task, and for containers around it (D59). */
function holdsTask(view: View, record: NodeRecord): boolean {
  const task = record.nodeClass === 'root' || record.nodeClass === 'region' ? undefined : taskOf(view.tree)
  return task !== undefined && lineOf(view, task).some(({ id }) => id === record.id)
}

/** The cycle of the next commit. */
function nextOf(view: View): number {
  return view.isWorking ? view.cycle : view.cycle + 1
}

function departed(id: string, { lens, view }: ExplainInput, gone: Gone): Facts {
  const before = view.versionAt(id, gone.born - 1)
  const last = before instanceof Gone ? undefined : before
  return {
    id,
    nodeType: last?.nodeType,
    lens,
    isThere: false,
    created: last && createdOf(view, last),
    changed: undefined,
    place: undefined,
    expires: undefined,
    outlives: undefined,
    empties: undefined,
    returns: returnOf(view, last?.instanceKey),
    keptBy: Object.freeze({ pinned: false, held: false, refs: Object.freeze([]), keeper: undefined }),
    prunable: false,
    isTask: false,
    shedding: undefined,
    standsFor: last && standsForOf(last),
    supersedes: last?.rare?.supersedes,
    supersededBy: gone.successor,
    redaction: last && redactionOf(last),
    ...(last !== undefined && isErased(last) ? { isErased: true as const } : {}),
    left: departureOf(view, gone),
  }
}

function departureOf(view: View, { id, born: cycle, cause }: Gone): Departure {
  const rule = cause === 'pruned' ? ruleFor(id, cycle, view) : undefined
  if (rule === undefined) return Object.freeze({ cycle, cause })
  const { limit } = view.receiptAt(cycle).limits.find((each) => each.rule === rule)!
  return Object.freeze({ cycle, cause, rule, limit })
}

function createdOf(view: View, record: NodeRecord): Facts['created'] {
  const first = view.firstVersionOf(record)
  // A node that came back was made before, by a call that the summary alone knew.
  const by = first === undefined || isBack(first) ? undefined : first.by
  return Object.freeze({ cycle: record.cycle, by, at: createdAtIso(record), ...authorOf(view, first?.born) })
}

function changedOf(view: View, record: NodeRecord): Facts['changed'] {
  let version = record
  for (;;) {
    const before = view.versionBefore(version)
    if (before === undefined || before instanceof Gone) return isBack(version) ? changeOf(view, version) : undefined
    if (!isOfNames(version) && !isSealing(view, before, version)) return changeOf(view, version)
    version = before
  }
}

function changeOf(view: View, { born, by }: NodeRecord): Facts['changed'] {
  return Object.freeze({ cycle: born, by, ...authorOf(view, born) })
}

/** The author of the commit that closed a cycle; nothing in the open cycle, or if none was given. */
function authorOf(view: View, cycle: number | undefined): Readonly<{ author?: string }> {
  const author = cycle === undefined ? undefined : view.authorAt(cycle)
  return author === undefined ? {} : { author }
}

/** True for a version with which a compacted node came back. */
function isBack({ by, isFirst }: NodeRecord): boolean {
  return by === 'expand' && !isFirst
}

/** A version that differs from the one before only in ids that a commit dropped (D41). No call made it. */
function isOfNames({ by, isFirst }: NodeRecord): boolean {
  return by === 'commit' && !isFirst
}

/** True if the commit only sealed a head that an import had left open. */
function isSealing(view: View, before: NodeRecord, after: NodeRecord): boolean {
  if (before.by !== after.by || before.parentId === after.parentId) return false
  const parent = view.versionAt(before.parentId!, after.born - 1)
  return parent !== undefined && !(parent instanceof Gone) && parent.nodeType === '^ah'
}

/** The ttl that ends it first: its own, or that of a container around it. */
function endOf(view: View, record: NodeRecord): Ending | undefined {
  const line = record.nodeClass === 'root' ? [] : lineOf(view, record)
  let first: NodeRecord | undefined
  // From the node upward, so that its own comes first among equals. Regions stay, even if they have a ttl.
  for (const each of line.toReversed()) {
    if (each.ttl !== null && each.nodeClass !== 'region' && (first === undefined || each.expiry < first.expiry))
      first = each
  }
  return first && Object.freeze({ cycle: first.expiry, ttl: view.ttlOf(first)!, of: first.id })
}

function placeOf(view: View, record: NodeRecord): ExplainedPlace {
  return Object.freeze({
    region: record.nodeClass === 'root' ? record.nodeType : regionNameOf(view, record),
    depth: view.depthOf(record),
    zone: zoneIn(view, record),
    parent: record.parentId,
    coordinate: coordinateOf(view, record),
  })
}

/** The author and reason of a redaction, as far as they were given; undefined for a node that was not redacted. */
export function redactionOf({ nodeType, rare, by }: NodeRecord): Facts['redaction'] {
  const isMarker = rare?.supersedes !== undefined && nodeType.endsWith(REDACTION)
  if (!isMarker && by !== 'redact' && by !== 'system.redact') return undefined
  const attribute = (name: string): string | undefined => {
    const value = rare?.attributes?.get(name)
    return typeof value === 'string' ? value : undefined
  }
  return Object.freeze({ author: attribute('data_author'), reason: attribute('data_reason') })
}

function returnOf(view: View, key: string | undefined): Facts['returns'] {
  const schedule = key === undefined ? undefined : view.tree.schedules.get(key)
  if (schedule === undefined) return undefined
  const { cad, firstCycle } = schedule
  const next = firstCycle + (Math.floor((view.cycle - firstCycle) / cad) + 1) * cad
  return Object.freeze({ key: schedule.key, cad, cycle: next })
}

/** True if pruning reaches the node; a node in the head is in the newest segment after the commit. */
function isInReach({ region, depth }: ExplainedPlace, reach: PruningReach | undefined): boolean {
  return reach !== undefined && region === '^seq' && depth! > reach.protectedSegments
}
