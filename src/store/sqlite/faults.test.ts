import { PactError } from 'pact-context'
import { expect, test } from 'vitest'

import { diskFault, faultOf, isBusy, isMalformed, isUnreadPage } from './faults.js'

function failing(errcode: number, message = 'from SQLite'): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode })
}

// Result codes and extended ones, with their known outcome.
test.each([
  [5, 'busy', 'failed', /did not become free in time; try again/],
  [261, 'busy', 'failed', /locked by another process/],
  [6, 'busy', 'failed', /is locked; try again/],
  [8, 'read-only', 'failed', /cannot be written; check the permissions/],
  [1032, 'read-only', 'failed', /cannot be written/],
  [10, 'io', 'unknown', /The disk failed under/],
  [1034, 'io', 'unknown', /check it, and the file with fsck/],
  [11, 'damaged', 'failed', /restore it from a backup/],
  [13, 'full', 'failed', /The disk is full.*make room and try again/],
  [14, 'cannot-open', 'failed', /cannot be opened/],
  [26, 'no-database', 'failed', /is no SQLite database/],
])('%i is %s, and has %s', (errcode, reason, outcome, sentence) => {
  const cause = failing(errcode)
  const { code, message, details, ...error } = faultOf(cause, 'the file')
  expect([code, details]).toEqual(['E_STORE', { outcome, reason, sqlite: errcode }])
  expect(message).toMatch(sentence)
  expect(message).toMatch(/the file/)
  expect(message).toMatch(/\.$/)
  expect(faultOf(cause, 'the file').cause).toBe(cause)
  expect(error).toBeDefined()
})

test('every code has a sentence of its own', () => {
  const sentences = [5, 6, 8, 10, 11, 13, 14, 26, 1].map((code) => faultOf(failing(code), 'x').message)
  expect(new Set(sentences).size).toBe(sentences.length)
})

test('what nobody expected is unknown, with the words of the driver', () => {
  const { details, message } = faultOf(failing(1, 'near "x": syntax error'), 'x')
  expect([details['reason'], details['outcome']]).toEqual(['driver', 'unknown'])
  expect(message).toMatch(/near "x": syntax error/)
  expect(faultOf('a text', 'x').details['outcome']).toBe('unknown')
})

test.each([
  'no such column: m.hash',
  'no such table: commits',
  'table commits has no column named hash',
  'malformed database schema (pages_key)',
  'table contexts already exists',
  'index contexts_parent already exists',
])('tables that are not those that were made are damaged: %s', (said) => {
  const { details, message } = faultOf(failing(1, said), 'x')
  expect([details['reason'], details['outcome'], message]).toEqual([
    'damaged',
    'failed',
    'The tables of x are damaged; restore it from a backup.',
  ])
})

test('an error in our words passes as it is', () => {
  const error = new PactError('E_CONFLICT', 'Mine.')
  expect(faultOf(error, 'x')).toBe(error)
})

test('a lock is known by its codes', () => {
  expect([5, 261, 517, 6, 1].map((code) => isBusy(failing(code)))).toEqual([true, true, true, false, false])
  for (const odd of [undefined, null, 'busy', {}, { errcode: '5' }]) expect(isBusy(odd)).toBe(false)
})

test('malformed is what SQLite says of damage, and of a disk that it cannot read', () => {
  expect([11, 267, 523, 10, 5].map((code) => isMalformed(failing(code)))).toEqual([true, true, true, false, false])
  expect(isMalformed(faultOf(failing(11), 'x'))).toBe(true)
  expect(isMalformed(diskFault('x', failing(11)))).toBe(false)
  expect(diskFault('x', failing(11)).details).toEqual({ outcome: 'unknown', reason: 'io', sqlite: 11 })
})

test('a page that could not be read is told from one that is damaged', () => {
  const lines = [
    '*** in database main ***\nPage 7: unable to get the page. error code=8458',
    'unable to get the page. error code=11',
    'ok',
  ]
  expect(lines.map(isUnreadPage)).toEqual([true, false, false])
})
