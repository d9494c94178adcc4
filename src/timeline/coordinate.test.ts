// Coordinates (D17) through the public calls: by rows, and by the law that the text leads to exactly the node it names.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot, PactError, type Context, type Node } from '../index.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 17) }

describe('a coordinate', () => {
  const talk = conversation()
  const rows: readonly (readonly [id: string, coordinate: string, why: string])[] = [
    ['sys', '(d-1)', 'the system region'],
    ['ah', '(d0)', 'the active head'],
    ['seg:2-4', '(d1)', 'the newest segment'],
    ['seg:1-3', '(d2)', 'the one before'],
    ['block:3-0', '(d-1, 0)', 'a block of ^sys'],
    ['cont:3-1', '(d0, 0)', 'the core of the head'],
    ['block:3-2', '(d0, 0, 0)', 'its first block'],
    ['block:3-4', '(d0, -1)', 'pre-context that stands alone'],
    ['block:2-2', '(d1, 0, 1)', 'a block of a sealed core'],
    ['block:1-2', '(d2, 0, 7)', 'at the offset it was given, not at its rank'],
    ['block:2-3', '(d1, 1)', 'post-context'],
    ['cont:3-5', '(d0, 5)', 'a container of the head'],
    ['block:3-7', '(d0, 5, 0, -3)', 'and what it holds'],
    ['root', '{ id="root" }', 'the root has no depth (D10)'],
    ['seq', '{ id="seq" }', 'nor has ^seq (D10)'],
  ]
  test.each(rows)('of %s is %s: %s (D17)', (id, coordinate) => {
    expect(talk.coordinate(id)).toBe(coordinate)
  })

  it('reads the working state unless a lens says otherwise (D5)', () => {
    expect(talk.coordinate('block:1-2', '@t-1')).toBe('(d1, 0, 7)')
    expect(talk.coordinate('block:1-2', '@c2')).toBe('(d2, 0, 7)')
    expect(talk.coordinate('block:1-2', 'preview')).toBe('(d3, 0, 7)')
    expect(talk.snapshot('@t-1').coordinate('seg:1-3')).toBe('(d1)')
  })

  it('of nobody is E_NODE_NOT_FOUND, also for a node of another snapshot', () => {
    for (const [id, lens] of [
      ['nobody', 'working'],
      ['block:3-2', '@t0'],
      ['__proto__', 'working'],
    ] as const) {
      expect(codeOf(() => talk.coordinate(id, lens))).toEqual(['E_NODE_NOT_FOUND', { id }])
    }
  })

  it('counts siblings that share the last offset, in canonical order (D17)', () => {
    const ctx = createContext({ clock: () => 1n })
    const ids = ['a', 'b', 'c'].map((text) => ctx.pre(text).id)
    ctx.pre('alone', { offset: -2 })
    expect(ids.map((id) => ctx.coordinate(id))).toEqual(['(d0, -1):nth(1)', '(d0, -1):nth(2)', '(d0, -1):nth(3)'])
    ctx.commit()
    expect(ctx.coordinate(ids[1]!)).toBe('(d1, -1):nth(2)')
  })

  it('is an id below containers that share an offset, which a coordinate cannot tell apart (D17)', () => {
    const ctx = createContext({ ids: ({ index }) => `id${index}` })
    const [one, other] = [1, 2].map(() => ctx.add(undefined, { zone: 'pre', children: [{ content: 'x' }] }))
    expect([one!, other!].map((node) => ctx.coordinate(node.id))).toEqual(['(d0, -1):nth(1)', '(d0, -1):nth(2)'])
    expect([one!, other!].map((node) => ctx.coordinate(node.children[0]!.id))).toEqual(['{ id="id1" }', '{ id="id3" }'])
  })

  const ids: readonly (readonly [id: string, text: string])[] = [
    ['say "hi"', String.raw`{ id="say \"hi\"" }`],
    [String.raw`back\slash`, String.raw`{ id="back\\slash" }`],
    [String.raw`\"`, String.raw`{ id="\\\"" }`],
    ["it's", `{ id="it's" }`],
    ['__proto__', '{ id="__proto__" }'],
    ['{ } , :nth(1)', '{ id="{ } , :nth(1)" }'],
  ]
  test.each(ids)('quotes the id %s (D17)', (id, text) => {
    expect(importSnapshot({ root: { id, children: [] } }).coordinate(id)).toBe(text)
  })

  it('leads straight to the blocks of a virtual core, which is in no coordinate (D12)', () => {
    const seg = (id: string, children: object[]): object => ({
      id,
      nodeType: 'seg',
      offset: id === 's1' ? 1 : 2,
      children,
    })
    const ctx = importSnapshot({
      spec_version: 'PACT/1.0.0',
      root: {
        children: [
          {
            id: 'q',
            nodeType: '^seq',
            children: [
              seg('s1', [{ id: 'one' }, { id: 'after', offset: 1 }]),
              seg('s2', [{ id: 'first' }, { id: 'second' }]),
            ],
          },
          { id: 'h', nodeType: '^ah', children: [{ id: 'open' }] },
        ],
      },
    })
    expect(['one', 'after', 'first', 'second', 'open'].map((id) => ctx.coordinate(id))).toEqual([
      '(d2, 0)',
      '(d2, 1)',
      '(d1, 0):nth(1)',
      '(d1, 0):nth(2)',
      '(d0, 0)',
    ])
    ctx.user('The core is explicit now.')
    expect(ctx.coordinate('open')).toBe('(d0, 0, 0)')
  })

  it('leads to exactly its node, in every tree that can be built (D17)', () => {
    const offset = fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined })
    const leaf = fc.record({ content: fc.constant('x'), offset })
    const spec = fc.oneof(leaf, fc.record({ children: fc.array(leaf, { maxLength: 3 }), offset }))
    const step = fc.oneof(
      fc.record({ children: fc.option(fc.array(spec, { maxLength: 3 }), { nil: undefined }), offset }),
      fc.constant('commit' as const),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const ctx = createContext({ clock: () => 1n })
        ctx.system.add('one')
        ctx.system.add('two', { offset: 0 })
        for (const each of steps) {
          if (each === 'commit') ctx.commit()
          else ctx.add('x', each)
        }
        const { root } = ctx.snapshot('working')
        const wrong = nodesIn(root).filter(({ id }) => resolve(root, ctx.coordinate(id)).join() !== id)
        expect(wrong).toEqual([])
      }),
      SEED,
    )
  })
})

/** Two sealed turns and an open one. */
function conversation(): Context {
  const ctx = createContext()
  ctx.user('one')
  ctx.assistant('two', { offset: 7 })
  ctx.commit()
  ctx.user('three')
  ctx.assistant('four')
  ctx.post('note')
  ctx.commit()
  ctx.system.add('rule')
  ctx.user('five')
  ctx.assistant('six')
  ctx.pre('hint')
  ctx.add(undefined, { offset: 5, children: [{ children: [{ content: 'x', offset: -3 }] }] })
  return ctx
}

/** The rule of D17 as plainly as it is written, over public nodes. */
function resolve(root: Node, text: string): readonly string[] {
  const byId = /^\{ id="(.*)" \}$/s.exec(text)
  if (byId) return nodesIn(root).flatMap(({ id }) => (id === byId[1]!.replaceAll(/\\(.)/gs, '$1') ? [id] : []))
  const [, depth, offsets, nth] = /^\(d(-?\d+)((?:, -?\d+)*)\)(?::nth\((\d+)\))?$/.exec(text)!
  const [sys, seq, ah] = root.children as [Node, Node, Node]
  let found: readonly Node[] = [depth === '-1' ? sys : depth === '0' ? ah : seq.children.at(-Number(depth))!]
  for (const offset of offsets!.split(', ').slice(1)) {
    found = found.flatMap((node) => node.children.filter((child) => child.offset === Number(offset)))
  }
  return (nth === undefined ? found : found.slice(Number(nth) - 1, Number(nth))).map(({ id }) => id)
}

function nodesIn(node: Node): readonly Node[] {
  return [node, ...node.children.flatMap(nodesIn)]
}

function codeOf(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return PactError.is(error) ? [error.code, error.details] : error
  }
}
