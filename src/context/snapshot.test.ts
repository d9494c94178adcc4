// A snapshot's own selecting calls: one compiled selector serves many trees, and each answers for itself (D5, D9).

import { expect, test } from 'vitest'

import { createContext } from '../index.js'

test('the same tree as @t0 and as working state has another age (D9)', () => {
  const ctx = createContext()
  const { id } = ctx.user('a')
  ctx.commit()
  const [committed, working] = [ctx.snapshot('@t0'), ctx.snapshot('working')]
  for (let again = 0; again < 3; again++) {
    expect(committed.select('.block[age=0]')).toEqual([id])
    expect(working.select('.block[age=0]')).toEqual([])
    expect(working.count('.block[age=1]')).toBe(1)
    expect(committed.count('.block[age=1]')).toBe(0)
  }
})

test('answers of one snapshot are not given for another, whatever was asked before', () => {
  const ctx = createContext()
  const ids = ['a', 'b', 'c'].map((text) => {
    const { id } = ctx.user(text)
    ctx.commit()
    return id
  })
  const snapshots = [1, 2, 3].map((cycle) => ctx.snapshot(`@c${cycle}`))
  for (const selector of ['.block', '.block[age<=1]', 'd1 .block', '.seg:depth(2) .block']) {
    const first = snapshots.map((snapshot) => snapshot.select(selector))
    const again = snapshots.toReversed().map((snapshot) => snapshot.select(selector))
    expect(again.toReversed(), selector).toEqual(first)
  }
  expect(snapshots.map((snapshot) => snapshot.select('.block'))).toEqual([ids.slice(0, 1), ids.slice(0, 2), ids])
})
