// The estimate against a tokenizer, on recorded conversations of other people, and the effect of its options.

import { describe, expect, test } from 'vitest'

import { recordingsOf } from '../../test/recordings/read.mjs'
import { refusal } from '../../test/support/refusal.js'
import { createEstimate, estimate, o200k, OVERHEADS } from './index.js'

/** Every nth distinct text of a file: a tokenizer takes a minute for all of them. */
function textsOf(file: string, n: number): readonly string[] {
  const texts: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  for (const { record } of recordingsOf(file)) collect(record['messages'])
  return [...new Set(texts)].filter((text, i) => text.length > 40 && text.length < 20_000 && i % n === 0)
}

describe('the estimate', () => {
  const files = [
    ['sierra-research__tau-bench', 'an agent with tools, JSON'],
    ['xingyaoww__mint-bench', 'reasoning and code'],
    ['badlogic__pi-mono', 'one long session of a coding agent'],
    ['hiyouga__LLaMA-Factory', 'Chinese'],
    ['SWE-agent__SWE-agent', 'file listings and patches'],
  ] as const
  test.each(files)('of %s (%s) is within a sixth of what o200k counts', (file) => {
    const texts = textsOf(file, 7)
    expect(texts.length).toBeGreaterThan(30)
    const sum = (count: (text: string) => number): number => texts.reduce((total, text) => total + count(text), 0)
    const ratio = sum((text) => estimate(text)) / sum((text) => o200k(text))
    expect(ratio).toBeGreaterThan(5 / 6)
    expect(ratio).toBeLessThan(7 / 6)
  })

  test('takes base64, ids and hashes in a text for what they cost: far more than words of that length', () => {
    const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8A'.repeat(20)
    const ratio = estimate(base64) / o200k(base64)
    expect(ratio).toBeGreaterThan(0.8)
    expect(ratio).toBeLessThan(1.2)
  })

  test('of nothing is nothing, and of anything at least one', () => {
    expect(['', ' ', 'a', 'é', '\ud800'].map((text) => estimate(text))).toEqual([0, 1, 1, 1, 1])
  })

  test('can have one ratio for all bytes, or other ones for some', () => {
    const four = createEstimate({ bytesPerToken: 4 })
    expect(['', 'a', 'abcd', 'abcde', '漢字仮名', '😀'].map((text) => four(text))).toEqual([0, 1, 1, 2, 3, 1])
    const wide = createEstimate({ bytesPerToken: { wide: 1.5 } })
    // The weight of CJK is 2.5 for each character.
    expect([wide('漢字仮名'), wide('abcdef')]).toEqual([7, estimate('abcdef')])
  })

  test.each([0, -1, Number.NaN, Infinity, '4', null, { letters: 3 }, { words: '3' }])(
    'refuses %j as bytes for a token',
    (bytesPerToken) => {
      const options = { bytesPerToken } as Parameters<typeof createEstimate>[0]
      expect(refusal(() => createEstimate(options))).toBe('E_CONTENT_INVALID')
    },
  )

  test('says that it is quick, and can be given an overhead', () => {
    expect(estimate.isQuick).toBe(true)
    expect(createEstimate({ overhead: OVERHEADS.openai }).isQuick).toBe(true)
  })
})
