// Promises about a store that many use at once: a look-over next to writers, loads that race with erasures, retentions and deletions, requests with a
// key at two servers, contexts in use on a server, and families that are moved while others commit.

import { commitOperations, makeContext, storePool } from '../../../dist/commands/index.js'
import { importSnapshot, PactError } from '../../../dist/index.js'
import { createServer } from '../../../dist/server/index.js'
import { Chance } from '../chance.mjs'
import { intercepted, scratch, storeAt, told } from './files.mjs'

/**
 * @typedef {import('../../../dist/store/index.js').Store} Store
 * @typedef {import('../../../dist/store/index.js').StoredContext} StoredContext
 * @typedef {{ seed: number, deadline: number }} Settings
 */

/** @param {StoredContext} ctx @param {number} count @param {string} word */
async function grow(ctx, count, word) {
  for (let n = 0; n < count; n++) {
    ctx.user(`${word} ${n}`, { tags: n % 3 === 0 ? ['secret'] : [] })
    ctx.post(`${word} result ${n}`, { key: 'result', ttl: 1 })
    if (n % 4 === 1) ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).complete()
    await ctx.commit()
  }
}

/** Concurrent changes to the family of `x`; each marks its texts with its own word. @type {readonly ((store: Store, n: number) => Promise<unknown>)[]} */
const ACTS = [
  async (store, n) => grow(await store.open('x'), 3, `more ${n}`),
  (store) => store.retain('x', { keep: { newest: 2, every: 5 } }),
  (store) => store.erase('x', '.block[tag=secret] ?? .block:first'),
  async (store, n) => {
    const fork = await (await store.open('x')).fork('@t0', { id: `fork ${n}` })
    await grow(fork, 2, `fork ${n}`)
  },
  async (store, n) => {
    await store.delete('x', { forks: true })
    await grow(await store.open('x'), 4, `again ${n}`)
  },
]

/** Changes the family; ignores conflicts with other writers. @param {Store} store @param {Chance} chance @param {number} n */
async function act(store, chance, n) {
  try {
    await chance.pick(ACTS)(store, n)
  } catch (error) {
    if (!PactError.is(error) || isDamage(error)) throw error
  }
}

/** @param {PactError} error */
function isDamage({ code, details }) {
  return code === 'E_STORE' && details['reason'] === 'damaged'
}

/**
 * `fsck` finds nothing wrong with a healthy store, whatever others do meanwhile.
 * @param {{ rounds: number } & Settings} settings
 */
export async function fsckAmongWriters({ rounds, seed, deadline }) {
  return among({ rounds, seed, deadline }, async (store) => {
    const { problems, rows } = await store.fsck()
    return { failures: problems.map(({ message }) => `fsck next to writers: ${message}`), seen: rows }
  })
}

/**
 * A load shows one state of a context, whole, or says what happened to it.
 * @param {{ rounds: number } & Settings} settings
 */
export async function loadAmongWriters({ rounds, seed, deadline }) {
  return among({ rounds, seed, deadline }, async (store) => {
    try {
      const ctx = await store.open('x', { history: 'all' })
      for (const { cycle } of ctx.snapshots()) importSnapshot(ctx.export(`@c${cycle}`))
      return { failures: [], seen: ctx.snapshots().length }
    } catch (error) {
      const isFine = PactError.is(error) && !isDamage(error) && error.code !== 'E_SNAPSHOT_INVALID'
      return { failures: isFine ? [] : [`a load among writers: ${told(error)}`], seen: 0 }
    }
  })
}

/**
 * Looks again and again, with a store of its own, while two others change the family.
 * @param {{ rounds: number } & Settings} settings
 * @param {(store: Store) => Promise<{ failures: readonly string[], seen: number }>} look
 */
async function among({ rounds, seed, deadline }, look) {
  const { file, remove } = scratch()
  const stores = [0, 1, 2].map(() => storeAt(file('a.db')))
  const done = { rounds: 0, seen: 0, failures: /** @type {string[]} */ ([]) }
  try {
    const [first, second, third] = /** @type {[Store, Store, Store]} */ (stores)
    await grow(await first.open('x'), 8, 'first')
    const over = new AbortController()
    const writers = [first, second].map(async (store, i) => {
      const chance = new Chance(seed * 2 + i)
      for (let n = 0; !over.signal.aborted && n < 100 * rounds; n++) {
        await act(store, chance, 2 * n + i)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    try {
      for (; done.rounds < rounds && performance.now() < deadline; done.rounds++) {
        const { failures, seen } = await look(third)
        done.failures.push(...failures)
        done.seen += seen
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      over.abort()
      await Promise.all(writers)
    }
  } finally {
    for (const store of stores) await store.close()
    remove()
  }
  return done
}

/**
 * A request with a key that is sent to two servers at once is committed once, and answered alike.
 * @param {{ requests: number, deadline: number }} settings
 */
export async function retryAtTwoServers({ requests, deadline }) {
  const { file, remove } = scratch()
  const first = storeAt(file('a.db'))
  const stores = [first, storeAt(file('a.db'))]
  const done = { requests: 0, failures: /** @type {string[]} */ ([]) }
  try {
    const pools = stores.map((store) => storePool(store))
    await makeContext(storePool(first), { id: 'x' })
    for (let n = 0; n < requests && performance.now() < deadline; n++) {
      const request = {
        id: 'x',
        base: n,
        key: `job ${n}`,
        operations: [{ op: /** @type {const} */ ('user'), content: `job ${n}` }],
      }
      const answers = await Promise.all(
        [0, 1, 0, 1].flatMap((i) => pools[i] ?? []).map((pool) => commitOperations(pool, request)),
      )
      const shown = new Set(answers.map(({ cycle, ids }) => JSON.stringify([cycle, ids])))
      if (shown.size !== 1) done.failures.push(`request ${n} was answered in ${shown.size} ways`)
      if (answers.filter(({ repeated }) => repeated !== true).length !== 1)
        done.failures.push(`request ${n} was not committed once`)
      done.requests++
    }
    const { cycle } = (await first.find('x')) ?? { cycle: -1 }
    if (cycle !== done.requests) done.failures.push(`${done.requests} requests made ${cycle} commits`)
  } finally {
    for (const store of stores) await store.close()
    remove()
  }
  return done
}

/**
 * Contexts that are in use on a server stay open, as long as there is memory: each is read once, however many there are.
 * @param {{ contexts: number, deadline: number }} settings
 */
export async function keepContextsOpen({ contexts, deadline }) {
  const { file, remove } = scratch()
  let reads = 0
  const counted = async (/** @type {() => Promise<unknown>} */ go) => {
    reads++
    return go()
  }
  const store = storeAt(file('a.db'), { wrap: (rows) => intercepted(rows, 'attempts', counted) })
  const done = { contexts: 0, requests: 0, failures: /** @type {string[]} */ ([]) }
  try {
    for (; done.contexts < contexts && performance.now() < deadline; done.contexts++)
      await grow(await store.open(`c${done.contexts}`), 2, 'turn')
    const server = createServer({ store, inspector: false })
    const listening = await server.listen()
    reads = 0
    try {
      for (let round = 0; round < 3; round++) {
        for (let n = 0; n < done.contexts; n++, done.requests++) {
          const headers = { authorization: `Bearer ${server.token}` }
          const response = await fetch(`${listening.url}/v1/contexts/c${n}/thread`, { headers })
          await response.arrayBuffer()
          if (response.status !== 200) done.failures.push(`c${n} was answered with ${response.status}`)
        }
      }
    } finally {
      await listening.close()
    }
    if (reads > done.contexts) done.failures.push(`${done.contexts} contexts in use were loaded ${reads} times`)
  } finally {
    await store.close()
    remove()
  }
  return done
}

/** The error that ends a move. */
const KILLED = new Error('killed')

/**
 * A family is moved to and fro while others commit, and some moves are killed and run again: all that was acknowledged is there, once.
 * @param {{ moves: number } & Settings} settings
 */
export async function moveFamilies({ moves, seed, deadline }) {
  const { file, remove } = scratch()
  const chance = new Chance(seed)
  const [even, odd] = [storeAt(file('0.db')), storeAt(file('1.db'))]
  const userOf = (/** @type {number} */ n) => (n % 2 === 0 ? even : odd)
  const done = { moves: 0, killed: 0, commits: 0, failures: /** @type {string[]} */ ([]) }
  /** @type {string[]} */
  const said = []
  try {
    await grow(await even.open('x'), 8, 'first')
    const over = new AbortController()
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted && n < 1000 * moves; n++) {
        if (await isSaid(userOf(n), `said ${n}`)) said.push(`said ${n}`)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    })()
    try {
      for (; done.moves < moves && performance.now() < deadline; done.moves++) {
        // Writers have their turn.
        await new Promise((resolve) => setTimeout(resolve, 20))
        let left = chance.isOneIn(2) ? chance.below(60) : Infinity
        for (let isMoved = false; !isMoved; left = Infinity) {
          const wrap = (/** @type {import('./files.mjs').Rows} */ rows) =>
            new Proxy(rows, {
              get: (target, name) => {
                const value = Reflect.get(target, name, target)
                if (typeof value !== 'function' || name === 'close') return value
                return async (/** @type {unknown[]} */ ...given) => {
                  if (left-- <= 0) throw KILLED
                  return Reflect.apply(value, target, given)
                }
              },
            })
          const stores = [0, 1].map((side) => storeAt(file(`${(done.moves + side) % 2}.db`), { wrap }))
          try {
            const [source, target] = /** @type {[Store, Store]} */ (stores)
            await source.move('x', target)
            isMoved = true
          } catch (error) {
            if (error !== KILLED) throw error
            done.killed++
          } finally {
            for (const store of stores) await store.close().catch(() => undefined)
          }
        }
      }
    } finally {
      over.abort()
      await writing
    }
    const there = userOf(done.moves)
    const texts = (await there.open('x')).thread('@t0').map(({ content }) => content)
    done.commits = said.length
    for (const text of said) {
      const times = texts.filter((each) => each === text).length
      if (times !== 1) done.failures.push(`"${text}" was acknowledged, and is there ${times} times`)
    }
    for (const store of [even, odd]) {
      for (const { message } of (await store.fsck()).problems) done.failures.push(`after the moves: ${message}`)
    }
  } finally {
    for (const store of [even, odd]) await store.close()
    remove()
  }
  return done
}

/** True if the store took a commit; false if the family was moved away or another writer was faster. @param {Store} store @param {string} text */
async function isSaid(store, text) {
  try {
    if ((await store.find('x')) === undefined) return false
    const ctx = await store.open('x', { history: 1 })
    ctx.user(text)
    await ctx.commit()
    return true
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_CONFLICT') throw error
    return false
  }
}
