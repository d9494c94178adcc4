// Compaction in the naive model (D63): which nodes a plan takes, the list that a summary has of them, and the nodes again. Every question is
// answered by walking the whole tree.

import { createHash } from 'node:crypto'

import { isSignedReasoning, redactedHeaders, type Redaction } from './editing-redact.js'
import { groupsIn, taskIn } from './editing-commit.js'
import {
  canonicalJson,
  compareText,
  coreOf,
  findById,
  keyOf,
  type ModelNode,
  parentOf,
  region,
  resolver,
  sorted,
  subtree,
  ttlInWorking,
} from './editing-tree.js'

/** One entry of `pact:compacted`. */
export type Entry = {
  id: string
  hash: string
  tokens: number
  held?: boolean
  summary?: number // the cycle of its own list
  of?: string
  node?: Record<string, unknown>
  at?: { parent: string; core?: string; ns: string; by: string; ttl_from: number }
}

export type Listed = { cycle: number; nodes: Entry[] }

export function listOf(node: ModelNode): Listed | undefined {
  return node.given['pact:compacted'] as Listed | undefined
}

// ---------------------------------------------------------------------------------------------------------------- plan

type Step = { core: ModelNode[]; context: ModelNode[]; reply: boolean }

/** A step is a message of the user, or a reply with everything up to the next reply or message. */
function stepsIn(root: ModelNode): Step[] {
  const steps: Step[] = []
  for (const turn of [...sorted(region(root, '^seq').children), region(root, '^ah')]) {
    const core = coreOf(turn)
    const spoken = [
      ...(core === undefined ? [] : sorted(core.children)),
      ...sorted(turn.children).filter((node) => node.offset === 0 && node !== core),
    ]
    const stepOf = new Map<ModelNode, Step>()
    for (const [at, node] of spoken.entries()) {
      const who = speaker(node)
      const follows = at > 0 && speaker(spoken[at - 1]!) === 'model'
      if (who === 'user' || (who === 'model' && !follows) || steps.length === 0) {
        steps.push({ core: [], context: [], reply: who === 'model' })
      }
      steps.at(-1)!.core.push(node)
      stepOf.set(node, steps.at(-1)!)
    }
    for (const node of sorted(turn.children).filter(({ offset }) => offset !== 0)) {
      // D57: with the opening of the turn, or with the last thing said before it was made.
      const before = spoken.filter((each) => isOlder(each, node))
      const isLate = before.some((each) => speaker(each) === 'model')
      const behind = isLate ? before.at(-1) : spoken[0]
      if (steps.length === 0) steps.push({ core: [], context: [], reply: false })
      const step = behind === undefined ? steps.at(-1)! : stepOf.get(behind)!
      step.context.push(node)
    }
  }
  return steps
}

function isOlder(a: ModelNode, b: ModelNode): boolean {
  return a.createdAtNs < b.createdAtNs || (a.createdAtNs === b.createdAtNs && a.creationIndex < b.creationIndex)
}

function speaker(node: ModelNode): 'user' | 'model' | 'other' {
  const inside = subtree(node)
  if (inside.some(({ given }) => given['kind'] === 'result')) return 'other'
  const role = inside.map(({ given }) => given['role']).find((each) => each !== undefined) ?? 'user'
  return role === 'assistant' ? 'model' : role === 'user' ? 'user' : 'other'
}

export type OraclePlan = { nodes: ModelNode[]; stays: { id: string; why: string }[] }

/** The nodes that go, in document order, and the others with the reason. */
export function planIn(root: ModelNode, keep: number, held: ReadonlySet<string>): OraclePlan {
  const steps = stepsIn(root)
  const resolve = resolver(root, true)
  const heldNodes = new Set([...held].map(resolve))
  const task = taskIn(root)
  const groups = groupsIn(root, { follows: true })
  const groupOf = (node: ModelNode): ModelNode[] => [...(groups.find((group) => group.has(node)) ?? [node])]
  const reply = steps.findLast((step) => step.reply)
  const open = new Set(
    (reply?.core ?? []).flatMap(subtree).filter((node) => {
      return node.given['kind'] === 'call' && !groupOf(node).some(({ given }) => given['kind'] === 'result')
    }),
  )
  const tops = steps.flatMap(({ core, context }) => [...core, ...context])
  const why = new Map<ModelNode, string>()
  for (const [at, { core, context }] of steps.entries()) {
    for (const top of [...core, ...context]) {
      if (at >= steps.length - keep) {
        why.set(top, 'newest')
        continue
      }
      for (const node of subtree(top)) {
        const own =
          node === task
            ? 'task'
            : node.given['pinned'] === true
              ? 'pinned'
              : keyOf(node) !== undefined
                ? 'key'
                : open.has(node)
                  ? 'open-call'
                  : undefined
        if (own !== undefined && !why.has(top)) why.set(top, own)
      }
      if (!why.has(top) && subtree(top).some((node) => heldNodes.has(node))) why.set(top, 'held')
    }
    if (core.some((top) => why.get(top) === 'task')) for (const top of context) why.set(top, why.get(top) ?? 'task')
  }
  // Groups go whole or stay whole.
  for (let size = -1; size !== why.size;) {
    size = why.size
    for (const top of tops.filter((each) => !why.has(each))) {
      const tied = subtree(top).flatMap(groupOf)
      const others = tied.map((node) => tops.find((each) => subtree(each).includes(node)))
      if (others.some((each) => each === undefined || why.has(each))) why.set(top, 'group')
    }
  }
  const going = tops.filter((top) => !why.has(top))
  const order = subtree(root)
  const isNew = going.some((top) => top.children.length > 0 || listOf(top) === undefined)
  return {
    nodes: isNew ? order.filter((node) => going.some((top) => subtree(top).includes(node))) : [],
    stays: order.flatMap((node) =>
      why.has(node) && tops.includes(node) ? [{ id: node.id, why: why.get(node)! }] : [],
    ),
  }
}

// ---------------------------------------------------------------------------------------------------------------- list

/** The content hash of the documents (08 §2.1). */
export function hashOf(given: Record<string, unknown>): string {
  const isOwn = (name: string): boolean => /^(?:data_|content_)/.test(name) && name !== 'content_hash'
  const custom = Object.fromEntries(Object.entries(given).filter(([name]) => isOwn(name)))
  const { content = '', kind = '', role = '' } = given
  return createHash('sha256')
    .update(canonicalJson({ ...custom, content, kind, role }))
    .digest('hex')
}

/** The list of a summary. `latest` is the tree of the last snapshot. */
export function listFor(
  root: ModelNode,
  nodes: ModelNode[],
  latest: ModelNode | undefined,
  cycle: number,
  tokensOf: (node: ModelNode) => number,
): Listed {
  const entries = nodes.flatMap((node): Entry[] => {
    const isSpent = node.everHeldNode && node.given['removable'] === true
    const held = node.class === 'block' ? {} : { held: node.children.length > 0 || isSpent }
    const own = listOf(node)
    const sum = own === undefined ? {} : { summary: own.cycle }
    const entry: Entry = { id: node.id, hash: hashOf(node.given), tokens: tokensOf(node), ...held, ...sum }
    const before = latest === undefined ? undefined : findById(latest, node.id)
    const all = (tree: ModelNode, each: ModelNode): string =>
      canonicalJson([form(tree, each, cycle), listOf(each) ?? null])
    const isThere = before !== undefined && all(latest!, before) === all(root, node)
    if (isThere) return [entry]
    const inside = (listOf(node)?.nodes ?? []).map((each) => ({ ...each, of: each.of ?? node.id }))
    return [{ ...entry, ...form(root, node, cycle) }, ...inside]
  })
  return { cycle: cycle - 1, nodes: entries }
}

/** A node and its place as they travel, with the ttl that an export of the working state would show. CHOICE 90: the maker of a node is not modelled. */
function form(root: ModelNode, node: ModelNode, cycle: number): Pick<Entry, 'node' | 'at'> {
  const { 'pact:compacted': _list, ...given } = node.given
  const parent = parentOf(root, node)
  const core = parent.nodeType === '^ah' ? coreOf(parent)?.id : undefined
  return {
    node: {
      id: node.id,
      nodeType: node.nodeType,
      offset: node.offset,
      ttl: ttlInWorking(node, cycle),
      priority: node.priority,
      cycle: node.cycle,
      creation_index: node.creationIndex,
      ...structuredClone(given),
      ...(node.standsFor.length > 0 ? { 'pact:stands_for': node.standsFor.toSorted(compareText) } : {}),
    },
    at: {
      parent: parent.id,
      ...(core === undefined ? {} : { core }),
      ns: String(node.createdAtNs),
      by: '?',
      ttl_from: node.ttlCycle === cycle ? cycle : cycle - 1,
    },
  }
}

/** A node as it travels, without children. */
export function nodeOf({ node, at, held }: Entry): ModelNode {
  const { id, nodeType, offset, ttl, priority, cycle, creation_index, 'pact:stands_for': standsFor, ...given } = node!
  return {
    id: id as string,
    class: held === undefined ? 'block' : 'cont',
    core: false,
    nodeType: nodeType as string,
    offset: offset as number,
    ttl: ttl as number | null,
    ttlCycle: at!.ttl_from,
    expiry: ttl === null ? null : at!.ttl_from + (ttl as number),
    priority: priority as number,
    cycle: cycle as number,
    createdAtNs: BigInt(at!.ns),
    creationIndex: creation_index as number,
    given: structuredClone(given),
    standsFor: [...((standsFor as string[] | undefined) ?? [])],
    everHeldNode: held ?? false,
    children: [],
  }
}

/** The entries that belong to a summary in the list. */
export function insideOf(nodes: Entry[], summary: string): Entry[] {
  const direct = nodes.filter(({ of }) => of === summary)
  const ids = direct.map(({ id }) => id)
  const all = nodes.filter((each) => each.of === summary || isUnder(nodes, each, ids))
  return all.map(({ of, ...rest }) => (of === summary ? rest : { ...rest, of: of! }))
}

function isUnder(nodes: Entry[], { of }: Entry, ids: string[]): boolean {
  if (of === undefined) return false
  if (ids.includes(of)) return true
  const above = nodes.find(({ id }) => id === of)
  return above !== undefined && isUnder(nodes, above, ids)
}

// -------------------------------------------------------------------------------------------------------------- redact

/** The list with the nodes that travel redacted; undefined if nothing is found. Signed reasoning leaves the list. */
export function redactedList(list: Listed, redaction: Redaction): Listed | undefined {
  let found = false
  const nodes = list.nodes.flatMap((entry): Entry[] => {
    if (entry.node === undefined) return [entry]
    const node = nodeOf(entry)
    const changes = redactedHeaders(node, redaction)
    if (Object.keys(changes).length === 0) return [entry]
    found = true
    if (isSignedReasoning(node)) return []
    return [{ ...entry, hash: hashOf({ ...node.given, ...changes }), node: { ...entry.node, ...changes } }]
  })
  if (!found) return undefined
  if (nodes.length > 0) return { ...list, nodes }
  const erased = list.nodes.map(({ id, of }) => ({ id, ...(of === undefined ? {} : { of }), erased: true }))
  return { ...list, nodes: erased as unknown as Entry[] }
}
