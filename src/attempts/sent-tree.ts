// The tree that an attempt has sent, from its record: the tree of its base with what the record lists put in its place. It is
// written as a document and read like an import, so that what reads trees finds one that is whole.

import { PactError } from '../errors/index.js'
import type { SentRecord, Dialect, JsonObject, JsonValue, NodeRecord } from '../core/index.js'
import { decodeSnapshot, ERASED, specVersionOf } from '../codec/index.js'
import { eachRecord, Frame, growTimeline, newTree, View, walkRecords } from '../timeline/index.js'
import { cannot, notExact } from './cannot.js'
import { sentForm } from './sent-nodes.js'

/** Gives the trees and records that a record builds on. */
export type SentBase = Readonly<{
  dialect: Dialect
  /** The snapshot of a cycle; throws where it is not there. */
  snapshotAt: (cycle: number) => View
  record: (id: string) => SentRecord | undefined
}>

/** Builds the tree again. */
export function sentTree(record: SentRecord, base: SentBase): View {
  if (record.lens !== 'preview' && record.lens !== 'working') return base.snapshotAt(record.base_cycle!)
  const nodes = baseNodes(record, base)
  for (const each of toldChain(record, base).toReversed()) nodes.apply(each)
  return read(record, nodes.root(), base.dialect)
}

/** A record, the later record that it is a difference from, and so on up to a complete one. */
export function toldChain(record: SentRecord, base: Pick<SentBase, 'record'>): readonly SentRecord[] {
  const told = [record]
  for (let at = record; at.base_attempt !== undefined;) {
    const next = base.record(at.base_attempt)
    if (next === undefined)
      throw cannot(record, 'base-gone', `${at.base_attempt}, which its record builds on, is not kept`)
    told.push((at = next))
  }
  return told
}

/** True if anything of a tree was erased. */
export function hasErased({ tree }: View): boolean {
  let isErased = false
  const look = ({ rare }: NodeRecord): void => void (isErased ||= rare?.attributes?.has(ERASED) === true)
  look(tree.root)
  for (const region of tree.regions) eachRecord(region, look)
  return isErased
}

type Form = Readonly<Record<string, JsonValue>>

/** Nodes in the documents' form, each with its parent. */
class PlacedNodes {
  readonly #rootId: string
  readonly #forms = new Map<string, Form>()
  readonly #parents = new Map<string, string>()

  constructor(frame: Frame) {
    const { root, regions } = frame.tree
    this.#rootId = root.id
    this.#add(root, frame)
    for (const region of regions) for (const record of walkRecords(region)) this.#add(record, frame)
  }

  #add(record: NodeRecord, frame: Frame): void {
    this.#forms.set(record.id, sentForm(record, frame.ttlOf(record)))
    if (record.parentId !== undefined) this.#parents.set(record.id, record.parentId)
  }

  /** Turns this into the tree of an attempt that is described by its difference from it. */
  apply(record: SentRecord): void {
    const { nodes, absent_ids: absent, structure } = record
    if (structure === undefined) throw cannot(record, 'no-adapter', 'it was started without for')
    for (const id of [...absent, ...structure.absent_ids]) this.#forms.delete(id)
    for (const node of [...nodes, ...structure.nodes]) this.#forms.set(node['id'] as string, node)
    for (const place of structure.places) for (const id of place.ids) this.#parents.set(id, place.parent_id)
  }

  root(): JsonObject {
    const children = new Map<string, string[]>()
    for (const id of this.#forms.keys()) {
      const parent = this.#parents.get(id)
      if (parent === undefined) continue
      const siblings = children.get(parent)
      if (siblings === undefined) children.set(parent, [id])
      else siblings.push(id)
    }
    const nest = (id: string): JsonObject => {
      const below = children.get(id)
      return { ...this.#forms.get(id)!, ...(below === undefined ? {} : { children: below.map(nest) }) }
    }
    return nest(this.#rootId)
  }
}

/** The nodes of the base cycle, with the ttls that they have in the cycle of the attempt. */
function baseNodes({ base_cycle: base, cycle_id: cycle, lens }: SentRecord, { snapshotAt }: SentBase): PlacedNodes {
  const tree = base === null ? newTree() : snapshotAt(base).tree
  return new PlacedNodes(new Frame(tree, cycle, lens === 'working'))
}

function read(record: SentRecord, root: JsonObject, dialect: Dialect): View {
  try {
    const decoded = decodeSnapshot({ spec_version: specVersionOf(dialect), cycle: record.cycle_id, root }, dialect)
    return View.ofSnapshot(growTimeline(decoded).timeline, decoded.cycle)
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw notExact(record, error)
  }
}
