// Damage to a closed file: bits that flip, sectors and pages of zeros. Each causes an error, is found by a check, or changes
// nothing that is shown; nothing else is ever shown, and no process hangs or crashes.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'

import { openDatabase } from '../../../dist/store/sqlite/driver.js'
import { Chance } from '../chance.mjs'
import { Child, each } from './children.mjs'
import { shownBy } from './examine.mjs'
import { OPTIONS, scratch, storeAt } from './files.mjs'

const CALL = { provider: 'acme', model: 'large-1', params: {} }
/** The number of files that one process looks at. */
const A_PROCESS = 25
const PAGE = 4096

/**
 * @param {{ damages: number, seed?: number, atOnce?: number, deadline?: number, node?: string | undefined }} settings
 */
export async function damageFiles({ damages, seed = 1, atOnce = 2, deadline = Infinity, node }) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  /** @type {Record<string, number>} */
  const verdicts = {}
  try {
    const [base, known] = [file('base.db'), file('known.json')]
    await makeBase(base, known)
    const whole = fs.readFileSync(base)
    await each(Math.ceil(damages / A_PROCESS), atOnce, async (n) => {
      const chance = new Chance(seed * 104_729 + n)
      const count = Math.min(A_PROCESS, damages - n * A_PROCESS)
      const made = Array.from({ length: count }, (_, i) => {
        const path = file(`${n}-${i}.db`)
        const bytes = Buffer.from(whole)
        const what = damage(bytes, chance)
        fs.writeFileSync(path, bytes)
        return { path, what }
      })
      // One that hangs or crashes takes its process along; the others are looked at by the next.
      let left = made
      while (left.length > 0 && performance.now() < deadline) {
        const child = new Child('examine', { files: left.map(({ path }) => path), known }, { node, limit: 60_000 })
        const { lines, errors, signal } = await child.ended
        const looked = lines.filter(({ say }) => say === 'look').length
        for (const [i, { what, path }] of left.slice(0, Math.max(1, looked)).entries()) {
          const found = lines.find((line) => line.say === 'found' && line.file === path)
          const verdict = found?.verdict ?? (signal === 'SIGKILL' ? 'hang' : 'crash')
          verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
          const isFine = ['same', 'reported', 'found by fsck'].includes(verdict)
          if (!isFine) failures.push(`seed ${seed}, file ${n}-${i}, ${what}: ${verdict}: ${found?.text ?? errors}`)
        }
        left = left.slice(Math.max(1, looked))
      }
      for (const { path } of made) for (const end of ['', '-wal', '-shm']) fs.rmSync(`${path}${end}`, { force: true })
    })
    return {
      damages: Object.values(verdicts).reduce((sum, count) => sum + count, 0),
      verdicts,
      pages: whole.length / PAGE,
      failures,
    }
  } finally {
    remove()
  }
}

/**
 * @param {Buffer} bytes
 * @param {Chance} chance
 */
function damage(bytes, chance) {
  const kind = chance.weighted(
    /** @type {const} */ ([
      [60, 'bit'],
      [20, 'page'],
      [10, 'sector'],
      [10, 'bytes'],
    ]),
  )
  const at = chance.below(bytes.length)
  const before = Buffer.from(bytes)
  if (kind === 'bit') bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << chance.below(8)), at)
  else if (kind === 'page') bytes.fill(0, at - (at % PAGE), at - (at % PAGE) + PAGE)
  else if (kind === 'sector') bytes.fill(0, at - (at % 512), at - (at % 512) + 512)
  else for (let i = at; i < Math.min(bytes.length, at + 16); i++) bytes.writeUInt8(chance.below(256), i)
  return `${kind} at ${at} of page ${Math.floor(at / PAGE) + 1}${before.equals(bytes) ? ' (nothing changed)' : ''}`
}

/**
 * A file with everything in it: packs, rows alone, a fork, answers, attempts.
 * @param {string} base
 * @param {string} known
 */
async function makeBase(base, known) {
  const store = storeAt(base)
  const ctx = await store.open('main', OPTIONS)
  for (let n = 1; n <= 40; n++) {
    // Texts that do not become smaller, so that most of the file is what was said.
    ctx.user(`question ${n} ${randomBytes(200 + 90 * (n % 7)).toString('base64')}`)
    ctx.assistant(`answer ${n} ${randomBytes(300).toString('base64')}`, { ttl: 3 })
    if (n % 8 === 0) ctx.startAttempt(CALL).complete({ tokenIn: n, tokenOut: 2 })
    await ctx.commit(n % 10 === 5 ? { key: `key ${n}` } : {})
  }
  const fork = await ctx.fork('@t-3', { id: 'fork' })
  fork.user('elsewhere')
  await fork.commit()
  await store.put(fork.export('@t0'), 'import')
  await store.close()
  // Free pages cannot be damaged.
  const db = openDatabase(base)
  db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const again = storeAt(base)
  const shown = []
  for (const id of ['fork', 'import', 'main']) shown.push(await shownBy(again, id))
  await again.close()
  fs.writeFileSync(known, JSON.stringify(shown))
}
