// The thread (D36): its bytes against its objects, whatever was rendered before; and that what did not change is not
// rendered again. Rendering is counted at the door of the codec: one id is quoted for every item.

import * as fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import type * as codec from '../codec/index.js'
import {
  canonicalJson,
  createContext,
  importSnapshot,
  type AddHeader,
  type Context,
  type Dialect,
  type Lens,
  type Node,
} from '../index.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 36) }

const quoted = vi.hoisted((): string[] => [])

vi.mock(import('../codec/index.js'), async (original) => {
  const actual: typeof codec = await original()
  return { ...actual, escapeJson: (text: string) => (quoted.push(text), actual.escapeJson(text)) }
})

const header = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'ro"le', 'é'),
    kind: fc.constantFrom('text', 'call', ''),
    ttl: fc.nat(2),
    offset: fc.integer({ min: -2, max: 2 }),
    key: fc.uuid().map((key) => `${key} is no part of a thread`),
  },
  { requiredKeys: [] },
)
const content = fc.oneof(fc.constantFrom('', 'hi', '😀\ud800"\n', null, 0, 1e21), fc.jsonValue({ maxDepth: 2 }))
const block = fc.tuple(content, header).map(([value, rest]) => ({ content: value, ...rest }))
const container = fc
  .tuple(
    fc.option(content, { nil: undefined }),
    fc.array(fc.oneof(block, fc.constant({ children: [] })), { maxLength: 3 }),
  )
  .map(([value, children]) => ({ content: value, children }))

type Step = 'commit' | { system: boolean; spec: { content?: unknown; children?: readonly object[] } }

const program = fc.record({
  dialect: fc.constantFrom<Dialect>('1.0', '0.1'),
  steps: fc.array(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant<Step>('commit') },
      {
        weight: 3,
        arbitrary: fc.record({ system: fc.boolean(), spec: fc.oneof(block, block, container) }),
      },
    ),
    { maxLength: 25 },
  ),
  // Turns before the program: beyond 32 the tree has chunks, and some turns render nothing.
  turns: fc.nat(70),
  // The lens to render next; the same writer serves them all.
  looks: fc.array(fc.nat(), { minLength: 3, maxLength: 12 }),
})

describe('a thread', () => {
  it('has the same chunks, bytes and objects, in whatever order lenses are rendered (D36)', () => {
    fc.assert(
      fc.property(program, ({ dialect, turns, steps, looks }) => {
        const ctx = createContext({ dialect, clock: () => 1n })
        for (let turn = 0; turn < turns; turn++) {
          if (turn % 3 === 0) ctx.add(undefined, { children: [] })
          else ctx.user('old')
          ctx.commit()
        }
        const queue = [...looks]
        for (const each of steps) {
          run(ctx, each)
          // Rendering in between fills the cache with trees that are about to change.
          if (queue.length > 3) checkThread(ctx, queue.pop()!)
        }
        for (const look of looks) checkThread(ctx, look)
      }),
      { ...SEED, numRuns: 60 },
    )
  })

  it('holds every block and any other node with content, a node before its children (D36)', () => {
    const ctx = createContext({ dialect: '0.1' })
    ctx.system.add('rules')
    ctx.add('title', { role: 'assistant', children: [{ content: 'inside', kind: 'text' }, { children: [] }] })
    ctx.pre(null)
    expect(ctx.thread()).toEqual([
      { id: 'cb:1-0', role: 'system', content: 'rules' },
      { id: 'cb:1-5', role: 'user', content: null },
      { id: 'mc:1-2', role: 'assistant', content: 'title' },
      { id: 'cb:1-3', role: 'user', kind: 'text', content: 'inside' },
    ])
  })

  it('invents no role in PACT/1.0 and no kind anywhere, but always has content (D36)', () => {
    const ah = { id: 'ah', nodeType: '^ah', content: 'even a region', children: [{ id: 'b' }] }
    const of = (spec_version: string): Context => importSnapshot({ spec_version, root: { children: [ah] } })
    expect(text(of('PACT/1.0').threadBytes())).toBe('[{"id":"ah","content":"even a region"},{"id":"b","content":""}]')
    expect(text(of('PACT/0.1').threadBytes())).toBe(
      '[{"id":"ah","role":"user","content":"even a region"},{"id":"b","role":"user","content":""}]',
    )
  })

  it('of nothing is []', () => {
    expect(createContext().snapshot('working').threadChunks()).toEqual(['[]'])
    expect(createContext().thread()).toEqual([])
  })

  it('is frozen, chunks and items alike', () => {
    const ctx = createContext()
    ctx.user({ list: [] })
    const snapshot = ctx.snapshot('working')
    const [item] = snapshot.thread()
    const parts = [snapshot.thread(), item, item!.content, snapshot.threadChunks()]
    expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([])
  })
})

describe('the cache', () => {
  beforeEach(() => void quoted.splice(0))

  it('renders only what a commit added; the pieces of unchanged history are shared (N1)', () => {
    const ctx = talk(100)
    const before = ctx.snapshot().threadChunks()
    expect(renderedBy(() => ctx.snapshot().threadChunks())).toEqual([])
    for (let turn = 0; turn < 70; turn++) {
      const ids = [ctx.user('one more').id, ctx.assistant('and more').id]
      ctx.commit()
      expect(renderedBy(() => ctx.snapshot().threadChunks())).toEqual(ids)
    }
    const after = ctx.snapshot().threadChunks()
    // Chunks of the tree that were full already are one piece each, then as now.
    expect(after.slice(0, 7)).toEqual(before.slice(0, 7))
  })

  it('renders the open cycle again, but not the history below it', () => {
    const ctx = talk(100)
    ctx.threadBytes('@t0')
    const { id } = ctx.user('open')
    expect(renderedBy(() => ctx.threadBytes())).toEqual([id])
    expect(renderedBy(() => ctx.threadBytes('preview'))).toEqual([id])
  })

  it('stays while another lens is rendered, however often the two take turns', () => {
    const ctx = talk(100)
    expect(renderedBy(() => ctx.threadBytes('@t0'))).toHaveLength(200)
    ctx.replace(`[id='${ctx.select('@t0 .block')[0]}']`, { content: 'another beginning' })
    ctx.commit()
    // The first leaf is another one in the two snapshots, and the newest leaf gave up its part when it was full.
    for (const lens of ['@t0', '@t-1'] as const) ctx.threadBytes(lens)
    for (const lens of ['@t0', '@t-1', '@t0'] as const) expect(renderedBy(() => ctx.threadBytes(lens))).toEqual([])
  })

  it('is shared with forks, as far as they share the tree', () => {
    const ctx = talk(40)
    ctx.threadBytes('@t0')
    const fork = ctx.fork()
    const { id } = fork.user('only here')
    expect(renderedBy(() => fork.threadBytes())).toEqual([id])
  })

  it('finds the place of a node by sums: nothing is rendered but the node itself', () => {
    const ctx = talk(200)
    const snapshot = ctx.snapshot()
    snapshot.threadBytes()
    const ids = ctx.select('@t0 .block')
    const id = ids[250]!
    snapshot.threadPlace(ids[252]!)
    expect(renderedBy(() => snapshot.threadPlace(id))).toEqual([id])
  })
})

function checkThread(ctx: Context, look: number): void {
  const lenses: Lens[] = ['working', 'preview', ...ctx.snapshots().map((ref) => ref.label as Lens)]
  const snapshot = ctx.snapshot(lenses[look % lenses.length])
  const items = snapshot.thread()
  expect(items).toEqual(naiveItems(snapshot.root, ctx.dialect, 'user'))
  const expected = items.map((item) => {
    const fields = Object.entries(item).map(([name, value]) => `${JSON.stringify(name)}:${canonicalJson(value)}`)
    return `{${fields.join(',')}}`
  })
  const keys = items
    .map((item) => Object.keys(item).join())
    .filter((each) => !/^id(,role)?(,kind)?,content$/.test(each))
  expect(keys).toEqual([])
  expect(snapshot.threadChunks().join('')).toBe(`[${expected.join(',')}]`)
  expect(text(snapshot.threadBytes())).toBe(`[${expected.join(',')}]`)
  let start = 1
  for (const [index, item] of items.entries()) {
    const end = start + expected[index]!.length
    expect(snapshot.threadPlace(item.id)).toEqual({ index, start, end })
    start = end + 1
  }
}

/** D36 over public nodes, in one breath. */
function naiveItems(node: Node, dialect: Dialect, missing: string): readonly object[] {
  const { id, kind, nodeType } = node
  const fallback = nodeType === '^sys' ? 'system' : missing
  const role = node.role ?? (dialect === '0.1' ? fallback : undefined)
  const isBlock = node.children.length === 0 && node.toJSON()['children'] === undefined
  const item = {
    id,
    ...(role === undefined ? {} : { role }),
    ...(kind === undefined ? {} : { kind }),
    content: node.content === undefined ? '' : node.content,
  }
  const own = isBlock || node.content !== undefined ? [item] : []
  return [...own, ...node.children.flatMap((child) => naiveItems(child, dialect, fallback))]
}

function run(ctx: Context, step: Step): void {
  if (step === 'commit') ctx.commit()
  else {
    const { content: value, ...rest } = step.spec
    if (step.system) ctx.system.add(value as string, rest as AddHeader)
    else ctx.add(value as string, rest as AddHeader)
  }
}

function talk(turns: number): Context {
  const ctx = createContext()
  for (let turn = 0; turn < turns; turn++) {
    ctx.user(`question ${turn}`)
    ctx.assistant(`answer ${turn}`)
    ctx.commit()
  }
  return ctx
}

/** The ids of the items that were turned into text meanwhile. */
function renderedBy(render: () => unknown): readonly string[] {
  quoted.length = 0
  render()
  return quoted.filter((each) => each.startsWith('block:'))
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
