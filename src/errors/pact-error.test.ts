// The one error class (D40): its shape, its JSON, and that two copies of the package know each other's errors.

import { describe, expect, it, test, vi } from 'vitest'

import { ERROR_CODES } from './codes.js'
import { describe as describeValue } from './describe.js'
import { PactError } from './pact-error.js'

describe('PactError', () => {
  it('carries code, message and details, and is an Error (D40)', () => {
    const error = new PactError('E_DUPLICATE_CORE', 'Segment seg:7 already has a core.', { parent: 'seg:7', offset: 0 })
    expect(error).toBeInstanceOf(Error)
    expect([error.name, error.code, error.message]).toEqual([
      'PactError',
      'E_DUPLICATE_CORE',
      'Segment seg:7 already has a core.',
    ])
    expect(error.details).toEqual({ parent: 'seg:7', offset: 0 })
    expect(error.stack).toContain('pact-error.test')
  })

  it('prints as {"error":{code,message,details}}, without stack or cause (D40)', () => {
    const error = new PactError('E_INTERNAL', 'Sorry.', { id: 'x' }, { cause: new Error('secret') })
    expect(JSON.stringify(error)).toBe('{"error":{"code":"E_INTERNAL","message":"Sorry.","details":{"id":"x"}}}')
    expect(JSON.stringify(new PactError('E_STORE', 'Gone.'))).toBe(
      '{"error":{"code":"E_STORE","message":"Gone.","details":{}}}',
    )
  })

  it('has frozen details of its own, which the caller cannot change any more', () => {
    const details: Record<string, unknown> = { pos: 1 }
    const error = new PactError('E_SELECTOR_INVALID', 'No.', details)
    details['pos'] = 2
    expect(error.details).toEqual({ pos: 1 })
    expect(Object.isFrozen(error.details)).toBe(true)
    expect(Object.isFrozen(new PactError('E_STORE', 'Gone.').details)).toBe(true)
  })

  it('keeps its cause, also an undefined one, and has none otherwise', () => {
    const cause = new TypeError('first')
    expect(new PactError('E_STORE', 'Gone.', {}, { cause }).cause).toBe(cause)
    expect('cause' in new PactError('E_STORE', 'Gone.', {}, { cause: undefined })).toBe(true)
    expect('cause' in new PactError('E_STORE', 'Gone.')).toBe(false)
  })
})

describe('PactError.is', () => {
  it("knows the errors of another copy of the package, which instanceof does not, and a subclass's", async () => {
    vi.resetModules()
    const { PactError: Other } = await import('./pact-error.js')
    expect(Other).not.toBe(PactError)
    const [ours, theirs] = [new PactError('E_STORE', 'Ours.'), new Other('E_STORE', 'Theirs.')]
    expect(theirs).not.toBeInstanceOf(PactError)
    expect([PactError.is(ours), PactError.is(theirs), Other.is(ours), Other.is(theirs)]).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(PactError.is(new (class Special extends PactError {})('E_STORE', 'Gone.'))).toBe(true)
  })

  const others: readonly (readonly [what: string, value: unknown])[] = [
    ['an Error', new Error('E_STORE')],
    ['something that looks like one', { name: 'PactError', code: 'E_STORE', message: 'Gone.', details: {} }],
    ['its JSON', new PactError('E_STORE', 'Gone.').toJSON()],
    ['the class', PactError],
    ['its prototype', PactError.prototype],
    ['null', null],
    ['undefined', undefined],
    ['text', 'E_STORE'],
    ['a function', () => true],
  ]
  test.each(others)('does not take %s for one', (_what, value) => {
    expect(PactError.is(value)).toBe(false)
  })

  it('leaves no mark that a listing or a copy shows', () => {
    const error = new PactError('E_STORE', 'Gone.', { id: 'x' })
    expect(Object.keys(error).sort()).toEqual(['code', 'details', 'name'])
    expect(PactError.is({ ...error })).toBe(false)
  })
})

describe('the codes', () => {
  it('are unique, and all of one form (API)', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length)
    expect(ERROR_CODES.filter((code) => !/^E_[A-Z]+(?:_[A-Z]+)*$/.test(code))).toEqual([])
  })
})

describe('describe', () => {
  const rows: readonly (readonly [value: unknown, text: string])[] = [
    ['a "b"', '"a \\"b\\""'],
    ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
    [1.5, '1.5'],
    [5n, '5'],
    [Number.NaN, 'NaN'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [[1], 'a list'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [() => 1, 'a function'],
    [Symbol('s'), 'a symbol'],
  ]
  test.each(rows)('names a value shortly and safely (%#)', (value, text) => {
    expect(describeValue(value)).toBe(text)
  })
})
