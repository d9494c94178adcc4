// Acknowledgements that are lost: a writer that sends a commit again gets the cycle that it made, and nothing is committed twice or
// lost. In another process by its key; in the same one by calling commit() again.

import { storeFault } from '../../../dist/store/fault.js'
import { countOf, faultsOf, intercepted, OPTIONS, scratch, storeAt, told } from './files.mjs'

/** @typedef {import('./files.mjs').Rows} Rows */

/** The mishaps of one commit on its way. */
const LOSSES = /** @type {const} */ ([
  'its process ends after the commit',
  'its process ends before the commit',
  'unknown, and it was written',
  'unknown, and it was not written',
  'unknown twice, and it was not written',
  'unknown, it was not written, and another writer takes the cycle',
  'unknown, it was written, and another writer goes on',
  'unknown, it was written, and its row is packed',
  'refused, and what came before cannot be read at once',
])

/** Who writes needs no past, and there are a thousand who open one. */
const SHORT = { ...OPTIONS, history: 2 }
/** The number of commits in one file. */
const A_FILE = 2 * LOSSES.length

/** @param {{ commits: number }} settings */
export async function loseAnswers({ commits }) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  let held = 0
  try {
    let [loss, times] = ['', 0]
    const wrap = (/** @type {Rows} */ rows) =>
      intercepted(intercepted(rows, 'commit', lossy), 'read', async (go) => {
        if (loss.startsWith('refused') && times-- > 0) throw storeFault('Not now.', 'failed', { reason: 'busy' })
        return go()
      })
    const lossy = async (/** @type {() => Promise<unknown>} */ go) => {
      if (!loss.startsWith('unknown') || times-- <= 0) return go()
      if (!loss.includes('not written')) await go()
      throw storeFault('The connection was lost.', 'unknown', { reason: 'io' })
    }
    for (let n = 0; n < commits; n++) {
      const path = file(`${Math.floor(n / A_FILE)}.db`)
      const kind = LOSSES[n % LOSSES.length] ?? LOSSES[0]
      const [key, text] = [`key ${n}`, `said ${n}`]
      const other = storeAt(path)
      const store = storeAt(path, { wrap })
      try {
        const head = (await other.open('main', SHORT)).cycle - 1
        const later = async (/** @type {number} */ count) => {
          const ctx = await other.open('main', SHORT)
          for (let i = 0; i < count; i++) {
            ctx.user(`other ${n}/${i}`)
            await ctx.commit()
          }
        }
        const ctx = await store.open('main', SHORT)
        ctx.user(text)
        ;[loss, times] = [kind, kind.includes('twice') ? 2 : 1]
        let cycle = head + 1
        if (kind === 'its process ends after the commit') await ctx.commit({ key })
        else if (kind.startsWith('unknown')) {
          for (let i = kind.includes('twice') ? 2 : 1; i > 0; i--) {
            expectThat((await outcomeOf(ctx.commit({ key }))) === 'E_STORE unknown', 'the outcome is unknown')
          }
          if (kind.includes('another writer')) await later(1)
          if (kind.includes('packed')) await later(24)
        } else if (kind.startsWith('refused')) {
          await later(1)
          expectThat((await outcomeOf(ctx.commit({ key }))).startsWith('E_STORE'), 'the read that fails is told')
          cycle = head + 2
        }
        // In the same process.
        if (kind.startsWith('unknown') || kind.startsWith('refused')) {
          const outcome = await outcomeOf(ctx.commit({ key }))
          const isBeaten = kind.includes('takes the cycle') || kind.startsWith('refused')
          expectThat(outcome === (isBeaten ? 'E_CONFLICT' : `cycle ${head + 1}`), `commit() again: ${outcome}`)
          if (isBeaten) {
            expectThat(ctx.operations().length === 1, 'the edits are still there')
            ctx.user('and more')
            cycle = head + 2
          }
        }
        // In another one, by its key, as often as you like.
        for (let again = 0; again < 2; again++) {
          const next = await other.open('main', SHORT)
          next.user(text)
          const { cycle: given } = await next.commit({ key })
          expectThat(given === cycle, `the key gave cycle ${given}, not ${cycle}`)
          const answer = await next.answerTo(key)
          expectThat(answer?.cycle === cycle && answer.ids.length === 1, 'the answer is kept')
        }
        const end = await other.open('main', OPTIONS)
        const shown = Buffer.from(end.export(`@c${cycle}`)).toString('utf8')
        expectThat(shown.split(JSON.stringify(text)).length === 2, 'it is there once')
        expectThat(end.snapshots().length === end.cycle - 1, 'every cycle is there')
        held++
      } catch (error) {
        failures.push(`${n}, ${kind}: ${told(error)}`)
      } finally {
        await store.close()
        await other.close()
      }
    }
    let packs = 0
    for (let n = 0; n < commits; n += A_FILE) {
      const path = file(`${n / A_FILE}.db`)
      const store = storeAt(path)
      failures.push(...(await faultsOf(path, store)))
      await store.close()
      packs += countOf(path, 'packs')
    }
    return { held, packs, failures }
  } finally {
    remove()
  }
}

/**
 * @param {boolean} holds
 * @param {string} what
 */
function expectThat(holds, what) {
  if (!holds) throw new Error(`It does not hold that ${what}.`)
}

/** @param {Promise<{ cycle: number }>} commit */
async function outcomeOf(commit) {
  try {
    return `cycle ${(await commit).cycle}`
  } catch (error) {
    const { code, details } = /** @type {{ code: string, details: { outcome?: string } }} */ (error)
    return details.outcome === undefined ? code : `${code} ${details.outcome}`
  }
}
