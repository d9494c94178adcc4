// store.erase searches everything that keeps content (N125), and leaves nothing of it in the file.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { canonicalJson, type Context } from 'pact-context'
import { openStore } from 'pact-context/store'
import { afterAll, expect, test } from 'vitest'

import { sentRecordsOf } from '../support/attempts.js'

const SECRET = '4111-1111'
const FOLDER = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-erase-'))
afterAll(() => fs.rmSync(FOLDER, { recursive: true }))

type Edits = Pick<Context, 'user' | 'put' | 'undo'>

const CASES: readonly (readonly [string, (ctx: Edits) => void, (ctx: Edits) => void])[] = [
  ['undone', (ctx) => void ctx.user(SECRET), (ctx) => void ctx.undo()],
  ['put in place', (ctx) => void ctx.put('q', SECRET), (ctx) => void ctx.put('q', 'clean')],
]

test.each(CASES)('finds what only an attempt holds: %s', async (name, say, takeBack) => {
  const file = path.join(FOLDER, `${name}.db`)
  const store = await openStore(`sqlite:${file}`)
  const ctx = await store.open('a')
  say(ctx)
  ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).cancel()
  takeBack(ctx)
  ctx.user('later')
  await ctx.commit()
  expect(canonicalJson(sentRecordsOf(ctx))).toContain(SECRET)
  const receipt = await store.erase('a', `[content~'${SECRET}']`)
  expect([receipt.ids.length, receipt.attempts]).toEqual([1, 1])
  expect(canonicalJson(sentRecordsOf(await store.open('a')))).not.toContain(SECRET)
  await store.close()
  for (const each of fs.readdirSync(FOLDER).filter((other) => other.startsWith(name)))
    expect(fs.readFileSync(path.join(FOLDER, each)).includes(SECRET)).toBe(false)
})

test('takes the other instances of a schedule with the same content', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('a')
  ctx.pre(SECRET, { key: 'doc', cad: 1, ttl: 1 })
  for (let i = 0; i < 4; i++) await ctx.commit()
  const first = ctx.select('@c1 #doc')[0]!
  const receipt = await store.erase('a', `[id='${first}']`)
  expect(receipt.schedules).toEqual(['doc'])
  const again = await store.open('a', { history: 'all' })
  for (const { cycle } of again.snapshots())
    expect(Buffer.from(again.export(`@c${cycle}`)).toString()).not.toContain(SECRET)
  await store.close()
})

test('finds what a fork took along and changed before its first commit', async () => {
  const file = path.join(FOLDER, 'taken.db')
  const store = await openStore(`sqlite:${file}`)
  const ctx = await store.open('a')
  ctx.put('q', SECRET)
  const fork = await ctx.fork('working', { id: 'b' })
  for (const each of [fork, ctx]) {
    each.put('q', 'clean')
    await each.commit()
  }
  const receipt = await store.erase('b', `[content~'${SECRET}']`)
  expect(receipt.ids).toHaveLength(1)
  await store.close()
  expect(fs.readFileSync(file).includes(SECRET)).toBe(false)
})
