// The linter: by rows, and by the laws that what it fixes can be read and needs no further fixing.

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { selectors } from '../../../test/support/selectors.js'
import type { Dialect } from '../../core/index.js'
import { formatSelector } from '../format.js'
import { lintSelector, type LintOptions } from './lint.js'
import { parseSelector } from '../parse/selector.js'
import { runs } from '../../../test/support/runs.js'

const RUNS = { numRuns: runs(500), seed: Number(process.env['PACT_SEED'] ?? 6) }
const OLD: LintOptions = { dialect: '0.1' }
const MIGRATE: LintOptions = { dialect: '0.1', migrate: true }

/** Each diagnostic as `code severity start-end` and, where it has one, its fix. */
type Row = [text: string, options: LintOptions, diagnostics: string[], fixed: string | undefined, rule: string]

describe('lintSelector', () => {
  const rows: Row[] = [
    ['.a > .b[ttl<=1]', {}, [], undefined, 'nothing to say'],
    ['.a >', {}, ['E_SELECTOR_INVALID error 4-4'], undefined, 'a text that cannot be read'],
    ['d3..d1 .a', {}, ['E_DEPTH_INVALID error 0-6'], undefined, 'with its own code'],
    ['.block:summary', {}, ['type-sugar warning 0-14 .summary'], '.summary', '.block:TYPE (001, linter rules)'],
    ['.block:log.cont:entry[x]', {}, ['type-sugar warning 0-21 .log.entry'], '.log.entry[x]', 'several names'],
    ['.block:seg', {}, ['type-sugar warning 0-10'], undefined, '.seg would ask for something else'],
    ['.block:sys', {}, ['type-sugar warning 0-10'], undefined, '.sys is a region'],
    ['.block:1', {}, ['type-sugar warning 0-8'], undefined, 'a type starts with a letter'],
    ['.cb:summary', OLD, [], undefined, 'in 0.1 it is the type itself (D14)'],
    ['.a { ttl<=1 }', {}, ['lifecycle-in-braces warning 3-13 [ttl<=1]'], '.a[ttl<=1]', 'ttl in braces (001 §10)'],
    ['{ cad=1, b=2 }', {}, ['lifecycle-in-braces warning 0-14 { b=2 }[cad=1]'], '{ b=2 }[cad=1]', 'cad in braces'],
    ['.cb{ ttl<=1 }', OLD, ['lifecycle-in-braces warning 3-13 [ttl<=1]'], '.cb[ttl<=1]', 'in 0.1 too'],
    ['.block:post', {}, ['zone-without-parent info 6-11'], undefined, 'no parent step (D13)'],
    ['^ah .block:post', {}, [], undefined, 'with a parent step (D13)'],
    ['.block:core', {}, [], undefined, 'the core is where blocks are'],
    ['.block+b+a', {}, ['tag-order info 0-10 .block+a+b'], '.block+a+b', 'tags in order (001 §3.10)'],
    ["+b { tag='a' }", {}, ['tag-order info 0-14 +a+b'], '+a+b', 'tags together (001 §3.10)'],
    ['+a .note+b', {}, [], undefined, 'tags of two steps'],
    ['.a @limt=1', {}, ['unknown-control info 3-10'], undefined, 'kept, but probably a slip (D23)'],
    ['#block:u2', {}, ['key-like-id info 0-9'], undefined, 'a key, never an id (D2)'],
    [
      '( .x:y, {ttl=1} )',
      {},
      ['type-sugar warning 2-6 .y', 'lifecycle-in-braces warning 8-15 [ttl=1]'],
      '( .y, [ttl=1] )',
      'in parentheses',
    ],
    [
      '(d0, cont[offset=0], *:block)',
      {},
      ['E_SELECTOR_LEGACY error 5-19', 'E_SELECTOR_LEGACY error 21-28'],
      '(d0, 0) > .block',
      'hops (001, recipe)',
    ],
    [
      '^ah *:block seg',
      {},
      ['E_SELECTOR_LEGACY error 4-11 .block', 'E_SELECTOR_LEGACY error 12-15 .seg'],
      '^ah .block .seg',
      'every legacy token',
    ],
    [
      '*@+{ttl=1} c@2',
      {},
      ['E_SELECTOR_LEGACY error 0-3 *[offset>0]', 'E_SELECTOR_LEGACY error 11-14 .cont[offset=2]'],
      '*[offset>0][ttl=1] .cont[offset=2]',
      'and what else it knows',
    ],
    ['?? { tag="x" }', {}, ['E_SELECTOR_LEGACY error 0-2 '], '+x', 'the old search'],
    ['(d1, .block)', {}, ['E_SELECTOR_LEGACY error 0-12 d1 .block'], 'd1 .block', 'a position is no union (D44)'],
    [
      '@t0 ( d1, .x:block ) +user @first',
      {},
      ['E_SELECTOR_LEGACY error 4-20 d1 .x:block'],
      '@t0 d1 .x:block+user @first',
      'with what follows (D44)',
    ],
    ['(d1, (d2), .a)', {}, ['E_SELECTOR_LEGACY error 0-14'], undefined, 'a position without a recipe (D44)'],
    ['.user', {}, ['role-as-type warning 0-5'], undefined, 'a role is no type'],
    ['^seq .cb:tool', OLD, ['role-as-type warning 5-13'], undefined, 'a role is no type in 0.1 either'],
    ['( .call, .note )', {}, ['kind-as-type warning 2-7'], undefined, 'a kind is no type'],
    ['.a:not(b=1)', {}, ['type-sugar warning 0-6 .not', 'predicate-as-type warning 0-6'], '.not(b=1)', 'no predicate'],
    ['d1..d30 [role=user]', {}, ['filter-on-depth warning 8-19'], undefined, 'a filter of the segments (D22)'],
    ['^ah { content~x }', {}, ['filter-on-depth warning 4-17'], undefined, 'a filter of the region (D22)'],
    ['.seg +user', {}, ['filter-on-depth warning 5-10'], undefined, 'a filter of the segments (D22)'],
    ['d1 .block[role=user]', {}, [], undefined, 'a filter of the blocks'],
    ['d1[cycle=3]', {}, [], undefined, 'what segments have'],
    ['.mt [role=user]', OLD, [], undefined, 'in 0.1 a step of its own (D22)'],
    ["[rol='user']", {}, ['unknown-attribute warning 1-11'], undefined, 'near a known attribute'],
    ["[contnt~'x']", OLD, ['unknown-attribute warning 1-11'], undefined, 'near a known attribute'],
    ['[size>100]', {}, ['unknown-attribute warning 1-9'], undefined, 'nothing that a node has'],
    ['[data_rol][x:rol][lang]', {}, [], undefined, 'names of their own'],
    ['.blok', {}, ['near-type warning 0-5'], undefined, 'near a class'],
    ["[kind='tool_result']", {}, ['other-kind warning 1-19'], undefined, 'a kind of Claude'],
    ['[role=model]', {}, ['other-role warning 1-11'], undefined, 'a role of Gemini'],
    ["[kind='note'][role=lead]", {}, [], undefined, 'kinds and roles of their own'],
    ["[content.rol~'x']", {}, ['dotted-name info 1-16'], undefined, 'an extension (D53)'],
    ['within(d1) .a', {}, ['E_SELECTOR_LEGACY error 0-10 d1'], 'd1 .a', 'a scope'],
    ['within(d1, .a, .b)', {}, ['E_SELECTOR_LEGACY error 0-6'], undefined, 'no recipe'],
    ['@t0 #cb:u2', MIGRATE, ["migrate info 4-10 { id='cb:u2' }"], "@t0 { id='cb:u2' }", 'ids (D2)'],
    [
      '@t0 ^seq #x',
      MIGRATE,
      ["migrate info 9-11 *{ id='x' }"],
      "@t0 ^seq * { id='x' }",
      'a later step stays one (D22)',
    ],
    [
      '.mt .mc > .cb',
      MIGRATE,
      ['migrate info 0-0 @t0 ', 'migrate info 0-3 .seg', 'migrate info 4-7 .cont', 'migrate info 10-13 .block'],
      '@t0 .seg .cont > .block',
      'names and time (D1, D5)',
    ],
    [
      '@t0 .cb:summary',
      MIGRATE,
      ["migrate info 4-15 [nodeType='cb:summary']"],
      "@t0 [nodeType='cb:summary']",
      'exact types (D14)',
    ],
    [
      '@t0 .cb, .mt',
      MIGRATE,
      ['migrate info 4-7 .block', 'migrate info 9-12 .seg', 'migrate info 12-12  @order=pre'],
      '@t0 .block, .seg @order=pre',
      'the order of unions (D20)',
    ],
    [
      "@t0 *[key='k']",
      MIGRATE,
      ['migrate info 14-14  @order=pre'],
      "@t0 *[key='k'] @order=pre",
      'the order of keys (D20)',
    ],
    ['@t0 .note', MIGRATE, ['migrate warning 4-9'], undefined, 'no exact words for it (D14)'],
    ["@t0 [nodeType='cb']", MIGRATE, ['migrate warning 4-19'], undefined, 'no exact words for it (D14)'],
    [
      '@t0 .mt [ttl]',
      MIGRATE,
      ['migrate info 4-7 .seg', 'migrate info 8-13 *[ttl]'],
      '@t0 .seg *[ttl]',
      'filters stay steps (D22)',
    ],
    ['@t0 ^ah', MIGRATE, [], '@t0 ^ah', 'nothing to change'],
  ]

  test.each(rows)('%s %o gives %o and %s: %s', (text, options, diagnostics, fixed) => {
    const result = lintSelector(text, options)
    const found = result.diagnostics.map(({ code, severity, start, end, fix }) =>
      [code, severity, `${start}-${end}`, ...(fix === undefined ? [] : [fix])].join(' '),
    )
    expect({ found, fixed: result.fixed }).toEqual({ found: diagnostics, fixed })
  })

  it('advises a zone in words (D13)', () => {
    expect(lintSelector('.block:post').diagnostics[0]?.message).toContain('"^seq :post .block"')
  })

  it('says what was probably meant', () => {
    expect(lintSelector('.a @limt=1').diagnostics[0]?.message).toContain('Did you mean "@limit"?')
  })

  describe.each(['0.1', '1.0'] as const)('in dialect %s', (dialect: Dialect) => {
    it('gives text that can be read and needs no further fixing', () => {
      fc.assert(
        fc.property(selectors({ dialect }), (tree) => {
          const text = formatSelector(tree)
          const { fixed, diagnostics } = lintSelector(text, { dialect })
          for (const { start, end } of diagnostics) expect(start >= 0 && start <= end && end <= text.length).toBe(true)
          if (fixed === undefined) return
          expect(fixed).not.toBe(text)
          expect(lintSelector(fixed, { dialect }).fixed).toBeUndefined()
        }),
        RUNS,
      )
    })
  })

  it('gives each fix so that it can be made alone', () => {
    fc.assert(
      fc.property(selectors({ dialect: '1.0' }), (tree) => {
        const text = formatSelector(tree)
        for (const { start, end, fix } of lintSelector(text).diagnostics) {
          if (fix === undefined) continue
          expect(() => parseSelector(text.slice(0, start) + fix + text.slice(end))).not.toThrow()
        }
      }),
      RUNS,
    )
  })

  it('migrates to text that dialect 1.0 reads', () => {
    fc.assert(
      fc.property(selectors({ dialect: '0.1' }), (tree) => {
        const { fixed } = lintSelector(formatSelector(tree), { migrate: true })
        if (fixed !== undefined) expect(() => parseSelector(fixed)).not.toThrow()
      }),
      RUNS,
    )
  })
})
