// Drafts: the saved edits of an open cycle (D62). A draft is no snapshot: no lens names it. Its parts are bound to their
// context, their cycle and their number, so that none can be lost, exchanged or taken from another draft unnoticed.

import { decodeDraft } from '../codec/index.js'
import { encodeState, restoreSaved, type Parts } from '../context/persistence.js'
import type { DraftRecord } from '../core/index.js'
import type { Operation } from '../edit/index.js'
import { PactError, short, type ErrorDetails } from '../errors/index.js'
import type { Erasing } from '../timeline/index.js'
import { storeFault } from './fault.js'
import type { ContextRow, DraftRow, Rows } from './rows.js'
import { sealedFor, unsealedFor, type Owner } from './seal.js'

/** The draft of a stored context, as `ctx.draft` shows it. */
export type DraftInfo = Readonly<{
  /** The open cycle that it was saved in. */
  cycle: number
  /** Changes with every save. */
  version: number
  /** The number of its operations. */
  operations: number
  /**
   * 'loaded': its edits are in the working state. 'behind': another writer has committed since; `rebase()` applies it. 'left': the
   * context was opened without it.
   */
  state: 'loaded' | 'behind' | 'left'
}>

/** A draft as data, without the context that it belongs to. */
export type SavedDraft = Readonly<{
  cycle: number
  version: number
  /** True if another writer has committed since. */
  isBehind: boolean
  /** Its operations with the ids that they gave out; those before a redaction or an erasure are not kept. */
  operations: readonly Operation[]
}>

export function savedDraft(context: ContextRow, draft: DraftRow): SavedDraft {
  const { cycle, version } = draft
  const edits = recordsOf(context, draft).flatMap((record) => record.edits)
  const operations = edits.map(({ operation, stamps }) => ({ ...operation, made: stamps.map(({ id }) => id) }))
  return Object.freeze({ cycle, version, isBehind: cycle <= context.head, operations: operations as never })
}

/** A part as it is stored. */
export function draftPart(owner: Owner, cycle: number, version: number, body: Uint8Array): Uint8Array {
  return sealedFor(owner, body, 'draft', String(cycle), String(version))
}

/** The saves of a draft, in order; E_STORE if one is damaged or missing. */
export function recordsOf(
  context: Pick<ContextRow, 'id' | 'seal'>,
  { version, cycle, parts }: DraftRow,
): readonly DraftRecord[] {
  return parts.map((part, i) => {
    const bytes = unsealedFor(context, part, 'draft', String(cycle), String(version - parts.length + 1 + i))
    if (bytes === undefined) throw damagedDraft(context.id, cycle, 'it is not what was written')
    return decodeDraft(bytes)
  })
}

export function damagedDraft(id: string, cycle: number, why: string): PactError {
  const message = `The draft of cycle ${cycle} of ${short(id)} is damaged: ${why}. Restore it from a backup, or open the context with { draft: 'discard' }, which drops it.`
  return storeFault(message, 'failed', { reason: 'damaged', id, cycle })
}

/** Makes the saved edits again in a context that was loaded at the head that they follow. */
export function applySaved({ id }: Pick<ContextRow, 'id'>, parts: Parts, records: readonly DraftRecord[]): void {
  try {
    restoreSaved(parts, records)
  } catch (error) {
    if (!PactError.is(error) || error.code === 'E_INTERNAL') throw error
    throw damagedDraft(id, parts.open.draft.cycle, `its edits cannot be made again (${error.message})`)
  }
}

/** Drops a draft, whatever its cycle. 'conflict' if another writer has saved meanwhile. */
export function discard(rows: Rows, { ctx, epoch, draft }: ContextRow): Promise<'done' | 'conflict'> {
  const { version } = draft
  return rows.saveDraft({ ctx, after: undefined, epoch, version, cycle: 0, part: undefined, isWhole: true })
}

/** E_CONFLICT for a save or a commit after another writer has saved or dropped a draft of the same cycle. */
export function otherDraft(undone: string, details: ErrorDetails): PactError {
  const message = `${undone}: Another writer has saved or dropped a draft of it meanwhile. The edits are still here: call rebase() to repeat them after that draft, and try again.`
  return new PactError('E_CONFLICT', message, { ...details, reason: 'draft' })
}

/** E_CONFLICT for a save over a draft that this context has not loaded. */
export function notLoadedDraft(id: string, { cycle, version }: DraftInfo): PactError {
  const message = `${id} has a draft of cycle ${cycle} that this context has not loaded, and a save would replace it. Call rebase(), which applies it here, or open the context with { draft: 'discard' }, which drops it.`
  return new PactError('E_CONFLICT', message, { cycle, version, reason: 'draft' })
}

/** E_CONFLICT for a save of a context that `openAt` gave. */
export function openedInPast(id: string): PactError {
  const message = `${short(id)} was opened with openAt, which knows no drafts; open it with open() to save it.`
  return new PactError('E_CONFLICT', message, { id, reason: 'draft' })
}

/** E_STORE after a save whose outcome is unknown. */
export function unknownSave(id: string, cycle: number, cause: unknown): PactError {
  const message = `It is not known whether the draft of cycle ${cycle} of ${id} was written: ${cause instanceof Error ? cause.message : 'the database did not answer.'} Call save() or commit() again: both check that first.`
  return storeFault(message, 'unknown', { cycle }, cause)
}

/** E_CONFLICT for a draft that cannot be repeated after another head, since it is kept as a state. */
export function noOperations(id: string, cycle: number): PactError {
  const message = `The draft of cycle ${cycle} of ${id} cannot be repeated after another commit: something in it was redacted or erased, so only its state is kept, and not its edits. Open the context with { draft: 'discard' }, and make the edits again.`
  return new PactError('E_CONFLICT', message, { cycle, reason: 'draft' })
}

/** The number of operations in a draft. */
export function countOperations(records: readonly DraftRecord[]): number {
  return records.reduce((sum, { edits }) => sum + edits.length, 0)
}

/** The same draft without erased content: its state, and no operations. `parts` is the context with the draft applied. */
export function erasedDraft(
  context: Pick<ContextRow, 'id' | 'seal'>,
  { version, cycle }: DraftRow,
  parts: Parts,
  erasing: Erasing,
): DraftRow {
  parts.open.erase(erasing)
  const next = version + 1
  return { version: next, cycle, parts: [draftPart(context, cycle, next, encodeState(parts))] }
}
