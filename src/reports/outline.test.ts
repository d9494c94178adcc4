// A view as text for people: what a line says, and that no tree makes the text long.

import { inspect } from 'node:util'

import { describe, expect, it, test } from 'vitest'

import { createContext, type Context, type ContextOptions } from '../index.js'

const BARS = String.fromCodePoint(0x1b)

function clocked(options: ContextOptions = {}): Context {
  let now = 1_700_000_000_000_000_000n
  return createContext({
    id: 'support-42',
    clock: () => (now += 1_000n),
    attemptClock: () => 1_700_000_000_000_000_000n,
    ...options,
  })
}

function conversation(): Context {
  const ctx = clocked()
  ctx.system.add('You are helpful.', { role: 'system' })
  ctx.pre('Customer is on the free plan.', { ttl: 2 })
  ctx.user('How do I reset\nmy password?')
  ctx.assistant({ name: 'search', arguments: { q: 'reset' } }, { kind: 'call', data_call_id: 'c1' })
  ctx.tool({ hits: 2n ** 70n }, { kind: 'result', data_call_id: 'c1' })
  ctx.post('Doc: resetting', { key: 'kb', ttl: 1 })
  ctx.add(undefined, { zone: 'post', key: 'box', children: [{ content: 'in a box', role: 'tool' }] })
  ctx.commit()
  ctx.user(`${BARS}[31mred`)
  return ctx
}

const DRAWN = `
├─ ^sys  depth -1, the system: it is above every turn
│  └─ (d-1, 0)         system                     ~4 tok  You are helpful.
├─ ^seq  1 sealed segment, oldest first
│  └─ (d1)             segment depth 1, cycle 1, 6 blocks, ~56 tok
│     ├─ (d1, -1)      pre            ttl 2       ~7 tok  Customer is on the free plan.
│     ├─ (d1, 0)       core
│     │  ├─ (d1, 0, 0) user                       ~7 tok  How do I reset ↵ my password?
│     │  ├─ (d1, 0, 1) assistant call            ~17 tok  search({"q":"reset"})
│     │  └─ (d1, 0, 2) tool result               ~19 tok  {"hits":1180591620717411303424}
│     ├─ (d1, 1)       post           ttl 1       ~4 tok  #kb Doc: resetting
│     └─ (d1, 2)       post                               #box
│        └─ (d1, 2, 0) post tool                  ~2 tok  in a box
└─ ^ah   depth 0, the active head: the next turn is written here
   └─ (d0, 0)          core
      └─ (d0, 0, 0)    user                       ~6 tok  \\x1b[31mred`.slice(1)

describe('what people see', () => {
  it('draws a snapshot as a tree, one line a node', () => {
    expect(String(conversation().snapshot('working'))).toBe(DRAWN)
  })

  it('prints a snapshot with its name, and a context with what it holds', () => {
    const ctx = conversation()
    expect(inspect(ctx.snapshot('working'))).toBe(`Snapshot @c2, working\n${DRAWN}`)
    const head = 'Context support-42 (dialect 1.0): cycle 2 is open, 1 snapshot; ^sys 1 node, ^seq 9 nodes, ^ah 2 nodes'
    expect(String(ctx)).toBe(`${head}\n${DRAWN}`)
    expect(inspect(ctx)).toBe(String(ctx))
    expect(inspect([[ctx, ctx.snapshot(), ctx.first('#kb')]], { depth: 0 })).toBe('[ [Array] ]')
    expect(inspect([ctx, ctx.snapshot(), ctx.first('#kb')], { depth: -1 })).toBe('[Array]')
    expect(inspect({ ctx, at: ctx.snapshot(), node: ctx.first('#kb') }, { depth: 0 })).toContain('[Context support-42]')
    expect(String(clocked())).toMatch(/^Context support-42 .*: cycle 1 is open, nothing committed yet; /)
  })

  it('says a node in one line, and prints what it has', () => {
    const ctx = conversation()
    expect(String(ctx.first('#kb'))).toBe('block:1-6 (block #kb, ttl 1): Doc: resetting')
    expect(String(ctx.first('[kind=call]'))).toBe('block:1-4 (block, assistant call): search({"q":"reset"})')
    expect(String(ctx.first('#box'))).toBe('cont:1-7 (cont #box, 1 child)')
    expect(String(ctx.snapshot().root)).toBe('root (^root, 3 children)')
    const text = inspect(ctx.first('#kb'))
    expect(text).toMatch(/^Node \{\n {2}id: 'block:1-6',/)
    for (const part of ["key: 'kb'", 'ttl: 1', 'createdAtIso:', "content: 'Doc: resetting'"])
      expect(text).toContain(part)
    for (const part of ['undefined', 'tags', 'children', 'attributes']) expect(text).not.toContain(part)
    expect(inspect(ctx.first('#box'))).toContain("children: [ 'block:1-8' ]")
  })

  it('says an attempt in one line, and prints its record', () => {
    const ctx = conversation()
    const attempt = ctx.startAttempt({ provider: 'openai', model: 'gpt', params: {} })
    const start = '2023-11-14T22:13:20.000000000Z'
    expect(String(attempt)).toBe(`attempt:2-0: openai gpt, cycle 2, running, since ${start}`)
    attempt.complete({ tokenIn: 1, tokenOut: 1234 })
    const ended = `${start} to ${start}, 1 token in, 1,234 tokens out`
    expect(String(attempt)).toBe(`attempt:2-0: openai gpt, cycle 2, completed, ${ended}`)
    expect(inspect(attempt)).toMatch(/^Attempt \{\n {2}attempt_id: 'attempt:2-0',/)
    const failed = ctx.startAttempt({ provider: 'openai', model: 'gpt', params: {} })
    failed.fail(new TypeError('no\nnetwork'))
    expect(String(failed)).toMatch(/error, .*, TypeError: no ↵ network$/)
  })
})

describe('no tree makes the text long', () => {
  it('counts older segments and folds all but the newest two', () => {
    const ctx = clocked()
    for (let turn = 1; turn <= 1_006; turn++) {
      ctx.user(`turn ${turn}`)
      ctx.commit()
    }
    const lines = String(ctx.snapshot()).split('\n')
    expect(lines.slice(1, 4)).toEqual([
      '├─ ^seq  1,006 sealed segments, oldest first',
      '│  ├─ … 1,000 older segments',
      '│  ├─ (d6)             segment depth 6, cycle 1001, 1 block, ~4 tok …',
    ])
    expect(lines).toHaveLength(3 + 1 + 6 + 4)
    const all = { segments: Infinity, full: Infinity, children: Infinity, lines: Infinity }
    expect(ctx.snapshot().outline(all)).toHaveLength(3 + 3 * 1_006)
    expect(ctx.snapshot().outline({ segments: 0 }).map(lineText)[2]).toBe('│  └─ … 1,006 older segments')
  })

  it('cuts a long list in the middle', () => {
    const ctx = clocked()
    for (let i = 0; i < 50; i++) ctx.system.add(`rule ${i}`)
    const lines = String(ctx.snapshot('working')).split('\n')
    expect(lines).toHaveLength(3 + 20 + 1)
    expect(lines[10]).toContain('rule 9')
    expect(lines[11]).toBe('│  ├─ … 30 more nodes')
    expect(lines[12]).toContain('rule 40')
    expect(ctx.snapshot('working').outline({ children: 1 }).map(lineText)[2]).toBe('│  └─ … 49 more nodes')
  })

  it('stays within its lines where lists stand in lists', () => {
    const ctx = clocked()
    const box = (depth: number): object => ({
      children: Array.from({ length: 6 }, () => (depth === 0 ? { content: 'x' } : box(depth - 1))),
    })
    ctx.add(undefined, { zone: 'post', ...box(4) })
    expect(String(ctx.snapshot('working')).split('\n').length).toBeLessThan(300)
    expect(ctx.snapshot('working').outline({ lines: 10 }).length).toBeLessThan(80)
  })

  it('counts a large segment without measuring it, and cuts long contents', () => {
    const ctx = clocked()
    for (let i = 0; i < 1_500; i++) ctx.post('x'.repeat(1_000))
    ctx.commit()
    const text = String(ctx.snapshot())
    expect(text).toContain('segment depth 1, cycle 1, 1,501 nodes')
    expect(text.length).toBeLessThan(5_000)
  })
})

test.each([
  [{ lines: -1 }, 'The option lines is a number from 0 up, not -1.'],
  [{ segments: Number.NaN }, 'The option segments is a number from 0 up, not NaN.'],
  [{ full: '2' }, 'The option full is a number from 0 up, not "2".'],
  [{ depth: 3 }, 'There is no option "depth"; there are segments, full, children, lines, preview.'],
  [null, 'Options are an object such as { lines: 50 }, not null.'],
  [5, 'Options are an object such as { lines: 50 }, not 5.'],
])('refuses the options %j', (options, message) => {
  const snapshot = clocked().snapshot('working')
  expect(() => snapshot.outline(options as never)).toThrow(
    expect.objectContaining({ code: 'E_CONTENT_INVALID', message }),
  )
})

test('takes an option that is undefined as not given', () => {
  const snapshot = conversation().snapshot()
  expect(snapshot.outline({ lines: undefined })).toEqual(snapshot.outline())
})

test('lines come in pieces that say how to paint them, frozen', () => {
  const lines = conversation().snapshot().outline()
  expect(lines[0]).toEqual([
    ['dim', '├─ '],
    ['bold', '^sys  '],
    ['dim', 'depth -1, the system: it is above every turn'],
  ])
  expect([lines, lines[0], lines[0]![0]].map((part) => Object.isFrozen(part))).toEqual([true, true, true])
})

test('names that a caller chose cannot steer a terminal', () => {
  const ctx = clocked({ id: `${BARS}[2J`, ids: ({ index }) => `${BARS}]0;${index}` })
  ctx.post('x', { key: `${BARS}k`, role: `${BARS}r`, kind: '\u202e', nodeType: 'block:\u2066' })
  ctx.add(undefined, { zone: 'post', nodeType: 'cont:\u2066', children: [] })
  const node = ctx.first('.block')
  for (const text of [String(ctx), String(ctx.snapshot('working')), String(node), inspect(ctx)]) {
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  }
})

function lineText(line: readonly (readonly [string, string])[]): string {
  return line.map(([, text]) => text).join('')
}
