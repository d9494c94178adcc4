// Compaction (D63): which nodes a summary would stand for, and the edit that puts it in their place.

import { checkNames, describe, invalid, isRecord, PactError } from '../errors/index.js'
import { summaryContent, type NodeRecord } from '../core/index.js'
import {
  CompactionRange,
  isSummary,
  stale,
  type Edit,
  type NodeToCompact,
  type StayReason,
  type SummaryHeader,
} from '../edit/index.js'
import {
  contentHashOfRecord,
  recordOf,
  sortByPlace,
  walkRecords,
  type Draft,
  type TreeNode,
} from '../timeline/index.js'
import type { Parts } from './parts.js'

/** Options of `planCompaction`. */
export type PlanOptions = Readonly<{
  /** The number of newest steps that stay: messages of the user, and replies with their calls and results. 12 by default. */
  keep?: number | undefined
  /** The instruction for the model that writes the summary, instead of the one that `prompt` has by default. */
  prompt?: string | undefined
}>

/** The nodes that a compaction would take, and those that stay. A plan is data: it changes nothing. */
export type CompactionPlan = Readonly<{
  /** The nodes that would go, in document order; parents before their children. */
  nodes: readonly Readonly<{ id: string; hash: string; tokens: number }>[]
  /** The tokens of these nodes. */
  tokens: number
  /** The nodes that stay, and why. */
  stays: readonly Readonly<{ id: string; why: StayReason }>[]
  /** The instruction for the model: `startAttempt({ …, append: plan.prompt })` asks for the summary. */
  prompt: string
}>

/** Options of `compact`: the header of the summary, and the line before its text. */
export type CompactOptions = SummaryHeader &
  Readonly<{
    /** The line before the text, which says that this is a summary; '' for none. */
    intro?: string | undefined
  }>

const KEEP = 12

const PROMPT = `Summarize this conversation up to here, so that you can go on with the work from the summary and the newest messages alone. The earlier messages will no longer be visible.

Write down:
- the goal of the user, and every wish, limit and decision of the user in the user's own words
- what was done, with exact names: files, functions, commands, ids, links, numbers
- what was found out, and what was tried and did not work
- what is still open, and the next step

Leave out what no longer matters. Do not call tools, do not greet, do not comment: answer with the summary alone.`

/** Works out a plan; nothing changes. */
export function planCompaction({ open, tokens, holds }: Parts, options: PlanOptions = {}): CompactionPlan {
  checkNames(options, ['keep', 'prompt'], '{ keep: 12 }')
  const { keep = KEEP, prompt = PROMPT } = options
  if (!Number.isSafeInteger(keep) || keep < 1) {
    throw invalid('keep', `keep is the number of steps that stay, a whole number from 1 up, not ${describe(keep)}.`)
  }
  if (typeof prompt !== 'string' || prompt === '') {
    throw invalid('prompt', `The prompt is a text that is not empty, not ${describe(prompt)}.`)
  }
  const { draft } = open
  const held = (record: NodeRecord): boolean => record.names.some((id) => holds.has(id) && draft.meant(id) === record)
  const { going, stays } = sorted(draft, keep, held)
  // A summary alone would only be summed up again.
  const taken = going.every(isSummary) ? [] : going
  const records = sortByPlace(draft, taken.map(recordOf)).flatMap((top) => [...walkRecords(draft.nodeOf(top))])
  const nodes = records.map((record) => {
    return Object.freeze({ id: record.id, hash: contentHashOfRecord(record), tokens: tokens.ofNode(record, draft) })
  })
  return Object.freeze({
    nodes: Object.freeze(nodes),
    tokens: nodes.reduce((sum, each) => sum + each.tokens, 0),
    stays: Object.freeze(stays.map(([{ id }, why]) => Object.freeze({ id, why }))),
    prompt,
  })
}

type Sorted = Readonly<{ going: readonly TreeNode[]; stays: readonly (readonly [NodeRecord, StayReason])[] }>

/** The nodes of all steps: those that go, and those that stay with the reason. */
function sorted(draft: Draft, keep: number, isHeld: (record: NodeRecord) => boolean): Sorted {
  const range = new CompactionRange(draft)
  const stays = new Map<TreeNode, StayReason>()
  const all: TreeNode[] = []
  for (const [at, { core, context }] of range.steps.entries()) {
    const isNewest = at >= range.steps.length - keep
    const reasonOf = (node: TreeNode): StayReason | undefined => {
      if (isNewest) return 'newest'
      const records = [...walkRecords(node)]
      const own = records.map((each) => range.reasonFor(each)).find((each) => each !== undefined)
      return own ?? (records.some(isHeld) ? 'held' : undefined)
    }
    all.push(...core, ...context)
    for (const node of [...core, ...context]) {
      const why = reasonOf(node)
      if (why !== undefined) stays.set(node, why)
    }
    // The context of the task stays with it.
    if (core.some((node) => stays.get(node) === 'task'))
      for (const node of context) stays.set(node, stays.get(node) ?? 'task')
  }
  keepGroups(range, all, stays)
  const order = new Map(all.map((node) => [recordOf(node).id, stays.get(node)]))
  const listed = sortByPlace(draft, all.map(recordOf))
  return {
    going: all.filter((node) => !stays.has(node)),
    stays: listed.flatMap((record) => {
      const why = order.get(record.id)
      return why === undefined ? [] : [[record, why] as const]
    }),
  }
}

/** Calls and results go together or stay together. */
function keepGroups(range: CompactionRange, all: readonly TreeNode[], stays: Map<TreeNode, StayReason>): void {
  const topOf = new Map<string, TreeNode>()
  for (const node of all) for (const { id } of walkRecords(node)) topOf.set(id, node)
  const queue = all.filter((node) => stays.has(node))
  // A member in no step, such as one in ^sys, stays by itself.
  for (const node of all) if (!stays.has(node) && tied(range, node).some((id) => !topOf.has(id))) stay(node)
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const id of tied(range, node)) {
      const other = topOf.get(id)
      if (other !== undefined && !stays.has(other)) stay(other)
    }
  }

  function stay(node: TreeNode): void {
    stays.set(node, 'group')
    queue.push(node)
  }
}

function tied(range: CompactionRange, node: TreeNode): readonly string[] {
  return [...walkRecords(node)].flatMap((record) => range.groupOf(record).map(({ id }) => id))
}

/** The edit of a compaction. E_CONFLICT if the plan is stale. */
export function compaction(parts: Parts, plan: unknown, text: unknown, options: CompactOptions = {}): Edit {
  const { nodes, stays } = checkPlan(plan)
  if (typeof text !== 'string' || text.trim() === '') {
    throw invalid('text', `The summary is a text that is not empty, not ${describe(text)}.`)
  }
  if (!isRecord(options)) throw invalid('options', `The options of compact are an object, not ${describe(options)}.`)
  const { intro, ...header } = options
  if (intro !== undefined && typeof intro !== 'string')
    throw invalid('intro', `The intro is a text, not ${describe(intro)}.`)
  if (nodes.length === 0) {
    throw new PactError('E_CONFLICT', 'The plan names no nodes, so there is nothing to compact.', { reason: 'empty' })
  }
  checkStill(parts, nodes, stays)
  return { op: 'compact', nodes, content: summaryContent(text, intro), header }
}

function checkPlan(plan: unknown): Readonly<{ nodes: readonly NodeToCompact[]; stays: ReadonlySet<string> }> {
  const { nodes, stays = [] }: Partial<CompactionPlan> = isRecord(plan) ? plan : {}
  if (Array.isArray(nodes) && Array.isArray(stays) && stays.every((each) => isRecord(each))) {
    return { nodes, stays: new Set((stays as unknown as CompactionPlan['stays']).map(({ id }) => id)) }
  }
  throw invalid('plan', `A plan is what planCompaction gave, not ${describe(plan)}.`)
}

/** Refuses a plan if a hold was taken or something came between its nodes since; the edit checks the nodes themselves. */
function checkStill({ open, holds }: Parts, nodes: readonly NodeToCompact[], stays: ReadonlySet<string>): void {
  const { draft } = open
  const going = new Set(nodes.map(({ id }) => id))
  const records = nodes.flatMap(({ id }) => draft.find(id) ?? [])
  const held = records.find((record) => record.names.some((id) => holds.has(id) && draft.meant(id) === record))
  if (held !== undefined) throw stale(held.id, 'held', 'is held')
  const steps = new CompactionRange(draft).steps.map(({ core, context }) => [...core, ...context].map(recordOf))
  const last = steps.findLastIndex((step) => step.some(({ id }) => going.has(id)))
  const more = steps
    .slice(0, last + 1)
    .flat()
    .find(({ id }) => !going.has(id) && !stays.has(id))
  if (more !== undefined) throw stale(more.id, 'more', 'came into the steps that are to be compacted')
}
