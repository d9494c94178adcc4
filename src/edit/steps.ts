// The steps of a conversation, from the tree alone: a message of the user, or a reply of the model with its calls and their results. Also the
// nodes that no compaction may take (D63).

import { compactedOf, type NodeRecord } from '../core/index.js'
import { CUT, STOP } from '../codec/index.js'
import {
  CallGroups,
  childrenOf,
  coreOf,
  recordOf,
  taskOf,
  walkRecords,
  type Branch,
  type Draft,
  type TreeNode,
} from '../timeline/index.js'

/** The nodes of a step that are directly in a core, and the context blocks that are sent with it. */
export type Step = Readonly<{ core: TreeNode[]; context: TreeNode[]; isReply: boolean }>

/** All steps of history and of the open turn, oldest first. */
export function stepsOf(draft: Draft): readonly Step[] {
  const steps: Step[] = []
  for (const segment of draft.region('^seq').children) addSteps(segment as Branch, steps)
  addSteps(draft.region('^ah'), steps)
  return steps
}

function addSteps(turn: Branch, steps: Step[]): void {
  const core = coreNodes(turn)
  const stepOf = new Map<TreeNode, Step>()
  let last: Speaker | undefined
  for (const node of core) {
    const speaker = speakerOf(node)
    const isNext = speaker === 'user' || (speaker === 'model' && last !== 'model') || steps.length === 0
    if (isNext) steps.push({ core: [], context: [], isReply: speaker === 'model' })
    const step = steps.at(-1)!
    step.core.push(node)
    stepOf.set(node, step)
    last = speaker
  }
  for (const node of turn.children) {
    if (recordOf(node).offset === 0) continue
    const behind = sentBehind(core, recordOf(node))
    if (steps.length === 0) steps.push({ core: [], context: [], isReply: false })
    ;((behind && stepOf.get(behind)) ?? steps.at(-1)!).context.push(node)
  }
}

/** The nodes at offset 0, in the core of the turn or without one. */
function coreNodes(turn: Branch): readonly TreeNode[] {
  const core = coreOf(turn)
  const bare = turn.children.toArray().filter((node) => node !== core && recordOf(node).offset === 0)
  return core === undefined ? bare : [...core.children, ...bare]
}

/** The core node that a context block is sent after: in the opening of a turn the first one, later the last one made before it (D57). */
function sentBehind(core: readonly TreeNode[], block: NodeRecord): TreeNode | undefined {
  const isOpening = !core.some((node) => speakerOf(node) === 'model' && isOlder(recordOf(node), block))
  return isOpening ? core[0] : core.findLast((node) => isOlder(recordOf(node), block))
}

function isOlder(a: NodeRecord, b: NodeRecord): boolean {
  if (a.createdAtNs !== b.createdAtNs) return a.createdAtNs < b.createdAtNs
  return a.creationIndex < b.creationIndex
}

type Speaker = 'user' | 'model' | 'other'

/** A message with a result in it answers a call, whatever its role. */
function speakerOf(node: TreeNode): Speaker {
  const records = [...walkRecords(node)]
  if (records.some(({ kind }) => kind === 'result')) return 'other'
  const role = records.find((each) => each.role !== undefined)?.role ?? 'user'
  return role === 'assistant' ? 'model' : role === 'user' ? 'user' : 'other'
}

/** Why a node stays: one of the newest steps, a mark on it, its meaning for the turn, or another node that it belongs to. */
export type StayReason = 'newest' | 'pinned' | 'key' | 'held' | 'task' | 'open-call' | 'group'

/** The nodes that stay by themselves, and the groups that stay together. */
export class CompactionRange {
  readonly steps: readonly Step[]
  readonly #groups: CallGroups
  readonly #task: string | undefined
  readonly #open: ReadonlySet<string>

  constructor(draft: Draft) {
    this.steps = stepsOf(draft)
    this.#groups = new CallGroups(draft)
    this.#task = taskOf(draft.tree)?.id
    this.#open = this.#openCalls()
  }

  /** Why a node is in no range, whatever is kept. */
  reasonFor({ id, rare }: NodeRecord): StayReason | undefined {
    if (id === this.#task) return 'task'
    if (rare?.pinned === true) return 'pinned'
    if (rare?.key !== undefined) return 'key'
    return this.#open.has(id) ? 'open-call' : undefined
  }

  /** A call, its results and the thoughts before it; the node alone if it belongs to none. */
  groupOf(record: NodeRecord): readonly NodeRecord[] {
    return this.#groups.of(record).members
  }

  /** The calls of the newest reply that have no result. Once the model has gone on, an older call is open no more. */
  #openCalls(): ReadonlySet<string> {
    const reply = this.steps.findLast(({ isReply }) => isReply)
    const calls = (reply?.core ?? []).flatMap((node) => [...walkRecords(node)].filter(isWhole))
    const open = calls.filter((call) => !this.groupOf(call).some(({ kind }) => kind === 'result'))
    return new Set(open.map(({ id }) => id))
  }
}

function isWhole({ kind, rare }: NodeRecord): boolean {
  return kind === 'call' && rare?.attributes?.get(STOP) !== CUT
}

/** True for a node that a compaction has made. */
export function isSummary(node: TreeNode): boolean {
  return childrenOf(node).size === 0 && compactedOf(recordOf(node)) !== undefined
}
