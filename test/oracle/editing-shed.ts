// Shedding in the naive model (D61): which results get a line in place of their content, and the line. It works on a copy of the tree that may
// be spoiled, and looks at every node again after each result.

import {
  callIdsOf,
  canonicalJson,
  compare,
  type ModelNode,
  refsOf,
  region,
  sorted,
  subtree,
  willSeal,
} from './editing-tree.js'

export type ShedRules = {
  keep: number
  atLeast?: number
  except?: ReadonlySet<string>
}

/** A result that is to be shed, with its line. */
export type ToShed = { id: string; line: string; tokens: number }

export type TokenLimit = { rule: string; limit: number; goal: number; measure: () => number }

/** The results to shed, in order, and what each limit for which there are some had before. `root` is changed on the way. */
export function toShed(
  root: ModelNode,
  limits: TokenLimit[],
  rules: ShedRules,
  countTokens: (text: string) => number,
): { shed: ToShed[]; before: Map<string, number> } {
  const shed: ToShed[] = []
  const before = new Map<string, number>()
  for (const { rule, limit, goal, measure } of limits) {
    const start = measure()
    if (start <= limit) continue
    const chosen: ToShed[] = []
    const undo: (() => void)[] = []
    const results = inOrder(root).filter(isResult)
    for (const node of results.slice(0, Math.max(0, results.length - rules.keep))) {
      if (measure() <= goal) break
      if (!counts(root, rule, node)) continue
      if (node.given['pact:shed'] !== undefined || node.given['pinned'] === true || rules.except?.has(node.id)) continue
      const content = node.given['content']
      const tokens = countTokens(textOf(content))
      const line = lineFor(root, node, tokens)
      if (countTokens(line) >= tokens) continue
      chosen.push({ id: node.id, line, tokens })
      const { given } = node
      undo.push(() => (node.given = given))
      node.given = shedHeaders(node, line)
    }
    const freed = start - measure()
    if (chosen.length === 0 || freed < (rules.atLeast ?? 0.1) * limit) {
      for (const back of undo) back()
      continue
    }
    before.set(rule, start)
    shed.push(...chosen)
  }
  return { shed, before }
}

/** The headers of a result with a line, and the original with it. */
export function shedHeaders(node: ModelNode, line: string): Record<string, unknown> {
  return { ...node.given, content: line, 'pact:shed': { id: node.id, content: node.given['content'] } }
}

/** The shed node that an id means: its own, that of the original, or that of a node it stands in for. */
export function shedNode(root: ModelNode, id: string): ModelNode | undefined {
  const shed = subtree(root).filter((node) => node.given['pact:shed'] !== undefined)
  const originalOf = (node: ModelNode): string => (node.given['pact:shed'] as { id: string }).id
  return (
    shed.find((node) => node.id === id) ??
    shed.find((node) => originalOf(node) === id) ??
    shed.find((node) => node.given['supersedes'] === id || node.standsFor.includes(id))
  )
}

/** History, oldest first, then the open turn. */
function inOrder(root: ModelNode): ModelNode[] {
  const walk = (node: ModelNode): ModelNode[] => [node, ...sorted(node.children).flatMap(walk)]
  return [region(root, '^seq'), region(root, '^ah')].flatMap(walk)
}

function isResult(node: ModelNode): boolean {
  return node.class === 'block' && node.given['kind'] === 'result' && 'content' in node.given
}

/** CHOICE 81: what will be sealed counts for the limit of history. */
function counts(root: ModelNode, rule: string, node: ModelNode): boolean {
  if (rule === 'maxTokens') return true
  const isIn = (name: '^seq' | '^ah'): boolean => subtree(region(root, name)).includes(node)
  return (rule.endsWith('^ah') && isIn('^ah')) || (rule.endsWith('^seq') && (isIn('^seq') || willSeal(root)))
}

/** CHOICE 82: the tool is the one that the result names, or that the last call names which was made before and that it answers. */
function lineFor(root: ModelNode, node: ModelNode, tokens: number): string {
  const answers = subtree(root).filter((call) => {
    if (call.given['kind'] !== 'call' || compareMade(call, node) > 0) return false
    const isShared = callIdsOf(call).some((id) => callIdsOf(node).includes(id))
    return isShared || refsOf(node).some((ref) => ref === call.id || call.given['supersedes'] === ref)
  })
  const call = answers.toSorted(compareMade).at(-1)
  const named = node.given['data_tool_name'] ?? (call?.given['content'] as { name?: unknown } | undefined)?.name
  const what = typeof named === 'string' ? `result of ${named}` : 'tool result'
  return `[${what}, ${tokens.toLocaleString('en-US')} tokens, shed; recall ${node.id}]`
}

function compareMade(a: ModelNode, b: ModelNode): number {
  return compare(a.createdAtNs, b.createdAtNs) || a.creationIndex - b.creationIndex
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : canonicalJson(content)
}
