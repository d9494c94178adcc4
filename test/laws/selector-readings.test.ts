// Readings of the documents that a user met as surprises, through the public calls: positions of older drafts, several
// snapshots as one list, structured content, missing snapshots, unknown options, and answers that are empty for a reason.

import {
  createContext,
  formatSelector,
  importSnapshot,
  lintSelector,
  normalizeSelector,
  parseSelector,
  type Context,
  type SelectOptions,
  type Warning,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { rewritePosition } from '../../src/selector/index.js'
import { refusal, textOf } from '../support/context.js'

describe('positions of older drafts are no unions (D44)', () => {
  const forms: readonly (readonly [text: string, chain: string])[] = [
    ['( d1, .block ) +user', 'd1 .block +user'],
    ['(d1, .block)', 'd1 .block'],
    ['(d1, *)', 'd1 *'],
    ['(d1, #k)', 'd1 #k'],
    ['(d1..d2, .block)', 'd1..d2 .block'],
    ['(depth(1), .block)', 'depth(1) .block'],
  ]

  test.each(forms)('%s is E_SELECTOR_LEGACY and leads to %s, in reads and mutations', (text, suggestion) => {
    const ctx = twoTurns()
    const before = ctx.export()
    for (const call of [
      () => ctx.select(text),
      () => ctx.count(text),
      () => ctx.snapshot().first(text),
      () => ctx.delete(text),
      () => ctx.update(`${text}?`, { priority: 1 }),
      () => ctx.replace(text, { content: 'x' }),
      () => ctx.diff('@t-1', '@t0', text),
    ]) {
      const { code, details } = refusal(call)
      expect({ code, suggestion: details['suggestion'] }).toMatchObject({ code: 'E_SELECTOR_LEGACY' })
      expect(String(details['suggestion']).replace('?', '')).toBe(suggestion)
    }
    expect(ctx.export()).toEqual(before)
    expect(ctx.undo()).toBe(false)
    expect(lintSelector(text).fixed).toBe(formatSelector(parseSelector(suggestion)))
  })

  test('the chain is what the documents mean by the position', () => {
    const ctx = twoTurns()
    expect(contents(ctx, 'd1 .block +user')).toEqual(['new'])
    expect(contents(ctx, '(d1), .block')).toHaveLength(3)
    expect(ctx.select('(d1, d2)')).toEqual(ctx.select('((d1), (d2))'))
    expect(ctx.select('((d1,0),(d2,0,0))')).toHaveLength(2)
  })

  test('a comma parts groups, also behind a coordinate and a chain', () => {
    const ctx = twoTurns()
    expect(ctx.select('(d1,0) > .block, d2')).toEqual([...listed(ctx, '(d1,0) > .block'), ...listed(ctx, 'd2')])
  })

  test.each([
    ['(d0, seg, cont[offset=0], )', '(d0, 0,)'],
    ['(d0, seg, cont[offset=0], end)', '(d0, 0, end)'],
    [' (d0, seg, cont[offset=0], +1) ', '(d0, 0, +1)'],
    ['(depth(0), seg, c@0, -1)', '(d0, 0, -1)'],
    ['(d2, seg, end)', '(d2, end)'],
    ['(d0, cont[offset=0], cont[offset=3], end)', '(d0, 0, 3, end)'],
    ['(d0, 0, end)', undefined],
    ['(d0, seg, cont[offset=0])', undefined],
    ['(d0, seg, *:block, end)', undefined],
    ['(d0..d1, seg, end)', undefined],
    ['(d0, seg, end) x', undefined],
    ['d0', undefined],
  ])('a place to insert at, %j, is %j today (001 §3.9, D19)', (text, ours) => {
    expect(rewritePosition(text)).toBe(ours)
    if (ours === undefined) return
    const ctx = twoTurns()
    ctx.user('open')
    ctx.add(undefined, { zone: 'core', children: [{ content: 'x' }], offset: 3 })
    expect(() => ctx.insert({ content: 'new' }, ours as '(d0, 0, end)')).not.toThrow()
  })
})

describe('several snapshots are one list (D45)', () => {
  /** Three documents, each in one snapshot only; then one without any. */
  function passing(): Context {
    const ctx = createContext()
    for (const text of ['x1', 'x2', 'x3']) {
      ctx.post(text, { ttl: 1, nodeType: 'block:doc', key: 'k' })
      ctx.commit()
    }
    ctx.commit()
    return ctx
  }

  test.each([
    ['@* .doc', 'x3 x2 x1'],
    ['@* .doc @order=turn:asc', 'x1 x2 x3'],
    ['@* .doc @order=turn:desc', 'x3 x2 x1'],
    ['@* .doc @order=turn', 'x1 x2 x3'],
    ['@* .doc @order=pre', 'x1 x2 x3'],
    ['@* .doc @order=bfs', 'x3 x2 x1'],
    ['@* .doc @order=path', 'x3 x2 x1'],
    ['@* .doc @order=turn:asc @first', 'x1'],
    ['@* .doc @order=turn:asc @skip=1 @limit=1', 'x2'],
    ['@* .doc ?? .seg', 'x3 x2 x1'],
    ['@* (.doc ?? .seg)', 'x3 x2 x1'],
    ['@* .nothing ?? .doc @order=turn:asc', 'x1 x2 x3'],
    ['@* .doc @limit=0', ''],
  ])('%s gives %s by every call', (text, expected) => {
    const ctx = passing()
    const found = expected.split(' ').filter((each) => each !== '')
    expect(contents(ctx, text)).toEqual(found)
    expect(Array.from(ctx.iterate(text), ({ content }) => content)).toEqual(found)
    expect(ctx.first(text)?.content).toBe(found[0])
    expect(ctx.count(text)).toBe(found.length)
    const union = `${text.replace('@*', '@history')} @mode=union`
    expect(ctx.select(union)).toEqual(ctx.select(text))
    const flat = ctx.fork('@t0', { selectRangeReturnsDiff: false })
    expect(flat.select(text.replace('@*', '@history'))).toEqual(ctx.select(text))
  })

  test('a post order puts children before their parents, also where those are of another snapshot', () => {
    const ctx = createContext()
    ctx.add(undefined, { zone: 'post', nodeType: 'cont:box', children: [{ content: 'in', ttl: 1 }] })
    ctx.commit()
    ctx.commit()
    const [box, inner] = [ctx.first('@* .box')!.id, ctx.first("@* [content='in']")!.id]
    expect(ctx.select("@* .box, [content='in'] @order=post")).toEqual([inner, box])
    expect(ctx.select("@* .box, [content='in'] @order=pre")).toEqual([box, inner])
    expect(ctx.select("@* .box, [content='in']")).toEqual([box, inner])
  })

  test('a key and a union come in document order within each snapshot, unlike in one tree (D20)', () => {
    const ctx = createContext()
    ctx.user('a', { key: 'k', nodeType: 'block:two' })
    ctx.commit()
    ctx.user('b', { key: 'k', nodeType: 'block:one' })
    ctx.commit()
    ctx.system.add('s', { key: 'k2', nodeType: 'block:one' })
    ctx.commit()
    expect(contents(ctx, '@t0 #k')).toEqual(['a', 'b'])
    expect(contents(ctx, '@* #k')).toEqual(['a', 'b'])
    expect(contents(ctx, '@t0 .two, .one')).toEqual(['a', 's', 'b'])
    expect(contents(ctx, '@* .two, .one')).toEqual(['s', 'a', 'b'])
    expect(ctx.select('@* ((d1,0), (d2,0))')).toEqual(ctx.select('@* ((d2,0), (d1,0))'))
  })

  test('a node is also found as it was before the cycle that a file names as its own', () => {
    const made = createContext()
    const { id } = made.user('a', { tags: ['old'] })
    made.commit()
    const text = textOf(made.export('@t0'))
    const ctx = importSnapshot(text.replace(/"cycle":1(?=,"id":"block)/, '"cycle":2'))
    ctx.update('.block', { tags: ['new'] })
    ctx.commit()
    expect(ctx.select('@t-1 +old')).toEqual([id])
    expect(ctx.select('@* +old')).toEqual([id])
    expect(ctx.diff('@t-1', '@t0').changed).toEqual([{ id, fields: ['tags'] }])
  })
})

describe('structured content (D53)', () => {
  const spec = JSON.parse(
    `{"command": "npm test", "args": ["-w", {"cwd": "/srv"}], "n": 12, "__proto__": {"own": "yes"}}`,
  ) as Record<string, string>
  const ctx = createContext()
  const call = ctx.assistant(spec, { kind: 'call', data_usage: { input: 150, output: '9' } }).id
  const list = ctx.tool([{ type: 'text', text: 'npm ok' }, 'done', 7], { kind: 'result' }).id
  const text = ctx.user('npm', { 'data_usage.input': 99, data_usage: { input: 1 } }).id

  test.each([
    ["[content~'npm']", [call, list, text]],
    ["[content~'srv']", [call]],
    ["[content~'command']", []],
    ["[content~'cwd']", []],
    ["[content~'done']", [list]],
    ['[content~7]', [list]],
    ['[content~12]', []],
    ["[content!~'x']", undefined],
    ["[content.command~'npm']", [call]],
    ["[content.args.1.cwd='/srv']", [call]],
    ['[content.n>=12]', [call]],
    ["[content.0.text~'ok']", [list]],
    ["[content.1='done']", [list]],
    ['[content.01]', []],
    ['[content.length]', []],
    ['[content.constructor]', []],
    ['[content.toString]', []],
    ['[content.__proto__]', [call]],
    ["[content.__proto__.own='yes']", [call]],
    ['[data_usage.input>100]', [call]],
    ['[data_usage.input=99]', [text]],
    ['[data_usage.input=1]', []],
    ['[data_usage.output<10]', [call]],
    ['.block[content.command=null]', [list, text]],
    ['.block(content.n=12)', [call]],
    ["[data_usage~'9']", []],
  ] as const)('%s', (selector, expected) => {
    if (expected === undefined) expect(refusal(() => ctx.select(selector)).code).toBe('E_SELECTOR_INVALID')
    else expect(ctx.select(selector)).toEqual(expected)
  })

  test('dialect 0.1 searches content too, and has no dotted names', () => {
    expect(ctx.nodes("@working [content~'npm']", { dialect: '0.1' })).toHaveLength(3)
    expect(refusal(() => ctx.nodes('@working [content.n]', { dialect: '0.1' })).code).toBe('E_SELECTOR_INVALID')
  })

  test('a number written as a tag finds the tag, since tags are texts (D21)', () => {
    const tagged = createContext()
    const { id } = tagged.user('x', { tags: ['5', 'a'] })
    for (const selector of ['[tag=5]', "[tag='5']", '[tags in [4, 5]]', '.block[tag~5]', "[tag!=['b']][tag=5]"]) {
      expect(tagged.select(selector), selector).toEqual([id])
    }
    expect(tagged.select('[tag=4]')).toEqual([])
    expect(tagged.select('.block[tag!=5]')).toEqual([])
    expect(refusal(() => tagged.select('+5')).message).toContain("[tag='5']")
  })
})

describe('a snapshot that is not there (D40)', () => {
  const rows: readonly (readonly [text: string, pos: number, token: string])[] = [
    ['@t-9 .x', 0, '@t-9'],
    [' @c7 .x', 1, '@c7'],
    ['@t+1 .x', 0, '@t+1'],
  ]

  test.each(rows)('%s says where it is named, and which there are', (text, pos, token) => {
    const ctx = twoTurns()
    for (const call of [
      () => ctx.select(text),
      () => ctx.nodes(text),
      () => ctx.count(text),
      () => ctx.first(text),
      () => ctx.iterate(text),
    ]) {
      const { code, message, details } = refusal(call)
      expect({ code, details }).toMatchObject({
        code: 'E_SNAPSHOT_NOT_FOUND',
        details: { pos, token, selector: text, oldest: 1, newest: 2 },
      })
      expect(message).toContain('the snapshots are @c1 to @c2 (@t0 to @t-1).\n')
    }
  })

  test('before the first commit, in both dialects', () => {
    const ctx = createContext({ dialect: '0.1' })
    for (const [text, token] of [
      ['@t0 .cb', '@t0'],
      ['@t-* .cb', '@t-*'],
      ['.cb', ''],
    ] as const) {
      const details = { pos: 0, token, selector: text }
      expect(refusal(() => ctx.select(text))).toMatchObject({ code: 'E_SNAPSHOT_NOT_FOUND', details })
    }
  })

  test('a single snapshot is named alone', () => {
    const ctx = createContext()
    ctx.commit()
    for (const call of [() => ctx.select('@t-9 .x'), () => ctx.snapshot('@t-9'), () => ctx.select('@t-9..@t-8 .x')]) {
      expect(refusal(call).message).toContain('the only snapshot is @c1 (@t0).')
    }
  })
})

describe('options that nobody knows', () => {
  const calls: readonly (readonly [name: string, call: (ctx: Context, options: SelectOptions) => unknown])[] = [
    ['select', (ctx, options) => ctx.select('.block', options)],
    ['nodes', (ctx, options) => ctx.nodes('.block', options)],
    ['count', (ctx, options) => ctx.count('.block', options)],
    ['first', (ctx, options) => ctx.first('.block', options)],
    ['iterate', (ctx, options) => ctx.iterate('.block', options)],
    ['rangeDiffLatest', (ctx, options) => ctx.rangeDiffLatest('@history .block', options)],
    ['snapshot.select', (ctx, options) => ctx.snapshot().select('.block', options)],
    ['snapshot.nodes', (ctx, options) => ctx.snapshot().nodes('.block', options)],
    ['snapshot.count', (ctx, options) => ctx.snapshot().count('.block', options)],
    ['snapshot.first', (ctx, options) => ctx.snapshot().first('.block', options)],
    ['snapshot.iterate', (ctx, options) => ctx.snapshot().iterate('.block', options)],
  ]

  test.each(calls)('%s refuses them, with a near name', (_, call) => {
    const ctx = twoTurns()
    ctx.count('.block')
    expect(refusal(() => call(ctx, { Limit: 3 } as SelectOptions))).toMatchObject({
      code: 'E_CONTENT_INVALID',
      message: 'There is no option "Limit"; did you mean "limit"?',
      details: { name: 'Limit' },
    })
    expect(refusal(() => call(ctx, { foo: undefined } as SelectOptions)).message).toContain('there are limit, skip,')
    for (const options of [null, 5, 'x']) {
      expect(refusal(() => call(ctx, options as unknown as SelectOptions)).code).toBe('E_SELECTOR_INVALID')
    }
    expect(() => call(ctx, { limit: 1, skip: 0, dialect: '1.0', maxSnapshots: 2 })).not.toThrow()
  })

  test('the tools refuse them too, and what is no tree', () => {
    const bad = { dialct: '0.1' } as object
    for (const call of [
      () => parseSelector('.a', bad),
      () => normalizeSelector('.a', bad),
      () => normalizeSelector(parseSelector('.a'), bad),
      () => lintSelector('.a', bad),
    ]) {
      expect(refusal(call)).toMatchObject({ code: 'E_CONTENT_INVALID', details: { name: 'dialct' } })
      expect(refusal(call).message).toContain('did you mean "dialect"?')
    }
    const none = null as unknown as object
    const other = { dialect: '2.0' } as object
    for (const call of [
      () => parseSelector('.a', none),
      () => normalizeSelector('.a', none),
      () => lintSelector('.a', none),
      () => parseSelector('.a', other),
      () => lintSelector('.a', other),
      () => formatSelector({} as never),
      () => formatSelector(null as never),
      () => normalizeSelector({ choices: 5 } as never),
      () => normalizeSelector(undefined as never),
    ]) {
      expect(refusal(call).code).toBe('E_SELECTOR_INVALID')
    }
  })
})

describe('an empty answer that may not be what was meant', () => {
  const rows: readonly (readonly [text: string, says: string])[] = [
    ['.user', "a role is .block[role='user']"],
    ['^seq .assistant', "a role is .block[role='assistant']"],
    ['.block:tool', "a role is .block[role='tool']"],
    ['.call', "a kind is .block[kind='call']"],
    ['( .note, .result )', "a kind is .block[kind='result']"],
    ["d1..d30 [role='user']", "write d1..d30 .block[role='user']"],
    ['d1 +user', 'write d1 .block+user'],
    ["^ah [content~'x']", "write ^ah .block[content~'x']"],
    ["[rol='user']", 'Did you mean "role"?'],
    ["[contnt~'x']", 'Did you mean "content"?'],
    ['@* .user', "a role is .block[role='user']"],
    ['@history .user @mode=union', "a role is .block[role='user']"],
    ['.block:not(role=user)', "[role!='user']"],
  ]

  test.each(rows)('%s warns once and leads to the right form', (text, says) => {
    const told: Warning[] = []
    const ctx = twoTurns((warning) => told.push(warning))
    for (let i = 0; i < 3; i++) {
      expect(ctx.select(text)).toEqual([])
      if (!text.startsWith('@history')) {
        ctx.nodes(text)
        ctx.count(text)
        ctx.first(text)
      }
      ctx.user('more')
      ctx.commit()
    }
    expect(told).toHaveLength(1)
    expect(told[0]!.message).toContain(`Nothing matches ${JSON.stringify(text)}. `)
    expect(told[0]!.message).toContain(says)
    expect(told[0]!.details).toEqual({ selector: text })
    expect(ctx.warnings).toEqual(told)
  })

  test.each(['select', 'nodes', 'count', 'first', 'iterate'] as const)('%s warns, also of a snapshot', (name) => {
    const ctx = twoTurns()
    const result: unknown = ctx[name]('.user')
    if (name === 'iterate') expect([...(result as Iterable<unknown>)]).toEqual([])
    expect(ctx.warnings).toHaveLength(1)
    const other: unknown = ctx.snapshot()[name]('[rol][age=1]')
    if (name === 'iterate') expect([...(other as Iterable<unknown>)]).toEqual([])
    expect(ctx.warnings).toHaveLength(2)
  })

  test.each([
    '.block',
    "[role='nobody']",
    "d1 .block[role='nobody']",
    '[data_rol]',
    '.block @limit=0',
    '.user @skip=1',
    'd1[cycle=99]',
  ])('%s does not warn', (text) => {
    const ctx = twoTurns()
    ctx.select(text)
    ctx.first(text)
    expect(ctx.warnings).toEqual([])
  })

  test('nothing is said where there is such a type, or such an attribute', () => {
    const ctx = importSnapshot({
      spec_version: 'PACT/1.0.0',
      root: { children: [{ id: 'ah', nodeType: '^ah', children: [{ id: 'a', nodeType: 'user', rol: 1 }] }] },
    })
    const before = ctx.warnings.length
    expect(ctx.select('.user')).toEqual(['a'])
    expect(ctx.select('[rol=1]')).toEqual(['a'])
    expect(ctx.warnings).toHaveLength(before)
  })

  test('a mutation that finds nothing says the same', () => {
    const ctx = twoTurns()
    const { code, message } = refusal(() => ctx.delete('.user'))
    expect(code).toBe('E_NODE_NOT_FOUND')
    expect(message).toContain("a role is .block[role='user'].")
  })
})

function twoTurns(onWarning?: (warning: Warning) => void): Context {
  const ctx = createContext(onWarning === undefined ? {} : { onWarning })
  for (const text of ['old', 'new']) {
    ctx.user(text, { tags: ['user'] })
    ctx.commit()
  }
  return ctx
}

function contents(ctx: Context, selector: string): unknown[] {
  return ctx.nodes(selector).map(({ id, content }) => content ?? id)
}

function listed(ctx: Context, selector: string): readonly string[] {
  return ctx.nodes(selector).map(({ id }) => id)
}
