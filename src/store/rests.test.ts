import { afterEach, expect, test, vi } from 'vitest'

import { openStore } from './open-store.js'

afterEach(() => {
  vi.useRealTimers()
})

test('whoever commits in a loop lets everything else have its turn', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('c')
  const others: number[] = []
  const other = setInterval(() => others.push(1), 0)
  // Without rests no timer would ever be due between two commits.
  for (let i = 0; i < 100_000 && others.length < 3; i++) await ctx.commit()
  clearInterval(other)
  expect(others.length).toBe(3)
  await store.close()
})

test('timers that a test has replaced do not stop commits', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('c')
  vi.useFakeTimers()
  for (let i = 0; i < 100; i++) await ctx.commit()
  expect(ctx.cycle).toBe(101)
  vi.useRealTimers()
  await store.close()
})
