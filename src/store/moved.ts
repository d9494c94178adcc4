// The location of a family. A move adds the same entry to the audit list in both databases (see move.ts). Where that
// entry is unfinished, the family is not in use: it was moved away, or has not arrived yet. Every move increases the
// epoch, so earlier opened contexts cannot commit, and later ones see the entry.

import { PactError, short, type ErrorDetails } from '../errors/index.js'
import { auditOf, entryOf, type Move } from './audit.js'
import type { AuditRow, ContextRow, Rows } from './rows.js'

/** The newest entry if it is an unfinished move. */
export function unfinishedMove(audits: readonly AuditRow[]): AuditRow | undefined {
  const last = audits.at(-1)
  return last === undefined || last.isFinished || entryOf(last).moved === undefined ? undefined : last
}

/** The move of a context that lives in another database; undefined if it lives here. */
export async function moveOf(
  rows: Rows,
  { family, epoch }: Pick<ContextRow, 'family' | 'epoch'>,
): Promise<Move | undefined> {
  if (epoch === 0) return undefined
  const move = unfinishedMove(await auditOf(rows, family))
  return move && entryOf(move).moved
}

/** Throws E_CONFLICT with the reason 'moved' if a context lives in another database. */
export async function checkNotMoved(rows: Rows, context: Pick<ContextRow, 'id' | 'family' | 'epoch'>): Promise<void> {
  const moved = await moveOf(rows, context)
  if (moved !== undefined) throw movedError(context.id, moved)
}

/**
 * E_CONFLICT for a context that lives in another database. `undone` starts the sentence about a call that had no
 * effect.
 */
export function movedError(
  id: string,
  { from, to }: Move,
  late?: Readonly<{ undone: string; details: ErrorDetails }>,
): PactError {
  const message =
    late === undefined
      ? `The context ${short(id)} was moved from ${from} to ${to}; open it there. If it has not arrived there, run the move again, which finishes it.`
      : `${late.undone}: It was moved from ${from} to ${to} meanwhile. The edits are still here: open it there, and make them again.`
  return new PactError('E_CONFLICT', message, { ...late?.details, id, reason: 'moved', from, to })
}
