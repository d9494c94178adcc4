// docs/decisions.md answers every citation: what a comment, a test title or a page cites as D24 or N7 has an entry there.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { readHeadings } from './support/markdown.js'

const ROOT = path.resolve(import.meta.dirname, '..')
const PAGE = 'docs/decisions.md'
/** This file makes numbers up. */
const SELF = 'test/decisions.test.ts'

const ENTRIES = entriesOf(readText(PAGE))

describe('the decisions', () => {
  test('every number that src, test and docs cite has an entry', () => {
    const files = ['src', 'test', 'docs'].flatMap((folder) => filesUnder(folder)).filter((file) => file !== SELF)
    expect(files.flatMap((file) => findUnknown(file, readText(file), ENTRIES))).toEqual([])
  })

  test.each(['D', 'N'])('the entries of %s stand in order from 1, without a gap', (letter) => {
    const numbers = ENTRIES.filter((entry) => entry.startsWith(letter))
    expect(numbers.length).toBeGreaterThan(0)
    expect(numbers).toEqual(numbers.map((_, index) => `${letter}${index + 1}`))
  })

  test('an entry says something', () => {
    const empty = readText(PAGE).matchAll(/^## ([DN]\d+)\. .*\n+(?=## |$(?![\s\S]))/gm)
    expect([...empty].map(([, entry]) => entry)).toEqual([])
  })
})

describe('the checks find a made-up fault', () => {
  test('a citation without an entry is named with its place', () => {
    const text = '// Kept (D1, N2).\n/** See D9 and N30; not AD9, D9a or D-9. */'
    expect(findUnknown('a.ts', text, ['D1', 'N2'])).toEqual(['a.ts:2: D9', 'a.ts:2: N30'])
  })

  test('an entry is a heading that begins with its number', () => {
    expect(entriesOf('# D\n## D1. One\nD2. Two\n## N1. One\n```\n## D3. No\n```\n## The D4. No')).toEqual(['D1', 'N1'])
  })
})

function entriesOf(markdown: string): readonly string[] {
  return readHeadings(markdown).flatMap(({ text }) => /^([DN]\d+)\. /.exec(text)?.[1] ?? [])
}

function findUnknown(file: string, text: string, entries: readonly string[]): readonly string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/(?<![\w-])[DN]\d{1,3}(?!\w)/g)]
        .filter(([cited]) => !entries.includes(cited))
        .map(([cited]) => `${file}:${index + 1}: ${cited}`),
    )
}

function filesUnder(folder: string): readonly string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
    .filter((file) => /\.(ts|mjs|json|md)$/.test(file))
}

function readText(file: string): string {
  return fs.readFileSync(path.join(ROOT, file), 'utf8').replaceAll('\r\n', '\n')
}
