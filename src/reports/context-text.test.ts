// Contexts as text for people.

import { inspect } from 'node:util'

import { createContext } from 'pact-context'
import { expect, test } from 'vitest'

test('a context tells its cycle, its snapshots and how much each region holds', () => {
  const ctx = createContext({ id: 'a7' })
  expect(String(ctx)).toMatch(/^Context a7 \(dialect 1\.0\): cycle 1 is open, nothing committed yet; \^sys 0 nodes/)
  ctx.user('u')
  ctx.commit()
  expect(String(ctx)).toMatch(/^Context a7 \(dialect 1\.0\): cycle 2 is open, 1 snapshot; .*\^seq 3 nodes/)
})

test('console.log shows a context whole, and by its name where it stands deep inside something', () => {
  const ctx = createContext({ id: 'a7' })
  expect(inspect(ctx)).toBe(String(ctx))
  expect(inspect({ a: { b: { ctx } } }, { depth: 1 })).not.toContain('^seq')
  expect(inspect([[[ctx]]], { depth: 2 })).toContain('[Context a7]')
})
