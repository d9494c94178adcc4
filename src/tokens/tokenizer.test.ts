// OpenAI's tokenizers: the package's own counts, long runs in parts, and what happens without the package.

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'

import { PactError } from '../errors/index.js'
import { cl100k, o200k } from './index.js'
import { countPieces } from './long-runs.js'
import { loadTokenizer, requireOf } from './tokenizer.js'

const AS_TEXT = { disallowedSpecial: new Set<string>() }

describe('o200k', () => {
  test.each([
    '',
    'hello world',
    'The quick brown fox jumps over the lazy dog. '.repeat(50),
    'const a = { b: [1, 2, 3], c: "d" }\n\treturn a?.b ?? c // …\n'.repeat(30),
    '漢字と仮名、そして絵文字😀。'.repeat(40),
    'lone \ud800 surrogate',
  ])('counts %j as gpt-tokenizer does', (text) => {
    expect(o200k(text)).toBe(countTokens(text, AS_TEXT))
  })

  test('takes the names of special tokens for text', () => {
    expect(o200k('<|endoftext|>')).toBeGreaterThan(1)
    expect(o200k('say <|im_start|>system<|im_end|>')).toBe(countTokens('say <|im_start|>system<|im_end|>', AS_TEXT))
  })

  test('comes near in a long run, which it counts in parts', () => {
    const run = Array.from({ length: 1500 }, (_, i) => String.fromCharCode(97 + ((i * i * 7 + i * 3) % 26))).join('')
    const exact = countTokens(run, AS_TEXT)
    expect(o200k(run)).toBeGreaterThanOrEqual(exact)
    expect(o200k(run)).toBeLessThan(1.1 * exact)
  })

  test('and cl100k are two encodings', () => {
    expect([o200k('漢字仮名交じり文'), cl100k('漢字仮名交じり文')]).toEqual([9, 10])
  })
})

describe('long runs', () => {
  /** The square of the length is what a tokenizer's work grows with. */
  const longestWord = (text: string): number => {
    let longest = 0
    countPieces(text, (piece) => {
      for (const word of piece.match(/[\p{L}\p{M}]+|[^\s\p{L}\p{N}]+|\s+/gu) ?? [])
        longest = Math.max(longest, word.length)
      return 0
    })
    return longest
  }
  test.each([
    ['letters', 'a'.repeat(50_000)],
    ['signs', '=-'.repeat(25_000)],
    ['blanks', ' '.repeat(50_000)],
    ['lines', '\n'.repeat(50_000)],
    ['CJK', '漢字仮名'.repeat(10_000)],
    ['pairs of surrogates', '𠀀'.repeat(20_000)],
    ['emoji', 'x😀'.repeat(3) + '😀'.repeat(10_000)],
    ['letters somewhere in a text', `${'word '.repeat(33)}${'b'.repeat(9_999)} and on`],
  ])('of %s reach the tokenizer in pieces without a long word', (_what, text) => {
    expect(longestWord(text)).toBeLessThan(2 * 256 + 2)
  })

  test.each([
    ['prose', 'The quick brown fox jumps over the lazy dog. '.repeat(500)],
    ['code', 'if (a[i] !== b[i]) { return false }\n    '.repeat(500)],
    ['Chinese with its punctuation', '他说，明天不来了。我们等到后天再看看吧！'.repeat(200)],
  ])('do not occur in %s, which goes through as one', (_what, text) => {
    const pieces: string[] = []
    countPieces(text, (piece) => pieces.push(piece))
    expect(pieces).toEqual([text])
  })

  test('are cut so that the pieces are the text, and no pair is torn', () => {
    for (const text of [
      '',
      'a'.repeat(127),
      'a'.repeat(128),
      'a'.repeat(1_000),
      `é${'😀'.repeat(999)}`,
      `a${'😀'.repeat(999)}b c`,
    ]) {
      const pieces: string[] = []
      countPieces(text, (piece) => pieces.push(piece))
      expect(pieces.join('')).toBe(text)
      expect(pieces.filter((piece) => /^[\udc00-\udfff]|[\ud800-\udbff]$/.test(piece))).toEqual([])
    }
  })
})

describe('without the package', () => {
  const refused = (load: ((id: string) => unknown) | undefined): PactError => {
    try {
      loadTokenizer('o200k', 'o200k_base', load)
    } catch (error) {
      if (PactError.is(error)) return error
    }
    throw new Error('It was loaded.')
  }

  test('the error says what to install, with what the host said as its cause', () => {
    const cause = new Error("Cannot find module 'gpt-tokenizer'")
    const error = refused(() => {
      throw cause
    })
    expect([error.code, error.details, error.cause]).toEqual([
      'E_BUDGET',
      { name: 'o200k', package: 'gpt-tokenizer' },
      cause,
    ])
    expect(error.message).toContain('npm install gpt-tokenizer')
  })

  test('where there is no require, in a browser, it says how to bring the tokenizer along', () => {
    expect(requireOf(undefined)).toBeUndefined()
    expect(requireOf({})).toBeUndefined()
    expect(refused(undefined).message).toContain('createCounter')
  })
})
