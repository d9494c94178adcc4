import { setImmediate as rest } from 'node:timers/promises'
import { expect, test } from 'vitest'

import { MemoryRows } from './memory/rows.js'
import { rowsOf } from './pack.js'
import { Store } from './store.js'

const SIZES = { packed: 4, tail: 8, manifest: 4 }

async function opened(): Promise<Readonly<{ commit: () => Promise<unknown>; written: string[]; store: Store }>> {
  const rows = new MemoryRows()
  const written: string[] = []
  const { pack, writeManifest } = rows
  rows.pack = (...given) => {
    written.push(`pack ${given[1].from}-${given[1].to}`)
    return pack.apply(rows, given)
  }
  rows.writeManifest = (...given) => {
    written.push(`manifest ${given[1].cycle}`)
    return writeManifest.apply(rows, given)
  }
  const store = new Store(rows, SIZES)
  const ctx = await store.open('c')
  const commit = (): Promise<unknown> => {
    ctx.user('hello')
    return ctx.commit()
  }
  return { commit, written, store }
}

test('whoever commits does not wait for what is due', async () => {
  const { commit, written, store } = await opened()
  for (let i = 0; i < 4; i++) await commit()
  expect(written).toEqual([])
  await rest()
  expect(written).toEqual(['manifest 4'])
  await store.close()
})

test('whoever never rests waits for it once it is long due', async () => {
  const { commit, written, store } = await opened()
  for (let i = 0; i < 40; i++) await commit()
  expect(written.filter((each) => each.startsWith('pack')).length).toBeGreaterThanOrEqual(5)
  expect(written.filter((each) => each.startsWith('manifest')).length).toBeGreaterThanOrEqual(3)
  await store.close()
})

test('a turn of the event loop is no rest where commits were made since it was due', async () => {
  const { commit, written, store } = await opened()
  for (let i = 0; i < 6; i++) await commit()
  await rest()
  expect(written).toEqual([])
  await rest()
  expect(written).toEqual(['manifest 6'])
  await store.close()
})

test('closing does what is due', async () => {
  const { commit, written, store } = await opened()
  for (let i = 0; i < 4; i++) await commit()
  await store.close()
  expect(written).toContain('manifest 4')
})

test('packing does not bring back what another process has erased', async () => {
  const rows = new MemoryRows()
  const [here, there] = [new Store(rows, SIZES), new Store(rows, SIZES)]
  const ctx = await here.open('c')
  const commit = async (text: string): Promise<void> => {
    ctx.user(text)
    await ctx.commit()
    await rest()
  }
  for (let i = 1; i <= 11; i++) await commit('hello')
  await commit('my secret')
  await there.erase('c', ".block [content~'secret']")
  ctx.user('goes on')
  await ctx.rebase()
  for (let i = 1; i <= 20; i++) await commit('hello')
  const { packs, rows: alone } = await rows.read((await rows.find('c'))!.ctx, 0, Infinity)
  const all = [...packs.flatMap(rowsOf), ...alone]
  expect(all.length).toBe(33)
  expect(all.filter(({ bodies }) => Buffer.from(bodies).includes('secret'))).toEqual([])
  expect((await there.fsck()).problems).toEqual([])
  await here.close()
})
