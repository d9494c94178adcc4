// Attempts as text for people.

import { expect, test } from 'vitest'

import { createContext } from '../index.js'

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
