// Drafts beyond the contract: moved to another database, gone from the file after an erasure, read-only, damaged, and of which the outcome is unknown.

import fs from 'node:fs'

import { PactError } from 'pact-context'
import { MemoryRows, openStore, Store, type Rows } from 'pact-context/store'
import { afterEach, expect, test } from 'vitest'

import { openDatabase } from '../../src/store/sqlite/driver.js'
import { sqlitePlace } from '../support/places.js'
import { textOf } from '../support/context.js'

const places: ReturnType<typeof sqlitePlace>[] = []

afterEach(async () => {
  for (const place of places.splice(0)) await place.end!()
})

function aPlace(): ReturnType<typeof sqlitePlace> {
  const place = sqlitePlace()
  places.push(place)
  return place
}

test('a move takes drafts along: of the root, of a fork, and one that is behind', async () => {
  const place = aPlace()
  const [source, target] = [new Store(new MemoryRows()), new Store(await place.open())]
  const ctx = await source.open('root')
  ctx.user('committed')
  await ctx.commit()
  const fork = await ctx.fork('@t0', { id: 'fork' })
  fork.user('saved in the fork')
  await fork.save()
  const behind = await ctx.fork('@t0', { id: 'behind' })
  const other = await source.open('behind')
  behind.user('saved before')
  await behind.save()
  other.user('committed after')
  await other.commit()
  for (const text of ['one', 'two']) {
    ctx.user(text)
    await ctx.save()
  }
  await source.move('root', target)
  expect(textOf((await target.open('root')).export('working'))).toBe(textOf(ctx.export('working')))
  expect((await target.open('root')).draft).toEqual(ctx.draft)
  expect(textOf((await target.open('fork')).export('working'))).toBe(textOf(fork.export('working')))
  const late = await target.open('behind')
  expect(late.draft?.state).toBe('behind')
  await late.rebase()
  expect(late.thread('working').at(-1)?.content).toBe('saved before')
  expect((await target.fsck()).problems).toEqual([])
  ctx.user('late')
  await expect(ctx.save()).rejects.toMatchObject({ code: 'E_CONFLICT', details: { reason: 'moved' } })
  await source.close()
  await target.close()
})

test('an erased text is gone from the file, with the edits that had it', async () => {
  const place = aPlace()
  const store = new Store(await place.open())
  const ctx = await store.open('one')
  ctx.user('the secret 4711-0815')
  ctx.user('something else')
  ctx.replace(".block[content~'4711-0815']", { content: 'still 4711-0815', tags: ['mine'] })
  await ctx.save()
  expect(fileHas(place.file, '4711-0815')).toBe(true)
  const { ids } = await store.erase('one', ".block[content~'4711']")
  expect(ids).toHaveLength(1)
  await store.close()
  expect(fileHas(place.file, '4711-0815')).toBe(false)
  const again = new Store(await place.open())
  const erased = await again.open('one')
  expect(erased.thread('working').map(({ content }) => content)).toEqual(['', 'something else'])
  expect(erased.draft).toMatchObject({ state: 'loaded', operations: 0 })
  expect((await again.draft('one'))?.operations).toEqual([])
  await erased.commit()
  expect((await again.fsck()).problems).toEqual([])
  await again.close()
})

test('a redacted text is gone with the next save, and with delete all of it', async () => {
  const place = aPlace()
  const store = new Store(await place.open())
  const ctx = await store.open('one')
  ctx.user('call 4711-0815 now')
  await ctx.save()
  ctx.redact('d0 .block', { match: '4711-0815' })
  await ctx.save()
  expect(JSON.stringify(await store.draft('one'))).not.toContain('4711')
  const found = openDatabase(place.file).prepare('SELECT part FROM drafts').all()
  expect(found.map(({ part }) => Buffer.from(part as Uint8Array).includes('4711'))).toEqual([false])
  // A save after it has the state of that moment.
  ctx.user('more')
  await ctx.save()
  ctx.undo()
  ctx.user('other')
  await ctx.save()
  expect(textOf((await store.open('one')).export('working'))).toBe(textOf(ctx.export('working')))
  await store.delete('one')
  await store.close()
  expect(fileHas(place.file, '4711-0815')).toBe(false)
})

test('an edit that nests deeper than one JSON value is saved as a state', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('one')
  let content: object = []
  for (let depth = 1; depth < 128; depth++) content = [content]
  ctx.user(content)
  await ctx.save()
  expect(textOf((await store.open('one')).export('working'))).toBe(textOf(ctx.export('working')))
  await store.close()
})

test('a store that is read only shows drafts, and saves none', async () => {
  const place = aPlace()
  const store = new Store(await place.open())
  const ctx = await store.open('one')
  ctx.user('saved')
  await ctx.save()
  await store.close()
  const reader = await openStore(`sqlite:${place.file}`, { readOnly: true })
  const again = await reader.open('one')
  expect(again.draft).toMatchObject({ state: 'loaded', operations: 1 })
  again.user('more')
  const refused = { code: 'E_STORE', details: { reason: 'read-only' } }
  await expect(again.save()).rejects.toMatchObject(refused)
  await expect(reader.open('one', { draft: 'discard' })).rejects.toMatchObject(refused)
  await reader.close()
})

test('a context of openAt neither loads nor saves a draft', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('one')
  ctx.user('saved')
  await ctx.save()
  const past = (await store.openAt('one', 0))!
  expect([past.draft, past.operations()]).toEqual([undefined, []])
  past.user('mine')
  await expect(past.save()).rejects.toMatchObject({ code: 'E_CONFLICT', details: { reason: 'draft' } })
  await past.commit()
  expect((await store.open('one')).draft?.state).toBe('behind')
  await store.close()
})

test('a damaged draft is never shown, and can be dropped', async () => {
  const place = aPlace()
  const store = new Store(await place.open())
  const ctx = await store.open('one')
  ctx.user('saved')
  await ctx.save()
  const db = openDatabase(place.file)
  db.exec("UPDATE drafts SET part = CAST(part || x'20' AS BLOB)")
  db.close()
  await expect(store.open('one')).rejects.toMatchObject({ code: 'E_STORE', details: { reason: 'damaged' } })
  expect((await store.open('one', { draft: 'discard' })).operations()).toEqual([])
  expect((await store.fsck()).problems).toEqual([])
  await store.close()
})

test.each([true, false])('a save whose answer is lost is found, or made again (written: %s)', async (isWritten) => {
  const rows = new MemoryRows()
  let isLost = false
  const losing = new Proxy<Rows>(rows, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (name !== 'saveDraft' || !isLost) return typeof value === 'function' ? value.bind(target) : value
      return async (save: Parameters<Rows['saveDraft']>[0]) => {
        if (isWritten) await rows.saveDraft(save)
        throw new PactError('E_STORE', 'The connection is gone.', { outcome: 'unknown' })
      }
    },
  })
  for (const next of ['save', 'commit', 'undo'] as const) {
    const store = new Store(losing)
    const ctx = await store.open(next)
    ctx.user('one')
    isLost = true
    await expect(ctx.save()).rejects.toMatchObject({ code: 'E_STORE', details: { outcome: 'unknown' } })
    isLost = false
    if (next === 'undo') ctx.undo()
    ctx.user('two')
    if (next === 'commit') await ctx.commit()
    else await ctx.save()
    const again = await store.open(next)
    expect(textOf(again.export('working'))).toBe(textOf(ctx.export('working')))
    expect(again.operations()).toEqual(ctx.operations())
    await again.commit()
    expect((await store.fsck()).problems).toEqual([])
  }
})

test('a save inside a batch, and an edit during a save, are refused', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('one')
  ctx.user('one')
  const saving = ctx.save()
  expect(() => ctx.user('meanwhile')).toThrow('A save of this context is under way')
  await saving
  ctx.user('two')
  await Promise.all([ctx.save(), expect(ctx.commit()).rejects.toMatchObject({ code: 'E_CONFLICT' })])
  await store.close()
})

function fileHas(file: string, text: string): boolean {
  return [file, `${file}-wal`].some((each) => fs.existsSync(each) && fs.readFileSync(each).includes(text))
}
