// Rules of the 1.0 documents (001, 003, 004) about the tree itself that 0.1 lacks: names, offsets, keys and tags, the
// working state, and a thread that invents nothing. Selectors, diffs and mutations have their own files.

import { createContext, importSnapshot, type AddHeader, type Context, type Node, type Warning } from 'pact-context'
import { describe, expect, test } from 'vitest'

import {
  clockOf,
  DIALECTS,
  expectSound,
  idsOf,
  isContainer,
  NAMES,
  readExport,
  readGolden,
  refusal,
  regionsOf,
  textOf,
  walk,
} from '../support/context.js'

type Fixture = Readonly<{ snapshot: object }>

const fixtures = readGolden('1.0-fixtures.json') as Readonly<{ canonical: Fixture; range: Fixture }>

describe('the 1.0 edition', () => {
  test('writes seg, cont, block and PACT/1.0.0 unless 0.1 is asked for (003 NodeType, D1)', () => {
    const write = (ctx: Context): Context => {
      ctx.system.add('S')
      ctx.pre('before')
      ctx.user('Hello')
      ctx.add(undefined, { zone: 'post', children: [{ content: 'in a box' }] })
      ctx.commit()
      ctx.pre('context only')
      ctx.commit()
      return ctx
    }
    for (const [options, dialect] of [
      [undefined, '1.0'],
      [{}, '1.0'],
      [{ dialect: undefined }, '1.0'],
      [{ dialect: '1.0' }, '1.0'],
      [{ dialect: '0.1' }, '0.1'],
    ] as const) {
      const ctx = write(createContext(options))
      const { seg, cont, block } = NAMES[dialect]
      expect(ctx.dialect).toBe(dialect)
      expect(readExport(ctx.export()).spec_version).toBe(dialect === '1.0' ? 'PACT/1.0.0' : 'PACT/0.1.0')
      const { sys, seq, ah } = regionsOf(ctx.snapshot())
      const types = (node: Node): unknown =>
        isContainer(node) ? [node.nodeType, ...node.children.map(types)] : node.nodeType
      expect([sys, seq, ah].map(types)).toEqual([
        ['^sys', block],
        ['^seq', [seg, block, [cont, block], [cont, block]], [seg, block, [cont]]],
        ['^ah'],
      ])
      for (const node of [sys, seq].flatMap((region) => walk(region).slice(1))) {
        expect(node.id, 'ids name the class').toMatch(new RegExp(`^${node.nodeType}:[12]-\\d+$`))
      }
      // An export of a 1.0 context is read back by another one without an option.
      expect(importSnapshot(ctx.export()).dialect).toBe(dialect)
    }
  })

  test('takes user types with and without a namespace in a 1.0 context (003 NodeType, D14)', () => {
    const ctx = createContext({ clock: clockOf() })
    const blocks = [
      'summary',
      'block:summary',
      'block:sql_query',
      'cb:note',
      'custom:note',
      'log.entry',
      'CTA',
      'a:b:c',
      'ünï',
    ]
    const containers = ['section', 'cont:section', 'mc:section', 'custom:panel', 'menu.bar']
    const made = [
      ...blocks.map((nodeType) => ctx.add(`a ${nodeType}`, { nodeType })),
      ...containers.map((nodeType) => ctx.add(undefined, { nodeType, zone: 'post', children: [] })),
      ctx.system.add('s', { nodeType: 'policy' }),
      ctx.add(undefined, { zone: 'post', nodeType: 'outer', children: [{ nodeType: 'inner', content: 'x' }] })
        .children[0]!,
    ]
    const types = [...blocks, ...containers, 'policy', 'inner']
    const check = (from: Context): void => {
      for (const [at, { id }] of made.entries()) {
        const node = from.node(id)!
        expect(node.nodeType).toBe(types[at])
        expect(isContainer(node), `${node.nodeType} is of the class of its prefix or shape`).toBe(
          containers.includes(types[at]!),
        )
        expect(id.startsWith(containers.includes(types[at]!) ? 'cont:' : 'block:')).toBe(true)
      }
    }
    check(ctx)
    for (let cycle = 1; cycle <= 2; cycle++) {
      expectSound(ctx.commit())
      check(ctx)
    }
    check(importSnapshot(ctx.export()))
    // Blocks are rendered whatever they are called; containers without content are not.
    expect(ctx.thread().map((item) => item.content)).toEqual(['s', ...blocks.map((nodeType) => `a ${nodeType}`), 'x'])

    for (const [nodeType, header] of [
      ['^sys', {}],
      ['^custom', {}],
      ['', {}],
      ['seg', { children: [] }],
      ['seg:mine', { children: [] }],
      ['block:leaf', { children: [] }],
    ] as const) {
      refusal(() => ctx.add('x', { nodeType, ...header }))
    }
    refusal(() => ctx.add('x', { nodeType: 7 as unknown as string }))
  })

  test('carries kind, key and tags through commit, export and import (003 Block)', () => {
    const ctx = createContext({ clock: clockOf() })
    const headers: AddHeader[] = [
      { kind: 'summary', key: 'policy', tags: ['audit', 'rag'] },
      { kind: '', key: ' ', tags: [''] },
      { kind: 'tool_call', key: 'hero banner', tags: ['z', 'a', 'z'] },
      { key: '__proto__', tags: ['__proto__', 'é', '\ud83d\ude00'] },
      { tags: [] },
      {},
    ]
    // A key has one instance at a depth (D29), so each of the five places has its own.
    const keyed = ({ key, ...rest }: AddHeader, place: number): AddHeader => {
      return key === undefined ? rest : { ...rest, key: place === 0 ? key : `${key}${place}` }
    }
    const made = headers.flatMap((header) => [
      ctx.system.add('x', keyed(header, 0)),
      ctx.pre('x', keyed(header, 1)),
      ctx.user('x', keyed(header, 2)),
      ctx.post('x', keyed(header, 3)),
      ctx.add(undefined, { zone: 'post', children: [{ ...keyed(header, 4), content: 'x' }] }).children[0]!,
    ])
    const check = (from: Context, label: string): void => {
      for (const [at, { id }] of made.entries()) {
        const { kind, key, tags } = keyed(headers[Math.floor(at / 5)]!, at % 5)
        const node = from.node(id)!
        expect({ kind: node.kind, key: node.key, tags: node.tags }, `${id} ${label}`).toEqual({
          kind,
          key,
          tags: tags ?? [],
        })
        const json = node.toJSON()
        expect([json['kind'], json['key']]).toEqual([kind, key])
        if (tags !== undefined && tags.length > 0) expect(json['tags']).toEqual(tags)
      }
    }
    check(ctx, 'when written')
    for (let cycle = 1; cycle <= 3; cycle++) {
      ctx.user('next')
      ctx.commit()
      check(ctx, `after ${cycle} commits`)
    }
    check(importSnapshot(ctx.export('@c1')), 'after import')
    const again = importSnapshot(ctx.export(), { clock: clockOf() })
    again.user('next')
    again.commit()
    check(again, 'after import and commit')
    check(ctx.fork(), 'in a fork')

    const imported = importSnapshot({
      spec_version: 'PACT/1.0.0',
      root: { children: [{ id: 's', nodeType: '^sys', children: [{ id: 'b', kind: 'k', key: 'K', tags: ['t'] }] }] },
    })
    expect(imported.node('b')).toMatchObject({ kind: 'k', key: 'K', tags: ['t'] })
  })

  test('counts core and system children from 0 and post from 1, with pre at -1 (003 Offset, D17)', () => {
    for (const dialect of DIALECTS) {
      const ctx = createContext({ dialect, clock: clockOf() })
      const offsets = (nodes: readonly Node[]): number[] => nodes.map((node) => node.offset)
      const counted = (from: number): number[] => (dialect === '1.0' ? [0, 1, 2, 3].map((n) => from + n) : [0, 0, 0, 0])
      for (let cycle = 1; cycle <= 3; cycle++) {
        // Written in turns, so that a zone counts its own nodes only.
        const rows = [0, 1, 2, 3].map(() => ({
          post: ctx.post('post'),
          core: ctx.user('core'),
          sys: ctx.system.add('sys'),
          pre: ctx.pre('pre'),
        }))
        const [pre, core, post, sys] = (['pre', 'core', 'post', 'sys'] as const).map((name) =>
          rows.map((row) => row[name]),
        )
        expect(offsets(pre!)).toEqual([-1, -1, -1, -1])
        expect(offsets(post!)).toEqual([1, 2, 3, 4])
        // The head is new in every cycle and starts again; ^sys goes on.
        expect(offsets(core!)).toEqual(counted(0))
        expect(offsets(sys!)).toEqual(counted(4 * (cycle - 1)))
        const head = regionsOf(ctx.snapshot('working')).ah
        expect(idsOf(head.children), 'in call order').toEqual([...idsOf(pre!), core![0]!.parentId, ...idsOf(post!)])
        expect(head.children[4]).toMatchObject({ nodeType: NAMES[dialect].cont, offset: 0 })
        expect(idsOf(head.children[4]!.children)).toEqual(idsOf(core!))
        if (dialect === '1.0') {
          const at = (nodes: readonly Node[]): string[] => nodes.map((node) => ctx.coordinate(node.id))
          expect(at(core!)).toEqual(['(d0, 0, 0)', '(d0, 0, 1)', '(d0, 0, 2)', '(d0, 0, 3)'])
          expect(at(post!)).toEqual(['(d0, 1)', '(d0, 2)', '(d0, 3)', '(d0, 4)'])
          expect(at(pre!)).toEqual(['(d0, -1):nth(1)', '(d0, -1):nth(2)', '(d0, -1):nth(3)', '(d0, -1):nth(4)'])
          expect(at(sys!)).toEqual(counted(4 * (cycle - 1)).map((offset) => `(d-1, ${offset})`))
        }
        expect(idsOf(regionsOf(ctx.commit()).sys.children).slice(-4)).toEqual(idsOf(sys!))
      }
    }
    // An offset that is named is taken, on either side of the core.
    const ctx = createContext({ clock: clockOf() })
    expect(
      [ctx.pre('x', { offset: -5 }), ctx.post('x', { offset: 9 }), ctx.user('x', { offset: 3 })].map(
        ({ offset }) => offset,
      ),
    ).toEqual([-5, 9, 3])
  })

  test('shows uncommitted writes in the working state only, the default of thread and node (004 §2.4, D5)', () => {
    for (const dialect of DIALECTS) {
      const ctx = createContext({ dialect, clock: clockOf() })
      const first = ctx.user('first')
      ctx.commit()
      const { id } = ctx.post('uncommitted')
      const passing = ctx.user('passing', { ttl: 0 })
      const before = [ctx.export(), ctx.threadBytes('@t0'), ctx.referenceBytes()].map(textOf)

      expect(ctx.node(id)?.content).toBe('uncommitted')
      expect(ctx.node(id, 'working')?.content).toBe('uncommitted')
      expect(idsOf(ctx.thread())).toEqual([first.id, passing.id, id])
      expect(idsOf(ctx.thread('working'))).toEqual([first.id, passing.id, id])
      expect(textOf(ctx.threadBytes())).toBe(textOf(ctx.threadBytes('working')))
      if (dialect === '1.0') expect(ctx.coordinate(id)).toBe(ctx.coordinate(id, 'working'))

      for (const lens of ['@t0', '@c1'] as const) {
        expect(ctx.node(id, lens)).toBeUndefined()
        expect(idsOf(ctx.thread(lens))).toEqual([first.id])
        expect(refusal(() => ctx.coordinate(id, lens)).code).toBe('E_NODE_NOT_FOUND')
      }
      expect(idsOf(walk(ctx.snapshot().root))).not.toContain(id)
      expect(textOf(ctx.export())).not.toContain('uncommitted')
      expect(textOf(ctx.referenceBytes())).not.toContain('uncommitted')
      expect(textOf(ctx.fork().threadBytes()), 'a fork takes @t0').not.toContain('uncommitted')
      expect(textOf(ctx.fork('working').threadBytes())).toBe(textOf(ctx.threadBytes()))
      expect(idsOf(ctx.thread('preview')), 'a preview is the snapshot to come').toEqual([first.id, id])

      ctx.commit()
      expect(ctx.node(id, '@t0')?.content).toBe('uncommitted')
      expect(ctx.node(id, '@t-1')).toBeUndefined()
      expect([ctx.export('@c1'), ctx.threadBytes('@c1'), ctx.referenceBytes('@c1')].map(textOf)).toEqual(before)
      // With nothing written since, the working state is the snapshot.
      expect(textOf(ctx.threadBytes())).toBe(textOf(ctx.threadBytes('@t0')))
      expect(textOf(ctx.referenceBytes('working'))).toBe(textOf(ctx.referenceBytes('@t0')))
    }
  })

  test('gives role and kind in a 1.0 thread only where the node has them (003 Provider Thread, D36)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.system.add('neither')
    ctx.system.add('role', { role: 'system' })
    ctx.pre('kind', { kind: 'text' })
    ctx.add({ both: true }, { role: 'critic', kind: 'note' })
    ctx.user('role by name')
    ctx.post('', { role: '', kind: '' })
    ctx.add(undefined, { zone: 'post', children: [{ content: null }] })
    ctx.add('a container may say something', { zone: 'post', role: 'frame', children: [{ content: [1] }] })
    const expected = [
      { content: 'neither' },
      { role: 'system', content: 'role' },
      { kind: 'text', content: 'kind' },
      { role: 'critic', kind: 'note', content: { both: true } },
      { role: 'user', content: 'role by name' },
      { role: '', kind: '', content: '' },
      { content: null },
      { role: 'frame', content: 'a container may say something' },
      { content: [1] },
    ]
    ctx.commit()
    for (const from of [ctx, importSnapshot(ctx.export())]) {
      for (const lens of ['@t0', 'working', 'preview'] as const) {
        const thread = from.thread(lens)
        expect(thread.map(({ id: _id, ...rest }) => rest)).toEqual(expected)
        const texts = thread.map((item, at) => `{"id":"${item.id}",${JSON.stringify(expected[at]).slice(1)}`)
        expect(textOf(from.threadBytes(lens))).toBe(`[${texts.join()}]`)
        for (const item of thread) {
          expect(Object.keys(item)).toEqual(
            ['id', 'role', 'kind', 'content'].filter((name) => Object.hasOwn(item, name)),
          )
        }
      }
    }
    // A node that came without content still has the field; 0.1 fills in roles, and no kind either.
    const bare = {
      root: {
        children: [
          { id: 's', nodeType: '^sys', children: [{ id: 'a' }] },
          { id: 'h', nodeType: '^ah', children: [{ id: 'b' }] },
        ],
      },
    }
    expect(textOf(importSnapshot({ spec_version: 'PACT/1.0.0', ...bare }).threadBytes('@t0'))).toBe(
      '[{"id":"a","content":""},{"id":"b","content":""}]',
    )
    expect(textOf(importSnapshot(bare).threadBytes('@t0'))).toBe(
      '[{"id":"a","role":"system","content":""},{"id":"b","role":"user","content":""}]',
    )
  })

  test('imports the 1.0 fixture as printed and warns of its two offset-0 containers (001 §6.2, D4)', () => {
    const heard: Warning[] = []
    const ctx = importSnapshot(fixtures.canonical.snapshot, {
      clock: clockOf(),
      onWarning: (warning) => heard.push(warning),
    })
    expect(ctx.dialect).toBe('1.0')
    expect(ctx.warnings).toHaveLength(1)
    expect(heard).toEqual(ctx.warnings)
    for (const id of ['seg:1', 'cont:1', 'cont:2']) expect(ctx.warnings[0]!.message).toContain(id)

    const { sys, seq, ah } = regionsOf(ctx.snapshot('@t0'))
    expect(idsOf(walk(sys))).toEqual(['sys-1', 'block:sysA'])
    const inOrder = 'seq-1 seg:1 cont:1 block:u1 cont:2 block:a1 seg:2 cont:3 block:u2'
    expect(idsOf(walk(seq)).join(' ')).toBe(inOrder)
    expect(idsOf(walk(ah))).toEqual(['ah-1', 'block:u3'])
    expect(['block:u1', 'block:a1', 'block:u2'].map((id) => ctx.node(id)?.ttl)).toEqual([2, 1, null])
    expect(['cont:1', 'cont:2', 'cont:3'].map((id) => ctx.node(id)?.offset)).toEqual([0, 0, 0])
    expect(ctx.thread('@t0')).toEqual(
      [
        ['block:sysA', 'S'],
        ['block:u1', 'U1'],
        ['block:a1', 'A1'],
        ['block:u2', 'U2'],
        ['block:u3', 'U3'],
      ].map(([id, content]) => ({ id, kind: 'text', content })),
    )
    expect(textOf(importSnapshot(ctx.export()).export())).toBe(textOf(ctx.export()))

    // It lives on: u3 is sealed in a core of its own, a1 and then u1 run out, the two containers stay.
    const sealed = regionsOf(ctx.commit()).seq.children.at(-1)!
    expect(sealed.children.map((core) => [core.nodeType, core.offset, ...idsOf(core.children)])).toEqual([
      ['cont', 0, 'block:u3'],
    ])
    expect(idsOf(ctx.thread('@t0'))).toEqual(['block:sysA', 'block:u1', 'block:u2', 'block:u3'])
    ctx.commit()
    expect(idsOf(ctx.thread('@t0'))).toEqual(['block:sysA', 'block:u2', 'block:u3'])
    expect(idsOf(ctx.node('seg:1', '@t0')!.children)).toEqual(['cont:1', 'cont:2'])

    const range = importSnapshot(fixtures.range.snapshot)
    expect(range.warnings).toEqual([])
    expect(idsOf(range.thread('@t0'))).toEqual(['block:u1', 'block:u2', 'block:u3'])
    expect(idsOf(regionsOf(range.snapshot()).seq.children)).toEqual(['seg:1', 'seg:2', 'seg:3'])
  })
})
