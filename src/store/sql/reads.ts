// Reads of rows in an SQL database, for all dialects.

import type {
  Answer,
  AttemptRow,
  AuditRow,
  ContextKey,
  ContextRow,
  DraftRow,
  ManifestRow,
  PageRow,
  Rows,
} from '../rows.js'
import { lostRows, type CellReader } from './cells.js'
import { bytesOf, pageBytes, select, type Cells, type Where, type Work } from './query.js'

const ANSWER = ['key', 'cycle', 'digest', 'answer']
export const BY_CYCLE = { order: 'cycle' }

export abstract class SqlReads {
  abstract readonly name: string
  protected abstract readonly cells: CellReader

  /** Runs reading statements, which all see the same state if `isTogether`. */
  protected abstract reading<T>(work: () => Work<T>, isTogether?: boolean): Promise<T>
  async byNumber(ctx: ContextKey): Promise<ContextRow | undefined> {
    return (await this.reading(() => this.contexts({ ctx })))[0]
  }

  async family(family: ContextKey): Promise<readonly ContextRow[]> {
    return this.reading(() => this.contexts({ family }))
  }

  protected *contexts(where: Where): Work<readonly ContextRow[]> {
    return (yield* select('contexts', undefined, where, { order: 'ctx' })).map((cells) => this.contextRow(cells))
  }

  /** A context; E_STORE if its newest row is lost. */
  protected contextRow(cells: Cells): ContextRow {
    const { whole, blob, text } = this.cells
    if (cells['head'] === null) throw lostRows(text(cells['id']), whole(cells['ctx']))
    return { ...this.knownOf(cells), head: whole(cells['head']), chain: blob(cells['chain']) }
  }

  protected knownOf(cells: Cells): Omit<ContextRow, 'head' | 'chain'> {
    const { whole, blob, text, key } = this.cells
    const { parent, seal, answers, attempts } = cells
    return {
      ctx: key(cells['ctx']),
      id: text(cells['id']),
      family: key(cells['family']),
      parent: parent === null ? undefined : { ctx: key(parent), cycle: whole(cells['base']) },
      forks: whole(cells['forks']),
      epoch: whole(cells['epoch']),
      first: whole(cells['first']),
      seal: seal === null ? undefined : blob(seal),
      answers: answers === null ? undefined : whole(answers),
      attempts: attempts === null ? undefined : whole(attempts),
      draft: { version: whole(cells['draft']), parts: whole(cells['saves']) },
    }
  }

  async read(ctx: ContextKey, from: number, to: number): ReturnType<Rows['read']> {
    const { whole, blob } = this.cells
    return this.reading(() => this.#read(ctx, from, to), true).then(({ packs, rows }) => ({
      packs: packs.map(({ first, last, body }) => ({ from: whole(first), to: whole(last), body: blob(body) })),
      rows: rows.map(({ cycle, hash, changes, bodies }) => ({
        cycle: whole(cycle),
        hash: blob(hash),
        changes: blob(changes),
        bodies: blob(bodies),
      })),
    }))
  }

  *#read(ctx: ContextKey, from: number, to: number): Work<Record<'packs' | 'rows', readonly Cells[]>> {
    const overlapping = { ctx, last: { from }, first: { to } }
    return {
      packs: yield* select('packs', ['first', 'last', 'body'], overlapping, { order: 'last' }),
      rows: yield* select('commits', ['cycle', 'hash', 'changes', 'bodies'], { ctx, cycle: { from, to } }, BY_CYCLE),
    }
  }

  async answer(ctx: ContextKey, key: string): Promise<Answer | undefined> {
    const [found] = await this.reading(() => select('answers', ANSWER, { ctx, key: bytesOf(key) }))
    return found && this.#answer(found)
  }

  async answers(ctx: ContextKey): Promise<readonly Answer[]> {
    const found = await this.reading(() => select('answers', ANSWER, { ctx }, { order: 'key' }))
    return found.map((cells) => this.#answer(cells))
  }

  #answer({ key, cycle, digest, answer }: Cells): Answer {
    const { whole, blob, text } = this.cells
    return { key: text(key), cycle: whole(cycle), digest: blob(digest), answer: blob(answer) }
  }

  async unpacked(ctx: ContextKey): Promise<number> {
    const [found] = await this.reading(() => select('commits', ['count'], { ctx }))
    return this.cells.whole(found!['count'])
  }

  async draft(ctx: ContextKey): Promise<DraftRow | undefined> {
    const { whole, blob } = this.cells
    const found = await this.reading(() => select('drafts', ['n', 'cycle', 'part'], { ctx }, { order: 'n' }))
    const last = found.at(-1)
    if (last === undefined) return undefined
    return { version: whole(last['n']), cycle: whole(last['cycle']), parts: found.map(({ part }) => blob(part)) }
  }

  async attempts(ctx: ContextKey, limit: number): Promise<readonly AttemptRow[]> {
    const { blob, text } = this.cells
    const newest = { order: 'seq', isDescending: true, limit }
    const found = await this.reading(() => select('attempts', ['id', 'writer', 'body'], { ctx }, newest))
    return found.map(({ id, writer, body }) => ({ id: text(id), writer: text(writer), body: blob(body) })).reverse()
  }

  async manifest(ctx: ContextKey, cycle: number): Promise<ManifestRow | undefined> {
    const newest = { order: 'cycle', isDescending: true, limit: 1 }
    const upTo = { ctx, cycle: { to: cycle } }
    const [found] = await this.reading(() => select('manifests', ['cycle', 'body'], upTo, newest))
    return found && { cycle: this.cells.whole(found['cycle']), body: this.cells.blob(found['body']) }
  }

  async manifests(ctx: ContextKey): Promise<readonly number[]> {
    const found = await this.reading(() => select('manifests', ['cycle'], { ctx }, BY_CYCLE))
    return found.map(({ cycle }) => this.cells.whole(cycle))
  }

  async pages(family: ContextKey, keys: readonly string[]): Promise<readonly PageRow[]> {
    return this.reading(() => this.#pages(family, keys), true)
  }

  *#pages(family: ContextKey, keys: readonly string[]): Work<readonly PageRow[]> {
    const pages: PageRow[] = []
    for (const key of keys) {
      const [page] = yield* select('pages', ['body'], { family, key: pageBytes(key) })
      if (page !== undefined) pages.push({ key, body: this.cells.blob(page['body']) })
    }
    return pages
  }

  async audit(family: ContextKey): Promise<readonly AuditRow[]> {
    return this.reading(() => this.audits(family))
  }

  protected *audits(family: ContextKey): Work<readonly AuditRow[]> {
    const { whole, blob } = this.cells
    const found = yield* select('audit', ['n', 'hash', 'body', 'finished'], { family }, { order: 'n' })
    return found.map(({ n, hash, body, finished }) => ({
      n: whole(n),
      hash: blob(hash),
      body: blob(body),
      isFinished: whole(finished) === 1,
    }))
  }
}
