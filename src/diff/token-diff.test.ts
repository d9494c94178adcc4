// Token hunks by rows, and by the law that they rebuild both sides.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { Search } from './text-diff.js'
import { diffTokens, UNICODE_WORDS, type TokenHunk, type TokenOp } from './token-diff.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 39) }

/** Any code point, lone surrogates too. fast-check's own 'binary' takes seconds to set up. */
const anyUnit = fc.oneof(
  fc.constantFrom(...'ab \n"\\/'),
  fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
)

describe('UNICODE_WORDS', () => {
  const rows: [text: string, pieces: string[]][] = [
    ['', []],
    ['word', ['word']],
    ['two words', ['two', ' ', 'words']],
    ['  \t\n a', ['  \t\n ', 'a']],
    ['a, b...', ['a', ',', ' ', 'b', '.', '.', '.']],
    ['snake_case x2 ٣٤', ['snake_case', ' ', 'x2', ' ', '٣٤']],
    ["it's", ['it', "'", 's']],
    ['Übergrößen naïve e\u0301te\u0301', ['Übergrößen', ' ', 'naïve', ' ', 'e\u0301te\u0301']],
    ['𐐀𐐨 😀😀', ['𐐀𐐨', ' ', '😀', '😀']],
    ['中文 ひらカタ ไทย 한국어', ['中', '文', ' ', 'ひ', 'ら', 'カ', 'タ', ' ', 'ไ', 'ท', 'ย', ' ', '한국어']],
    ['a\u00a0\ufeff\u2028b', ['a', '\u00a0\ufeff\u2028', 'b']],
    ['\ud800\udfff\udfffa\ud800', ['\ud800\udfff', '\udfff', 'a', '\ud800']],
  ]

  test.each(rows)('splits %j (D39)', (text, pieces) => {
    expect(UNICODE_WORDS.split(text)).toEqual(pieces)
  })

  it('gives pieces that join to the text, none of them empty (D39)', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyUnit }), (text) => {
        const pieces = UNICODE_WORDS.split(text)
        expect(pieces.join('')).toBe(text)
        expect(pieces).not.toContain('')
      }),
      SEED,
    )
  })

  it('takes one word of millions of letters', () => {
    const word = '𐐀'.repeat(4_000_000)
    expect(UNICODE_WORDS.split(`${word} ${word}`)).toEqual([word, ' ', word])
  })
})

describe('diffTokens', () => {
  it('writes one place of change with its context, in tokens from 0 on both sides (D39)', () => {
    expect(hunks('The old cat sat on the mat.', 'The old dog sat on the mat.', 1)).toEqual([
      {
        olderStart: 3,
        olderCount: 3,
        newerStart: 3,
        newerCount: 3,
        ops: [
          { op: 'keep', text: ' ' },
          { op: 'rep', from: 'cat', to: 'dog' },
          { op: 'keep', text: ' ' },
        ],
      },
    ])
  })

  const rows: [name: string, older: string, newer: string, context: number, ops: string[]][] = [
    ['an insertion', 'a c', 'a b c', 1, ['1+2 1+4: [ ]+{b }[c]']],
    ['a deletion', 'a b c', 'a c', 1, ['1+4 1+2: [ ]-{b }[c]']],
    ['no context', 'a b c', 'a x c', 0, ['2+1 2+1: {b|x}']],
    ['two places', 'a b c d e f', 'x b c d e y', 1, ['0+2 0+2: {a|x}[ ]', '9+2 9+2: [ ]{f|y}']],
    ['two places whose context touches', 'a b c', 'x b y', 2, ['0+5 0+5: {a|x}[ b ]{c|y}']],
    ['everything', 'a', 'b', 5, ['0+1 0+1: {a|b}']],
    ['from nothing', '', 'b', 5, ['0+0 0+1: +{b}']],
    ['nothing', 'a b', 'a b', 5, []],
  ]

  test.each(rows)('writes %s (D39)', (_, older, newer, context, expected) => {
    expect(hunks(older, newer, context).map(formatHunk)).toEqual(expected)
  })

  it('rebuilds both texts from the hunks and what lies between them (D39)', () => {
    const token = fc.constantFrom('a', 'b', 'cc', ' ', '\n', '.', '', 'é')
    const tokens = fc.array(token, { maxLength: 25 })
    fc.assert(
      fc.property(tokens, tokens, fc.nat(4), fc.nat(30), (older, newer, context, maxEdits) => {
        const found = diffTokens(older, newer, context, new Search(maxEdits))
        checkHunks(found, older, newer, context)
      }),
      { ...SEED, numRuns: 600 },
    )
  })
})

function hunks(older: string, newer: string, context: number): readonly TokenHunk[] {
  return diffTokens(UNICODE_WORDS.split(older), UNICODE_WORDS.split(newer), context, new Search())
}

function formatHunk(hunk: TokenHunk): string {
  const ops = hunk.ops.map((each) => {
    if (each.op === 'rep') return `{${each.from}|${each.to}}`
    return each.op === 'keep' ? `[${each.text}]` : `${each.op === 'ins' ? '+' : '-'}{${each.text}}`
  })
  return `${hunk.olderStart}+${hunk.olderCount} ${hunk.newerStart}+${hunk.newerCount}: ${ops.join('')}`
}

function checkHunks(
  found: readonly TokenHunk[],
  older: readonly string[],
  newer: readonly string[],
  context: number,
): void {
  let [usedOlder, usedNewer] = [0, 0]
  for (const hunk of found) {
    // Between two hunks both sides have the same tokens.
    expect(older.slice(usedOlder, hunk.olderStart)).toEqual(newer.slice(usedNewer, hunk.newerStart))
    usedOlder = hunk.olderStart + hunk.olderCount
    usedNewer = hunk.newerStart + hunk.newerCount
    const sides = [older.slice(hunk.olderStart, usedOlder).join(''), newer.slice(hunk.newerStart, usedNewer).join('')]
    const texts = hunk.ops.map(sidesOf)
    expect([texts.map((each) => each[0]).join(''), texts.map((each) => each[1]).join('')]).toEqual(sides)
    const kinds = hunk.ops.map((each) => (each.op === 'keep' ? 'keep' : 'change'))
    expect(kinds).toContain('change')
    for (let i = 1; i < kinds.length; i++) expect(kinds[i]).not.toBe(kinds[i - 1])
    expect(hunk.olderCount + hunk.newerCount).toBeGreaterThan(0)
    if (context === 0) expect(kinds).toEqual(['change'])
    expect(Object.isFrozen(hunk) && Object.isFrozen(hunk.ops) && hunk.ops.every(Object.isFrozen)).toBe(true)
  }
  expect(older.slice(usedOlder)).toEqual(newer.slice(usedNewer))
}

function sidesOf(each: TokenOp): [older: string, newer: string] {
  switch (each.op) {
    case 'keep':
      return [each.text, each.text]
    case 'del':
      return [each.text, '']
    case 'ins':
      return ['', each.text]
    case 'rep':
      return [each.from, each.to]
  }
}
