// The normalizer: by rows, and by the laws that it changes nothing twice and that its tree has a text.

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { treeText } from '../../../test/support/compact-selector.js'
import { selectors } from '../../../test/support/selectors.js'
import type { Dialect } from '../../core/index.js'
import { formatSelector } from '../format.js'
import { normalizeSelector } from './normalize.js'
import { parseSelector } from '../parse/selector.js'
import { runs } from '../../../test/support/runs.js'

const RUNS = { numRuns: runs(600), seed: Number(process.env['PACT_SEED'] ?? 5) }

describe('normalizeSelector', () => {
  const rows: [dialect: Dialect, text: string, normal: string, rule: string][] = [
    ['1.0', '.cont', "[nodeType='cont']", 'types are tests (001 §3.2)'],
    ['1.0', '.cont:Message', "[nodeType='Message']", 'sugar is expanded (001 §3.2)'],
    ['1.0', '.block:DiffChunk', "[nodeType='DiffChunk']", 'sugar is expanded (001 §3.2)'],
    ['1.0', '.a:b:c', "[nodeType='c']", 'the part behind the last colon is tested (D14)'],
    ['1.0', '.log.entry', "[nodeType='log'][nodeType='entry']", 'several names are several tests (D14)'],
    [
      '1.0',
      '.seg .cont > .block',
      "[nodeType='seg'] *[nodeType='cont'] > [nodeType='block']",
      'steps stay apart (D22)',
    ],
    ['1.0', 'd1..3 .note', "d1..d3 *[nodeType='note']", 'behind a scope too (D11, D22)'],
    [
      '1.0',
      '.block(status="important" ttl=5)',
      "[nodeType='block'][status='important'][ttl=5]",
      'grouped (001 §3.5.1)',
    ],
    ['1.0', '[a=1, b=2]', '[a=1][b=2]', 'one test in a bracket'],
    ['1.0', '+b+a', '+a+b', 'tags in alphabetical order (001 §3.10)'],
    ['1.0', "{ tag='b', x=1 }+a+b", '{ x=1 }+a+b', 'tag tests join the tags (001 §3.10)'],
    ['1.0', "+b[tags=a] { tag='x y' }", "+a+b { tag='x y' }", 'where +tag can say them'],
    ['1.0', '+b:first+a+c', '+b:first+a+c', 'tags do not pass what counts (D16)'],
    ['1.0', '+b:pre+a', '+a+b:pre', 'a zone does not become the start (D13)'],
    ['1.0', '{ tag=5, tag!=x, tag~y, tag=[a] }', '{ tag=5, tag!=x, tag~y, tag=[a] }', 'other tests of tags stay'],
    ['1.0', 'depth(0) > *', '^ah > *', 'aliases of regions (001 §3.4)'],
    ['1.0', 'depth(-1), .sys, d-1', '^sys, ^sys, ^sys', 'aliases of regions (D10)'],
    ['1.0', '(d0)[ttl]', '^ah[ttl]', 'aliases of regions (D10)'],
    ['1.0', '(d0, 1), (d0..d1), (d1)', '(d0, 1), (d0..d1), (d1)', 'no other coordinate is one'],
    ['1.0', '@t-5:-1 *', '@t-5..@t-1 *', 'one operator, full ends (D7)'],
    ['1.0', '@history *', '@t0..@t-* *', 'history is a range (001 §3.7.1)'],
    ['1.0', '*', '*', 'no time is added (D14)'],
    ['1.0', '* { ttl<=1, a=1, cad=2 }', '* { a=1 }[ttl<=1][cad=2]', 'lifecycle in brackets (001 §10)'],
    ['1.0', '{ ttl<=1 }', '[ttl<=1]', 'lifecycle in brackets (001 §10)'],
    ['1.0', ".a.a[nodeType='a'][x][x]#k#k", "[nodeType='a'][x]#k", 'what is asked twice'],
    ['1.0', '.a:first.a:first', "[nodeType='a']:first:first", 'predicates that count stay (D16)'],
    [
      '1.0',
      '( .a, .b+d+c ) > .x ?? .y',
      "( [nodeType='a'], [nodeType='b']+c+d ) > [nodeType='x'] ?? [nodeType='y']",
      'in parentheses too',
    ],
    ['0.1', '.cb', '.cb', 'the six names ask for the class (D14)'],
    ['0.1', '.seg .cb:summary', ".seg [nodeType='cb:summary']", 'exact names are tests (000 §3.2)'],
    ['0.1', '.note', "[nodeType='note']", 'exact names are tests (D14)'],
    ['0.1', "{ tag='b', tag='a' }", "{ tag='b', tag='a' }", 'there is no +tag in 0.1 (D1)'],
    ['0.1', '.cb{ ttl<=1, a=1 }', '.cb{ a=1 }[ttl<=1]', 'lifecycle in brackets'],
    ['0.1', '@t-5:-1 .sys', '@t-5..@t-1 ^sys', 'aliases and ranges'],
  ]

  test.each(rows)('%s: %s is %s: %s', (dialect, text, normal) => {
    expect(formatSelector(normalizeSelector(text, { dialect }))).toBe(normal)
    expect(formatSelector(normalizeSelector(normal, { dialect }))).toBe(normal)
  })

  it('takes a tree as well as a text, and leaves it as it is', () => {
    const tree = parseSelector('.b+b+a', { dialect: '1.0' })
    expect(formatSelector(normalizeSelector(tree))).toBe("[nodeType='b']+a+b")
    expect(formatSelector(tree)).toBe('.b+b+a')
  })

  it('gives frozen trees', () => {
    const tree = normalizeSelector('@t0 ( .a, .b )[x=[1]] @limit=1')
    const parts = [tree, tree.time, tree.choices, tree.choices[0]?.groups[0]?.steps[0]?.conditions, tree.controls[0]]
    expect(parts.every((each) => Object.isFrozen(each))).toBe(true)
  })

  describe.each(['0.1', '1.0'] as const)('in dialect %s', (dialect) => {
    it('changes nothing twice, and its tree has a text', () => {
      fc.assert(
        fc.property(selectors({ dialect }), (tree) => {
          const normal = normalizeSelector(tree)
          expect(treeText(normalizeSelector(normal))).toBe(treeText(normal))
          expect(treeText(parseSelector(formatSelector(normal), { dialect }))).toBe(treeText(normal))
        }),
        RUNS,
      )
    })
  })
})
