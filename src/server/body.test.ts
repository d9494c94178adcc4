// How a body is read: what only costs is not done.

import { expect, test } from 'vitest'

import { BodyBudget } from './body-budget.js'
import { readJson } from './body.js'

const LIMITS = { bytes: 1000, time: 1000, room: new BodyBudget(1e6).room() }

/** A request that notes which of its parts were looked at. */
function noting(request: Request): Readonly<{ request: Request; asked: Set<string> }> {
  const asked = new Set<string>()
  const watched = new Proxy(request, {
    get: (target, name) => {
      asked.add(String(name))
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })
  return { request: watched, asked }
}

function post(body: string, length?: number): Request {
  const told = length === undefined ? {} : { 'content-length': String(length) }
  const headers = { 'content-type': 'application/json', ...told }
  return new Request('http://localhost/', { method: 'POST', headers, body })
}

test('a body whose length is told is taken as a whole; its stream, which is dear behind a socket, is not made', async () => {
  const { request, asked } = noting(post('{"a":1}', 7))
  expect(await readJson(request, LIMITS)).toEqual({ a: 1 })
  expect(asked.has('body')).toBe(false)
})

test('any other is read piece by piece, and no further than is allowed', async () => {
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
