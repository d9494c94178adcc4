// Rows in this process alone: for tests, and for contexts that need not outlive it. Everything is copied on its way in and on its
// way out, so that nobody changes what was written.

import { compareText } from '../../core/index.js'
import { sameHash } from '../row.js'
import type {
  Answer,
  AttemptRow,
  ContextKey,
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
  readonly #byNumber = new Map<ContextKey, Kept>()
  readonly #pages = new Map<ContextKey, Map<string, PageRow>>()
  #given = 0

  async find(id: string): Promise<ContextRow | undefined> {
    return copyOf(this.#byId.get(id)?.row)
  }

  async byNumber(ctx: ContextKey): Promise<ContextRow | undefined> {
    return copyOf(this.#byNumber.get(ctx)?.row)
  }

  async list(after: string | undefined, limit: number): Promise<readonly ContextRow[]> {
    const ids = [...this.#byId.keys()].filter((id) => after === undefined || compareText(id, after) > 0)
    return ids
      .sort(compareText)
      .slice(0, limit)
      .map((id) => copyOf(this.#byId.get(id)!.row))
  }

  async create({
    id,
    parent,
    packs,
    rows,
    attempts = [],
    forks = 0,
  }: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    if (this.#byId.has(id)) return 'exists'
    const from = parent && this.#byNumber.get(parent.ctx)
    if (parent !== undefined && from?.row.forks !== parent.forks) return 'conflict'
    const ctx = ++this.#given
    const row: ContextRow = {
      ctx,
      id,
      family: parent?.family ?? ctx,
      parent: parent && { ctx: parent.ctx, cycle: parent.cycle },
      forks,
      epoch: from?.row.epoch ?? 0,
      first: packs[0]?.from ?? rows[0]!.cycle,
      head: rows.at(-1)!.cycle,
      chain: rows.at(-1)!.hash,
    }
    const kept: Kept = {
      row: copyOf(row),
      rows: new Map(rows.map((each) => [each.cycle, copyOf(each)])),
      packs: packs.map(copyOf),
      answers: new Map(),
      attempts: new Map(attempts.map((attempt) => [nameOf(attempt), copyOf(attempt)])),
      manifests: new Map(),
    }
    this.#byId.set(id, kept)
    this.#byNumber.set(ctx, kept)
    if (from !== undefined) from.row = { ...from.row, forks: from.row.forks + 1 }
    return row
  }

  async delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]> {
    const forks = this.#forksOf(ctx)
    if (forks.length > 0 && !withForks) return forks.map(({ row }) => row.id).sort(compareText)
    this.#deleteAll(ctx)
    return 'deleted'
  }

  #forksOf(ctx: ContextKey): readonly Kept[] {
    return [...this.#byNumber.values()].filter(({ row }) => row.parent?.ctx === ctx)
  }

  /** In one go, so that no fork leaves meanwhile. */
  #deleteAll(ctx: ContextKey): void {
    for (const { row } of this.#forksOf(ctx)) this.#deleteAll(row.ctx)
    const kept = this.#byNumber.get(ctx)
    if (kept === undefined) return
    this.#byId.delete(kept.row.id)
    this.#byNumber.delete(ctx)
    if (![...this.#byNumber.values()].some(({ row }) => row.family === kept.row.family)) {
      this.#pages.delete(kept.row.family)
    }
  }

  async commit({ ctx, after, epoch, row, answer }: NewCommit): Promise<'done' | 'conflict'> {
    const kept = this.#byNumber.get(ctx)
    const isNext = kept?.row.head === row.cycle - 1 && sameHash(kept.row.chain, after) && kept.row.epoch === epoch
    if (!isNext || (answer !== undefined && kept.answers.has(answer.key))) return 'conflict'
    kept.rows.set(row.cycle, copyOf(row))
    if (answer !== undefined) kept.answers.set(answer.key, copyOf(answer))
    kept.row = copyOf({ ...kept.row, head: row.cycle, chain: row.hash })
    return 'done'
  }

  async read(ctx: ContextKey, from: number, to: number): ReturnType<Rows['read']> {
    const { packs = [], rows = new Map<number, Row>() } = this.#byNumber.get(ctx) ?? {}
    return {
      packs: packs.filter((pack) => pack.to >= from && pack.from <= to).map(copyOf),
      rows: [...rows.values()].filter(({ cycle }) => cycle >= from && cycle <= to).map(copyOf),
    }
  }

  async answer(ctx: ContextKey, key: string): Promise<Answer | undefined> {
    return copyOf(this.#byNumber.get(ctx)?.answers.get(key))
  }

  async answers(ctx: ContextKey): Promise<readonly Answer[]> {
    return Array.from(this.#byNumber.get(ctx)?.answers.values() ?? [], copyOf)
  }

  async pack(ctx: ContextKey, pack: Pack): Promise<void> {
    const kept = this.#byNumber.get(ctx)
    if (kept === undefined) return
    if (Math.min(...kept.rows.keys()) !== pack.from) return
    for (let cycle = pack.from; cycle <= pack.to; cycle++) if (!kept.rows.has(cycle)) return
    for (let cycle = pack.from; cycle <= pack.to; cycle++) kept.rows.delete(cycle)
    kept.packs = [...kept.packs, copyOf(pack)]
  }

  async unpacked(ctx: ContextKey): Promise<number> {
    return this.#byNumber.get(ctx)?.rows.size ?? 0
  }

  async writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[]): Promise<void> {
    const all = this.#byNumber.get(ctx)?.attempts
    for (const attempt of attempts) all?.set(nameOf(attempt), copyOf(attempt))
  }

  async attempts(ctx: ContextKey, limit: number): Promise<readonly AttemptRow[]> {
    const all = [...(this.#byNumber.get(ctx)?.attempts.values() ?? [])]
    return all.slice(Math.max(0, all.length - limit)).map(copyOf)
  }

  async writeManifest(ctx: ContextKey, manifest: ManifestRow, pages: readonly PageRow[]): Promise<void> {
    const kept = this.#byNumber.get(ctx)
    if (kept === undefined) return
    const { row, manifests } = kept
    manifests.set(manifest.cycle, copyOf(manifest))
    let all = this.#pages.get(row.family)
    if (all === undefined) this.#pages.set(row.family, (all = new Map()))
    for (const page of pages) all.set(page.key, copyOf(page))
  }

  async manifest(ctx: ContextKey, cycle: number): Promise<ManifestRow | undefined> {
    const cycles = (await this.manifests(ctx)).filter((each) => each <= cycle)
    return copyOf(this.#byNumber.get(ctx)?.manifests.get(cycles.at(-1) ?? -1))
  }

  async manifests(ctx: ContextKey): Promise<readonly number[]> {
    return [...(this.#byNumber.get(ctx)?.manifests.keys() ?? [])].sort((a, b) => a - b)
  }

  async pages(family: ContextKey, keys: readonly string[]): Promise<readonly PageRow[]> {
    const all = this.#pages.get(family)
    return keys.flatMap((key) => copyOf(all?.get(key)) ?? [])
  }

  async dropDerived(family: ContextKey): Promise<void> {
    this.#pages.delete(family)
    for (const { row, manifests } of this.#byNumber.values()) if (row.family === family) manifests.clear()
  }

  async check(): Promise<readonly string[]> {
    return []
  }

  async close(): Promise<void> {}
}

function nameOf({ id, writer }: AttemptRow): string {
  return JSON.stringify([writer, id])
}

/** With bytes of its own. The `slice` of a Buffer would share them. */
function copyOf<T extends object | undefined>(row: T): T {
  if (row === undefined) return row
  const fields = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? new Uint8Array(value) : (value as unknown),
  ])
  return Object.fromEntries(fields) as T
}
