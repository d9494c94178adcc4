// The calls that change the open cycle: each makes an edit of what it is told and applies it, whole or not at all.

import { describe, passing, PactError, short, showCallers } from '../errors/index.js'
import type { ContentInput, Node } from '../core/index.js'
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
import { eachOf, type Editor } from './editor.js'
import type { Hold } from './hold.js'
import type { Parts } from './parts.js'
import { ContextReads } from './reads.js'
import { receive, type Received, type ReceiveOptions } from './receive.js'
import type { RangeResults } from './select-result.js'
import { checkId } from './snapshot.js'
import { systemRegion, type SystemRegion } from './system-region.js'

/** A context of any kind: one in memory, or one that is kept elsewhere and commits in its own way. */
export type AnyContext = ContextEdits<RangeResults> | ContextEdits<'diff'> | ContextEdits<'list'>

/** What every kind of context shares: all but what makes snapshots. */
export abstract class ContextEdits<Ranges extends RangeResults> extends ContextReads<Ranges> {
  #parts: Parts
  #editor: Editor
  #system: SystemRegion | undefined

  /** @internal */
  constructor(parts: Parts) {
    super(parts)
    this.#parts = parts
    this.#editor = parts.editor
  }

  static {
    showCallers(this.prototype)
  }

  /** @internal What applies edits to this context; undefined for what is none. */
  static editorOf(ctx: unknown): Editor | undefined {
    return typeof ctx === 'object' && ctx !== null && #editor in ctx ? ctx.#editor : undefined
  }

  /** @internal Goes on with other parts, as one call. */
  static override goOn(ctx: ContextEdits<RangeResults>, parts: Parts): void {
    super.goOn(ctx, parts)
    ctx.#parts = parts
    ctx.#editor = parts.editor
  }

  /** Writes into `^sys`. */
  get system(): SystemRegion {
    return (this.#system ??= systemRegion({
      one: (edit) => this.#one(edit),
      all: (edit) => this.#all(edit),
    }))
  }

  /** Adds a block with role `user` to the core of the active head. */
  user(content: ContentInput, header?: RoleHeader): Node {
    return this.#one({ op: 'user', content, header })
  }

  /** Adds a block with role `assistant` to the core of the active head. */
  assistant(content: ContentInput, header?: RoleHeader): Node {
    return this.#one({ op: 'assistant', content, header })
  }

  /** Adds a block with role `tool` to the core of the active head. */
  tool(content: ContentInput, header?: RoleHeader): Node {
    return this.#one({ op: 'tool', content, header })
  }

  /** Adds pre-context: before the core of the active head. */
  pre(content: ContentInput, header?: Header): Node {
    return this.#one({ op: 'pre', content, header })
  }

  /** Adds post-context: after the core of the active head. */
  post(content: ContentInput, header?: Header): Node {
    return this.#one({ op: 'post', content, header })
  }

  /** Adds any node to the active head; a container needs no content. */
  add(content: ContentInput | undefined, header?: AddHeader): Node {
    return this.#one({ op: 'add', content, header })
  }

  /** Replaces the key's instance in the active head, or adds one; `zone` and `offset` say where a first one goes. */
  put(key: string, content: ContentInput | undefined, header?: Omit<AddHeader, 'key'>): Node {
    return this.#one({ op: 'put', key, content, header })
  }

  /** Keeps one live instance of the key, in the active head: every other one leaves for it. For plans and memories. */
  set(key: string, content: ContentInput | undefined, header?: Omit<AddHeader, 'key'>): Node {
    return this.#one({ op: 'set', key, content, header })
  }

  /** Makes a node at a position: `'(d2, end)'`, `'(d0, 0, +1)'`, `{ depth: k }`, `{ parent }`. */
  insert(spec: InsertSpec, position: Position): Node {
    return this.#one({ op: 'insert', spec, position })
  }

  /** Changes nodes of the open cycle in place, and supersedes those of history; gives what stands there now. */
  replace(selector: string, spec: Replacement): readonly Node[] {
    return this.#all({ op: 'replace', selector, spec })
  }

  /** Puts nodes elsewhere, with their ids and all that they hold. */
  move(selector: string, position: Position): readonly Node[] {
    return this.#all({ op: 'move', selector, position })
  }

  /** Drops nodes of the open cycle, and puts markers in the place of history's. */
  delete(selector: string, options?: DeleteOptions): readonly Node[] {
    return this.#all({ op: 'delete', selector, options })
  }

  /** Changes headers that may change while a node lives, at any depth; gives the nodes that the selector matches. */
  update(selector: string, changes: Changes): readonly Node[] {
    return this.#all({ op: 'update', selector, changes })
  }

  /**
   * Takes a text out of nodes instead of the nodes out of the tree; gives the nodes that had it. Nothing keeps or tells
   * what was searched for.
   */
  redact(selector: string, options: RedactOptions): readonly Node[] {
    return this.#all({ op: 'redact', selector, options })
  }

  /**
   * Takes back the last edit of the open cycle, or the last batch, any number of them back to the last commit; false where
   * there is none.
   */
  undo(): boolean {
    return this.#parts.open.undo()
  }

  /**
   * Makes several edits one: all of them or, where the function throws, none; `undo` takes them back together. What the
   * function throws passes through as it is. It must be done when it returns, and cannot commit; a batch inside another is
   * part of it.
   */
  batch<T>(fn: () => T): T {
    if (typeof fn !== 'function') {
      throw new PactError('E_CONTENT_INVALID', `batch takes a function, not ${describe(fn)}.`, { name: 'fn' })
    }
    return this.#parts.open.batch(() => {
      const result = passing(fn)
      if (!isPromise(result)) return result
      // Nobody else holds it: what it fails with, as a commit in it does, would end the process.
      if (result instanceof Promise) result.catch(() => undefined)
      const message =
        'batch takes a function that is done when it returns; this one gave a promise. Await first, then edit.'
      throw new PactError('E_CONTENT_INVALID', message, { name: 'fn' })
    })
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

  #one(edit: Edit): Node {
    const { touched } = this.#editor.apply(edit)
    return nodeView(this.#frame(), touched as TreeNode)
  }

  #all(edit: Edit): readonly Node[] {
    const { touched } = this.#editor.apply(edit)
    const frame = this.#frame()
    return Object.freeze(eachOf(touched).map((node) => nodeView(frame, node)))
  }

  #frame(): Frame {
    const { draft } = this.#editor.open
    return new Frame(draft.tree, draft.cycle, true)
  }
}

function isPromise(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return 'then' in value && typeof value.then === 'function'
}
