// Whether a store holds what was written: every row of every chain with its bodies, every commit played again into a tree that
// keeps the rules, every fork where its parent still has what it shares, every attempt and every answer. What is made from rows is
// compared with what they give, and may be made again; rows themselves are never mended.

import { PactError } from '../errors/index.js'
import { decodeAttempt } from '../codec/index.js'
import { ContextEdits, importSnapshot, joinParts, restoredStart, type WrittenRecord } from '../context/index.js'
import type { Checkpoint } from '../core/index.js'
import { idsOf } from './answer.js'
import { linksOf, NOT_SHARED, recordOf, stretchesOf } from './past.js'
import type { ContextRow, Rows } from './rows.js'

export type Problem = Readonly<{
  /** The context; undefined for the database as a whole. */
  id: string | undefined
  cycle: number | undefined
  /** 'damage' is in what was written, and can only be restored; 'derived' can be made again. */
  kind: 'damage' | 'derived'
  message: string
}>

export type FsckReport = Readonly<{
  ok: boolean
  contexts: number
  /** How many rows were read and checked. */
  rows: number
  problems: readonly Problem[]
  /** Whether what is derived was made again. */
  repaired: boolean
}>

export type FsckOptions = Readonly<{
  /** Makes derived data again where something is wrong with it. */
  repair?: boolean | undefined
  /** Told now and then how far it is. */
  onProgress?: ((progress: FsckProgress) => void) | undefined
}>

export type FsckProgress = Readonly<{ id: string; cycle: number; head: number }>

/** How often progress is told, in rows. */
const TELL = 1000
/** How many problems of one context are listed before its look-over ends. */
const ENOUGH = 20

/** Looks over some contexts of a database, and at the database itself. */
export async function fsck(
  rows: Rows,
  contexts: AsyncIterable<ContextRow> | Iterable<ContextRow>,
  options: FsckOptions,
): Promise<FsckReport> {
  const problems: Problem[] = (await rows.check()).map((message) => ({
    id: undefined,
    cycle: undefined,
    kind: 'damage',
    message,
  }))
  let count = 0
  let read = 0
  for await (const context of contexts) {
    count++
    const look = new Look(rows, context, options)
    await look.run()
    problems.push(...look.problems)
    read += look.rows
  }
  const frozen = problems.map((problem) => Object.freeze(problem))
  const report = { ok: problems.length === 0, contexts: count, rows: read, problems: Object.freeze(frozen), repaired: false }
  return Object.freeze(report)
}

class Look {
  readonly problems: Problem[] = []
  rows = 0
  readonly #rows: Rows
  readonly #context: ContextRow
  readonly #options: FsckOptions

  constructor(rows: Rows, context: ContextRow, options: FsckOptions) {
    this.#rows = rows
    this.#context = context
    this.#options = options
  }

  async run(): Promise<void> {
    await this.#part(() => this.#past())
    await this.#part(() => this.#attempts())
    await this.#part(() => this.#answers())
  }

  /** The whole past, played again. */
  async #past(): Promise<void> {
    const { parent, id } = this.#context
    const stretches = await stretchesOf(this.#rows, this.#context)
    if (parent !== undefined && parent.cycle !== NOT_SHARED) {
      const from = stretches.at(-2)!.context
      if (from.head < parent.cycle) this.#note(`It leaves its parent ${from.id} after cycle ${parent.cycle}, which that does not have.`, parent.cycle)
      if (from.family !== this.#context.family) this.#note(`It is of another family than its parent ${from.id}.`)
    }
    const records: WrittenRecord[] = []
    for await (const link of linksOf(this.#rows, stretches)) {
      records.push(recordOf(link))
      this.rows++
      if (this.rows % TELL === 0) this.#options.onProgress?.({ id, cycle: link.row.cycle, head: this.#context.head })
    }
    const [first, ...later] = records
    const checkpoint = (first as (before: () => undefined) => Checkpoint)(() => undefined)
    const parts = joinParts(restoredStart(checkpoint, later, { id, history: 2 }))
    if (parts.timeline.newest !== undefined) {
      // Importing what it exports asks all that can be asked of a tree.
      const ctx = new Played(parts)
      ContextEdits.partsOf(importSnapshot(ctx.export('@t0'), { dialect: ctx.dialect }))
    }
  }

  async #attempts(): Promise<void> {
    for (const { id, body } of await this.#rows.attempts(this.#context.ctx, Number.MAX_SAFE_INTEGER)) {
      const { attempt_id: name } = decodeAttempt(body)
      if (name !== id) this.#note(`The attempt ${id} calls itself ${name}.`)
    }
  }

  async #answers(): Promise<void> {
    for (const answer of await this.#rows.answers(this.#context.ctx)) {
      idsOf(answer)
      if (answer.cycle > this.#context.head) this.#note(`The key ${answer.key} belongs to a cycle that is not there.`, answer.cycle)
    }
  }

  async #part(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // What cannot be read is another thing than what is damaged.
      if (PactError.is(error) && error.code === 'E_STORE' && error.details['reason'] !== 'damaged') throw error
      const cycle = PactError.is(error) ? error.details['cycle'] : undefined
      this.#note(error instanceof Error ? error.message : String(error), typeof cycle === 'number' ? cycle : undefined)
    }
  }

  #note(message: string, cycle?: number, kind: Problem['kind'] = 'damage'): void {
    if (this.problems.length < ENOUGH) this.problems.push({ id: this.#context.id, cycle, kind, message })
  }
}

/** A context to read. */
class Played extends ContextEdits<'diff'> {}
