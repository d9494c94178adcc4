// Whatever a caller passes, and whatever their own functions do: a call answers or fails with a PactError, what they threw
// is its cause, and the context is as it was.

import {
  applyOperations,
  canonicalJson,
  contentHash,
  createContext,
  formatSelector,
  importSnapshot,
  lintSelector,
  normalizeSelector,
  PactError,
  parseSelector,
  replayOperations,
  sel,
  type Context,
  type ContextOptions,
} from 'pact-context'
import {
  fromOpenAIChat,
  fromOpenAIResponses,
  receiveOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from 'pact-context/openai'
import { calibrated, createCounter, createEstimate, overheadFor, OVERHEADS, readUsage } from 'pact-context/tokens'
import { describe, expect, test } from 'vitest'

import { clockOf, textOf } from '../support/context.js'

/** Errors of the caller's own code. */
const MINE = new Error('mine')

function throws(): never {
  throw MINE
}

const CALL = { provider: 'p', model: 'm', params: {} } as const

/** Values that are never valid, each made for one call, since some can be used once only. */
const HOSTILE: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  true: () => true,
  'not a number': () => Number.NaN,
  'a negative zero': () => -0,
  'a huge number': () => 1e308,
  'a bigint': () => 10n ** 30n,
  'a symbol': () => Symbol('s'),
  'an empty text': () => '',
  'a long text': () => 'x'.repeat(100_000),
  'many lines': () => '\n'.repeat(100_000),
  'a lone surrogate': () => '\ud800',
  'a reserved name': () => '__proto__',
  'an empty object': () => ({}),
  'an object without a prototype': () => Object.create(null) as object,
  'an empty list': () => [],
  'a list with holes': () => Array(3),
  'a list that says it is endless': () => Object.assign([], { length: 1e8 }),
  'a list in itself': () => {
    const list: unknown[] = []
    list.push(list)
    return list
  },
  'a date': () => new Date(0),
  'a map': () => new Map([[1, 2]]),
  bytes: () => new Uint8Array([0xff, 0xfe]),
  'a function': () => () => undefined,
  'a class': () => PactError,
  'a promise': () => Promise.resolve(1),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  'a revoked proxy of a list': () => {
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    return proxy
  },
  'a proxy whose traps throw': () =>
    new Proxy({}, { get: throws, has: throws, ownKeys: throws, getPrototypeOf: throws }),
  'a getter that throws': () => ({
    get ttl(): never {
      return throws()
    },
    get limit(): never {
      return throws()
    },
    get content(): never {
      return throws()
    },
    get depth(): never {
      return throws()
    },
  }),
  'a text that cannot be made': () => ({ toString: throws, valueOf: throws, toJSON: throws }),
  'a cut-off array buffer': () => structuredClone(new ArrayBuffer(8), { transfer: [] }),
}

type Call = (ctx: Context, value: never) => unknown

const CALLS: Readonly<Record<string, Call>> = {
  user: (ctx, value) => ctx.user(value),
  'user with a header': (ctx, value) => ctx.user('x', value),
  'a ttl': (ctx, value) => ctx.user('x', { ttl: value }),
  tags: (ctx, value) => ctx.user('x', { tags: value }),
  'one of the tags': (ctx, value) => ctx.user('x', { tags: [value] }),
  refs: (ctx, value) => ctx.user('x', { refs: value }),
  children: (ctx, value) => ctx.add(undefined, { children: value }),
  'one of the children': (ctx, value) => ctx.add(undefined, { children: [value] }),
  provenance: (ctx, value) => ctx.user('x', { provenance: value }),
  put: (ctx, value) => ctx.put(value, 'x'),
  set: (ctx, value) => ctx.set('k', 'x', value),
  insert: (ctx, value) => ctx.insert({ content: 'x' }, value),
  'insert of': (ctx, value) => ctx.insert(value, '(d0, end)'),
  replace: (ctx, value) => ctx.replace('#box', value),
  update: (ctx, value) => ctx.update('#box', value),
  move: (ctx, value) => ctx.move('#box', value),
  delete: (ctx, value) => ctx.delete(value),
  'delete with options': (ctx, value) => ctx.delete('#nobody', value),
  redact: (ctx, value) => ctx.redact('#nobody', value),
  'forget selector': (ctx, value) => ctx.forget(value),
  forget: (ctx, value) => ctx.forget('#nobody', value),
  'system.add': (ctx, value) => ctx.system.add('x', value),
  // An error thrown by that function is its own affair.
  batch: (ctx, value) => typeof value === 'function' || ctx.batch(value),
  'what a batch gives': (ctx, value) => ctx.batch(() => (ctx.user('x'), value)),
  onCommit: (ctx, value) => ctx.onCommit(value),
  applyOperations: (ctx, value) => applyOperations(ctx, value),
  'applyOperations to': (_, value) => applyOperations(value, []),
  'an operation': (ctx, value) => applyOperations(ctx, [{ op: 'user', content: 'x' }, value]),
  'an op': (ctx, value) => applyOperations(ctx, [{ op: value, content: 'x' }]),
  'a region': (ctx, value) => applyOperations(ctx, [{ op: 'add', region: value, content: 'x' }]),
  'the content of an operation': (ctx, value) => applyOperations(ctx, [{ op: 'user', content: value }]),
  'the header of an operation': (ctx, value) => applyOperations(ctx, [{ op: 'user', content: 'x', header: value }]),
  'the spec of an operation': (ctx, value) => applyOperations(ctx, [{ op: 'replace', selector: '#box', spec: value }]),
  'the position of an operation': (ctx, value) =>
    applyOperations(ctx, [{ op: 'move', selector: '#box', position: value }]),
  'the options of an operation': (ctx, value) =>
    applyOperations(ctx, [{ op: 'redact', selector: '#box', options: value }]),
  'the replacements of an operation': (ctx, value) =>
    applyOperations(ctx, [{ op: 'redact', selector: '#box', options: { replaced: value } }]),
  'one of the replacements': (ctx, value) =>
    applyOperations(ctx, [{ op: 'redact', selector: '#box', options: { replaced: [value] } }]),
  'the ids that an operation made': (ctx, value) => replayOperations(ctx, [{ op: 'user', content: 'x', made: value }]),
  replayOperations: (ctx, value) =>
    replayOperations(ctx, [
      { op: 'user', content: 'x', made: ['cont:1-0', 'block:1-1'] },
      { op: 'add', header: { children: [value], refs: value } },
      { op: 'insert', spec: value, position: value },
      { op: 'redact', selector: value, options: { replaced: value } },
    ]),
  receive: (ctx, value) => ctx.receive(value, { from: fromOpenAIChat }),
  'receive with options': (ctx, value) => ctx.receive({ role: 'assistant', content: 'x' }, value),
  'receive for an attempt': (ctx, value) =>
    ctx.receive({ role: 'assistant', content: 'x' }, { from: fromOpenAIChat, attempt: value }),
  hold: (ctx, value) => ctx.hold(value),
  startAttempt: (ctx, value) => ctx.startAttempt(value),
  'attempt params': (ctx, value) => ctx.startAttempt({ provider: 'p', model: 'm', params: value }).cancel(),
  'attempt for': (ctx, value) => ctx.startAttempt({ provider: 'p', model: 'm', params: {}, for: value }).cancel(),
  'attempt options': (ctx, value) =>
    ctx.startAttempt({ provider: 'p', model: 'm', params: {}, for: toOpenAIChat, options: value }).cancel(),
  'attempt options that are kept': (ctx, value) =>
    ctx
      .startAttempt({ provider: 'p', model: 'm', params: {}, for: toOpenAIChat, options: value, keepRequest: true })
      .cancel(),
  'attempt keepRequest': (ctx, value) =>
    ctx.startAttempt({ provider: 'p', model: 'm', params: {}, request: 'x', keepRequest: value }).cancel(),
  requestOf: (ctx, value) => ctx.requestOf(value),
  'requestOf with options': (ctx, value) => ctx.requestOf('attempt:1-0', value),
  'requestOf with a function': (ctx, value) => {
    const own = ctx.fork('working')
    const { id } = own.startAttempt({ provider: 'p', model: 'm', params: {}, for: toOpenAIChat })
    own.requestOf(id, { for: value })
  },
  node: (ctx, value) => ctx.node(value),
  explain: (ctx, value) => ctx.explain(value),
  'explain in': (ctx, value) => ctx.explain('block:1-1', value),
  life: (ctx, value) => ctx.life(value),
  select: (ctx, value) => ctx.select(value),
  'select with options': (ctx, value) => ctx.select('.block', value),
  rangeDiffLatest: (ctx, value) => ctx.rangeDiffLatest('@t-1..@t0 .block', value),
  materialize: (ctx, value) => ctx.rangeDiffLatest('@t-1..@t0 .block', { materialize: value }),
  diff: (ctx, value) => ctx.diff(value, '@t0'),
  thread: (ctx, value) => ctx.thread(value),
  prefix: (ctx, value) => ctx.prefix(value),
  'prefix of a later': (ctx, value) => ctx.prefix('@t0', value),
  'prefix with options': (ctx, value) => ctx.prefix('@t0', 'working', value),
  threadMap: (ctx, value) => ctx.threadMap(value),
  tokens: (ctx, value) => ctx.tokens(value),
  'tokens with options': (ctx, value) => ctx.tokens('working', value),
  'tokens by': (ctx, value) => ctx.snapshot().tokens({ by: value }),
  'tokens for': (ctx, value) => ctx.tokens('working', { for: value }),
  'tokens for, with options': (ctx, value) => ctx.tokens('working', { for: toOpenAIChat, options: value }),
  'tokens for, with an overhead': (ctx, value) => ctx.tokens('working', { for: toOpenAIChat, overhead: value }),
  overheadFor: (_, value) => overheadFor(value),
  'overheadFor with a row': (_, value) => overheadFor('anthropic', value),
  'tokens of a content': (ctx, value) => (ctx.user(value), ctx.tokens()),
  fromOpenAIChat: (_, value) => fromOpenAIChat(value),
  'fromOpenAIChat with messages': (_, value) => fromOpenAIChat({ messages: value }),
  'fromOpenAIChat with a message': (_, value) => fromOpenAIChat({ messages: [value] }),
  'fromOpenAIChat with options': (_, value) => fromOpenAIChat({ messages: [] }, value),
  toOpenAIChat: (_, value) => toOpenAIChat(value),
  'toOpenAIChat with options': (ctx, value) => toOpenAIChat(ctx, value),
  'toOpenAIChat with blocks': (ctx, value) => toOpenAIChat(ctx, { blocks: value }),
  'toOpenAIChat with a text before blocks': (ctx, value) => toOpenAIChat(ctx, { blocks: { before: value } }),
  fromOpenAIResponses: (_, value) => fromOpenAIResponses(value),
  'fromOpenAIResponses with an item': (_, value) => fromOpenAIResponses({ input: [value] }),
  'fromOpenAIResponses with a state': (_, value) => fromOpenAIResponses({ input: [], conversation: value }),
  'toOpenAIResponses with options': (ctx, value) => toOpenAIResponses(ctx, value),
  receiveOpenAIResponses: (ctx, value) => receiveOpenAIResponses(ctx, value),
  createCounter: (_, value) => createCounter(value),
  'createCounter with a tokenizer': (ctx, value) =>
    ctx.fork('working', { countTokens: createCounter({ count: value }) }).tokens(),
  'createCounter with an overhead': (_, value) => createCounter({ count: () => 1, overhead: value }),
  'createCounter with images': (_, value) =>
    createCounter({ count: () => 1, overhead: { ...OVERHEADS.openai, image: value } }),
  createEstimate: (_, value) => createEstimate(value),
  'createEstimate with a ratio': (_, value) => createEstimate({ bytesPerToken: value })('x'),
  calibrated: (_, value) => calibrated(value),
  'calibrated by a sample': (_, value) => calibrated().learn(value),
  'calibrated by an attempt': (_, value) => calibrated().learn({ tokens: value, record: { token_in: 1 } }),
  readUsage: (_, value) => readUsage(value),
  'readUsage of a count': (_, value) => readUsage({ input_tokens: value }),
  'fork from': (ctx, value) => ctx.fork(value),
  'fork with': (ctx, value) => ctx.fork('@t0', value),
  outline: (ctx, value) => ctx.snapshot().outline(value),
  createContext: (_, value) => createContext(value),
  'createContext with a clock': (_, value) => createContext({ clock: value }).user('x'),
  'createContext with ids': (_, value) => createContext({ ids: value }).user('x'),
  'createContext with a policy': (_, value) => createContext({ prune: value }),
  'createContext with a tracer': (_, value) => createContext({ tracer: value }).commit(),
  importSnapshot: (_, value) => importSnapshot(value),
  'importSnapshot with options': (_, value) => importSnapshot({ root: {} }, value),
  parseSelector: (_, value) => parseSelector(value),
  'parseSelector with options': (_, value) => parseSelector('.block', value),
  formatSelector: (_, value) => formatSelector(value),
  normalizeSelector: (_, value) => normalizeSelector(value),
  'normalizeSelector with options': (_, value) => normalizeSelector('.block', value),
  lintSelector: (_, value) => lintSelector(value),
  'lintSelector with options': (_, value) => lintSelector('.block', value),
  sel: (_, value) => sel`[key=${value}]`,
  canonicalJson: (_, value) => canonicalJson(value),
  contentHash: (_, value) => contentHash(value),
}

describe('a hostile value', () => {
  const frozen = aContext().fork('working')
  const unchanged = stateOf(frozen)

  test.each(Object.entries(CALLS))(
    'to %s gives an answer or a PactError, and changes nothing by failing',
    (_, call) => {
      for (const [name, make] of Object.entries(HOSTILE)) {
        // A fork takes what calls do that succeed.
        const ctx = frozen.fork('working')
        const before = stateOf(ctx)
        const error = thrownBy(() => call(ctx, make() as never))
        if (error === undefined) continue
        expect(PactError.is(error), name).toBe(true)
        const { code, message } = error as PactError
        expect(code, name).not.toBe('E_INTERNAL')
        expect(message.length, name).toBeLessThan(1000)
        expect(stateOf(ctx), name).toBe(before)
      }
      expect(stateOf(frozen)).toBe(unchanged)
    },
  )
})

describe('a function of the caller that throws', () => {
  const rows: readonly (readonly [string, string, ContextOptions, (ctx: Context) => unknown])[] = [
    ['clock', 'E_CONTENT_INVALID', { clock: throws }, (ctx) => ctx.user('x')],
    ['clock that is a class', 'E_CONTENT_INVALID', { clock: PactError as never }, (ctx) => ctx.user('x')],
    ['ids', 'E_CONTENT_INVALID', { ids: throws }, (ctx) => ctx.user('x')],
    ['countTokens', 'E_BUDGET', { countTokens: throws, prune: { maxTokens: 1 } }, (ctx) => ctx.commit()],
    ['countTokens, asked', 'E_BUDGET', { countTokens: throws }, (ctx) => ctx.tokens()],
    [
      'attemptClock',
      'E_CONTENT_INVALID',
      { attemptClock: throws },
      (ctx) => ctx.startAttempt({ provider: 'p', model: 'm', params: {} }),
    ],
  ]
  test.each(rows)('%s (%s) is the cause of a PactError', (name, code, options, call) => {
    const ctx = aContext().fork('working', options)
    const before = stateOf(ctx)
    const error = thrownBy(() => call(ctx)) as PactError
    expect([PactError.is(error), error.code]).toEqual([true, code])
    if (name.endsWith('class')) expect(error.cause).toBeInstanceOf(TypeError)
    else expect(error.cause).toBe(MINE)
    expect(error.message).not.toContain('mine')
    expect(stateOf(ctx)).toBe(before)
  })

  test('a getter, which says what call has met it', () => {
    const error = thrownBy(() => aContext().user('x', HOSTILE['a getter that throws']!() as never)) as PactError
    expect([error.code, error.cause]).toEqual(['E_CONTENT_INVALID', MINE])
    expect(error.message).toBe(
      'user() could not read its arguments; the cause of this error is what reading them threw.',
    )
  })

  test('whatever it throws, also what nobody can read', () => {
    for (const make of Object.values(HOSTILE)) {
      const thrown = make()
      const ids = (): never => {
        throw thrown
      }
      const error = thrownBy(() => createContext({ ids }).user('x'))
      expect(PactError.is(error) && error.code).toBe('E_CONTENT_INVALID')
      expect((error as PactError).cause).toBe(thrown)
    }
  })

  test('onWarning breaks no import, as it breaks no later call', () => {
    const file = {
      root: { children: [{ id: 'ah', nodeType: '^ah', children: [{ id: 'b', content: 'x', content_hash: '?' }] }] },
    }
    const ctx = importSnapshot(file, { onWarning: throws })
    expect(ctx.warnings).toHaveLength(1)
  })
})

describe('a message', () => {
  test.each<[string, (ctx: Context, text: string) => unknown]>([
    ['a lens', (ctx, text) => ctx.thread(`@t-${text}` as never)],
    ['a word for a lens', (ctx, text) => ctx.thread(text as never)],
    ['an id to explain', (ctx, text) => ctx.explain(text)],
    ['an id to tell the life of', (ctx, text) => ctx.life(text)],
    ['an id to hold', (ctx, text) => ctx.hold(text)],
    ['a parent', (ctx, text) => ctx.insert({ content: 'x' }, { parent: text })],
    ['a selector', (ctx, text) => ctx.select(`#${text}`)],
    ['the name of an option', (_, text) => createContext({ [text]: 1 })],
    ['the name of a limit', (_, text) => createContext({ prune: { [text]: 1 } })],
    ['a name in a position', (ctx, text) => ctx.move('#box', { [text]: 1 } as never)],
    ['a name in what deletes', (ctx, text) => ctx.delete('#box', { [text]: 1 })],
    ['a name in an attempt', (ctx, text) => ctx.startAttempt({ ...CALL, [text]: 1 })],
    ['the name of an option of an adapter', (ctx, text) => toOpenAIChat(ctx, { [text]: 1 })],
    ['the name of an option of a reply', (ctx, text) => receiveOpenAIResponses(ctx, [], { [text]: 1 })],
    ['digits of a number', (ctx, text) => ctx.user('x', { ttl: BigInt(text.slice(0, 4000)) as never })],
  ])('has at most a line of %s', (_, call) => {
    const error = thrownBy(() => call(aContext(), '9'.repeat(100_000))) as PactError
    expect(PactError.is(error)).toBe(true)
    expect(error.message.length).toBeLessThan(400)
  })
})

function aContext(): Context {
  const ctx = createContext({ clock: clockOf() })
  ctx.user('Hi')
  ctx.add(undefined, { zone: 'post', key: 'box', children: [{ content: 'in a box' }] })
  ctx.commit()
  ctx.user('More')
  ctx.commit()
  ctx.user('open')
  return ctx
}

function stateOf(ctx: Context): string {
  return `${ctx.cycle} ${ctx.snapshots().length} ${ctx.attempts().length} ${textOf(ctx.export('working'))}`
}

function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  return undefined
}
