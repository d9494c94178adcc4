import { expect, test } from 'vitest'

import { EMPTY_RECEIPT } from '../core/index.js'
import { answered, answerRow, isSameRequest } from './answer.js'

const OWNER = { seal: new Uint8Array(48) }

const EDITS = [
  { op: 'user', content: 'a', made: ['block:1-0'], opened: [] },
  { op: 'delete', selector: '#x' },
]

test('an answer gives the ids of each edit again', () => {
  const ids = [['block:1-0'], [], ['a\0', '\u{1f600}', '\ud800']]
  const row = answerRow(OWNER, 'key', EDITS, 4, ids, EMPTY_RECEIPT)
  expect([row.key, row.cycle]).toEqual(['key', 4])
  expect(answered(OWNER, row)).toEqual({ ids, receipt: EMPTY_RECEIPT })
  expect(Object.isFrozen(answered(OWNER, row).ids[0])).toBe(true)
})

test('the same edits are known again, whatever ids they were given', () => {
  const row = answerRow(OWNER, 'key', EDITS, 1, [], EMPTY_RECEIPT)
  expect(isSameRequest(OWNER, row, EDITS)).toBe(true)
  expect(isSameRequest(OWNER, row, [{ ...EDITS[0], made: ['block:9-9'] }, EDITS[1]!])).toBe(true)
  const { made: _made, opened: _opened, ...bare } = EDITS[0] as Record<string, unknown>
  expect(isSameRequest(OWNER, row, [bare, EDITS[1]!])).toBe(true)
})

test.each([
  ['none', []],
  ['fewer', EDITS.slice(0, 1)],
  ['another order', EDITS.toReversed()],
  ['another content', [{ ...EDITS[0], content: 'b' }, EDITS[1]!]],
  ['one more', [...EDITS, EDITS[1]!]],
])('other edits are not: %s', (_, edits) => {
  expect(isSameRequest(OWNER, answerRow(OWNER, 'key', EDITS, 1, [], EMPTY_RECEIPT), edits)).toBe(false)
})

test('what was asked cannot be found out from the sum, which has a salt', () => {
  const [one, two] = [
    answerRow(OWNER, 'key', EDITS, 1, [], EMPTY_RECEIPT),
    answerRow(OWNER, 'key', EDITS, 1, [], EMPTY_RECEIPT),
  ]
  expect(Buffer.compare(one.digest, two.digest)).not.toBe(0)
  expect(one.digest).toHaveLength(48)
})
