// The commit of the naive model up to sealing: expiry, cascade, compaction and pruning (02 §5–§7; D26, D27, D48, D51, D55, N2,
// N3, N120). A reference or a hold means the node that is now in the place of the one it names (D41). Every question walks the
// whole tree again, every closed set grows until it stops growing, and pruning looks for its candidates again after each unit.

import { noteLine } from './editing-note.js'
import { type ToShed, toShed } from './editing-shed.js'
import { OracleError } from './selector-parse.js'
import {
  callIdsOf,
  canonicalJson,
  compare,
  compareText,
  copyTree,
  coreOf,
  isMarker,
  type ModelNode,
  refsOf,
  region,
  removeWhere,
  resolver,
  sorted,
  standsInFor,
  subtree,
  walk,
  willSeal,
} from './editing-tree.js'

/** The limits of a context (02 §7, D27, D51). */
export type OraclePolicy = {
  maxNodes?: number
  maxNodesPerSegment?: number
  maxDepth?: number
  maxTokens?: number | Partial<Record<'^sys' | '^seq' | '^ah', number>>
  protectSegments?: number
  unit?: 'node' | 'turn'
  target?: number
  names?: number
  unmet?: 'report' | 'error'
  results?: { keep: number; atLeast?: number; except?: string }
}

/** The report of a commit: the pruned nodes in the order in which they left, the limits that were passed, and those still unmet (02 §7). */
export type OracleReceipt = {
  removed: { id: string; rule: string; priority: number; age: number }[]
  shed: { id: string; standIn: string; size: number }[] // by calls of the cycle and by the commit (D61)
  compacted?: { id: string; nodes: number; tokens: number }[] // the summaries of the cycle (D63)
  limits: { rule: string; limit: number; target?: number; before: number; after: number }[]
  unmet: { rule: string; limit: number; actual: number }[]
}

export type CommitRules = {
  cycle: number
  policy: OraclePolicy
  held: ReadonlySet<string> // ids, as they were when they were held
  countTokens: (text: string) => number
  emptySegments: 'keep' | 'remove'
  shed?: (root: ModelNode, toShed: ToShed) => void // sheds one result of the live tree
  excepted?: (root: ModelNode) => ReadonlySet<string>
  note?: (line: string) => void // writes the note of pruning (D60)
  follows: boolean // protection follows the stand-in (D41); false only in tests of that rule
}

/** Everything of a commit before sealing (03 §7, D25). Changes the tree; throws E_BUDGET if a limit stays unmet and the policy says so. */
export function expireAndPrune(root: ModelNode, rules: CommitRules): OracleReceipt {
  expire(root, rules)
  cascade(root, rules)
  const { shed, before } = sheddingIn(root, rules)
  for (const each of shed) rules.shed?.(root, each)
  const receipt = prune(root, rules, before)
  if (rules.policy.unmet === 'error' && receipt.unmet.length > 0) throw new OracleError('E_BUDGET')
  return receipt
}

/** D61: what the commit sheds, judged on a copy. */
export function sheddingIn(root: ModelNode, rules: CommitRules): { shed: ToShed[]; before: Map<string, number> } {
  const { results } = rules.policy
  if (results === undefined || rules.shed === undefined) return { shed: [], before: new Map() }
  const { keep, atLeast = 0.1 } = results
  const copy = copyTree(root)
  const limits = limitsOf(copy, rules).filter(({ rule }) => rule.startsWith('maxTokens'))
  return toShed(copy, limits, { keep, atLeast, except: rules.excepted?.(root) ?? new Set() }, rules.countTokens)
}

/** D61: what a trim sheds: the commit's choice, after its expiry. `root` is changed on the way. */
export function sheddingNow(root: ModelNode, rules: CommitRules): ToShed[] {
  expire(root, rules)
  cascade(root, rules)
  return sheddingIn(root, rules).shed
}

/** After sealing: of the earlier ids that nodes stand for, those stay that a live node or a hold names (D41, N27). */
export function forgetUnnamed(root: ModelNode, { held }: Pick<CommitRules, 'held'>): void {
  const nodes = subtree(root)
  const named = new Set([...nodes.flatMap(refsOf), ...held])
  for (const node of nodes) node.standsFor = node.standsFor.filter((id) => named.has(id))
}

/** The ids of the held nodes; a hold on an earlier id means its stand-in (D26, D41). */
function heldIn(root: ModelNode, { held, follows }: CommitRules): Set<string> {
  const resolve = resolver(root, follows)
  return new Set([...held].flatMap((id) => resolve(id)?.id ?? []))
}

// ------------------------------------------------------------------------------------------------- expiry and cascade

/**
 * Expiry (02 §5.1, §5.4; D24, D26) keeps the least set that holds every held node, every node whose expired ancestors-or-self are
 * all in the set, and, with each member, its ancestors and the nodes that its refs mean.
 */
function expire(root: ModelNode, rules: CommitRules): void {
  const { cycle, follows } = rules
  const resolve = resolver(root, follows)
  const held = heldIn(root, rules)
  const kept = new Set<string>()
  let size = -1
  while (size !== kept.size) {
    size = kept.size
    for (const { node, ancestors } of walk(root)) {
      const line = [...ancestors, node]
      const expired = line.filter((member) => member.expiry !== null && member.expiry <= cycle)
      if (!kept.has(node.id) && !held.has(node.id) && !expired.every((member) => kept.has(member.id))) continue
      for (const member of line) kept.add(member.id)
      for (const ref of refsOf(node)) kept.add(resolve(ref)?.id ?? '')
    }
  }
  removeWhere(root, (node) => !kept.has(node.id))
}

/** Removes emptied removable containers, one at a time, until there is none; returns them in document order (02 §5.3.1, D26). */
function cascade(root: ModelNode, rules: CommitRules): ModelNode[] {
  const gone: ModelNode[] = []
  const order = subtree(root)
  for (;;) {
    const nodes = subtree(root)
    const resolve = resolver(root, rules.follows)
    const held = heldIn(root, rules)
    const goes = nodes.find(
      (node) =>
        node.class === 'cont' &&
        !node.core &&
        node.given['removable'] === true &&
        node.everHeldNode &&
        node.children.length === 0 &&
        !held.has(node.id) &&
        !nodes.some((other) => other !== node && refsOf(other).some((ref) => resolve(ref) === node)),
    )
    const unit = goes === undefined ? hollowSegment(root, rules) : [goes]
    if (unit === undefined) return gone.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    gone.push(...unit)
    removeWhere(root, (node) => unit.includes(node))
  }
}

/** D55: a segment in which only empty cores are left, with these, if the context lets such go and nothing needs it. */
function hollowSegment(root: ModelNode, rules: CommitRules): ModelNode[] | undefined {
  if (rules.emptySegments === 'keep') return undefined
  const resolve = resolver(root, rules.follows)
  const held = heldIn(root, rules)
  for (const segment of subtree(root).filter((node) => node.class === 'seg' && node.everHeldNode)) {
    const unit = [segment, ...segment.children]
    const isHollow = segment.children.every((child) => child.core && child.children.length === 0)
    const outside = subtree(root).filter((node) => !unit.includes(node))
    const named = new Set(outside.flatMap(refsOf).map(resolve))
    if (isHollow && !unit.some((node) => held.has(node.id) || named.has(node))) return unit
  }
  return undefined
}

// -------------------------------------------------------------------------------------------------------------- pruning

type Limit = {
  rule: string
  limit: number
  goal: number // how far down to go once it is passed (D51)
  measure: () => number
  turns: () => ModelNode[] // for compaction
  nodes: () => ModelNode[] // for pruning, in its order
  segmentsOver?: () => ModelNode[] // where each segment has this limit for itself: those that pass it
}

type Candidate = { node: ModelNode; staysInside: boolean }

/**
 * Compaction by turns, if the policy says so, then pruning by nodes (02 §7, D27, D51). Each takes the limits one after the other. Once a
 * limit is passed, both stages go down to its target, until nothing more can be taken.
 */
function prune(root: ModelNode, rules: CommitRules, shed: ReadonlyMap<string, number>): OracleReceipt {
  const receipt: OracleReceipt = { removed: [], shed: [], limits: [], unmet: [] }
  const bled = new Set<string>() // segments that lost a block to pruning
  const left: ModelNode[] = []
  const list = (node: ModelNode, rule: string): void => {
    left.push(node)
    receipt.removed.push({ id: node.id, rule, priority: node.priority, age: rules.cycle - node.cycle })
  }
  const take = (unit: Set<string>, rule: string): void => {
    for (const node of subtree(root)) if (unit.has(node.id)) list(node, rule)
    removeWhere(root, (node) => unit.has(node.id))
  }
  const takeEmptied = (rule: string): void => {
    for (;;) {
      for (const node of cascade(root, rules)) list(node, rule)
      const goes = sorted(region(root, '^seq').children).find(
        (segment) =>
          bled.has(segment.id) &&
          blocksUnder(segment).length === 0 &&
          !isProtected(root, unitOf(root, segment, rules), rules),
      )
      if (goes === undefined) return
      take(unitOf(root, goes, rules), rule)
    }
  }
  const limits = limitsOf(root, rules)
  const passed = new Map<Limit, { before: number; segments: string[] }>()
  /** The candidates for a limit, empty segments first (N120); none once the goal is reached. */
  const helpful = (limit: Limit, byTurn: boolean): Candidate[] => {
    const isForAll = limit.segmentsOver === undefined
    if (isForAll && amountOf(limit) <= limit.goal) return []
    // N57, N120: a turn is passed over where a group reaches out of it, and so is an empty segment that goes as such.
    const turns = inTurnOrder(limit.turns()).map((node) => ({ node, staysInside: true }))
    const empty = turns.filter(({ node }) => isForAll && speakersUnder(node).length === 0)
    const nodes = limit.nodes().map((node) => ({ node, staysInside: false }))
    const candidates = byTurn ? turns : [...empty, ...nodes]
    if (isForAll) return candidates
    const { segments } = passed.get(limit)!
    const full = region(root, '^seq').children.filter((each) => segments.includes(each.id) && below(each) > limit.goal)
    return candidates.filter(({ node }) => full.some((segment) => subtree(segment).includes(node)))
  }
  const isFree = ({ node, staysInside }: Candidate, butForTask = false): boolean => {
    const unit = unitOf(root, node, rules)
    return !isProtected(root, unit, rules, butForTask) && (!staysInside || unit.size === subtree(node).length)
  }
  // D59: a segment that only the task keeps does not count. CHOICE 80: that shows when it is next to leave.
  let isSpared = false
  const amountOf = ({ rule, measure }: Limit): number => measure() - (rule === 'maxDepth' && isSpared ? 1 : 0)
  const spare = (limit: Limit, byTurn: boolean): void => {
    if (limit.rule !== 'maxDepth' || amountOf(limit) <= limit.goal) return
    const candidates = helpful(limit, byTurn)
    const free = candidates.findIndex((each) => isFree(each))
    const task = taskIn(root)
    isSpared ||= candidates.slice(0, free === -1 ? undefined : free).some((each) => {
      return each.node.class === 'seg' && subtree(each.node).includes(task!) && isFree(each, true)
    })
  }
  for (const byTurn of rules.policy.unit === 'turn' ? [true, false] : [false]) {
    for (const limit of limits) {
      if (amountOf(limit) > limit.limit) spare(limit, byTurn)
      const before = amountOf(limit)
      if (before > limit.limit && !passed.has(limit)) {
        passed.set(limit, { before, segments: limit.segmentsOver?.().map(({ id }) => id) ?? [] })
      }
      while (passed.has(limit)) {
        const candidate = helpful(limit, byTurn).find((each) => isFree(each))
        if (candidate === undefined) break
        const unit = unitOf(root, candidate.node, rules)
        for (const segment of region(root, '^seq').children) {
          if (blocksUnder(segment).some((block) => unit.has(block.id))) bled.add(segment.id)
        }
        take(unit, limit.rule)
        takeEmptied(limit.rule)
        spare(limit, byTurn)
      }
    }
  }
  const line = noteLine(root, left, rules.policy.names ?? 0, limits)
  if (line !== undefined) rules.note?.(line)
  for (const each of limits) {
    const { rule, limit } = each
    const actual = amountOf(each)
    if (actual > limit) receipt.unmet.push({ rule, limit, actual })
  }
  receipt.limits = limits.flatMap((each) => {
    const { rule, limit, goal } = each
    const before = shed.get(rule) ?? passed.get(each)?.before
    if (before === undefined) return []
    return [{ rule, limit, ...(goal === limit ? {} : { target: goal }), before, after: amountOf(each) }]
  })
  return receipt
}

/** The number of nodes in a segment. */
function below(segment: ModelNode): number {
  return subtree(segment).length - 1
}

/** The limits in the order in which they are met, each judged on the snapshot to be (N2). */
function limitsOf(root: ModelNode, rules: CommitRules): Limit[] {
  const { policy, countTokens } = rules
  const { maxDepth, maxNodesPerSegment, maxNodes, maxTokens, target = 1 } = policy
  const { target: tokenTarget = 0.6 } = policy // D60
  const limits: Limit[] = []
  const segments = (): ModelNode[] => region(root, '^seq').children
  const nodes = (): ModelNode[] => candidatesUnderSeq(root, rules)
  const share = (limit: number): number => (target <= 1 ? target * limit : limit)
  if (maxDepth !== undefined) {
    limits.push({
      rule: 'maxDepth',
      limit: maxDepth,
      goal: share(maxDepth),
      measure: () => segments().length + (willSeal(root) ? 1 : 0),
      turns: segments,
      nodes: () => segments().toSorted(compareForPruning),
    })
  }
  if (maxNodesPerSegment !== undefined) {
    limits.push({
      rule: 'maxNodesPerSegment',
      limit: maxNodesPerSegment,
      goal: share(maxNodesPerSegment),
      measure: () => Math.max(0, ...segments().map(below)),
      segmentsOver: () => segments().filter((segment) => below(segment) > maxNodesPerSegment),
      turns: segments,
      nodes,
    })
  }
  if (maxNodes !== undefined) {
    limits.push({
      rule: 'maxNodes',
      limit: maxNodes,
      goal: share(maxNodes),
      measure: () => {
        const added = willSeal(root) ? (coreOf(region(root, '^ah')) === undefined ? 2 : 1) : 0
        return walk(root).length + added
      },
      turns: segments,
      nodes,
    })
  }
  const tokens = (top: ModelNode): number =>
    subtree(top).reduce((sum, node) => {
      if (!('content' in node.given)) return sum
      const { content } = node.given
      return sum + countTokens(typeof content === 'string' ? content : canonicalJson(content))
    }, 0)
  if (typeof maxTokens === 'number') {
    const goal = tokenTarget <= 1 ? tokenTarget * maxTokens : tokenTarget
    limits.push({
      rule: 'maxTokens',
      limit: maxTokens,
      goal,
      measure: () => tokens(root),
      turns: segments,
      nodes,
    })
  } else if (maxTokens !== undefined) {
    for (const name of ['^sys', '^seq', '^ah'] as const) {
      const limit = maxTokens[name]
      if (limit === undefined) continue
      limits.push({
        rule: `maxTokens ${name}`,
        limit,
        goal: limit * Math.min(tokenTarget, 1),
        measure: () => {
          const own = tokens(region(root, name))
          return name === '^seq' && willSeal(root) ? own + tokens(region(root, '^ah')) : own
        },
        turns: name === '^seq' ? segments : () => [],
        nodes: name === '^seq' ? nodes : () => [],
      })
    }
  }
  return limits
}

/** D51: the lowest priority first, a segment's being the highest of its blocks, then the oldest; D55, N120: empty ones before. */
function inTurnOrder(segments: ModelNode[]): ModelNode[] {
  const keyOf = (segment: ModelNode): PruningKey => ({
    priority: Math.max(...speakersUnder(segment).map((node) => node.priority)),
    createdAtNs: segment.createdAtNs,
    id: segment.id,
  })
  return segments.toSorted((a, b) => compareForPruning(keyOf(a), keyOf(b)))
}

/** True if a unit has a node in ^sys, ^ah or the newest segments, or one that is pinned, held or referred to (02 §7.2, D27). */
function isProtected(root: ModelNode, unit: Set<string>, rules: CommitRules, butForTask = false): boolean {
  const { policy, follows } = rules
  const nodes = subtree(root)
  const task = butForTask ? undefined : taskIn(root)
  const resolve = resolver(root, follows)
  const held = heldIn(root, rules)
  const segments = sorted(region(root, '^seq').children)
  // D60: with a token limit and no number, the newest one is the turn that is about to be sealed.
  const isNewestSealed = policy.maxTokens !== undefined && willSeal(root)
  const spared = policy.protectSegments ?? (isNewestSealed ? 0 : 1)
  const newest = segments.slice(Math.max(0, segments.length - spared))
  const safe = new Set([region(root, '^sys'), region(root, '^ah'), ...newest].flatMap(subtree))
  const referredTo = new Set(
    nodes
      .filter((node) => !unit.has(node.id))
      .flatMap(refsOf)
      .map(resolve),
  )
  return nodes.some(
    (node) =>
      unit.has(node.id) &&
      (safe.has(node) || node === task || node.given['pinned'] === true || held.has(node.id) || referredTo.has(node)),
  )
}

/** Blocks, and containers with content: the nodes that have an item in the thread (D36). */
function speakersUnder(top: ModelNode): ModelNode[] {
  return subtree(top).filter((node) => node.class === 'block' || 'content' in node.given)
}

function blocksUnder(top: ModelNode): ModelNode[] {
  return subtree(top).filter((node) => node.class === 'block')
}

/** Blocks and non-core containers inside segments; a member of a group takes the place of its group (02 §7.1, D27). */
function candidatesUnderSeq(root: ModelNode, rules: CommitRules): ModelNode[] {
  const groups = groupsIn(root, rules)
  const keyOf = (node: ModelNode): PruningKey => {
    const group = groups.find((members) => members.has(node)) ?? new Set([node])
    const oldest = [...group].toSorted((a, b) => compare(a.createdAtNs, b.createdAtNs) || compareText(a.id, b.id))[0]!
    const priority = Math.max(...[...group].map((member) => member.priority))
    return { priority, createdAtNs: oldest.createdAtNs, id: oldest.id }
  }
  return subtree(region(root, '^seq'))
    .filter((node) => node.class === 'block' || (node.class === 'cont' && !node.core))
    .map((node) => ({ node, key: keyOf(node) }))
    .toSorted((a, b) => compareForPruning(a.key, b.key))
    .map(({ node }) => node)
}

/** D59: the last block of a core with role `user`. CHOICE 79: a tool's result is none, and neither is a deletion marker or a summary. */
export function taskIn(root: ModelNode): ModelNode | undefined {
  const turns = [...sorted(region(root, '^seq').children), region(root, '^ah')]
  const inCores = turns.flatMap((turn) =>
    sorted(turn.children)
      .filter(({ offset }) => offset === 0)
      .flatMap(subtree),
  )
  return inCores.findLast((node) => {
    const isSaid = node.class === 'block' && node.given['role'] === 'user' && node.given['kind'] !== 'result'
    return isSaid && !isMarker(node) && node.given['pact:compacted'] === undefined
  })
}

type PruningKey = { priority: number; createdAtNs: bigint; id: string }

function compareForPruning(a: PruningKey, b: PruningKey): number {
  return compare(a.priority, b.priority) || compare(a.createdAtNs, b.createdAtNs) || compareText(a.id, b.id)
}

/**
 * The groups of the live tree, each node in at most one: overlapping ones are joined. A result goes with the call that its
 * refs mean, and with the marker that a call has left (D41).
 */
export function groupsIn(root: ModelNode, { follows }: Pick<CommitRules, 'follows'>): Set<ModelNode>[] {
  const nodes = subtree(root)
  const resolve = resolver(root, follows)
  const groups: Set<ModelNode>[] = []
  for (const callId of new Set(nodes.flatMap(callIdsOf))) {
    let group = new Set<ModelNode>()
    groups.push(group)
    for (const node of nodes.filter((each) => callIdsOf(each).includes(callId))) {
      // The marker of a call has lost its kind, but not the role of the one who called.
      const isCall = node.given['kind'] === 'call' || (isMarker(node) && node.given['role'] === 'assistant')
      if (isCall) groups.push((group = new Set()))
      group.add(node)
    }
  }
  for (const result of nodes.filter((node) => node.given['kind'] === 'result')) {
    const calls = refsOf(result).flatMap((ref) => {
      const node = resolve(ref)
      if (node === undefined) return []
      return node.given['kind'] === 'call' || (isMarker(node) && standsInFor(node, ref)) ? [node] : []
    })
    if (calls.length > 0) groups.push(new Set([result, ...calls]))
  }
  // D48: reasoning, one or several in a row, belongs to the call directly behind it, or to the marker of that.
  for (const parent of nodes) {
    let thoughts: ModelNode[] = []
    for (const child of sorted(parent.children)) {
      const isMarked = isMarker(child) && child.given['role'] === 'assistant' && callIdsOf(child).length > 0
      if (child.given['kind'] === 'call' || isMarked) groups.push(new Set([...thoughts, child]))
      thoughts = child.given['kind'] === 'reasoning' ? [...thoughts, child] : []
    }
  }
  return joinOverlapping(groups.filter((group) => group.size > 0))
}

function joinOverlapping(groups: Set<ModelNode>[]): Set<ModelNode>[] {
  for (const [i, group] of groups.entries()) {
    const j = groups.findIndex((other, at) => at > i && [...other].some((node) => group.has(node)))
    if (j === -1) continue
    const rest = groups.filter((_, at) => at !== i && at !== j)
    return joinOverlapping([...rest, new Set([...group, ...groups[j]!])])
  }
  return groups
}

/** The least set that holds the candidate and, with each member, its subtree and its whole group (D27). */
function unitOf(root: ModelNode, candidate: ModelNode, rules: CommitRules): Set<string> {
  const groups = groupsIn(root, rules)
  const unit = new Set([candidate])
  for (const member of unit) {
    // a set may grow while it is walked: new members get their turn too
    for (const node of subtree(member)) unit.add(node)
    for (const group of groups) {
      if (group.has(member)) for (const node of group) unit.add(node)
    }
  }
  return new Set([...unit].map((node) => node.id))
}
