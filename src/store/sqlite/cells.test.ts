import { describe, expect, it } from 'vitest'

import { bytesOf } from '../sql/query.js'
import { CELLS } from './cells.js'

const { blob: blobOf, text: textOf, whole: wholeOf } = CELLS

const DAMAGED = { code: 'E_STORE', details: { outcome: 'failed', reason: 'damaged' } }

describe('cells', () => {
  it('are what they were written as', () => {
    expect(textOf(bytesOf('ä\0👍'))).toBe('ä\0👍')
    expect(wholeOf(7)).toBe(7)
    expect(wholeOf(7n)).toBe(7)
  })

  it.each([['text'], [7], [null], [undefined]])('are damaged where bytes should be and %s stands', (cell) => {
    expect(() => blobOf(cell)).toThrow(expect.objectContaining(DAMAGED))
    expect(() => textOf(cell)).toThrow(expect.objectContaining(DAMAGED))
  })

  it.each([['7'], [0.5], [2n ** 60n], [null], [undefined], [bytesOf('7')]])(
    'are damaged where a whole number should be and %s stands',
    (cell) => {
      expect(() => wholeOf(cell)).toThrow(expect.objectContaining(DAMAGED))
    },
  )
})
