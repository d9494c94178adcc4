// Document 001, the query language of edition 1.0, with what the glossary (003) and 004 say of it, as D1, D2, D4, D5 and
// D8–D23 read it. The expectations are written out.

import { readdirSync, readFileSync } from 'node:fs'

import {
  createContext,
  formatSelector,
  importSnapshot,
  lintSelector,
  normalizeSelector,
  parseSelector,
  type Context,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, idsOf, listOf, readGolden, refusal, walk } from '../support/context.js'
import { readHeadings } from '../support/markdown.js'

const ROOT = new URL('../../', import.meta.url)

/** Three segments, oldest first: with context behind, nested and with context before, and without a container. */
const TREE = {
  spec_version: 'PACT/1.0.0',
  cycle: 9,
  root: {
    children: [
      node('S', '^sys', 0, [
        block('s1', 0, { key: 'policy', tags: ['user', 'audit'] }),
        block('s2', 1, { key: 'note', created_at_ns: 60 }),
      ]),
      node('Q', '^seq', 0, [
        node('seg:1', 'seg', 0, [
          node('cont:1', 'cont', 0, [
            block('b1', 0, { key: 'note', created_at_ns: 10, kind: 'summary', tags: ['audit'], cycle: 3 }),
            block('b2', 1, { nodeType: 'block:summary', tags: ['user'] }),
          ]),
          block('p1', 1, { key: 'note', created_at_ns: 40 }),
        ]),
        node('seg:2', 'seg', 1, [
          block('r2', -1, { ttl: 2, tags: ['audit'] }),
          node('cont:2', 'cont:Message', 0, [
            block('b3', 0, { nodeType: 'block:note', key: 'theme', lang: 'en', cycle: 5 }),
            node('cont:in', 'cont', 1, [block('b4', 0, { type: 'item' })], { key: 'nav' }),
          ]),
        ]),
        node('seg:3', 'seg', 2, [
          block('b5', 0, { nodeType: 'log.entry', key: 'note', created_at_ns: 20, cycle: 8 }),
          block('b6', 0, { key: 'note', created_at_ns: 30 }),
        ]),
      ]),
      node('H', '^ah', 0, [
        block('r4', -1, { key: 'note', created_at_ns: 50 }),
        node('cont:4', 'cont', 0, [
          block('b7', 0, { type: 'config', key: 'theme' }),
          block('b8', 1, { ttl: 1, cad: 1, key: 'k' }),
        ]),
        block('o4', 1, { key: 'hero banner' }),
        block('o5', 1, { key: 'b2' }),
      ]),
    ],
  },
}

const BLOCKS = 's1 s2 b1 b2 p1 r2 b3 b4 b5 b6 r4 b7 b8 o4 o5'

const tree = importSnapshot(TREE)

describe('structure', () => {
  test('takes aliases and depths as one: ^ah is depth(0) and d0, ^sys is depth(-1) and d-1 (001 §3.1, §3.4, §3.8, D10)', () => {
    expectAll(tree, {
      '^root': 'root',
      '^seq': 'Q',
      d1: 'seg:3',
      d3: 'seg:1',
      'd1..d2': 'seg:2 seg:3',
      'd1..2': 'seg:2 seg:3',
      'd2..d2 .seg': 'seg:2',
      'd1..d3 .seg': 'seg:1 seg:2 seg:3',
      'd2 .block': 'r2 b3 b4',
      'd-1..d0 .block': 's1 s2 r4 b7 b8 o4 o5',
      'd0 .seg': '',
      'd1..d3 ^ah': '',
      'd9 .block': '',
      '^ah > .cont[offset=0]': 'cont:4',
      'depth(0) > .cont[offset=0]': 'cont:4',
      'd1 > .cont > .block': 'b5 b6',
      '^sys > *': 's1 s2',
      'depth(-1) > *': 's1 s2',
      'depth(-1) > .block#policy': 's1',
      '@t0 .seg > .block#note': 'p1 b6 b5',
    })
    for (const region of ['S', 'H'] as const) {
      const forms = { S: ['^sys', 'depth(-1)', 'd-1', '(d-1)', '.sys'], H: ['^ah', 'depth(0)', 'd0', '(d0)'] }[region]
      for (const form of forms) {
        expect(tree.select(form), form).toEqual([region])
        for (const rest of [' *', ' > *', ' .block', ' > .cont > .block', ' :post', ' #note', ' .block:first'])
          expect(tree.select(form + rest), form + rest).toEqual(tree.select(forms[0]! + rest))
      }
    }
    expectRefusals(tree, {
      'd-2': 'E_DEPTH_INVALID',
      'd3..d1 .seg': 'E_DEPTH_INVALID',
      '.seg:depth(2-1)': 'E_DEPTH_INVALID',
    })
  })

  test('counts depth by structure in every snapshot, whatever the time (001 §3.4, §3.5.3)', () => {
    const ctx = createContext({ clock: clockOf() })
    const segments = ['a', 'b', 'c'].map((text) => (ctx.user(text), ctx.commit().root.children[1]!.children.at(-1)!.id))
    expectAll(ctx, {
      '@t0 d1': segments[2]!,
      '@t-1 d1': segments[1]!,
      '@t-1 d2': segments[0]!,
      '@t0 d2': segments[1]!,
      '@c1 d1..d9 .seg': segments[0]!,
      '@t-2 d2': '',
    })
  })

  test('takes .x, .anything:x and [nodeType] as one test of type, unknown names too (001 §3.2, §10, D14)', () => {
    expectAll(tree, {
      '.seg': 'seg:1 seg:2 seg:3',
      '.cont': 'cont:1 cont:2 cont:in cont:4',
      '.block': BLOCKS,
      "[nodeType='block']": BLOCKS,
      '.cont:Message': 'cont:2',
      '.Message': 'cont:2',
      "[nodeType='Message']": 'cont:2',
      "[nodeType='cont:Message']": 'cont:2',
      '.summary': 'b2',
      '.block:summary': 'b2',
      '.anything:summary': 'b2',
      '.block.summary': 'b2',
      '.cont.summary': '',
      '.note': 'b3',
      '.item': 'b4',
      '.config': 'b7',
      '.log.entry': 'b5',
      '.entry': 'b5',
      '.log.other': '',
      '.unheard-of': '',
      '.block:unheard-of': '',
    })
    for (const pair of ['mt seg', 'mc cont', 'cb block']) {
      const [old, current] = pair.split(' ')
      expect(tree.select(`.${old}`)).toEqual(tree.select(`.${current}`))
    }
  })

  test('normalizes type sugar and grouped tests to brackets, and writes no sugar (001 §3.2, §3.5.1)', () => {
    const normal = {
      '.block': "[nodeType='block']",
      '.cont:Message': "[nodeType='Message']",
      '.block:DiffChunk': "[nodeType='DiffChunk']",
      ".block(status='important' ttl=5)": "[nodeType='block'][status='important'][ttl=5]",
      "^seq .seg .block:summary[kind='text']": "^seq *[nodeType='seg'] *[nodeType='summary'][kind='text']",
      '.log.entry': "[nodeType='log'][nodeType='entry']",
    }
    for (const [selector, expected] of Object.entries(normal)) {
      const text = formatSelector(normalizeSelector(selector))
      expect(text.replaceAll(' *[', ' [')).toBe(expected.replaceAll(' *[', ' ['))
      expect(text).not.toMatch(/(?:^|\s)\.|\(/)
      expect(tree.select(text)).toEqual(tree.select(selector))
    }
  })

  test('asks for kind by attribute alone: no token of a type means it (001 §3.2)', () => {
    expectAll(tree, {
      "[kind='summary']": 'b1',
      ".block[kind='summary']": 'b1',
      '[nodeType="block"][kind="summary"]': 'b1',
      '.block:summary': 'b2',
      '.summary': 'b2',
    })
    expect(formatSelector(normalizeSelector('.block:summary'))).not.toContain('kind')
    expect(formatSelector(normalizeSelector(".block[kind='summary']"))).toContain("[kind='summary']")
  })

  test('splits by offset with :pre, :core, :post and counts siblings with :first, :last, :nth (001 §3.4, D13, D16)', () => {
    expectAll(tree, {
      '^ah :pre': 'r4',
      '^ah :core .block': 'b7 b8',
      '^ah :post': 'o4 o5',
      '^seq :post .block': 'p1',
      '^seq :core': 'cont:1 cont:2 b5 b6',
      'd2 :pre': 'r2',
      '.block:pre': 'r2 r4',
      '.block:post': 's2 b2 p1 b8 o4 o5',
      '.seg:first': 'seg:1',
      'd1..d2 .seg:first': 'seg:2',
      '.seg:last': 'seg:3',
      '.block:first': 's1 b1 p1 r2 b3 b4 b5 r4 b7',
      '.block:nth(2)': 's2 b2 b6 b8 o4',
      '.block:nth(9)': '',
      '#note:first': 'p1 b1 b5 r4 s2',
    })
  })

  test('picks children and descendants, and takes the right of ?? where the left is empty (001 §3.6, D23)', () => {
    expectAll(tree, {
      '.seg .block': 'b1 b2 p1 r2 b3 b4 b5 b6',
      '.seg > .block': 'p1 r2 b5 b6',
      '.seg > .cont > .block': 'b1 b2 b3 b5 b6',
      '.seg .cont .cont': 'cont:in',
      '#missing ?? #policy': 's1',
      '#policy ?? .seg': 's1',
      '.none ?? .neither ?? .seg:last': 'seg:3',
      '.none ?? .neither': '',
      '.none, #policy ?? .seg': 's1',
      '(.none ?? .seg) > .block': 'p1 r2 b5 b6',
    })
  })
})

describe('names', () => {
  test('takes #x for the key, never for the id, which is { id="…" } (001 §3.3, §3.10, 003, D2)', () => {
    expectAll(tree, {
      '#policy': 's1',
      '{ key="policy" }': 's1',
      "[key='policy']": 's1',
      '#s1': '',
      '#b2': 'o5',
      '{ id="b2" }': 'b2',
      "[id='b2']": 'b2',
      "{ id='seg:1' }": 'seg:1',
      '#seg:1': '',
      "#'hero banner'": 'o4',
      '#"hero banner"': 'o4',
      '{ key="hero banner" }': 'o4',
      '#Policy': '',
      '^ah #theme': 'b7',
    })
  })

  test('searches everywhere by a leading +tag, filters by a later one, and all must hold (001 §3.10, 003, D22)', () => {
    expectAll(tree, {
      '+audit': 's1 b1 r2',
      '+audit+user': 's1',
      '+user +audit': 's1',
      '{ tag="audit" }': 's1 b1 r2',
      '{ tag="audit" }+user': 's1',
      '.block+audit': 's1 b1 r2',
      '.block +audit': 's1 b1 r2',
      '^seq .block +audit': 'b1 r2',
      '.seg > * +audit': 'r2',
      '.seg +audit': '',
      '+none': '',
    })
    for (const text of ['+user+audit', '+user +audit', '{ tag="user" }+audit', '+audit{ tag="user" }+audit']) {
      expect(formatSelector(normalizeSelector(text)), text).toBe('+audit+user')
      expect(lintSelector(text).fixed, text).toBe('+audit+user')
    }
  })

  test('gives all nodes of a key: deepest first, then newest, then by id, in stable windows (001 §3.4, §3.5.2, D20)', () => {
    expectAll(tree, {
      '#note': 'p1 b1 b6 b5 r4 s2',
      '[key="note"]': 'p1 b1 b6 b5 r4 s2',
      'd1..d3 #note': 'p1 b1 b6 b5',
      'd1 *[key="note"]': 'b6 b5',
      '.block[key="note"][tag="audit"]': 'b1',
      '#note @limit=1': 'p1',
      '#note @skip=1 @limit=1': 'b1',
      '#note @first': 'p1',
      '#note @order=pre': 's2 b1 p1 b5 b6 r4',
      '[key]': 's1 s2 b1 p1 b3 cont:in b5 b6 r4 b7 b8 o4 o5',
      '[type]': 'b4 b7',
      '[tag]': 's1 b1 b2 r2',
    })
    const all = tree.select('#note')
    for (let skip = 0; skip <= all.length; skip++) {
      expect(tree.select('#note', { skip, limit: 2 })).toEqual(all.slice(skip, skip + 2))
      expect(tree.select(`#note @skip=${skip} @limit=2`)).toEqual(all.slice(skip, skip + 2))
    }
    const ties = [
      ['a', 5, 1],
      ['b', 5, 2],
      ['d', 6, 0],
      ['c', 6, 0],
    ] as const
    const head = node(
      'H',
      '^ah',
      0,
      ties.map(([id, created_at_ns, creation_index]) => block(id, -1, { key: 'k', created_at_ns, creation_index })),
    )
    expectAll(importSnapshot({ ...TREE, root: { children: [head] } }), { '#k': 'c d b a', '#k @order=pre': 'a b c d' })
  })
})

describe('filters', () => {
  test('reads the ten attributes, cad among them, and a missing one as null (001 §3.5)', () => {
    const names = 'offset ttl cad priority cycle created_at_ns created_at_iso nodeType id kind'.split(' ')
    const written = walk(tree.snapshot().root).map((each) => each.toJSON() as Readonly<Record<string, unknown>>)
    for (const name of names) {
      const present = written.filter((each) => (each[name] ?? null) !== null).map((each) => String(each['id']))
      const missing = written.filter((each) => (each[name] ?? null) === null).map((each) => String(each['id']))
      expect(tree.select(`[${name}]`), name).toEqual(present)
      expect(tree.select(`[${name}!=null]`), name).toEqual(present)
      expect(tree.select(`{ ${name}=null }`), name).toEqual(missing)
      for (const op of ['<', '<=', '>', '>=']) expect(tree.select(`[${name}${op}null]`), name + op).toEqual([])
    }
    expectAll(tree, {
      '[cad=1]': 'b8',
      '[cad>1]': '',
      '[cad<=1][ttl=1]': 'b8',
      '[sticky]': 'b8',
      '[ephemeral]': 'b8',
      '[ttl<=2]': 'r2 b8',
      '.block[ttl!=1][offset<0]': 'r2 r4',
      '{ lang="en" }': 'b3',
      '.block{ lang!="en", key="theme" }': 'b7',
    })
  })

  test('takes tests in parentheses right behind a type, and no pseudo for them (001 §3.5.1, D15)', () => {
    expectAll(tree, {
      '.block(ttl=1 cad=1)': 'b8',
      '.block(ttl=1, cad=1)': 'b8',
      '.block[ttl=1][cad=1]': 'b8',
      ".block(key='note' offset<=0):first": 'b1 b5 r4',
      '.block:nth(2)': 's2 b2 b6 b8 o4',
      '.block:first': 's1 b1 p1 r2 b3 b4 b5 r4 b7',
      '.block(ttl)': 'r2 b8',
      '.block(ttl):last': 'r2 b8',
    })
    expectRefusals(tree, { '.block()': 'E_SELECTOR_INVALID', '.block (ttl=1)': 'E_SELECTOR_INVALID' })
  })

  test('judges age, born_turn and depth by a snapshot, and refuses them without a time (001 §3.5.3, §3.7, D9)', () => {
    expectAll(tree, {
      '@t0 .block[born_turn=3]': 'b1',
      '@t0 .block[age=6]': 'b1',
      '@t0 .block[age<2][born_turn!=9]': 'b5',
      '@t0 .block{ age>=4 }': 'b1 b3',
      '@t0 .block[depth=1]': 'b5 b6',
      '@t0 .block[depth=2]': 'r2 b3 b4',
      '@* .block[depth=-1]': 's1 s2',
      '@c9 *[depth=null]': 'root Q',
    })
    for (const facet of ['[age<2]', '.block[age<2]', '{ born_turn=1 }', '.block(depth=1)', '.seg .block[depth]']) {
      expectRefusals(tree, { [facet]: 'E_SELECTOR_INVALID', [`@working ${facet}`]: 'E_SELECTOR_INVALID' })
      expectRefusals(createContext(), { [facet]: 'E_SELECTOR_INVALID' })
    }
  })

  test('takes time, position, braces, brackets and controls in their order, and trailing ones in any (001 §2.5, D22)', () => {
    expectAll(tree, { '@t0 ( .seg .block ) { key="note" } [ offset<=0 ] @skip=1 @limit=2': 'b6 b5' })
    const parts = ['{ key="note" }', '[offset<=0]', '@limit=2', '@skip=1']
    for (const [i, a] of parts.entries()) {
      for (const [j, b] of parts.entries()) {
        const rest = parts.filter((_, k) => k !== i && k !== j)
        if (i === j) continue
        for (const text of [[a, b, ...rest].join(' '), [...rest, b, a].join(' ')])
          expect(tree.select(`@t0 (.seg .block) ${text}`), text).toEqual(['b6', 'b5'])
      }
    }
    // Filters belong to their group of a union; parentheses make it one.
    expectAll(tree, {
      '.seg, .block { key="theme" }': 'seg:1 seg:2 seg:3 b3 b7',
      '(.seg, .block) { key="theme" }': 'b3 b7',
      '.block, .block:first, .seg:last': `${BLOCKS} seg:3`,
    })
  })
})

describe('time', () => {
  test('reads the working state without a time, the commits with one, and gives ids (001 §2.2, §3.7, §6, 004 §2.4, D5)', () => {
    const ctx = createContext({ clock: clockOf() })
    const a = ctx.user('a').id
    expect(ctx.select('.block')).toEqual([a])
    ctx.commit()
    const passing = ctx.pre('p', { ttl: 1 }).id
    ctx.commit()
    const open = ctx.user('open').id
    expectAll(ctx, {
      '.block': `${a} ${passing} ${open}`,
      '@working .block': `${a} ${passing} ${open}`,
      '@t0 .block': `${a} ${passing}`,
      '@t-1 .block': a,
      '@c1 .block': a,
      '@t-* .block': a,
      '@* .block': `${a} ${passing}`,
      '@preview .block': `${a} ${open}`,
      'd0 .block': open,
      '@t0 d0 .block': '',
    })
    expect(idsOf(ctx.nodes('.block'))).toEqual([a, passing, open])
    expect([ctx.count('.block'), ctx.first('.block')?.id]).toEqual([3, a])
    expectRefusals(ctx, { '@t-2 .block': 'E_SNAPSHOT_NOT_FOUND', '@c9 .block': 'E_SNAPSHOT_NOT_FOUND' })
  })
})

describe('coordinates', () => {
  test('follows coordinates from d0, d1… and d-1 by offsets, 0 being the core (001 §8, D17)', () => {
    expectAll(tree, {
      '(d3)': 'seg:1',
      '(d3, 0)': 'cont:1',
      '(d3,0,1)': 'b2',
      '(d3, 1)': 'p1',
      '(d3, +1)': 'p1',
      '(d2,-1)': 'r2',
      '(d2, 0, 1, 0)': 'b4',
      '(d0, -1)': 'r4',
      '(d0,0,1)': 'b8',
      '(d-1, 0)': 's1',
      '(d9, 0)': '',
      '(d3, 7)': '',
      // Siblings that share an offset are all meant.
      '(d1, 0)': 'b5 b6',
      '(d0,1)': 'o4 o5',
      '(d0,1):nth(2)': 'o5',
      '(d2,0) .block': 'b3 b4',
      '(d2,0) > .block': 'b3',
    })
    expect(tree.coordinate('b2')).toBe('(d3, 0, 1)')
    for (const { id } of walk(tree.snapshot().root)) expect(tree.select(tree.coordinate(id)), id).toEqual([id])
  })

  test('takes in parentheses a coordinate, a set of them in written order, or a chain (001 §4, §10, D17)', () => {
    expectAll(tree, {
      '((d1,0),(d3,0,1))': 'b5 b6 b2',
      '((d3,0,1), (d1,0))': 'b2 b5 b6',
      '((d3,0,1))': 'b2',
      '((d3,0),(d3,0))': 'cont:1',
      '( .seg .cont > .block )': 'b1 b2 b3 b4 b5 b6',
      '(.seg:last, .seg:first)': 'seg:3 seg:1',
      '((.seg) > .block)': 'p1 r2 b5 b6',
    })
    const invalid = ['()', '(d1', '(d1, x)', '(d1,,0)', '(d1, 0,)', '(d1, end)', '( .seg', '.seg)', '(5)']
    for (const text of invalid) expect(refusal(() => tree.select(text)).code, text).toBe('E_SELECTOR_INVALID')
  })
})

describe('the language', () => {
  test('reads the whole grammar: anchors, combinators, scopes, properties, controls (001 §4, §5)', () => {
    expectAll(tree, {
      '.block#policy+audit': 's1',
      '#nav .item': 'b4',
      '.sys .block': 's1 s2',
      '{ key="theme", lang="en" }': 'b3',
      '{ key in ["theme","policy"] }': 's1 b3 b7',
      '{ key=["theme","policy"] }': 's1 b3 b7',
      "{ key!=['theme','note','policy','b2','k'] }.block": 'b2 r2 b4 o4',
      '{ key~"hem" }': 'b3 b7',
      '[ ttl>=1, ttl<=1 ]': 'b8',
      '{ offset=-1 }': 'r2 r4',
      '{ offset=+1 }.seg': 'seg:2',
      '.seg @limit=2': 'seg:1 seg:2',
      '.seg @vendor=x @unique @* @limit=1': 'seg:1',
      '.seg @order=turn:desc @first': 'seg:1',
      '.cont @order=post': 'cont:1 cont:in cont:2 cont:4',
      'd1..d2 .block @order=path': 'b5 b6 r2 b3 b4',
    })
    const { controls } = parseSelector('.seg @vendor=x @limit=1')
    expect(controls.map(({ name, value }) => [name, value])).toEqual([
      ['vendor', 'x'],
      ['limit', '1'],
    ])
    for (const range of ['@t-3..@t0 .seg', '@t-3:@t0 .seg', '@history .seg', '@t0..@t-* .seg', '@c1..3 .seg'])
      expect(parseSelector(range).time?.kind, range).toBe('range')
  })

  test('refuses the tokens of older drafts and suggests what to write; the linter rewrites them (001 §3.8, §4.3, migration, §10)', () => {
    const legacy: Record<string, string | undefined> = {
      '(d3, seg, cont[offset=0], *:block)': '(d3, 0) .block',
      '(d3, cont[offset=0], 1)': '(d3, 0, 1)',
      '?? { tag="audit" }': '+audit',
      'cont[offset=0]': undefined,
      'c@1': undefined,
      '*@+': undefined,
      '*@-': undefined,
      'within(d1, .block)': undefined,
      '(d0, seg, cont[offset=0], )': undefined,
      '@t0 (d1, *:block) [age<2]': undefined,
    }
    for (const [selector, rewritten] of Object.entries(legacy)) {
      const error = refusal(() => tree.select(selector))
      expect(error.code, selector).toBe('E_SELECTOR_LEGACY')
      const { pos, token, suggestion } = error.details as { pos: number; token: string; suggestion?: string }
      expect(selector.slice(pos, pos + token.length), selector).toBe(token)
      const { diagnostics, fixed } = lintSelector(selector)
      expect(diagnostics[0], selector).toMatchObject({ code: 'E_SELECTOR_LEGACY', severity: 'error' })
      if (rewritten === undefined) continue
      expect(tree.select(suggestion!), selector).toEqual(tree.select(rewritten))
      expect(tree.select(fixed!), selector).toEqual(tree.select(rewritten))
      expect(tree.count(fixed!), selector).toBeGreaterThan(0)
    }
    // `.base:type` is read, flagged and shortened.
    const { diagnostics, fixed } = lintSelector('^seq .block:summary')
    expect(diagnostics).toMatchObject([{ code: 'type-sugar', start: 5, end: 19, fix: '.summary' }])
    expect(fixed).toBe('^seq .summary')
    expect(tree.select(fixed!)).toEqual(['b2'])
  })

  test('advises brackets for ttl and cad in braces, which work all the same (001 §10, D22)', () => {
    expectAll(tree, { '.block{ ttl=1 }': 'b8', '.block{ ttl=1, cad=1, key="k" }': 'b8', '{ cad=1 }': 'b8' })
    for (const [selector, wanted] of [
      ['.block{ ttl=1 }', '.block[ttl=1]'],
      ['{ cad=1 }', '[cad=1]'],
      ['.block{ key="k", ttl=1 }', undefined],
    ] as const) {
      const { diagnostics, fixed } = lintSelector(selector)
      expect(diagnostics.map(({ code }) => code)).toEqual(['lifecycle-in-braces'])
      expect(fixed).toMatch(/\[(?:ttl|cad)=1\]/)
      if (wanted !== undefined) expect(fixed).toBe(wanted)
      expect(tree.select(fixed!)).toEqual(tree.select(selector))
    }
    expect(lintSelector('.block[ttl=1]{ key="k" }')).toEqual({ diagnostics: [] })
  })
})

describe('the document', () => {
  test('gives for its fixtures the ids that the errata settle (001 §6.2, §6.3, D2, D4, D5)', () => {
    const { fixtures } = readGolden('selectors-001.json') as { fixtures: Record<'6.2' | '6.3', object> }
    const ctx = importSnapshot(fixtures['6.2'])
    expectAll(ctx, {
      '@t0 ^sys .block': 'block:sysA',
      '@t0 .seg': 'seg:1 seg:2',
      '@t0 .seg .cont > .block': 'block:u1 block:a1 block:u2',
      '@t0 #block:u2': '',
      '@t0 { id="block:u2" }': 'block:u2',
    })
    expectRefusals(ctx, { '@t-1 .seg': 'E_SNAPSHOT_NOT_FOUND' })
    const range = importSnapshot(fixtures['6.3'])
    expectAll(range, { '@t0 .seg .block': 'block:u1 block:u2 block:u3' })
    range.user('U4')
    range.commit()
    expectAll(range, {
      '@t-1 .seg .block': 'block:u1 block:u2 block:u3',
      '@t0 d2..d4 .block': 'block:u1 block:u2 block:u3',
    })
  })

  test('selects in its examples what they say (001 §9)', () => {
    expectAll(importSnapshot(SITE), {
      '@t0 (d1,0,1)': 'sm',
      '@t0 ((d1,0), (d2,0,1))': 'cB n2',
      '@t0 d1..d3 .summary': 'sm',
      '.mc > .container > .section > .cta { variant in ["primary","ghost"] }': 'cta1 cta3',
      '.summary .note { author="assistant" } @limit=10': 'n3',
      '#nav .item': 'i1 i2',
      '+audit .summary [ ttl>=2 ] @limit=50': 's6',
      '(d2,0) .note { lang="en" }': 'n1',
      '{ nodeType="block", type="summary", author="user" }': 's5',
      'd0 .config { key="theme" }': 'cfg1',
    })
    const last = '@history d1..d5 .log.entry { severity="P1" } [ ttl>=1 ] @order=path @limit=20'
    expect(parseSelector(last)).toMatchObject({ time: { kind: 'range', written: 'history' }, controls: [{}, {}] })
  })

  test('finds no heading in our documents that compares the language with CSS (001 §10)', () => {
    const docs = readdirSync(new URL('docs/', ROOT)).map((name) => `docs/${name}`)
    const files = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...docs].filter((file) => file.endsWith('.md'))
    const headings = files.flatMap((file) => readHeadings(readFileSync(new URL(file, ROOT), 'utf8')))
    expect(headings.length).toBeGreaterThan(10)
    expect(headings.filter(({ text }) => /\b(?:css|dom|jquery)\b/i.test(text))).toEqual([])
  })
})

/** The questions of the examples of 001 §9. */
const SITE = {
  spec_version: 'PACT/1.0.0',
  root: {
    children: [
      node('Q', '^seq', 0, [
        node('A', 'seg', 0, [
          node('cA', 'cont', 0, [
            block('n1', 0, { nodeType: 'block:note', lang: 'en' }),
            block('n2', 1, { nodeType: 'note', lang: 'de' }),
          ]),
        ]),
        node('B', 'seg', 1, [
          node('cB', 'cont', 0, [
            node('x', 'container', 0, [
              node('y', 'section', 0, [
                block('cta1', 0, { nodeType: 'cta', variant: 'primary' }),
                block('cta2', 1, { nodeType: 'cta', variant: 'plain' }),
                block('cta3', 2, { type: 'cta', variant: 'ghost' }),
              ]),
            ]),
            node('sm', 'summary', 1, [
              block('n3', 0, { nodeType: 'note', author: 'assistant' }),
              block('n4', 1, { nodeType: 'note', author: 'user' }),
            ]),
            node('nav', 'cont', 2, [block('i1', 0, { type: 'item' }), block('i2', 1, { nodeType: 'item' })], {
              key: 'nav',
            }),
          ]),
        ]),
      ]),
      node('H', '^ah', 0, [
        node('cH', 'cont', 0, [
          block('cfg1', 0, { nodeType: 'config', key: 'theme' }),
          block('cfg2', 1, { nodeType: 'config', key: 'other' }),
          block('s5', 2, { type: 'summary', author: 'user' }),
          node(
            'box',
            'cont',
            3,
            [block('s6', 0, { nodeType: 'summary', ttl: 2 }), block('s7', 1, { nodeType: 'summary', ttl: 1 })],
            { tags: ['audit'] },
          ),
        ]),
      ]),
    ],
  },
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

function node(id: string, nodeType: string, offset: number, children: readonly object[], headers: object = {}): object {
  return { id, nodeType, offset, ...headers, children }
}

function block(id: string, offset: number, headers: object = {}): object {
  return { id, nodeType: 'block', offset, ...headers }
}
