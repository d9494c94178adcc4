// Bad input of attempts: each case names its code and what is wrong, and leaves nothing behind.

import { describe, expect, test } from 'vitest'

import { refusal } from '../../test/support/context.js'
import { createContext, type AttemptInput } from '../index.js'

const CALL = { provider: 'acme', model: 'large-1', params: { temperature: 0.2 } } as const

describe('a bad attempt is refused and notes nothing', () => {
  const inputs: readonly (readonly [code: string, name: string | undefined, input: unknown])[] = [
    ['E_CONTENT_INVALID', 'attempt', undefined],
    ['E_CONTENT_INVALID', 'attempt', 'acme'],
    ['E_CONTENT_INVALID', 'attempt', [CALL]],
    ['E_CONTENT_INVALID', 'provider', { ...CALL, provider: '' }],
    ['E_CONTENT_INVALID', 'provider', { model: 'm', params: {} }],
    ['E_CONTENT_INVALID', 'model', { ...CALL, model: 7 }],
    ['E_CONTENT_INVALID', 'params', { provider: 'p', model: 'm' }],
    ['E_CONTENT_INVALID', 'params', { ...CALL, params: { top_p: Number.NaN } }],
    ['E_CONTENT_INVALID', 'request', { ...CALL, request: { when: new Date(0) } }],
    ['E_CONTENT_INVALID', 'request', { ...CALL, request: () => 1 }],
    ['E_CONTENT_INVALID', 'lens', { ...CALL, lens: 0 }],
    ['E_CONTENT_INVALID', 'temperature', { ...CALL, temperature: 1 }],
    ['E_SELECTOR_INVALID', undefined, { ...CALL, lens: 'now' }],
    ['E_SNAPSHOT_NOT_FOUND', undefined, { ...CALL, lens: '@t0' }],
  ]
  test.each(inputs)('%s, %s: %j', (code, name, input) => {
    const ctx = createContext()
    const error = refusal(() => ctx.startAttempt(input as AttemptInput))
    expect([error.code, error.details['name']]).toEqual([code, name])
    expect(ctx.attempts()).toEqual([])
    expect(ctx.startAttempt(CALL).id).toBe('attempt:1-0')
  })

  test('names the place inside params', () => {
    const error = refusal(() => createContext().startAttempt({ ...CALL, params: { stop: [1, Number.NaN] } }))
    expect(error.details).toEqual({ name: 'params', path: 'stop[1]' })
  })

  const usages: readonly (readonly [name: string, usage: unknown])[] = [
    ['usage', null],
    ['usage', 5],
    ['tokenIn', { tokenIn: -1, tokenOut: 1 }],
    ['tokenOut', { tokenIn: 1, tokenOut: 1.5 }],
    ['tokenOut', { tokenIn: 1, tokenOut: '9' }],
    ['tokensIn', { tokensIn: 1 }],
  ]
  test.each(usages)('%s of complete: %j; the attempt runs on', (name, usage) => {
    const attempt = createContext().startAttempt(CALL)
    const error = refusal(() => attempt.complete(usage as object))
    expect([error.code, error.details['name'], attempt.record.status]).toEqual(['E_CONTENT_INVALID', name, 'running'])
    expect(attempt.complete().token_in).toBe(null)
  })

  test('a clock that gives no bigint is named, at the start and at the end', () => {
    let now: unknown = 1
    const ctx = createContext({ attemptClock: () => now as bigint })
    expect(refusal(() => ctx.startAttempt(CALL)).details).toEqual({ name: 'attemptClock' })
    now = 1n
    const attempt = ctx.startAttempt(CALL)
    now = undefined
    expect(refusal(() => attempt.cancel()).details).toEqual({ name: 'attemptClock' })
    expect([attempt.id, attempt.record.status]).toEqual(['attempt:1-0', 'running'])
  })

  test('a preview that a budget refuses cannot be sent', () => {
    const ctx = createContext({ prune: { maxNodes: 1, unmet: 'error' } })
    ctx.user('Hi')
    expect(refusal(() => ctx.startAttempt(CALL)).code).toBe('E_BUDGET')
    expect(ctx.startAttempt({ ...CALL, lens: 'working' }).id).toBe('attempt:1-0')
  })
})
