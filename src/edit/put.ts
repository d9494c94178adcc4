// put and set (D30, D52): one node per key. `put` changes this turn's instance and leaves older ones where they are; `set`
// keeps one live instance, so that a plan or a memory is never there twice.

import { describe, PactError } from '../errors/index.js'
import type { NodeRecord, Region, Template, Zone } from '../core/index.js'
import { childrenOf, coreOf, lineOf, recordOf, regionNameOf, type Draft, type TreeNode } from '../timeline/index.js'
import { addToHead, addToSystem, writeToHead, writeToSystem } from './add.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { checkKey, offsetOf, prepareNode, prepareOverlay, type NodeSpec, type Overlay } from './header.js'
import { compareAges, inHeadOrSystem, instancesOf, outermost } from './demotion.js'
import { mergeTemplate, replaceEach, replaceNodes } from './replace.js'
import { rewriteScheduled, wholeOf } from './scheduled.js'
import { zoneFor } from './zone.js'

/** The key's node, and the checked form of the spec. */
type Put = Readonly<{ node: TreeNode; taken: Template | Overlay }>

/** Replaces the newest instance of a key in the active head, or adds one; `zone` and `offset` say where a first one goes. */
export function putNode(session: EditSession, key: unknown, spec: NodeSpec, zone: Zone | undefined): Put {
  const keyed = { ...spec, key: checkKey(key) }
  const newest = newestIn(session.draft, keyed.key, '^ah')
  if (newest === undefined) {
    const taken = prepareNode(keyed, session.dialect)
    return { node: addToHead(session, taken, zone), taken }
  }
  // The header before its place, as where a first one is added.
  const overlay = overlayOf(session, keyed)
  zoneFor(zone, offsetOf(spec))
  return { node: replaceNodes(session, [newest], overlay)[0]!, taken: overlay }
}

/** Replaces the newest instance of a key in `^sys`, or adds one. */
export function putInSystem(session: EditSession, key: unknown, spec: NodeSpec): Put {
  const keyed = { ...spec, key: checkKey(key) }
  const newest = newestIn(session.draft, keyed.key, '^sys')
  if (newest === undefined) {
    const taken = prepareNode(keyed, session.dialect)
    return { node: addToSystem(session, taken), taken }
  }
  offsetOf(spec)
  const taken = overlayOf(session, keyed)
  return { node: replaceNodes(session, [newest], taken)[0]!, taken }
}

/** Makes a node of the active head the only live instance of a key; the others leave for it. */
export function setNode(session: EditSession, key: unknown, spec: NodeSpec, zone: Zone | undefined): Put {
  const named = { ...spec, key: checkKey(key) }
  const keyed = isReturning(session, named) ? named : pinned(named)
  const overlay = overlayOf(session, keyed)
  const wanted = zone ?? (spec.offset === undefined ? 'post' : undefined)
  zoneFor(wanted, offsetOf(spec))
  const inSystem = newestIn(session.draft, keyed.key, '^sys')
  if (inSystem !== undefined) {
    const { id } = inSystem
    const message = `${id} has the key ${describe(keyed.key)} and is in ^sys, which only ctx.system may change; use ctx.system.set().`
    throw new PactError('E_NOT_AUTHORIZED', message, { id })
  }
  return alone(session, keyed, overlay, '^ah', (trial) => writeToHead(trial, prepareNode(keyed, trial.dialect), wanted))
}

/** Makes a node of `^sys` the only instance of a key there. */
export function setInSystem(session: EditSession, key: unknown, spec: NodeSpec): Put {
  const keyed = pinned({ ...spec, key: checkKey(key) })
  offsetOf(spec)
  return alone(session, keyed, overlayOf(session, keyed), '^sys', (trial) =>
    writeToSystem(trial, prepareNode(keyed, trial.dialect)),
  )
}

type Keyed = NodeSpec & Readonly<{ key: string }>

/** No budget takes a plan or a memory, unless the header says so (D59). */
function pinned(spec: Keyed): Keyed {
  return { ...spec, pinned: spec.pinned ?? true }
}

/** A key that returns by its cadence is not pinned: each return would leave one more instance for good. */
function isReturning({ draft }: EditSession, { key, cad }: Keyed): boolean {
  return (cad ?? undefined) !== undefined || draft.tree.schedules.get(key) !== undefined
}

function alone(
  session: EditSession,
  { key }: Keyed,
  overlay: Overlay,
  region: '^ah' | '^sys',
  add: (trial: EditSession) => TreeNode,
): Put {
  const node = rehearsed(session, (trial) => {
    const { draft } = trial
    const schedule = region === '^ah' ? draft.tree.schedules.get(key) : undefined
    const newest = newestIn(draft, key, region)
    const own = saysAgain(draft, newest, overlay) ? undefined : newest
    const all = instancesOf(trial, key).filter((record) => record.id !== own?.id)
    const others = region === '^ah' ? all : all.filter((record) => regionNameOf(draft, record) === region)
    checkApart(draft, key, own, others)
    const left = outermost(draft, others).map((record) => draft.lift(record, 'superseded'))
    const node = own === undefined ? add(trial) : replaceEach(trial, [draft.find(own.id)!], overlay)[0]!
    const { id, nodeClass, nodeType } = recordOf(node)
    for (const other of others) draft.succeed(other.id, 'superseded', id)
    for (const each of left) draft.forsake(each, 'superseded')
    if (schedule !== undefined) {
      // An added node is described by the spec; a node that was changed in place still has its children.
      const shape = {
        nodeClass: nodeClass === 'block' ? 'block' : 'cont',
        nodeType,
        children: overlay.children ?? [],
      } as const
      const wanted = own === undefined ? { ...overlay, ...shape } : overlay
      rewriteScheduled(trial, [wholeOf(schedule)], (each) => mergeTemplate(each, wanted, trial.dialect), 'outermost')
    }
    return draft.nodeOf(draft.find(id)!)
  })
  return { node, taken: overlay }
}

/**
 * True if other words are set where the model has spoken since the first ones (D59): they are a new instance after its last step, since the
 * old place has been sent already. In `^sys` and for headers alone the node changes in place.
 */
function saysAgain(draft: Draft, own: NodeRecord | undefined, { content, children }: Overlay): boolean {
  if (own === undefined || (content === undefined && children === undefined)) return false
  const head = draft.region('^ah')
  const core = regionNameOf(draft, own) === '^ah' ? coreOf(head) : undefined
  return core !== undefined && hasModelSince(core, own)
}

function hasModelSince(node: TreeNode, own: NodeRecord): boolean {
  const record = recordOf(node)
  if (record.role === 'assistant' && compareAges(own, record) < 0) return true
  return (
    childrenOf(node)
      .toArray()
      .findLast((child) => hasModelSince(child, own)) !== undefined
  )
}

/** An older instance cannot leave while it holds the one that stays. */
function checkApart(draft: Draft, key: string, own: NodeRecord | undefined, others: readonly NodeRecord[]): void {
  const line = own === undefined ? [] : lineOf(draft, own)
  const around = others.find((other) => line.some(({ id }) => id === other.id))
  if (around === undefined) return
  const message = `${around.id} has the key ${describe(key)} too and holds ${own!.id}, so it cannot leave; move() or delete() one of them first.`
  throw new PactError('E_ODI_VIOLATION', message, {
    name: 'OverlapWouldViolateODI',
    key,
    id: own!.id,
    other: around.id,
  })
}

function newestIn(draft: Draft, key: string, region: Region): NodeRecord | undefined {
  return inHeadOrSystem(draft, key)
    .filter((record) => regionNameOf(draft, record) === region)
    .sort(compareAges)
    .at(-1)
}

/** The spec for an existing node, which keeps its place. */
function overlayOf(session: EditSession, spec: Keyed): Overlay {
  const { offset: _offset, ...rest } = spec
  return prepareOverlay(rest, session.dialect)
}
