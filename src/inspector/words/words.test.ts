// The parts of the page that only work on texts.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { Names, Rendered } from '../../api/index.js'
import { callText, operationOf, selectorOf, type Fields } from './calls.js'
import { complete } from './completions.js'
import { pairLines, type Line } from './diff.js'
import { lanesOf, runWords, type RangeData } from './lanes.js'
import { asForest } from './forest.js'
import { ago, count, percent, size } from './numbers.js'
import { cutRequest } from './request.js'
import { wordsPattern } from '../../core/index.js'
import { askedAt, fixed, isUnfinished, readQuery } from './selector.js'

const RUNS = { seed: 18, numRuns: 200 }

describe('comparing texts', () => {
  const sideText = (lines: readonly Line[]): string =>
    lines
      .filter(({ kind }) => kind !== 'pad')
      .map(({ pieces }) => pieces.map(({ text }) => text).join(''))
      .join('\n')
  const texts = fc
    .array(fc.constantFrom('a', 'b', 'a b c', 'a b d', ''), { maxLength: 12 })
    .map((lines) => lines.join('\n'))

  test('both sides are there in full, whatever is paired with what', () => {
    fc.assert(
      fc.property(texts, texts, (old, now) => {
        const pairs = pairLines(old, now)
        expect(sideText(pairs.map(([left]) => left))).toBe(old)
        expect(sideText(pairs.map(([, right]) => right))).toBe(now)
      }),
      RUNS,
    )
  })

  test('equal texts have no difference', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(pairLines(text, text).every(([left]) => left.kind === 'same')).toBe(true)
      }),
      RUNS,
    )
  })

  test('words are marked where most of a line stayed, and not where little did', () => {
    const [[left, right] = []] = pairLines('change it after a yes', 'change it, voucher first, after a yes')
    expect(left?.pieces.filter(({ changed }) => changed).map(({ text }) => text)).toEqual([])
    expect(right?.pieces.filter(({ changed }) => changed).map(({ text }) => text)).toEqual([', voucher', 'first, '])
    const [[other] = []] = pairLines('one two three', 'nothing of that')
    expect(other?.pieces).toEqual([{ text: 'one two three', changed: false }])
  })

  test('long texts are compared without a table of all pairs', () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}`)
    expect(pairLines(lines.join('\n'), lines.toReversed().join('\n')).length).toBeGreaterThanOrEqual(20_000)
  })
})

describe('a request in pieces', () => {
  test('the pieces after each other are the request, in bytes', () => {
    const text = '{"messages":[{"role":"user","content":"Grüße 👋"},{"role":"assistant","content":"ok"}]}'
    const bytes = (part: string): number => new TextEncoder().encode(part).length
    const first = text.indexOf('{"role":"user"')
    const second = text.indexOf('{"role":"assistant"')
    const at = (index: number): number => bytes(text.slice(0, index))
    const rendered: Pick<Rendered, 'text' | 'sourceMap' | 'breakpoints'> = {
      text,
      sourceMap: [
        {
          node: 'a',
          start: at(first),
          end: at(second - 1),
          plainEnd: at(second - 1),
          tokens: 3,
          part: 'core',
          item: 0,
        },
        {
          node: 'b',
          start: at(second),
          end: at(text.length - 2),
          plainEnd: at(text.length - 2),
          tokens: 2,
          part: 'core',
          item: 1,
        },
      ],
      breakpoints: [{ node: 'a', byte: at(second - 1), item: 0 }],
    }
    const { list, bytes: all, tokens } = cutRequest(rendered)
    expect(list.map(({ lead, text }) => lead + text).join('')).toBe(text)
    expect([all, tokens]).toEqual([bytes(text), 5])
    expect(list.map(({ node, breakpoint }) => [node, breakpoint?.byte])).toEqual([
      ['a', at(second - 1)],
      ['b', undefined],
      [null, undefined],
    ])
  })
})

describe('selectors', () => {
  test.each([
    ['', 'none'],
    ['+rag', 'here'],
    ['@t-1 +rag', 'elsewhere'],
    ['@history [ttl]', 'range'],
    ['@t-3..@t0 .block', 'range'],
    [':cor', 'fault'],
    ['.block[', 'fault'],
    ['parser', 'words'],
    ["it's \\d, (so)", 'words'],
    ['12', 'cycle'],
    ['@c5000', 'cycle'],
  ])('%j is %s', (text, kind) => {
    expect(readQuery(text).kind).toBe(kind)
  })

  test('without a time they are asked of the moment in sight; a range is asked as it is', () => {
    expect(askedAt(readQuery('+rag'), 'c12')).toEqual({ selector: '@c12 +rag' })
    expect(askedAt(readQuery('+rag'), 'c12.13-0')).toEqual({ selector: '+rag', at: 'attempt:13-0' })
    expect(askedAt(readQuery('+rag'), 'working')).toEqual({ selector: '@working +rag' })
    expect(askedAt(readQuery('@t-1 [ttl]'), 'c12')).toEqual({ selector: '@t-1 [ttl]' })
    const range = readQuery('@history [ttl] @mode=latest')
    expect(range.kind === 'range' && range.body).toBe('[ttl]')
  })

  test('words are looked for in contents, whatever signs they have', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'ß', '\\', "'", '"', ' ', '.', '(', '1') }), (text) => {
        const query = readQuery(`x${text}`)
        expect(query).toEqual({ kind: 'words', words: `x${text}`.trim() })
        expect(`… X${text} …`).toMatch(wordsPattern(`x${text}`))
      }),
      RUNS,
    )
  })

  test('a fault has carets and a fix; at the end of the text it is only unfinished', () => {
    const query = readQuery('.block :cor .x')
    if (query.kind !== 'fault') throw new Error('It can be read.')
    expect(query.fault.line).toBe('.block :cor .x')
    expect(query.fault.carets).toBe('       ^^^^')
    expect(fixed('.block :cor .x', query.fault)).toBe('.block :core .x')
    const open = readQuery('.block[')
    expect(open.kind === 'fault' && isUnfinished(open.fault, '.block[')).toBe(true)
    expect(isUnfinished(query.fault, '.block :cor .x')).toBe(false)
  })

  const names: Names = {
    types: [{ name: 'block', count: 9 }],
    keys: [
      { name: 'plan', count: 1 },
      { name: "it's", count: 1 },
    ],
    tags: [{ name: 'rag', count: 2 }],
    roles: [{ name: 'tool', count: 3 }],
    kinds: [],
    attributes: [],
  }
  test.each([
    ['#p', ['#plan']],
    ["#'", ["#'it\\'s'"]],
    ['^seq .bl', ['.block']],
    ['[ro', ["[role='tool']"]],
    ['@c', ['@c12 ']],
    ['plain', []],
  ])('%j is completed by %j', (text, offers) => {
    expect(complete(text, text.length, names, 'c12').map(({ text }) => text)).toEqual(offers)
  })
})

describe('lanes', () => {
  test('follow a node from its last snapshot back, with the ttl that was left', () => {
    const block = (from: number, change: object): RangeData['diffs'][number] => ({
      from: { cycle: from },
      to: { cycle: from - 1 },
      added_ids: [],
      removed_ids: [],
      changed: [],
      stats: { added: 0, removed: 0, changed: 0 },
      ...change,
    })
    const range: RangeData = {
      mode: 'pairwise',
      snapshots: [4, 3, 2, 1].map((cycle) => ({ cycle })),
      diffs: [
        block(4, { removed_ids: ['a'] }),
        block(3, { changed: [{ id: 'a', fields: ['ttl'], delta: { ttl: { from: 1, to: 2 } } }] }),
        block(2, { added_ids: ['a'] }),
      ],
    }
    const lanes = lanesOf(range, new Map([[3, [{ id: 'a', key: 'kb', ttl: 1 }]]]))
    expect(lanes).toEqual([
      {
        id: 'a',
        key: 'kb',
        first: 2,
        last: 3,
        cells: new Map([
          [3, { ttl: 1 }],
          [2, { ttl: 2 }],
        ]),
      },
    ])
    expect(lanes.map(runWords)).toEqual(['@c2 to @c3'])
  })
})

describe('forms', () => {
  const empty: Fields = {
    where: '(d0, end)',
    role: '',
    ttl: '',
    key: '',
    tags: '',
    pinned: '',
    content: 'x',
    author: '',
    reason: '',
    id: '',
  }
  test('make the operation that the call shows', () => {
    const fields = { ...empty, ttl: '2', tags: 'a, b', key: 'k', pinned: '1' }
    expect(operationOf('insert', fields, '')).toEqual({
      op: 'insert',
      spec: { content: 'x', key: 'k', tags: ['a', 'b'], ttl: 2, pinned: true },
      position: '(d0, end)',
    })
    expect(callText('insert', fields, '', 'working')).toBe(
      `ctx.insert({"content":"x","key":"k","tags":["a","b"],"ttl":2,"pinned":true}, '(d0, end)')`,
    )
    expect(operationOf('redact', { ...empty, reason: 'why' }, "it's")).toEqual({
      op: 'delete',
      selector: `[id='it\\'s']`,
      options: { reason: 'why' },
    })
    expect(selectorOf('block:1-2')).toBe("[id='block:1-2']")
  })
})

test('numbers are the same on every machine, and nearly all is not all', () => {
  expect([count(1234567), size(999), size(1500), size(2_500_000)]).toEqual(['1,234,567', '999 B', '1.5 KB', '2.5 MB'])
  expect([percent(0.999), percent(1), percent(0.001), percent(0)]).toEqual(['99 %', '100 %', '1 %', '0 %'])
})

test('a fork of a context that is not listed, or of itself, is listed all the same', () => {
  const of = (id: string, parent?: string, made?: number) => ({
    id,
    cycle: 1,
    forks: 0,
    ...(parent === undefined ? {} : { parent, from: 1 }),
    ...(made === undefined ? {} : { made }),
  })
  const forest = asForest([
    of('a', undefined, 1),
    of('b', 'a', 9),
    of('c', 'gone', 3),
    of('d', 'd', 4),
    of('e', 'b', 5),
  ])
  expect(forest.map(({ of, level }) => `${'-'.repeat(level)}${of.id}`)).toEqual(['a', '-b', '--e', 'd', 'c'])
})

test('times are told in the largest unit that fits', () => {
  const now = Date.parse('2026-01-05T09:00:00Z')
  const before = [
    '2026-01-05T08:59:31.5Z',
    '2026-01-05T08:01:00.123456789Z',
    '2026-01-04T21:00:00Z',
    '2025-12-30T09:00:00Z',
    '2025-01-01T00:00:00Z',
  ]
  expect(before.map((iso) => ago(iso, now))).toEqual(['just now', '59 min ago', '12 h ago', '6 d ago', '2025-01-01'])
})
