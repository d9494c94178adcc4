// Chapter 04 of edition 0.1, selectors, with what 01, 02, 06, 07 and 10 say of them, as D1, D2, D5 and D8–D23 read it. The
// expectations are written out, or computed from the nodes themselves.

import { readFileSync } from 'node:fs'

import {
  createContext,
  formatSelector,
  importSnapshot,
  parseSelector,
  type Context,
  type Node,
  type SelectOptions,
} from 'pact-context'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  byCodePoint,
  bySiblingRule,
  clockOf,
  DIALECTS,
  idsOf,
  listOf,
  programsFor,
  readGolden,
  refusal,
  runProgram,
  walk,
} from '../support/context.js'
import { editedPrograms, editedRuns, playEdited, snapshotsOf } from '../support/edited.js'
import { ALL_TIED, tiedContext } from '../support/ties.js'

const ISO = '1970-01-01T00:00:00.000000005Z'

/** Three turns, oldest first: one with context and a user-typed container, one nested, one without a container. */
const TREE = {
  cycle: 7,
  root: {
    children: [
      region('S', '^sys', [block('s1', 0, { role: 'system', priority: 5 }), block('s2', 1, { role: 'system' })]),
      region('Q', '^seq', [
        container('mt:1', 'mt', 0, [
          container('g1', 'app:group', -2, [block('x1', 0)]),
          block('p1', -1, { role: 'tool', ttl: 3 }),
          container('mc:1', 'mc', 0, [
            block('u1', 0, { ...said('user'), ttl: 4, priority: 3, cycle: 4, created_at_ns: 5, created_at_iso: ISO }),
            block('a1', 1, { ...said('assistant'), data_score: 7 }),
            block('sum1', 2, { nodeType: 'cb:summary', role: 'assistant' }),
          ]),
          block('o1', 1, { role: 'tool', kind: 'tool_call' }),
        ]),
        container('mt:2', 'mt:turn', 1, [
          container('mc:2', 'mc', 0, [
            block('u2', 0, said('user')),
            container('mc:in', 'mc', 1, [
              block('a2', 0, said('assistant')),
              block('n2', 1, { nodeType: 'custom:note' }),
            ]),
          ]),
        ]),
        container('mt:3', 'mt', 2, [
          block('u3', 0, { ...said('user'), ttl: 1 }),
          block('a3', 0, { ...said('assistant'), ttl: 2 }),
          block('o3', 2, { nodeType: 'cb:summary' }),
        ]),
      ]),
      region('H', '^ah', [
        block('p4', -2, { 'app:flag': true }),
        block('p5', -1),
        container('mc:4', 'mc', 0, [block('u4', 0, { ...said('user'), ttl: 1 })]),
        block('o4', 1),
      ]),
    ],
  },
}

const IN_ORDER =
  'root S s1 s2 Q mt:1 g1 x1 p1 mc:1 u1 a1 sum1 o1 mt:2 mc:2 u2 mc:in a2 n2 mt:3 u3 a3 o3 H p4 p5 mc:4 u4 o4'
const BLOCKS = 's1 s2 x1 p1 u1 a1 sum1 o1 u2 a2 n2 u3 a3 o3 p4 p5 u4 o4'

const tree = importSnapshot(TREE)

describe('steps', () => {
  test('finds the four roots and what stands under them (04 §3.1)', () => {
    expectAll(tree, {
      '^root': 'root',
      '^sys': 'S',
      '^seq': 'Q',
      '^ah': 'H',
      '^sys .cb': 's1 s2',
      '^seq > *': 'mt:1 mt:2 mt:3',
      '^ah .cb': 'p4 p5 u4 o4',
      '^root .mt': 'mt:1 mt:2 mt:3',
      '^root > *': 'S Q H',
      '^root ^ah': 'H',
      '^seq ^ah': '',
    })
    for (const dialect of DIALECTS) expect(tree.select('@t0 ^sys, ^seq, ^ah', { dialect })).toEqual(['S', 'Q', 'H'])
  })

  test('takes .mt, .mc and .cb as classes, so that user types are found with them (04 §3.2, D14)', () => {
    expectAll(tree, {
      '.mt': 'mt:1 mt:2 mt:3',
      '.mc': 'g1 mc:1 mc:2 mc:in mc:4',
      '.cb': BLOCKS,
      '*': IN_ORDER,
      '.mt .mc .mc': 'mc:in',
    })
    for (const [old, current] of [
      ['.mt', '.seg'],
      ['.mc', '.cont'],
      ['.cb', '.block'],
    ] as const) {
      for (const dialect of DIALECTS)
        expect(tree.select(`@t0 ${current}`, { dialect })).toEqual(tree.select(`@t0 ${old}`, { dialect }))
    }
    for (const dialect of DIALECTS) {
      const ctx = createContext({ dialect, clock: clockOf() })
      const fact = ctx.add('2 + 2 = 4', { nodeType: 'app:fact', zone: 'pre' })
      const box = ctx.add(undefined, { nodeType: 'app:box', zone: 'post', children: [{ content: 'x' }] })
      ctx.commit()
      expect(ctx.select('@t0 .cb')).toEqual([fact.id, box.children[0]!.id])
      expect(ctx.select('@t0 .mt > .mc')).toContain(box.id)
      expect(ctx.select("@t0 [nodeType='app:fact']")).toEqual([fact.id])
      expect(ctx.select('@t0 .app:box')).toEqual([box.id])
    }
  })

  test('matches a namespaced type token exactly, the same as [nodeType] (04 §3.2)', () => {
    expectAll(tree, {
      '.cb:summary': 'sum1 o3',
      "[nodeType='cb:summary']": 'sum1 o3',
      '.mt .cb:summary': 'sum1 o3',
      '.mc > .cb:summary': 'sum1',
      ".mc > [nodeType='cb:summary']": 'sum1',
      '.custom:note': 'n2',
      "[nodeType='custom:note']": 'n2',
      '.mt:turn': 'mt:2',
      '.block:summary': '',
      '.cb:Summary': '',
      '.cb:sum': '',
      '.cb:summary2': '',
      "[nodeType='cb:sum']": '',
      '.custom:not': '',
      '.summary': '',
      "[nodeType='cb']": 's1 s2 x1 p1 u1 a1 o1 u2 a2 u3 a3 p4 p5 u4 o4',
    })
  })

  test('asks for kind by attribute; a bare kind is no type (04 §3.2)', () => {
    expectAll(tree, { ".cb[kind='tool_call']": 'o1', '.tool_call': '', '.cb:tool_call': '', '.text': '' })
  })

  test('finds ids to the letter (04 §3.3, D2, D15)', () => {
    expectAll(tree, {
      '#u1': 'u1',
      '#mt:2': 'mt:2',
      '#U1': '',
      '#u': '',
      '.cb#u1': 'u1',
      '.mt#u1': '',
      '^seq #u1': 'u1',
      '^ah #u1': '',
    })
    const names = ['a', 'A', '1x', 'a:first', 'a:b:c', 'é', 'cb:pre1', 'x-y_z']
    const children = names.map((id) => ({ id, content: id, offset: -1 }))
    const ctx = importSnapshot({ root: { children: [region('H', '^ah', children)] } })
    for (const id of names) {
      expect(ctx.select(`#'${id}'`)).toEqual([id])
      if (!id.endsWith(':first')) expect(ctx.select(`#${id}`)).toEqual([id])
    }
    // Without quotes the whole name of a pseudo ends the token.
    expect(ctx.select('#a:first')).toEqual(['a'])
  })

  test('splits turns and the head by offset with :pre, :core and :post (04 §3.4, D13)', () => {
    expectAll(tree, {
      '^ah :pre': 'p4 p5',
      '^ah :pre .cb': 'p4 p5',
      '^ah :core': 'mc:4',
      '^ah :core .cb': 'u4',
      '^ah :post': 'o4',
      '^seq :post .cb': 'o1 o3',
      '.mt :pre': 'g1 p1',
      '.mt :pre .cb': 'x1 p1',
      '.mt :pre > .cb': 'p1',
      '.mt:depth(1) :core': 'u3 a3',
      '.mt:depth(1) .mc:core > .cb': 'u3 a3',
      '^sys :post': 's2',
      '.cb:pre': 'p1 p4 p5',
      '.cb:core': 's1 x1 u1 u2 a2 u3 a3 u4',
      '.cb:post': 's2 a1 sum1 o1 n2 o3 o4',
    })
    for (const [zone, test] of Object.entries({ pre: '<0', core: '=0', post: '>0' }))
      expect(tree.select(`.cb:${zone}`)).toEqual(tree.select(`.cb[offset${test}]`))
  })

  test('counts depth from the newest turn: one, a list, a range, never the head (04 §3.4, 02 §6.3, D10)', () => {
    expectAll(tree, {
      '.mt:depth(1)': 'mt:3',
      '.mt:depth(2)': 'mt:2',
      '.mt:depth(3)': 'mt:1',
      ':depth(1)': 'mt:3',
      '.mt:depth(1,3)': 'mt:1 mt:3',
      '.mt:depth(3,1)': 'mt:1 mt:3',
      '.mt:depth(1-2)': 'mt:2 mt:3',
      '.mt:depth(1..2)': 'mt:2 mt:3',
      '.mt:depth(1,2-9)': 'mt:1 mt:2 mt:3',
      '.mt:depth(9)': '',
      '*:depth(0)': '',
      ':depth(0) .cb': '',
      '.cb:depth(1)': '',
    })
    expectRefusals(tree, {
      '.mt:depth()': 'E_SELECTOR_INVALID',
      '.mt:depth(x)': 'E_SELECTOR_INVALID',
      '.mt:depth(2-1)': 'E_DEPTH_INVALID',
      '.mt:depth(-2)': 'E_DEPTH_INVALID',
    })
    // Every commit moves the turns one deeper.
    const ctx = importSnapshot(TREE)
    ctx.user('next')
    ctx.commit()
    expectAll(ctx, { '.mt:depth(2)': 'mt:3', '.mt:depth(4)': 'mt:1', '@t-1 .mt:depth(1)': 'mt:3' })
    expect(ctx.count('.mt:depth(1)')).toBe(1)
  })

  test('picks :first, :last and :nth among the siblings that match so far (04 §3.4, D16)', () => {
    expectAll(tree, {
      '.mt:first': 'mt:1',
      '.mt:last': 'mt:3',
      '.mt:nth(2)': 'mt:2',
      '.mt:nth(4)': '',
      '^ah > .cb:first': 'p4',
      '^ah > .cb:last': 'o4',
      '^ah > .cb:nth(2)': 'p5',
      '.mc > .cb:first': 'x1 u1 u2 a2 u3 u4',
      ".cb[role='assistant']:first": 'a1 a2 a3',
      ".cb:last[role='assistant']": 'sum1',
      '.mt:depth(1-2):last': 'mt:3',
      '.mt:last:depth(1-2)': 'mt:3',
      '.mt:first:depth(1-2)': '',
    })
    expectRefusals(tree, {
      '.mt:nth(0)': 'E_SELECTOR_INVALID',
      '.mt:nth()': 'E_SELECTOR_INVALID',
      '.mt:nth(-1)': 'E_SELECTOR_INVALID',
    })
  })

  test('joins steps by descendant and by child (04 §3.6)', () => {
    expectAll(tree, {
      '.mt .cb': 'x1 p1 u1 a1 sum1 o1 u2 a2 n2 u3 a3 o3',
      '.mt > .cb': 'p1 o1 u3 a3 o3',
      '.mt > .mc > .cb': 'x1 u1 a1 sum1 u2 u3 a3',
      '.mt>.mc>.cb': 'x1 u1 a1 sum1 u2 u3 a3',
      '.mc .mc': 'mc:in',
      '.mt .mc .cb': 'x1 u1 a1 sum1 u2 a2 n2 u3 a3',
      '^seq > .cb': '',
      '^root > .cb': '',
      '.cb *': '',
    })
  })
})

describe('attributes', () => {
  test('reads the ten attributes, and any other, by name (04 §3.5)', () => {
    const values = { offset: 0, ttl: 4, priority: 3, cycle: 4, created_at_ns: 5, created_at_iso: `'${ISO}'` }
    const texts = { nodeType: "'cb'", id: "'u1'", role: "'user'", kind: "'text'" }
    for (const [name, value] of Object.entries({ ...values, ...texts })) {
      expect(tree.select(`^seq .mt:depth(3) .mc:core [${name}=${value}]`), name).toContain('u1')
      expect(tree.select(`.cb[${name}]`), name).toContain('u1')
    }
    const given = Object.entries({ ...values, ...texts }).map(([name, value]) => `[${name}=${value}]`)
    expect(tree.select(given.join(''))).toEqual(['u1'])
    expectAll(tree, {
      '[data_score=7]': 'a1',
      '.cb[data_score>6]': 'a1',
      '[app:flag=true]': 'p4',
      '[app:flag]': 'p4',
      '[data_none]': '',
      '[creation_index=1][priority=0] ': tree
        .nodes('*')
        .filter((node) => node.creationIndex === 1 && node.priority === 0)
        .map((node) => node.id)
        .join(' '),
    })
  })

  test('compares with = != < <= > >= on every one of them (04 §3.5)', () => {
    const nodes = walk(tree.snapshot().root)
    const numbers = ['offset', 'ttl', 'priority', 'cycle', 'created_at_ns']
    const strings = ['nodeType', 'id', 'role', 'kind', 'created_at_iso']
    const literals = { number: [-2, -1, 0, 1, 3, 4, 5, 7], string: ['cb', 'cb:summary', 'u1', 'user', 'text', ISO, ''] }
    for (const [op, holds] of Object.entries(OPERATORS)) {
      for (const name of [...numbers, ...strings]) {
        for (const literal of numbers.includes(name) ? literals.number : literals.string) {
          const expected = nodes.filter((node) => {
            const value = headerOf(node, name)
            if (value === null) return op === '!='
            return holds(
              typeof value === 'string' ? byCodePoint(value, String(literal)) : Number(value) - Number(literal),
            )
          })
          const written = typeof literal === 'string' ? `'${literal}'` : literal
          for (const dialect of DIALECTS) {
            // In 1.0 nodeType asks for a type, in either edition's words (D14).
            if (dialect === '1.0' && name === 'nodeType') continue
            const found = tree.select(`@t0 [${name}${op}${written}]`, { dialect })
            expect(found, `${name}${op}${written}`).toEqual(idsOf(expected))
          }
        }
      }
    }
  })

  test('compares a missing attribute as null, which only = and != match (04 §3.5, §5.5)', () => {
    expectAll(tree, {
      '.mt .cb[ttl=null]': 'x1 a1 sum1 o1 u2 a2 n2 o3',
      '.mt .cb[ttl!=null]': 'p1 u1 u3 a3',
      '.mt .cb[ttl]': 'p1 u1 u3 a3',
      '.mt .cb[ttl!=1]': 'x1 p1 u1 a1 sum1 o1 u2 a2 n2 a3 o3',
      '.mt .cb[ttl<=1]': 'u3',
      '.mt .cb[role=None]': 'x1 n2 o3',
      '.mt .cb[role!=None][kind=null]': 'p1 sum1',
      '.cb[data_none=null]:first': 's1 x1 p1 u1 u2 a2 u3 p4 u4',
      "[data_none!='x'][nodeType='^ah']": 'H',
    })
    for (const op of ['<', '<=', '>', '>=']) {
      for (const name of ['ttl', 'role', 'data_none', 'offset'])
        expect(tree.select(`[${name}${op}null]`), name + op).toEqual([])
      expect(tree.select(`.mc[ttl${op}0]`)).toEqual([])
    }
  })

  test('compares known numbers as numbers, quoted or not, exactly at any size (04 §5.1, §5.2)', () => {
    const big = [9_007_199_254_740_992n, 9_007_199_254_740_993n, 123_456_789_012_345_678_901_234n]
    const blocks = big.map((ns, i) => `{"id":"n${i}","offset":${[-9, -10, -100][i]},"created_at_ns":${ns}}`)
    const ctx = importSnapshot(`{"root":{"children":[{"id":"H","nodeType":"^ah","children":[${blocks.join()}]}]}}`)
    expectAll(ctx, {
      '[created_at_ns=9007199254740993]': 'n1',
      "[created_at_ns='9007199254740993']": 'n1',
      '.cb[created_at_ns!=9007199254740993]': 'n2 n0',
      '[created_at_ns>9007199254740992]': 'n2 n1',
      '[created_at_ns>=123456789012345678901234]': 'n2',
      '[created_at_ns>123456789012345678901233.5]': 'n2',
      '.cb[offset<-9]': 'n2 n1',
      ".cb[offset<'-9']": 'n2 n1',
      '.cb[offset=-9.0]': 'n0',
      '.cb[offset=-9.0000000000000000001]': '',
      '.cb[offset>-9.0000000000000000001]': 'n0',
      // No number is unequal to every number, and in no order with one.
      ".cb[offset!='x']": 'n2 n1 n0',
      ".cb[offset='x']": '',
      ".cb[offset<'x']": '',
      ".cb[offset>'']": '',
      '.cb[offset=null]': '',
      '.cb[ttl<9]': '',
    })
    // Every known number: as texts, '10' would come before '9'.
    const two = [9, 10].map((n) => ({ id: `n${n}`, ttl: n, cad: n, priority: n, creation_index: n, created_at_ns: n }))
    const nodes = two.map((node, i) => ({ ...node, offset: [9, 10][i], key: node.id, cycle: [9, 10][i] }))
    const known = importSnapshot({ cycle: 10, root: { children: [region('H', '^ah', nodes)] } })
    for (const name of ['offset', 'ttl', 'cad', 'priority', 'cycle', 'created_at_ns', 'creation_index', 'born_turn']) {
      expectAll(known, {
        [`@t0 .cb[${name}>'9']`]: 'n10',
        [`@t0 .cb[${name}<10]`]: 'n9',
        [`@t0 .cb[${name}='9.0']`]: 'n9',
        [`@t0 .cb[${name}>='x']`]: '',
      })
    }
  })

  test('compares known strings exactly and by code point; case matters, empty is not null (04 §5.3)', () => {
    const roles = ['user', 'User', '', '\uffff', '\u{10000}', '10', '9']
    const children = roles.map((role, i) => ({ id: `n${i}`, offset: i + 1, role }))
    const ctx = importSnapshot({ root: { children: [region('H', '^ah', [...children, { id: 'none', offset: 99 }])] } })
    expectAll(ctx, {
      ".cb[role='user']": 'n0',
      ".cb[role='USER']": '',
      ".cb[role='use']": '',
      ".cb[role='']": 'n2',
      ".cb[role!='']": 'n0 n1 n3 n4 n5 n6 none',
      '.cb[role=null]': 'none',
      '.cb[role]': 'n0 n1 n2 n3 n4 n5 n6',
      ".cb[role<'user']": 'n1 n2 n5 n6',
      ".cb[role>'\uffff']": 'n4',
      // 10 comes before 9, since these are texts.
      '.cb[role<9]': 'n2 n5',
      '.cb[role=9]': 'n6',
      ".cb[id!='n0'][role!='']": 'n1 n3 n4 n5 n6 none',
    })
  })

  test('orders open attributes as numbers where both are, else as text; equality keeps the type (04 §5.4, §5.5)', () => {
    const values = [5, '5', '10', 9, 'abc', true, false, null, '', 5.5, [5], { a: 5 }]
    const children = values.map((data_x, i) => ({ id: `n${i}`, offset: i + 1, data_x }))
    const ctx = importSnapshot({ root: { children: [region('H', '^ah', [...children, { id: 'none', offset: 99 }])] } })
    expectAll(ctx, {
      '.cb[data_x=5]': 'n0',
      ".cb[data_x='5']": 'n1',
      '.cb[data_x=5.0]': 'n0',
      '.cb[data_x>5]': 'n2 n3 n4 n5 n6 n9',
      ".cb[data_x>'5']": 'n2 n3 n4 n5 n6 n9',
      '.cb[data_x<=5]': 'n0 n1 n8',
      ".cb[data_x<'abc']": 'n0 n1 n2 n3 n8 n9',
      // Booleans compare as text.
      ".cb[data_x='true']": 'n5',
      '.cb[data_x=true]': 'n5',
      ".cb[data_x<'g'][data_x>'b']": 'n6',
      // The empty string is a value.
      ".cb[data_x='']": 'n8',
      '.cb[data_x=null]': 'n7 none',
      ".cb[data_x!='']": 'n0 n1 n2 n3 n4 n5 n6 n7 n9 n10 n11 none',
    })
  })

  test('finds the rules of comparing in docs/selectors.md (04 §5.4)', () => {
    const text = readFileSync(new URL('../../docs/selectors.md', import.meta.url), 'utf8')
    const section = text.split(/^## /m).find((part) => /^.*compare/i.test(part)) ?? ''
    const numbers = 'offset ttl cad priority cycle created_at_ns creation_index age born_turn depth'
    const strings = 'id nodeType role kind key type created_at_iso content_hash'
    const words = [...`${numbers} ${strings}`.split(' '), 'tags', 'null', 'None', 'true', '~', 'code point', "'5'"]
    expect(words.filter((word) => !section.includes(word))).toEqual([])
    const rules = [
      [`\`${numbers}\``, 'numbers', 'whole numbers compare exactly at any size'],
      [`\`${strings}\``, 'text, case-sensitive, ordered by code point'],
      ['`tag`, `tags`', 'a list of texts', '`=`, `in` and `~` ask whether the tag is in it'],
      ['`=` `!=` `in`', "the type counts: `5` is not `'5'`; a bare word is a text"],
      ['`<` `<=` `>` `>=`', 'as numbers where both sides read as'],
      ['`~`', 'a part of a text, or an element of a list'],
    ]
    const rows = section.split('\n').filter((line) => line.startsWith('|'))
    const unsaid = rules.filter((parts) => !rows.some((row) => parts.every((part) => row.includes(part))))
    expect(unsaid).toEqual([])
  })
})

describe('time', () => {
  test('addresses snapshots with @t0, @t-1, @cN and @*, and gives ids (04 §3.7, §6.2, D5, D8)', () => {
    for (const dialect of DIALECTS) {
      const { ctx, a, b, passing } = history(dialect)
      expectAll(ctx, {
        '@t0 .cb': `${a} ${b}`,
        '@t-1 .cb': `${passing} ${a}`,
        '@c2 .cb': `${a} ${b}`,
        '@c1 .cb': `${passing} ${a}`,
        '@t-* .cb': `${passing} ${a}`,
        // Newest first, each id where it is first seen.
        '@* .cb': `${a} ${b} ${passing}`,
        [`@* [id='${passing}']`]: passing,
        '@t-1 .mt:depth(1) .cb': `${passing} ${a}`,
      })
      for (const time of ['@t-2', '@t+1', '@c3', '@c0', '@c99'])
        expect(refusal(() => ctx.select(`${time} .cb`)).code, time).toBe('E_SNAPSHOT_NOT_FOUND')
      // Every step back is one snapshot, however far.
      const long = createContext({ dialect, clock: clockOf() })
      const said = Array.from({ length: 6 }, (_, i) => {
        const { id } = long.pre(`${i}`, { ttl: 1 })
        long.commit()
        return id
      })
      for (const [i, id] of said.entries()) {
        expectAll(long, { [`@t-${5 - i} .cb`]: id, [`@c${i + 1} .cb`]: id })
      }
      const empty = createContext({ dialect })
      expect(empty.select('@* .cb')).toEqual([])
      expect(refusal(() => empty.select('@t0 .cb')).code).toBe('E_SNAPSHOT_NOT_FOUND')
    }
  })

  test('reads @t0 where no time is written, and never needs it written (04 §3.7, D5)', () => {
    const { ctx, a, b, open } = history('0.1')
    for (const selector of ['.cb', '^ah .cb', '.mt:depth(1) .cb', `#${open}`, '*'])
      expect(ctx.select(selector)).toEqual(ctx.select(`@t0 ${selector}`))
    expectAll(ctx, { '.cb': `${a} ${b}`, '@working .cb': `${a} ${b} ${open}` })
    expect(ctx.count('.cb')).toBe(2)
    expect(idsOf(ctx.nodes('.cb'))).toEqual([a, b])
    const before = createContext({ dialect: '0.1' })
    before.user('x')
    expect(refusal(() => before.select('.cb')).code).toBe('E_SNAPSHOT_NOT_FOUND')
    expect(before.count('@working .cb')).toBe(1)
  })

  test('changes nothing by the options of ranges where there is no range (04 §4)', () => {
    const content = { includeContent: true, contentMode: 'tokens', contextLines: 0, materialize: ['content'] }
    const options = { ...content, maxSnapshots: 0, maxChangesPerSnapshot: 0 } as SelectOptions
    for (const selector of ['.cb', '@t0 *', '@* .mt', '@c7 #u1'])
      expect(tree.select(selector, options)).toEqual(tree.select(selector))
  })
})

describe.each(DIALECTS)('results, %s', (dialect) => {
  test('gives ids in canonical order: parents first, siblings by 02 §4.3 (04 §2.2)', () => {
    expect(tree.select('@t0 *', { dialect }).join(' ')).toBe(IN_ORDER)
    for (const lens of ['@t0', '@working']) expect(tiedContext(dialect).select(`${lens} .cb`)).toEqual(ALL_TIED)
    fc.assert(
      fc.property(programsFor(dialect), (steps) => {
        const ctx = createContext({ dialect, clock: clockOf(0n) })
        runProgram(ctx, steps)
        const { root } = ctx.snapshot()
        const expected = [root, ...root.children.flatMap(inOrder)].map((node) => node.id)
        expect(ctx.select('@t0 *')).toEqual(expected)
        for (const selector of ['.cb', '.mt .mc', '^seq :post', '[ttl]', '.cb:first', '.mt:depth(1-2) *']) {
          const found = listOf(ctx.select(`@t0 ${selector}`))
          expect(found).toEqual(expected.filter((id) => found.includes(id)))
        }
      }),
      { numRuns: 10, seed: 4 },
    )
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        for (const { ctx, lens } of snapshotsOf(playEdited(program))) {
          const { root } = ctx.snapshot(lens)
          expect(ctx.select(`${lens} *`)).toEqual([root, ...root.children.flatMap(inOrder)].map((node) => node.id))
        }
      }),
      editedRuns(6),
    )
  })

  test('gives the same ids for the same snapshot, asked again, later or in a replay (06 §3.1)', () => {
    const { ctx } = history(dialect)
    const replay = importSnapshot(ctx.export())
    const selectors = ['*', '.cb', '.mt:depth(1) .cb', '^ah *', '[ttl<=1]', '.cb:first', '.mt, .cb, ^seq'].map(
      (selector) => `@c2 ${selector}`,
    )
    const first = selectors.map((selector) => ctx.select(selector))
    ctx.user('more')
    ctx.commit()
    for (const each of [ctx, replay, ctx.fork('@c2'), importSnapshot(replay.export())])
      expect(selectors.map((selector) => each.select(selector))).toEqual(first)
  })

  test('refuses an invalid selector with code, place and token, even with no nodes (04 §7)', () => {
    const invalid: Record<string, readonly [pos: number, token: string]> = {
      '': [0, ''],
      '.': [0, '.'],
      '.cb >': [5, ''],
      '> .cb': [0, '>'],
      '.cb > > .cb': [6, '>'],
      '.cb,': [4, ''],
      ', .cb': [0, ','],
      '.cb[ttl': [3, '['],
      '.cb[ttl<=]': [9, ']'],
      '.cb[]': [4, ']'],
      "[role='user": [6, "'"],
      '^nowhere': [0, '^nowhere'],
      ':cor': [0, ':cor'],
      '.cb:nth(0)': [3, ':nth(0)'],
      '.mt:depth()': [3, ':depth()'],
      '.cb)': [3, ')'],
      '@t .cb': [0, '@t'],
      '@x0 .cb': [0, '@x0'],
      '.cb[age<2]': [4, 'age'],
      '.cb @mode=latest': [4, '@mode=latest'],
      '.cb @limit=x': [4, '@limit=x'],
      cb: [0, 'cb'],
    }
    const contexts = [createContext({ dialect }), importSnapshot(TREE, { dialect })]
    for (const [selector, [pos, token]] of Object.entries(invalid)) {
      for (const ctx of contexts) {
        for (const call of ['select', 'nodes', 'count', 'first'] as const) {
          const { code, details } = refusal(() => ctx[call](selector))
          expect([code, details['pos'], details['token']], selector).toEqual(['E_SELECTOR_INVALID', pos, token])
        }
      }
    }
    expect(refusal(() => contexts[1]!.select(5 as unknown as string)).code).toBe('E_SELECTOR_INVALID')
  })
})

describe('the document', () => {
  test('reads the whole grammar, and of the syntax of 1.0 only braces and controls (04 §4, D1)', () => {
    expectAll(tree, {
      '#u1, .mt:depth(1), #s1': 's1 u1 mt:3',
      '.cb , .cb': BLOCKS,
      '#u1.cb[role="user"][ttl=4]:core:first': 'u1',
      ".cb#u1[role='user']": 'u1',
      '^ah#H': 'H',
      '^ah[offset=0]:last': 'H',
      '*': IN_ORDER,
      '  .mt:depth( 1 , 3 )  >  .mc ': 'g1 mc:1',
      '.mt:depth(3 - 3)': 'mt:1',
      '[ role = user ][ttl = 4]': 'u1',
      '[priority>=2.5]': 's1 u1',
      '[role="us\\er"]': '',
      "[role='it\\'s']": '',
      '.mt{ offset=1 }': 'mt:2',
      '.cb @skip=1 @limit=2': 's2 x1',
      '.mt @order=turn:desc': 'mt:1 mt:2 mt:3',
    })
    for (const selector of ['d1 .cb', 'd1', '(d1, 0)', '((d1,0))', '+audit', '.cb+audit', '.cb ?? .mt', '(.cb)'])
      expect(refusal(() => tree.select(selector)).code, selector).toBe('E_SELECTOR_INVALID')
    for (const range of ['@t-5..-1 ^ah .cb', '@t-5:-1 ^ah .cb', '@c1..@c3 .cb', '@t-3..@t0 ^seq .mt .cb']) {
      const parsed = parseSelector(range, { dialect: '0.1' })
      expect(parsed.time?.kind).toBe('range')
      expect(parseSelector(formatSelector(parsed), { dialect: '0.1' }).time?.kind).toBe('range')
    }
  })

  test('gives for the fixtures exactly the ids of the document (04 §6.2, §6.3, §7.1)', () => {
    const { fixtures } = readGolden('selectors-002.json') as { fixtures: Record<'6.2' | '6.3', object> }
    const ctx = importSnapshot(fixtures['6.2'])
    expectAll(ctx, {
      '@t0 ^sys .cb': 'cb:sysA',
      '@t0 ^seq .mt:depth(1)': 'mt:2',
      '@t0 ^seq .mt:depth(1,2)': 'mt:1 mt:2',
      '@t0 ^seq .mt:depth(1-2) .mc > .cb': 'cb:u1 cb:a1',
      '@t0 ^seq .mt:depth(1) > .cb': 'cb:a1',
      '@t0 #cb:u2': 'cb:u2',
      "@t0 .cb[role='assistant']": 'cb:a1',
      '@t0 ^seq .mt:depth(1-2) .cb[ttl<=1]': 'cb:a1',
      "@t0 ^seq .mt:depth(3) .cb[role='user']": '',
    })
    expect(refusal(() => ctx.select('@t0 ^seq .mt:depth()')).code).toBe('E_SELECTOR_INVALID')
    expectAll(importSnapshot(fixtures['6.3']), {
      "@t0 ^seq .mt:depth(1-3) .cb[role='user']": 'cb:u1 cb:u2 cb:u3',
    })
  })

  test('selects in the examples what the document says (04 §3.7, §6, 06 §3.3)', () => {
    expectAll(tree, {
      "@t0 ^seq .mt:depth(1) .mc > .cb[role='assistant']": 'a3',
      '@t0 ^ah :pre .cb': 'p4 p5',
      '^ah :pre .cb': 'p4 p5',
      "^seq .mt:depth(1) .mc > .cb[role='assistant']": 'a3',
      '^root .cb[ttl<=1]': 'u3 u4',
      '#u1': 'u1',
      "^seq .mt:depth(1,2,3) .cb[role='user']": 'u1 u2 u3',
      "^seq .mt:depth(1-3) .cb[role='user']": 'u1 u2 u3',
      '^seq .mt:depth(1-5)': 'mt:1 mt:2 mt:3',
      '@* #u1': 'u1',
      '@* #abc123def': '',
      '^seq .mt:depth(3)': 'mt:1',
      "^seq .mt:depth(1,2) .cb[role='assistant']": 'a2 a3',
      "[id!='abc123']": IN_ORDER,
    })
  })
})

const OPERATORS: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/** Selectors with the ids they find, in order, with spaces between. */
function expectAll(ctx: Context, cases: Readonly<Record<string, string>>): void {
  for (const [selector, ids] of Object.entries(cases))
    expect(listOf(ctx.select(selector)).join(' '), selector).toBe(ids)
}

function expectRefusals(ctx: Context, cases: Readonly<Record<string, string>>): void {
  for (const [selector, code] of Object.entries(cases))
    expect(refusal(() => ctx.select(selector)).code, selector).toBe(code)
}

/** Two commits and an open edit; of the first commit one block passes with it. */
function history(dialect: '0.1' | '1.0'): Readonly<{
  ctx: Context
  a: string
  b: string
  passing: string
  open: string
}> {
  const ctx = createContext({ dialect, clock: clockOf() })
  const passing = ctx.pre('x', { ttl: 1 }).id
  const a = ctx.user('a').id
  ctx.commit()
  const b = ctx.user('b').id
  ctx.commit()
  return { ctx, a, b, passing, open: ctx.user('c').id }
}

function headerOf(node: Node, name: string): unknown {
  return (node.toJSON() as Readonly<Record<string, unknown>>)[name] ?? null
}

/** A node and all under it, siblings by the rule of 02 §4.3. */
function inOrder(node: Node): Node[] {
  return [node, ...node.children.toSorted(bySiblingRule).flatMap(inOrder)]
}

function region(id: string, nodeType: string, children: readonly object[]): object {
  return { id, nodeType, children }
}

function container(id: string, nodeType: string, offset: number, children: readonly object[]): object {
  return { id, nodeType, offset, children }
}

function block(id: string, offset: number, headers: object = {}): object {
  return { id, nodeType: 'cb', offset, ...headers }
}

function said(role: string): object {
  return { role, kind: 'text' }
}
