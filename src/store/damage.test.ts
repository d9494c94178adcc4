// One damaged thing does not close the rest of a store: what can still be read is, and what cannot is named.

import { toOpenAIChat } from 'pact-context/openai'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { sqlitePlace } from '../../test/support/places.js'
import { openDatabase } from './sqlite/driver.js'
import { Store } from './store.js'
import type { StoreEvent } from './watch.js'

const CALL = { provider: 'acme', model: 'm', params: {}, for: toOpenAIChat } as const

let place: ReturnType<typeof sqlitePlace>
beforeEach(() => void (place = sqlitePlace({ durability: 'relaxed' })))
afterEach(() => place.end!())

async function opened(): Promise<Store> {
  return new Store(await place.open(), { packed: 2, tail: 4 })
}

/** Damages the file. */
function damage(sql: string): void {
  const db = openDatabase(place.file)
  db.exec(sql)
  db.close()
}

async function twoContexts(): Promise<void> {
  const store = await opened()
  for (const id of ['one', 'two']) {
    const ctx = await store.open(id)
    for (let n = 0; n < 8; n++) {
      ctx.user(`turn ${n}`)
      if (n % 3 === 0) ctx.startAttempt(CALL).complete({})
      await ctx.commit()
    }
  }
  await store.close()
}

const LOST = "DELETE FROM commits WHERE k / 1073741824 = (SELECT ctx FROM contexts WHERE id = CAST('one' AS BLOB))"

test('a context whose newest rows are lost is listed as damaged, named by fsck, and can be deleted', async () => {
  await twoContexts()
  damage(LOST)
  const store = await opened()
  const two = { id: 'two', cycle: 8, forks: 0 }
  // The newest cycle of those that are packed.
  expect((await store.list()).contexts).toEqual([{ id: 'one', cycle: 5, forks: 0, damaged: true }, two])
  expect((await store.list({ limit: 1 })).next).toBe('one')
  const message = 'Its newest rows are lost. Restore it from a backup, or delete it.'
  const problem = { id: 'one', cycle: undefined, kind: 'damage', message }
  expect(await store.fsck()).toMatchObject({ ok: false, contexts: 2, problems: [problem] })
  expect(await store.fsck('one')).toMatchObject({ ok: false, contexts: 1, problems: [problem] })
  expect(await store.fsck('two')).toMatchObject({ ok: true, problems: [] })
  await expect(store.open('one')).rejects.toMatchObject({ code: 'E_STORE', details: { reason: 'damaged', id: 'one' } })
  expect((await store.open('two')).cycle).toBe(9)
  expect(await store.delete('one')).toBe(true)
  expect((await store.list()).contexts).toEqual([two])
  expect((await store.fsck()).problems).toEqual([])
  expect((await store.open('one')).cycle).toBe(1)
  await store.close()
})

test('whoever watches all is not told that a damaged context was deleted', async () => {
  await twoContexts()
  const store = await opened()
  const watch = store.watch(undefined, { every: 2 })
  const told: StoreEvent[] = []
  const first = watch.next()
  damage(LOST)
  await (await store.open('two')).commit()
  told.push((await first).value as StoreEvent)
  expect(told).toMatchObject([{ kind: 'commit', id: 'two', cycle: 9 }])
  await store.close()
})

test('a damaged attempt does not close its context: it is left out, warned of, and an error to whoever asks for it', async () => {
  await twoContexts()
  damage("UPDATE attempts SET body = x'00' WHERE id = CAST('attempt:4-0' AS BLOB) AND ctx = 1")
  const store = await opened()
  const ctx = await store.open('one')
  expect(ctx.attempts().map(({ attempt_id: id }) => id)).toEqual(['attempt:1-0', 'attempt:7-0'])
  const message = 'The attempt attempt:4-0 is damaged. Run fsck, and restore it from a backup.'
  expect(ctx.warnings).toEqual([{ message, details: { kind: 'damaged-attempt', attempt: 'attempt:4-0' } }])
  expect(() => ctx.requestOf('attempt:4-0', { for: toOpenAIChat })).toThrow(
    expect.objectContaining({ code: 'E_STORE', message }),
  )
  expect(ctx.requestOf('attempt:7-0', { for: toOpenAIChat }).length).toBeGreaterThan(0)
  ctx.user('on')
  expect((await ctx.commit()).cycle).toBe(9)
  const { problems } = await store.fsck()
  expect(problems).toEqual([{ id: 'one', cycle: undefined, kind: 'damage', message }])
  await store.close()
})

test('every damaged attempt is named, and what was sent last is not said to be something else', async () => {
  await twoContexts()
  damage("UPDATE attempts SET body = x'00' WHERE id <> CAST('attempt:1-0' AS BLOB) AND ctx = 1")
  const store = await opened()
  const problems = (await store.fsck('one')).problems.map((each) => each.message)
  expect(problems).toEqual([expect.stringMatching(/attempt:4-0/), expect.stringMatching(/attempt:7-0/)])
  const ctx = await store.open('one')
  expect(() => ctx.prefix()).toThrow(expect.objectContaining({ code: 'E_STORE' }))
  const next = ctx.startAttempt(CALL)
  expect(next.id).toBe('attempt:9-0')
  expect(ctx.prefix().first).toBeUndefined()
  await store.close()
})

test('a context that says it comes from itself is damaged, and ends no process', async () => {
  await twoContexts()
  const store = await opened()
  const fork = await (await store.open('one')).fork('@t0', { id: 'three' })
  await fork.commit()
  await store.close()
  damage(`UPDATE contexts SET parent = ctx WHERE id = CAST('three' AS BLOB)`)
  const again = await opened()
  await expect(again.open('three')).rejects.toMatchObject({ code: 'E_STORE', details: { reason: 'damaged' } })
  const { ok, problems } = await again.fsck()
  expect([ok, problems.map(({ id, kind }) => [id, kind])]).toEqual([false, [['three', 'damage']]])
  expect((await again.open('one')).cycle).toBe(9)
  expect(await again.delete('three', { forks: true })).toBe(true)
  expect(await again.fsck()).toMatchObject({ ok: true })
  await again.close()
})
