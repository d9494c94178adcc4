// Applies edits (004 §6): one way in for all of them, calls or data. What they are told is checked in one order everywhere:
// the selector, then the spec or the changes, then the position, then the tree.

import type { Maker, NodeRecord } from '../core/index.js'
import { View, type TreeNode } from '../timeline/index.js'
import {
  addToHead,
  addToSystem,
  checkDeleteOptions,
  checkHeader,
  checkRedactOptions,
  checkTargets,
  checkZone,
  contentAndHeader,
  dataOf,
  deleteNodes,
  insertNode,
  moveNodes,
  NO_HEADER,
  parsePosition,
  positionData,
  prepareChanges,
  prepareNode,
  prepareOverlay,
  putInSystem,
  putNode,
  redactNodes,
  replaceNodes,
  scheduledHits,
  setInSystem,
  setNode,
  someOf,
  specData,
  updateNodes,
  type AddHeader,
  type Caller,
  type Data,
  type Edit,
  type EditSession,
  type ScheduledHit,
} from '../edit/index.js'
import type { Applied, OpenCycle, Written } from './open-cycle.js'
import type { Queries } from './query.js'

type EditOf<Op extends Edit['op']> = Extract<Edit, { op: Op }>

/** How one edit is done. */
type Change = (session: EditSession) => Applied

/** The nodes that a selector means, and what it means in schedules. */
type Found = Readonly<{ targets: readonly NodeRecord[]; scheduled: readonly ScheduledHit[] }>

export class Editor {
  readonly open: OpenCycle
  readonly #queries: Queries

  constructor(open: OpenCycle, queries: Queries) {
    this.open = open
    this.#queries = queries
  }

  /** Checks an edit and does it, whole or not at all. */
  apply(edit: Edit): Written {
    const by: Maker = edit.region === 'system' ? `system.${edit.op}` : edit.op
    return this.open.write(by, this.#change(edit))
  }

  /** A fault in what an edit says by itself comes here, one that only the tree can tell when it is done. */
  #change(edit: Edit): Change {
    switch (edit.op) {
      case 'user':
      case 'assistant':
      case 'tool':
      case 'pre':
      case 'post':
        return addWithin(edit)
      case 'add':
        return edit.region === 'system' ? addInSystem(edit) : addAnywhere(edit)
      case 'put':
      case 'set':
        return edit.region === 'system' ? keepInSystem(edit) : keepInHead(edit)
      case 'insert':
        return insert(edit)
      case 'replace':
        return this.#replace(edit)
      case 'move':
        return this.#move(edit)
      case 'delete':
        return this.#delete(edit)
      case 'redact':
        return this.#redact(edit)
      case 'update':
        return this.#update(edit)
    }
  }

  #replace(edit: EditOf<'replace'>): Change {
    const { selector, spec } = edit
    const find = this.#findAll(edit)
    return (session) => {
      // Read once: what is checked is what is done and told.
      checkHeader(spec)
      const given = { ...spec }
      const overlay = prepareOverlay(given, session.dialect)
      const { targets, scheduled } = find(session)
      return {
        touched: replaceNodes(session, targets, overlay, scheduled),
        said: () => told(edit, { selector, spec: specData(given, overlay, session.dialect) }),
      }
    }
  }

  #move(edit: EditOf<'move'>): Change {
    const { selector, position } = edit
    const find = this.#find(edit)
    const parsed = parsePosition(position)
    const reach = edit.region === 'system' ? 'anywhere' : 'ordinary'
    return (session) => ({
      touched: moveNodes(session, find(session), parsed, reach),
      said: () => told(edit, { selector, position: positionData(position, parsed) }),
    })
  }

  #delete(edit: EditOf<'delete'>): Change {
    const { selector, options = {} } = edit
    const find = this.#findAll(edit)
    const checked = checkDeleteOptions(options)
    return (session) => {
      const { targets, scheduled } = find(session)
      return {
        touched: deleteNodes(session, targets, checked, scheduled),
        said: () => told(edit, { selector, options: someOf(checked) }),
      }
    }
  }

  #redact(edit: EditOf<'redact'>): Change {
    const { selector, options } = edit
    const find = this.#findAll(edit)
    const checked = checkRedactOptions(options)
    const { author, reason } = checked
    return (session) => {
      const { targets, scheduled } = find(session)
      const { touched, replaced } = redactNodes(session, targets, checked, scheduled)
      return { touched, said: () => told(edit, { selector, options: dataOf({ replaced, author, reason }) }) }
    }
  }

  #update(edit: EditOf<'update'>): Change {
    const { selector, changes } = edit
    const find = this.#find(edit)
    const checked = prepareChanges(changes)
    return (session) => ({
      touched: updateNodes(session, find(session), checked),
      said: () => told(edit, { selector, changes: dataOf(checked) }),
    })
  }

  /** How to find the nodes that a selector means; a fault in its text comes at once. */
  #find(edit: Selecting): (session: EditSession) => readonly NodeRecord[] {
    const find = this.#search(edit)
    return (session) => find(session, NO_SCHEDULES).targets
  }

  /** The same with schedules, which hold content too (D46); they belong to the active head. */
  #findAll(edit: Selecting): (session: EditSession) => Found {
    const find = this.#search(edit)
    return (session) => find(session, edit.region === 'system' ? NO_SCHEDULES : scheduledHits)
  }

  #search({ selector, region }: Selecting): (session: EditSession, inSchedules: typeof scheduledHits) => Found {
    const caller: Caller = region ?? 'ordinary'
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
}

type Selecting = Readonly<{ selector: string; region?: 'system' | undefined }>

/** A call that says itself which zone it means: those with a role, pre and post. */
function addWithin(edit: EditOf<'user' | 'assistant' | 'tool' | 'pre' | 'post'>): Change {
  const { op, content, header = NO_HEADER } = edit
  const isContext = op === 'pre' || op === 'post'
  const own = isContext ? OWN_PLACE : OWN_ROLE
  checkHeader(header, own)
  return (session) => {
    // Two objects spread into one: with names written behind a spread, reading it took twice as long (8 µs a node).
    const given = { ...header, ...(isContext ? { content } : { content, role: op }) }
    const node = prepareNode(given, session.dialect)
    return {
      touched: addToHead(session, node, isContext ? op : 'core'),
      said: () => told(edit, contentAndHeader(given, node, session.dialect, own)),
    }
  }
}

function addAnywhere(edit: EditOf<'add'>): Change {
  const { content, header = NO_HEADER } = edit
  checkHeader(header, OWN_CONTENT)
  const { zone, ...rest }: AddHeader = header
  return (session) => {
    const given = { ...rest, content }
    const node = prepareNode(given, session.dialect)
    return {
      touched: addToHead(session, node, zone),
      said: () => told(edit, contentAndHeader({ ...given, zone }, node, session.dialect, OWN_CONTENT)),
    }
  }
}

function addInSystem(edit: EditOf<'add'>): Change {
  const { content, header = NO_HEADER } = edit
  checkHeader(header, OWN_CONTENT)
  return (session) => {
    const given = { ...header, content }
    const node = prepareNode(given, session.dialect)
    return {
      touched: addToSystem(session, node),
      said: () => told(edit, contentAndHeader(given, node, session.dialect, OWN_CONTENT)),
    }
  }
}

function keepInHead(edit: EditOf<'put' | 'set'>): Change {
  const { op, key, content, header = NO_HEADER } = edit
  checkHeader(header, OWN_KEY)
  const { zone, ...rest }: AddHeader = header
  const keep = op === 'put' ? putNode : setNode
  return (session) => {
    const given = { ...rest, content }
    const { node, taken } = keep(session, key, given, zone)
    const said = (): Data => contentAndHeader({ ...given, zone }, taken, session.dialect, OWN_KEY)
    return { touched: node, said: () => told(edit, { key, ...said() }) }
  }
}

function keepInSystem(edit: EditOf<'put' | 'set'>): Change {
  const { op, key, content, header = NO_HEADER } = edit
  checkHeader(header, OWN_KEY)
  const keep = op === 'put' ? putInSystem : setInSystem
  return (session) => {
    const given = { ...header, content }
    const { node, taken } = keep(session, key, given)
    const said = (): Data => contentAndHeader(given, taken, session.dialect, OWN_KEY)
    return { touched: node, said: () => told(edit, { key, ...said() }) }
  }
}

function insert(edit: EditOf<'insert'>): Change {
  const { spec, position, region } = edit
  checkHeader(spec)
  const { zone, ...given } = spec
  return (session) => {
    const node = prepareNode(given, session.dialect)
    const wanted = checkZone(zone)
    const parsed = parsePosition(position)
    const touched = insertNode(session, node, wanted, parsed, region === 'system' ? 'system insert' : 'ordinary')
    return {
      touched,
      said: () => {
        const said = specData({ ...given, zone }, node, session.dialect)
        return told(edit, { spec: said, position: positionData(position, parsed) })
      },
    }
  }
}

/** An edit as data: which one it is, and its arguments. */
function told({ op, region }: Edit, args: Data): Data {
  return { op, region, ...args }
}

/** One node or more. */
export function eachOf(touched: TreeNode | readonly TreeNode[]): readonly TreeNode[] {
  return Array.isArray(touched) ? (touched as readonly TreeNode[]) : [touched as TreeNode]
}

const NO_SCHEDULES: typeof scheduledHits = () => []

/** What a call decides itself and its header therefore may not say. */
const OWN_CONTENT: readonly string[] = ['content']
const OWN_KEY: readonly string[] = ['content', 'key']
const OWN_PLACE: readonly string[] = ['content', 'children']
const OWN_ROLE: readonly string[] = ['role', 'content', 'children']
