// Contexts, attempts and explanations as text for people.

import { inspect } from 'node:util'

import { createContext } from 'pact-context'
import { expect, test } from 'vitest'

function attempt() {
  const ctx = createContext({
    attemptClock: (
      (ns) => () =>
        (ns += 1_000_000_000n)
    )(0n),
  })
  ctx.user('u')
  return ctx.startAttempt({ provider: 'p', model: 'm', params: {} })
}

test('an attempt tells how it goes, what was counted, and why it failed', () => {
  const running = attempt()
  expect(String(running)).toBe('attempt:1-0: p m, cycle 1, running, since 1970-01-01T00:00:01.000000000Z')
  running.complete({ tokenIn: 1, tokenOut: 2 })
  expect(String(running)).toMatch(/completed, 1970\S+ to 1970\S+, 1 token in, 2 tokens out$/)
  const silent = attempt()
  silent.complete()
  expect(String(silent)).toMatch(/completed, 1970\S+ to 1970\S+$/)
  const failed = attempt()
  failed.fail(new TypeError('no\nroute'))
  expect(String(failed)).toMatch(/error, 1970\S+ to 1970\S+, TypeError: no ↵ route$/)
})

test('a context tells its cycle, its snapshots and how much each region holds', () => {
  const ctx = createContext({ id: 'a7' })
  expect(String(ctx)).toMatch(/^Context a7 \(dialect 1\.0\): cycle 1 is open, nothing committed yet; \^sys 0 nodes/)
  ctx.user('u')
  ctx.commit()
  expect(String(ctx)).toMatch(/^Context a7 \(dialect 1\.0\): cycle 2 is open, 1 snapshot; .*\^seq 3 nodes/)
})

test('an explanation tells what a marker stands in for before who made it and why', () => {
  const ctx = createContext()
  ctx.user('u')
  ctx.commit()
  const [marker] = ctx.delete('^seq .block', { author: 'me', reason: 'r' })
  const [, standsIn, author, reason] = ctx.explain(marker!.id).sentences
  expect([standsIn, author, reason]).toEqual([
    'It stands in for block:1-1, which earlier snapshots still hold.',
    'The author of the redaction: me.',
    'The reason: r.',
  ])
})

test('console.log shows a context whole, and by its name where it stands deep inside something', () => {
  const ctx = createContext({ id: 'a7' })
  expect(inspect(ctx)).toBe(String(ctx))
  expect(inspect({ a: { b: { ctx } } }, { depth: 1 })).not.toContain('^seq')
  expect(inspect([[[ctx]]], { depth: 2 })).toContain('[Context a7]')
})
