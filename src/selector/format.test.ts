// The formatter: by rows where the form is fixed, and by the law that its text reads as the same tree.

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { treeText } from '../../test/support/compact-selector.js'
import { selectors } from '../../test/support/selectors.js'
import type { Dialect } from '../core/index.js'
import { formatSelector } from './format.js'
import rows from './parse/parse.cases.json' with { type: 'json' }
import { parseSelector } from './parse/selector.js'
import { runs } from '../../test/support/runs.js'

const RUNS = { numRuns: runs(1_000), seed: Number(process.env['PACT_SEED'] ?? 4) }

describe('formatSelector', () => {
  const forms: [text: string, formatted: string][] = [
    ['  @t-5:-1   ^ah   .block ', '@t-5:@t-1 ^ah .block'],
    ['@history .a', '@history .a'],
    ['@t+1 .a', '@t+1 .a'],
    ['@c3..9 .a', '@c3..@c9 .a'],
    ['@t0..-* .a', '@t0..@t-* .a'],
    ['.a>.b', '.a > .b'],
    ['.a,.b??.c', '.a, .b ?? .c'],
    ['.a{x="1"}[ ttl<=1 ]', ".a { x='1' }[ttl<=1]"],
    ['.a [ttl<=1] +b', '.a[ttl<=1]+b'],
    ['.a(x=1 y)', '.a(x=1, y)'],
    ['{a in["x",\'y\']}', "{ a in ['x', 'y'] }"],
    ['d1..3 .a', 'd1..d3 .a'],
    ['d1', '(d1)'],
    ['d1 > .a', '(d1) > .a'],
    ['depth( 0 ) > .sys', 'depth(0) > .sys'],
    ['( d1 ,0,+2 )', '(d1, 0, 2)'],
    ['((d1,0),(d2))', '((d1, 0), (d2))'],
    ['(.a,.b)', '( .a, .b )'],
    ['.seg:depth( 1,2..3,-1 - 2 )', '.seg:depth(1,2-3,-1..2)'],
    ['#"a b"', "#'a b'"],
    ['#"it\'s"', '#"it\'s"'],
    ["#'plain'", '#plain'],
    ["#'a:first'", "#'a:first'"],
    ['.a? @limit=1 [x]', '.a[x]? @limit=1'],
  ]

  test.each(forms)('writes %s as %s', (text, formatted) => {
    expect(formatSelector(parseSelector(text))).toBe(formatted)
  })

  test.each(rows as { selector: string; dialect: Dialect; bound?: boolean }[])(
    'writes $selector ($dialect) so that it reads the same, and once for all',
    ({ selector, dialect, bound }) => {
      const tree = parseSelector(selector, { dialect, bound })
      const text = formatSelector(tree)
      const again = parseSelector(text, { dialect, bound })
      expect(treeText(again)).toBe(treeText(tree))
      expect(formatSelector(again)).toBe(text)
    },
  )

  describe.each(['0.1', '1.0'] as const)('in dialect %s', (dialect) => {
    it('is undone by parsing, for trees of the whole grammar', () => {
      fc.assert(
        fc.property(selectors({ dialect }), (tree) => {
          expect(treeText(parseSelector(formatSelector(tree), { dialect }))).toBe(treeText(tree))
        }),
        RUNS,
      )
    })
  })
})
