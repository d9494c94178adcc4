import { expect, test } from 'vitest'

import { RecentRows } from './recent-rows.js'
import type { Row } from './rows.js'

function row(cycle: number, size = 10): Row {
  return { cycle, hash: new Uint8Array(32), changes: new Uint8Array(size), bodies: new Uint8Array(0) }
}

function cyclesOf(rows: readonly Row[]): readonly number[] {
  return rows.map(({ cycle }) => cycle)
}

test('gives the rows of some cycles, without the first ones where these are not there', () => {
  const recent = new RecentRows()
  for (let cycle = 5; cycle <= 9; cycle++) recent.add('a', 0, row(cycle))
  expect(cyclesOf(recent.rows('a', 0, 6, 8))).toEqual([6, 7, 8])
  expect(cyclesOf(recent.rows('a', 0, 2, 6))).toEqual([5, 6])
  expect([recent.rows('a', 0, 6, 10), recent.rows('a', 0, 1, 4), recent.rows('b', 0, 6, 8)]).toEqual([[], [], []])
})

test('rows of another epoch, or behind a gap, are not those that are stored beside the others', () => {
  const recent = new RecentRows()
  for (const cycle of [1, 2]) recent.add('a', 0, row(cycle))
  recent.add('a', 1, row(3))
  expect([cyclesOf(recent.rows('a', 1, 1, 3)), recent.rows('a', 0, 1, 2)]).toEqual([[3], []])
  expect(recent.rows('a', 0, 3, 3)).toEqual([])
  recent.add('a', 1, row(5))
  expect(cyclesOf(recent.rows('a', 1, 1, 5))).toEqual([5])
  recent.clear()
  expect(recent.rows('a', 1, 5, 5)).toEqual([])
})

test('lets go of what is packed, and of whoever began first where there is no room', () => {
  const recent = new RecentRows(100)
  for (let cycle = 1; cycle <= 5; cycle++) recent.add('a', 0, row(cycle))
  recent.drop('a', 0)
  recent.drop('a', 3)
  recent.drop('b', 3)
  expect(cyclesOf(recent.rows('a', 0, 1, 5))).toEqual([4, 5])
  for (let cycle = 1; cycle <= 8; cycle++) recent.add('b', 0, row(cycle))
  expect([recent.rows('a', 0, 4, 5).length, recent.rows('b', 0, 1, 8).length]).toEqual([2, 8])
  recent.add('b', 0, row(9))
  expect([recent.rows('a', 0, 4, 5).length, recent.rows('b', 0, 1, 9).length]).toEqual([0, 9])
  recent.add('b', 0, row(10, 101))
  expect(recent.rows('b', 0, 10, 10)).toEqual([])
  recent.add('b', 0, row(11))
  recent.drop('b', 11)
  expect(recent.rows('b', 0, 11, 11)).toEqual([])
})
