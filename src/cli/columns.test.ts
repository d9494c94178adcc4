// Tables and lines by the columns that they take on a terminal.

import { describe, expect, it } from 'vitest'

import { clip, clipLine, columnsOf, table, tabbed } from './columns.js'

describe('columns', () => {
  it.each([
    ['plain', 5],
    ['苹果公司', 8],
    ['a👩‍👩‍👧b', 4],
    ['é́x', 2],
    ['→ ✓', 3],
    ['🇳🇴', 2],
    ['', 0],
  ])('of %j are %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns)
  })

  it.each([
    ['plain text', 10, 'plain text'],
    ['plain text', 9, 'plain te…'],
    ['苹果公司', 7, '苹果公…'],
    ['苹果公司', 6, '苹果…'],
    ['x', 0, ''],
  ])('cut %j to %i', (text, width, expected) => {
    expect(clip(text, width)).toBe(expected)
  })

  it('of a painted line are counted over all its pieces', () => {
    const line = [
      ['bold', '苹果'],
      ['dim', '公司'],
      ['good', 'end'],
    ] as const
    expect(clipLine(line, 5).map(([, text]) => text)).toEqual(['苹果', '…'])
    expect(clipLine(line, 11)).toEqual(line)
  })
})

describe('a table', () => {
  const columns = [{ title: 'id' }, { title: 'n', align: 'right' as const }, { title: 'says' }]
  const rows = [
    ['a', '7', 'one'],
    ['苹果', '1,234', 'a longer one'],
  ]
  const shownAt = (width: number): readonly string[] =>
    table(columns, rows, width).map((line) => line.map(([, text]) => text).join(''))

  it('is aligned by columns, and ends where its words do', () => {
    expect(shownAt(Infinity)).toEqual(['id        n  says', 'a         7  one', '苹果  1,234  a longer one'])
  })

  it('is cut where the terminal ends', () => {
    expect(shownAt(18)).toEqual(['id        n  says', 'a         7  one', '苹果  1,234  a lo…'])
  })

  it('is fields between tabs for programs', () => {
    expect(tabbed(rows).map((line) => line.map(([, text]) => text).join(''))).toEqual([
      'a\t7\tone',
      '苹果\t1,234\ta longer one',
    ])
  })
})
