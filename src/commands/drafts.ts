// Drafts: operations of the open cycle that are kept until a commit. Contexts of a pool have none open, so a draft is loaded for each call.

import { PactError } from '../errors/index.js'
import { applyOperations } from '../context/index.js'
import type { StoredContext } from '../store/index.js'
import { command } from './command.js'
import { plainOf } from './json.js'
import { checkBase, type ContextPool } from './pool.js'

/** The saved operations of the open cycle. */
export const readDraft = command('draft', async (pool, { id }) => {
  const { cycle } = await pool.state(id)
  const draft = await pool.store('A draft').draft(id)
  if (draft === undefined) return { version: 0, cycle: cycle + 1, behind: false, operations: [] }
  const { version, isBehind: behind, operations } = draft
  return { version, cycle: draft.cycle, behind, operations: plainOf(operations) }
})

/** Adds operations to the draft. */
export const saveDraft = command('saveDraft', async (pool, { id, base, version, operations }) => {
  const ctx = await withDraft(pool, id, version)
  checkBase(ctx, base)
  const ids = applyOperations(ctx, operations)
  await ctx.save()
  return { version: ctx.draft?.version ?? 0, cycle: ctx.cycle, ids }
})

/** Drops the draft. */
export const dropDraft = command('dropDraft', async (pool, { id }) => ({
  deleted: await pool.store('Dropping a draft').discardDraft(id),
}))

/** The context with its draft in the working state; E_CONFLICT unless that has the version. */
export async function withDraft(pool: ContextPool, id: string, version: number): Promise<StoredContext> {
  await pool.state(id)
  const ctx = await pool.store('A draft').open(id, { history: 1 })
  const { draft } = ctx
  if ((draft?.version ?? 0) === version && (draft === undefined || draft.state === 'loaded')) return ctx
  const message =
    draft?.state === 'behind'
      ? `The draft of ${id} was saved in cycle ${draft.cycle}, and another writer has committed since; read it with GET, drop it with DELETE, and save its operations again.`
      : `The draft of ${id} has version ${draft?.version ?? 0}, not ${version}; read it with GET, and go on from there.`
  throw new PactError('E_CONFLICT', message, { reason: 'draft', version: draft?.version ?? 0 })
}
