// Words in a tree and in all history, the sums of a timeline in windows, and the number of all matches of a selector.

import { expect, onTestFinished, test } from 'vitest'

import { HANDLERS, storePool } from '../../src/commands/index.js'
import { openStore, type StoredContext } from '../../src/store/index.js'

async function opened(fill: (ctx: StoredContext) => Promise<void>) {
  const store = await openStore('memory:')
  const pool = storePool(store)
  onTestFinished(async () => {
    pool.close()
    await store.close()
  })
  const ctx = await store.create('c')
  await fill(ctx)
  await ctx.flush()
  return pool
}

test('finds words whatever their case and white space, in texts and in the values of data', async () => {
  const pool = await opened(async (ctx) => {
    ctx.user('The Parser\n  is slow (very).')
    ctx.assistant({ parser: 'no value', path: 'src/PARSER is.ts' }, { kind: 'call' })
    ctx.user('Nothing.')
    await ctx.commit()
  })
  const search = async (words: string) => {
    const answer = await HANDLERS.search(pool, { id: 'c', words, at: '@c1' })
    if (!('ids' in answer)) throw new Error('an answer about one tree has ids')
    return answer
  }
  const found = await search('parser IS')
  expect(found.count).toBe(2)
  expect(found.hits.map(({ before, match, after }) => [before, match, after])).toEqual([
    ['The ', 'Parser ↵ is', ' slow (very).'],
    ['no value ↵ src/', 'PARSER is', '.ts'],
  ])
  expect(found.hits.map(({ id }) => id)).toEqual(found.ids)
  // Signs of patterns are text.
  expect((await search('(very).')).count).toBe(1)
  expect((await search('.*')).count).toBe(0)
  await expect(HANDLERS.search(pool, { id: 'c', words: '  ' })).rejects.toThrow('words are empty.')
})

test('finds what has left, from when to when, a page of cycles at a time', async () => {
  const pool = await opened(async (ctx) => {
    for (let cycle = 1; cycle <= 510; cycle++) {
      ctx.user(`Turn ${cycle}`)
      if (cycle === 4) ctx.post('A needle early', { ttl: 3 })
      if (cycle === 505) ctx.post('A Needle late', { ttl: 2 })
      await ctx.commit()
    }
  })
  const pages = []
  for (let before: number | undefined = Infinity; before !== undefined;) {
    const page = await HANDLERS.search(pool, { id: 'c', words: 'needle', ...(before === Infinity ? {} : { before }) })
    if (!('cycles' in page)) throw new Error('an answer about history counts cycles')
    pages.push(page)
    before = page.next
  }
  expect(pages.map(({ cycles }) => cycles)).toEqual([500, 10])
  expect(pages.flatMap(({ hits }) => hits).map(({ match, from, to }) => [match, from, to])).toEqual([
    ['Needle', 505, 506],
    ['needle', 4, 6],
  ])
})

test('sums over a window of cycles, with breaks and failed calls', async () => {
  const pool = await opened(async (ctx) => {
    for (let cycle = 1; cycle <= 8; cycle++) {
      if (cycle === 1 || cycle === 5) ctx.set('plan', `Plan ${cycle}`)
      ctx.user(`Turn ${cycle}`)
      await ctx.commit()
      if (cycle === 3) ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).fail({ name: 'E', message: 'no' })
    }
  })
  const { bins = [] } = await HANDLERS.timeline(pool, { id: 'c', bins: 2, binsFrom: 3, binsTo: 6 })
  expect(bins.map(({ from, to, broken, failed }) => [from, to, broken, failed])).toEqual([
    [3, 4, 0, 1],
    [5, 6, 1, 0],
  ])
})

test('an answer that is cut says how many match', async () => {
  const pool = await opened(async (ctx) => {
    for (let i = 0; i < 12; i++) ctx.user(`Turn ${i}`)
    await ctx.commit()
  })
  const ask = (limit: number) => HANDLERS.select(pool, { id: 'c', selector: ".block[role='user']", options: { limit } })
  expect(await ask(5)).toMatchObject({ count: 5, total: 12 })
  expect(await ask(12)).toMatchObject({ count: 12, total: 12 })
  expect(await ask(13)).not.toHaveProperty('total')
})
