// replace and put (004 §6.2, D30): at depth 0 and in `^sys` a node changes in place, unless its role, kind or type would;
// then, and in history, another node supersedes it and every earlier snapshot still holds the old one.

import { describe, PactError } from '../errors/index.js'
import { className, NodeRecord, type Dialect, type RareHeaders, type Zone } from '../core/index.js'
import {
  Branch,
  childrenOf,
  recordOf,
  regionNameOf,
  reparented,
  type Draft,
  type Sequence,
  type TreeNode,
} from '../timeline/index.js'
import { addToHead } from './add.js'
import { rehearsed, type Bench } from './bench.js'
import { checkCadencePlace, endSchedule, keptOffset, noteWrites } from './cadence.js'
import { cadenceWithoutKey, offsetOf, prepareOverlay, type NodeSpec, type Overlay } from './header.js'
import { checkHeight, depthToBe, heightOf, inOrder, makeChildren, recordsOf } from './make.js'
import { compareAges, keepOrder, outermost } from './overlap.js'
import { depthIn, hasZones } from './target.js'
import { zoneFor } from './zone.js'

/** Replaces every target and gives the nodes that stand there now. */
export function replaceNodes(bench: Bench, targets: readonly NodeRecord[], overlay: Overlay): readonly TreeNode[] {
  for (const { id, nodeClass } of targets) {
    if (nodeClass !== 'seg' && nodeClass !== 'core') continue
    const message = `${id} is a ${nodeClass === 'seg' ? 'segment' : 'core'}, which cannot be replaced; replace what it holds.`
    throw new PactError('E_PLACEMENT_INVALID', message, { id })
  }
  return rehearsed(bench, (trial) => {
    const { draft } = trial
    const results = outermost(draft, targets).map((target) => replaceNode(trial, target, overlay))
    // A node whose key stays is no new instance, whatever stands around it.
    const areInstances = results.some(({ node, keyBefore }) => recordOf(node).rare?.key !== keyBefore)
    const placed = results.flatMap(({ node, made }) => (areInstances ? [recordOf(node), ...made] : made))
    if (overlay.rare?.cad !== undefined) {
      for (const { node } of results) {
        if (recordOf(node).rare?.key === undefined) throw cadenceWithoutKey()
        checkCadencePlace(trial, node)
      }
    }
    keepOrder(trial, placed, false)
    for (const { node, made, keyBefore } of results) {
      const record = recordOf(node)
      if (keyBefore !== record.rare?.key) endSchedule(draft, record, keyBefore)
      noteWrites(trial, node, [record, ...made], keptOffset(draft, record))
    }
    return results.map(({ node }) => draft.nodeOf(draft.find(recordOf(node).id)!))
  })
}

/** Replaces the newest instance of a key in the active head, or adds one; `zone` and `offset` say where a first one goes. */
export function putNode(bench: Bench, key: unknown, spec: NodeSpec, zone: Zone | undefined): TreeNode {
  if (typeof key !== 'string') {
    throw new PactError('E_CONTENT_INVALID', `A key is a string, not ${describe(key)}.`, { name: 'key' })
  }
  const keyed = { ...spec, key }
  const newest = bench.draft
    .shallowWith(key)
    .filter((record) => regionNameOf(bench.draft, record) === '^ah')
    .sort(compareAges)
    .at(-1)
  if (newest === undefined) return addToHead(bench, keyed, zone)
  const { offset: _offset, ...rest } = keyed
  const overlay = prepareOverlay(rest, bench.dialect)
  zoneFor(zone, offsetOf(spec))
  return replaceNodes(bench, [newest], overlay)[0]!
}

type Replaced = Readonly<{ node: TreeNode; made: readonly NodeRecord[]; keyBefore: string | undefined }>

function replaceNode(bench: Bench, { id }: NodeRecord, overlay: Overlay): Replaced {
  const { draft } = bench
  const target = draft.find(id)!
  const old = draft.nodeOf(target)
  const merged = merge(target, overlay, bench)
  // Blocks at offset 0 that no container holds (D12) cannot turn into a second core.
  if (merged.nodeClass === 'cont' && target.offset === 0 && hasZones(draft.find(target.parentId!)!)) {
    const message = `${id} stands where the core of ${target.parentId} is and cannot become a container.`
    throw new PactError('E_DUPLICATE_CORE', message, { id })
  }
  const isSame = merged.nodeType === target.nodeType && merged.role === target.role && merged.kind === target.kind
  const inPlace = isSame && depthIn(draft, target) <= 0
  const record = inPlace ? new NodeRecord({ ...merged, id, cycle: target.cycle }) : superseding(bench, target, merged)
  const { children, made } = childrenFor(bench, record, old, overlay)
  const node = children === undefined ? record : new Branch(record, children, old instanceof Branch && old.everHeld)
  if (overlay.children !== undefined) {
    checkHeight(heightOf(node), depthToBe(draft, draft.find(target.parentId!)!))
  }
  if (inPlace) {
    if (overlay.children === undefined) draft.change(record)
    else {
      draft.remove(target, 'edited')
      draft.insert(draft.pathTo(target.parentId!), node)
    }
  } else draft.supersede(target, node, 'superseded')
  return { node, made, keyBefore: target.rare?.key }
}

/** The headers of the target with what the replacement names. */
function merge(target: NodeRecord, overlay: Overlay, { draft, dialect, by }: Bench): NodeRecord {
  const { nodeClass, nodeType } = typeFor(target, overlay, dialect)
  const content = overlay.content === undefined ? target.content : overlay.content
  if (nodeClass === 'block' && content === undefined && target.nodeClass !== 'block') {
    throw new PactError('E_CONTENT_INVALID', "A block needs content; pass '' for an empty one.", { name: 'content' })
  }
  if (overlay.rare?.removable === true && nodeClass === 'block') {
    throw new PactError('E_PLACEMENT_INVALID', 'Only a container can be removable; give it children.', {
      name: 'removable',
    })
  }
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
    rare: mergeRare(target.rare, overlay.rare),
    born: draft.cycle,
    by: target.born === draft.cycle ? target.by : by,
  })
}

function typeFor(target: NodeRecord, overlay: Overlay, dialect: Dialect): Pick<NodeRecord, 'nodeClass' | 'nodeType'> {
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
  return { ...target, ...named, ...(attributes === undefined ? {} : { attributes }) }
}

/** The same headers as another node of this cycle, which stands in for what the snapshots hold. */
export function superseding(bench: Bench, target: NodeRecord, headers: NodeRecord): NodeRecord {
  const { nodeClass, nodeType } = headers
  const [stamp] = bench.stamp([{ nodeClass: nodeClass === 'block' ? 'block' : 'cont', nodeType, age: target }])
  const { supersedes: _supersedes, ...rest } = headers.rare ?? {}
  const supersedes = standsFor(bench.draft, target)
  const rare = supersedes === undefined ? rest : { ...rest, supersedes }
  return new NodeRecord({
    ...headers,
    id: stamp!.id,
    cycle: stamp!.cycle,
    rare: Object.keys(rare).length === 0 ? undefined : rare,
    born: bench.draft.cycle,
    by: bench.by,
  })
}

/** The id under which the snapshots hold a node, or what it stands in for. */
export function standsFor(draft: Draft, { id, rare }: NodeRecord): string | undefined {
  return draft.isCommitted(id) ? id : rare?.supersedes
}

/** What the node holds now: new children where the replacement names some, else those that were there. */
function childrenFor(
  bench: Bench,
  record: NodeRecord,
  old: TreeNode,
  overlay: Overlay,
): { children: Sequence | undefined; made: readonly NodeRecord[] } {
  if (record.nodeClass === 'block') return { children: undefined, made: NONE }
  if (overlay.children !== undefined) {
    const children = makeChildren(bench, overlay.children, record.id)
    return { children, made: [...children].flatMap(recordsOf) }
  }
  const kept = childrenOf(old)
  if (kept.size === 0 || record.id === recordOf(old).id) return { children: kept, made: NONE }
  return { children: inOrder(Array.from(kept, (child) => reparented(child, record.id, bench.draft.cycle))), made: NONE }
}

const NONE: readonly NodeRecord[] = []
