// All that a store shows, as sums that can be kept beside it.

import { createHash } from 'node:crypto'

import { OPTIONS, storeAt, sumOf } from './files.mjs'

/** @param {string} file */
export async function shownIn(file) {
  const store = storeAt(file)
  /** @type {Record<string, unknown>} */
  const shown = {}
  try {
    for (const { id, cycle, forks } of (await store.list({ limit: 1000 })).contexts) {
      const ctx = await store.open(id, OPTIONS)
      shown[id] = {
        cycle,
        forks,
        snapshots: Object.fromEntries(
          ctx.snapshots().map((each) => [each.cycle, sumOf(ctx.snapshot(`@c${each.cycle}`))]),
        ),
        working: sumOf(ctx.snapshot('working')),
        diff: hash(JSON.stringify(ctx.snapshots().length > 1 ? ctx.diffDetailed('@t-1', '@t0') : null)),
        attempts: hash(JSON.stringify(ctx.attempts())),
        answer: (await ctx.answerTo('key 12')) ?? null,
      }
    }
    return shown
  } finally {
    await store.close()
  }
}

/** @param {string} text */
function hash(text) {
  return createHash('sha256').update(text).digest('hex')
}
