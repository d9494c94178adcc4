// Commits, and what removes parts of the history for good.

import { invalid } from '../errors/index.js'
import { applyOperations, type Snapshot } from '../context/index.js'
import type { Operation } from '../edit/index.js'
import { command, type Result } from './command.js'
import { withDraft } from './drafts.js'
import { redactFirst } from './erase-match.js'
import { plainOf } from './json.js'
import { checkBase, isStored, type Apply } from './pool.js'
import type { StoredContext } from '../store/index.js'
import { withoutChildren } from './reads.js'
import { formatsOfThoughts, staleThoughts } from './stale-thoughts.js'
import { rendererFor } from './formats.js'

/** The result that a commit of operations would have; nothing is kept, and no id is spent. */
export const previewOperations = command('preview', async (pool, input) => {
  const { id, base } = input
  const renderers = await Promise.all(
    (await pool.read({ id, base }, formatsOfThoughts)).map((name) => rendererFor(name)),
  )
  return pool.read(input, (ctx, ids) => {
    const preview = ctx.preview()
    return {
      cycle: preview.cycle,
      ids,
      diff: ctx.cycle === 1 ? firstDiff(preview) : plainOf(ctx.diffDetailed('@t0', 'preview')),
      ...(input.thread === true ? { thread: preview.thread() } : {}),
      receipt: preview.receipt,
      stale_thoughts: staleThoughts(ctx, renderers),
    }
  })
})

/** Before the first commit there is no tree to compare with: everything that would be sent is new. */
function firstDiff(preview: Snapshot): Result<'preview'>['diff'] {
  const { cycle } = preview
  const added = preview.thread().map(({ id }, index) => {
    const node = preview.node(id)!
    const place = { parent: node.parentId ?? null, is_container: node.children.length > 0 }
    return { id, cause: 'created' as const, cycle, ...place, node: withoutChildren(node.toJSON()), thread_index: index }
  })
  const sides = { from: { lens: '@t0', cycle: 0 }, to: { lens: 'preview', cycle } }
  return plainOf({ ...sides, added, removed: [], changed: [], parents: [], moves: [] })
}

/** Applies operations as one cycle; the same key again gives the same answer. */
export const commitOperations = command('commit', async (pool, input) => {
  const { id, base, operations = [], key, author } = input
  if (input.operations?.length === 0) {
    throw invalid(
      'operations',
      'operations is an empty list. Leave the field out if you mean to commit nothing, which ends a cycle.',
    )
  }
  if (input.draft !== undefined) {
    const stored = await withDraft(pool, id, input.draft)
    return commitTo(stored, async (list) => applyOperations(stored, list), { base, operations, key, author })
  }
  return pool.alone(id, async (ctx, apply): Promise<Result<'commit'>> => {
    if (!isStored(ctx)) {
      if (key !== undefined) {
        throw invalid('key', 'A key needs a store: this context is in memory, where no answer is kept.')
      }
      checkBase(ctx, base)
      const ids = await apply(operations)
      const { cycle, receipt } = ctx.commit(given({ author }))
      return { cycle, ids, receipt }
    }
    return commitTo(ctx, apply, { base, operations, key, author })
  })
})

type Asked = Readonly<{
  base: number | undefined
  operations: readonly Operation[]
  key: string | undefined
  author: string | undefined
}>

async function commitTo(
  ctx: StoredContext,
  apply: Apply,
  { base, operations, key, author }: Asked,
): Promise<Result<'commit'>> {
  const before = key === undefined ? undefined : await ctx.answerTo(key, operations)
  if (before !== undefined) return { ...before, repeated: true }
  checkBase(ctx, base)
  const ids = await apply(operations)
  let isOwn = false
  const end = ctx.onCommit(() => (isOwn = true))
  try {
    const { cycle, receipt } = await ctx.commit({ ...(key === undefined ? {} : { key, asked: operations }), author })
    if (isOwn) return { cycle, ids, receipt }
  } finally {
    end()
  }
  // Another server committed the same request first.
  return { ...(await ctx.answerTo(key!))!, repeated: true }
}

/** Removes the contents of nodes that a selector finds, from everything, for good. */
export const eraseNodes = command('erase', async (pool, { id, selector, match, author, reason }) => {
  const store = pool.store('Erasing')
  const by = given({ author, reason })
  const asked = match === undefined ? selector : await redactFirst(store, id, selector, { match, ...by })
  const { audit, ...receipt } = await store.erase(id, asked, by)
  return { ...receipt, ...given({ audit }) }
})

/** Thins out the history of a context: kept snapshots stay as they are, the others are gone for good. */
export const retainSnapshots = command('retain', async (pool, input, { signal, onProgress }) => {
  const { id, newest, every, author, reason } = input
  const since = input.since === undefined ? undefined : timeOf('since', input.since)
  const { audit, ...receipt } = await pool.store('retain').retain(id, {
    ...given({ author, reason }),
    keep: { newest, every, since },
    signal,
    onProgress: ({ id, step, cycle, head }) => {
      // Read once, checked once.
      onProgress?.({ id, done: step === 'reading' ? cycle : head + cycle, total: 2 * head })
    },
  })
  return { ...receipt, ...given({ audit }) }
})

/** The fields that are not undefined. */
function given<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

function timeOf(name: string, text: string): Date {
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  throw invalid(name, `${name} is a time such as 2026-05-01 or 2026-05-01T12:00:00Z.`)
}
