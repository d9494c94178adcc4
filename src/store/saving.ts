// Saves of a stored context, and the draft as the context knows it.

import { prepareSave, replayOpenEdits, type Parts, type PendingSave, type Replayed } from '../context/persistence.js'
import type { MintCounters } from '../core/index.js'
import type { PactError } from '../errors/index.js'
import { sameBytes } from './compare.js'
import { draftPart, noOperations, openedInPast, notLoadedDraft, unknownSave, type DraftInfo } from './drafts.js'
import { isUnknown } from './fault.js'
import { loadDraft, type Loaded } from './loading.js'
import type { ContextRow, NewSave, Rows } from './rows.js'

/** The context that is saved. */
export type SaveHost = Readonly<{
  parts: () => Parts
  /** The row of the context, with the hash of the newest row that the context has seen. */
  row: () => ContextRow
  /** The current row in the database; undefined if the context was deleted. */
  currentRow: () => Promise<ContextRow | undefined>
  conflict: (cycle: number) => Promise<PactError>
  /** Writes attempts that wait; undefined if there are none. */
  beforeWriting: () => Promise<void> | undefined
}>

export class Saver {
  readonly #rows: Rows
  readonly #host: SaveHost
  #info: DraftInfo | undefined
  /** Number of the newest save that this context knows. */
  #version = 0
  /** Counters of the mint at that save. */
  #counters: MintCounters | undefined
  /** A save whose outcome is unknown. */
  #unknown: NewSave | undefined

  /** True for a context that was opened as of a cycle: it neither loads nor saves drafts. */
  readonly isOff: boolean

  constructor(rows: Rows, isOff: boolean, host: SaveHost) {
    this.#rows = rows
    this.isOff = isOff
    this.#host = host
  }

  get info(): DraftInfo | undefined {
    return this.#info
  }

  /** The number of the draft whose edits are in the working state; undefined if there is none. */
  get included(): number | undefined {
    return this.#info?.state === 'loaded' ? this.#version : undefined
  }

  get isUnknown(): boolean {
    return this.#unknown !== undefined
  }

  /** True if this context has everything that is saved. */
  isNewest({ draft }: ContextRow): boolean {
    return (
      this.isOff || (draft.version === this.#version && (this.#info === undefined || this.#info.state === 'loaded'))
    )
  }

  /** True if the draft is in the working state, and no other writer has changed it. */
  isOwn({ draft }: ContextRow): boolean {
    return this.included === draft.version
  }

  /** Notes the draft that was found when the context was loaded. */
  found(info: DraftInfo | undefined): void {
    this.#info = info
    this.#version = info?.version ?? this.#host.row().draft.version
    this.#counters = this.#host.parts().open.mint.counters
  }

  /** A rebase has repeated the edits of the draft here. Unless it was loaded as it is, the next save replaces it. */
  takeOver({ version, state }: DraftInfo): void {
    if (state === 'loaded') return
    this.#know(version)
    this.#host.parts().open.log.markChanged()
  }

  /** A commit has deleted the draft, or has left one behind that is not loaded. */
  committed(): void {
    const info = this.#info
    this.#info = info === undefined || info.state === 'loaded' ? undefined : Object.freeze({ ...info, state: 'behind' })
    this.#counters = this.#host.parts().open.mint.counters
  }

  async save(): Promise<void> {
    if (this.#unknown !== undefined) await this.settle()
    const { id } = this.#host.row()
    if (this.isOff) throw openedInPast(id)
    if (this.#info !== undefined && this.#info.state !== 'loaded') throw notLoadedDraft(id, this.#info)
    const pending = prepareSave(this.#host.parts(), this.#counters!)
    await (pending === undefined ? this.#host.beforeWriting() : this.#write(pending))
  }

  async #write(pending: PendingSave): Promise<void> {
    const { cycle, isWhole, body } = pending
    const row = this.#host.row()
    const version = this.#version
    const part = draftPart(row, cycle, version + 1, body)
    const save = { ctx: row.ctx, after: row.chain, epoch: row.epoch, version, cycle, part, isWhole }
    try {
      await this.#host.beforeWriting()
      if (!(await this.#isSaved(save))) throw await this.#host.conflict(cycle)
    } catch (error) {
      pending.giveUp()
      throw error
    }
    pending.done()
    this.#know(version + 1)
  }

  /** Writes a save; once more if the database showed an older state for a moment. */
  async #isSaved(save: NewSave, isFirst = true): Promise<boolean> {
    try {
      if ((await this.#rows.saveDraft(save)) === 'done') return true
    } catch (error) {
      if (!isUnknown(error)) throw error
      this.#unknown = save
      throw unknownSave(this.#host.row().id, save.cycle, error)
    }
    const now = await this.#host.currentRow()
    const isExpected =
      now?.epoch === save.epoch && sameBytes(now.chain, save.after!) && now.draft.version === save.version
    return isFirst && isExpected ? this.#isSaved(save, false) : false
  }

  /** Looks whether a save with a lost answer was written. */
  async settle(): Promise<void> {
    const { ctx, version, part } = this.#unknown!
    const found = await this.#rows.draft(ctx)
    this.#unknown = undefined
    const last = found?.parts.at(-1)
    if (found?.version !== version + 1 || last === undefined || !sameBytes(last, part!)) return
    this.#know(version + 1)
    // Edits may have been taken back since.
    this.#host.parts().open.log.markChanged()
  }

  /** The draft with this number is in the working state. */
  #know(version: number): void {
    const { draft, log, mint } = this.#host.parts().open
    this.#info = Object.freeze({ cycle: draft.cycle, version, operations: log.size, state: 'loaded' })
    this.#version = version
    this.#counters = mint.counters
  }
}

const NOTHING_REPLAYED: Replayed = { ids: new Map(), elsewhere: [] }

/**
 * Repeats a draft that is behind, and then the open edits of the old parts, in newly loaded ones. `isOwn` if the old parts have the draft
 * as it is stored; `included` if they have it, perhaps as it was before another writer changed it.
 */
export async function replayAfter(
  rows: Rows,
  old: Parts,
  { parts, row, draft, saved }: Loaded,
  isOwn: boolean,
  included: number | undefined,
): Promise<Replayed> {
  const apart = isOwn || draft?.state !== 'behind' ? undefined : await loadDraft(rows, row, saved!)
  // The saved edits are there already, with the draft.
  const isThere = included !== undefined && (draft?.state === 'loaded' || apart !== undefined)
  for (const each of [apart?.open, isThere ? undefined : old.open]) {
    if (each?.log.base !== undefined) throw noOperations(row.id, each.draft.cycle)
  }
  const first = apart === undefined ? NOTHING_REPLAYED : replayOpenEdits(apart, parts)
  const second = replayOpenEdits(old, parts, isThere ? old.open.log.saved : 0, first.ids)
  return { ids: second.ids, elsewhere: Object.freeze([...first.elsewhere, ...second.elsewhere]) }
}
