// The calls that change the open cycle. Each call becomes an edit, which is applied whole or not at all.

import { describe, invalid, PactError, passing, short, showCallers } from '../errors/index.js'
import type { ContentInput, Node, ShedNode } from '../core/index.js'
import { Frame, nodeView, type TreeNode } from '../timeline/index.js'
import type {
  AddHeader,
  Changes,
  DeleteOptions,
  Edit,
  Header,
  InsertSpec,
  Operation,
  Position,
  RedactOptions,
  Replacement,
  RoleHeader,
} from '../edit/index.js'
import type { CommitListener } from './commit-listeners.js'
import { compaction, planCompaction, type CompactionPlan, type CompactOptions, type PlanOptions } from './compaction.js'
import { eachOf, type Editor } from './editor.js'
import type { Hold } from './hold.js'
import type { AttemptInput, RequestBody, RequestInput } from '../attempts/index.js'
import type { RendersRequests, ReplyTo } from '../thread/index.js'
import type { Attempt, Parts } from './parts.js'
import { ContextReads } from './reads.js'
import { readersOf, receive, type Received, type ReceivedCall, type ReceiveOptions } from './receive.js'
import type { RangeResults } from './select-result.js'
import { checkId } from './snapshot.js'
import { resultHeader, type ResultOptions } from './turn.js'
import { checkSaid, oddRole, type SayingEdit } from './said.js'
import { systemRegion, type SystemRegion } from './system-region.js'
import { trim } from './trim.js'

/** A context of any kind: one in memory, or one that is kept elsewhere and commits in its own way. */
export type AnyContext = ContextEdits<RangeResults> | ContextEdits<'diff'> | ContextEdits<'list'>

/** The calls that every kind of context shares. Only the calls that make snapshots are missing. */
export abstract class ContextEdits<Ranges extends RangeResults> extends ContextReads<Ranges> {
  #system: SystemRegion | undefined

  static {
    showCallers(this.prototype)
  }

  /** @internal The editor of a context; undefined if `ctx` is not one. */
  static editorOf(ctx: unknown): Editor | undefined {
    return ContextEdits.isContext(ctx) ? ContextEdits.partsOf(ctx).editor : undefined
  }

  get #parts(): Parts {
    return ContextEdits.partsOf(this)
  }

  /** The calls that write into `^sys`. */
  get system(): SystemRegion {
    return (this.#system ??= systemRegion({
      one: (edit) => this.#one(edit),
      all: (edit) => this.#all(edit),
    }))
  }

  /** Adds a block with role `user` to the core of the active head; gives the new node, as the next calls do. */
  user(content: ContentInput, header?: RoleHeader): Node {
    return this.#said({ op: 'user', content, header })
  }

  /** Adds a block with role `assistant` to the core of the active head. */
  assistant(content: ContentInput, header?: RoleHeader): Node {
    return this.#said({ op: 'assistant', content, header })
  }

  /** Adds a block with role `tool` to the core of the active head. */
  tool(content: ContentInput, header?: RoleHeader): Node {
    return this.#said({ op: 'tool', content, header })
  }

  /**
   * Adds the result of a call to the core of the active head, for a call that `receive` or `openCalls` gave, or its id. Refuses a call that is
   * not in the context or has its result. A tool that gives nothing has the result `''`.
   *
   * @example
   * ```ts
   * import { createContext } from 'pact-context'
   * import { toAnthropic } from 'pact-context/anthropic'
   *
   * const ctx = createContext()
   * ctx.user('Read the log.')
   * ctx.assistant({ name: 'read', arguments: { path: '/log' } }, { kind: 'call', data_call_id: 'c1' })
   * for (const call of ctx.openCalls()) ctx.result(call, 'No such file.', { error: true })
   * toAnthropic(ctx).messages.at(-1)?.content
   * // → [{ type: 'tool_result', tool_use_id: 'c1', content: 'No such file.', is_error: true }]
   * ```
   */
  result(call: ReceivedCall | string, content: ContentInput | undefined, options: ResultOptions = {}): Node {
    const header = resultHeader(this.#parts.open.draft.tree, call, options)
    return this.#one({ op: 'tool', content: content ?? '', header })
  }

  /** Adds pre-context: before the core of the active head. */
  pre(content: ContentInput, header?: Header): Node {
    return this.#said({ op: 'pre', content, header })
  }

  /** Adds post-context: after the core of the active head. */
  post(content: ContentInput, header?: Header): Node {
    return this.#said({ op: 'post', content, header })
  }

  /** Adds any node to the active head; a container needs no content. */
  add(content: ContentInput | undefined, header?: AddHeader): Node {
    return this.#said({ op: 'add', content, header })
  }

  /** Replaces the key's instance in the active head, or adds one; `zone` and `offset` say where a first one goes. */
  put(key: string, content: ContentInput | undefined, header?: Omit<AddHeader, 'key'>): Node {
    return this.#one({ op: 'put', key, content, header })
  }

  /**
   * Keeps one live instance of the key, in the active head: every other one leaves for it. For plans and memories.
   *
   * @example
   * ```ts
   * import { createContext } from 'pact-context'
   *
   * const ctx = createContext()
   * ctx.set('plan', 'Book the train.')
   * ctx.commit()
   * ctx.set('plan', 'Book the hotel.')
   * ctx.nodes('#plan').map((node) => node.content) // → ['Book the hotel.']
   * ```
   */
  set(key: string, content: ContentInput | undefined, header?: Omit<AddHeader, 'key'>): Node {
    return this.#one({ op: 'set', key, content, header })
  }

  /** Makes a node at a position: `'(d2, end)'`, `'(d0, 0, +1)'`, `{ depth: k }`, `{ parent }`. */
  insert(spec: InsertSpec, position: Position): Node {
    return this.#one({ op: 'insert', spec, position })
  }

  /** Changes nodes of the open cycle in place, and supersedes nodes of history. Gives the nodes that are now in their place. */
  replace(selector: string, spec: Replacement): readonly Node[] {
    return this.#all({ op: 'replace', selector, spec })
  }

  /** Moves nodes to a position, with their ids and everything in them. Gives the moved nodes. */
  move(selector: string, position: Position): readonly Node[] {
    return this.#all({ op: 'move', selector, position })
  }

  /** Drops nodes of the open cycle, and replaces nodes of history by deletion markers. Gives the markers. */
  delete(selector: string, options?: DeleteOptions): readonly Node[] {
    return this.#all({ op: 'delete', selector, options })
  }

  /** Changes headers such as `ttl`, `priority`, `pinned` and `tags`, at any depth. Gives the nodes that the selector matches. */
  update(selector: string, changes: Changes): readonly Node[] {
    return this.#all({ op: 'update', selector, changes })
  }

  /** Removes a text from nodes and keeps the nodes. Gives the nodes that had it. The text itself is not kept or reported anywhere. */
  redact(selector: string, options: RedactOptions): readonly Node[] {
    return this.#all({ op: 'redact', selector, options })
  }

  /**
   * Sheds what the token limit of the context asks for, as `prune.results` says: old tool results get a line in place of their content.
   * `startAttempt` does it too, before a request is made. It is one edit, so `undo` takes it back.
   *
   * Returns the shed results, the oldest first; none within the limit, or without `prune.results`.
   */
  trim(): readonly ShedNode[] {
    return trim(this.#parts)
  }

  /**
   * Puts the content of a shed result back. The id is that of the original, which the line names, or of the node with the line. In history
   * a new node takes its place, as with `replace`. Returns the node.
   *
   * While a limit is passed, the next commit or request may shed it again; `pinned: true` or `prune.results.except` keeps it whole.
   */
  unshed(id: string): Node {
    return this.#one({ op: 'unshed', id })
  }

  /**
   * The nodes that a summary would take the place of: everything but the newest `keep` steps, pinned and keyed nodes, held nodes, open calls and
   * the task. Nothing changes. `plan.prompt` asks the model for the summary.
   *
   * @example
   * ```ts
   * import { createContext } from 'pact-context'
   *
   * const ctx = createContext()
   * ctx.user('Find the bug.')
   * for (const n of [1, 2, 3]) ctx.assistant(`Step ${n}.`, { kind: 'call', data_call_id: `c${n}` })
   * for (const n of [1, 2, 3]) ctx.tool(`Result ${n}.`, { kind: 'result', data_call_id: `c${n}` })
   * ctx.assistant('Still looking.')
   * const plan = ctx.planCompaction({ keep: 1 })
   * plan.nodes.length // → 6
   * plan.stays.map(({ why }) => why) // → ['task', 'newest']
   * ```
   */
  planCompaction(options?: PlanOptions): CompactionPlan {
    return planCompaction(this.#parts, options)
  }

  /**
   * Puts one summary in the place of the nodes of a plan: one edit, so `undo` takes it back. The summary (`kind: 'summary'`) names every node that
   * it stands for. Snapshots keep theirs, and nodes of the open cycle travel with the summary, so that `expand` and `recall` find them all.
   *
   * Refuses a plan that the tree has left behind with an E_CONFLICT and changes nothing; what was added after its nodes is fine. Returns the summary.
   */
  compact(plan: CompactionPlan, text: string, options?: CompactOptions): Node {
    return this.#one(compaction(this.#parts, plan, text, options))
  }

  /**
   * Puts the nodes that a summary stands for back in their places, each checked by its content hash, and takes the summary out. One edit. Returns
   * the nodes. An error says if one of them was erased, or is in a snapshot that is not loaded or not kept; then nothing changes.
   */
  expand(summaryId: string): readonly Node[] {
    return this.#all({ op: 'expand', id: checkId(summaryId) })
  }

  /**
   * Takes back the last edit of the open cycle, or the last batch; repeat it to go back to the last commit. Gives false if there
   * is nothing to take back.
   */
  undo(): boolean {
    return this.#parts.open.undo()
  }

  /**
   * Makes several edits one step: all of them or, if the function throws, none; `undo` takes them back together. Gives the result
   * of the function, and passes through what it throws. The function must be done when it returns, and cannot commit. A batch
   * inside another is part of it.
   */
  batch<T>(fn: () => T): T {
    const run = synchronous('batch', fn)
    return this.#parts.open.batch(run)
  }

  /**
   * Runs edits and reads, gives what the function returns, and takes the edits back: the context is then as before, and no id or time is
   * spent. What the function throws passes through as it is. The function must be done when it returns, and cannot commit; a rehearsal may
   * contain batches and other rehearsals.
   *
   * @example
   * ```ts
   * import { createContext } from 'pact-context'
   *
   * const ctx = createContext()
   * ctx.user('Two nights in Turin.')
   * const longer = ctx.rehearse(() => {
   *   ctx.user('And three in Genoa.')
   *   return ctx.preview().thread().length
   * })
   * longer // → 2
   * ctx.thread().length // → 1
   * ```
   */
  rehearse<T>(fn: () => T): T {
    const run = synchronous('rehearse', fn)
    return this.#parts.open.rehearse(run)
  }

  /**
   * The edits of the open cycle as data, oldest first; `undo` takes the last one back, `commit` begins a new list. Each is
   * an operation that applyOperations and replayOperations take.
   */
  operations(): readonly Operation[] {
    return this.#parts.open.operations()
  }

  /** Keeps a node from expiry and pruning until the handle is released. */
  hold(id: string): Hold {
    const { open, holds } = this.#parts
    if (open.draft.find(checkId(id)) === undefined) {
      throw new PactError('E_NODE_NOT_FOUND', `There is no node ${short(id)} to hold in the working state.`, { id })
    }
    return holds.take(id)
  }

  /**
   * Records that a request goes to a provider. With `for`, `attempt.body` is the request: `params` and the rendering of the context in one,
   * and `attempt.receive(reply)` takes the reply in. No tree, snapshot or byte of the context changes.
   *
   * @example
   * ```ts
   * import { createContext } from 'pact-context'
   * import { toAnthropic } from 'pact-context/anthropic'
   *
   * const ctx = createContext()
   * ctx.user('Hello.')
   * const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude-sonnet-5-5', max_tokens: 1024 } })
   * attempt.body
   * // → { max_tokens: 1024, model: 'claude-sonnet-5-5', messages: [{ role: 'user', content: 'Hello.' }] }
   * ```
   */
  startAttempt<To extends RendersRequests, Params extends object>(
    input: RequestInput<To, Params>,
  ): Attempt<RequestBody<To, Params>, ReplyTo<To>>
  startAttempt(input: AttemptInput): Attempt
  startAttempt(input: AttemptInput | RequestInput<RendersRequests, object>): Attempt {
    const { attempts, open, options, gate } = this.#parts
    const start = (): Attempt => attempts.start(input, readersOf(this, input))
    // An attempt that is refused after results were shed for it takes that back.
    return options.prune?.results === undefined || gate.isShut ? start() : open.batch(start, false)
  }

  /** Takes a model's reply into the open turn, whole or not at all, and gives the calls that it asks for. */
  receive(reply: unknown, options: ReceiveOptions): Received {
    return receive(this, reply, options)
  }

  /**
   * Calls a function after each commit with the snapshot that it made; gives a function that ends it. A listener cannot
   * write to this context, and one that throws is a warning. Forks have listeners of their own.
   */
  onCommit(listener: CommitListener): () => void {
    return this.#parts.listeners.add(listener)
  }

  /** An edit whose content comes first; warns of a role that providers do not have. */
  #said(edit: SayingEdit): Node {
    checkSaid(edit)
    const node = this.#one(edit)
    const odd = oddRole(edit)
    if (odd !== undefined) this.#parts.warnings.once(odd.message, odd.message, odd.details)
    return node
  }

  #one(edit: Edit): Node {
    const { touched } = this.#parts.editor.apply(edit)
    return nodeView(this.#frame(), touched as TreeNode)
  }

  #all(edit: Edit): readonly Node[] {
    const { touched } = this.#parts.editor.apply(edit)
    const frame = this.#frame()
    return Object.freeze(eachOf(touched).map((node) => nodeView(frame, node)))
  }

  #frame(): Frame {
    const { draft } = this.#parts.open
    return new Frame(draft.tree, draft.cycle, true)
  }
}

/** Wraps the caller's function: refuses a value that is not a function, refuses a promise as result, and passes through what it throws. */
function synchronous<T>(call: 'batch' | 'rehearse', fn: () => T): () => T {
  if (typeof fn !== 'function') {
    throw invalid('fn', `${call} takes a function, not ${describe(fn)}.`)
  }
  return () => {
    const result = passing(fn)
    if (!isPromise(result)) return result
    // Without a handler, a promise that rejects, as that of a commit in it does, would end the process.
    if (result instanceof Promise) result.catch(() => undefined)
    const message = `${call} takes a function that is done when it returns; this one gave a promise. Await first, then edit.`
    throw invalid('fn', message)
  }
}

function isPromise(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return 'then' in value && typeof value.then === 'function'
}
