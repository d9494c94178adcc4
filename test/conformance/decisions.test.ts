// docs/implementers/readings.md answers every citation: each D24 or N7 in a comment, a test title or a page has an entry there, or a row in the
// table of numbers that moved. Every conformance row that the page names exists.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { readHeadings } from '../support/markdown.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGE = 'docs/implementers/readings.md'
const TABLE = 'docs/implementers/conformance.md'
/** This file makes numbers up. */
const SELF = 'test/conformance/decisions.test.ts'

const READINGS = readText(PAGE)
const ENTRIES = entriesOf(READINGS)
const MOVED = movedIn(READINGS)

describe('the readings', () => {
  test('every number that src, test and docs cite has an entry, or a row that says where it is now', () => {
    const files = ['src', 'test', 'docs'].flatMap((folder) => filesUnder(folder)).filter((file) => file !== SELF)
    const known = [...ENTRIES, ...MOVED]
    expect(files.flatMap((file) => findUnknown(file, readText(file), known))).toEqual([])
  })

  test('test, docs, scripts and bench cite no number that has moved', () => {
    const files = ['test', 'docs', 'scripts', 'bench']
      .flatMap((folder) => filesUnder(folder))
      .filter((file) => file !== SELF && file !== PAGE && file !== 'bench/history.md')
    expect(files.flatMap((file) => findCited(file, readText(file), MOVED))).toEqual([])
  })

  test('the numbers rise: D without a gap, N with every missing one in the table', () => {
    const of = (letter: string, list: readonly string[]): readonly number[] =>
      list.filter((entry) => entry.startsWith(letter)).map((entry) => Number(entry.slice(1)))
    const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1)
    const d = of('D', ENTRIES)
    expect(d).toEqual(numbers(d.length))
    const n = of('N', ENTRIES)
    expect(n).toEqual(n.toSorted((a, b) => a - b))
    const all = [...n, ...of('N', MOVED)].toSorted((a, b) => a - b)
    expect(all).toEqual(numbers(all.length))
  })

  test('an entry says something', () => {
    const empty = READINGS.matchAll(/^## ([DN]\d+)\. .*\n+(?=#|$(?![\s\S]))/gm)
    expect([...empty].map(([, entry]) => entry)).toEqual([])
  })

  test('an entry names a conformance row that exists, or tests, or says that it is not built', () => {
    const rows = new Set([...readText(TABLE).matchAll(/^\| ([\w.-]+) \|/gm)].map(([, id]) => id))
    const bad = READINGS.split(/^(?=#{1,2} )/m)
      .filter((part) => /^## [DN]\d/.test(part))
      .filter((part) => {
        const named = [...part.matchAll(/\[([\w.-]+)\]\(conformance\.md#/g)].map(([, id]) => id)
        if (named.length > 0) return named.some((id) => !rows.has(id))
        return !/; tests: |No row yet\./.test(part)
      })
    expect(bad.map((part) => part.split('\n')[0])).toEqual([])
  })
})

describe('the checks find a made-up fault', () => {
  test('a citation without an entry is named with its place', () => {
    const text = '// Kept (D1, N2).\n/** See D9 and N30; not AD9, D9a or D-9. */'
    expect(findUnknown('a.ts', text, ['D1', 'N2'])).toEqual(['a.ts:2: D9', 'a.ts:2: N30'])
    expect(findCited('a.ts', text, ['N2'])).toEqual(['a.ts:1: N2'])
  })

  test('an entry is a heading that begins with its number, and a moved one a cell', () => {
    expect(entriesOf('# D\n## D1. One\nD2. Two\n## N1. One\n```\n## D3. No\n```\n## The D4. No')).toEqual(['D1', 'N1'])
    expect(movedIn('| N1 | a |\n# Where the other numbers went\n| N2, N3 | N4 |\n')).toEqual(['N2', 'N3'])
  })
})

function entriesOf(markdown: string): readonly string[] {
  return readHeadings(markdown).flatMap(({ text }) => /^([DN]\d+)\. /.exec(text)?.[1] ?? [])
}

function movedIn(markdown: string): readonly string[] {
  const [, table = ''] = markdown.split('# Where the other numbers went')
  return table
    .split('\n')
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/N\d+/g)].map(([number]) => number))
}

function findUnknown(file: string, text: string, known: readonly string[]): readonly string[] {
  return citationsIn(file, text).flatMap(({ cited, place }) => (known.includes(cited) ? [] : [`${place}: ${cited}`]))
}

function findCited(file: string, text: string, numbers: readonly string[]): readonly string[] {
  return citationsIn(file, text).flatMap(({ cited, place }) => (numbers.includes(cited) ? [`${place}: ${cited}`] : []))
}

function citationsIn(file: string, text: string): readonly Readonly<{ cited: string; place: string }>[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/(?<![\w-])[DN]\d{1,3}(?!\w)/g)].map(([cited]) => ({ cited, place: `${file}:${index + 1}` })),
    )
}

function filesUnder(folder: string): readonly string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
    .filter((file) => /\.(ts|mjs|json|md)$/.test(file) && !file.includes('/node_modules/'))
}

function readText(file: string): string {
  return fs.readFileSync(path.join(ROOT, file), 'utf8').replaceAll('\r\n', '\n')
}
