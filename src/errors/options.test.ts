// Checks of options: one message for each fault, and the right code.

import { expect, test } from 'vitest'

import { checkNames, checkOption, checkOptions, FLAG, FUNCTION, oneOf, TEXT, wholeFrom } from './options.js'
import { PactError } from './pact-error.js'

const RULES = { size: wholeFrom(1, true), kind: oneOf('a', 'b'), name: TEXT, call: FUNCTION, flag: FLAG }

test.each([
  [{}],
  [{ size: 1, kind: 'a', name: 'n', call: () => 1, flag: false }],
  [{ size: Infinity }],
  [{ size: undefined, kind: undefined }],
])('%j passes', (given) => {
  expect(() => checkOptions(given, RULES, '{ size: 2 }')).not.toThrow()
})

test.each([
  [null, 'options', 'Options are an object such as { size: 2 }, not null.'],
  [[], 'options', 'Options are an object such as { size: 2 }, not a list.'],
  [{ sizes: 2 }, 'sizes', 'There is no option "sizes"; did you mean "size"?'],
  [{ other: 2 }, 'other', 'There is no option "other"; there are size, kind, name, call, flag.'],
  [{ size: 0 }, 'size', 'The option size is a whole number from 1 up, or Infinity, not 0.'],
  [{ size: 1.5 }, 'size', 'The option size is a whole number from 1 up, or Infinity, not 1.5.'],
  [{ kind: 'c' }, 'kind', "The option kind is 'a' or 'b', not \"c\"."],
  [{ name: '' }, 'name', 'The option name is a string that is not empty, not "".'],
  [{ call: 5 }, 'call', 'The option call is a function, not 5.'],
  [{ flag: 'yes' }, 'flag', 'The option flag is true or false, not "yes".'],
])('%j is refused', (given, name, message) => {
  const error = caught(() => checkOptions(given, RULES, '{ size: 2 }'))
  expect([error.code, error.message, error.details]).toEqual(['E_CONTENT_INVALID', message, { name }])
})

test('a code and another subject can be given', () => {
  const names = (given: unknown): PactError =>
    caught(() => checkNames(given, ['a'], '{ a }', 'E_SELECTOR_INVALID', 'usage'))
  expect(names(5)).toMatchObject({
    code: 'E_SELECTOR_INVALID',
    message: 'The usage is an object such as { a }, not 5.',
  })
  expect(names({ other: 1 }).message).toBe('The usage has no "other"; there is a.')
  expect(caught(() => checkOption('n', -1, wholeFrom(0), 'E_BUDGET')).code).toBe('E_BUDGET')
})

function caught(run: () => void): PactError {
  try {
    run()
  } catch (error) {
    if (PactError.is(error)) return error
  }
  throw new Error('Nothing was thrown.')
}
