// Turns an edit, made by a call or given as data, into a change of the open cycle (004 §6). Inputs are checked in one order everywhere:
// the selector, then the spec or the changes, then the position, then the tree.

import { invalid, type PactError } from '../errors/index.js'
import { EMPTY_RECEIPT, shedOf, SUMMARY, type CutNode, type NodeRecord, type Template } from '../core/index.js'
import {
  Frame,
  holdersIn,
  travellingWith,
  treeWithOriginals,
  View,
  type Draft,
  type TreeNode,
} from '../timeline/index.js'
import { addToHead, addToSystem } from './add.js'
import { checkTargets } from './check-targets.js'
import { checkCompact, checkExpand, compactNodes, expandNode, summaryPriority } from './compact.js'
import { checkCut, cutNodes } from './cut.js'
import { checkDeleteOptions, deleteNodes } from './delete.js'
import type { Caller, EditSession } from './edit-session.js'
import { checkHeader, NO_HEADER, prepareChanges, prepareNode, prepareOverlay } from './header.js'
import { insertNode } from './insert.js'
import { moveNodes } from './move.js'
import type { AddHeader, Edit } from './operation.js'
import { parsePosition } from './position.js'
import { putInSystem, putNode, setInSystem, setNode } from './put.js'
import { checkRedactOptions, redactNodes } from './redact.js'
import { replaceNodes } from './replace.js'
import { contentAndHeader, dataOf, positionData, someOf, specData, type Data } from './said.js'
import { checkShed, shedNodes, unshedNode } from './shed.js'
import { scheduledHits, type Asked, type ScheduledHit } from './scheduled.js'
import { updateNodes } from './update.js'
import { checkZone } from './zone.js'

/** The nodes that an edit touched, and the edit as data, written when it is asked for. */
export type Applied = Readonly<{
  touched: TreeNode | readonly TreeNode[]
  said: () => Data
  /** The ids of other nodes that the data says something about. */
  named?: readonly string[]
  /** The nodes that the next commit takes. */
  cut?: readonly CutNode[]
}>

/** One edit, ready to be done. */
export type ApplyEdit = (session: EditSession) => Applied

/** A parsed selector of a mutation: its choices (`A ?? B`), and the error if none of them finds anything. */
export type MutationTargets = Readonly<{ choices: readonly Asked[]; isOptional: boolean; notFound: () => PactError }>

/** The nodes and scheduled nodes that a selector means. */
type Targets = Readonly<{ targets: readonly NodeRecord[]; scheduled: readonly ScheduledHit[] }>

type EditOf<Op extends Edit['op']> = Extract<Edit, { op: Op }>
type Selecting = Readonly<{ selector: string; region?: 'system' | undefined }>

/** Faults in the edit itself are thrown here; faults that depend on the tree are thrown when it is applied. */
export function changeFor(edit: Edit, mutation: (selector: string) => MutationTargets): ApplyEdit {
  switch (edit.op) {
    case 'user':
    case 'assistant':
    case 'tool':
    case 'pre':
    case 'post':
    case 'add':
      return add(edit)
    case 'put':
    case 'set':
      return keepByKey(edit)
    case 'insert':
      return insert(edit)
    case 'replace':
      return replace(edit, search(edit, mutation))
    case 'move':
      return move(edit, search(edit, mutation))
    case 'delete':
      return remove(edit, search(edit, mutation))
    case 'redact':
      return redact(edit, search(edit, mutation, true))
    case 'update':
      return update(edit, search(edit, mutation))
    case 'shed':
      return shed(edit)
    case 'prune':
      return prune(edit)
    case 'compact':
      return compact(edit)
    case 'expand':
      return expand(edit)
    case 'unshed':
      return (session) => ({ touched: unshedNode(session, edit.id), said: () => record(edit, { id: edit.id }) })
  }
}

/** Finds the targets of a selector; schedules hold content too (D46), and they belong to the active head. */
type Search = (session: EditSession, withSchedules: boolean) => Targets

/** With `andOriginals`, shed results are also searched as they were (D61). */
function search(
  { selector, region }: Selecting,
  mutation: (selector: string) => MutationTargets,
  andOriginals = false,
): Search {
  const caller: Caller = region ?? 'ordinary'
  const { choices, isOptional, notFound } = mutation(selector)
  return (session, withSchedules) => {
    const { draft } = session
    for (const asked of choices) {
      const own = asked.matches(caller === 'system' ? View.ofSystem(draft) : View.ofWorking(draft))
      const found = andOriginals && caller === 'ordinary' ? withShed(draft, asked, own) : own
      // A selector for the first or the last of some nodes means a live node, if there is one.
      const isLive = asked.isWindowed && found.length > 0
      const scheduled = withSchedules && region === undefined && !isLive ? scheduledHits(session, asked) : []
      if (found.length === 0 && scheduled.length === 0) continue
      return { targets: checkTargets(draft, found, selector, caller), scheduled }
    }
    if (!isOptional) throw notFound()
    return { targets: [], scheduled: [] }
  }
}

/** The matches, and the nodes that hold an original which is among them: shed results, and summaries. */
function withShed(draft: Draft, asked: Asked, own: readonly NodeRecord[]): readonly NodeRecord[] {
  const tree = asked.isWindowed && own.length > 0 ? undefined : treeWithOriginals(draft.tree)
  if (tree === undefined) return own
  const there = new Set(own.map(({ id }) => id))
  const more = asked.matches(View.alone(new Frame(tree, draft.cycle, true), EMPTY_RECEIPT))
  const found = new Set(more.map(({ id }) => id).filter((id) => !there.has(id)))
  if (found.size === 0) return own
  const holders = [...holdersIn(draft.tree)].filter((each) => {
    if (there.has(each.id)) return false
    return shedOf(each) === undefined ? travellingWith(each).some(({ id }) => found.has(id)) : found.has(each.id)
  })
  return [...own, ...holders]
}

function replace(edit: EditOf<'replace'>, find: Search): ApplyEdit {
  const { selector, spec } = edit
  return (session) => {
    checkHeader(spec)
    // Read once: what is checked is what is done and recorded.
    const given = { ...spec }
    const overlay = prepareOverlay(given, session.dialect)
    const { targets, scheduled } = find(session, true)
    return {
      touched: replaceNodes(session, targets, overlay, scheduled),
      said: () => record(edit, { selector, spec: specData(given, overlay, session.dialect) }),
    }
  }
}

function move(edit: EditOf<'move'>, find: Search): ApplyEdit {
  const { selector, position } = edit
  const parsed = parsePosition(position)
  const reach = edit.region === 'system' ? 'anywhere' : 'ordinary'
  return (session) => ({
    touched: moveNodes(session, find(session, false).targets, parsed, reach),
    said: () => record(edit, { selector, position: positionData(position, parsed) }),
  })
}

function remove(edit: EditOf<'delete'>, find: Search): ApplyEdit {
  const { selector, options = {} } = edit
  const checked = checkDeleteOptions(options)
  return (session) => {
    const { targets, scheduled } = find(session, true)
    return {
      touched: deleteNodes(session, targets, checked, scheduled),
      said: () => record(edit, { selector, options: someOf(checked) }),
    }
  }
}

function redact(edit: EditOf<'redact'>, find: Search): ApplyEdit {
  const { selector, options } = edit
  const checked = checkRedactOptions(options)
  const { author, reason } = checked
  return (session) => {
    const { targets, scheduled } = find(session, true)
    const { touched, replaced } = redactNodes(session, targets, checked, scheduled)
    return { touched, said: () => record(edit, { selector, options: dataOf({ replaced, author, reason }) }) }
  }
}

function update(edit: EditOf<'update'>, find: Search): ApplyEdit {
  const { selector, changes } = edit
  const checked = prepareChanges(changes)
  return (session) => ({
    touched: updateNodes(session, find(session, false).targets, checked),
    said: () => record(edit, { selector, changes: dataOf(checked) }),
  })
}

function shed(edit: EditOf<'shed'>): ApplyEdit {
  const results = checkShed(edit.results)
  return (session) => ({ touched: shedNodes(session, results), said: () => record(edit, { results }) })
}

function prune(edit: EditOf<'prune'>): ApplyEdit {
  const cut = checkCut(edit.nodes)
  return ({ draft }) => ({ touched: cutNodes(draft, cut), said: () => record(edit, { nodes: cut }), cut })
}

/** The summary has the role of the user, and outlives what it stands for in a budget, unless the header says otherwise. */
function compact(edit: EditOf<'compact'>): ApplyEdit {
  const { content, header = NO_HEADER } = edit
  const nodes = checkCompact(edit.nodes)
  checkHeader(header, DECIDED.summary)
  const given = { role: 'user', ...header, content, kind: SUMMARY }
  return (session) => {
    const priority = header.priority ?? summaryPriority(session.draft, nodes)
    const template = prepareNode({ ...given, priority }, session.dialect)
    if (template.nodeClass !== 'block') throw invalid('nodeType', 'A summary is a block.')
    return {
      touched: compactNodes(session, nodes, template),
      said: () => record(edit, { nodes, ...contentAndHeader(given, template, session.dialect, DECIDED.summary) }),
      named: nodes.map(({ id }) => id),
    }
  }
}

function expand(edit: EditOf<'expand'>): ApplyEdit {
  const given = checkExpand(edit.nodes)
  return (session) => {
    const { touched, nodes } = expandNode(session, edit.id, given)
    return { touched, said: () => record(edit, { id: edit.id, nodes }), named: nodes.map(({ id }) => id) }
  }
}

/** Calls that add a node: those with a role, `pre`, `post` and `add`. The header may not repeat what the call decides. */
function add(edit: EditOf<'user' | 'assistant' | 'tool' | 'pre' | 'post' | 'add'>): ApplyEdit {
  const { op, region, content, header = NO_HEADER } = edit
  const isContext = op === 'pre' || op === 'post'
  const decided = DECIDED[op === 'add' || isContext ? op : 'role']
  checkHeader(header, decided)
  // Only `add` to the head takes a zone; elsewhere a zone in the header is refused as an unknown name.
  const takesZone = op === 'add' && region === undefined
  const { zone, ...rest }: AddHeader = takesZone ? header : NO_HEADER
  return (session) => {
    // Two objects spread into one: with names written behind a spread, reading it took twice as long (8 µs a node).
    const given = {
      ...(takesZone ? rest : header),
      ...(op === 'add' || isContext ? { content } : { content, role: op }),
    }
    const node = prepareNode(given, session.dialect)
    return {
      touched: addTo(session, node, edit, zone),
      said: () => record(edit, contentAndHeader({ ...given, zone }, node, session.dialect, decided)),
    }
  }
}

function addTo(session: EditSession, node: Template, { op, region }: Edit, zone: AddHeader['zone']): TreeNode {
  if (region === 'system') return addToSystem(session, node)
  return addToHead(session, node, op === 'add' ? zone : op === 'pre' || op === 'post' ? op : 'core')
}

/** `put` and `set`. */
function keepByKey(edit: EditOf<'put' | 'set'>): ApplyEdit {
  const { op, region, key, content, header = NO_HEADER } = edit
  checkHeader(header, DECIDED.key)
  const isSystem = region === 'system'
  const { zone, ...rest }: AddHeader = isSystem ? NO_HEADER : header
  return (session) => {
    const given = { ...(isSystem ? header : rest), content }
    const { node, taken } = isSystem
      ? (op === 'put' ? putInSystem : setInSystem)(session, key, given)
      : (op === 'put' ? putNode : setNode)(session, key, given, zone)
    const said = (): Data => contentAndHeader({ ...given, zone }, taken, session.dialect, DECIDED.key)
    return { touched: node, said: () => record(edit, { key, ...said() }) }
  }
}

function insert(edit: EditOf<'insert'>): ApplyEdit {
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
        return record(edit, { spec: said, position: positionData(position, parsed) })
      },
    }
  }
}

/** An edit as data: its call, and its arguments by name. */
function record({ op, region }: Edit, args: Data): Data {
  return { op, region, ...args }
}

/** The names that a call decides itself, so that its header may not have them. */
const DECIDED = {
  add: ['content'],
  key: ['content', 'key'],
  pre: ['content', 'children'],
  post: ['content', 'children'],
  role: ['role', 'content', 'children'],
  summary: ['content', 'kind', 'key', 'offset', 'cad', 'removable', 'children'],
} as const satisfies Readonly<Record<string, readonly string[]>>
