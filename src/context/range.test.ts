// Ranges by rows: which snapshots a prefix names and what it says about the rest (D7, N17), what a result holds to the
// last field (D39), and everything that is refused, with its code and place.

import { describe, expect, it, test } from 'vitest'

import {
  createContext,
  importSnapshot,
  PactError,
  type Context,
  type ContextOptions,
  type ListOptions,
  type RangeDiffLatestResult,
  type SelectOptions,
} from '../index.js'

const HELD = 'the snapshots are @c4 to @c9 (@t0 to @t-5).'
const NEWEST = `The range goes beyond the newest snapshot and ends there; ${HELD}`
const OLDEST = `The range goes back beyond the oldest snapshot and starts there; ${HELD}`

describe('a range', () => {
  const all = '9 8 7 6 5 4'
  const rows: readonly (readonly [prefix: string, cycles: string, warnings: readonly string[]])[] = [
    ['@t-5..-1', '8 7 6 5 4', []],
    ['@t-5:-1', '8 7 6 5 4', []],
    ['@t-5..@t-1', '8 7 6 5 4', []],
    ['@t-5:@t-1', '8 7 6 5 4', []],
    ['@t-1..@t-5', '8 7 6 5 4', []],
    ['@t-1:-5', '8 7 6 5 4', []],
    ['@t0..0', '9', []],
    ['@t-2..@t-2', '7', []],
    ['@t-0:-1', '9 8', []],
    ['@c4:9', all, []],
    ['@c9..4', all, []],
    ['@c6..@c7', '7 6', []],
    ['@c7:@c6', '7 6', []],
    ['@c007:6', '7 6', []],
    ['@history', all, []],
    ['@t0..@t-*', all, []],
    ['@t-*..@t0', all, []],
    ['@t-*:0', all, []],
    ['@t-1..-*', '8 7 6 5 4', []],
    ['@t-*..@t-*', '4', []],
    ['@t-*:-*', '4', []],
    ['@t-6..@t0', all, [OLDEST]],
    ['@t-999999999..@t-5', '4', [OLDEST]],
    ['@t1..@t-1', '9 8', [NEWEST]],
    ['@t+1..-1', '9 8', [NEWEST]],
    ['@t-*..@t+3', all, [NEWEST]],
    ['@t+2..@t-9', all, [NEWEST, OLDEST]],
    ['@c0..@c4', '4', [OLDEST]],
    ['@c3:5', '5 4', [OLDEST]],
    ['@c9..@c10', '9', [NEWEST]],
    ['@c1..@c99', all, [NEWEST, OLDEST]],
  ]

  test.each(rows)('%s is the cycles %s (D7)', (prefix, expected, warnings) => {
    const ctx = sixTurns()
    const cycles = expected.split(' ').map(Number)
    const kind = prefix.startsWith('@c') ? 'c' : 't'
    for (const text of [`${prefix} .block`, `  ${prefix}\n.block`, `${prefix}.block`]) {
      const found = rangeOf(ctx, text)
      expect(found.query).toBe(text)
      expect(found.snapshots).toEqual(
        cycles.map((cycle) => {
          const value = kind === 'c' ? cycle : cycle === 9 ? 0 : cycle - 9
          return { kind, value, label: `@${kind}${value}`, cycle }
        }),
      )
      expect(found.warnings ?? []).toEqual(warnings)
      expect(found.diffs).toHaveLength(cycles.length - 1)
      expect(ctx.rangeDiffLatest(text)).toEqual(found)
    }
    const flat = ctx.fork('@t0', { selectRangeReturnsDiff: false })
    expect(flat.select(`${prefix} .seg`)).toEqual(ctx.select(`${prefix} .seg @mode=union`))
    expect(flat.rangeDiffLatest(`${prefix} .block`)).toEqual(rangeOf(ctx, `${prefix} .block`))
  })

  test.each(['@t-6..@t-9', '@t1..@t2', '@t+5:+7', '@c1..@c3', '@c10:20', '@c0:0', '@c99999999..@c99999998'])(
    '%s holds no snapshot: E_SNAPSHOT_NOT_FOUND (D7)',
    (prefix) => {
      for (const options of [{}, { selectRangeReturnsDiff: false }]) {
        const ctx = sixTurns(options)
        for (const call of [
          () => ctx.select(`${prefix} .block`),
          () => ctx.rangeDiffLatest(`${prefix} .block`),
          () => ctx.select(`${prefix} .block @mode=union`),
        ]) {
          const details = { pos: 0, token: prefix, oldest: 4, newest: 9 }
          expect(refusal(call)).toMatchObject({ code: 'E_SNAPSHOT_NOT_FOUND', details })
        }
      }
    },
  )

  test.each(['@history', '@t0..@t-1', '@c1:2', '@t-*..@t0'])(
    '%s finds nothing before the first commit (D7)',
    (prefix) => {
      for (const call of [
        () => createContext().select(`${prefix} .block`),
        () => createContext().rangeDiffLatest(`${prefix} .block`),
        () => createContext({ selectRangeReturnsDiff: false }).select(`${prefix} .block`),
      ]) {
        expect(refusal(call)).toMatchObject({ code: 'E_SNAPSHOT_NOT_FOUND', details: { pos: 0, token: prefix } })
      }
    },
  )

  const refused: readonly (readonly [selector: string, code: string, pos: number, token: string])[] = [
    ['@t0..@c3 .block', 'E_SNAPSHOT_RANGE_KIND_MISMATCH', 5, '@c3'],
    ['@c3:@t0 .block', 'E_SNAPSHOT_RANGE_KIND_MISMATCH', 4, '@t0'],
    [' @t-*..@c3 .block', 'E_SNAPSHOT_RANGE_KIND_MISMATCH', 7, '@c3'],
    ['@c3..@t-* .block', 'E_SNAPSHOT_RANGE_KIND_MISMATCH', 5, '@t-*'],
    ['@*..@t0 .block', 'E_SNAPSHOT_RANGE_WILDCARD', 0, '@*'],
    ['@*:@t0 .block', 'E_SNAPSHOT_RANGE_WILDCARD', 0, '@*'],
    ['@t0..@* .block', 'E_SNAPSHOT_RANGE_WILDCARD', 5, '@*'],
    ['@t0:* .block', 'E_SNAPSHOT_RANGE_WILDCARD', 4, '*'],
    ['@c1..* .block', 'E_SNAPSHOT_RANGE_WILDCARD', 5, '*'],
    ['@t0..@working .block', 'E_SELECTOR_INVALID', 5, '@working'],
    ['@working..@t0 .block', 'E_SELECTOR_INVALID', 0, '@working'],
    ['@preview:@t0 .block', 'E_SELECTOR_INVALID', 0, '@preview'],
    ['@history..@t0 .block', 'E_SELECTOR_INVALID', 0, '@history'],
    ['@t0..@history .block', 'E_SELECTOR_INVALID', 5, '@history'],
  ]
  test.each(refused)('%j is %s at %i (D5, D7)', (selector, code, pos, token) => {
    for (const ctx of [createContext(), sixTurns(), sixTurns({ selectRangeReturnsDiff: false })]) {
      for (const call of [() => ctx.select(selector), () => ctx.rangeDiffLatest(selector), () => ctx.count(selector)]) {
        expect(refusal(call)).toMatchObject({ code, details: { pos, token } })
      }
    }
  })

  const notHere: readonly (readonly [call: string, selector: string, pos: number, token: string])[] = [
    ['nodes', '@t-1..@t0 .block', 0, '@t-1..@t0'],
    ['count', ' @history .block', 1, '@history'],
    ['first', '@c4:5 .block', 0, '@c4:5'],
    ['iterate', '@t0..@t-* .block', 0, '@t0..@t-*'],
    ['snapshot select', '@t-1..@t0 .block', 0, '@t-1..@t0'],
    ['snapshot nodes', '@history .block', 0, '@history'],
    ['snapshot count', '@c4:5 .block', 0, '@c4:5'],
    ['snapshot first', '@c4..@c5 .block', 0, '@c4..@c5'],
    ['snapshot iterate', '@t0:-1 .block', 0, '@t0:-1'],
    ['rangeDiffLatest', '.block', 0, '.block'],
    ['rangeDiffLatest', '@t0 .block', 0, '@t0'],
    ['rangeDiffLatest', ' @t-* .block', 1, '@t-*'],
    ['rangeDiffLatest', '@* .block', 0, '@*'],
    ['rangeDiffLatest', '@working .block', 0, '@working'],
    ['rangeDiffLatest', '@t0..@t-1 .block @mode=union', 17, '@mode=union'],
    ['rangeDiffLatest', '@t8..@t9 .block @mode=union', 16, '@mode=union'],
    ['select', '@t0..@t-1 .block @mode=both', 17, '@mode=both'],
    ['select', '@t0 .block @mode=latest', 11, '@mode=latest'],
    ['select', '@* .block @mode=union', 10, '@mode=union'],
    ['select', '.block @mode=pairwise', 7, '@mode=pairwise'],
  ]
  test.each(notHere)('%s(%j) is E_SELECTOR_INVALID at %i (D5, D23, N17)', (name, selector, pos, token) => {
    const ctx = sixTurns()
    const [call, target] = name.startsWith('snapshot ') ? [name.slice(9), ctx.snapshot()] : [name, ctx]
    const run = Reflect.get(target, call) as (selector: string) => unknown
    expect(refusal(() => run.call(target, selector))).toMatchObject({
      code: 'E_SELECTOR_INVALID',
      details: { pos, token },
    })
  })
})

describe('the result of a range', () => {
  it('holds exactly what D39 says, from newer to older', () => {
    const ctx = twoVersions({ content: 'old', ttl: 3, data_n: 2n ** 60n }, { content: 'new', role: 'user' })
    const [t0, t1, t2, t3] = [0, -1, -2, -3].map((value) => {
      return { kind: 't', value, label: `@t${value}`, cycle: 5 + value }
    })
    const query = '@history .block'
    const found = rangeOf(ctx, query)
    expect(found).toEqual({
      query,
      snapshots: [t0, t1, t2, t3, { kind: 't', value: -4, label: '@t-4', cycle: 1 }],
      diffs: [
        block(t0, t1, { added_ids: ['doc'] }),
        block(t1, t2, { removed_ids: ['doc'] }),
        block(t2, t3, { changed: [{ id: 'doc', fields: ['ttl'], delta: { ttl: { from: 1, to: 2 } } }] }),
        block(
          t3,
          { kind: 't', value: -4, label: '@t-4', cycle: 1 },
          {
            changed: [{ id: 'doc', fields: ['ttl'], delta: { ttl: { from: 2, to: 3 } } }],
          },
        ),
      ],
      mode: 'pairwise',
    })
    expect(Object.keys(found)).toEqual(['query', 'snapshots', 'diffs', 'mode'])
    expect(Object.keys(found.diffs[0]!)).toEqual(['from', 'to', 'added_ids', 'removed_ids', 'changed', 'stats'])
    expect(JSON.parse(JSON.stringify(found))).toEqual(found)
    expect(rangeOf(ctx, `${query} @mode=pairwise`)).toEqual({ ...found, query: `${query} @mode=pairwise` })
  })

  it('compares the ends with @mode=latest, and has no block for one snapshot (D23)', () => {
    const ctx = twoVersions({ content: 'old', ttl: 3, data_n: 2n ** 64n }, { content: 'new', role: 'user' })
    const { diffs, mode, snapshots } = rangeOf(ctx, '@history .block @mode=latest')
    expect([mode, snapshots.length, diffs.length]).toEqual(['latest', 5, 1])
    const [{ from, to, changed, stats }] = diffs as [(typeof diffs)[0]]
    expect([from.label, to.label, stats]).toEqual(['@t0', '@t-4', { added: 0, removed: 0, changed: 1 }])
    expect(changed[0]!.fields.slice(0, 4)).toEqual(['ttl', 'parent', 'role', 'content_hash'])
    expect(changed[0]!.delta).toMatchObject({
      ttl: { from: null, to: 3 },
      role: { from: 'user', to: null },
      data_n: { from: null, to: 2n ** 64n },
    })
    expect(JSON.parse(JSON.stringify(changed[0]))).toMatchObject({ delta: { data_n: { from: null, to: 2 ** 64 } } })
    for (const mode of ['', ' @mode=latest', ' @mode=pairwise']) {
      expect(rangeOf(ctx, `@t-1..@t-1 .block${mode}`).diffs).toEqual([])
    }
  })

  it('is a flat list with @mode=union: newest first, each id where first seen, windows on all of it (D8, D23)', () => {
    const ctx = sixTurns()
    expect(ctx.select('@c4..@c6 .seg @mode=union')).toEqual(['seg:5-2', 'seg:6-2'])
    expect(ctx.select('@history .block @mode=union', { skip: 1, limit: 2, maxSnapshots: 1 })).toEqual([
      'block:6-1',
      'block:7-1',
    ])
    expect(ctx.select('@history .block @skip=4 @mode=union', { maxSnapshots: 2 })).toEqual(['block:9-1'])
    expect(Object.isFrozen(ctx.select('@history .block @mode=union'))).toBe(true)
  })

  const caps: readonly (readonly [options: SelectOptions, snapshots: number, entries: string, truncated: boolean])[] = [
    [{ maxSnapshots: 0 }, 0, '', true],
    [{ maxSnapshots: 1 }, 1, '', true],
    [{ maxSnapshots: 2 }, 2, '+1 -0 ~0', true],
    [{ maxSnapshots: 5 }, 5, '+1 -0 ~0, +0 -1 ~0, +0 -0 ~1, +0 -0 ~1', false],
    [{ maxSnapshots: 6, maxChangesPerSnapshot: 1 }, 5, '+1 -0 ~0, +0 -1 ~0, +0 -0 ~1, +0 -0 ~1', false],
    [{ maxChangesPerSnapshot: 1 }, 5, '+1 -0 ~0, +0 -1 ~0, +0 -0 ~1, +0 -0 ~1', false],
    [{ maxChangesPerSnapshot: 0 }, 5, '+0 -0 ~0, +0 -0 ~0, +0 -0 ~0, +0 -0 ~0', true],
    [{ maxSnapshots: 3, maxChangesPerSnapshot: 0 }, 3, '+0 -0 ~0, +0 -0 ~0', true],
  ]
  test.each(caps)('%j keeps the newest %i snapshots, entries %s, truncated %s (D7, N17)', (...row) => {
    const [options, snapshots, entries, truncated] = row
    const ctx = twoVersions({ content: 'old', ttl: 3 }, { content: 'new' })
    const found = rangeOf(ctx, '@history .block', options)
    expect(found.snapshots).toHaveLength(snapshots)
    const counts = found.diffs.map(({ added_ids, removed_ids, changed }) => {
      return `+${added_ids.length} -${removed_ids.length} ~${changed.length}`
    })
    expect(counts.join(', ')).toBe(entries)
    expect(found.limits).toEqual({ ...options, truncated })
    const message = `The range has 5 snapshots; maxSnapshots keeps the newest ${snapshots}.`
    const fault = { code: 'E_SNAPSHOT_RANGE_LIMIT', message, fatal: false }
    expect(found.errors).toEqual(snapshots < 5 ? [fault] : undefined)
    for (const { stats } of found.diffs) expect(stats.added + stats.removed + stats.changed).toBe(1)
  })

  it('gives room to added entries first, then to removed, then to changed ones (N17)', () => {
    const ctx = createContext()
    for (const header of [{ ttl: 1 }, { ttl: 1 }, { ttl: 9 }, { ttl: 9 }]) ctx.post('x', header)
    ctx.commit()
    for (const content of ['y', 'z']) ctx.post(content)
    ctx.commit()
    for (const [room, expected] of ['0 0 0', '1 0 0', '2 0 0', '2 1 0', '2 2 0', '2 2 1', '2 2 2', '2 2 2'].entries()) {
      const { diffs, limits } = rangeOf(ctx, '@history .block', { maxChangesPerSnapshot: room })
      const [{ added_ids, removed_ids, changed, stats }] = diffs as [(typeof diffs)[0]]
      expect([added_ids, removed_ids, changed].map((list) => list.length).join(' ')).toBe(expected)
      expect(stats).toEqual({ added: 2, removed: 2, changed: 2 })
      expect(limits).toEqual({ maxChangesPerSnapshot: room, truncated: room < 6 })
    }
  })

  it('shows contents in three modes, each side by its label (D39)', () => {
    const ctx = twoVersions({ content: 'one\ntwo\n' }, { content: 'one\n2\n', content_mime: 'text/x' })
    const shown = (prefix: string, options: SelectOptions): unknown => {
      const [block] = rangeOf(ctx, `${prefix} .block @mode=latest`, { includeContent: true, ...options }).diffs
      return block!.changed[0]!.content_diff
    }
    const summary = { bytesNewer: 6, bytesOlder: 8, identical: false, truncated: false }
    const lines = '@@ -1,2 +1,2 @@\n one\n-two\n+2\n'
    expect(shown('@history', {})).toEqual({
      mode: 'unified',
      mime: 'text/x',
      summary,
      diff: `--- older(@t-4)/doc\n+++ newer(@t0)/doc\n${lines}`,
    })
    expect(shown('@c5..@c1', { contentMode: 'unified', contextLines: 0 })).toMatchObject({
      diff: '--- older(@c1)/doc\n+++ newer(@c5)/doc\n@@ -2 +2 @@\n-two\n+2\n',
    })
    expect(shown('@c1:5', { contentMode: 'jsonpatch' })).toEqual({
      mode: 'jsonpatch',
      mime: 'text/x',
      summary,
      patch: [{ op: 'replace', path: '', value: 'one\n2\n' }],
    })
    expect(shown('@history', { contentMode: 'tokens', contextLines: 0 })).toMatchObject({
      mode: 'tokens',
      summary: { ...summary, tokenizer: 'unicode-words' },
      hunks: [{ ops: [{ op: 'rep', from: 'two', to: '2' }] }],
    })
    const [plain] = rangeOf(ctx, '@history .block @mode=latest', { contentMode: 'tokens' }).diffs
    expect(plain!.changed[0]).not.toHaveProperty('content_diff')
  })

  it('materializes of both sides what is asked for, and nothing else (04 §4)', () => {
    const ctx = twoVersions(
      { content: 'old', content_encoding: 'utf-8' },
      { content: { n: 1 }, content_mime: 'text/x' },
    )
    const of = (...materialize: NonNullable<SelectOptions['materialize']>): unknown =>
      rangeOf(ctx, '@history .block @mode=latest', { materialize }).diffs[0]!.changed[0]!.materialized
    const [from, to] = [ctx.node('doc', '@c5')!.contentHash, ctx.node('doc', '@c1')!.contentHash]
    expect(of('content', 'mime', 'encoding', 'content_hash')).toEqual({
      from: { content: { n: 1 }, mime: 'text/x', encoding: null, content_hash: from },
      to: { content: 'old', mime: null, encoding: 'utf-8', content_hash: to },
    })
    expect(of('mime')).toEqual({ from: { mime: 'text/x' }, to: { mime: null } })
    expect(of()).toEqual({ from: {}, to: {} })
    expect(rangeOf(ctx, '@history .block @mode=latest').diffs[0]!.changed[0]).not.toHaveProperty('materialized')
  })

  it('materializes the content null as null, and missing content as an empty text (04 §4)', () => {
    const ctx = createContext()
    ctx.post(null, { key: 'k' })
    ctx.add(undefined, { zone: 'post', key: 'box', children: [] })
    ctx.commit()
    ctx.move('#k, #box', { depth: 0, zone: 'post' })
    ctx.put('k', 'text')
    ctx.commit()
    const { changed } = rangeOf(ctx, '@history #k, #box', { materialize: ['content'] }).diffs[0]!
    expect(changed.map(({ materialized }) => materialized?.to)).toEqual([{ content: null }, { content: '' }])
  })

  const bad: readonly (readonly [name: string, value: unknown, code: string])[] = [
    ...[-1, 1.5, NaN, Infinity, '3', null, 2 ** 53].flatMap((value) => [
      ['maxSnapshots', value, 'E_CONTENT_INVALID'] as const,
      ['maxChangesPerSnapshot', value, 'E_CONTENT_INVALID'] as const,
      ['contextLines', value, 'E_CONTENT_INVALID'] as const,
    ]),
    ['contentMode', 'words', 'E_CONTENT_INVALID'],
    ['contentMode', null, 'E_CONTENT_INVALID'],
    ['materialize', 'content', 'E_CONTENT_INVALID'],
    ['materialize', ['content', 'everything'], 'E_CONTENT_INVALID'],
    ['materialize', { content: true }, 'E_CONTENT_INVALID'],
    ['skip', -1, 'E_SELECTOR_INVALID'],
    ['limit', 1.5, 'E_SELECTOR_INVALID'],
    ['limit', '3', 'E_SELECTOR_INVALID'],
  ]
  test.each(bad)('the option %s cannot be %j (N17)', (name, value, code) => {
    const options = { [name]: value } as SelectOptions
    const [ctx, flat] = [sixTurns(), sixTurns({ selectRangeReturnsDiff: false })]
    for (const call of [
      () => ctx.select('@history .block', options),
      () => ctx.rangeDiffLatest('@t0..@t-1 .block', options),
      () => ctx.select('@history .block @mode=union', options),
      () => flat.select('@history .block', options),
    ]) {
      expect(refusal(call)).toEqual({ code, details: { name } })
    }
    // Without a range, caps and contents are not read.
    if (code !== 'E_CONTENT_INVALID') return
    for (const selector of ['.block', '@t0 .block', '@* .block']) {
      const ids = ctx.snapshot().select(selector.replace(/^@\S+ /, ''))
      expect(ctx.select(selector, options)).toEqual(ids)
      expect(ctx.count(selector, options)).toBe(ids.length)
      expect(ctx.nodes(selector, options).map(({ id }) => id)).toEqual(ids)
    }
  })
})

/** Snapshots of the cycles 4 to 9: the first is imported and empty, every other has one turn more. */
function sixTurns(options: ContextOptions | ListOptions = {}): Context {
  let now = 0n
  const root = { children: [{ id: 'ah', nodeType: '^ah', children: [] }] }
  const given = { clock: () => (now += 1n), ...options } as ContextOptions
  const ctx = importSnapshot({ spec_version: 'PACT/1.0.0', cycle: 4, root }, given)
  for (let cycle = 5; cycle <= 9; cycle++) {
    ctx.user(`turn ${cycle}`)
    ctx.commit()
  }
  return ctx
}

type Version = Readonly<{ content: string | object; ttl?: number }> & Readonly<Record<string, unknown>>

/** Five snapshots with one block, called doc: the first version is gone in @c4, the second comes in @c5 (N6). */
function twoVersions(first: Version, second: Version): Context {
  let name: string | undefined
  const ctx = createContext({ ids: ({ nodeType, cycle }) => name ?? `${nodeType}:${cycle}` })
  const put = ({ content, ...header }: Version): void => {
    // The core and the turn have names of their own.
    name = 'doc'
    ctx.post(content, header)
    name = undefined
  }
  put({ ttl: 3, ...first })
  for (let i = 0; i < 4; i++) ctx.commit()
  put(second)
  ctx.commit()
  return ctx
}

function block(from: unknown, to: unknown, entries: Readonly<Record<string, readonly unknown[]>>): object {
  const { added_ids = [], removed_ids = [], changed = [] } = entries
  const stats = { added: added_ids.length, removed: removed_ids.length, changed: changed.length }
  return { from, to, added_ids, removed_ids, changed, stats }
}

function rangeOf(ctx: Context, selector: string, options?: SelectOptions): RangeDiffLatestResult {
  const found = ctx.select(selector, options)
  if (!('diffs' in found)) throw new Error(`${selector} is no range.`)
  return found
}

function refusal(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    if (PactError.is(error)) return { code: error.code, details: error.details }
    throw error
  }
}
