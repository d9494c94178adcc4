// Rows in this process alone: for tests, and for contexts that need not outlive it. Everything is copied on its way in, so that
// nobody changes what was written.

import { compareText } from '../../core/index.js'
import { sameHash } from '../row.js'
import type {
  Answer,
  AttemptRow,
  ContextRow,
  ManifestRow,
  NewCommit,
  NewContext,
  Pack,
  PageRow,
  Row,
  Rows,
} from '../rows.js'

type Kept = {
  row: ContextRow
  readonly rows: Map<number, Row>
  packs: Pack[]
  readonly answers: Map<string, Answer>
  readonly attempts: Map<string, AttemptRow>
  readonly manifests: Map<number, ManifestRow>
}

export class MemoryRows implements Rows {
  readonly name = 'memory:'
  readonly #byId = new Map<string, Kept>()
  readonly #byNumber = new Map<number, Kept>()
  readonly #pages = new Map<number, Map<string, PageRow>>()
  #given = 0

  async find(id: string): Promise<ContextRow | undefined> {
    return this.#byId.get(id)?.row
  }

  async byNumber(ctx: number): Promise<ContextRow | undefined> {
    return this.#byNumber.get(ctx)?.row
  }

  async list(after: string | undefined, limit: number): Promise<readonly ContextRow[]> {
    const ids = [...this.#byId.keys()].filter((id) => after === undefined || compareText(id, after) > 0)
    return ids
      .sort(compareText)
      .slice(0, limit)
      .map((id) => this.#byId.get(id)!.row)
  }

  async create({ id, parent, packs, rows, attempts = [] }: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    if (this.#byId.has(id)) return 'exists'
    const from = parent && this.#byNumber.get(parent.ctx)
    if (parent !== undefined && from?.row.forks !== parent.forks) return 'conflict'
    const ctx = ++this.#given
    const row: ContextRow = {
      ctx,
      id,
      family: parent?.family ?? ctx,
      parent: parent && { ctx: parent.ctx, cycle: parent.cycle },
      forks: 0,
      epoch: from?.row.epoch ?? 0,
      first: packs[0]?.from ?? rows[0]!.cycle,
      head: rows.at(-1)!.cycle,
      chain: rows.at(-1)!.hash,
    }
    const kept: Kept = {
      row,
      rows: new Map(rows.map((each) => [each.cycle, copyOf(each)])),
      packs: [...packs],
      answers: new Map(),
      attempts: new Map(attempts.map((attempt) => [nameOf(attempt), attempt])),
      manifests: new Map(),
    }
    this.#byId.set(id, kept)
    this.#byNumber.set(ctx, kept)
    if (from !== undefined) from.row = { ...from.row, forks: from.row.forks + 1 }
    return row
  }

  async delete(ctx: number, withForks: boolean): Promise<'deleted' | readonly string[]> {
    const forks = [...this.#byNumber.values()].filter(({ row }) => row.parent?.ctx === ctx)
    if (forks.length > 0 && !withForks) return forks.map(({ row }) => row.id).sort(compareText)
    for (const { row } of forks) await this.delete(row.ctx, true)
    const kept = this.#byNumber.get(ctx)
    if (kept === undefined) return 'deleted'
    this.#byId.delete(kept.row.id)
    this.#byNumber.delete(ctx)
    if (![...this.#byNumber.values()].some(({ row }) => row.family === kept.row.family)) {
      this.#pages.delete(kept.row.family)
    }
    return 'deleted'
  }

  async commit({ ctx, after, epoch, row, answer }: NewCommit): Promise<'done' | 'conflict'> {
    const kept = this.#byNumber.get(ctx)
    const isNext = kept?.row.head === row.cycle - 1 && sameHash(kept.row.chain, after) && kept.row.epoch === epoch
    if (!isNext || (answer !== undefined && kept.answers.has(answer.key))) return 'conflict'
    kept.rows.set(row.cycle, copyOf(row))
    if (answer !== undefined) kept.answers.set(answer.key, answer)
    kept.row = { ...kept.row, head: row.cycle, chain: row.hash }
    return 'done'
  }

  async read(ctx: number, from: number, to: number): ReturnType<Rows['read']> {
    const { packs, rows } = this.#kept(ctx)
    return {
      packs: packs.filter((pack) => pack.to >= from && pack.from <= to),
      rows: [...rows.values()].filter(({ cycle }) => cycle >= from && cycle <= to),
    }
  }

  async answer(ctx: number, key: string): Promise<Answer | undefined> {
    return this.#byNumber.get(ctx)?.answers.get(key)
  }

  async pack(ctx: number, pack: Pack): Promise<void> {
    const kept = this.#kept(ctx)
    if (Math.min(...kept.rows.keys()) !== pack.from) return
    for (let cycle = pack.from; cycle <= pack.to; cycle++) if (!kept.rows.has(cycle)) return
    for (let cycle = pack.from; cycle <= pack.to; cycle++) kept.rows.delete(cycle)
    kept.packs = [...kept.packs, pack]
  }

  async unpacked(ctx: number): Promise<number> {
    return this.#kept(ctx).rows.size
  }

  async writeAttempts(ctx: number, attempts: readonly AttemptRow[]): Promise<void> {
    const { attempts: all } = this.#kept(ctx)
    for (const attempt of attempts) all.set(nameOf(attempt), attempt)
  }

  async attempts(ctx: number, limit: number): Promise<readonly AttemptRow[]> {
    const all = [...this.#kept(ctx).attempts.values()]
    return all.slice(Math.max(0, all.length - limit))
  }

  async writeManifest(ctx: number, manifest: ManifestRow, pages: readonly PageRow[]): Promise<void> {
    const { row, manifests } = this.#kept(ctx)
    manifests.set(manifest.cycle, manifest)
    let all = this.#pages.get(row.family)
    if (all === undefined) this.#pages.set(row.family, (all = new Map()))
    for (const page of pages) all.set(page.key, page)
  }

  async manifest(ctx: number, cycle: number): Promise<ManifestRow | undefined> {
    const { manifests } = this.#kept(ctx)
    const found = Math.max(...[...manifests.keys()].filter((each) => each <= cycle))
    return manifests.get(found)
  }

  async manifests(ctx: number): Promise<readonly number[]> {
    return [...this.#kept(ctx).manifests.keys()].sort((a, b) => a - b)
  }

  async pages(family: number, keys: readonly string[]): Promise<readonly PageRow[]> {
    const all = this.#pages.get(family)
    return keys.flatMap((key) => all?.get(key) ?? [])
  }

  async dropDerived(family: number): Promise<void> {
    this.#pages.delete(family)
    for (const { row, manifests } of this.#byNumber.values()) if (row.family === family) manifests.clear()
  }

  async close(): Promise<void> {}

  #kept(ctx: number): Kept {
    const kept = this.#byNumber.get(ctx)
    if (kept === undefined) throw new Error(`There is no context number ${ctx}.`)
    return kept
  }
}

function nameOf({ id, writer }: AttemptRow): string {
  return `${writer} ${id}`
}

function copyOf({ cycle, hash, changes, bodies }: Row): Row {
  return { cycle, hash: hash.slice(), changes: changes.slice(), bodies: bodies.slice() }
}
