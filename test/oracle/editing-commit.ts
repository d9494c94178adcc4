// Expiry, cascade and pruning on the tree of editing-tree.ts: the rules of lifecycle.ts (02 §5–§7; D26, D27, N2, N3),
// repeated for nodes that can be edited. Walking, growing and starting again, nothing else.

import type { OraclePolicy, OracleReceipt } from './lifecycle.js'
import { OracleError } from './selector-parse.js'
import {
  callIdsOf,
  canonicalJson,
  compare,
  compareText,
  coreOf,
  type ModelNode,
  refsOf,
  region,
  removeWhere,
  sorted,
  subtree,
  walk,
  willSeal,
} from './editing-tree.js'

export type CommitRules = {
  cycle: number
  policy: OraclePolicy
  isHeld: (id: string) => boolean
  countTokens: (text: string) => number
}

/** Everything of a commit before sealing. Changes the tree; throws E_BUDGET where the policy says so. */
export function expireAndPrune(root: ModelNode, rules: CommitRules): OracleReceipt {
  expire(root, rules)
  cascade(root, rules)
  const receipt = prune(root, rules)
  cascade(root, rules)
  if (rules.policy.unmet === 'error' && receipt.unmet.length > 0) throw new OracleError('E_BUDGET')
  return receipt
}

// ------------------------------------------------------------------------------------------------- expiry and cascade

/** Keeps D26's least set: held nodes, nodes whose expired line is kept, their ancestors and what their refs name. */
function expire(root: ModelNode, { cycle, isHeld }: CommitRules): void {
  const kept = new Set<string>()
  let size = -1
  while (size !== kept.size) {
    size = kept.size
    for (const { node, ancestors } of walk(root)) {
      const line = [...ancestors, node]
      const expired = line.filter((member) => member.expiry !== null && member.expiry <= cycle)
      if (!kept.has(node.id) && !isHeld(node.id) && !expired.every((member) => kept.has(member.id))) continue
      for (const member of line) kept.add(member.id)
      for (const ref of refsOf(node)) kept.add(ref)
    }
  }
  removeWhere(root, (node) => !kept.has(node.id))
}

/** Removes emptied removable containers, one at a time, until there is none; gives them in document order. */
function cascade(root: ModelNode, { isHeld }: CommitRules): ModelNode[] {
  const gone: ModelNode[] = []
  const order = subtree(root)
  for (;;) {
    const nodes = subtree(root)
    const goes = nodes.find(
      (node) =>
        node.class === 'cont' &&
        !node.core &&
        node.given['removable'] === true &&
        node.everHeldNode &&
        node.children.length === 0 &&
        !isHeld(node.id) &&
        !nodes.some((other) => other !== node && refsOf(other).includes(node.id)),
    )
    if (goes === undefined) return gone.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    gone.push(goes)
    removeWhere(root, (node) => node.id === goes.id)
  }
}

// -------------------------------------------------------------------------------------------------------------- pruning

type Limit = { rule: string; limit: number; measure: () => number; candidates: () => ModelNode[] }

function prune(root: ModelNode, rules: CommitRules): OracleReceipt {
  const receipt: OracleReceipt = { removed: [], limits: [], unmet: [] }
  const bled = new Set<string>() // segments that lost a block to pruning
  const list = (node: ModelNode, rule: string): void => {
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
          bled.has(segment.id) && blocksUnder(segment).length === 0 && !isProtected(root, unitOf(root, segment), rules),
      )
      if (goes === undefined) return
      take(unitOf(root, goes), rule)
    }
  }
  const limits = limitsOf(root, rules)
  const passed: { limit: Limit; before: number }[] = []
  for (const limit of limits) {
    const before = limit.measure()
    if (before > limit.limit) passed.push({ limit, before })
    while (limit.measure() > limit.limit) {
      const candidate = limit.candidates().find((each) => !isProtected(root, unitOf(root, each), rules))
      if (candidate === undefined) break
      const unit = unitOf(root, candidate)
      for (const segment of region(root, '^seq').children) {
        if (blocksUnder(segment).some((block) => unit.has(block.id))) bled.add(segment.id)
      }
      take(unit, limit.rule)
      takeEmptied(limit.rule)
    }
  }
  for (const { rule, limit, measure } of limits) {
    const actual = measure()
    if (actual > limit) receipt.unmet.push({ rule, limit, actual })
  }
  receipt.limits = passed.map(({ limit: { rule, limit, measure }, before }) => {
    return { rule, limit, before, after: measure() }
  })
  return receipt
}

/** The limits in the order in which they are met, each judged on the snapshot to be (N2). */
function limitsOf(root: ModelNode, { policy, countTokens }: CommitRules): Limit[] {
  const { maxDepth, maxNodesPerSegment, maxNodes, maxTokens } = policy
  const limits: Limit[] = []
  const segments = (): ModelNode[] => region(root, '^seq').children
  const below = (segment: ModelNode): number => subtree(segment).length - 1
  const candidates = (): ModelNode[] => candidatesUnderSeq(root)
  if (maxDepth !== undefined) {
    limits.push({
      rule: 'maxDepth',
      limit: maxDepth,
      measure: () => segments().length + (willSeal(root) ? 1 : 0),
      candidates: () => segments().toSorted(compareForPruning),
    })
  }
  if (maxNodesPerSegment !== undefined) {
    limits.push({
      rule: 'maxNodesPerSegment',
      limit: maxNodesPerSegment,
      measure: () => Math.max(0, ...segments().map(below)),
      candidates: () => {
        const overfull = segments().filter((segment) => below(segment) > maxNodesPerSegment)
        return candidates().filter((node) => overfull.some((segment) => subtree(segment).includes(node)))
      },
    })
  }
  if (maxNodes !== undefined) {
    limits.push({
      rule: 'maxNodes',
      limit: maxNodes,
      measure: () => {
        const added = willSeal(root) ? (coreOf(region(root, '^ah')) === undefined ? 2 : 1) : 0
        return walk(root).length + added
      },
      candidates,
    })
  }
  const tokens = (top: ModelNode): number =>
    subtree(top).reduce((sum, node) => {
      if (!('content' in node.given)) return sum
      const { content } = node.given
      return sum + countTokens(typeof content === 'string' ? content : canonicalJson(content))
    }, 0)
  if (typeof maxTokens === 'number') {
    limits.push({ rule: 'maxTokens', limit: maxTokens, measure: () => tokens(root), candidates })
  } else if (maxTokens !== undefined) {
    for (const name of ['^sys', '^seq', '^ah'] as const) {
      const limit = maxTokens[name]
      if (limit === undefined) continue
      limits.push({
        rule: `maxTokens ${name}`,
        limit,
        measure: () => {
          const own = tokens(region(root, name))
          return name === '^seq' && willSeal(root) ? own + tokens(region(root, '^ah')) : own
        },
        candidates: name === '^seq' ? candidates : () => [],
      })
    }
  }
  return limits
}

function isProtected(root: ModelNode, unit: Set<string>, { policy, isHeld }: CommitRules): boolean {
  const nodes = subtree(root)
  const segments = sorted(region(root, '^seq').children)
  const newest = segments.slice(Math.max(0, segments.length - (policy.protectSegments ?? 1)))
  const safe = new Set([region(root, '^sys'), region(root, '^ah'), ...newest].flatMap(subtree))
  const isReferredTo = (id: string): boolean => nodes.some((node) => !unit.has(node.id) && refsOf(node).includes(id))
  return nodes.some(
    (node) =>
      unit.has(node.id) &&
      (safe.has(node) || node.given['pinned'] === true || isHeld(node.id) || isReferredTo(node.id)),
  )
}

function blocksUnder(top: ModelNode): ModelNode[] {
  return subtree(top).filter((node) => node.class === 'block')
}

/** Blocks and non-core containers inside segments; a member of a group stands where its group stands. */
function candidatesUnderSeq(root: ModelNode): ModelNode[] {
  const groups = groupsIn(root)
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

type PruningKey = { priority: number; createdAtNs: bigint; id: string }

function compareForPruning(a: PruningKey, b: PruningKey): number {
  return compare(a.priority, b.priority) || compare(a.createdAtNs, b.createdAtNs) || compareText(a.id, b.id)
}

/** The groups of the live tree, each node in at most one: overlapping ones are joined. */
function groupsIn(root: ModelNode): Set<ModelNode>[] {
  const nodes = subtree(root)
  const groups: Set<ModelNode>[] = []
  for (const callId of new Set(nodes.flatMap(callIdsOf))) {
    let group = new Set<ModelNode>()
    groups.push(group)
    for (const node of nodes.filter((each) => callIdsOf(each).includes(callId))) {
      if (node.given['kind'] === 'call') groups.push((group = new Set()))
      group.add(node)
    }
  }
  for (const result of nodes.filter((node) => node.given['kind'] === 'result')) {
    const calls = nodes.filter((node) => node.given['kind'] === 'call' && refsOf(result).includes(node.id))
    if (calls.length > 0) groups.push(new Set([result, ...calls]))
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

/** The least set that holds the candidate and, with each member, its subtree and its whole group. */
function unitOf(root: ModelNode, candidate: ModelNode): Set<string> {
  const groups = groupsIn(root)
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
