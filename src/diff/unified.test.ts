// The unified format by rows, by an applier that knows nothing but the format, and by the programs that read it.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import * as fc from 'fast-check'
import { afterAll, describe, expect, it, test } from 'vitest'

import { MAX_ELEMENTS, Search } from './text-diff.js'
import { unifiedDiff } from './unified.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 39) }

/** Any code point, lone surrogates too. fast-check's own 'binary' takes seconds to set up. */
const anyUnit = fc.oneof(
  fc.constantFrom(...'ab \n"\\/'),
  fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
)
const NO_END = '\\ No newline at end of file\n'
const HEAD = '--- older(@t-1)/block:1\n+++ newer(@t0)/block:1\n'

/** Lines that look like parts of a diff, or that a careless splitter would take apart or lose. */
const line = fc.constantFrom(
  '',
  'a',
  'b',
  'c',
  'a\r',
  '\r',
  '-- x',
  '++ x',
  '@@ -1 +1 @@',
  NO_END.slice(0, -1),
  'é\u2028',
  ' ',
)
const text = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''))

describe('unifiedDiff', () => {
  const rows: [name: string, older: string, newer: string, context: number, hunks: string][] = [
    ['nothing for equal texts', 'a\nb\n', 'a\nb\n', 3, ''],
    ['nothing for two empty texts', '', '', 3, ''],
    ['one changed line, without counts', 'a\n', 'b\n', 3, '@@ -1 +1 @@\n-a\n+b\n'],
    ['an insertion without context behind its line', 'a\nb\n', 'a\nx\nb\n', 0, '@@ -1,0 +2 @@\n+x\n'],
    ['an insertion at the start without context behind line 0', 'a\n', 'x\ny\na\n', 0, '@@ -0,0 +1,2 @@\n+x\n+y\n'],
    ['a deletion without context', 'a\nb\nc\n', 'a\nc\n', 0, '@@ -2 +1,0 @@\n-b\n'],
    ['all of a new text', '', 'a\nb\n', 3, '@@ -0,0 +1,2 @@\n+a\n+b\n'],
    ['all of a text that went', 'a\nb\n', '', 3, '@@ -1,2 +0,0 @@\n-a\n-b\n'],
    ['a missing end in the older text', 'a', 'a\n', 3, `@@ -1 +1 @@\n-a\n${NO_END}+a\n`],
    ['a missing end in the newer text', 'a\n', 'a', 3, `@@ -1 +1 @@\n-a\n+a\n${NO_END}`],
    ['a missing end in both', 'a\nb', 'a\nc', 3, `@@ -1,2 +1,2 @@\n a\n-b\n${NO_END}+c\n${NO_END}`],
    ['a missing end in the context', 'a\nb', 'c\nb', 3, `@@ -1,2 +1,2 @@\n-a\n+c\n b\n${NO_END}`],
    ['no missing end outside the context', 'a\nb\nc', 'x\nb\nc', 1, '@@ -1,2 +1,2 @@\n-a\n+x\n b\n'],
    ['a carriage return as part of its line', 'a\r\nb\r\n', 'a\nb\r\n', 3, '@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n'],
    ['a line of other separators as one line', 'a\u2028b\vc\n', 'd\n', 3, '@@ -1 +1 @@\n-a\u2028b\vc\n+d\n'],
    [
      'changes that lie twice the context apart in one hunk',
      'a\n1\n2\nb\n',
      'x\n1\n2\ny\n',
      1,
      '@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n-b\n+y\n',
    ],
    [
      'changes that lie further apart in two hunks',
      'a\n1\n2\n3\nb\n',
      'x\n1\n2\n3\ny\n',
      1,
      '@@ -1,2 +1,2 @@\n-a\n+x\n 1\n@@ -4,2 +4,2 @@\n 3\n-b\n+y\n',
    ],
  ]

  test.each(rows)('writes %s (D39)', (_, older, newer, context, hunks) => {
    expect(diff(older, newer, context)).toBe(hunks === '' ? '' : HEAD + hunks)
  })

  const names: [name: string, written: string][] = [
    ['older(@t-1)/block:1', 'older(@t-1)/block:1'],
    ['older(@t-1)/a "b" \\ é', 'older(@t-1)/a "b" \\ é'],
    ['older(@t-1)/a\n+++ b', '"older(@t-1)/a\\n+++ b"'],
    ['older(@t-1)/\t\u0085"é', '"older(@t-1)/\\t\\u0085\\"\\u00e9"'],
    ['"a"', '"\\"a\\""'],
  ]

  test.each(names)('writes the name %j as %s, on one line', (name, written) => {
    const sides = [
      { name, text: 'a\n' },
      { name: 'newer', text: 'b\n' },
    ] as const
    expect(unifiedDiff(...sides, 3, new Search())).toBe(`--- ${written}\n+++ newer\n@@ -1 +1 @@\n-a\n+b\n`)
  })

  it('applies to the older text, giving the newer, and back (D39)', () => {
    fc.assert(
      fc.property(text, text, fc.nat(4), fc.nat(20), (older, newer, context, maxEdits) => {
        const written = diff(older, newer, context, new Search(maxEdits))
        expect(apply(written, older)).toBe(newer)
        expect(applyBack(written, newer)).toBe(older)
        expect(written === '').toBe(older === newer)
      }),
      { ...SEED, numRuns: 800 },
    )
  })

  it('applies where lines hold any character', () => {
    const any = fc.string({ unit: anyUnit, maxLength: 20 })
    const texts = fc.array(fc.oneof(any, fc.constant('\n')), { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, texts, fc.nat(3), (older, newer, context) => {
        expect(apply(diff(older, newer, context), older)).toBe(newer)
      }),
      SEED,
    )
  })

  it('gives nothing for more than a million lines, and says so', () => {
    const lines = '\n'.repeat(MAX_ELEMENTS / 2)
    const search = new Search()
    expect(unifiedDiff({ name: 'a', text: lines }, { name: 'b', text: `${lines}x` }, 3, search)).toBeUndefined()
    expect(search.truncated).toBe(true)
    expect(diff(lines.slice(1), `${lines}x`, 0)).toBe(`${HEAD}@@ -524287,0 +524288,2 @@\n+\n+x\n${NO_END}`)
  })
})

describe('programs that read unified diffs', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-unified-'))
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  const programs: [name: string, args: readonly string[]][] = [
    ['patch', ['-p1', '--batch', '--fuzz=0', '--no-backup-if-mismatch', '--input=diff']],
    ['git', ['apply', '-p1', '--unidiff-zero', '--whitespace=nowarn', 'diff']],
  ]

  test.for(programs)('%s turns the older text into the newer (D39)', ([program, args], { skip }) => {
    skip(spawnSync(program, ['--version']).status !== 0, `${program} is not installed; the applier above stands in`)
    const cases = fc.sample(fc.tuple(text, text, fc.nat(3)), { ...SEED, numRuns: 60 })
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: os.tmpdir(), GIT_DIR: path.join(folder, 'none') }
    for (const [older, newer, context] of [...LARGE, ...cases]) {
      if (older === newer) continue // an empty diff is no diff to git
      fs.writeFileSync(path.join(folder, 'block:1'), older)
      fs.writeFileSync(path.join(folder, 'diff'), diff(older, newer, context))
      const ran = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' })
      expect(ran.status, `${ran.stdout}${ran.stderr}\n${diff(older, newer, context)}`).toBe(0)
      expect(fs.readFileSync(path.join(folder, 'block:1'), 'utf8')).toBe(newer)
    }
  })
})

const numbered = Array.from({ length: 2000 }, (_, i) => `line ${i}\n`)
const LARGE: readonly [older: string, newer: string, context: number][] = [
  [numbered.join(''), numbered.filter((_, i) => i % 97 !== 0).join(''), 3],
  [numbered.join(''), numbered.map((each, i) => (i % 50 === 7 ? `changed ${each}` : each)).join(''), 0],
  [numbered.join(''), numbered.toReversed().join(''), 3],
]

function diff(older: string, newer: string, context: number, search: Search = new Search()): string {
  const written = unifiedDiff(
    { name: 'older(@t-1)/block:1', text: older },
    { name: 'newer(@t0)/block:1', text: newer },
    context,
    search,
  )
  return written!
}

/** Applies a diff strictly: every line in its place, every count as it says. */
function apply(written: string, older: string): string {
  return applyHunks(written, older, { gone: '-', came: '+', from: 0 })
}

function applyBack(written: string, newer: string): string {
  return applyHunks(written, newer, { gone: '+', came: '-', from: 1 })
}

function applyHunks(written: string, input: string, way: { gone: string; came: string; from: 0 | 1 }): string {
  const source = input.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const lines = (written.match(/[^\n]*\n/g) ?? []).slice(2)
  const result: string[] = []
  let used = 0
  for (let i = 0; i < lines.length;) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$/.exec(lines[i++]!)!
    const [starts, counts] = [[head[1], head[3]].map(Number), [head[2] ?? '1', head[4] ?? '1'].map(Number)]
    const first = counts[way.from] === 0 ? starts[way.from]! : starts[way.from]! - 1
    result.push(...source.slice(used, first))
    used = first
    expect(result).toHaveLength(counts[1 - way.from] === 0 ? starts[1 - way.from]! : starts[1 - way.from]! - 1)
    const [usedAtHead, madeAtHead] = [used, result.length]
    while (used - usedAtHead < counts[way.from]! || result.length - madeAtHead < counts[1 - way.from]!) {
      let content = lines[i]!.slice(1)
      const mark = lines[i++]![0]
      if (lines[i] === NO_END) {
        content = content.slice(0, -1)
        i++
      }
      if (mark !== way.came) expect(source[used++]).toBe(content)
      if (mark !== way.gone) result.push(content)
    }
    expect([used - usedAtHead, result.length - madeAtHead]).toEqual([counts[way.from], counts[1 - way.from]])
  }
  return [...result, ...source.slice(used)].join('')
}
