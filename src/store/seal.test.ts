import { describe, expect, it } from 'vitest'

import { sealed, unsealed } from './seal.js'

const BODY = Buffer.from('what was answered')

describe('sealed', () => {
  it('gives back what was sealed with the same beside it', () => {
    expect(unsealed(sealed(BODY, 'key', '7'), 'key', '7')).toEqual(BODY)
    expect(unsealed(sealed(new Uint8Array()))).toEqual(Buffer.alloc(0))
  })

  it('finds every flipped bit', () => {
    const bytes = sealed(BODY, 'key')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      expect(unsealed(flipped, 'key'), `bit ${bit}`).toBeUndefined()
    }
  })

  it.each([
    ['another key', ['kez', '7']],
    ['less beside it', ['key']],
    ['the same text, parted elsewhere', ['key7', '']],
    ['the same text, parted before', ['ke', 'y7']],
  ])('does not open with %s', (_, beside) => {
    expect(unsealed(sealed(BODY, 'key', '7'), ...beside)).toBeUndefined()
  })

  it('does not open what is cut off', () => {
    const bytes = sealed(BODY)
    for (const length of [0, 1, 15, 16, bytes.length - 1]) expect(unsealed(bytes.subarray(0, length))).toBeUndefined()
  })
})
