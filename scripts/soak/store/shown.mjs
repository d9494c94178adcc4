// Everything a store shows, as hashes. Attempts are hashed in their stored form, which has more than their public record.

import { createHash } from 'node:crypto'

import { Context } from '../../../dist/context/index.js'
import { OPTIONS, storeAt, sumOf } from './files.mjs'

/** Internal names are not in the declarations. @typedef {{ partsOf(ctx: object): { attempts: { list(): readonly unknown[] } } }} Internals */
const Internals = /** @type {Internals} */ (/** @type {unknown} */ (Context))

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
        attempts: hash(JSON.stringify(Internals.partsOf(ctx).attempts.list(), withBigints)),
        answer: (await ctx.answerTo('key 12')) ?? null,
      }
    }
    return shown
  } finally {
    await store.close()
  }
}

/** @param {string} _name @param {unknown} value */
function withBigints(_name, value) {
  return typeof value === 'bigint' ? `${value}n` : value
}

/** @param {string} text */
function hash(text) {
  return createHash('sha256').update(text).digest('hex')
}
