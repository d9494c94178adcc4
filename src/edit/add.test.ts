// Where added nodes go (D17, D12), and that an edit which fails half-way, at the mint, leaves nothing behind (D37).

import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot, PactError, type Context, type Dialect, type Node } from '../index.js'

describe('default offsets', () => {
  type Add = (ctx: Context) => Node
  const rows: readonly (readonly [what: string, adds: readonly Add[], inOne: number[], inZeroOne: number[]])[] = [
    ['pre-context', [pre, pre, pre], [-1, -1, -1], [-1, -1, -1]],
    ['pre-context beside a given one', [(ctx) => ctx.pre('x', { offset: -5 }), pre], [-5, -1], [-5, -1]],
    ['post-context', [post, post, post], [1, 2, 3], [1, 2, 3]],
    ['post-context after a given one', [(ctx) => ctx.post('x', { offset: 7 }), post], [7, 8], [7, 8]],
    ['post-context beside pre-context', [pre, post, pre, post], [-1, 1, -1, 2], [-1, 1, -1, 2]],
    ['core children', [user, user, user], [0, 1, 2], [0, 0, 0]],
    ['core children after a given one', [(ctx) => ctx.user('x', { offset: 7 }), user, user], [7, 8, 9], [7, 0, 0]],
    ['core children after a negative one', [(ctx) => ctx.user('x', { offset: -7 }), user], [-7, 0], [-7, 0]],
    ['core children beside others', [post, user, pre, user], [1, 0, -1, 1], [1, 0, -1, 0]],
    ['children of ^sys', [sys, sys, user, sys], [0, 1, 0, 2], [0, 0, 0, 0]],
  ]
  test.each(rows)('of %s (D17)', (_what, adds, inOne, inZeroOne) => {
    expect(offsetsOf(adds, '1.0')).toEqual(inOne)
    expect(offsetsOf(adds, '0.1')).toEqual(inZeroOne)
  })

  it('of the children of a container go on from the highest before, and order is by offset (D17)', () => {
    const children = [
      { content: 'a' },
      { content: 'b', offset: 9 },
      { content: 'c' },
      { content: 'd', offset: -1 },
      { content: 'e' },
    ]
    const placesIn = (dialect: Dialect): unknown =>
      createContext({ dialect, clock: () => 1n })
        .add(undefined, { children })
        .children.map((child) => [child.content, child.offset])
    expect(placesIn('1.0')).toEqual([
      ['d', -1],
      ['a', 0],
      ['b', 9],
      ['c', 10],
      ['e', 11],
    ])
    expect(placesIn('0.1')).toEqual([
      ['d', -1],
      ['a', 0],
      ['c', 0],
      ['e', 0],
      ['b', 9],
    ])
  })

  it('start anew in every cycle', () => {
    const ctx = createContext()
    for (let turn = 0; turn < 2; turn++) {
      expect([user(ctx), user(ctx), post(ctx)].map((node) => node.offset)).toEqual([0, 1, 1])
      ctx.commit()
    }
  })
})

describe('a core', () => {
  it('is made by the first core write, once (02 §6)', () => {
    const ctx = createContext()
    pre(ctx)
    expect(ctx.node('ah')?.children).toHaveLength(1)
    const parents = [user(ctx), user(ctx)].map((node) => node.parentId)
    expect(parents).toEqual(['cont:1-1', 'cont:1-1'])
    expect(ctx.node('ah')?.children.map((child) => [child.id, child.offset])).toEqual([
      ['block:1-0', -1],
      ['cont:1-1', 0],
    ])
  })

  const head = [
    { id: 'late', created_at_ns: 9 },
    { id: 'p', offset: -1 },
    { id: 'early', created_at_ns: 1, ttl: 1 },
  ]
  it('gathers the blocks that stood at offset 0 without one, ids and order kept (D12)', () => {
    const ctx = importSnapshot({ cycle: 5, root: { children: [{ id: 'ah', nodeType: '^ah', children: head }] } })
    const before = ['early', 'late'].map((id) => ctx.node(id)!.toJSON())
    const { parentId } = user(ctx)
    expect(ctx.node(parentId!)?.children.map((child) => child.id)).toEqual(['early', 'late', 'cb:6-1'])
    expect(['early', 'late'].map((id) => ctx.node(id)!.toJSON())).toEqual(before)
    expect(ctx.node('ah')?.children.map((child) => child.id)).toEqual(['p', parentId])
    // The snapshot that was imported does not know of it.
    expect(ctx.node('late', '@t0')?.parentId).toBe('ah')
  })

  it('gathers them at sealing too (D12)', () => {
    const ctx = importSnapshot({ cycle: 5, root: { children: [{ id: 'ah', nodeType: '^ah', children: head }] } })
    const [segment] = ctx.commit().root.children[1]!.children
    const shape = segment!.children.map((child) => [child.offset, child.children.map(({ id }) => id)])
    expect(shape).toEqual([
      [-1, []],
      [0, ['late']],
    ])
  })
})

describe('an edit that fails at the mint', () => {
  const sources: readonly (readonly [what: string, make: () => object])[] = [
    [
      'an id source that repeats itself',
      () => ({ ids: ({ index }: { index: number }) => (index < 2 ? `n${index}` : 'n0') }),
    ],
    ['an id source that throws', () => ({ ids: ({ index }: { index: number }) => (index < 2 ? `n${index}` : boom()) })],
    [
      'a clock that throws',
      () => {
        let readings = 0
        return { clock: () => (readings++ < 2 ? 1n : boom()) }
      },
    ],
  ]
  test.each(sources)('leaves nothing behind, with %s (D37)', (_what, make) => {
    const ctx = createContext(make())
    pre(ctx)
    const before = text(ctx.export('working'))
    // The core takes the second id and reading, and its block fails; so does a container with its first child.
    expect(() => user(ctx)).toThrow()
    expect(text(ctx.export('working'))).toBe(before)
    expect(ctx.node('ah')?.children).toHaveLength(1)
    expect(() => ctx.add(undefined, { zone: 'post', children: [{ content: 'x' }] })).toThrow()
    expect(text(ctx.export('working'))).toBe(before)
    expect(ctx.node('n1')).toBeUndefined()
  })

  it('is refused a write of its own: E_CONFLICT, and the context goes on (D25)', () => {
    const codes: (string | undefined)[] = []
    const tryTo = (write: () => unknown): void => void codes.push(refusalOf(write)?.code)
    const ctx: Context = createContext({
      clock: () => {
        tryTo(() => pre(ctx))
        tryTo(() => ctx.commit())
        return 1n
      },
      countTokens: () => (tryTo(() => sys(ctx)), 1),
      prune: { maxTokens: 10 },
    })
    user(ctx)
    ctx.commit()
    expect(codes.length).toBeGreaterThan(4)
    expect(codes.every((code) => code === 'E_CONFLICT')).toBe(true)
    expect(ctx.thread('@t0')).toHaveLength(1)
    expect(post(ctx).id).toBe('block:2-0')
  })

  it('leaves nothing behind in a commit either (D25)', () => {
    const ctx = createContext({ ids: ({ index, nodeType }) => (nodeType === 'seg' ? 'n0' : `n${index}`) })
    user(ctx)
    const before = text(ctx.export('working'))
    const error = refusalOf(() => ctx.commit())
    expect([error?.code, error?.details]).toEqual(['E_ID_DUPLICATE', { id: 'n0' }])
    expect([ctx.cycle, text(ctx.export('working')), ctx.snapshots()]).toEqual([1, before, []])
  })
})

function pre(ctx: Context): Node {
  return ctx.pre('x')
}

function post(ctx: Context): Node {
  return ctx.post('x')
}

function user(ctx: Context): Node {
  return ctx.user('x')
}

function sys(ctx: Context): Node {
  return ctx.system.add('x')
}

function offsetsOf(adds: readonly ((ctx: Context) => Node)[], dialect: Dialect): readonly number[] {
  const ctx = createContext({ dialect })
  return adds.map((add) => add(ctx).offset)
}

function boom(): never {
  throw new Error('The source failed.')
}

function refusalOf(run: () => unknown): PactError | undefined {
  try {
    run()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  return undefined
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
