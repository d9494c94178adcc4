// JSON.stringify works on whatever we hand out, also where contents hold integers that outgrow a double (D33): each
// public call's result is taken apart, and every object in it is written on its own.

import {
  applyOperations,
  canonicalJson,
  createContext,
  importSnapshot,
  lintSelector,
  parseSelector,
  PactError,
  replayOperations,
  type Context,
  type Snapshot,
  type Warning,
} from 'pact-context'
import { fromOpenAIChat } from 'pact-context/openai'
import { describe, expect, test } from 'vitest'

import { clockOf, memberNames, textOf } from '../support/context.js'

const BIG = 2n ** 70n

/** A context with such integers wherever a caller can put one, bare and nested, in history and in the open cycle. */
function hostile(warnings: Warning[] = []): Context {
  const ctx = createContext({
    id: 'big',
    clock: clockOf(),
    attemptClock: clockOf(),
    prune: { maxNodes: 60 },
    onWarning: (warning) => warnings.push(warning),
  })
  ctx.system.add({ n: BIG })
  ctx.user({ n: BIG, list: [BIG, { deep: [BIG] }], '': null }, { key: 'u', data_n: BIG, provenance: { n: BIG } })
  ctx.assistant(BIG, { key: 'bare', provenance: BIG })
  ctx.post([BIG], { key: 'cad', cad: 2, data_list: [BIG] })
  ctx.add(undefined, { zone: 'post', key: 'box', cad: 3, children: [{ content: BIG }, { content: { n: BIG } }] })
  ctx.post('text', { key: 'changes', ttl: 9 })
  ctx.commit()
  ctx.move('#changes', { depth: 0, zone: 'post' })
  ctx.put('changes', { n: BIG })
  ctx.commit()
  ctx.move('#changes', { depth: 0, zone: 'post' })
  ctx.put('changes', -BIG)
  ctx.replace('#bare', { content: BIG + 1n })
  ctx.commit()
  ctx.user(BIG)
  return ctx
}

const RANGE = { materialize: ['content', 'content_hash'], includeContent: true } as const
const REPLY = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'c', type: 'function', function: { name: 'look', arguments: '{"n":123456789012345678901234567890}' } },
  ],
}
const ATTEMPT = { provider: 'p', model: 'm', params: { n: BIG }, request: { n: BIG } }

const CALLS: readonly (readonly [name: string, call: (ctx: Context) => unknown])[] = [
  ['the context', (ctx) => ctx],
  ['past', (ctx) => ctx.past],
  ['working', (ctx) => ctx.working],
  ['warnings', (ctx) => ctx.warnings],
  ['user', (ctx) => ctx.user({ n: BIG })],
  ['assistant', (ctx) => ctx.assistant([BIG])],
  ['tool', (ctx) => ctx.tool(BIG)],
  ['pre', (ctx) => ctx.pre(BIG)],
  ['post', (ctx) => ctx.post(BIG)],
  ['add', (ctx) => ctx.add(undefined, { zone: 'pre', children: [{ content: BIG }] })],
  ['put', (ctx) => ctx.put('new', BIG)],
  ['set', (ctx) => ctx.set('new', BIG)],
  ['insert', (ctx) => ctx.insert({ content: BIG }, '(d1, end)')],
  ['replace', (ctx) => ctx.replace('#u', { content: [BIG] })],
  ['move', (ctx) => ctx.move('#changes', { depth: 0, zone: 'post' })],
  ['delete', (ctx) => ctx.delete('#u')],
  ['update', (ctx) => ctx.update('#u', { ttl: 4 })],
  ['forget', (ctx) => (ctx.user(BIG), ctx.forget('d0 .block', { author: 'kim' }))],
  ['redact', (ctx) => (ctx.user({ [`n${BIG}`]: [BIG, 'x'] }), ctx.redact('d0 .block', { match: 'x' }))],
  ['system', (ctx) => ctx.system],
  ['system.add', (ctx) => ctx.system.add(BIG)],
  ['system.put', (ctx) => ctx.system.put('k', BIG)],
  ['system.set', (ctx) => ctx.system.set('k', BIG)],
  ['system.insert', (ctx) => ctx.system.insert({ content: BIG }, { depth: -1 })],
  ['system.replace', (ctx) => ctx.system.replace('.block', { content: BIG })],
  ['system.delete', (ctx) => ctx.system.delete('.block')],
  ['undo', (ctx) => ctx.undo()],
  ['batch', (ctx) => ctx.batch(() => ctx.user({ n: BIG }))],
  ['rehearse', (ctx) => ctx.rehearse(() => ctx.user({ n: BIG }))],
  ['onCommit', (ctx) => told(ctx)],
  ['operations', (ctx) => (everyEdit(ctx), ctx.operations())],
  ['applyOperations', (ctx) => applyOperations(ctx, [{ op: 'user', content: { n: BIG } }])],
  ['replayOperations', (ctx) => replayOperations(ctx, [{ op: 'user', content: BIG }])],
  ['hold', (ctx) => ctx.hold(ctx.select('#u')[0]!)],
  ['receive', (ctx) => ctx.receive(REPLY, { from: fromOpenAIChat })],
  ['openCalls', (ctx) => (ctx.receive(REPLY, { from: fromOpenAIChat }), ctx.openCalls())],
  ['result', (ctx) => ctx.result(ctx.receive(REPLY, { from: fromOpenAIChat }).calls[0]!, { n: BIG })],
  ['trim', () => shedding().trim()],
  ['recall', () => recalled((ctx, id) => ctx.recall(id))],
  ['unshed', () => recalled((ctx, id) => ctx.unshed(id))],
  ['planCompaction', (ctx) => ctx.planCompaction({ keep: 1 })],
  ['compact', (ctx) => compacted(ctx)],
  ['expand', (ctx) => ctx.expand(compacted(ctx).id)],
  ['commit', (ctx) => ctx.commit()],
  ['the receipt', (ctx) => createPruned(ctx)],
  ['preview', (ctx) => ctx.preview()],
  ['startAttempt', (ctx) => ctx.startAttempt(ATTEMPT)],
  ['complete', (ctx) => ctx.startAttempt(ATTEMPT).complete({ tokenIn: 1, tokenOut: 2 })],
  ['fail', (ctx) => ctx.startAttempt(ATTEMPT).fail(new Error('no'))],
  ['attempts', (ctx) => (ctx.startAttempt(ATTEMPT), ctx.attempts())],
  ['node', (ctx) => ctx.node(ctx.select('#bare')[0]!)],
  ['explain', (ctx) => ctx.explain(ctx.select('#u')[0]!)],
  ['life', (ctx) => ctx.life(ctx.select('#u')[0]!)],
  ['select', (ctx) => ctx.select('.block')],
  ['select over a range', (ctx) => ctx.select('@history .block', RANGE)],
  ['rangeDiffLatest, unified', (ctx) => ctx.rangeDiffLatest('@history .block', RANGE)],
  ['rangeDiffLatest, a patch', (ctx) => ctx.rangeDiffLatest('@history .block', { ...RANGE, contentMode: 'jsonpatch' })],
  ['rangeDiffLatest, tokens', (ctx) => ctx.rangeDiffLatest('@history .block', { ...RANGE, contentMode: 'tokens' })],
  ['diff', (ctx) => ctx.diff('@c1', 'working')],
  ['diffDetailed', (ctx) => ctx.diffDetailed('@c1', 'working')],
  ['diffDetailed backwards', (ctx) => ctx.diffDetailed('working', '@c1')],
  ['nodes', (ctx) => ctx.nodes('*')],
  ['first', (ctx) => ctx.first('#box')],
  ['iterate', (ctx) => [...ctx.iterate('.block')]],
  ['snapshot', (ctx) => ctx.snapshot('@c1')],
  ['schedules', (ctx) => ctx.snapshot('working').schedules],
  ['outline', (ctx) => ctx.snapshot().outline()],
  ['snapshots', (ctx) => ctx.snapshots()],
  ['thread', (ctx) => ctx.thread()],
  ['tokens', (ctx) => [ctx.tokens(), ctx.tokens('@c1', { by: 'node' }), ctx.snapshot().tokens({ by: 'role' })]],
  ['prefix', (ctx) => ctx.prefix('@c1', 'preview')],
  ['threadMap', (ctx) => [ctx.threadMap(), ctx.snapshot().threadMap()]],
  ['threadPlace', (ctx) => ctx.threadPlace(ctx.select('#bare')[0]!)],
  ['fork', (ctx) => ctx.fork('working')],
  ['importSnapshot', (ctx) => importSnapshot(ctx.export())],
  ['parseSelector', () => parseSelector(`.block[n=${BIG}]`)],
  ['lintSelector', () => lintSelector('.block [')],
  ['an error', (ctx) => errorOf(() => ctx.user('x', { ttl: -1 }))],
]

describe('JSON.stringify', () => {
  test.each(CALLS)('writes what %s gives, and everything in it on its own', (_name, call) => {
    const warnings: Warning[] = []
    const ctx = hostile(warnings)
    for (const part of [...partsOf(call(ctx)), ...partsOf(warnings)]) expect(JSON.stringify(part)).toBeTypeOf('string')
  })

  test('is asked for every public method that gives something', () => {
    const context = memberNames(hostile())
    const named = new Set(CALLS.map(([name]) => name.split(/[ ,]/)[0]))
    const others = ['constructor', 'toJSON', 'toString', 'cycle']
    // Texts, numbers and bytes need no care.
    const plain = ['coordinate', 'count', 'threadBytes', 'export', 'referenceBytes', 'requestOf', 'due']
    expect(context.filter((name) => !named.has(name) && !others.includes(name) && !plain.includes(name))).toEqual([])
  })

  test('gives large integers as numbers; the bytes have every digit', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.user({ n: BIG + 1n })
    expect(JSON.parse(JSON.stringify(ctx.thread()))).toEqual([
      { id: 'block:1-1', role: 'user', content: { n: 2 ** 70 } },
    ])
    expect(JSON.stringify(ctx.thread()[0]!.content)).toBe(`{"n":${JSON.stringify(2 ** 70)}}`)
    expect(textOf(ctx.threadBytes())).toContain(`{"n":${BIG + 1n}}`)
    expect(canonicalJson(ctx.thread()[0]!.content)).toBe(`{"n":${BIG + 1n}}`)
  })

  test('leaves contents equal to what was given, and a copy keeps every digit', () => {
    const given = { n: BIG + 1n, list: [BIG, 'x'] }
    const ctx = createContext()
    const node = ctx.user(given)
    expect(node.content).toStrictEqual(given)
    expect(ctx.assistant(node.content!).content).toStrictEqual(given)
    expect(structuredClone(node.content)).toStrictEqual(given)
    expect(ctx.thread()[0]).toStrictEqual({ id: node.id, role: 'user', content: given })
  })

  test('takes a name toJSON in a content for data', () => {
    const ctx = createContext()
    ctx.user({ toJSON: 'data', n: BIG })
    expect(JSON.parse(JSON.stringify(ctx.snapshot('working').root))).toMatchObject({ id: 'root' })
  })

  test('of a context says what it is and shows the tree as it stands', () => {
    const ctx = createContext({ id: 'support-42', clock: clockOf() })
    ctx.user('Hi')
    ctx.commit()
    ctx.user('And?')
    const written = JSON.parse(JSON.stringify(ctx)) as Record<string, unknown>
    expect(written).toEqual({
      context: 'support-42',
      dialect: '1.0',
      cycle: 2,
      snapshots: 1,
      working: JSON.parse(JSON.stringify(ctx.snapshot('working'))),
    })
    expect(JSON.stringify(written)).toContain('And?')
  })
})

/** A value and every object in it that a reader can get hold of. */
function* partsOf(value: unknown, seen = new Set<unknown>()): Generator<object> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  yield value
  for (const part of Object.values(value)) yield* partsOf(part, seen)
}

/** Every edit that can hold such an integer, bare and nested. */
function everyEdit(ctx: Context): void {
  ctx.user(BIG, { data_n: BIG, provenance: { n: BIG } })
  ctx.pre([BIG], { data_list: [BIG, { n: BIG }] })
  ctx.add(undefined, { zone: 'post', children: [{ content: BIG, data_n: BIG }, { content: { n: BIG } }] })
  ctx.put('new', BIG)
  ctx.put('new', { n: BIG }, { data_n: BIG })
  ctx.set('new', BIG, { provenance: BIG })
  ctx.insert({ content: BIG, data_n: BIG }, { depth: 0, zone: 'post' })
  ctx.replace('#u', { content: BIG, data_n: BIG })
  ctx.user({ n: BIG, x: 'x' }, { data_n: [BIG, 'x'] })
  ctx.redact('d0 .block', { match: 'x' })
  ctx.system.add(BIG, { key: 'k' })
  ctx.system.put('k', BIG)
}

/** The arguments of a listener. */
function told(ctx: Context): readonly Snapshot[] {
  const snapshots: Snapshot[] = []
  ctx.onCommit((snapshot) => snapshots.push(snapshot))
  ctx.commit()
  return snapshots
}

/** A context whose one result is over its limit. */
function shedding(): Context {
  const ctx = createContext({ prune: { maxTokens: 20, results: { keep: 0 } } })
  ctx.user('Look.')
  ctx.result(ctx.receive(REPLY, { from: fromOpenAIChat }).calls[0]!, { n: Array.from({ length: 100 }, () => BIG) })
  return ctx
}

function recalled(call: (ctx: Context, id: string) => unknown): unknown {
  const ctx = shedding()
  const [shed] = ctx.trim()
  return call(ctx, shed!.id)
}

function compacted(ctx: Context): ReturnType<Context['compact']> {
  ctx.assistant({ n: BIG })
  ctx.user('the task')
  ctx.assistant('done')
  return ctx.compact(ctx.planCompaction({ keep: 1 }), 'sum')
}

function createPruned(ctx: Context): unknown {
  const pruned = importSnapshot(ctx.export(), {
    prune: { maxNodes: 12, protectSegments: 0, unit: 'turn', target: 0.9 },
  })
  const { receipt } = pruned.commit()
  expect(receipt.removed.length).toBeGreaterThan(0)
  return receipt
}

function errorOf(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    if (PactError.is(error)) return error
  }
  throw new Error('The call did not fail.')
}
