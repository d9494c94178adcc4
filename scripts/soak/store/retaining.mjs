// Thinning a past out: what stays is the same to the byte, and so is each diff of it; a retention that is killed at any step is
// old or new, and is finished by the next one.

import fs from 'node:fs'

import { MemoryRows, Store } from '../../../dist/store/index.js'
import { SqliteRows } from '../../../dist/store/sqlite/rows.js'
import { Chance } from '../chance.mjs'
import { edit } from '../edits.mjs'
import { playTurn } from '../turns.mjs'
import { Child, each } from './children.mjs'
import { scratch } from './files.mjs'

/**
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('../../../dist/store/index.js').Rows} Rows
 * @typedef {import('../../../dist/store/index.js').StoredContext} StoredContext
 */

/** Packs and manifests come early, so that they are thinned out as well. */
const SIZES = { packed: 3, tail: 7, manifest: 4 }
const CALL = { provider: 'acme', model: 'm', params: {} }
const START = 1_700_000_000_000
/** More statements than any retention of it has. */
const MOST = 2000
/** The part that a killed retention keeps. */
export const KEEP = { newest: 3, every: 8 }

function options() {
  let now = BigInt(START) * 1_000_000n
  return { clock: () => (now += 1_000_000_000n), attemptClock: () => now, prune: { maxNodes: 60 } }
}

/**
 * The law: a context that was thinned out, once or twice, shows what is left of it as one that never was. The same programs are played in two stores.
 * @param {{ programs: number, seed?: number, opened?: () => Promise<Rows> }} settings in which database; in memory by default
 */
export async function retainLaw({ programs, seed = 1, opened = async () => new MemoryRows() }) {
  /** @type {string[]} */
  const failures = []
  let [thinned, texts, needed] = [0, 0, 0]
  for (let n = 0; n < programs; n++) {
    const stores = [new Store(await opened(), SIZES), new Store(new MemoryRows(), SIZES)]
    const roots = await Promise.all(stores.map((store) => store.open('root', { ...options(), history: 'all' })))
    for (const root of roots) await play(root, new Chance(seed * 7919 + n), n)
    const draw = new Chance(seed * 104_729 + n)
    const [store, twin] = /** @type {[Store, Store]} */ (stores)
    /** @type {(text: string) => void} */
    const fail = (text) => void failures.push(`Program ${n}: ${text}`)
    for (let round = 0; round < 1 + (n % 2); round++) {
      for (const id of n % 3 === 0 ? ['root', 'fork'] : ['root']) {
        const receipt = await store.retain(id, { keep: keepOf(draw) })
        thinned += receipt.thinned
        texts += receipt.texts
        needed += receipt.needed.length
      }
      for (const each of stores) {
        const root = await each.open('root', options())
        root.user(`round ${round}`)
        await root.commit()
      }
    }
    for (const id of ['root', 'fork']) await compare(store, twin, id, fail)
    for (const { id, message } of (await store.fsck()).problems) fail(`${String(id)}: ${message}`)
    for (const each of stores) await each.close()
  }
  return { failures, thinned, texts, needed }
}

/**
 * @param {StoredContext} root
 * @param {Chance} chance
 * @param {number} n
 */
async function play(root, chance, n) {
  const plain = /** @type {Context} */ (/** @type {unknown} */ (root))
  for (let turn = 0; turn < 24; turn++) {
    if (turn % 5 === 1) plain.put('plan', `plan ${turn}`, { zone: 'pre', ttl: 1, cad: 2 })
    if (chance.isOneIn(2)) edit(plain, chance)
    playTurn(plain, chance)
    if (turn === 9 && n % 2 === 0) root.startAttempt(CALL).complete({})
    await root.commit()
    if (turn !== 14) continue
    const fork = await root.fork('@t-3', { id: 'fork', ...options() })
    for (let more = 0; more < 6; more++) {
      fork.user(`fork ${more}`, { ttl: 2 })
      await fork.commit()
    }
  }
}

/** @param {Chance} chance */
function keepOf(chance) {
  const kinds = [{ newest: 1 + chance.below(5) }, { every: 2 + chance.below(6) }, { since: new Date(START + 60_000) }]
  return { ...kinds[chance.below(3)], ...kinds[chance.below(3)] }
}

/**
 * Each snapshot that one has is as in the other, and a missing one cannot be named.
 * @param {Store} store
 * @param {Store} twin
 * @param {string} id
 * @param {(text: string) => void} fail
 */
async function compare(store, twin, id, fail) {
  const [ctx, whole] = [await store.open(id, { history: 'all' }), await twin.open(id, { history: 'all' })]
  const cycles = ctx.snapshots().map(({ cycle }) => cycle)
  for (const [i, cycle] of cycles.entries()) {
    const lens = /** @type {const} */ (`@c${cycle}`)
    if (!same(ctx.export(lens), whole.export(lens))) fail(`${id} ${lens} is another one.`)
    if (!same(ctx.threadBytes(`@t-${i}`), whole.threadBytes(lens))) fail(`${id} @t-${i} is not ${lens}.`)
    for (const other of cycles.slice(i + 1, i + 4)) {
      const [a, b] = [ctx, whole].map((each) => JSON.stringify(each.diffDetailed(`@c${other}`, lens)))
      if (a !== b) fail(`${id}: what differs between @c${other} and ${lens} is told otherwise.`)
    }
  }
  for (const { cycle } of whole.snapshots()) {
    if (cycles.includes(cycle)) continue
    const lens = /** @type {const} */ (`@c${cycle}`)
    const said = outcome(() => ctx.export(lens))
    if (said !== 'E_SNAPSHOT_NOT_FOUND thinned') fail(`${id} ${lens}: ${said}`)
  }
  for (const selector of ['.block', '#plan', "[role='user']"]) {
    const all = new Set(cycles.flatMap((cycle) => whole.select(`@c${cycle} ${selector}`)))
    const found = ctx.select(`@* ${selector}`)
    if (found.length !== all.size || found.some((node) => !all.has(node))) fail(`${id}: @* ${selector} finds others.`)
  }
  const [newest, ...older] = cycles
  for (const { id: node } of ctx.nodes(`@c${newest} .block`)) {
    const [a, b] = [ctx, whole].map((each) => JSON.stringify(each.explain(node)))
    if (a !== b && older.length > 0) fail(`${id}: ${node} is explained otherwise.`)
  }
  // Loaded by name it is the same.
  const short = await store.open(id, { history: 2 })
  for (const cycle of cycles) {
    const lens = /** @type {const} */ (`@c${cycle}`)
    await short.loadHistory(lens)
    if (!same(short.export(lens), whole.export(lens))) fail(`${id} ${lens}, loaded by name, is another one.`)
  }
}

/** @param {() => unknown} act */
function outcome(act) {
  try {
    act()
    return 'done'
  } catch (error) {
    const { code, details } = /** @type {{ code: string, details: { reason?: string } }} */ (error)
    return `${code} ${details.reason}`
  }
}

/**
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
function same(a, b) {
  return Buffer.from(a).equals(Buffer.from(b))
}

/** @param {Store} store */
export async function plantPast(store) {
  const root = await store.open('root', { ...options(), history: 'all' })
  await play(root, new Chance(3), 2)
  await store.close()
}

/**
 * The number of snapshots of the two contexts in a store, and the bytes of the newest.
 * @param {Store} store
 */
export async function pastOf(store) {
  const told = []
  for (const id of ['root', 'fork']) {
    const ctx = await store.open(id, { history: 'all' })
    const cycles = ctx.snapshots().map(({ cycle }) => cycle)
    told.push([id, ...cycles, Buffer.from(ctx.export('@t0')).toString('base64')].join())
  }
  return told.join('\n')
}

/**
 * Kills a retention before each of its statements that write, one after the other.
 * @param {{ every?: number, node?: string | undefined }} [settings] only every nth of them
 */
export async function killRetaining({ every = 1, node } = {}) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  const outcomes = { old: 0, new: 0 }
  const storeOf = (/** @type {string} */ path) => new Store(new SqliteRows(path), SIZES)
  let [isOver, kills] = [false, 0]
  try {
    await plantPast(storeOf(file('planted.db')))
    fs.copyFileSync(file('planted.db'), file('whole.db'))
    const whole = storeOf(file('whole.db'))
    const old = await pastOf(whole)
    await whole.retain('root', { keep: KEEP })
    const thinned = await pastOf(whole)
    await whole.close()
    await each(MOST, 2, async (n) => {
      const at = 1 + n * every
      if (isOver) return
      const path = file(`${at}.db`)
      fs.copyFileSync(file('planted.db'), path)
      const { lines, errors } = await new Child('retaining', { file: path, at }, { node }).ended
      const killed = lines.find(({ say }) => say === 'killed')
      const fail = (/** @type {string} */ text) => void failures.push(`Killed before statement ${at}: ${text}`)
      if (killed === undefined) {
        isOver = true
        if (!lines.some(({ say }) => say === 'retained')) fail(`it ended otherwise: ${errors}`)
      } else kills++
      const store = storeOf(path)
      const past = await pastOf(store)
      if (past !== old && past !== thinned) fail('it is neither old nor new')
      else if (killed !== undefined) outcomes[past === old ? 'old' : 'new']++
      const damage = (await store.fsck(undefined, { patience: 0 })).problems.filter(
        ({ message }) => !message.includes('not finished'),
      )
      if (damage.length > 0) fail(JSON.stringify(damage))
      const { kept } = await store.retain('root', { keep: KEEP })
      if (kept === 0) fail('nothing was kept')
      if ((await pastOf(store)) !== thinned) fail('it is another one when it is done again')
      const { problems } = await store.fsck()
      if (problems.length > 0) fail(JSON.stringify(problems))
      await store.close()
      fs.rmSync(path)
    })
    if (!isOver) failures.push(`It has more than ${MOST * every} statements that write.`)
    return { failures, outcomes, kills }
  } finally {
    remove()
  }
}
