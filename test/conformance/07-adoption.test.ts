// Chapter 07, adoption: ids, extensions, logs and documents that others wrote, as D1, D4 and D14 read it.

import { createContext, importSnapshot, type AddHeader, type Context, type Dialect, type Node } from 'pact-context'
import { describe, expect, test } from 'vitest'

import {
  byCodePoint,
  clockOf,
  DIALECTS,
  expectRefused,
  expectSound,
  idsOf,
  NAMES,
  readExport,
  readGolden,
  refusal,
  regionsOf,
  textOf,
  walk,
  walkExport,
} from '../support/context.js'

type Golden = Readonly<{
  flatLog: Readonly<{ log: { flat_log: { role: string; content: string }[] }; imported: object }>
  retrieved: Readonly<{ block: AddHeader & Readonly<{ id: string; content: string; ttl: number; offset: number }> }>
}>

/** Two by two easily taken for each other, or for something that is no id. */
const OPAQUE_IDS: readonly string[] = [
  ['a', 'A', 'ab', 'aB', 'Ab', 'AB', 'i', 'I', 'ı', 'İ', 'é', 'e\u0301', 'ß', 'SS'],
  ['0', '00', '-0', '1e3', '1000', ' ', '  ', 'a ', ' a', '\u00a0', '\n', '\0', '\ufeff', '\u200b'],
  ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'true'],
  ['cb:1', 'block:1-0', '#a', '.cb', '^ah', '@t0', '*', "'", '"', '\\', '[id]', '{}', '/', 'a/b'],
  ['\ud83d\ude00', '\uffff', '\ud800', 'x'.repeat(5000)],
  ['3f2504e0-4f89-11d3-9a0c-0305e82c3301', '3F2504E0-4F89-11D3-9A0C-0305E82C3301'],
].flat()

const golden = readGolden('07-adoption.json') as Golden

describe.each(DIALECTS)('extensions, %s', (dialect) => {
  test('treats ids as opaque, case-sensitive strings (07 §3.3)', () => {
    const names = OPAQUE_IDS
    // As an import has them, and as an id source gives them.
    const children = names.map((id) => ({ id, content: id, created_at_ns: 1, creation_index: 0 }))
    const box = { id: 'box', offset: -1, children }
    const imported = importSnapshot(
      { root: { children: [{ id: 'head', nodeType: '^ah', children: [box] }] } },
      { dialect, clock: clockOf() },
    )
    expect(idsOf(imported.node('box')!.children), 'ties are broken by code point').toEqual(names.toSorted(byCodePoint))

    const queue = [...names]
    const made = createContext({ dialect, clock: clockOf(), ids: () => queue.shift() ?? `more ${imported.cycle}` })
    for (const name of names) expect(made.pre(name, { refs: ['A'] }).id).toBe(name)
    queue.push('Core', 'Segment')

    for (const ctx of [imported, made]) {
      const replayed = importSnapshot((ctx.commit(), ctx.export()))
      for (const from of [ctx, replayed]) {
        for (const id of names) {
          expect(from.node(id), JSON.stringify(id)).toMatchObject({ id, content: id })
          expect(from.thread('@t0').find((item) => item.id === id)?.content).toBe(id)
        }
        for (const id of ['aa', 'box ', 'BOX', 'É', 'SYS', 'Sys', 'core', '', 'prototype', '__proto__ ']) {
          expect(from.node(id), JSON.stringify(id)).toBeUndefined()
        }
        expect(walkExport(readExport(from.export()).root).map((node) => node.id)).toEqual(
          expect.arrayContaining([...names]),
        )
      }
    }
    // A reference by another spelling is a reference to nothing.
    const ctx = createContext({ dialect, clock: clockOf(), ids: ({ cycle, index }) => `N${cycle}${index}` })
    const passing = ctx.system.add('x', { ttl: 1 })
    ctx.system.add('y', { refs: [passing.id.toLowerCase()] })
    ctx.commit()
    expect(ctx.commit().node(passing.id)).toBeUndefined()
  })

  test('keeps new attributes, roles and types without effect on order, lifecycle or headers (07 §3.4)', () => {
    const { block, cont } = NAMES[dialect]
    const extended = (at: number): AddHeader => ({
      role: `critic ${9 - at}`,
      kind: 'acme-kind',
      nodeType: at % 2 ? `${block}:thought` : 'acme:thing',
      data_ttl: 0,
      data_offset: -100 * at,
      data_priority: { is: 'not one' },
      content_order: 9 - at,
      'acme:ttl': 0,
      'acme:removable': true,
      'acme:pinned': true,
      'acme:cycle': 99,
    })
    const run = (extend: (at: number) => AddHeader, contNodeType: AddHeader): Context => {
      const ctx = createContext({
        dialect,
        clock: clockOf(),
        ids: ({ cycle, index }) => `n${cycle}.${index}`,
        countTokens: (text) => text.length,
        prune: { maxTokens: 60, protectSegments: 1 },
      })
      for (let at = 0; at < 12; at++) {
        const header = { ...extend(at), ttl: at % 3 ? null : 2, priority: at % 4 }
        if (at % 5 === 0) ctx.system.add('sys', header)
        ctx.pre('pre', header)
        ctx.add('core text', header)
        ctx.add(undefined, { ...contNodeType, zone: 'post', removable: true, children: [{ ...header, content: 'in' }] })
        ctx.commit()
      }
      return ctx
    }
    const plain = run(() => ({}), {})
    const other = run(extended, { nodeType: `${cont}:panel`, role: 'frame' })
    let checked = 0
    for (const { cycle } of plain.snapshots()) {
      const [expected, found] = [plain.snapshot(`@c${cycle}`), other.snapshot(`@c${cycle}`)]
      expectSound(found)
      expect(walk(found.root).map(structureOf)).toEqual(walk(expected.root).map(structureOf))
      expect(idsOf(found.receipt.removed)).toEqual(idsOf(expected.receipt.removed))
      for (const node of walk(found.root)) {
        if (!node.role?.startsWith('critic')) continue
        const given = extended(9 - Number(node.role.slice(7)))
        expect({ role: node.role, kind: node.kind, nodeType: node.nodeType, ...node.attributes }).toEqual(given)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(50)
    expect(plain.snapshots().some(({ cycle }) => plain.snapshot(`@c${cycle}`).receipt.removed.length > 0)).toBe(true)
  })

  test('takes unknown attributes and node types without error and exports them unchanged (07 §5.2)', () => {
    const attributes = JSON.parse(
      '{"embedding":[0.25,-1,1e-7],"x-vendor":{"nested":[{"deep":null}]},"weird name \\u2028":"\\ud800","":"empty name",' +
        '"__proto__":{"polluted":true},"constructor":"text","parent":"elsewhere","ttl_hint":"soon","Offset":"upper case",' +
        '"score":0,"flag":false,"nothing":null,"status":"important","data_known":1,"acme:y":2}',
    ) as Record<string, unknown>
    const big = '"huge":123456789012345678901234567890'
    const types: [type: string, hasChildren: boolean][] = [
      ['hologram', false],
      ['acme:panel', true],
      ['log.entry', false],
      ['CB', false],
      ['x:y:z', true],
      ['cb:summary', false],
      ['mc:section', true],
      ['  ', false],
    ]
    const node = ([nodeType, hasChildren]: (typeof types)[number], at: number): string =>
      `{"id":"n${at}","offset":${at - 9},"nodeType":${JSON.stringify(nodeType)},"content":"c${at}",${big}` +
      `${hasChildren ? ',"children":[]' : ''},${JSON.stringify(attributes).slice(1)}`
    const text =
      `{"spec_version":"PACT/${dialect}.0","cycle":3,"vendor":{"tool":"other","version":[1,2]},"root":{"id":"r",` +
      `"note":"on the root","children":[{"id":"q","nodeType":"^seq","note":"on a region","children":[` +
      `{"id":"turn","nodeType":"acme:turn","note":"on a turn","children":[{"id":"core","nodeType":"mc","children":[]},` +
      `${types.map(node).join()}]}]}]}}`

    const ctx = importSnapshot(text, { clock: clockOf() })
    expect(ctx.warnings).toEqual([])
    expectSound(ctx.snapshot(), { imported: true })
    const exported = textOf(ctx.export())
    const document = JSON.parse(exported) as Record<string, unknown>
    expect(document['vendor']).toEqual({ tool: 'other', version: [1, 2] })
    ctx.user('goes on')
    ctx.commit()
    for (const from of [ctx.snapshot('@c3'), ctx.snapshot('@t0'), importSnapshot(ctx.export()).snapshot()]) {
      const forms = new Map(walkExport(readExport(from.export()).root).map((form) => [form.id, form]))
      for (const id of ['r', 'q', 'turn']) expect(forms.get(id)?.['note']).toMatch(/^on (?:the root|a region|a turn)$/)
      expect(forms.get('turn')?.nodeType).toBe('acme:turn')
      for (const [at, [nodeType, hasChildren]] of types.entries()) {
        const form = forms.get(`n${at}`)!
        expect(form.nodeType).toBe(nodeType)
        expect(Object.hasOwn(form, 'children'), `${nodeType} has the class of its shape`).toBe(hasChildren)
        for (const [name, value] of Object.entries(attributes)) {
          expect(Object.hasOwn(form, name), name).toBe(true)
          expect(Object.getOwnPropertyDescriptor(form, name)?.value, name).toEqual(value)
        }
        const found = from.node(`n${at}`)!
        expect(found.nodeType).toBe(nodeType)
        expect(found.attributes['huge']).toBe(123456789012345678901234567890n)
        expect(found.attributes['embedding']).toEqual([0.25, -1, 1e-7])
        expect(Object.getPrototypeOf({ ...found.attributes })).toBe(Object.prototype)
      }
    }
    expect(exported.match(new RegExp(big, 'g'))).toHaveLength(types.length)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('editions', () => {
  test('refuses user types without a namespace in a 0.1 context (07 §3.4, D14)', () => {
    const ctx = createContext({ dialect: '0.1', clock: clockOf() })
    ctx.user('before')
    for (const nodeType of ['note', 'summary', 'CB', 'sql_query', 'log.entry', 'turn']) {
      const child = { content: 'x', nodeType }
      for (const run of [
        () => ctx.add('x', { nodeType }),
        () => ctx.pre('x', { nodeType }),
        () => ctx.post('x', { nodeType }),
        () => ctx.user('x', { nodeType }),
        () => ctx.system.add('x', { nodeType }),
        () => ctx.add(undefined, { nodeType, children: [] }),
        () => ctx.add(undefined, { children: [{ content: 'y' }, { children: [child] }] }),
      ]) {
        const error = expectRefused(ctx, run, 'E_RESERVED_NAME')
        expect(error.message).toContain(nodeType)
      }
    }
    for (const nodeType of ['cb:note', 'custom:note', 'mc:note', 'acme:sql_query', 'cb', 'block', 'block:note']) {
      const content = nodeType.startsWith('mc') ? undefined : 'x'
      expect(ctx.add(content, { nodeType, ...(content ? {} : { children: [] }) }).nodeType).toBe(nodeType)
    }
    // Texts of other authors are kept as they are.
    const foreign = importSnapshot({
      root: { children: [{ id: 's', nodeType: '^sys', children: [{ id: 'n', nodeType: 'note' }] }] },
    })
    expect(foreign.node('n')?.nodeType).toBe('note')
    expectRefused(foreign, () => foreign.system.add('x', { nodeType: 'note' }), 'E_RESERVED_NAME')
  })

  test('imports the flat log example as printed and seals it into ^seq at commit (07 §4.1)', () => {
    const { log, imported } = golden.flatLog
    const ctx = importSnapshot(imported, { clock: clockOf() })
    expect(ctx.dialect).toBe('0.1')
    expect(ctx.warnings).toEqual([])
    const contents = log.flat_log.map(({ role, content }) => ({ role, content }))
    const thread = [
      { id: 'cb:sysA', role: 'system', kind: 'text', content: 'You are helpful.' },
      { id: 'cb:u1', role: 'user', kind: 'text', content: 'Hello' },
      { id: 'cb:a1', role: 'assistant', kind: 'text', content: 'Hi!' },
    ]
    const before = regionsOf(ctx.snapshot('@t0'))
    expect([before.sys.id, before.ah.id]).toEqual(['sys-1', 'ah-1'])
    expect(idsOf(walk(before.ah))).toEqual(['ah-1', 'mc:1', 'cb:u1', 'cb:a1'])
    expect(before.seq.children).toEqual([])
    expect(ctx.thread('@t0')).toEqual(thread)

    const snapshot = ctx.commit()
    expect(snapshot.cycle).toBe(2)
    const { sys, seq, ah } = regionsOf(snapshot)
    expect([sys.id, ah.id]).toEqual(['sys-1', 'ah-1'])
    expect(ah.children).toEqual([])
    expect(seq.children).toHaveLength(1)
    const [turn] = seq.children
    expect(turn!.nodeType).toBe('mt')
    expect(idsOf(walk(turn!)).slice(1)).toEqual(['mc:1', 'cb:u1', 'cb:a1'])
    expect(turn!.children[0]).toMatchObject({ nodeType: 'mc', offset: 0, parentId: turn!.id })
    expect(snapshot.thread()).toEqual(thread)

    // The same log, written instead of imported, takes the same shape.
    const written = createContext({ dialect: '0.1', clock: clockOf() })
    for (const { role, content } of log.flat_log) {
      if (role === 'system') written.system.add(content, { role, kind: 'text' })
      else written.add(content, { role, kind: 'text' })
    }
    expect(shapeOf(regionsOf(written.snapshot('working')).sys)).toEqual(shapeOf(before.sys))
    expect(shapeOf(regionsOf(written.snapshot('working')).ah)).toEqual(shapeOf(before.ah))
    expect(shapeOf(regionsOf(written.commit()).seq)).toEqual(shapeOf(seq))
    expect(written.thread('@t0').map(({ role, content }) => ({ role, content }))).toEqual(contents)
  })

  test('ages, prunes and orders a retrieved block with ttl 2 like any other (07 §4.2)', () => {
    const { id, content, ...header } = golden.retrieved.block
    // Imported into the post-context of a sealed turn, under its own id.
    const imported = importSnapshot(
      {
        cycle: 5,
        root: {
          children: [
            {
              id: 'seq',
              nodeType: '^seq',
              children: [
                {
                  id: 'mt:1',
                  nodeType: 'mt',
                  children: [
                    { id: 'cb:later', nodeType: 'cb', offset: 2, content: 'later', priority: 0, created_at_ns: 9 },
                    golden.retrieved.block,
                    { id: 'mc:1', nodeType: 'mc', children: [{ id: 'cb:u1', nodeType: 'cb', content: 'How?' }] },
                    { id: 'cb:same', nodeType: 'cb', offset: 1, content: 'same', created_at_ns: 5 },
                  ],
                },
              ],
            },
          ],
        },
      },
      { clock: clockOf() },
    )
    expect(idsOf(imported.thread('@t0'))).toEqual(['cb:u1', 'cb:rag1', 'cb:same', 'cb:later'])
    const lefts = (ctx: Context, node: string): unknown[] =>
      ctx
        .snapshots()
        .map((ref) => ctx.node(node, `@c${ref.cycle}`)?.ttl)
        .toReversed()
    for (let n = 0; n < 3; n++) imported.commit()
    expect(lefts(imported, id)).toEqual([2, 1, undefined, undefined])

    // Written into the active head: the same life as a block with the same headers that is no retrieval.
    const run = (given: AddHeader, said: string, limit?: number): { ctx: Context; node: Node; other: Node } => {
      const ctx = createContext({
        dialect: '0.1',
        clock: clockOf(),
        countTokens: () => 1,
        ...(limit === undefined ? {} : { prune: { maxTokens: limit, protectSegments: 0, target: 1 } }),
      })
      ctx.user('question', { priority: 5 })
      const other = ctx.post('another', { offset: 1, priority: given.priority ?? 0 })
      const node = ctx.add(said, given)
      ctx.post('third', { offset: 2, priority: 9 })
      ctx.commit()
      ctx.user('next')
      ctx.commit()
      ctx.commit()
      return { ctx, node, other }
    }
    const plain = { nodeType: 'cb', ttl: 2, offset: 1 }
    const retrieved = run(header, content)
    const common = run(plain, 'x')
    expect(retrieved.node).toMatchObject({ nodeType: 'cb', role: 'system', kind: 'text', content, ttl: 2, offset: 1 })
    for (const { ctx, node, other } of [retrieved, common]) {
      expect(lefts(ctx, node.id)).toEqual([2, 1, undefined])
      const [core, ...context] = regionsOf(ctx.snapshot('@c1')).seq.children[0]!.children
      expect(core!.nodeType).toBe('mc')
      expect(idsOf(context).slice(0, 2), 'offset 1 before 2, the elder first').toEqual([other.id, node.id])
    }

    // Pruned by priority, then age: its elder of the same priority first, a lower priority before both.
    for (const [priority, limit, expected] of [
      [undefined, 4, ['other']],
      [undefined, 3, ['other', 'node']],
      [-1, 4, ['other']],
    ] as const) {
      for (const given of [header, plain]) {
        const { ctx, node, other } = run({ ...given, priority }, content, limit)
        const removed = idsOf(ctx.snapshot('@c2').receipt.removed)
        expect(removed.map((each) => (each === node.id ? 'node' : each === other.id ? 'other' : each))).toEqual(
          expected,
        )
      }
    }
    const low = createContext({
      dialect: '0.1',
      clock: clockOf(),
      countTokens: () => 1,
      prune: { maxTokens: 3, protectSegments: 0, target: 1 },
    })
    low.user('question')
    low.post('elder', { priority: 1 })
    const rag = low.add(content, header)
    low.commit()
    low.user('next')
    expect(idsOf(low.commit().receipt.removed), 'ids come last, so age decides').toEqual([low.thread('@c1')[0]!.id])
    expect(low.node(rag.id)).toBeDefined()
  })

  test('reads the edition from spec_version, writes its own and refuses unknown ones (07 §5.1, D1)', () => {
    const fixture = (version: unknown): object => ({
      ...(version === undefined ? {} : { spec_version: version }),
      root: { children: [{ id: 'h', nodeType: '^ah', children: [{ id: 'x', content: 'imported' }] }] },
    })
    const check = (ctx: Context, dialect: Dialect): void => {
      const { seg, cont, block } = NAMES[dialect]
      expect(ctx.dialect).toBe(dialect)
      const made = ctx.user('made here')
      expect([made.nodeType, ctx.node(made.parentId!)?.nodeType]).toEqual([block, cont])
      expect(regionsOf(ctx.commit()).seq.children.at(-1)?.nodeType).toBe(seg)
      const version = readExport(ctx.export()).spec_version
      expect(version, 'what the engine writes is of its own version').toBe(`PACT/${dialect}.0`)
      expect(importSnapshot(ctx.export()).dialect).toBe(dialect)
    }
    for (const version of ['PACT/1.0.0', 'PACT/1', 'PACT/1.0', 'PACT/1.9.3', 'PACT/1.0.0-rc.1', 'PACT/1beta']) {
      const ctx = importSnapshot(fixture(version))
      const given = [
        readExport(ctx.export()),
        JSON.parse(JSON.stringify(ctx.snapshot('@t0'))) as { spec_version: string },
      ]
      expect(given.map((each) => each.spec_version)).toEqual([version, version])
      expect(importSnapshot(ctx.export()).export()).toEqual(ctx.export())
      expect(ctx.node('x')?.nodeType, 'filled in by the edition').toBe('block')
      check(ctx, '1.0')
    }
    for (const version of ['PACT/0.1', 'PACT/0.1.0', 'PACT/0.1.9', undefined, null]) {
      const ctx = importSnapshot(fixture(version))
      expect(ctx.node('x')?.nodeType).toBe('cb')
      check(ctx, '0.1')
    }
    for (const version of [
      'PACT/2.0.0',
      'PACT/10.0.0',
      'PACT/11',
      'PACT/0.2.0',
      'PACT/0.10',
      'PACT/0',
      'PACT/',
      'PACT',
      '1.0.0',
      'pact/1.0.0',
      ' PACT/1.0.0',
      '',
      'OTHER/1.0.0',
      1,
      ['PACT/1.0.0'],
      {},
    ]) {
      const error = refusal(() => importSnapshot(fixture(version)))
      expect(error.code, JSON.stringify(version)).toBe('E_SNAPSHOT_INVALID')
      expect(error.details['path'], JSON.stringify(version)).toBe('spec_version')
    }

    // A new context names its own edition; what it holds of another edition's names stays to the letter.
    for (const dialect of DIALECTS) {
      const ctx = createContext({ dialect, clock: clockOf() })
      check(ctx, dialect)
      expect(readExport(ctx.export()).spec_version).toBe(`PACT/${dialect}.0`)
    }
    expect(readExport(importSnapshot(fixture('PACT/1.0.0')).export()).spec_version).toBe('PACT/1.0.0')
    expect(readExport(importSnapshot(fixture(undefined)).export()).spec_version).toBe('PACT/0.1.0')
    const mixed = importSnapshot({
      spec_version: 'PACT/1.0.0',
      root: {
        children: [
          {
            id: 'q',
            nodeType: '^seq',
            children: [
              {
                id: 't',
                nodeType: 'mt',
                children: [{ id: 'c', nodeType: 'mc', children: [{ id: 'b', nodeType: 'cb' }] }],
              },
            ],
          },
        ],
      },
    })
    check(mixed, '1.0')
    expect(['t', 'c', 'b'].map((id) => mixed.node(id, '@t0')?.nodeType)).toEqual(['mt', 'mc', 'cb'])
  })
})

/** Parts that an extension must not touch. */
function structureOf(node: Node): object {
  const { id, parentId, offset, ttl, priority, cycle, createdAtNs, createdAtIso, creationIndex, removable, pinned } =
    node
  const order = { id, parentId, offset, createdAtNs, createdAtIso, creationIndex, children: idsOf(node.children) }
  return { ...order, ttl, priority, cycle, removable, pinned, content: node.content }
}

function shapeOf(node: Node): object {
  const { nodeType, role, kind, content } = node
  return { nodeType, role, kind, content, children: node.children.map(shapeOf) }
}
