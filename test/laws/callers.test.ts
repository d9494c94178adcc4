// The stack of every PactError begins at the line that made the public call, however deep inside it came up.

import { inspect } from 'node:util'

import {
  applyOperations,
  canonicalJson,
  contentHash,
  createContext,
  exportChunks,
  importSnapshot,
  importSnapshotAsync,
  normalizeSelector,
  parseSelector,
  PactError,
  replayOperations,
  sel,
  type Attempt,
  type Context,
  type ErrorCode,
} from 'pact-context'
import {
  fromOpenAIChat,
  fromOpenAIResponses,
  receiveOpenAIChat,
  receiveOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from 'pact-context/openai'
import { toAnthropic } from 'pact-context/anthropic'
import { calibrated, createCounter, createEstimate, overheadFor, readUsage } from 'pact-context/tokens'
import { describe, expect, test } from 'vitest'

import { clockOf, memberNames } from '../support/context.js'

type Call = (ctx: Context) => unknown

const NONE = undefined as never
const DEEP = { children: [{ children: [{ children: [{ content: 'x', ttl: -1 }] }] }] }

/** By method: a bad call of it, and the code it fails with. */
/** A call in the form of an adapter that is not loaded. */
function foreignCall(ctx: Context): void {
  ctx.assistant({ do: 'it' }, { kind: 'call', data_call_id: 'c', data_format: 'nobody-has-it' })
}

const CONTEXT: Readonly<Record<string, readonly [ErrorCode, Call]>> = {
  user: ['E_TTL_INVALID', (ctx) => ctx.user('x', { ttl: -1 })],
  assistant: ['E_CONTENT_INVALID', (ctx) => ctx.assistant({ a: [{ b: [Number.NaN] }] })],
  tool: ['E_CONTENT_INVALID', (ctx) => ctx.tool(NONE)],
  result: ['E_NODE_NOT_FOUND', (ctx) => ctx.result('nobody', 'x')],
  due: ['E_CONTENT_INVALID', (ctx) => (foreignCall(ctx), ctx.due())],
  openCalls: ['E_CONTENT_INVALID', (ctx) => (foreignCall(ctx), ctx.openCalls())],
  pre: ['E_CADENCE_INVALID', (ctx) => ctx.pre('x', { key: 'k', cad: 0 })],
  post: ['E_RESERVED_NAME', (ctx) => ctx.post('x', { nodeType: '^ah' })],
  add: ['E_TTL_INVALID', (ctx) => ctx.add(undefined, { zone: 'post', ...DEEP })],
  put: ['E_CONTENT_INVALID', (ctx) => ctx.put(5 as never, 'x')],
  set: ['E_TTL_INVALID', (ctx) => ctx.set('box', undefined, DEEP)],
  insert: ['E_PARENT_NOT_FOUND', (ctx) => ctx.insert({ content: 'x' }, '(d9, end)')],
  replace: ['E_TTL_INVALID', (ctx) => ctx.replace('#box', DEEP)],
  move: ['E_NODE_NOT_FOUND', (ctx) => ctx.move('#nobody', { depth: 0 })],
  delete: ['E_SELECTOR_INVALID', (ctx) => ctx.delete('.block[')],
  update: ['E_TTL_INVALID', (ctx) => ctx.update('#box', { ttl: -1 })],
  redact: ['E_CONTENT_INVALID', (ctx) => ctx.redact('#box', { match: '' })],
  unshed: ['E_NODE_NOT_FOUND', (ctx) => ctx.unshed('nobody')],
  planCompaction: ['E_CONTENT_INVALID', (ctx) => ctx.planCompaction({ keep: 0 })],
  compact: ['E_CONFLICT', (ctx) => ctx.compact(ctx.planCompaction({ keep: 99 }), 'sum')],
  expand: ['E_NODE_NOT_FOUND', (ctx) => ctx.expand('nobody')],
  forget: ['E_NODE_NOT_FOUND', (ctx) => ctx.forget('#nobody')],
  batch: ['E_CONTENT_INVALID', (ctx) => ctx.batch(5 as never)],
  rehearse: ['E_CONTENT_INVALID', (ctx) => ctx.rehearse(5 as never)],
  onCommit: ['E_CONTENT_INVALID', (ctx) => ctx.onCommit(5 as never)],
  receive: ['E_CONTENT_INVALID', (ctx) => ctx.receive({ choices: [] }, { from: fromOpenAIChat })],
  hold: ['E_NODE_NOT_FOUND', (ctx) => ctx.hold('nobody')],
  commit: ['E_BUDGET', (ctx) => tooSmall(ctx).commit()],
  preview: ['E_BUDGET', (ctx) => tooSmall(ctx).preview()],
  startAttempt: [
    'E_CONTENT_INVALID',
    (ctx) => ctx.startAttempt({ provider: 'p', model: 'm', params: NONE, lens: 5 } as never),
  ],
  requestOf: ['E_NODE_NOT_FOUND', (ctx) => ctx.requestOf('nobody')],
  node: ['E_CONTENT_INVALID', (ctx) => ctx.node(5 as never)],
  coordinate: ['E_NODE_NOT_FOUND', (ctx) => ctx.coordinate('nobody')],
  explain: ['E_NODE_NOT_FOUND', (ctx) => ctx.explain('nobody')],
  recall: ['E_NODE_NOT_FOUND', (ctx) => ctx.recall('nobody')],
  life: ['E_NODE_NOT_FOUND', (ctx) => ctx.life('nobody')],
  select: ['E_SELECTOR_INVALID', (ctx) => ctx.select('.block, .seg > (d1 .x:not(')],
  rangeDiffLatest: ['E_SNAPSHOT_NOT_FOUND', (ctx) => ctx.rangeDiffLatest('@t-9..@t-8 .block')],
  diff: ['E_SNAPSHOT_NOT_FOUND', (ctx) => ctx.diff('@t0', '@t-9')],
  diffDetailed: ['E_SELECTOR_INVALID', (ctx) => ctx.diffDetailed('@t0', '@t0', '.block[age<2]')],
  nodes: ['E_SNAPSHOT_NOT_FOUND', (ctx) => ctx.nodes('@t-9 .block')],
  count: ['E_SELECTOR_INVALID', (ctx) => ctx.count('[')],
  first: ['E_SELECTOR_INVALID', (ctx) => ctx.first('.block', 5 as never)],
  iterate: ['E_SELECTOR_INVALID', (ctx) => ctx.iterate('@t-3..@t0 .block')],
  snapshot: ['E_SNAPSHOT_NOT_FOUND', (ctx) => ctx.snapshot('@t-9')],
  thread: ['E_SNAPSHOT_NOT_FOUND', (ctx) => ctx.thread('@c99')],
  threadBytes: ['E_SELECTOR_INVALID', (ctx) => ctx.threadBytes('nothing' as never)],
  threadPlace: ['E_NODE_NOT_FOUND', (ctx) => ctx.threadPlace('nobody')],
  prefix: ['E_CONTENT_INVALID', (ctx) => ctx.prefix('@t0', '@t0', { for: 'x' as never })],
  threadMap: ['E_SELECTOR_INVALID', (ctx) => ctx.threadMap('x' as never)],
  tokens: ['E_CONTENT_INVALID', (ctx) => ctx.tokens('@t0', { by: 'tag' as never })],
  export: ['E_SNAPSHOT_NOT_FOUND', (ctx) => ctx.export('@t-9')],
  referenceBytes: ['E_SNAPSHOT_NOT_FOUND', (ctx) => ctx.referenceBytes('@t-9')],
  fork: ['E_SNAPSHOT_NOT_FOUND', (ctx) => ctx.fork('@t-9')],
}

const SYSTEM: Readonly<Record<string, readonly [ErrorCode, Call]>> = {
  add: ['E_TTL_INVALID', (ctx) => ctx.system.add(undefined, DEEP)],
  put: ['E_CONTENT_INVALID', (ctx) => ctx.system.put('', 'x')],
  set: ['E_TTL_INVALID', (ctx) => ctx.system.set('k', undefined, DEEP)],
  insert: ['E_PARENT_NOT_FOUND', (ctx) => ctx.system.insert({ content: 'x' }, '(d-1, -9, -9)')],
  replace: ['E_NODE_NOT_FOUND', (ctx) => ctx.system.replace('#box', { content: 'x' })],
  move: ['E_NODE_NOT_FOUND', (ctx) => ctx.system.move('#box', { depth: 0 })],
  delete: ['E_SELECTOR_INVALID', (ctx) => ctx.system.delete('[')],
  update: ['E_TTL_INVALID', (ctx) => ctx.system.update('.block', { ttl: -1 })],
  redact: ['E_NODE_NOT_FOUND', (ctx) => ctx.system.redact('#box', { match: 'x' })],
}

const SNAPSHOT: Readonly<Record<string, readonly [ErrorCode, Call]>> = {
  node: ['E_CONTENT_INVALID', (ctx) => ctx.snapshot().node(5 as never)],
  coordinate: ['E_NODE_NOT_FOUND', (ctx) => ctx.snapshot().coordinate('nobody')],
  select: ['E_SELECTOR_INVALID', (ctx) => ctx.snapshot().select('[')],
  nodes: ['E_SELECTOR_INVALID', (ctx) => ctx.snapshot().nodes('@t-1 .block')],
  count: ['E_SELECTOR_INVALID', (ctx) => ctx.snapshot().count('[')],
  first: ['E_SELECTOR_INVALID', (ctx) => ctx.snapshot().first('[')],
  iterate: ['E_SELECTOR_INVALID', (ctx) => ctx.snapshot().iterate('[')],
  threadPlace: ['E_NODE_NOT_FOUND', (ctx) => ctx.snapshot().threadPlace('nobody')],
  outline: ['E_CONTENT_INVALID', (ctx) => ctx.snapshot().outline({ lines: -1 })],
  threadMap: ['E_BUDGET', (ctx) => uncounted(ctx).snapshot().threadMap()],
  tokens: ['E_BUDGET', (ctx) => uncounted(ctx).snapshot().tokens()],
}

const ATTEMPT: Readonly<Record<string, readonly [ErrorCode, Call]>> = {
  complete: ['E_CONTENT_INVALID', (ctx) => attemptOf(ctx).complete({ tokenIn: -1 })],
  cancel: ['E_CONFLICT', (ctx) => endedAttempt(ctx).cancel()],
  fail: ['E_CONFLICT', (ctx) => endedAttempt(ctx).fail(new Error('x'))],
  request: ['E_CONFLICT', (ctx) => attemptOf(ctx).request()],
  body: ['E_CONFLICT', (ctx) => forgottenAttempt(ctx).body],
  receive: ['E_CONTENT_INVALID', (ctx) => attemptOf(ctx).receive({})],
  text: ['E_CONTENT_INVALID', (ctx) => attemptOf(ctx).text({})],
  tokens: ['E_BUDGET', (ctx) => attemptOf(uncounted(ctx)).tokens()],
}

const EXPORTED: Readonly<Record<string, readonly [ErrorCode, Call]>> = {
  createContext: ['E_CONTENT_INVALID', () => createContext({ clock: 5 as never })],
  importSnapshot: ['E_SNAPSHOT_INVALID', () => importSnapshot('{"root": {"children": [{"children": 5}]}}')],
  exportChunks: ['E_SNAPSHOT_NOT_FOUND', (ctx) => exportChunks(ctx, '@t-9')],
  applyOperations: ['E_TTL_INVALID', (ctx) => applyOperations(ctx, [{ op: 'add', header: DEEP }])],
  replayOperations: ['E_NODE_NOT_FOUND', (ctx) => replayOperations(ctx, [{ op: 'delete', selector: '#nobody' }])],
  parseSelector: ['E_SELECTOR_INVALID', () => parseSelector('.block > (d1, .x[a=')],
  normalizeSelector: ['E_SELECTOR_INVALID', () => normalizeSelector('.block[')],
  sel: ['E_SELECTOR_INVALID', () => sel`.block[key=${Number.NaN}]`],
  canonicalJson: ['E_CONTENT_INVALID', () => canonicalJson({ a: { b: { c: [Infinity] } } })],
  contentHash: ['E_CONTENT_INVALID', () => contentHash(5 as never)],
}

const TOKENS: Readonly<Record<string, readonly [ErrorCode, Call]>> = {
  fromOpenAIChat: ['E_CONTENT_INVALID', () => fromOpenAIChat({ messages: 5 as never })],
  toOpenAIChat: ['E_CONTENT_INVALID', (ctx) => toOpenAIChat(ctx, { repair: 5 as never })],
  receiveOpenAIChat: ['E_CONTENT_INVALID', (ctx) => receiveOpenAIChat(ctx, [] as never)],
  fromOpenAIResponses: ['E_CONTENT_INVALID', () => fromOpenAIResponses({ input: 5 as never })],
  toOpenAIResponses: ['E_SNAPSHOT_NOT_FOUND', (ctx) => toOpenAIResponses(ctx, { lens: '@t-9' })],
  receiveOpenAIResponses: ['E_CONTENT_INVALID', (ctx) => receiveOpenAIResponses(ctx, {} as never)],
  overheadFor: ['E_CONTENT_INVALID', () => overheadFor('gemini', 5 as never)],
  createCounter: ['E_CONTENT_INVALID', () => createCounter({ count: 5 as never })],
  createEstimate: ['E_CONTENT_INVALID', () => createEstimate({ bytesPerToken: 0 })],
  calibrated: ['E_CONTENT_INVALID', () => calibrated({ fixed: -1 })],
  learn: ['E_CONTENT_INVALID', () => calibrated().learn({ counted: -1, actual: 1 })],
  readUsage: ['E_CONTENT_INVALID', () => readUsage({})],
}

const GROUPS = {
  Context: CONTEXT,
  'ctx.system': SYSTEM,
  Snapshot: SNAPSHOT,
  Attempt: ATTEMPT,
  exported: EXPORTED,
  tokens: TOKENS,
}
const ROWS = Object.entries(GROUPS).flatMap(([group, calls]) =>
  Object.entries(calls).map(([name, [code, call]]) => [`${group} ${name}`, code, call] as const),
)

describe('the first frame of a stack is the caller', () => {
  test.each(ROWS)('%s (%s)', (_name, code, call) => {
    const ctx = aContext()
    const limit = Error.stackTraceLimit
    // As few as possible, to see that frames are not merely searched for further down.
    Error.stackTraceLimit = 1
    let error: unknown
    try {
      theCaller(call, ctx)
    } catch (thrown) {
      error = thrown
    } finally {
      Error.stackTraceLimit = limit
    }
    expect(PactError.is(error) && error.code).toBe(code)
    const { message, stack } = error as PactError
    expect(stack).toMatch(`PactError: ${message}\n    at `)
    // The arrow of the row made the call, and it is all that there is room for.
    expect(stack?.slice(stack.indexOf('\n    at '))).toMatch(/^\n {4}at [^\n]*callers\.test\.ts:\d+:\d+\)?$/)
  })

  test('the caller of the caller comes next', () => {
    const error = errorOf(() => theCaller((ctx) => ctx.replace('#box', DEEP), aContext()))
    const frames = error.stack!.split('\n    at ').slice(1)
    expect(frames[1]).toContain('theCaller')
  })

  test('a promise that fails has the stack of the call that made it', async () => {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 1
    const import_ = (): Promise<unknown> => importSnapshotAsync('{"root": {"children": [{"children": 5}]}}')
    const made = import_()
    Error.stackTraceLimit = limit
    const error: unknown = await made.catch((thrown: unknown) => thrown)
    expect(PactError.is(error) && error.code).toBe('E_SNAPSHOT_INVALID')
    const { message, stack } = error as PactError
    expect(stack).toMatch(`PactError: ${message}\n    at `)
    expect(stack?.slice(stack.indexOf('\n    at '))).toMatch(/^\n {4}at import_ [^\n]*callers\.test\.ts:\d+:\d+\)?$/)
  })

  test('also over a method that was taken off its object and bound again', () => {
    const ctx = aContext()
    const select = ctx.select.bind(ctx) as (selector: string) => unknown
    expect(errorOf(() => select('[')).stack).toMatch(/^[^]*?\n {4}at [^\n]*callers\.test\.ts/)
    expect([ctx.select.name, ctx.select.length, ctx.user.name]).toEqual(['select', 2, 'user'])
  })

  test('what the function of a batch throws is not touched, nor its stack', () => {
    const ctx = aContext()
    const own = new PactError('E_STORE', 'Mine.')
    const { stack } = own
    for (const thrown of [own, new TypeError('mine'), 'a text', undefined]) {
      const batch = (): unknown =>
        ctx.batch(() => {
          ctx.user('x')
          // oxlint-disable-next-line typescript/only-throw-error -- the point of it
          throw thrown
        })
      expect(caught(batch)).toEqual([thrown])
      expect(caught(() => ctx.batch(batch))).toEqual([thrown])
    }
    expect(own.stack).toBe(stack)
    const inner = errorOf(() => ctx.batch(() => theCaller((each) => each.user('x', { ttl: -1 }), ctx)))
    expect(inner.stack!.split('\n    at ')[2]).toContain('theCaller')
  })

  test('our own bugs keep the place they come from', () => {
    const bug = new PactError('E_INTERNAL', 'A bug.')
    const { stack } = bug
    const ctx = createContext({
      clock: () => {
        throw bug
      },
    })
    expect(errorOf(() => ctx.user('x'))).toBe(bug)
    expect(bug.stack).toBe(stack)
  })

  test('a frozen error of somebody else passes as it is', () => {
    const frozen = new PactError('E_STORE', 'Frozen.')
    Object.freeze(frozen)
    const ctx = createContext({
      ids: () => {
        throw frozen
      },
    })
    expect(errorOf(() => ctx.user('x'))).toBe(frozen)
  })

  test('every public method is asked that can fail', () => {
    const ctx = aContext()
    // These take nothing that could be wrong.
    const sure = [
      'constructor',
      'system',
      'undo',
      'trim',
      'operations',
      'attempts',
      'snapshots',
      'toJSON',
      'toString',
      'cycle',
      'working',
      'past',
      'warnings',
    ]
    const sureOfSnapshots = 'ref root schedules thread threadBytes threadChunks export referenceBytes'.split(' ')
    expect(missing(memberNames(ctx), CONTEXT, sure)).toEqual([])
    expect(missing(Object.getOwnPropertyNames(ctx.system), SYSTEM, [])).toEqual([])
    expect(missing(memberNames(ctx.snapshot()), SNAPSHOT, [...sure, ...sureOfSnapshots])).toEqual([])
    expect(missing(memberNames(attemptOf(ctx)), ATTEMPT, [...sure, 'id', 'record', 'repairs'])).toEqual([])
  })
})

describe('a PactError in a terminal', () => {
  test('shows message, the line of the call, code and details, each once', () => {
    const error = errorOf(() => theCaller((ctx) => ctx.user('x', { ttl: -3 }), aContext()))
    const text = inspect(error)
    expect(text).toContain(`PactError: ${error.message}\n    at `)
    expect(text.split(error.message)).toHaveLength(2)
    expect(text.slice(text.lastIndexOf(' {\n  code'))).toBe(
      " {\n  code: 'E_TTL_INVALID',\n  details: { name: 'ttl' }\n}",
    )
  })

  test('leaves out details where there are none, and shows a cause', () => {
    const text = inspect(new PactError('E_STORE', 'Gone.', {}, { cause: new Error('the disk') }))
    expect(text).not.toContain('details')
    expect(text).toContain('[cause]: Error: the disk')
  })
})

function theCaller(call: Call, ctx: Context): unknown {
  return call(ctx)
}

function aContext(): Context {
  const ctx = createContext({ clock: clockOf() })
  ctx.system.add('system')
  ctx.user('Hi')
  ctx.add(undefined, { zone: 'post', key: 'box', children: [{ content: 'in a box' }] })
  ctx.commit()
  ctx.user('open')
  return ctx
}

function tooSmall(ctx: Context): Context {
  return ctx.fork('working', { prune: { maxNodes: 1, unmet: 'error' } })
}

function uncounted(ctx: Context): Context {
  return ctx.fork('@t0', { countTokens: () => Number.NaN })
}

function attemptOf(ctx: Context): Attempt {
  return ctx.startAttempt({ provider: 'p', model: 'm', params: {} })
}

function endedAttempt(ctx: Context): Attempt {
  const attempt = attemptOf(ctx)
  attempt.cancel()
  return attempt
}

function forgottenAttempt(ctx: Context): Attempt {
  const { id } = ctx.user('A secret')
  const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
  ctx.forget(`[id='${id}']`)
  return attempt
}

function missing(names: readonly string[], asked: object, sure: readonly string[]): string[] {
  return names.filter((name) => !(name in asked) && !sure.includes(name))
}

function caught(call: () => unknown): readonly unknown[] {
  try {
    call()
  } catch (error) {
    return [error]
  }
  return []
}

function errorOf(call: () => unknown): PactError {
  try {
    call()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  throw new Error('The call did not fail.')
}
