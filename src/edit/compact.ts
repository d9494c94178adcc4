// compact and expand (D63): one summary in the place of many nodes, and these nodes again. Nodes that the last snapshot holds stay there; the
// others travel with the summary.

import { describe, invalid, isRecord, PactError, short } from '../errors/index.js'
import {
  COMPACTED,
  compactedOf,
  LIMITS,
  NodeRecord,
  type Cause,
  type Compacted,
  type CompactedNode,
  type RareHeaders,
  type Template,
} from '../core/index.js'
import {
  canonicalJson,
  contentHashOfRecord,
  copyJson,
  ERASED,
  isCompacted,
  isEntry,
  isErasedEntry,
  travellingForm,
  travellingNode,
} from '../codec/index.js'
import {
  Branch,
  coreOf,
  entriesOf,
  Frame,
  heldAs,
  recordOf,
  regionNameOf,
  walkNodes,
  walkRecords,
  withCompacted,
  type Draft,
  type TreeNode,
} from '../timeline/index.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { outermost } from './demotion.js'
import { checkHeight, depthToBe, heightOf, inOrder } from './make-node.js'
import { CompactionRange } from './steps.js'

/** A node to compact; without a hash its content is not checked. */
export type NodeToCompact = Readonly<{ id: string; hash?: string | undefined; tokens: number }>

export function checkCompact(nodes: unknown): readonly NodeToCompact[] {
  if (!Array.isArray(nodes) || nodes.length === 0 || nodes.length > LIMITS.nodes) {
    throw invalid('nodes', `nodes is a list such as [{ id, hash, tokens }] that is not empty, not ${describe(nodes)}.`)
  }
  const checked = Array.from(nodes as readonly unknown[], checkOne)
  const ids = new Set(checked.map(({ id }) => id))
  if (ids.size < checked.length) throw invalid('nodes', 'Each node to compact is listed once.')
  return Object.freeze(checked)
}

function checkOne(given: unknown): NodeToCompact {
  const { id, hash, tokens, ...rest }: Partial<NodeToCompact> = isRecord(given) ? given : {}
  const isRight = typeof id === 'string' && typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0
  if (isRight && (hash === undefined || typeof hash === 'string') && Object.keys(rest).length === 0) {
    return Object.freeze({ id, ...(hash === undefined ? {} : { hash }), tokens })
  }
  throw invalid('nodes', `A node to compact is an object such as { id, hash, tokens }, not ${describe(given)}.`)
}

/** Puts a summary in the place of the nodes, all of which must be as they were planned. */
export function compactNodes(session: EditSession, nodes: readonly NodeToCompact[], template: Template): TreeNode {
  return rehearsed(session, (trial) => {
    const { draft } = trial
    const listed = new Map(nodes.map((each) => [each.id, each]))
    const tops = outermost(draft, checkedRecords(draft, nodes))
    const all = tops.map((top) => draft.nodeOf(top))
    checkClosed(draft, all, listed)
    const first = tops.find((top) => isInCore(draft, top)) ?? tops[0]!
    const list = compactedList(draft, all, listed)
    const [stamp] = trial.stamp([{ nodeClass: 'block', nodeType: template.nodeType, age: first }])
    const records = all.flatMap((node) => [...walkRecords(node)])
    const supersedes = heldAs(draft, first)
    const names = [...new Set(records.flatMap((record) => record.names))].filter((name) => name !== supersedes)
    const rare: RareHeaders = {
      ...template.rare,
      ...(supersedes === undefined ? {} : { supersedes }),
      ...(names.length === 0 ? {} : { standsFor: Object.freeze(names) }),
    }
    const { content, priority, ttl, role, kind, nodeType } = template
    const { parentId, offset } = first
    const plain = new NodeRecord({
      ...stamp!,
      parentId,
      nodeClass: 'block',
      nodeType,
      offset,
      priority,
      ttl,
      role,
      kind,
      content,
      rare,
      ttlFrom: draft.cycle,
      born: draft.cycle,
      by: trial.by,
    })
    const summary = withCompacted(plain, list)
    draft.supersede(first, summary, 'compacted')
    for (const node of all) {
      const top = recordOf(node)
      if (top !== first) draft.lift(top, 'compacted')
      for (const record of walkRecords(node)) {
        if (record !== first) draft.succeed(record.id, 'compacted', summary.id)
      }
      if (top !== first) draft.forsake(node, 'compacted', summary.id)
    }
    return summary
  })
}

/** A template with the kind of a summary; the highest priority of the nodes and one more, unless the header says otherwise. */
export function summaryPriority(draft: Draft, nodes: readonly NodeToCompact[]): number {
  const priorities = nodes.map(({ id }) => draft.find(id)?.priority ?? 0)
  return Math.min(priorities.reduce((highest, each) => Math.max(highest, each), 0) + 1, Number.MAX_SAFE_INTEGER)
}

function checkedRecords(draft: Draft, nodes: readonly NodeToCompact[]): readonly NodeRecord[] {
  const range = new CompactionRange(draft)
  return nodes.map(({ id, hash }) => {
    const record = draft.find(id)
    if (record === undefined) throw stale(id, 'gone', 'is not in the working state any more')
    if (record.nodeClass !== 'block' && record.nodeClass !== 'cont') {
      throw new PactError(
        'E_PLACEMENT_INVALID',
        `${short(id)} is no block and no container; these are what compact takes.`,
        { id },
      )
    }
    if (regionNameOf(draft, record) === '^sys') {
      throw new PactError('E_NOT_AUTHORIZED', `${short(id)} is in ^sys, which no compaction takes.`, { id })
    }
    if (hash !== undefined && hash !== contentHashOfRecord(record))
      throw stale(id, 'changed', 'has another content now')
    const reason = range.reasonFor(record)
    if (reason !== undefined) throw stale(id, reason, STAYS[reason])
    return record
  })
}

const STAYS = {
  task: 'is the task, the newest message of the user',
  pinned: 'is pinned',
  key: 'has a key',
  'open-call': 'is a call that waits for its result',
  held: 'is held',
  newest: 'is one of the newest steps',
  group: 'belongs to a node that stays',
} as const

/** The error about a plan that the tree has left behind. */
export function stale(id: string, reason: string, why: string): PactError {
  const message = `This cannot be compacted: ${short(id)} ${why}. Nothing was changed; call planCompaction() again.`
  return new PactError('E_CONFLICT', message, { id, reason })
}

/** Everything in a listed container and every member of a group is listed too. */
function checkClosed(draft: Draft, all: readonly TreeNode[], listed: ReadonlyMap<string, NodeToCompact>): void {
  const range = new CompactionRange(draft)
  for (const record of all.flatMap((node) => [...walkRecords(node)])) {
    if (!listed.has(record.id)) throw stale(record.id, 'more', 'came into a node that is to be compacted')
    const other = range.groupOf(record).find(({ id }) => !listed.has(id))
    if (other !== undefined)
      throw stale(other.id, 'group', `belongs to ${record.id}, which is to be compacted, and is not in the plan`)
  }
}

function isInCore(draft: Draft, record: NodeRecord): boolean {
  const parent = draft.find(record.parentId!)!
  return parent.nodeClass === 'core' || parent.nodeClass === 'cont' || record.offset === 0
}

/** The nodes in document order, each with its hash and its tokens; those that the last snapshot does not hold like this travel. */
function compactedList(draft: Draft, all: readonly TreeNode[], listed: ReadonlyMap<string, NodeToCompact>): Compacted {
  const nodes = all
    .flatMap((top) => [...walkNodes(top)])
    .flatMap((node): readonly CompactedNode[] => {
      const record = recordOf(node)
      const { id } = record
      // As an export says it: of an empty container, only if the next commit takes it.
      const held = node instanceof Branch ? { held: node.isSpent || node.children.size > 0 } : {}
      const list = compactedOf(record)
      const summary = list === undefined ? {} : { summary: list.cycle }
      const entry = { id, hash: contentHashOfRecord(record), tokens: listed.get(id)!.tokens, ...held, ...summary }
      if (isCommittedAs(draft, record)) return [entry]
      const travels = {
        ...entry,
        ...travellingForm({ record: asShown(draft, record), core: coreBeside(draft, record) }),
      }
      const inside = compactedOf(record)?.nodes ?? []
      return [travels, ...inside.map((each) => (each.of === undefined ? { ...each, of: id } : each))]
    })
  return copyJson({ cycle: draft.cycle - 1, nodes }) as unknown as Compacted
}

/** True if the last snapshot holds a node like this one in the same place. */
function isCommittedAs(draft: Draft, record: NodeRecord): boolean {
  const held = draft.timeline.find(record.id, draft.cycle - 1)
  if (held === undefined || held === record) return held !== undefined
  return formText(draft, held) === formText(draft, record)
}

function formText(draft: Draft, record: NodeRecord): string {
  const { node, at } = travellingForm({ record: asShown(draft, record), core: undefined }, true)
  return canonicalJson({ node, at: { ...at, by: '' } })
}

/** The node with its ttl as the last snapshot shows it and an export writes it: an import knows no older cycle to count from (D24). */
function asShown({ tree, cycle }: Draft, record: NodeRecord): NodeRecord {
  if (record.ttlFrom === cycle) return record
  const frame = new Frame(tree, cycle, true)
  return new NodeRecord({ ...record, ttl: frame.ttlOf(record), ttlFrom: frame.shown })
}

/** The core of the active head, for a node directly under the head. */
function coreBeside(draft: Draft, { parentId }: NodeRecord): string | undefined {
  const head = draft.region('^ah')
  return parentId === head.record.id ? coreOf(head)?.record.id : undefined
}

// ---- expand

/** The nodes that came back, and all of them as data, so that the edit can be made again without the history. */
export type Expanded = Readonly<{ touched: readonly TreeNode[]; nodes: readonly CompactedNode[] }>

export function checkExpand(nodes: unknown): readonly CompactedNode[] | undefined {
  if (nodes === undefined) return undefined
  const copy = copyJson(nodes) as unknown as readonly CompactedNode[]
  if (Array.isArray(copy) && copy.length <= LIMITS.nodes && copy.every(isGiven)) return copy
  throw invalid('nodes', 'nodes is the list of an expand operation, as operations() gives it; leave it out.')
}

/** A node of an expand operation: an entry, of which a summary has its own list in the node, and an erased one no hash. */
function isGiven(entry: CompactedNode): boolean {
  if (!isRecord(entry) || !isRecord(entry.node)) return false
  const { [COMPACTED]: list, ...node } = entry.node
  const hash = isErasedEntry(entry) ? NO_HASH : entry.hash
  return (list === undefined || isCompacted(list)) && isEntry({ ...entry, node, hash })
}

const NO_HASH = '0'.repeat(64)

/** Puts the nodes that a summary stands for back in their places, and takes the summary out. */
export function expandNode(session: EditSession, id: unknown, given: readonly CompactedNode[] | undefined): Expanded {
  if (typeof id !== 'string') throw invalid('id', `expand takes the id of a summary, not ${describe(id)}.`)
  return rehearsed(session, (trial) => {
    const { draft } = trial
    const summary = draft.find(id) ?? draft.meant(id)
    const compacted = summary && compactedOf(summary)
    if (compacted === undefined || regionNameOf(draft, summary!) === '^sys') {
      throw new PactError('E_NODE_NOT_FOUND', `The working state has no summary ${short(id)} to expand.`, { id })
    }
    const own = compacted.nodes.filter(({ of }) => of === undefined)
    const known = new Map(given?.map((each) => [each.id, each]))
    const originals = own.map((entry) => originalOf(draft, entry, compacted, known.get(entry.id)))
    const placed = draft.lift(summary!, 'expanded')
    const touched = originals.filter(({ record }) => !originals.some((each) => each.record.id === record.parentId))
    const nodes = touched.map((top) => putBack(trial, top, originals, summary!))
    draft.forsake(placed, 'expanded')
    for (const { record } of originals) {
      const replaced = record.rare?.supersedes
      if (replaced !== undefined && record.cycle === draft.cycle) draft.succeed(replaced, causeBy(record), record.id)
    }
    return { touched: nodes, nodes: originals.map((each) => each.entry) }
  })
}

type Original = Readonly<{
  record: NodeRecord
  core: string | undefined
  held: boolean | undefined
  entry: CompactedNode
  /** True if the last snapshot holds this very version. */
  isCommitted: boolean
}>

/** One original, checked: as it travels, as the edit has it, or as its snapshot holds it. */
function originalOf(
  draft: Draft,
  entry: CompactedNode,
  compacted: Compacted,
  given: CompactedNode | undefined,
): Original {
  const { id } = entry
  if (draft.find(id) !== undefined) {
    throw new PactError('E_ID_DUPLICATE', `${short(id)} is in the working state already, so it cannot come back.`, {
      id,
    })
  }
  const isErased = given !== undefined && isErasedEntry(given)
  if (entry.erased === true && !isErased) throw notTheSame(id, 'erased')
  // The last snapshot is always here, and holds the very node.
  const isHere = entry.node === undefined && compacted.cycle === draft.cycle - 1
  const source = entry.node === undefined ? given : entry
  const travelling = isHere || source === undefined ? undefined : travellingNode(source)
  const record = travelling?.record ?? heldIn(draft, id, compacted.cycle)
  if (record.id !== id || (!isErased && contentHashOfRecord(record) !== entry.hash)) {
    throw notTheSame(id, record.rare?.attributes?.has(ERASED) === true ? 'erased' : 'changed')
  }
  const inside = entriesOf(compacted.nodes, id)
  const whole =
    inside.length === 0
      ? record
      : withCompacted(record, { cycle: entry.summary ?? compacted.cycle, nodes: Object.freeze(inside) })
  const isCommitted = draft.timeline.find(id, draft.cycle - 1) === record
  const { of: _of, erased: _erased, ...known } = entry
  const said = travelling === undefined ? { ...known, ...travellingForm({ record, core: undefined }, true) } : source!
  return { record: whole, core: travelling?.core, held: (source ?? entry).held, isCommitted, entry: said }
}

function notTheSame(id: string, reason: 'erased' | 'changed'): PactError {
  const why = reason === 'erased' ? 'its content was erased' : 'its content is not the one that was compacted'
  return new PactError('E_CONFLICT', `${short(id)} cannot come back: ${why}. The summary stays as it is.`, {
    id,
    reason,
  })
}

/** The version of a node in the snapshot that a compaction left it in. */
export function heldIn({ timeline }: Pick<Draft, 'timeline'>, id: string, cycle: number): NodeRecord {
  const holding = timeline.holding(cycle)
  const record = holding?.find(id, cycle)
  if (record !== undefined) return record
  // One that was thinned out cannot be loaded.
  if (timeline.lacks(cycle) && !timeline.thinned.has(cycle))
    throw timeline.lacking(`The snapshot that holds ${short(id)} is`, cycle, `@c${cycle}`, { id })
  const message = `The snapshot of cycle ${cycle}, which holds ${short(id)}, is not here: it was dropped or thinned out, or this context was imported without its history. Ask a context that has @c${cycle}, or go on with the summary.`
  throw new PactError('E_SNAPSHOT_NOT_FOUND', message, { id, cycle })
}

/** Puts an original with everything under it back under its parent, or where the summary is, if that is gone. */
function putBack(session: EditSession, top: Original, all: readonly Original[], summary: NodeRecord): TreeNode {
  const { draft } = session
  const parent = parentFor(draft, top)
  const at = parent ?? draft.find(summary.parentId!)!
  const node = restored(draft, top, all, at.id, parent === undefined ? summary.offset : top.record.offset)
  checkHeight(heightOf(node), depthToBe(draft, at))
  draft.insert(draft.pathTo(at.id), node)
  return node
}

function parentFor(draft: Draft, { record, core }: Original): NodeRecord | undefined {
  const head = draft.region('^ah').record
  const id = core === undefined ? record.parentId! : draft.find(core)?.parentId
  const parent = id === undefined ? undefined : draft.find(id)
  // A node of a closed turn does not come back into the open one.
  if (parent === undefined || (parent.id === head.id && record.cycle !== draft.cycle && core === undefined))
    return undefined
  return parent.nodeClass === 'block' || parent.nodeClass === 'root' ? undefined : parent
}

/** The version that comes back; in the cycle of the compaction it is the one that was there. */
function restored(draft: Draft, found: Original, all: readonly Original[], parentId: string, offset: number): TreeNode {
  const { record, held, isCommitted } = found
  const isSamePlace = record.parentId === parentId && record.offset === offset
  const { cycle } = draft
  const isOver = record.expiry < cycle
  const version =
    isCommitted && isSamePlace
      ? record
      : new NodeRecord({
          ...record,
          parentId,
          offset,
          born: cycle,
          by: record.cycle === cycle ? record.by : 'expand',
          // A ttl that ended meanwhile ends with the next commit.
          ...(isOver ? { ttl: 0, ttlFrom: cycle } : {}),
        })
  if (record.nodeClass === 'block') return version
  const children = all
    .filter((each) => each.record.parentId === record.id)
    .map((each) => restored(draft, each, all, record.id, each.record.offset))
  return new Branch(version, inOrder(children), held)
}

/** The cause for a node that left for another one in the open cycle. */
function causeBy({ by }: NodeRecord): Cause {
  if (by === 'shed') return 'shed'
  return by === 'delete' || by === 'redact' ? 'redacted' : by === 'compact' ? 'compacted' : 'superseded'
}
