// Whether a store holds what was written: every row of every chain with its bodies, every commit played again into a tree that
// keeps the rules, every fork where its parent still has what it shares, every attempt and every answer. What is made from rows is
// compared with what they give, and may be made again; rows themselves are never mended.

import { PactError } from '../errors/index.js'
import { importSnapshot } from '../context/index.js'
import {
  exportPieces,
  joinPieces,
  PageBook,
  timelineFromPages,
  TreeComparer,
  View,
  type Timeline,
} from '../timeline/index.js'
import { answered } from './answer.js'
import { auditProblems } from './audit.js'
import { checkLong, optionsOf, telling } from './given.js'
import { loadContext } from './loading.js'
import { findManifest, writeManifest } from './manifests.js'
import { linksOf, NOT_SHARED, recordOf, stretchesOf } from './past.js'
import { KEPT, played, readOf } from './playing.js'
import { thinnedIn } from './retained.js'
import type { ContextRow, LostContext, Rows } from './rows.js'
import { Turns } from './turns.js'
import { attemptOf } from './written-attempts.js'

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
  /** Ends it, with the signal's reason; what was made again by then stays so. */
  signal?: AbortSignal | undefined
}>

export type FsckProgress = Readonly<{ id: string; cycle: number; head: number }>

/** How often progress is told, in rows. */
const TELL = 1000
/** How many problems of one context are listed before its look-over ends. */
const ENOUGH = 20

/** A context that can be looked over, or one of which too much is lost for that. */
type Looked = ContextRow | Pick<LostContext, 'id' | 'chain'>

/** Looks over some contexts of a database, and at the database itself. */
export async function fsck(
  rows: Rows,
  contexts: AsyncIterable<Looked> | Iterable<Looked>,
  given: FsckOptions,
): Promise<FsckReport> {
  const options = optionsOf('fsck', '{ repair: true }', given, ['repair', 'onProgress', 'signal'])
  checkLong(options)
  const problems: Problem[] = (await rows.check()).map((message) => ({
    id: undefined,
    cycle: undefined,
    kind: 'damage',
    message,
  }))
  let count = 0
  let read = 0
  let repaired = false
  const turns = new Turns(options.signal)
  for await (const context of contexts) {
    await turns.row()
    count++
    if (context.chain === undefined) {
      const message = 'Its newest rows are lost. Restore it from a backup, or delete it.'
      problems.push({ id: context.id, cycle: undefined, kind: 'damage', message })
      continue
    }
    const look = new Look(rows, context, options, turns)
    await look.run()
    problems.push(...look.problems)
    read += look.rows
    const isDerived = look.problems.length > 0 && look.problems.every(({ kind }) => kind === 'derived')
    if (options.repair !== true || !isDerived) continue
    await rows.dropDerived(context.family)
    const { parts, book } = await loadContext(rows, context, 1, {})
    await writeManifest(rows, context, parts, book)
    repaired = true
  }
  const frozen = problems.map((problem) => Object.freeze(problem))
  return Object.freeze({
    ok: problems.length === 0,
    contexts: count,
    rows: read,
    problems: Object.freeze(frozen),
    repaired,
  })
}

class Look {
  readonly problems: Problem[] = []
  rows = 0
  readonly #rows: Rows
  readonly #context: ContextRow
  readonly #tell: (progress: FsckProgress) => void
  readonly #turns: Turns
  /** What the caller's function threw. */
  #thrown: unknown

  constructor(rows: Rows, context: ContextRow, { onProgress }: FsckOptions, turns: Turns) {
    this.#rows = rows
    this.#context = context
    this.#tell = telling(onProgress)
    this.#turns = turns
  }

  async run(): Promise<void> {
    await this.#part(() => this.#past())
    await this.#part(() => this.#attempts())
    await this.#part(() => this.#answers())
    await this.#part(async () => {
      for (const message of await auditProblems(this.#rows, this.#context)) this.#note(message)
    })
  }

  /** The whole past, played again. */
  async #past(): Promise<void> {
    const { parent, id, head } = this.#context
    const stretches = await stretchesOf(this.#rows, this.#context)
    if (parent !== undefined && parent.cycle !== NOT_SHARED) {
      const from = stretches.at(-2)!.context
      const message = `It leaves its parent ${from.id} after cycle ${parent.cycle}, which that does not have.`
      if (from.head < parent.cycle) this.#note(message, parent.cycle)
      if (from.family !== this.#context.family) this.#note(`It is of another family than its parent ${from.id}.`)
    }
    const thinned = await thinnedIn(this.#rows, this.#context, stretches)
    for (const { to } of stretches) {
      if (thinned.has(to)) this.#note('A snapshot that it needs was thinned out.', to)
    }
    const manifests = new Manifests(this.#rows, this.#context)
    await manifests.list()
    let timeline: Timeline | undefined
    let specVersion = ''
    for await (const link of linksOf(this.#rows, stretches)) {
      const { cycle } = link.row
      const record = readOf(timeline, recordOf(link))
      timeline = played(timeline, record)
      if ('specVersion' in record) specVersion = record.specVersion
      this.rows++
      await this.#turns.row()
      if (this.rows % TELL === 0) this.#told({ id, cycle, head })
      if (link.context !== this.#context || timeline.newest !== cycle) continue
      for (const message of await manifests.problemsAt(cycle, timeline)) this.#note(message, cycle, 'derived')
    }
    for (const cycle of manifests.left)
      this.#note('There is a manifest of a cycle that is not there.', cycle, 'derived')
    checkRules(timeline!, specVersion)
  }

  async #attempts(): Promise<void> {
    for (const row of await this.#rows.attempts(this.#context.ctx, Number.MAX_SAFE_INTEGER)) {
      // Each by itself: one that is damaged must not hide the next.
      await this.#part(async () => {
        const { attempt_id: name } = attemptOf(row)
        if (name !== row.id) this.#note(`The attempt ${row.id} calls itself ${name}.`)
      })
    }
  }

  async #answers(): Promise<void> {
    for (const answer of await this.#rows.answers(this.#context.ctx)) {
      answered(answer)
      if (answer.cycle > this.#context.head)
        this.#note(`The key ${answer.key} belongs to a cycle that is not there.`, answer.cycle)
    }
  }

  #told(progress: FsckProgress): void {
    try {
      this.#tell(progress)
    } catch (error) {
      this.#thrown = error
      throw error
    }
  }

  async #part(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#turns.check()
      // What the caller's own function says is no damage.
      if (error === this.#thrown) throw error
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

/** Importing what a tree exports asks all that can be asked of it. */
function checkRules(timeline: Timeline, specVersion: string): void {
  const { newest } = timeline
  if (newest === undefined) return
  const view = View.ofSnapshot(timeline, newest)
  importSnapshot(joinPieces(exportPieces(view, { specVersion, extras: undefined })))
}

/** The manifests of a context, each compared with the tree that the rows give. */
class Manifests {
  readonly #rows: Rows
  readonly #context: ContextRow
  readonly #cycles = new Set<number>()
  /** What pages share, they share here. */
  readonly #book = new PageBook()
  readonly #comparer = new TreeComparer()

  constructor(rows: Rows, context: ContextRow) {
    this.#rows = rows
    this.#context = context
  }

  async list(): Promise<void> {
    for (const cycle of await this.#rows.manifests(this.#context.ctx)) this.#cycles.add(cycle)
  }

  /** Those that were not asked for. */
  get left(): Iterable<number> {
    return this.#cycles
  }

  async problemsAt(cycle: number, timeline: Timeline): Promise<readonly string[]> {
    if (!this.#cycles.delete(cycle)) return []
    const here = [{ context: this.#context, to: cycle }]
    const found = await findManifest(this.#rows, here, cycle)
    if (found?.known.cycle !== cycle) return ['Its manifest, or a page of it, is missing or damaged.']
    try {
      const paged = timelineFromPages(found.manifest.snapshot!, found.page, this.#book, KEPT).treeAt(cycle)!
      const id = this.#comparer.firstDifference(paged, timeline.treeAt(cycle)!)
      return id === undefined ? [] : [`Its manifest has another ${id} than its rows.`]
    } catch (error) {
      if (!PactError.is(error)) throw error
      return [error.message]
    }
  }
}
