// Editing what an import brought: trees that no sequence of calls would make, and files that say odd things.

import {
  createContext,
  importSnapshot,
  type Context,
  type JsonObject,
  type NodeSpec,
  type Replacement,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, refusal, textOf, walk } from '../support/context.js'

type Raw = Readonly<Record<string, unknown>>

function segment(id: string, offset: number, children: readonly Raw[], header: Raw = {}): Raw {
  return { id, nodeType: 'seg', offset, ...header, children }
}

function core(id: string, children: readonly Raw[], header: Raw = {}): Raw {
  return { id, nodeType: 'cont', offset: 0, ...header, children }
}

function block(id: string, header: Raw = {}): Raw {
  return { id, nodeType: 'block', content: id, ...header }
}

type Parts = Readonly<{ seq?: readonly Raw[]; ah?: readonly Raw[]; sys?: readonly Raw[]; schedules?: readonly Raw[] }>

function imported({ seq = [], ah = [], sys = [], schedules = [] }: Parts, headers: Record<string, Raw> = {}): Context {
  const regions = [
    { id: 'sys', nodeType: '^sys', ...headers['sys'], children: sys },
    { id: 'seq', nodeType: '^seq', ...headers['seq'], children: seq },
    { id: 'ah', nodeType: '^ah', ...headers['ah'], children: ah },
  ]
  const file = { spec_version: 'PACT/1.0.0', cycle: 1, root: { id: 'root', children: regions }, schedules }
  return importSnapshot(file, { clock: clockOf() })
}

/** The place of each node, and that an export of it can be read again. */
function expectSoundExport(ctx: Context): void {
  ctx.commit()
  const bytes = textOf(ctx.export())
  expect(textOf(importSnapshot(bytes).export())).toBe(bytes)
}

describe('structure with a key is no instance of it (D29, D30, D31)', () => {
  test('a segment, a core and the regions stay where they are', () => {
    const ctx = imported(
      {
        seq: [
          segment('s1', 1, [core('c1', [block('b1')])]),
          segment('s2', 2, [core('c2', [block('b2')], { key: 'k' })], { key: 'k' }),
        ],
        ah: [core('c3', [block('b3')], { key: 'k' })],
      },
      { ah: { key: 'k' }, sys: { key: 'k' }, seq: { key: 'k' } },
    )
    ctx.post('one', { key: 'k' })
    ctx.put('k', 'two')
    ctx.insert({ content: 'deep', key: 'k' }, '(d1, end)')
    expect(ctx.coordinate('s2')).toBe('(d1)')
    expect(ctx.coordinate('c3')).toBe('(d0, 0)')
    expectSoundExport(ctx)
  })
})

describe('ids that look like those of a rehearsal', () => {
  test.each(['new:1', 'new:2', '\u0000new:1'])('%j is an id like any other', (id) => {
    const ctx = imported({ ah: [{ id, nodeType: 'cont', offset: 1, children: [] }, block('b', { offset: 2 })] })
    const made = ctx.insert({ content: 'in it' }, { parent: id })
    expect(made.parentId).toBe(id)
    expect(ctx.replace("{ id='b' }", { role: 'user' })).toHaveLength(1)
    expectSoundExport(ctx)
  })
})

describe('schedules in a file', () => {
  test('make new nodes: no time comes along, and no mark of an emptied container is taken', () => {
    const node = { content: 'x', created_at_iso: 'never', data_n: 1 }
    const ctx = imported({ schedules: [{ key: 'k', cad: 1, first_cycle: 1, zone: 'post', node }] })
    expect(ctx.first('#k')).toMatchObject({ attributes: { data_n: 1 }, cycle: 2 })
    expect(ctx.first('#k')!.createdAtIso).not.toBe('never')
    expectSoundExport(ctx)
    const emptied = { key: 'k', cad: 1, first_cycle: 1, zone: 'post', node: { ...node, 'pact:emptied': true } }
    expect(() => imported({ schedules: [emptied] })).toThrow('pact:emptied')
  })

  test('may be as deep as a tree, and hold content as deep as content may be', () => {
    const nested = (depth: number): NodeSpec => (depth === 0 ? { content: 'x' } : { children: [nested(depth - 1)] })
    let deep: unknown = 'x'
    for (let i = 0; i < 127; i++) deep = [deep]
    const ctx = createContext({ clock: clockOf() })
    ctx.add(undefined, { ...nested(120), key: 'tree', cad: 1, ttl: 1 })
    ctx.pre(deep as JsonObject, { key: 'content', cad: 2, ttl: 1 })
    ctx.commit()
    expect(ctx.diffDetailed('@c1', '@c1').schedules).toBeUndefined()
    ctx.put('tree', undefined, { children: [{ content: 'y' }] })
    expect(ctx.diffDetailed('@t0', 'working').schedules!.changed.map(({ key }) => key)).toEqual(['tree'])
    expectSoundExport(ctx)
  })

  test('an instance that finds no offset is left out, and the commit goes through (N25)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.user('u')
    ctx.post('b', { key: 'b', cad: 1, ttl: 1 })
    ctx.post('a', { key: 'a', cad: 1, ttl: 1, offset: Number.MAX_SAFE_INTEGER })
    ctx.commit()
    expect(ctx.select('^ah :post').map((id) => ctx.node(id)!.key)).toEqual(['a'])
    ctx.commit()
  })
})

describe('what only looks like a marker', () => {
  test('is deleted like any other node (D30)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.user('secret')
    ctx.commit()
    ctx.delete('d1 .block')
    ctx.replace('.redaction', { content: 'card 4111' })
    expect(ctx.delete('^seq .block')).toHaveLength(1)
    expect(JSON.stringify(ctx.thread())).not.toContain('4111')
  })
})

describe('blocks that stand at offset 0 without a core (D12)', () => {
  test('cannot become a second core, in history or in the head', () => {
    const ctx = imported({ seq: [segment('s', 1, [block('b1'), block('b2')])], ah: [block('b3')] })
    for (const id of ['b1', 'b3']) {
      const call = (): unknown => ctx.replace(`[id='${id}']`, { children: [{ content: 'k' }] })
      expect(refusal(call)).toMatchObject({ code: 'E_DUPLICATE_CORE', details: { id } })
    }
    expect(refusal(() => ctx.insert({ content: 'x' }, '(d1, 0, end)')).code).toBe('E_SEALED_CORE')
    expectSoundExport(ctx)
  })
})

describe('ages that tie', () => {
  /** Both made at 0, as the second child: only their ids tell who is older. */
  const tied = (deep: string, near: string): Context =>
    imported({
      seq: [
        segment('s1', 1, [core('c1', []), block(deep, { offset: 1 })]),
        segment('s2', 2, [core('c2', []), block(near, { offset: 1 })]),
      ],
    })

  test('a node that stands in for another has its age to the last, in the rehearsal too (D29, D37)', () => {
    const ctx = tied('a', 'q')
    ctx.update("[id='a']", { tags: ['t'] })
    ctx.replace("[id='a']", { key: 'k' })
    expect(ctx.replace("[id='q']", { key: 'k' })).toHaveLength(1)
    const other = tied('q', 'a')
    other.replace("[id='q']", { key: 'k' })
    expect(refusal(() => other.replace("[id='a']", { key: 'k' })).code).toBe('E_ODI_VIOLATION')
    expect(other.post('next').id).toBe('block:2-1')
  })
})

describe('diffs and explanations', () => {
  test('empty content is not the same as none: one is an item of the thread (D36, D38)', () => {
    const ctx = createContext({ clock: clockOf() })
    const box = ctx.system.add(undefined, { key: 'box', children: [{ content: 'x' }] })
    ctx.commit()
    ctx.system.replace('#box', { content: '' })
    expect(ctx.diff('@t0', 'working').changed).toEqual([{ id: box.id, fields: ['content'] }])
    const [change] = ctx.diffDetailed('@t0', 'working').changed
    expect(change).toMatchObject({ delta: { content: { from: null, to: '' } }, content: { to: '' }, cause: 'edited' })
  })

  test('the last change is told, also where the same call made the one before', () => {
    const ctx = createContext({ clock: clockOf() })
    const { id } = ctx.post('p', { key: 'p' })
    ctx.commit()
    expect(ctx.explain(id).changed).toBeUndefined()
    for (const cycle of [2, 3]) {
      ctx.update('#p', { priority: cycle })
      expect(ctx.explain(id).changed).toEqual({ cycle, by: 'update' })
      ctx.commit()
    }
    expect(ctx.explain(id).changed).toEqual({ cycle: 3, by: 'update' })
  })

  test('sealing a head that an import left open is no change', () => {
    const ctx = imported({ ah: [block('b', { offset: 1 })] })
    ctx.commit()
    expect(ctx.explain('b').changed).toBeUndefined()
  })

  test('a container that calls have emptied leaves because of them, not because of a ttl (D26)', () => {
    const ctx = createContext({ clock: clockOf() })
    const box = ctx.add(undefined, { zone: 'post', removable: true, children: [{ content: 'x' }] })
    ctx.commit()
    ctx.move(`{ id="${box.children[0]!.id}" }`, { depth: 0, zone: 'post' })
    ctx.commit()
    const { removed } = ctx.diffDetailed('@t-1', '@t0')
    expect(removed.map(({ id, cause }) => [id, cause])).toEqual([[box.id, 'edited']])
  })

  test('an imported node of the open cycle moves like any other', () => {
    const ctx = imported({ seq: [segment('s', 1, [core('c', []), block('b', { offset: 1, cycle: 2 })])] })
    ctx.move("[id='b']", { depth: 0, zone: 'post' })
    expect(ctx.diffDetailed('@t0', 'working').changed.map(({ cause }) => cause)).toEqual(['moved'])
    expect(ctx.explain('b').changed).toEqual({ cycle: 2, by: 'move' })
  })

  test('a child leaves with what holds it', () => {
    const ctx = createContext({ clock: clockOf() })
    const box = ctx.add(undefined, { zone: 'post', ttl: 2, children: [{ content: 'x' }] })
    const { id } = box.children[0]!
    expect(ctx.explain(id).expires).toEqual({ cycle: 3, ttl: 2, of: box.id })
    expect(String(ctx.explain(id))).toContain(`It leaves with ${box.id}`)
  })
})

describe('arguments', () => {
  test('are read once, and only by their own names', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.user('x')
    ctx.commit()
    let reads = 0
    const tricky = { get cad() { return reads++ === 0 ? 1 : 'evil' }, key: 'k', content: 'x' } // prettier-ignore
    ctx.insert({ children: [{ content: 'x' }] }, '(d1, end)')
    ctx.post('k', { key: 'k' })
    ctx.replace('^ah #k', tricky as Replacement)
    expect(ctx.first('^ah #k')!.cad).toBe(1)
    const options = Object.create({ reason: 'inherited' }) as { author?: string }
    expect(ctx.delete('d1 .block[role=user]', options)[0]!.attributes).toEqual({})
    const spec = Object.create({ ttl: 0 }) as NodeSpec
    expect(ctx.insert(Object.assign(spec, { content: 'x' }), { depth: 0 }).ttl).toBeNull()
    for (const call of [() => ctx.explain(null as never), () => ctx.hold(5 as never)]) {
      expect(refusal(call).code).toBe('E_CONTENT_INVALID')
    }
  })

  test('a fork that fails uses up no name', () => {
    let isBroken = false
    const clock = clockOf()
    const ctx = createContext({
      clock: () => {
        if (isBroken) throw new Error('The clock is broken.')
        return clock()
      },
    })
    ctx.post('x', { key: 'k', cad: 1 })
    ctx.commit()
    isBroken = true
    expect(() => ctx.fork()).toThrow('The option clock threw')
    isBroken = false
    expect(ctx.fork().id).toBe('context/f1')
  })
})

test('imports with every odd thing at once stay sound through edits', () => {
  const ctx = imported({
    seq: [segment('s1', 1, [block('bare'), block('p', { offset: 3, key: 'k', cad: 2 })]), segment('s2', 2, [])],
    ah: [block('h', { key: 'k', supersedes: 'nobody' }), block('g', { offset: 2, refs: ['p'] })],
  })
  ctx.move("[id='p']", '(d1, end)')
  ctx.replace("[id='h']", { role: 'user' })
  ctx.delete("[id='bare']", { reason: 'odd' })
  expect(walk(ctx.snapshot('working').root).map(({ id }) => id)).not.toContain('h')
  expectSoundExport(ctx)
})

describe('why an empty container leaves (D26)', () => {
  /** The causes of everything that the last commit took, by content or key. */
  function causes(ctx: Context): readonly (readonly [string, string])[] {
    return ctx.diffDetailed('@t-1', '@t0').removed.map(({ id, cause }) => [id, cause] as const)
  }

  test('because of calls: filled and emptied in one cycle, or freed by one', () => {
    const ctx = createContext({ clock: clockOf() })
    const box = ctx.add(undefined, { zone: 'post', children: [], removable: true })
    ctx.commit()
    const inside = ctx.insert({ content: 'x' }, { parent: box.id })
    ctx.delete(`{ id="${inside.id}" }`)
    ctx.commit()
    expect(causes(ctx)).toEqual([[box.id, 'edited']])

    const waiting = ctx.add(undefined, { zone: 'post', removable: true, children: [{ content: 'x', key: 'k' }] })
    const referrer = ctx.post('r', { refs: [waiting.id] })
    ctx.move('#k', '(d0, end)')
    ctx.commit()
    ctx.delete(`{ id="${referrer.id}" }`)
    ctx.commit()
    expect(Object.fromEntries(causes(ctx))).toEqual({ [referrer.id]: 'redacted', [waiting.id]: 'edited' })
  })

  test.each([false, true])('each for its own reason, in whatever order they stand (%s)', (isReversed) => {
    const ctx = createContext({ clock: clockOf() })
    const kids = [
      { removable: true, data_n: 'moved', children: [{ content: 'x', key: 'k' }] },
      { removable: true, data_n: 'expired', children: [{ content: 'y', ttl: 1 }] },
    ]
    const outer = ctx.add(undefined, { zone: 'post', removable: true, children: isReversed ? kids.reverse() : kids })
    const idOf = (name: string): string => outer.children.find(({ attributes }) => attributes['data_n'] === name)!.id
    ctx.commit()
    ctx.move('#k', { depth: 0 })
    ctx.commit()
    expect(Object.fromEntries(causes(ctx))).toMatchObject({
      [idOf('moved')]: 'edited',
      [idOf('expired')]: 'expired',
      [outer.id]: 'expired',
    })
  })

  test('a preview says the same of one that the open cycle made and emptied', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.commit()
    ctx.add(undefined, { zone: 'post', removable: true, children: [{ content: 'x', key: 'k' }] })
    ctx.delete('#k')
    expect(ctx.diffDetailed('working', 'preview').removed.map(({ cause }) => cause)).toEqual(['edited'])
  })
})
