// Rows in PostgreSQL, or in a database that speaks its language: many writers on many machines, each context behind a row of its own.
// Whoever writes to a context holds that row, so a commit is one statement, and nothing is left of a context that goes.

import { randomBytes } from 'node:crypto'

import type {
  Answer,
  AttemptRow,
  AuditRow,
  ContextKey,
  ContextRow,
  Erasure,
  ManifestRow,
  NewCommit,
  NewContext,
  Pack,
  PageRow,
  Row,
  Rows,
} from '../rows.js'
import { sameBytes } from '../same-bytes.js'
import { problemsIn } from './checking.js'
import { Connections, type ConnectionOptions, type Run } from './connections.js'
import type { openPool } from './driver.js'
import { auditOf, vacuum, writeErasure } from './erasing.js'
import { isTaken, ROLLBACK } from './faults.js'
import { forksBelow, isFork } from './forks.js'
import { Hints } from './hints.js'
import {
  answerOf,
  bytesIn,
  bytesOf,
  contextRow,
  keyBytes,
  keyOf,
  numberIn,
  partsOf,
  textOf,
  type Cells,
  type Place,
} from './cells.js'
import { inPieces } from './pieces.js'
import { migrate } from './schema.js'

export type PostgresOptions = ConnectionOptions &
  Readonly<{
    /** Whose contexts these are: a store sees those of its tenant, and of nobody else. */
    tenant?: string | undefined
  }>

/** So many contexts are asked for at once. */
const PAGE = 500
/** How often a look is taken again that was answered half before a change and half after it. */
const LOOKS = 4

export class PostgresRows implements Rows {
  readonly name: string
  readonly #db: Connections
  readonly #tenant: Uint8Array
  readonly #hints: Hints

  private constructor(name: string, url: string, db: Connections, tenant: string) {
    this.name = name
    this.#db = db
    this.#tenant = bytesOf(tenant)
    this.#hints = new Hints(url, db, this.#tenant)
  }

  static async open(
    url: string,
    { tenant = '', ...options }: PostgresOptions = {},
    opened?: typeof openPool,
    tries?: number,
  ): Promise<PostgresRows> {
    const name = nameOf(url)
    const db = new Connections(url, name, options, opened, tries)
    try {
      await migrate(db, name)
    } catch (error) {
      await db.close()
      throw error
    }
    return new PostgresRows(name, url, db, tenant)
  }

  async find(id: string): Promise<ContextRow | undefined> {
    // The context may go, and another one come, between the two looks.
    for (let looks = 0; looks < LOOKS; looks++) {
      const [place] = await this.#db.rows('name', this.#tenant, bytesOf(id))
      if (place === undefined) return undefined
      const [cells] = await this.#db.rows('context', this.#tenant, ...bytesIn(place, 'family', 'context'))
      if (cells !== undefined) return contextRow(cells)
    }
    return undefined
  }

  async byNumber(ctx: ContextKey): Promise<ContextRow | undefined> {
    const [cells] = await this.#db.rows('context', ...this.#key(ctx))
    return cells && contextRow(cells)
  }

  async list(after: string | undefined, limit: number): Promise<readonly ContextRow[]> {
    const found: ContextRow[] = []
    let from = bytesOf(after ?? '')
    while (found.length < limit) {
      const count = Math.min(limit - found.length, PAGE)
      const names = await this.#db.rows('names', this.#tenant, from, count)
      found.push(...(await this.#contexts(names)))
      if (names.length < count) break
      from = names.at(-1)!['id'] as Uint8Array
    }
    return found
  }

  /** Those of some places that are there, in their order. */
  async #contexts(places: readonly Cells[]): Promise<readonly ContextRow[]> {
    if (places.length === 0) return []
    const [families, contexts] = ['family', 'context'].map((name) => places.map((each) => each[name] as Uint8Array))
    const cells = await this.#db.rows('contexts', this.#tenant, families!, contexts!)
    const rows = new Map(cells.map((each) => contextRow(each)).map((row) => [row.ctx, row]))
    return places.flatMap(({ family, context }) => rows.get(keyOf(family as Uint8Array, context as Uint8Array)) ?? [])
  }

  async family(family: ContextKey): Promise<readonly ContextRow[]> {
    return (await this.#db.rows('family', this.#tenant, partsOf(family).family)).map(contextRow)
  }

  async create(context: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    const { id, parent, packs, rows, forks = 0 } = context
    // Nobody gives the same bytes again. Where nobody knew whether it was made, it is found by them.
    const own = randomBytes(16)
    const family = parent === undefined ? own : partsOf(parent.ctx).family
    let refusal: 'exists' | 'conflict' | undefined
    let epoch = 0
    await this.#db.transaction(async (run) => {
      refusal = undefined
      if ((await run('takeName', this.#tenant, bytesOf(id), family, own)).rowCount === 0) {
        const [place] = (await run('name', this.#tenant, bytesOf(id))).rows
        if (place === undefined || !sameBytes(place['context'] as Uint8Array, own)) refusal = 'exists'
        throw ROLLBACK
      }
      const made = await this.#make(run, context, { family, context: own })
      if (made === undefined) {
        refusal = 'conflict'
        throw ROLLBACK
      }
      epoch = made
    })
    if (refusal !== undefined) return refusal
    this.#hints.tell()
    return {
      ctx: keyOf(family, own),
      id,
      family: keyOf(family, family),
      parent: parent && { ctx: parent.ctx, cycle: parent.cycle },
      forks,
      epoch,
      first: packs[0]?.from ?? rows[0]!.cycle,
      head: rows.at(-1)!.cycle,
      chain: new Uint8Array(rows.at(-1)!.hash),
    }
  }

  /** Gives its epoch; nothing where the parent has other forks or another epoch by now, or is gone. */
  async #make(
    run: Run,
    { id, parent, packs, rows, attempts, forks = 0 }: NewContext,
    place: Place,
  ): Promise<number | undefined> {
    const key = [this.#tenant, place.family, place.context] as const
    const from = parent && partsOf(parent.ctx)
    let epoch = 0
    if (from !== undefined) {
      const [before, since] = [parent!.forks, parent!.epoch ?? null]
      const { rows: counted } = await run('countFork', this.#tenant, from.family, from.context, before, since)
      if (counted[0] === undefined) return undefined
      epoch = numberIn(counted[0], 'epoch')
    }
    const [first, newest] = [packs[0]?.from ?? rows[0]!.cycle, rows.at(-1)!]
    const beginning = [bytesOf(id), from?.context ?? null, parent?.cycle ?? null, first] as const
    await run('makeContext', ...key, ...beginning, newest.cycle, newest.hash, forks, epoch)
    for (const pack of packs) await run('makePack', ...key, pack.from, pack.to, pack.body)
    for (const some of inPieces(rows, ({ changes, bodies }) => changes.length + bodies.length)) {
      const columns = [some.map((row) => row.hash), some.map((row) => row.changes), some.map((row) => row.bodies)]
      await run(
        'makeRows',
        ...key,
        some.map((row) => row.cycle),
        ...columns,
      )
    }
    for (const some of inPieces(attempts ?? [], ({ body }) => body.length)) {
      await run('writeAttempts', ...key, ...attemptValues(some), null)
    }
    return epoch
  }

  async delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]> {
    const { family, context } = partsOf(ctx)
    let forks: readonly string[] = []
    await this.#db.transaction(async (run) => {
      forks = []
      const all = await this.#held(run, family)
      const below = forksBelow(all, context)
      const own = below.filter((each) => isFork(each, context))
      if (own.length > 0 && !withForks) {
        forks = own
          .map(({ id }) => id as Uint8Array)
          .sort((a, b) => Buffer.compare(a, b))
          .map(textOf)
        throw ROLLBACK
      }
      const going = [...below, ...all.filter((each) => sameBytes(each['context'] as Uint8Array, context))]
      if (going.length === 0) throw ROLLBACK
      const contexts = going.map((each) => each['context'] as Uint8Array)
      for (const name of DELETES) await run(name, this.#tenant, family, contexts)
      await run(
        'deleteNames',
        this.#tenant,
        going.map(({ id }) => id as Uint8Array),
      )
      if (going.length < all.length) return
      await run('dropPages', this.#tenant, family)
      await run('dropAudit', this.#tenant, family)
    })
    this.#hints.tell()
    return forks.length > 0 ? forks : 'deleted'
  }

  /** All contexts of a family, held: from then on no fork leaves them. One that left meanwhile is held as well. */
  async #held(run: Run, family: Uint8Array): Promise<readonly Cells[]> {
    let count = -1
    for (;;) {
      const { rows } = await run('lockFamily', this.#tenant, family)
      if (rows.length === count) return rows
      count = rows.length
    }
  }

  async commit({ ctx, after, epoch, row, answer }: NewCommit): Promise<'done' | 'conflict'> {
    const values = [...this.#key(ctx), row.cycle, row.hash, row.changes, row.bodies, after, epoch] as const
    try {
      const { rowCount } =
        answer === undefined
          ? await this.#db.run('commit', ...values)
          : await this.#db.run(
              'commitWithAnswer',
              ...values,
              bytesOf(answer.key),
              answer.cycle,
              answer.digest,
              answer.answer,
            )
      if (rowCount !== 1) return 'conflict'
      this.#hints.tell()
      return 'done'
    } catch (error) {
      if (isTaken(error)) return 'conflict'
      throw error
    }
  }

  async read(ctx: ContextKey, from: number, to: number): ReturnType<Rows['read']> {
    const packs: Pack[] = []
    const rows: Row[] = []
    for (const cells of await this.#db.rows('read', ...this.#key(ctx), from, to)) {
      const [first, last] = [numberIn(cells, 'first'), numberIn(cells, 'last')]
      const [hash, changes, body] = bytesIn(cells, 'hash', 'changes', 'body')
      if (cells['packed'] === true) packs.push({ from: first, to: last, body: body! })
      else rows.push({ cycle: first, hash: hash!, changes: changes!, bodies: body! })
    }
    return { packs, rows }
  }

  async answer(ctx: ContextKey, key: string): Promise<Answer | undefined> {
    const [found] = await this.#db.rows('answer', ...this.#key(ctx), bytesOf(key))
    return found && answerOf(found)
  }

  async answers(ctx: ContextKey): Promise<readonly Answer[]> {
    return (await this.#db.rows('answers', ...this.#key(ctx))).map(answerOf)
  }

  async pack(ctx: ContextKey, { from, to, body }: Pack, epoch?: number): Promise<void> {
    const key = this.#key(ctx)
    await this.#db.transaction(async (run) => {
      const [held] = (await run('lock', ...key, epoch ?? null)).rows
      const [oldest] = (await run('oldest', ...key)).rows
      if (held === undefined || to >= numberIn(held, 'head') || numberIn(oldest!, 'cycle') !== from) throw ROLLBACK
      // Where one is missing, somebody else has packed it.
      if ((await run('takeRows', ...key, from, to)).rowCount !== to - from + 1) throw ROLLBACK
      await run('makePack', ...key, from, to, body)
    })
  }

  async unpacked(ctx: ContextKey): Promise<number> {
    return numberIn((await this.#db.rows('unpacked', ...this.#key(ctx)))[0]!, 'n')
  }

  async writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[], epoch?: number): Promise<'erased' | void> {
    const key = this.#key(ctx)
    const pieces = inPieces(attempts, ({ body }) => body.length)
    const write = async (run: Run): Promise<boolean> => {
      for (const some of pieces) {
        if ((await run('writeAttempts', ...key, ...attemptValues(some), epoch ?? null)).rowCount === 0) return false
      }
      return true
    }
    const isWritten =
      pieces.length < 2
        ? await write((...call) => this.#db.runAgain(...call))
        : await this.#db.transaction((run) => write(run))
    if (isWritten === true || epoch === undefined) return undefined
    // Of a context that is gone nothing is written either.
    return (await this.byNumber(ctx)) === undefined ? undefined : 'erased'
  }

  async attempts(ctx: ContextKey, limit: number): Promise<readonly AttemptRow[]> {
    const found = await this.#db.rows('attempts', ...this.#key(ctx), limit)
    return found
      .map((cells) => bytesIn(cells, 'id', 'writer', 'body'))
      .map(([id, writer, body]) => ({ id: textOf(id!), writer: textOf(writer!), body: body! }))
      .reverse()
  }

  async writeManifest(
    ctx: ContextKey,
    { cycle, body }: ManifestRow,
    pages: readonly PageRow[],
    epoch?: number,
  ): Promise<void> {
    const key = this.#key(ctx)
    const { family } = partsOf(ctx)
    await this.#db.transaction(async (run) => {
      for (const some of inPieces(sorted(pages), (page) => page.body.length)) {
        const columns = [some.map((page) => keyBytes(page.key)), some.map((page) => page.body)]
        await run('writePages', this.#tenant, family, ...columns)
      }
      // After the pages, so that nobody who commits waits for them; before the end, so that none is left where it is gone.
      if ((await run('lock', ...key, epoch ?? null)).rows.length === 0) throw ROLLBACK
      await run('writeManifest', ...key, cycle, body)
    })
  }

  async manifest(ctx: ContextKey, cycle: number): Promise<ManifestRow | undefined> {
    const [found] = await this.#db.rows('manifest', ...this.#key(ctx), cycle)
    return found && { cycle: numberIn(found, 'cycle'), body: found['body'] as Uint8Array }
  }

  async manifests(ctx: ContextKey): Promise<readonly number[]> {
    return (await this.#db.rows('manifests', ...this.#key(ctx))).map((cells) => numberIn(cells, 'cycle'))
  }

  async pages(family: ContextKey, keys: readonly string[]): Promise<readonly PageRow[]> {
    const found: PageRow[] = []
    for (const some of inPieces(keys, () => 0)) {
      const rows = await this.#db.rows('pages', this.#tenant, partsOf(family).family, some.map(keyBytes))
      for (const { key, body } of rows) {
        found.push({ key: Buffer.from(key as Uint8Array).toString('hex'), body: body as Uint8Array })
      }
    }
    return found
  }

  async dropDerived(family: ContextKey): Promise<void> {
    const place = [this.#tenant, partsOf(family).family] as const
    await this.#db.transaction(async (run) => {
      await run('dropManifests', ...place)
      await run('dropPages', ...place)
    })
  }

  async erase(erasure: Erasure): Promise<'done' | 'conflict'> {
    const { family } = partsOf(erasure.family)
    const outcome = await this.#db.transaction(async (run) => {
      const written = await writeErasure(run, this.#tenant, await this.#held(run, family), erasure)
      if (written === 'conflict') throw ROLLBACK
      for (const { ctx, attempt } of erasure.attempts) {
        await run('writeAttempts', ...this.#key(ctx), ...attemptValues([attempt]), null)
      }
      return written
    })
    if (outcome === undefined) return 'conflict'
    this.#hints.tell()
    return outcome
  }

  async audit(family: ContextKey): Promise<readonly AuditRow[]> {
    return (await this.#db.rows('audit', this.#tenant, partsOf(family).family)).map(auditOf)
  }

  async scrub(family: ContextKey): Promise<readonly string[]> {
    const left = await vacuum(this.#db)
    await this.#db.runAgain('finishAudit', this.#tenant, partsOf(family).family)
    return left
  }

  changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string> {
    return this.#hints.changed(since, every, signal)
  }

  check(): Promise<readonly string[]> {
    return problemsIn(this.#db, this.#tenant)
  }

  async close(): Promise<void> {
    await this.#hints.close()
    await this.#db.close()
  }

  #key(ctx: ContextKey): readonly [Uint8Array, Uint8Array, Uint8Array] {
    const { family, context } = partsOf(ctx)
    return [this.#tenant, family, context]
  }
}

const DELETES = [
  'deleteCommits',
  'deletePacks',
  'deleteAnswers',
  'deleteAttempts',
  'deleteManifests',
  'deleteContexts',
] as const

/** As the statement takes them: how many, and each column. One that comes twice is written once, as it is last. */
function attemptValues(attempts: readonly AttemptRow[]): [number, Uint8Array[], Uint8Array[], number[], Uint8Array[]] {
  const last = [...new Map(attempts.map((each) => [JSON.stringify([each.id, each.writer]), each])).values()]
  const [ids, writers] = [last.map(({ id }) => bytesOf(id)), last.map(({ writer }) => bytesOf(writer))]
  return [last.length, ids, writers, last.map((_, i) => i + 1), last.map(({ body }) => body)]
}

/** In one order, so that two who write the same pages wait for each other, and not both. */
function sorted(pages: readonly PageRow[]): readonly PageRow[] {
  return pages.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

/** The address as sentences say it: without who, and without the password. */
function nameOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
