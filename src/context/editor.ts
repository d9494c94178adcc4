// The calls that change what is there (004 §6): what they are told is checked in one order everywhere: the selector, then
// the spec or the changes, then the position, then the tree.

import { showCallers } from '../errors/index.js'
import type { Maker, Node, NodeRecord, Zone } from '../core/index.js'
import { Frame, nodeView, View, type TreeNode } from '../timeline/index.js'
import {
  addToHead,
  addToSystem,
  checkDeleteOptions,
  checkHeader,
  checkRedactOptions,
  checkTargets,
  deleteNodes,
  insertNode,
  moveNodes,
  NO_HEADER,
  parsePosition,
  prepareChanges,
  prepareOverlay,
  putInSystem,
  putNode,
  redactNodes,
  replaceNodes,
  scheduledHits,
  setInSystem,
  setNode,
  updateNodes,
  type EditSession,
  type Caller,
  type Changes,
  type ContentInput,
  type DeleteOptions,
  type Header,
  type NodeSpec,
  type Position,
  type RedactOptions,
  type Replacement,
  type ScheduledHit,
} from '../edit/index.js'
import type { OpenCycle } from './open-cycle.js'
import type { Queries } from './query.js'

/** The general form of a new node: where it goes, and with `children` a container. */
export type AddHeader = Header & Readonly<{ zone?: Zone | undefined; children?: readonly NodeSpec[] | undefined }>

/** A node to insert: its header beside its content. */
export type InsertSpec = NodeSpec & Readonly<{ zone?: Zone | undefined }>

/** Writes at depth < 0, the explicit capability of D31: its selectors see `^sys` only. */
export type SystemRegion = Readonly<{
  add(content: ContentInput | undefined, header?: Omit<AddHeader, 'zone'>): Node
  /** Replaces the newest instance of the key in `^sys`, or adds one. */
  put(key: string, content: ContentInput | undefined, header?: Omit<AddHeader, 'zone' | 'key'>): Node
  /** The same, and other instances of the key in `^sys` leave for it. */
  set(key: string, content: ContentInput | undefined, header?: Omit<AddHeader, 'zone' | 'key'>): Node
  /** Into `^sys` or a container in it: `'(d-1, end)'`, `{ depth: -1 }`. */
  insert(spec: NodeSpec, position: Position): Node
  replace(selector: string, spec: Replacement): readonly Node[]
  /** Within `^sys`, or out of it. */
  move(selector: string, position: Position): readonly Node[]
  delete(selector: string, options?: DeleteOptions): readonly Node[]
  update(selector: string, changes: Changes): readonly Node[]
  redact(selector: string, options: RedactOptions): readonly Node[]
}>

/** The nodes that a selector means, and what it means in schedules. */
type Found = Readonly<{ targets: readonly NodeRecord[]; scheduled: readonly ScheduledHit[] }>

export class Editor {
  readonly #open: OpenCycle
  readonly #queries: Queries

  constructor(open: OpenCycle, queries: Queries) {
    this.#open = open
    this.#queries = queries
  }

  add(by: Maker, header: object, own: readonly string[], given: NodeSpec, zone?: Zone): Node {
    checkHeader(header, own)
    return this.#one(by, (session) => addToHead(session, { ...header, ...given }, zone))
  }

  addAnywhere(content: ContentInput | undefined, header: AddHeader): Node {
    checkHeader(header, OWN_CONTENT)
    const { zone, ...rest } = header
    return this.#one('add', (session) => addToHead(session, { ...rest, content }, zone))
  }

  put(key: unknown, content: ContentInput | undefined, header: AddHeader): Node {
    checkHeader(header, OWN_KEY)
    const { zone, ...rest } = header
    return this.#one('put', (session) => putNode(session, key, { ...rest, content }, zone))
  }

  set(key: unknown, content: ContentInput | undefined, header: AddHeader): Node {
    checkHeader(header, OWN_KEY)
    const { zone, ...rest } = header
    return this.#one('set', (session) => setNode(session, key, { ...rest, content }, zone))
  }

  insert(caller: Caller, spec: InsertSpec, position: Position): Node {
    checkHeader(spec)
    const { zone, ...rest } = spec
    const reach = caller === 'system' ? 'system insert' : 'ordinary'
    return this.#one(called(caller, 'insert'), (session) => insertNode(session, rest, zone, position, reach))
  }

  replace(caller: Caller, selector: string, spec: Replacement): readonly Node[] {
    const find = this.#findAll(caller, selector)
    return this.#all(called(caller, 'replace'), (session) => {
      const overlay = prepareOverlay(spec, session.dialect)
      const { targets, scheduled } = find(session)
      return replaceNodes(session, targets, overlay, scheduled)
    })
  }

  move(caller: Caller, selector: string, position: Position): readonly Node[] {
    const find = this.#find(caller, selector)
    const parsed = parsePosition(position)
    const reach = caller === 'system' ? 'anywhere' : 'ordinary'
    return this.#all(called(caller, 'move'), (session) => moveNodes(session, find(session), parsed, reach))
  }

  delete(caller: Caller, selector: string, options: DeleteOptions = {}): readonly Node[] {
    const find = this.#findAll(caller, selector)
    const checked = checkDeleteOptions(options)
    return this.#all(called(caller, 'delete'), (session) => {
      const { targets, scheduled } = find(session)
      return deleteNodes(session, targets, checked, scheduled)
    })
  }

  redact(caller: Caller, selector: string, options: RedactOptions): readonly Node[] {
    const find = this.#findAll(caller, selector)
    const checked = checkRedactOptions(options)
    return this.#all(called(caller, 'redact'), (session) => {
      const { targets, scheduled } = find(session)
      return redactNodes(session, targets, checked, scheduled)
    })
  }

  update(caller: Caller, selector: string, changes: Changes): readonly Node[] {
    const find = this.#find(caller, selector)
    const checked = prepareChanges(changes)
    return this.#all(called(caller, 'update'), (session) => updateNodes(session, find(session), checked))
  }

  /** The system region's own calls. */
  system(): SystemRegion {
    const calls: SystemRegion = {
      add: (content, header = NO_HEADER) => {
        checkHeader(header, OWN_CONTENT)
        return this.#one('system.add', (session) => addToSystem(session, { ...header, content }))
      },
      put: (key, content, header = NO_HEADER) => {
        checkHeader(header, OWN_KEY)
        return this.#one('system.put', (session) => putInSystem(session, key, { ...header, content }))
      },
      set: (key, content, header = NO_HEADER) => {
        checkHeader(header, OWN_KEY)
        return this.#one('system.set', (session) => setInSystem(session, key, { ...header, content }))
      },
      insert: (spec, position) => this.insert('system', spec, position),
      replace: (selector, spec) => this.replace('system', selector, spec),
      move: (selector, position) => this.move('system', selector, position),
      delete: (selector, options) => this.delete('system', selector, options),
      update: (selector, changes) => this.update('system', selector, changes),
      redact: (selector, options) => this.redact('system', selector, options),
    }
    return Object.freeze(showCallers(calls))
  }

  /** How to find the nodes that a selector means; a fault in its text comes at once. */
  #find(caller: Caller, selector: string): (session: EditSession) => readonly NodeRecord[] {
    const find = this.#search(caller, selector)
    return (session) => find(session, NO_SCHEDULES).targets
  }

  /** The same with schedules, which hold content too (D46); they belong to the active head. */
  #findAll(caller: Caller, selector: string): (session: EditSession) => Found {
    const find = this.#search(caller, selector)
    return (session) => find(session, caller === 'system' ? NO_SCHEDULES : scheduledHits)
  }

  #search(caller: Caller, selector: string): (session: EditSession, inSchedules: typeof scheduledHits) => Found {
    const { choices, isOptional, notFound } = this.#queries.mutation(selector)
    return (session, inSchedules) => {
      const { draft } = session
      // `A ?? B`: what a schedule holds is found as well as what the tree does.
      for (const asked of choices) {
        const found = asked.matches(caller === 'system' ? View.ofSystem(draft) : View.ofWorking(draft))
        // Who asks for the first of some, or for the last, means one that is there, if one is.
        const scheduled = asked.isWindowed && found.length > 0 ? [] : inSchedules(session, asked)
        if (found.length === 0 && scheduled.length === 0) continue
        return { targets: checkTargets(draft, found, selector, caller), scheduled }
      }
      if (!isOptional) throw notFound()
      return { targets: [], scheduled: [] }
    }
  }

  #one(by: Maker, change: (session: EditSession) => TreeNode): Node {
    const made = this.#open.write(by, change)
    return nodeView(this.#frame(), made)
  }

  #all(by: Maker, change: (session: EditSession) => readonly TreeNode[]): readonly Node[] {
    const touched = this.#open.write(by, change)
    const frame = this.#frame()
    return Object.freeze(touched.map((node) => nodeView(frame, node)))
  }

  #frame(): Frame {
    const { draft } = this.#open
    return new Frame(draft.tree, draft.cycle, true)
  }
}

type Call = 'insert' | 'replace' | 'move' | 'delete' | 'update' | 'redact'

function called(caller: Caller, call: Call): Maker {
  return caller === 'system' ? `system.${call}` : call
}

const NO_SCHEDULES: typeof scheduledHits = () => []

/** What a call decides itself and its header therefore may not say. */
const OWN_CONTENT: readonly string[] = ['content']
const OWN_KEY: readonly string[] = ['content', 'key']
