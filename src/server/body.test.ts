// Reading a body, within its limits.

import { expect, test } from 'vitest'

import { BodyBudget } from './body-budget.js'
import { readJson } from './body.js'

const LIMITS = { bytes: 1000, time: 1000, room: new BodyBudget(1e6).room() }

function post(body: string, length?: number): Request {
  const told = length === undefined ? {} : { 'content-length': String(length) }
  const headers = { 'content-type': 'application/json', ...told }
  return new Request('http://localhost/', { method: 'POST', headers, body })
}

test('a body is read piece by piece, and no further than is allowed', async () => {
  expect(await readJson(post('{"a":1}'), LIMITS)).toEqual({ a: 1 })
  await expect(readJson(post(`"${'x'.repeat(2000)}"`), LIMITS)).rejects.toMatchObject({ status: 413 })
  // Who sends it without a socket may tell another length.
  await expect(readJson(post(`"${'x'.repeat(2000)}"`, 5), LIMITS)).rejects.toMatchObject({ status: 413 })
})

test('bodies under way count by what they take: 413 for one alone, 503 beside others, room again when it is released', () => {
  const budget = new BodyBudget(100_000)
  const [first, second] = [budget.room(), budget.room()]
  expect(() => first.take({ bytes: 10, objects: 60 })).toThrow(expect.objectContaining({ status: 413 }))
  first.take({ bytes: 1000 })
  first.take({ bytes: 1000, objects: 40 })
  second.take({ bytes: 1000 })
  expect(() => second.take({ bytes: 1000, objects: 10 })).toThrow(expect.objectContaining({ status: 503 }))
  first.release()
  second.take({ bytes: 1000, objects: 40 })
})
