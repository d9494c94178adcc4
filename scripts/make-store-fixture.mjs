// Writes a store as this version writes it, with the bytes that it must show ever after: test/golden/stores/v<schema>.db and .json.
// Run by hand when the version of the tables changes, and never for one that was released: `node scripts/make-store-fixture.mjs`.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { createContext } from '../dist/index.js'
import { openDatabase } from '../dist/store/sqlite/driver.js'
import { STEPS } from '../dist/store/sqlite/schema.js'
import { OPTIONS, storeAt } from './soak/store/files.mjs'
import { shownIn } from './soak/store/shown.mjs'

const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'test/golden/stores')
const file = path.join(folder, `v${STEPS.length}.db`)
fs.mkdirSync(folder, { recursive: true })
for (const end of ['', '-wal', '-shm']) fs.rmSync(`${file}${end}`, { force: true })

let now = 1_767_225_600_000_000_000n
const clock = () => (now += 1_000_000_000n)
const options = { ...OPTIONS, clock, attemptClock: clock }
const store = storeAt(file)
const ctx = await store.open('talk', options)
ctx.system.add('Be brief.', { key: 'rules' })
for (let n = 1; n <= 18; n++) {
  ctx.user(`Question ${n}: ä, 👍, \u2028 and \ud800.`)
  ctx.assistant({ name: 'look', arguments: { n, big: 2n ** 70n } }, { kind: 'call', data_call_id: `call-${n}` })
  ctx.tool(`Found ${n}.`, { kind: 'result', data_call_id: `call-${n}`, ttl: 3 })
  if (n === 4) ctx.put('reminder', 'Mind the time.', { cad: 5, ttl: 1 })
  if (n === 9) ctx.replace('d2 .block[role=user]', { content: 'Asked again.' })
  if (n === 12) ctx.delete('d3 .block[role=user]', { author: 'someone', reason: 'old' })
  const attempt = ctx.startAttempt({ provider: 'acme', model: 'large-1', params: { n } })
  if (n % 3 === 0) attempt.complete({ tokenIn: n, tokenOut: 1 })
  await ctx.commit(n % 6 === 0 ? { key: `key ${n}` } : {})
}
const fork = await ctx.fork('@t-5', { id: 'other talk' })
fork.user('Elsewhere.')
await fork.commit()
const edited = await ctx.fork('working', { id: 'third talk' })
edited.user('And there.')
await edited.commit()
await store.erase('talk', "[content~'Question 16:']", { author: 'someone', reason: 'asked' })
const elsewhere = createContext({ dialect: '1.0', clock })
elsewhere.user('From elsewhere.')
elsewhere.commit()
await store.put(elsewhere, 'put')
const open = await store.open('put', options)
for (const text of ['Saved first.', 'Saved then.']) {
  open.user(text)
  await open.save()
}
await store.close()

const db = openDatabase(file)
db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
db.close()
fs.writeFileSync(file.replace(/db$/, 'json'), `${JSON.stringify(await shownIn(file), undefined, 2)}\n`)
for (const end of ['-wal', '-shm']) fs.rmSync(`${file}${end}`, { force: true })
console.log(`${file}: ${fs.statSync(file).size} bytes`)
