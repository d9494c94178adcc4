// The edits of `Context`, collected as data until they are committed. The server checks them with the next read or the commit.

import type {
  AddHeader,
  Changes,
  DeleteOptions,
  Header,
  InsertSpec,
  Operation,
  Position,
  RedactData,
  Replacement,
  RoleHeader,
  SummaryHeader,
} from '../edit/index.js'
import type { ContentInput } from '../core/index.js'
import { summaryContent, type Answer } from '../api/index.js'

/** The header of a summary, and the line before its text; '' for none. */
type CompactOptions = SummaryHeader & Readonly<{ intro?: string | undefined }>

type KeyHeader = Omit<AddHeader, 'key'>

/** The edits that `^sys` has as well. */
class Edits {
  protected readonly note: (operation: Operation) => void
  readonly #where: Readonly<{ region?: 'system' }>

  constructor(note: (operation: Operation) => void, where: Readonly<{ region?: 'system' }>) {
    this.note = note
    this.#where = where
  }

  add(content: ContentInput | undefined, header?: AddHeader): void {
    this.note({ op: 'add', content, header, ...this.#where })
  }

  put(key: string, content: ContentInput | undefined, header?: KeyHeader): void {
    this.note({ op: 'put', key, content, header, ...this.#where })
  }

  set(key: string, content: ContentInput | undefined, header?: KeyHeader): void {
    this.note({ op: 'set', key, content, header, ...this.#where })
  }

  insert(spec: InsertSpec, position: Position): void {
    this.note({ op: 'insert', spec, position, ...this.#where })
  }

  replace(selector: string, spec: Replacement): void {
    this.note({ op: 'replace', selector, spec, ...this.#where })
  }

  move(selector: string, position: Position): void {
    this.note({ op: 'move', selector, position, ...this.#where })
  }

  delete(selector: string, options?: DeleteOptions): void {
    this.note({ op: 'delete', selector, options, ...this.#where })
  }

  update(selector: string, changes: Changes): void {
    this.note({ op: 'update', selector, changes, ...this.#where })
  }

  redact(selector: string, options: RedactData): void {
    this.note({ op: 'redact', selector, options, ...this.#where })
  }
}

export abstract class RemoteEdits extends Edits {
  readonly #operations: Operation[]
  /** Writes into `^sys`. */
  readonly system: Edits

  constructor() {
    const operations: Operation[] = []
    const note = (operation: Operation): void => {
      operations.push(operation)
    }
    super(note, {})
    this.#operations = operations
    this.system = new Edits(note, { region: 'system' })
  }

  user(content: ContentInput, header?: RoleHeader): void {
    this.note({ op: 'user', content, header })
  }

  assistant(content: ContentInput, header?: RoleHeader): void {
    this.note({ op: 'assistant', content, header })
  }

  tool(content: ContentInput, header?: RoleHeader): void {
    this.note({ op: 'tool', content, header })
  }

  pre(content: ContentInput, header?: Header): void {
    this.note({ op: 'pre', content, header })
  }

  post(content: ContentInput, header?: Header): void {
    this.note({ op: 'post', content, header })
  }

  /** Puts the content of a shed result back. */
  unshed(id: string): void {
    this.note({ op: 'unshed', id })
  }

  /** Puts one summary in the place of the nodes of a plan. */
  compact(plan: Pick<Answer<'compaction'>, 'nodes'>, text: string, options: CompactOptions = {}): void {
    const { intro, ...header } = options
    this.note({ op: 'compact', nodes: plan.nodes, content: summaryContent(text, intro), header })
  }

  /** Puts the nodes that a summary stands for back in their places. */
  expand(summaryId: string): void {
    this.note({ op: 'expand', id: summaryId })
  }

  /** Adds edits that are data already. */
  apply(operations: readonly Operation[]): void {
    for (const operation of operations) this.note(operation)
  }

  /** The edits so far, oldest first. */
  operations(): readonly Operation[] {
    return [...this.#operations]
  }

  /** Takes back the last edit; false if there is none. */
  undo(): boolean {
    return this.#operations.pop() !== undefined
  }

  /** Takes back all edits. */
  protected clear(): void {
    this.#operations.length = 0
  }
}
