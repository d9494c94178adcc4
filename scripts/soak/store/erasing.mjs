// Erasing for good: nothing of a secret is left in the files of a store, and an erasure that is killed at any step is old or new, and is
// finished by the next one.

import fs from 'node:fs'

import { openDatabase } from '../../../dist/store/sqlite/driver.js'
import { createContext } from '../../../dist/index.js'
import { decompressed } from '../../../dist/store/compressed.js'
import { MemoryRows, Store } from '../../../dist/store/index.js'
import { rowsOf } from '../../../dist/store/pack.js'
import { SqliteRows } from '../../../dist/store/sqlite/rows.js'
import { Chance } from '../chance.mjs'
import { edit } from '../edits.mjs'
import { playTurn } from '../turns.mjs'
import { Child, each } from './children.mjs'
import { scratch } from './files.mjs'

/** With what JSON escapes, and enough that no other bytes are like it. */
export const SECRET = 'Gehëim 🔑 4711-swordfish-0815'
/** The texts that are erased. */
export const ERASED = "[content~'swordfish']"
export const WHO = { author: 'dpo', reason: 'asked' }
/** Packs and manifests come early, so that the secret is in all of them. */
export const SIZES = { packed: 4, tail: 9, manifest: 5 }
/** More statements than any erasure of it has. */
const MOST = 2000
const CALL = { provider: 'acme', model: 'm', params: {} }

/** The same database, with a look at each statement before it is run. */
export const countingDatabase = (/** @type {(sql: string) => void} */ look) => (/** @type {string} */ file) => {
  const db = openDatabase(file)
  return {
    exec: (/** @type {string} */ sql) =>
      (look(sql), db.exec(sql)),
    prepare: (/** @type {string} */ sql) => {
      const { run, get, all } = bound(db.prepare(sql))
      return {
        run: (/** @type {any[]} */ ...values) =>
          (look(sql), run(...values)),
        get: (/** @type {any[]} */ ...values) =>
          (look(sql), get(...values)),
        all: (/** @type {any[]} */ ...values) =>
          (look(sql), all(...values)),
      }
    },
    close: () => db.close(),
  }
}

/** @param {import('../../../dist/store/sqlite/driver.js').Statement} statement */
function bound(statement) {
  return {
    run: statement.run.bind(statement),
    get: statement.get.bind(statement),
    all: statement.all.bind(statement),
  }
}

/** @param {string} file */
function storeOf(file) {
  return new Store(new SqliteRows(file), SIZES)
}

/** @param {string} file */
export async function plantSecret(file) {
  await plantSecretIn(storeOf(file))
}

/**
 * A store in which a secret is everywhere that anything can be: contents, attributes, versions, schedules and what they brought, forks, packs, pages,
 * attempts, answers.
 * @param {Store} store
 */
export async function plantSecretIn(store) {
  const root = await store.open('root', { history: 'all' })
  root.system.add('Be kind.')
  root.user(SECRET, { key: 'it', data_note: SECRET, provenance: { from: SECRET } })
  await root.commit({ key: 'first' })
  root.put('reminder', `reminder ${SECRET}`, { zone: 'pre', ttl: 1, cad: 3 })
  for (let n = 0; n < 24; n++) {
    root.user(n % 5 === 0 ? { text: [SECRET, n] } : `turn ${n}`)
    // A returning node is taken out in the same cycle, so that no snapshot has it.
    if (n % 6 === 0) root.put('note', `note ${SECRET}`, { zone: 'pre', ttl: 1, cad: 2 })
    if (n % 6 === 2) root.delete('#note?')
    if (n === 10) root.replace('#it', { content: `${SECRET}, again` })
    const attempt =
      n % 4 > 1 ? undefined : root.startAttempt({ ...CALL, request: { prompt: SECRET }, keepRequest: true })
    if (n % 4 === 0) attempt?.fail(new Error(`refused: ${SECRET}`))
    await root.commit(n % 4 === 0 ? { key: `key ${n}` } : {})
    if (n !== 12 && n !== 20) continue
    const fork = await root.fork(n === 12 ? '@t0' : 'working', { id: `fork ${n}` })
    fork.user(`${SECRET} in a fork`)
    await fork.commit()
  }
  // Nothing of it: this one must stay what it is.
  const other = await store.open('other')
  other.user('nothing to hide')
  await other.commit()
  await store.close()
}

/** The secret in every form that somebody may look for. */
function needles() {
  const json = JSON.stringify(SECRET).slice(1, -1)
  const ascii = json.replaceAll(/[\u0080-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const forms = [SECRET, ascii, '4711-swordfish-0815']
  const base64 = forms.flatMap((form) =>
    // It may begin at any of three places; what its neighbours change is cut off.
    [0, 1, 2].map((shift) =>
      Buffer.from(`${'x'.repeat(shift)}${form}`)
        .toString('base64')
        .slice(4, -4),
    ),
  )
  const hex = forms.map((form) => Buffer.from(form).toString('hex'))
  return [...forms, ...base64, ...hex, Buffer.from(forms[2] ?? '', 'utf16le').toString('latin1')]
}

/**
 * Notes each place that the secret is found in.
 * @param {string[]} found
 */
export function lookFor(found) {
  const wanted = needles().map((each) =>
    Buffer.from(each, /[^\0-\u00ff]|[^\0-~]/.test(each) && !each.includes('\0') ? 'utf8' : 'latin1'),
  )
  return (/** @type {string} */ where, /** @type {Uint8Array} */ bytes) => {
    const buffer = Buffer.from(bytes)
    if (wanted.some((each) => buffer.includes(each))) found.push(where)
  }
}

/**
 * Where the secret is found: in the bytes of the files, and in everything that the tables hold, unpacked.
 * @param {string} file
 * @returns {readonly string[]}
 */
export function foundIn(file) {
  /** @type {string[]} */
  const found = []
  const look = lookFor(found)
  for (const end of ['', '-wal', '-shm', '-journal'])
    if (fs.existsSync(file + end)) look(`bytes of ${end}`, fs.readFileSync(file + end))
  const db = openDatabase(file)
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map((row) => String(row['name']))
  for (const table of tables) {
    for (const row of db.prepare(`SELECT * FROM ${table}`).all()) {
      for (const [name, cell] of Object.entries(row)) {
        if (typeof cell === 'string') look(`${table}.${name}`, Buffer.from(cell))
        if (cell instanceof Uint8Array) for (const bytes of unpacked(cell)) look(`${table}.${name}`, bytes)
      }
      if (table === 'packs') {
        const [from, k] = [Number(row['first']), Number(row['k'])]
        const pack = { from, to: k % 2 ** 30, body: /** @type {Uint8Array} */ (row['body']) }
        for (const each of rowsOf(pack)) for (const part of [each.changes, each.bodies]) look('a row in a pack', part)
      }
    }
  }
  db.close()
  return [...new Set(found)]
}

/**
 * Bytes as they are, and as they are when unpacked from wherever they may be packed.
 * @param {Uint8Array} cell
 */
export function unpacked(cell) {
  const all = [cell]
  for (const start of [0, 16, 32]) {
    try {
      all.push(decompressed(cell.subarray(start)))
    } catch {
      // Not packed from here on.
    }
  }
  return all
}

/**
 * The words that the contexts of a store still say, one for each: 'old' or 'new'.
 * @param {Store} store
 */
export async function statesOf(store) {
  const states = []
  for (const { id } of (await store.list()).contexts) {
    if (id === 'other') continue
    const ctx = await store.open(id, { history: 'all' })
    const texts = [
      ...ctx.snapshots().map(({ cycle }) => /** @type {const} */ (`@c${cycle}`)),
      /** @type {const} */ ('working'),
    ]
    const says = texts.filter((lens) => Buffer.from(ctx.export(lens)).includes('swordfish'))
    states.push(says.length === 0 ? 'new' : says.length === texts.length ? 'old' : `mixed: ${says.join(' ')}`)
    if (ctx.attempts().length > 0) states.push(JSON.stringify(ctx.attempts()).includes('swordfish') ? 'old' : 'new')
  }
  return states
}

/** Erases a secret that is everywhere, and looks for it. */
export async function eraseSecret() {
  const { file, remove } = scratch()
  const path = file('secret.db')
  try {
    await plantSecret(path)
    const store = storeOf(path)
    const holder = await store.open('root')
    // So that it is in the log as well.
    holder.user(SECRET)
    await holder.commit()
    const before = foundIn(path)
    const other = Buffer.from((await store.open('other')).export('@t0'))
    const receipt = await store.erase('root', ERASED, WHO)
    const whileOpen = foundIn(path)
    const { problems } = await store.fsck()
    holder.user('late')
    const refused = await holder.commit().then(
      () => 'committed',
      (error) => error.details.reason,
    )
    const isSame = other.equals(Buffer.from((await store.open('other')).export('@t0')))
    const states = await statesOf(store)
    await store.close()
    return { before, whileOpen, after: foundIn(path), problems, refused, isSame, states, receipt }
  } finally {
    remove()
  }
}

/** Erases while somebody reads, who keeps the log from being emptied. */
export async function eraseWhileRead() {
  const { file, remove } = scratch()
  const path = file('read.db')
  try {
    await plantSecret(path)
    const reader = openDatabase(path)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM commits').get()
    const store = new Store(new SqliteRows(path, { busyTimeout: 200 }), SIZES)
    const refused = await store.erase('root', ERASED, WHO).then(
      () => 'erased',
      (error) => [error.code, error.details.reason],
    )
    const states = await statesOf(store)
    const { problems } = await store.fsck(undefined, { patience: 0 })
    reader.exec('COMMIT')
    reader.close()
    const receipt = await store.erase('root', ERASED, WHO)
    const { ok } = await store.fsck()
    await store.close()
    return { refused, states, problems, receipt, ok, after: foundIn(path) }
  } finally {
    remove()
  }
}

/**
 * Kills an erasure before each of its statements that write, one after the other.
 * @param {{ every?: number, node?: string | undefined }} [settings] only every nth of them
 */
export async function killErasing({ every = 1, node } = {}) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  /** @type {Record<string, number>} */
  const outcomes = { old: 0, new: 0 }
  let [isOver, kills] = [false, 0]
  try {
    await plantSecret(file('planted.db'))
    await each(MOST, 2, async (n) => {
      const at = 1 + n * every
      if (isOver) return
      const path = file(`${at}.db`)
      fs.copyFileSync(file('planted.db'), path)
      const child = new Child('erasing', { file: path, at }, { node })
      const { lines, errors } = await child.ended
      const killed = lines.find(({ say }) => say === 'killed')
      const fail = (/** @type {string} */ text) =>
        failures.push(
          `Killed before ${JSON.stringify(/** @type {Record<string, unknown>} */ (killed ?? {})['sql'] ?? 'nothing')} (${at}): ${text}`,
        )
      if (killed === undefined) {
        isOver = true
        if (!lines.some(({ say }) => say === 'erased')) fail(`it ended otherwise: ${errors}`)
      } else kills++
      const store = storeOf(path)
      const states = new Set(await statesOf(store))
      const [state = ''] = states
      if (states.size !== 1 || !(state in outcomes)) fail(`it is ${[...states].join(', ')}`)
      else if (killed !== undefined) outcomes[state] = (outcomes[state] ?? 0) + 1
      const damage = (await store.fsck(undefined, { patience: 0 })).problems.filter(
        ({ message }) => !message.includes('not finished'),
      )
      if (damage.length > 0) fail(JSON.stringify(damage))
      const receipt = await store
        .erase('root', killed === undefined ? `${ERASED}?` : ERASED, WHO)
        .catch((/** @type {Error} */ error) => fail(error.message))
      if (killed !== undefined && typeof receipt === 'object' && receipt.ids.length === 0)
        fail('the receipt names nothing')
      const { problems } = await store.fsck()
      if (problems.length > 0) fail(JSON.stringify(problems))
      await store.close()
      const found = foundIn(path)
      if (found.length > 0) fail(`found in ${found.join(', ')}`)
      fs.rmSync(path)
    })
    if (!isOver) failures.push(`It has more than ${MOST * every} statements that write.`)
    return { failures, outcomes, kills }
  } finally {
    remove()
  }
}

const SELECTORS = [
  '.block',
  "[role='user']",
  '#plan',
  '#memory ?? #plan',
  '+rag',
  'd1 .block',
  "[content~'customer']",
  'd1 .block:first',
  '.block @limit=3',
  '(#todo ?? .block) ?? #plan',
]

/**
 * The law: what a store erases, part by part and from packs, is what a context in memory forgets. The same programs, with a fork, are played on both.
 * @param {{ programs: number, seed?: number, opened?: () => Promise<import('../../../dist/store/index.js').Rows> }} settings in which database; in memory by default
 */
export async function eraseLaw({ programs, seed = 1, opened = async () => new MemoryRows() }) {
  /** @type {string[]} */
  const failures = []
  let [erased, refused] = [0, 0]
  for (let n = 0; n < programs; n++) {
    const store = new Store(await opened(), { packed: 3, tail: 7, manifest: 4, window: 5 })
    const options = () => {
      let now = 1_700_000_000_000_000_000n
      return { clock: () => now++, attemptClock: () => now, prune: { maxNodes: 60 } }
    }
    const stored = await store.open('root', { ...options(), history: 'all' })
    const twin = createContext({ ...options(), id: 'root' })
    const sides = /** @type {const} */ ([
      [stored, new Chance(seed * 7919 + n)],
      [twin, new Chance(seed * 7919 + n)],
    ])
    for (let turn = 0; turn < 16; turn++) {
      for (const [ctx, chance] of sides) {
        const plain = /** @type {import('pact-context').Context} */ (/** @type {unknown} */ (ctx))
        if (turn % 5 === 1) plain.put('plan', `plan of the customer ${turn}`, { zone: 'pre', ttl: 1, cad: 2 })
        if (chance.isOneIn(2)) edit(plain, chance)
        playTurn(plain, chance)
        await ctx.commit()
      }
    }
    const forks = /** @type {const} */ ([
      await stored.fork('@t-3', { id: 'fork', ...options() }),
      twin.fork('@t-3', { id: 'fork', ...options() }),
    ])
    for (const fork of forks) {
      fork.user('a customer in a fork')
      await fork.commit()
    }
    const selector = SELECTORS[n % SELECTORS.length] ?? '.block'
    const outcome = async (/** @type {() => unknown} */ act) => {
      try {
        const { ids, schedules } = /** @type {import('pact-context').ForgetReceipt} */ (await act())
        return JSON.stringify([ids, schedules])
      } catch (error) {
        return /** @type {{ code: string }} */ (error).code
      }
    }
    const did = await outcome(() => store.erase('root', selector))
    const due = await outcome(() => twin.forget(selector))
    if (did.startsWith('E_')) refused++
    else erased++
    // A fork is asked by a store as well, and not by a context in memory: then there is more.
    const isMore = did !== due && !did.startsWith('E_') && !due.startsWith('E_')
    if (did !== due && !isMore) failures.push(`Program ${n}, ${selector}: ${did} and not ${due}.`)
    if (isMore) await outcome(() => forks[1].forget(selector))
    for (const [id, expected] of /** @type {const} */ ([
      ['root', twin],
      ['fork', forks[1]],
    ])) {
      const ctx = await store.open(id, { history: 'all' })
      for (const { cycle } of expected.snapshots()) {
        const lens = /** @type {const} */ (`@c${cycle}`)
        if (!Buffer.from(ctx.export(lens)).equals(Buffer.from(expected.export(lens))))
          failures.push(`Program ${n}, ${selector}: ${id} ${lens} is another one.`)
      }
    }
    for (const { id, message } of (await store.fsck()).problems)
      failures.push(`Program ${n}, ${selector}: ${String(id)}: ${message}`)
    await store.close()
  }
  return { failures, erased, refused }
}
