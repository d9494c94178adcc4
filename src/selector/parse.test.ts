// The parser by rows: every example of the documents and every form the decisions name, and what is understood by it.

import { describe, expect, test } from 'vitest'

import type { Dialect } from '../core/index.js'
import { compactSelector } from '../../test/support/compact-selector.js'
import rows from './parse.cases.json' with { type: 'json' }
import { parseSelector } from './parse.js'

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
})
