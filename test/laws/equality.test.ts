// Deep equality tells unequal things apart, in each library that people test with: whatever we hand out is compared by its
// own enumerable properties, so everything that makes a difference has to be among them.

import assert from 'node:assert'
import { isDeepStrictEqual } from 'node:util'

import { expect as jestExpect } from 'expect'
import { createContext, importSnapshot, type Context, type Node } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf } from '../support/context.js'

type Compare = (a: unknown, b: unknown) => void

const LIBRARIES: readonly (readonly [name: string, compare: Compare])[] = [
  ['toEqual of Vitest', (a, b) => expect(a).toEqual(b)],
  ['toStrictEqual of Vitest', (a, b) => expect(a).toStrictEqual(b)],
  ['toEqual of Jest', (a, b) => jestExpect(a).toEqual(b)],
  ['toStrictEqual of Jest', (a, b) => jestExpect(a).toStrictEqual(b)],
  ['deepStrictEqual of node:assert', (a, b) => assert.deepStrictEqual(a, b)],
  ['deepEqual of node:assert', (a, b) => assert.deepEqual(a, b)],
  ['isDeepStrictEqual of node:util', (a, b) => assert(isDeepStrictEqual(a, b))],
]

/** The texts that may differ: everything else is the same in both builds. */
type Texts = Readonly<{ past: string; user: string; nested: string; tag: string; open: string; data: string }>

const SAME: Texts = { past: 'past', user: 'user', nested: 'nested', tag: 'tag', open: 'open', data: 'data' }

function build({ past, user, nested, tag, open, data }: Texts): Context {
  const ctx = createContext({ id: 'equal', clock: clockOf(), attemptClock: clockOf() })
  ctx.system.add('system')
  ctx.pre(past, { ttl: 1 })
  ctx.user(user, { key: 'u' })
  ctx.add(undefined, { zone: 'post', key: 'box', children: [{ children: [{ content: nested, tags: [tag] }] }] })
  ctx.commit()
  ctx.commit()
  ctx.post(open, { key: 'o', data_x: data, cad: 3 })
  return ctx
}

function nodeAt(ctx: Context, selector: string): Node {
  const node = ctx.first(selector)
  assert(node !== undefined, selector)
  return node
}

/** The values to compare, and the one text that makes a difference in them. */
const THINGS: readonly (readonly [name: string, take: (ctx: Context) => unknown, differs: keyof Texts])[] = [
  ['a block by its content', (ctx) => nodeAt(ctx, '#u'), 'user'],
  ['a block by an attribute', (ctx) => nodeAt(ctx, '#o'), 'data'],
  ['a container by what it holds', (ctx) => nodeAt(ctx, '#box'), 'nested'],
  ['a container by the tags of what it holds', (ctx) => nodeAt(ctx, '#box'), 'tag'],
  ['the root', (ctx) => ctx.snapshot().root, 'nested'],
  ['a list of nodes', (ctx) => ctx.nodes('.block'), 'user'],
  ['a snapshot', (ctx) => ctx.snapshot(), 'nested'],
  ['an earlier snapshot', (ctx) => ctx.snapshot('@t-1'), 'past'],
  ['a preview', (ctx) => ctx.preview(), 'open'],
  ['a context by its working state', (ctx) => ctx, 'open'],
  ['a context by its history', (ctx) => ctx, 'user'],
  ['a context by what only its past holds', (ctx) => ctx, 'past'],
  ['a fork by what only the past before it holds', (ctx) => ctx.fork(), 'past'],
  ['a context made by an import', (ctx) => importSnapshot(ctx.export(), { clock: clockOf() }), 'nested'],
  ['a detailed diff', (ctx) => ctx.diffDetailed('@t-1', '@t0'), 'past'],
  ['a thread', (ctx) => ctx.thread(), 'user'],
  ['schedules', (ctx) => ctx.preview().schedules, 'open'],
  ['an attempt by what it sends', (ctx) => ctx.startAttempt({ provider: 'p', model: 'm', params: {} }), 'user'],
  ['the record of an attempt', (ctx) => ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).record, 'open'],
  ['a range', (ctx) => rangeOf(ctx), 'open'],
]

function rangeOf(ctx: Context): unknown {
  ctx.commit()
  ctx.move('#o', { depth: 0, zone: 'post' })
  ctx.put('o', 'later')
  ctx.commit()
  return ctx.rangeDiffLatest('@history .block', { materialize: ['content'], includeContent: true })
}

describe.each(LIBRARIES)('%s', (_name, compare) => {
  test.each(THINGS)('takes %s for equal where the contents are', (_thing, take) => {
    compare(take(build(SAME)), take(build(SAME)))
  })

  test.each(THINGS)('tells %s apart where the contents are not', (_thing, take, differs) => {
    const [a, b] = [take(build(SAME)), take(build({ ...SAME, [differs]: 'another text' }))]
    expect(() => compare(a, b)).toThrow()
    expect(() => compare(b, a)).toThrow()
  })

  test('tells the working state from what it was before', () => {
    const ctx = build(SAME)
    const before = ctx.working
    compare(ctx.working, before)
    ctx.user('more')
    expect(() => compare(ctx.working, before)).toThrow()
  })
})

/** Every public field of a node. */
const FIELDS =
  `id nodeType parentId offset ttl cad priority cycle createdAtNs createdAtIso creationIndex role kind key tags
  content contentHash refs supersedes removable pinned provenance attributes children`.split(/\s+/)

describe('copies of a node', () => {
  const selectors = ['#u', '#o', '#box', '.seg', '^ah', '^root']

  test.each(selectors)('keys, spread and structuredClone keep all that %s has', (selector) => {
    const node = nodeAt(build(SAME), selector)
    expect(Object.keys(node).toSorted()).toEqual(FIELDS.toSorted())
    const values = Object.fromEntries(FIELDS.map((name) => [name, node[name as keyof Node]]))
    expect({ ...node }).toEqual(values)
    const clone = structuredClone(node)
    expect(clone).toEqual(values)
    expect(clone.contentHash).toBe(node.contentHash)
    expect(clone.createdAtNs).toBe(node.createdAtNs)
    expect(clone.children.map(({ id }) => id)).toEqual(node.children.map(({ id }) => id))
  })

  test.each(selectors)('%s is frozen, with everything in it', (selector) => {
    const node = nodeAt(build(SAME), selector)
    const parts = [node, node.children, node.attributes, node.tags, node.refs]
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true))
    expect(() => Object.assign(node, { content: 'other' })).toThrow(TypeError)
    expect(() => Object.assign(node, { children: [] })).toThrow(TypeError)
  })

  test('works out neither children nor hash until somebody looks', () => {
    const descriptors = Object.getOwnPropertyDescriptors(nodeAt(build(SAME), '#box'))
    const lazy = Object.entries(descriptors).filter(([, { get }]) => get !== undefined)
    expect(lazy.map(([name]) => name).toSorted()).toEqual(['children', 'contentHash', 'createdAtIso'])
  })
})

describe('structuredClone', () => {
  test('keeps the trees of snapshots, contexts and attempts as plain data', () => {
    const ctx = build(SAME)
    const [snapshot, attempt] = [ctx.snapshot(), ctx.startAttempt({ provider: 'p', model: 'm', params: {} })]
    expect(structuredClone(snapshot)).toEqual({ ...snapshot, root: structuredClone(snapshot.root) })
    expect(structuredClone(ctx).working.root).toEqual(structuredClone(ctx.working.root))
    expect(structuredClone(ctx).past).toEqual(ctx.past)
    expect(structuredClone(attempt).record).toEqual(attempt.record)
  })
})
