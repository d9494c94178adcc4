// The parser by rows: every example of the documents and every form the decisions name, and what is understood by it.

import { describe, expect, it, test } from 'vitest'

import type { Dialect } from '../../core/index.js'
import { compactSelector } from '../../../test/support/compact-selector.js'
import rows from './parse.cases.json' with { type: 'json' }
import { parseSelector, readSelector } from './selector.js'

type Row = Readonly<{
  selector: string
  dialect: Dialect
  ast: string
  section: string
  reason: string
  bound?: boolean
}>

describe('parseSelector', () => {
  test.each(rows as Row[])('reads $selector in $dialect: $reason ($section)', ({ selector, dialect, ast, bound }) => {
    expect(compactSelector(parseSelector(selector, { dialect, bound }))).toBe(ast)
  })

  it('gives a tree that is frozen throughout, and readSelector the same one open', () => {
    for (const { selector, dialect, bound } of rows as Row[]) {
      const tree = parseSelector(selector, { dialect, bound })
      const open = readSelector(selector, { dialect, bound })
      expect([partsOf(tree).every(Object.isFrozen), partsOf(open).some(Object.isFrozen)]).toEqual([true, false])
      expect(open).toEqual(tree)
    }
  })
})

function partsOf(value: unknown): readonly object[] {
  return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(partsOf)] : []
}
