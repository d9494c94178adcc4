// The content_diff of D39: its shape to the byte, its three modes, its limits.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import type { JsonValue } from '../core/index.js'
import { canonicalJson } from '../codec/index.js'
import { diffContent, MAX_TEXT, type ContentDiff, type ContentDiffOptions } from './content-diff.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 39) }

/** Any code point, lone surrogates too. fast-check's own 'binary' takes seconds to set up. */
const anyUnit = fc.oneof(
  fc.constantFrom(...'ab \n"\\/'),
  fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
)
const MODES = ['unified', 'jsonpatch', 'tokens'] as const

const content = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', 'é', '\ud800') }),
  fc.jsonValue().map((each) => each as JsonValue),
  fc.constantFrom<JsonValue | undefined>(undefined, '', null, 2n ** 64n, [2n ** 64n], {}),
)

describe('diffContent', () => {
  const HEAD = '--- older(@t-1)/block:1\n+++ newer(@t0)/block:1\n'

  const rows: [name: string, diff: ContentDiff, expected: unknown][] = [
    [
      'two texts as lines',
      diff('a\nb\n', 'a\nç\n', { mode: 'unified' }),
      {
        mode: 'unified',
        mime: 'text/plain',
        summary: { bytesNewer: 5, bytesOlder: 4, identical: false, truncated: false },
        diff: `${HEAD}@@ -1,2 +1,2 @@\n a\n-b\n+ç\n`,
      },
    ],
    [
      'two values as lines of canonical JSON',
      diff({ b: [1], a: 'é' }, { a: 'é', b: [2n ** 64n] }, { mode: 'unified', contextLines: 1 }),
      {
        mode: 'unified',
        mime: 'application/json',
        summary: { bytesNewer: 41, bytesOlder: 22, identical: false, truncated: false },
        diff: `${HEAD}@@ -3,3 +3,3 @@\n   "b": [\n-    1\n+    18446744073709551616\n   ]\n`,
      },
    ],
    [
      'a text beside a value as JSON, so that the two differ',
      diff('[]', [], { mode: 'unified' }),
      {
        mode: 'unified',
        mime: 'application/json',
        summary: { bytesNewer: 2, bytesOlder: 2, identical: false, truncated: false },
        diff: `${HEAD}@@ -1 +1 @@\n-"[]"\n+[]\n`,
      },
    ],
    [
      'missing content as an empty text',
      diff(undefined, 'a', { mode: 'unified' }),
      {
        mode: 'unified',
        mime: 'text/plain',
        summary: { bytesNewer: 1, bytesOlder: 0, identical: false, truncated: false },
        diff: `${HEAD}@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n`,
      },
    ],
    [
      'null as a value, not as missing',
      diff(undefined, null, { mode: 'unified' }),
      {
        mode: 'unified',
        mime: 'application/json',
        summary: { bytesNewer: 4, bytesOlder: 0, identical: false, truncated: false },
        diff: `${HEAD}@@ -1 +1 @@\n-""\n+null\n`,
      },
    ],
    [
      'two values as a patch',
      diff({ a: [1, 2] }, { a: [1, 3] }, { mode: 'jsonpatch' }),
      {
        mode: 'jsonpatch',
        mime: 'application/json',
        summary: { bytesNewer: 11, bytesOlder: 11, identical: false, truncated: false },
        patch: [{ op: 'replace', path: '/a/1', value: 3 }],
      },
    ],
    [
      'two texts as one replacement, whatever they parse to',
      diff('{"a":1}', '{"a":2}', { mode: 'jsonpatch' }),
      {
        mode: 'jsonpatch',
        mime: 'text/plain',
        summary: { bytesNewer: 7, bytesOlder: 7, identical: false, truncated: false },
        patch: [{ op: 'replace', path: '', value: '{"a":2}' }],
      },
    ],
    [
      'two texts as tokens',
      diff('one two', 'one 2 😀', { mode: 'tokens', contextLines: 1 }),
      {
        mode: 'tokens',
        mime: 'text/plain',
        summary: {
          bytesNewer: 10,
          bytesOlder: 7,
          identical: false,
          truncated: false,
          tokenizer: 'unicode-words',
          tokensNewer: 5,
          tokensOlder: 3,
        },
        hunks: [
          {
            olderStart: 1,
            olderCount: 2,
            newerStart: 1,
            newerCount: 4,
            ops: [
              { op: 'keep', text: ' ' },
              { op: 'rep', from: 'two', to: '2 😀' },
            ],
          },
        ],
      },
    ],
    [
      'two values as tokens of canonical JSON, by another tokenizer',
      diff([1], [2], {
        mode: 'tokens',
        contextLines: 0,
        tokenizer: { name: 'characters', split: (text) => [...text] },
      }),
      {
        mode: 'tokens',
        mime: 'application/json',
        summary: {
          bytesNewer: 3,
          bytesOlder: 3,
          identical: false,
          truncated: false,
          tokenizer: 'characters',
          tokensNewer: 3,
          tokensOlder: 3,
        },
        hunks: [
          { olderStart: 1, olderCount: 1, newerStart: 1, newerCount: 1, ops: [{ op: 'rep', from: '1', to: '2' }] },
        ],
      },
    ],
  ]

  test.each(rows)('gives %s (D39)', (_, found, expected) => {
    // As text, since the order of names is part of what a caller sees.
    expect(canonicalText(found)).toBe(canonicalText(expected))
  })

  const mimes: [newer: string | undefined, older: string | undefined, mime: string][] = [
    [undefined, undefined, 'text/plain'],
    ['text/markdown', undefined, 'text/markdown'],
    [undefined, 'text/html', 'text/html'],
    ['text/markdown', 'text/html', 'text/markdown'],
  ]

  test.each(mimes)('takes the mime of the newer side, %s, before that of the older, %s (D39)', (newer, older, mime) => {
    const [a, b] = [side('@t0', 'a'), side('@t-1', 'b')]
    expect(diffContent({ ...a, mime: newer }, { ...b, mime: older }, { mode: 'unified', contextLines: 3 }).mime).toBe(
      mime,
    )
  })

  it('names each side by its own label and id (D39)', () => {
    const found = diffContent(
      { id: 'b:2', label: '@c7', content: 'x' },
      { id: 'b:1', label: '@c3', content: 'y' },
      { mode: 'unified', contextLines: 3 },
    )
    expect(found.diff).toMatch(/^--- older\(@c3\)\/b:1\n\+\+\+ newer\(@c7\)\/b:2\n/)
  })

  it('is empty for the same content and not empty for any other, in every mode (D39)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODES), content, content, (mode, older, newer) => {
        const found = diff(older, newer, { mode })
        const identical =
          canonicalJson(older === undefined ? '' : older) === canonicalJson(newer === undefined ? '' : newer)
        expect(found.summary.identical).toBe(identical)
        const changes = found.diff ?? found.patch ?? found.hunks
        expect(changes).toHaveProperty('length')
        expect(changes?.length === 0).toBe(identical)
        expect(diff(newer, newer, { mode }).summary).toMatchObject({ identical: true, truncated: false })
        expect(isDeepFrozen(found)).toBe(true)
      }),
      { ...SEED, numRuns: 400 },
    )
  })

  it('counts the bytes that an encoder makes (D39)', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyUnit }), fc.jsonValue(), (text, json) => {
        const { summary } = diff(text, json as JsonValue, { mode: 'jsonpatch' })
        expect(summary.bytesOlder).toBe(new TextEncoder().encode(text).length)
        const written = typeof json === 'string' ? json : canonicalJson(json)
        expect(summary.bytesNewer).toBe(new TextEncoder().encode(written).length)
      }),
      SEED,
    )
  })

  it('counts the bytes of characters wherever they stand in a long text (D39)', () => {
    for (const lead of ['', 'a', 'ab', 'abc']) {
      const text = lead + '😀'.repeat(100_000)
      expect(diff('', text, { mode: 'jsonpatch' }).summary.bytesNewer).toBe(lead.length + 400_000)
    }
  })

  it('gives the same bytes for the same contents, whatever the order of their names (D39)', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...MODES),
        fc.dictionary(fc.string(), fc.jsonValue()),
        content,
        (mode, object, other) => {
          const turned = Object.fromEntries(Object.entries(object).toReversed()) as JsonValue
          const first = canonicalText(diff(object as JsonValue, other, { mode }))
          expect(canonicalText(diff(turned, other, { mode }))).toBe(first)
        },
      ),
      SEED,
    )
  })
})

describe('limits', () => {
  it('says when more edits were needed than allowed, and still leads to the newer content (D39)', () => {
    const letters = [...'abcdefghij']
    const [older, newer] = [letters.join('\n'), letters.toReversed().join('\n')]
    expect(diff(older, newer, { mode: 'unified', maxEdits: 4 }).summary.truncated).toBe(true)
    expect(diff(older, newer, { mode: 'unified', maxEdits: 100 }).summary.truncated).toBe(false)
    expect(diff(older, newer, { mode: 'tokens', maxEdits: 4 }).summary.truncated).toBe(true)
    const patch = diff(letters, letters.toReversed(), { mode: 'jsonpatch', maxEdits: 4 })
    expect(patch.summary.truncated).toBe(true)
    expect(patch.patch).toHaveLength(10)
  })

  const long = 'x'.repeat(MAX_TEXT / 2)

  it('leaves out lines and tokens of texts beyond the limit, and says so', () => {
    expect(diff(long, `y${long.slice(1)}`, { mode: 'unified' })).toHaveProperty('diff')
    for (const mode of ['unified', 'tokens'] as const) {
      const found = diff(long, `${long}y`, { mode })
      expect(Object.keys(found)).toEqual(['mode', 'mime', 'summary'])
      expect(found.summary.truncated).toBe(true)
    }
    // The numbers of tokens were never counted.
    expect(diff(long, `${long}y`, { mode: 'tokens' }).summary).not.toHaveProperty('tokensNewer')
  })

  it('leaves out lines that only indenting makes too long', () => {
    let deep: JsonValue = Array.from({ length: 80_000 }, () => 0)
    for (let i = 0; i < 120; i++) deep = [deep]
    const found = diff(deep, [], { mode: 'unified' })
    expect(found).not.toHaveProperty('diff')
    expect(found.summary).toMatchObject({ bytesOlder: 160_241, truncated: true })
    expect(diff(deep, [], { mode: 'jsonpatch' }).summary.truncated).toBe(false)
  })

  it('replaces values beyond the limit as a whole, and says so', () => {
    const found = diff([long, 1], [long, 2], { mode: 'jsonpatch' })
    expect(found.patch).toEqual([{ op: 'replace', path: '', value: [long, 2] }])
    expect(found.summary.truncated).toBe(true)
    expect(diff(long, `${long}y`, { mode: 'jsonpatch' }).summary.truncated).toBe(false)
  })

  test.each(MODES)('is empty for the same content beyond the limit, as %s', (mode) => {
    const found = diff([`${long}yy`], [`${long}yy`], { mode })
    expect(found.diff ?? found.patch ?? found.hunks).toHaveLength(0)
    expect(found.summary).toMatchObject({ identical: true, truncated: false })
  })
})

function side(
  label: string,
  content: JsonValue | undefined,
): { id: string; label: string; content: JsonValue | undefined } {
  return { id: 'block:1', label, content }
}

function diff(
  older: JsonValue | undefined,
  newer: JsonValue | undefined,
  options: Partial<ContentDiffOptions> & Pick<ContentDiffOptions, 'mode'>,
): ContentDiff {
  return diffContent(side('@t0', newer), side('@t-1', older), { contextLines: 3, ...options })
}

function canonicalText(each: unknown): string {
  return JSON.stringify(each, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner))
}

function isDeepFrozen(each: unknown): boolean {
  return typeof each !== 'object' || each === null || (Object.isFrozen(each) && Object.values(each).every(isDeepFrozen))
}
