// Rows in memory: for tests, and for contexts that need not outlive the process. Everything is copied in and out, so
// that callers cannot change stored data.

import { compareText } from '../../core/index.js'
import { isArrivalComplete, isFamilyUnchanged, sameBytes } from '../compare.js'
import type {
  Answer,
  Arrived,
  AttemptRow,
  AuditRow,
  ContextKey,
  ContextRow,
  DraftRow,
  Erasure,
  ManifestRow,
  NewCommit,
  NewContext,
  NewSave,
  Pack,
  PageRow,
  Row,
  Rows,
} from '../rows.js'

type ContextData = {
  row: ContextRow
  readonly rows: Map<number, Row>
  packs: Pack[]
  readonly answers: Map<string, Answer>
  readonly attempts: Map<string, AttemptRow>
  readonly manifests: Map<number, ManifestRow>
  draft: DraftRow | undefined
}

export class MemoryRows implements Rows {
  readonly name = 'memory:'
  readonly #byId = new Map<string, ContextData>()
  readonly #byNumber = new Map<ContextKey, ContextData>()
  readonly #pages = new Map<ContextKey, Map<string, PageRow>>()
  readonly #audits = new Map<ContextKey, readonly AuditRow[]>()
  #lastNumber = 0
  /** Increases with every change that a watch reports. */
  #version = 0
  readonly #waiting = new Set<() => void>()

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

  async family(family: ContextKey): Promise<readonly ContextRow[]> {
    return this.#family(family).map(({ row }) => copyOf(row))
  }

  #family(family: ContextKey): readonly ContextData[] {
    return [...this.#byNumber.values()].filter(({ row }) => row.family === family)
  }

  async create({
    id,
    parent,
    packs,
    rows,
    attempts = [],
    forks = 0,
    seal,
    answers = [],
    epoch = 0,
    audit = [],
  }: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    if (this.#byId.has(id)) return 'exists'
    const from = parent && this.#byNumber.get(parent.ctx)
    if (parent !== undefined && from?.row.forks !== parent.forks) return 'conflict'
    if (from !== undefined && !isOf(from, parent?.epoch)) return 'conflict'
    const ctx = ++this.#lastNumber
    const row: ContextRow = {
      ctx,
      id,
      family: parent?.family ?? ctx,
      parent: parent && { ctx: parent.ctx, cycle: parent.cycle },
      forks,
      epoch: from?.row.epoch ?? epoch,
      first: packs[0]?.from ?? rows[0]!.cycle,
      head: rows.at(-1)!.cycle,
      chain: rows.at(-1)!.hash,
      seal,
      answers: answers.length,
      attempts: 0,
      draft: { version: 0, parts: 0 },
    }
    const data: ContextData = {
      row: copyOf(row),
      rows: new Map(rows.map((each) => [each.cycle, copyOf(each)])),
      packs: packs.map(copyOf),
      answers: new Map(answers.map((answer) => [answer.key, copyOf(answer)])),
      attempts: new Map(attempts.map((attempt) => [nameOf(attempt), copyOf(attempt)])),
      manifests: new Map(),
      draft: undefined,
    }
    data.row = { ...data.row, attempts: data.attempts.size }
    this.#byId.set(id, data)
    this.#byNumber.set(ctx, data)
    if (audit.length > 0) this.#audits.set(ctx, audit.map(copyOf))
    if (from !== undefined) from.row = copyOf({ ...from.row, forks: from.row.forks + 1, ...sealIn(parent) })
    this.#notify()
    return copyOf(data.row)
  }

  async delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]> {
    const forks = this.#forksOf(ctx)
    if (forks.length > 0 && !withForks) return forks.map(({ row }) => row.id).sort(compareText)
    this.#deleteAll(ctx)
    this.#notify()
    return 'deleted'
  }

  #forksOf(ctx: ContextKey): readonly ContextData[] {
    return [...this.#byNumber.values()].filter(({ row }) => row.parent?.ctx === ctx)
  }

  /** Synchronous, so that no fork is created meanwhile. */
  #deleteAll(ctx: ContextKey): void {
    for (const { row } of this.#forksOf(ctx)) this.#deleteAll(row.ctx)
    const data = this.#byNumber.get(ctx)
    if (data === undefined) return
    this.#byId.delete(data.row.id)
    this.#byNumber.delete(ctx)
    if (![...this.#byNumber.values()].some(({ row }) => row.family === data.row.family)) {
      this.#pages.delete(data.row.family)
      this.#audits.delete(data.row.family)
    }
  }

  async commit({ ctx, after, epoch, row, answer, draft }: NewCommit): Promise<'done' | 'conflict'> {
    const data = this.#byNumber.get(ctx)
    const isNext = data?.row.head === row.cycle - 1 && sameBytes(data.row.chain, after) && data.row.epoch === epoch
    if (isNext && draft !== undefined && data.row.draft.version !== draft) return 'conflict'
    if (!isNext || (answer !== undefined && data.answers.has(answer.key))) return 'conflict'
    data.rows.set(row.cycle, copyOf(row))
    if (answer !== undefined) data.answers.set(answer.key, copyOf(answer))
    data.row = copyOf({ ...data.row, head: row.cycle, chain: row.hash, answers: data.answers.size })
    if (draft !== undefined) putDraft(data, { version: draft, cycle: 0, parts: [] })
    this.#notify()
    return 'done'
  }

  async saveDraft({ ctx, after, epoch, version, cycle, part, isWhole }: NewSave): Promise<'done' | 'conflict'> {
    const data = this.#byNumber.get(ctx)
    if (data === undefined || data.row.epoch !== epoch || data.row.draft.version !== version) return 'conflict'
    if (after !== undefined && !sameBytes(data.row.chain, after)) return 'conflict'
    const before = isWhole || part === undefined ? [] : (data.draft?.parts ?? [])
    putDraft(data, { version: version + 1, cycle, parts: part === undefined ? [] : [...before, part] })
    return 'done'
  }

  async draft(ctx: ContextKey): Promise<DraftRow | undefined> {
    const found = this.#byNumber.get(ctx)?.draft
    return found && copyOfDraft(found)
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

  async pack(ctx: ContextKey, pack: Pack, epoch?: number): Promise<void> {
    const data = this.#byNumber.get(ctx)
    if (data === undefined || !isOf(data, epoch)) return
    if (Math.min(...data.rows.keys()) !== pack.from) return
    for (let cycle = pack.from; cycle <= pack.to; cycle++) if (!data.rows.has(cycle)) return
    for (let cycle = pack.from; cycle <= pack.to; cycle++) data.rows.delete(cycle)
    data.packs = [...data.packs, copyOf(pack)]
  }

  async unpacked(ctx: ContextKey): Promise<number> {
    return this.#byNumber.get(ctx)?.rows.size ?? 0
  }

  async writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[], epoch?: number): Promise<'erased' | void> {
    const data = this.#byNumber.get(ctx)
    if (data !== undefined && !isOf(data, epoch)) return 'erased'
    if (data === undefined) return undefined
    for (const attempt of attempts) data.attempts.set(nameOf(attempt), copyOf(attempt))
    data.row = { ...data.row, attempts: data.attempts.size }
    return undefined
  }

  async attempts(ctx: ContextKey, limit: number): Promise<readonly AttemptRow[]> {
    const all = [...(this.#byNumber.get(ctx)?.attempts.values() ?? [])]
    return all.slice(Math.max(0, all.length - limit)).map(copyOf)
  }

  async writeManifest(
    ctx: ContextKey,
    manifest: ManifestRow,
    pages: readonly PageRow[],
    epoch?: number,
  ): Promise<void> {
    const data = this.#byNumber.get(ctx)
    if (data === undefined || !isOf(data, epoch)) return
    const { row, manifests } = data
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

  async erase(erasure: Erasure): Promise<'done' | 'conflict'> {
    const { family, epoch, heads, rows, packs, answers, attempts, drafts, audit } = erasure
    const all = this.#family(family)
    if (
      !isFamilyUnchanged(
        { epoch, heads },
        all.map(({ row }) => row),
      )
    )
      return 'conflict'
    const of = (ctx: ContextKey): ContextData => this.#byNumber.get(ctx)!
    const isSame = (a: Pack, b: Pack): boolean => a.from === b.from && a.to === b.to
    // A missing row was packed meanwhile and must be read again.
    const isThere =
      rows.every(({ ctx, row }) => of(ctx).rows.has(row.cycle)) &&
      packs.every(({ ctx, pack }) => of(ctx).packs.some((each) => isSame(each, pack)))
    if (!isThere) return 'conflict'
    for (const { ctx, row } of rows) of(ctx).rows.set(row.cycle, copyOf(row))
    for (const { ctx, pack } of packs)
      of(ctx).packs = of(ctx).packs.map((each) => (isSame(each, pack) ? copyOf(pack) : each))
    for (const { ctx, answer } of answers) of(ctx).answers.set(answer.key, copyOf(answer))
    for (const { ctx, attempt } of attempts) of(ctx).attempts.set(nameOf(attempt), copyOf(attempt))
    for (const { ctx, draft } of drafts) putDraft(of(ctx), draft)
    for (const data of all) {
      const head = heads.find(({ ctx }) => ctx === data.row.ctx)
      data.row = copyOf({ ...data.row, epoch: epoch + 1, ...sealIn(head) })
    }
    this.#audits.set(family, [...(this.#audits.get(family) ?? []), { ...copyOf(audit), isFinished: false }])
    await this.dropDerived(family)
    this.#notify()
    return 'done'
  }

  async audit(family: ContextKey): Promise<readonly AuditRow[]> {
    return (this.#audits.get(family) ?? []).map(copyOf)
  }

  async scrub(family: ContextKey, upTo: number = Infinity): Promise<readonly string[]> {
    const all = this.#audits.get(family) ?? []
    this.#audits.set(
      family,
      all.map((each) => (each.n <= upTo ? { ...each, isFinished: true } : each)),
    )
    return []
  }

  async arrive(family: ContextKey, contexts: readonly Arrived[]): Promise<'done' | 'conflict'> {
    const all = this.#family(family)
    if (
      !isArrivalComplete(
        contexts,
        all.map(({ row }) => row),
      )
    )
      return 'conflict'
    for (const data of all) {
      const arrived = contexts.find(({ ctx }) => ctx === data.row.ctx)!
      data.row = copyOf({ ...data.row, forks: arrived.forks, ...sealIn(arrived) })
      if (arrived.draft !== undefined) putDraft(data, arrived.draft)
    }
    await this.scrub(family)
    this.#notify()
    return 'done'
  }

  async changed(since: string | undefined, _every: number, signal: AbortSignal): Promise<string> {
    while (since === String(this.#version) && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        this.#waiting.add(wake)
        signal.addEventListener('abort', wake)
      })
    }
    return String(this.#version)
  }

  #notify(): void {
    this.#version++
    for (const wake of this.#waiting) wake()
  }

  async check(): Promise<readonly string[]> {
    return []
  }

  async close(): Promise<void> {}
}

function putDraft(data: ContextData, draft: DraftRow): void {
  const { version, parts } = draft
  data.row = { ...data.row, draft: { version, parts: parts.length } }
  data.draft = parts.length === 0 ? undefined : copyOfDraft(draft)
}

function copyOfDraft({ parts, ...draft }: DraftRow): DraftRow {
  return { ...draft, parts: parts.map((part) => new Uint8Array(part)) }
}

/** True if the epoch matches or is not given. */
function isOf({ row }: ContextData, epoch: number | undefined): boolean {
  return epoch === undefined || row.epoch === epoch
}

/** The new seal, if one is given. */
function sealIn(given: Readonly<{ seal?: Uint8Array | undefined }> | undefined): Readonly<{ seal?: Uint8Array }> {
  return given?.seal === undefined ? {} : { seal: given.seal }
}

function nameOf({ id, writer }: AttemptRow): string {
  return JSON.stringify([writer, id])
}

/** A copy with its own bytes. `Buffer.slice` would share them. */
function copyOf<T extends object | undefined>(row: T): T {
  if (row === undefined) return row
  const fields = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? new Uint8Array(value) : (value as unknown),
  ])
  return Object.fromEntries(fields) as T
}
