// replace, delete, put and update (004 §6.2 and §6.4, 03 §5, D30): what changes in place, what supersedes, what a marker is.

import { createContext, type Context } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, expectSound, idsOf, readExport, START_NS, walkExport } from '../support/context.js'
import {
  byId,
  contents,
  D1,
  D2,
  D3,
  drawn,
  expectNoTrace,
  GAP,
  inDialect,
  sealedHashes,
  story,
} from '../support/editing.js'

describe.each(DIALECTS)('replace, %s', (dialect) => {
  const name = (text: string): string => inDialect(text, dialect)

  test('changes a node of the head in place: id, place, cycle and order headers stay (004 §6.2, D30)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.pre('other')
    const before = ctx.post('old', {
      key: 'k',
      ttl: 3,
      tags: ['t'],
      priority: 2,
      role: 'user',
      refs: ['r'],
      data_a: 1,
      data_b: 1,
    })
    const [after, ...more] = ctx.replace("[key='k']", { content: { new: true }, priority: 5, data_b: 2 })
    expect(more).toEqual([])
    expect(after!.toJSON()).toEqual({
      ...before.toJSON(),
      content: { new: true },
      priority: 5,
      data_b: 2,
      ...('content_hash' in before.toJSON() ? { content_hash: after!.contentHash } : {}),
    })
    expect(after!.contentHash).not.toBe(before.contentHash)
    expect([after!.id, after!.offset, after!.createdAtNs, after!.creationIndex, after!.supersedes]).toEqual([
      name('block:1-1'),
      1,
      START_NS + 1n,
      5,
      undefined,
    ])
    expect(ctx.replace("[key='k']", { content: 'same role', role: 'user' })[0]!.id).toBe(name('block:1-1'))
    expect(ctx.user('next').id).toBe(name('block:1-3'))
  })

  test('lets another node supersede one of the head whose role, kind or type would change (D30)', () => {
    for (const change of [{ role: 'tool' }, { kind: 'call' }, { nodeType: name('block:note') }]) {
      const ctx = createContext({ dialect, clock: clockOf() })
      const before = ctx.post('text', { key: 'k', ttl: 3 })
      const [after] = ctx.replace("[key='k']", change)
      expect(after).toMatchObject({
        ...change,
        id: name('block:1-1'),
        parentId: 'ah',
        offset: 1,
        content: 'text',
        ttl: 3,
      })
      expect([after!.createdAtNs, after!.creationIndex, after!.cycle]).toEqual([before.createdAtNs, 4, 1])
      // No snapshot holds the old one, so there is nothing to name.
      expect(after!.supersedes).toBeUndefined()
      expect(ctx.node(before.id)).toBeUndefined()
      // It took an id, but no time and no index.
      expect(ctx.post('next')).toMatchObject({ id: name('block:1-2'), createdAtNs: START_NS + 1n, creationIndex: 5 })
    }
  })

  test('supersedes in history: a new node in the same place and age; earlier snapshots keep the old one (004 §6.2)', () => {
    const ctx = story(dialect)
    const hashes = sealedHashes(ctx)
    const old = ctx.node(name('block:1-3'))!
    const [node] = ctx.replace(byId(old.id), { content: 'u1 corrected' })
    expect(node!.toJSON()).toEqual({
      ...old.toJSON(),
      id: name('block:4-0'),
      cycle: 4,
      content: 'u1 corrected',
      supersedes: name('block:1-3'),
      ...('content_hash' in old.toJSON() ? { content_hash: node!.contentHash } : {}),
    })
    expect(node).toMatchObject({ parentId: name('cont:1-2'), offset: 0, createdAtNs: START_NS + 3n, creationIndex: 7 })
    expect(ctx.node(old.id)).toBeUndefined()
    expect(contents(ctx)).toEqual(['rules', 'p1', 'u1 corrected', 'o1', 'u2', 'a2', 'u3'])
    expectSound(ctx.commit(), { imported: true })
    expect(ctx.node(old.id, '@t-1')?.content).toBe('u1')
    expect(contents(ctx, '@t0')).toEqual(['rules', 'p1', 'u1 corrected', 'o1', 'u2', 'a2', 'u3'])
    expect(drawn(ctx, '^seq', '@t0')).toEqual([D3.replace('block:1-3', 'block:4-0'), D2, D1].map(core(dialect)))
    expect(sealedHashes(ctx).slice(1)).toEqual(hashes)

    // The same at every depth, the newest turn included.
    const each = story(dialect)
    const sealed = each.nodes('^seq .block')
    expect(['d1', 'd2', 'd3'].map((depth) => each.count(`${depth} .block`, { dialect: '1.0' }))).toEqual([1, 2, 3])
    for (const { id, content } of sealed) {
      const [made] = each.replace(byId(id), { content: 'other' })
      expect(made, id).toMatchObject({ cycle: 4, supersedes: id })
      expect([made!.id === id, each.node(id, '@t0')?.content], id).toEqual([false, content])
    }
  })

  test('names the id that the snapshots hold, through any number of replacements (D30)', () => {
    const ctx = story(dialect)
    const target = byId(name('block:1-3'))
    const ids = [ctx.replace(target, { content: 'first' })[0]!.id]
    for (const content of ['second', 'third']) {
      const [node] = ctx.replace(byId(ids.at(-1)!), { content })
      expect(node!.supersedes).toBe(name('block:1-3'))
      ids.push(node!.id)
    }
    expect(ids).toEqual([name('block:4-0'), name('block:4-1'), name('block:4-2')])
    ctx.commit()
    expect(ctx.replace(byId(ids[2]!), { content: 'fourth' })[0]!.supersedes).toBe(name('block:4-2'))
    // Out of the head, with a change of role, for a node that a snapshot holds: sealed context that came back.
    const back = story(dialect)
    back.move(byId(name('block:1-4')), '(d0, end)')
    expect(back.replace(byId(name('block:1-4')), { role: 'tool' })[0]!.supersedes).toBe(name('block:1-4'))
  })
})

/** In 0.1 the children of a core all take offset 0. */
function core(dialect: '0.1' | '1.0'): (text: string) => string {
  return (text) => inDialect(dialect === '0.1' ? text.replace('block:2-2@1', 'block:2-2@0') : text, dialect)
}

describe('what a replacement takes along (D30)', () => {
  test('keeps the running ttl; a ttl set anew counts from the open cycle, null stays (D24)', () => {
    for (const [spec, shown] of [
      [{}, [5, 4, 3, 2, 1, undefined, undefined]],
      [{ ttl: 2 }, [5, 4, 2, 1, undefined, undefined, undefined]],
      [{ ttl: null }, [5, 4, null, null, null, null, null]],
      [{ ttl: 0 }, [5, 4, undefined, undefined, undefined, undefined, undefined]],
    ] as const) {
      const ctx = createContext({ clock: clockOf() })
      ctx.post('x', { key: 'k', ttl: 5 })
      const ttls = [1, 2].map(() => ctx.commit().first('{ key="k" }')?.ttl)
      ctx.replace('#k', { content: 'y', ...spec })
      for (let i = 0; i < 5; i++) ttls.push(ctx.commit().first('{ key="k" }')?.ttl)
      expect(ttls, JSON.stringify(spec)).toEqual(shown)
    }
  })

  test('keeps the children of a container with their ids, in the head and in history, unless it names others (D30)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.add(undefined, { zone: 'post', key: 'box', children: [{ content: 'a' }, { content: 'b' }] })
    ctx.replace('#box', { priority: 3 })
    expect(drawn(ctx, '^ah')).toEqual(['cont:1-0@1[block:1-1@0 block:1-2@1]'])
    ctx.commit()
    const [box] = ctx.replace('#box', { data_note: 'changed' })
    expect(box).toMatchObject({
      id: 'cont:2-0',
      supersedes: 'cont:1-0',
      priority: 3,
      attributes: { data_note: 'changed' },
    })
    expect(drawn(ctx, '^seq')).toEqual([`seg:1-4@${GAP}[cont:1-3@0[] cont:2-0@1[block:1-1@0 block:1-2@1]]`])
    ctx.replace('#box', { children: [{ content: 'c' }] })
    expect(drawn(ctx, '^seq')).toEqual([`seg:1-4@${GAP}[cont:1-3@0[] cont:2-1@1[block:2-2@0]]`])
    expect(ctx.node('cont:2-1')?.supersedes).toBe('cont:1-0')
    expect(idsOf(ctx.nodes('@t0 #box > .block'))).toEqual(['block:1-1', 'block:1-2'])
  })

  test('gives a block children, and a container none, as its spec and type say (D14, D30)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.post('text', { key: 'k', role: 'tool' })
    const [box] = ctx.replace('#k', { children: [{ content: 'inside' }] })
    expect(box).toMatchObject({ id: 'cont:1-1', nodeType: 'cont', role: 'tool', content: 'text' })
    const [block] = ctx.replace('#k', { nodeType: 'block:flat' })
    expect(block).toMatchObject({ id: 'block:1-3', nodeType: 'block:flat', content: 'text' })
    expect(drawn(ctx, '^ah')).toEqual(['block:1-3@1'])
  })
})

describe.each(DIALECTS)('delete, %s', (dialect) => {
  const name = (text: string): string => inDialect(text, dialect)

  test('drops a node of the head with its subtree and gives it back (004 §6.4)', () => {
    const ctx = story(dialect)
    const box = ctx.add(undefined, { zone: 'post', children: [{ content: 'a' }] })
    const dropped = ctx.delete(byId(box.id), { reason: 'dropped anyway' })
    expect(idsOf(dropped)).toEqual([name('cont:4-0')])
    expect(idsOf(dropped[0]!.children)).toEqual([name('block:4-1')])
    expect(drawn(ctx, '^ah')).toEqual([])
    expect([ctx.node(name('cont:4-0')), ctx.node(name('block:4-1'))]).toEqual([undefined, undefined])
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['rules', 'p1', 'u1', 'o1', 'u2', 'a2', 'u3'])
  })

  test('puts a marker into history, with exactly the headers of D30, which is a thread item (004 §6.4)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.post('secret', {
      role: 'tool',
      kind: 'result',
      key: 'k',
      tags: ['t'],
      ttl: 9,
      priority: 7,
      refs: ['x'],
      pinned: true,
      provenance: { by: 'me' },
      data_call_id: ['c1'],
      data_other: 1,
      content_mime: 'text/plain',
    })
    ctx.commit()
    const hashes = sealedHashes(ctx)
    const [old] = walkExport(readExport(ctx.export()).root).filter(({ id }) => id === name('block:1-0'))
    const [marker] = ctx.delete("[key='k']", { author: 'dpo', reason: 'request 7' })
    const exported = walkExport(readExport(ctx.export('working')).root).find(({ id }) => id === marker!.id)!
    const { content_hash: _hash, ...headers } = exported
    expect(headers).toEqual({
      id: name('block:2-0'),
      nodeType: name('block:redaction'),
      offset: 1,
      ttl: null,
      priority: 0,
      cycle: 2,
      created_at_ns: old!['created_at_ns'],
      created_at_iso: old!['created_at_iso'],
      creation_index: 4,
      role: 'tool',
      content: '',
      supersedes: name('block:1-0'),
      data_call_id: ['c1'],
      data_author: 'dpo',
      data_reason: 'request 7',
    })
    expect(ctx.thread()).toEqual([{ id: name('block:2-0'), role: 'tool', content: '' }])
    ctx.commit()
    expect(ctx.thread('@t0')).toEqual([{ id: name('block:2-0'), role: 'tool', content: '' }])
    expect(contents(ctx, '@t-1')).toEqual(['secret'])
    expect(sealedHashes(ctx).slice(1)).toEqual(hashes)
  })

  test('leaves out what nobody gave: a marker of a plain block (D30)', () => {
    const ctx = story(dialect)
    const [marker] = ctx.delete(byId(name('block:1-4')))
    expect(marker).toMatchObject({ id: name('block:4-0'), parentId: name('seg:1-5'), offset: 1, attributes: {} })
    expect(marker!.role).toBeUndefined()
    expect(contents(ctx)).toEqual(['rules', 'p1', 'u1', '', 'u2', 'a2', 'u3'])
  })

  test('marks the blocks of segments and cores, which stay, and other containers once (D30)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.pre('p')
    ctx.user('u')
    ctx.add(undefined, { children: [{ content: 'in' }, { children: [{ content: 'deep' }] }] })
    ctx.commit()
    const [a, b] = dialect === '0.1' ? [0, 0] : [0, 1]
    const inside = `block:2-0@${a} block:2-1@${b}`
    expect(idsOf(ctx.delete(byId(name('cont:1-1'))))).toEqual([name('block:2-0'), name('block:2-1')])
    expect(drawn(ctx, '^seq')).toEqual([name(`seg:1-7@${GAP}[block:1-0@-1 cont:1-1@0[${inside}]]`)])
    expect([name('block:2-0'), name('block:2-1')].map((id) => ctx.node(id)!.supersedes)).toEqual([
      name('block:1-2'),
      name('cont:1-3'),
    ])
    ctx.undo()
    expect(idsOf(ctx.delete(byId(name('seg:1-7'))))).toEqual(['block:2-2', 'block:2-3', 'block:2-4'].map(name))
    expect(drawn(ctx, '^seq')).toEqual([name(`seg:1-7@${GAP}[block:2-2@-1 cont:1-1@0[block:2-3@${a} block:2-4@${b}]]`)])
    expectSound(ctx.commit(), { imported: true })
  })
})

describe('what delete does to nodes of the open cycle and to what needs them', () => {
  test('drops what this cycle put into history, but marks what stands in for a sealed node (D30)', () => {
    const ctx = story()
    ctx.insert({ content: 'later' }, '(d1, end)')
    ctx.insert({ content: 'spliced' }, { depth: 2 })
    expect(idsOf(ctx.delete('{ id="block:4-0" }, { id="block:4-3" }'))).toEqual(['block:4-3', 'block:4-0'])
    expect(drawn(ctx, '^seq')).toEqual([D3, D2, `seg:4-1@${2.5 * GAP}[cont:4-2@0[]]`, D1])
    ctx.replace('{ id="block:1-3" }', { content: 'corrected' })
    const [marker] = ctx.delete('{ id="block:4-4" }')
    expect(marker).toMatchObject({
      id: 'block:4-5',
      nodeType: 'block:redaction',
      supersedes: 'block:1-3',
      role: 'user',
    })
    expect(drawn(ctx, '^seq')[0]).toBe(D3.replace('block:1-3', 'block:4-5'))
  })

  test('drops sealed context that came back to the head, without a marker (D30)', () => {
    const ctx = story()
    ctx.move('{ id="block:1-4" }', '(d0, end)')
    ctx.delete('{ id="block:1-4" }')
    expect([drawn(ctx, '^ah'), drawn(ctx, '^seq')[0]]).toEqual([[], D3.replace(' block:1-4@1', '')])
  })

  test('lets deletion and replacement win over refs and holds (D26)', () => {
    const ctx = story()
    const target = ctx.post('needed', { key: 'k' })
    ctx.post('needs it', { refs: [target.id] })
    const hold = ctx.hold(target.id)
    ctx.delete('#k')
    expect(ctx.node(target.id)).toBeUndefined()
    expect(ctx.commit().node(target.id)).toBeUndefined()
    hold.release()
    const [marker] = ctx.delete('{ id="block:4-1" }')
    expect(marker!.refs).toEqual([])
  })
})

describe('put and update (D30)', () => {
  test('put adds a key once, then changes that node in place; after the commit it adds a new one (04, D29)', () => {
    const ctx = story()
    expect(ctx.put('plan', 'one', { zone: 'pre', ttl: 4, role: 'user' })).toMatchObject({
      id: 'block:4-0',
      offset: -1,
      key: 'plan',
    })
    const again = ctx.put('plan', 'two', { tags: ['x'], zone: 'post', offset: 9 })
    expect(again).toMatchObject({ id: 'block:4-0', offset: -1, ttl: 4, role: 'user', content: 'two', tags: ['x'] })
    expect(ctx.put('plan', 'three', { role: 'tool' })).toMatchObject({ id: 'block:4-1', offset: -1, content: 'three' })
    ctx.commit()
    expect(ctx.put('plan', 'four')).toMatchObject({ id: 'block:5-1', parentId: 'cont:5-0', content: 'four' })
    expect(ctx.nodes('#plan').map(({ content }) => content)).toEqual(['three', 'four'])
  })

  test.each<[run: (ctx: Context) => unknown, code: string, name: string]>([
    [(ctx) => ctx.put(7 as never, 'x'), 'E_CONTENT_INVALID', 'key'],
    [(ctx) => ctx.put('k', 'x', { key: 'other' } as never), 'E_CONTENT_INVALID', 'key'],
    [(ctx) => ctx.put('k', 'x', { zone: 'pre', offset: 1 }), 'E_PLACEMENT_INVALID', 'offset'],
    [(ctx) => ctx.put('k', 'x', { zone: 'middle' } as never), 'E_PLACEMENT_INVALID', 'zone'],
    [(ctx) => ctx.put('k', 'x', { ttl: 0.5 }), 'E_TTL_INVALID', 'ttl'],
    [(ctx) => ctx.update('.block', {}), 'E_CONTENT_INVALID', 'changes'],
    [(ctx) => ctx.update('.block', { content: 'x' } as never), 'E_CONTENT_INVALID', 'content'],
    [(ctx) => ctx.update('^seq .block', { ttl: -1 }), 'E_TTL_INVALID', 'ttl'],
    [(ctx) => ctx.delete('^seq .block', { why: 'x' } as never), 'E_CONTENT_INVALID', 'why'],
    [(ctx) => ctx.delete('^seq .block', { reason: 7 } as never), 'E_CONTENT_INVALID', 'reason'],
    [(ctx) => ctx.delete('^seq .block', null as never), 'E_CONTENT_INVALID', 'options'],
  ])('%o is refused with %s and names %s', (run, code, name) => {
    const ctx = story()
    expectNoTrace(ctx, () => run(ctx), code, { name })
  })

  test('update changes ttl, priority, pinned and tags at any depth, and no sealed byte of the thread (D30)', () => {
    const ctx = story()
    const thread = ctx.threadBytes()
    const hashes = sealedHashes(ctx)
    ctx.user('u4')
    const touched = ctx.update('.block[role="user"]', { ttl: 2, priority: 3, pinned: true, tags: ['asked'] })
    expect(idsOf(touched)).toEqual(['block:1-3', 'block:2-1', 'block:3-1', 'block:4-1'])
    for (const node of touched) expect(node).toMatchObject({ ttl: 2, priority: 3, pinned: true, tags: ['asked'] })
    ctx.undo()
    ctx.undo()
    ctx.update('^seq .block', { tags: ['old'] })
    expect(ctx.threadBytes()).toEqual(thread)
    ctx.update('{ id="block:1-3" }', { ttl: 2 })
    // Cycle 4 plus 2: in the snapshots of cycles 4 and 5.
    expect([1, 2, 3].map(() => ctx.commit().node('block:1-3')?.ttl)).toEqual([2, 1, undefined])
    expect(sealedHashes(ctx).slice(3)).toEqual(hashes)
  })
})
