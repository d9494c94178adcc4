// replace (004 §6.2, D30): at depth 0 and in `^sys` a node changes in place, unless its role, kind or type would;
// then, and in history, another node supersedes it and every earlier snapshot still holds the old one.

import { PactError } from '../errors/index.js'
import { className, NodeRecord, withTags, type Dialect, type RareHeaders, type Template } from '../core/index.js'
import {
  Branch,
  childrenOf,
  heldAs,
  recordOf,
  reparented,
  standInOf,
  walkRecords,
  type Draft,
  type Sequence,
  type TreeNode,
} from '../timeline/index.js'
import { dropSummariesOf } from './covering.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { checkCadencePlace, endSchedule, keptOffset, noteWrites } from './cadence.js'
import { cadenceOfChild, cadenceWithoutKey, type Overlay } from './header.js'
import {
  checkHeight,
  depthToBe,
  heightOf,
  inOrder,
  laidOut,
  makeChildren,
  rareOfTemplate,
  withNewContent,
  withoutOriginals,
  recordsOf,
} from './make-node.js'
import { keepOrder, outermost } from './demotion.js'
import { rewriteScheduled, type ScheduledHit } from './scheduled.js'
import { depthIn, hasZones } from './resolve-position.js'

/** Replaces every target and gives the nodes that are there now; scheduled targets are rewritten (D46). */
export function replaceNodes(
  session: EditSession,
  targets: readonly NodeRecord[],
  overlay: Overlay,
  scheduled: readonly ScheduledHit[] = [],
): readonly TreeNode[] {
  for (const { id, nodeClass } of targets) {
    if (nodeClass !== 'seg' && nodeClass !== 'core') continue
    const message = `${id} is a ${nodeClass === 'seg' ? 'segment' : 'core'}, which cannot be replaced; replace what it holds.`
    throw new PactError('E_PLACEMENT_INVALID', message, { id })
  }
  return rehearsed(session, (trial) => {
    const nodes = replaceEach(trial, targets, overlay)
    rewriteScheduled(
      trial,
      scheduled,
      (template, at) => rewritten(template, at === 0, overlay, trial.dialect),
      'outermost',
    )
    return nodes
  })
}

function rewritten(template: Template, isTop: boolean, overlay: Overlay, dialect: Dialect): Template {
  if (!isTop && overlay.rare?.cad !== undefined) throw cadenceOfChild()
  return mergeTemplate(template, overlay, dialect)
}

/** Replaces inside an edit that is already rehearsed, without schedules. */
export function replaceEach(
  session: EditSession,
  targets: readonly NodeRecord[],
  overlay: Overlay,
): readonly TreeNode[] {
  const { draft } = session
  const results = outermost(draft, targets).map((target) => replaceNode(session, target, overlay))
  // A node whose key stays is no new instance, whatever is around it.
  const areInstances = results.some(({ node, keyBefore }) => recordOf(node).rare?.key !== keyBefore)
  const placed = results.flatMap(({ node, made }) => (areInstances ? [recordOf(node), ...made] : made))
  if (overlay.rare?.cad !== undefined) {
    for (const { node } of results) {
      if (recordOf(node).rare?.key === undefined) throw cadenceWithoutKey()
      checkCadencePlace(session, node)
    }
  }
  keepOrder(session, placed, false)
  for (const { node, made, keyBefore } of results) {
    const record = recordOf(node)
    if (keyBefore !== record.rare?.key) endSchedule(draft, record, keyBefore)
    noteWrites(session, node, [record, ...made], keptOffset(draft, record))
  }
  return results.map(({ node }) => draft.nodeOf(draft.find(recordOf(node).id)!))
}

type Replaced = Readonly<{ node: TreeNode; made: readonly NodeRecord[]; keyBefore: string | undefined }>

/** Replaces one node; the cause is shown by diffs for a node that left for its stand-in. */
export function replaceNode(
  session: EditSession,
  { id }: NodeRecord,
  overlay: Overlay,
  cause: 'superseded' | 'redacted' = 'superseded',
): Replaced {
  const { draft } = session
  const target = draft.find(id)!
  const old = draft.nodeOf(target)
  const merged = merge(target, overlay, session)
  // Blocks at offset 0 that no container holds (D12) cannot turn into a second core.
  if (merged.nodeClass === 'cont' && target.offset === 0 && hasZones(draft.find(target.parentId!)!)) {
    const message = `${id} is the core of ${target.parentId} and cannot become a container.`
    throw new PactError('E_DUPLICATE_CORE', message, { id })
  }
  const isSame = merged.nodeType === target.nodeType && merged.role === target.role && merged.kind === target.kind
  const inPlace = isSame && depthIn(draft, target) <= 0
  const record = inPlace ? new NodeRecord({ ...merged, id, cycle: target.cycle }) : superseding(session, target, merged)
  const { children, made } = childrenFor(session, record, old, overlay)
  const node = children === undefined ? record : new Branch(record, children, old instanceof Branch && old.everHeld)
  if (overlay.children !== undefined) {
    checkHeight(heightOf(node), depthToBe(draft, draft.find(target.parentId!)!))
  }
  dropSummariesOf(draft, [old])
  if (inPlace) {
    if (overlay.children === undefined) draft.change(record)
    else draft.exchange(target, node, 'edited')
  } else {
    draft.supersede(target, node, cause)
    checkTraces(draft, old, recordOf(node))
  }
  return { node, made, keyBefore: target.rare?.key }
}

/** A node of a snapshot leaves history only if a stand-in names it: a node of this cycle names none (D43). */
function checkTraces(draft: Draft, old: TreeNode, { id, rare }: NodeRecord): void {
  const { id: oldId } = recordOf(old)
  if (rare?.supersedes !== undefined || depthIn(draft, draft.find(id)!) <= 0) return
  for (const lost of walkRecords(old)) {
    if (lost.id === oldId || draft.find(lost.id) !== undefined || heldAs(draft, lost) === undefined) continue
    const message = `${oldId} was made in this cycle and holds ${lost.id}, which snapshots hold; delete() or move() that first.`
    throw new PactError('E_PLACEMENT_INVALID', message, { id: oldId, holds: lost.id })
  }
}

/** The headers of the target with the changes of the replacement. */
function merge(target: NodeRecord, overlay: Overlay, { draft, dialect, by }: EditSession): NodeRecord {
  const { nodeClass, nodeType } = typeFor(target, overlay, dialect)
  const content = contentFor(target, overlay, nodeClass)
  checkRemovable(target.rare, overlay)
  const rare = mergeRare(overlay.content === undefined ? target.rare : withNewContent(target.rare), overlay.rare)
  return new NodeRecord({
    ...target,
    nodeClass,
    nodeType,
    content,
    priority: overlay.priority ?? target.priority,
    ttl: overlay.ttl === undefined ? target.ttl : overlay.ttl,
    ttlFrom: overlay.ttl === undefined ? target.ttlFrom : draft.cycle,
    role: overlay.role ?? target.role,
    kind: overlay.kind ?? target.kind,
    rare: nodeClass === 'block' ? withoutRemovable(rare) : withoutOriginals(rare),
    born: draft.cycle,
    by: target.born === draft.cycle ? target.by : by,
  })
}

/** The `removable` mark of a container is decided when it is made (02 §5.3.1, D42). */
function checkRemovable(had: RareHeaders | undefined, overlay: Overlay): void {
  const wanted = overlay.rare?.removable
  if (wanted === undefined || wanted === (had?.removable ?? false)) return
  const message =
    'removable is decided when a node is made and cannot change; make another container, or move() into one.'
  throw new PactError('E_PLACEMENT_INVALID', message, { name: 'removable' })
}

/** A block holds nothing, so it cannot be emptied: a container that becomes one leaves the flag behind. */
function withoutRemovable(rare: RareHeaders | undefined): RareHeaders | undefined {
  if (rare?.removable !== true) return rare
  const { removable: _removable, ...rest } = rare
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** The merged template for the node of a schedule. */
export function mergeTemplate(target: Template, overlay: Overlay, dialect: Dialect): Template {
  const { nodeClass, nodeType } = typeFor(target, overlay, dialect)
  const content = contentFor(target, overlay, nodeClass)
  checkRemovable(target.rare, overlay)
  return {
    nodeClass: nodeClass === 'block' ? 'block' : 'cont',
    nodeType,
    content,
    offset: target.offset,
    priority: overlay.priority ?? target.priority,
    ttl: overlay.ttl === undefined ? target.ttl : overlay.ttl,
    role: overlay.role ?? target.role,
    kind: overlay.kind ?? target.kind,
    rare: rareOfTemplate(mergeRare(target.rare, overlay.rare), nodeClass === 'block'),
    children: nodeClass === 'block' ? [] : overlay.children ? laidOut(overlay.children, dialect) : target.children,
  }
}

type Typed = Pick<NodeRecord, 'nodeClass' | 'nodeType'>

function typeFor(target: Typed, overlay: Overlay, dialect: Dialect): Typed {
  const nodeClass = overlay.nodeClass ?? target.nodeClass
  if (overlay.nodeType !== undefined) return { nodeClass, nodeType: overlay.nodeType }
  const isSame = nodeClass === target.nodeClass
  return { nodeClass, nodeType: isSame ? target.nodeType : className(dialect, nodeClass as 'cont' | 'block') }
}

function mergeRare(target: RareHeaders | undefined, named: RareHeaders | undefined): RareHeaders | undefined {
  if (target === undefined || named === undefined) return named ?? target
  const attributes =
    target.attributes === undefined || named.attributes === undefined
      ? (named.attributes ?? target.attributes)
      : new Map([...target.attributes, ...named.attributes])
  const merged = { ...target, ...named, ...(attributes === undefined ? {} : { attributes }) }
  return named.tags === undefined ? merged : withTags(merged, named.tags)
}

function contentFor(
  target: Pick<NodeRecord, 'nodeClass' | 'content'>,
  overlay: Overlay,
  nodeClass: NodeRecord['nodeClass'],
): NodeRecord['content'] {
  const content = overlay.content === undefined ? target.content : overlay.content
  if (nodeClass !== 'block' || content !== undefined || target.nodeClass === 'block') return content
  throw new PactError('E_CONTENT_INVALID', "A block needs content; pass '' for an empty one.", { name: 'content' })
}

/** The headers for another node of this cycle, which stands in for the node that the snapshots hold. */
export function superseding(session: EditSession, target: NodeRecord, headers: NodeRecord): NodeRecord {
  const { nodeClass, nodeType } = headers
  const [stamp] = session.stamp([{ nodeClass: nodeClass === 'block' ? 'block' : 'cont', nodeType, age: target }])
  return standInOf(session.draft, target, headers, stamp!, session.by)
}

/** The children of the node: new ones if the replacement names some, else those that it had. */
function childrenFor(
  session: EditSession,
  record: NodeRecord,
  old: TreeNode,
  overlay: Overlay,
): { children: Sequence | undefined; made: readonly NodeRecord[] } {
  if (record.nodeClass === 'block') return { children: undefined, made: NONE }
  if (overlay.children !== undefined) {
    const children = makeChildren(session, overlay.children, record.id)
    return { children, made: [...children].flatMap(recordsOf) }
  }
  const kept = childrenOf(old)
  if (kept.size === 0 || record.id === recordOf(old).id) return { children: kept, made: NONE }
  return {
    children: inOrder(Array.from(kept, (child) => reparented(child, record.id, session.draft.cycle))),
    made: NONE,
  }
}

const NONE: readonly NodeRecord[] = []
