// Attempts (03 §6, D32): their records, their ends, and that no tree, snapshot or byte knows of them.

import { createHash } from 'node:crypto'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, programsFor, refusal, runProgram, textOf } from '../../test/support/context.js'
import { editedPrograms, editedRuns, playEdited, type Watch } from '../../test/support/edited.js'
import {
  canonicalJson,
  createContext,
  type AttemptInput,
  type AttemptRecord,
  type Context,
  type ContextOptions,
  type Lens,
  type ThreadItem,
} from '../index.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261117)
const CALL = { provider: 'acme', model: 'large-1', params: { temperature: 0.2 } } as const

/** The fields of every record, with any status (03 §6.2), and the additions of D32. */
const FIELDS = [
  'attempt_id',
  'cycle_id',
  'status',
  'started_at',
  'ended_at',
  'provider',
  'model',
  'params_hash',
  'token_in',
  'token_out',
]

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function fault(): never {
  throw new Error('unreadable')
}

function contextOf(options: ContextOptions = {}): Context {
  return createContext({ clock: clockOf(), attemptClock: clockOf(1_000_000_000n), ...options })
}

describe('an attempt', () => {
  for (const dialect of DIALECTS) {
    test(`has a record with every documented field, running and ended, in a ${dialect} context (03 §6.2)`, () => {
      const ctx = contextOf({ dialect })
      ctx.user('Hi')
      const attempt = ctx.startAttempt({ ...CALL, request: '{"stream":true}' })
      const running = attempt.record
      expect(running).toEqual({
        attempt_id: 'attempt:1-0',
        cycle_id: 1,
        status: 'running',
        started_at: '2023-11-14T22:13:20.000000000Z',
        ended_at: null,
        provider: 'acme',
        model: 'large-1',
        params_hash: sha256('{"temperature":0.2}'),
        token_in: null,
        token_out: null,
        thread_hash: sha256(ctx.threadBytes('preview')),
        request_hash: sha256('{"stream":true}'),
        lens: 'preview',
        base_cycle: null,
      })
      expect(attempt.snapshot.thread()).toEqual(ctx.thread('preview'))

      const ended = attempt.complete({ tokenIn: 12, tokenOut: 3 })
      expect(ended).toEqual({
        ...running,
        status: 'completed',
        ended_at: '2023-11-14T22:13:21.000000000Z',
        token_in: 12,
        token_out: 3,
      })
      expect([attempt.id, attempt.record, ctx.attempts()]).toEqual(['attempt:1-0', ended, [ended]])
      for (const record of [running, ended]) expect(Object.keys(record)).toEqual(expect.arrayContaining(FIELDS))
    })
  }

  test('ends as completed, canceled or error, with only name and message of the error (03 §6.1)', () => {
    const ctx = contextOf()
    ctx.startAttempt(CALL)
    ctx.startAttempt(CALL).complete()
    ctx.startAttempt(CALL).cancel()
    ctx.startAttempt(CALL).fail(new RangeError('429: slow down'))
    expect(ctx.attempts().map(({ status }) => status)).toEqual(['running', 'completed', 'canceled', 'error'])
    expect(ctx.attempts().map(({ ended_at: end }) => end !== null)).toEqual([false, true, true, true])
    expect(ctx.attempts().map(({ error }) => error)).toEqual([
      undefined,
      undefined,
      undefined,
      { name: 'RangeError', message: '429: slow down' },
    ])
    expect(Object.hasOwn(ctx.attempts()[1]!, 'error')).toBe(false)
  })

  const thrown: readonly (readonly [what: string, error: unknown, name: string, message: string])[] = [
    ['text', 'timeout', 'Error', 'timeout'],
    ['nothing', undefined, 'Error', 'undefined'],
    ['an object with a message', { message: 'no' }, 'Error', 'no'],
    ['an object without', { status: 500 }, 'Error', 'an object'],
    ['an abort', new DOMException('Stopped.', 'AbortError'), 'AbortError', 'Stopped.'],
    ['an unreadable object', new Proxy({}, { get: fault }), 'Error', 'an object'],
  ]
  test.each(thrown)('fails with %s, whatever was thrown', (_what, error, name, message) => {
    expect(contextOf().startAttempt(CALL).fail(error).error).toEqual({ name, message })
  })

  const ends: readonly (readonly [status: string, end: (attempt: ReturnType<Context['startAttempt']>) => void])[] = [
    ['completed', (attempt) => attempt.complete({ tokenIn: 1, tokenOut: 1 })],
    ['canceled', (attempt) => attempt.cancel()],
    ['error', (attempt) => attempt.fail(new Error('no'))],
  ]
  test.each(ends)('that ended as %s does not end again, and says how it ended', (status, end) => {
    const ctx = contextOf()
    const attempt = ctx.startAttempt(CALL)
    end(attempt)
    const before = attempt.record
    for (const [, again] of ends) {
      const error = refusal(() => again(attempt))
      expect([error.code, error.details]).toEqual(['E_CONFLICT', { id: 'attempt:1-0', status }])
      expect(error.message).toContain(`${status === 'error' ? 'failed' : `was ${status}`} at ${before.ended_at}`)
    }
    expect(ctx.attempts()).toEqual([before])
  })

  test('keeps the tree it sent through later edits and commits, byte for byte (D32)', () => {
    const ctx = contextOf()
    ctx.user('One')
    ctx.post('Only now', { ttl: 1 })
    const attempts = (['preview', 'working'] as const).map((lens) => ctx.startAttempt({ ...CALL, lens }))
    const bytes = attempts.map(({ snapshot }) => textOf(snapshot.threadBytes()))
    ctx.user('Two')
    ctx.commit()
    ctx.commit()
    expect(attempts.map(({ snapshot }) => textOf(snapshot.threadBytes()))).toEqual(bytes)
    expect(attempts.map(({ record }) => record.thread_hash)).toEqual(bytes.map(sha256))
  })

  test('sends @t0 for whoever commits first, and then has nothing uncommitted (D32)', () => {
    const ctx = contextOf()
    ctx.user('One')
    ctx.commit()
    ctx.user('Two')
    const first = ctx.startAttempt({ ...CALL, lens: '@t0' }).record
    expect(first).toMatchObject({ attempt_id: 'attempt:2-0', cycle_id: 2, base_cycle: 1, lens: '@t0' })
    expect(first.thread_hash).toBe(sha256(ctx.threadBytes('@c1')))
    ctx.commit()
    ctx.user('Three')
    expect(ctx.startAttempt({ ...CALL, lens: '@t-1' }).record).toMatchObject({ base_cycle: 1 })
    expect(ctx.startAttempt({ ...CALL, lens: '@c1' }).record.thread_hash).toBe(first.thread_hash)
    expect(ctx.startAttempt(CALL).record).toMatchObject({ attempt_id: 'attempt:3-2', base_cycle: 2 })
  })

  test('hashes the wire body as it is: text, bytes, or any other JSON in canonical form', () => {
    const ctx = contextOf()
    const hashOf = (request: AttemptInput['request']) => ctx.startAttempt({ ...CALL, request }).record.request_hash
    const body = '{"b":1, "a":"é"}'
    expect(hashOf(body)).toBe(sha256(body))
    expect(hashOf(new TextEncoder().encode(body))).toBe(sha256(body))
    expect(hashOf(new TextEncoder().encode(`  ${body}`).subarray(2))).toBe(sha256(body))
    expect(hashOf({ b: 1, a: 'é' })).toBe(sha256(canonicalJson({ a: 'é', b: 1 })))
    expect(hashOf(null)).toBe(sha256('null'))
    expect(Object.hasOwn(ctx.startAttempt(CALL).record, 'request_hash')).toBe(false)
  })

  test('has a frozen record that JSON keeps whole, however deep and large its numbers', () => {
    const ctx = contextOf()
    let deep: object = [2n ** 80n]
    for (let i = 1; i < 128; i++) deep = [deep]
    ctx.user(deep, { data_x: { y: [1] } })
    const attempt = ctx.startAttempt(CALL)
    attempt.fail(new Error('no'))
    const [record] = ctx.attempts() as [AttemptRecord]
    expect(JSON.parse(JSON.stringify(record))).toEqual(record)
    expect(JSON.stringify(attempt)).toBe(JSON.stringify(record))
    expect(looseParts(record)).toEqual([])
    expect([Object.isFrozen(attempt), Object.isFrozen(ctx.attempts())]).toEqual([true, true])
  })
})

describe('stop, edit, re-run', () => {
  test('works within one cycle: the head stays open, and only the commit seals it (03 §6.1)', () => {
    const ctx = contextOf()
    ctx.user('Write a poem about the sea')
    const first = ctx.startAttempt(CALL)
    first.cancel()
    ctx.undo()
    ctx.user('Write a poem about Rome')
    const second = ctx.startAttempt(CALL)
    ctx.assistant('Roma …')
    second.complete({ tokenIn: 5, tokenOut: 2 })
    const snapshot = ctx.commit()

    expect(contentsOf(first.snapshot.thread())).toEqual(['Write a poem about the sea'])
    expect(contentsOf(second.snapshot.thread())).toEqual(['Write a poem about Rome'])
    expect(contentsOf(snapshot.thread())).toEqual(['Write a poem about Rome', 'Roma …'])
    expect(ctx.attempts().map(({ attempt_id: id, cycle_id: cycle, status }) => [id, cycle, status])).toEqual([
      ['attempt:1-0', 1, 'canceled'],
      ['attempt:1-1', 1, 'completed'],
    ])
    expect(first.record.thread_hash).not.toBe(second.record.thread_hash)
  })

  test('several run at once and end in any order; the list stays by start', () => {
    const ctx = contextOf()
    ctx.user('Hi')
    const [a, b, c] = [ctx.startAttempt(CALL), ctx.startAttempt(CALL), ctx.startAttempt({ ...CALL, model: 'small' })]
    c.complete({ tokenIn: 1, tokenOut: 1 })
    ctx.commit()
    a.cancel()
    expect(ctx.attempts().map(({ attempt_id: id, status }) => [id, status])).toEqual([
      ['attempt:1-0', 'canceled'],
      ['attempt:1-1', 'running'],
      ['attempt:1-2', 'completed'],
    ])
    expect(b.complete().cycle_id).toBe(1)
  })
})

describe('attempts stand beside the tree', () => {
  for (const dialect of DIALECTS) {
    test(`leave snapshots, threads, ids, indexes and clock readings as they are in a ${dialect} context (03 §6.1)`, () => {
      fc.assert(
        fc.property(programsFor(dialect), fc.boolean(), (steps, withIds) => {
          const run = (observed: boolean): unknown => {
            let readings = 0
            const ctx = createContext({
              dialect,
              clock: () => BigInt(++readings),
              prune: { maxNodes: 30 },
              ...(withIds ? { ids: ({ cycle, index }) => `own:${cycle}-${index}` } : {}),
            })
            const observe = (): void => {
              if (!observed) return
              const lenses: Lens[] = ['preview', 'working', ...(ctx.snapshots().length > 0 ? (['@t0'] as const) : [])]
              for (const lens of lenses) ctx.startAttempt({ ...CALL, lens })
              ctx.startAttempt(CALL).complete({ tokenIn: 1, tokenOut: 1 })
            }
            const snapshots: unknown[] = []
            for (const step of steps) {
              observe()
              runProgram(ctx, [step], (snapshot) => {
                observe()
                snapshots.push(textOf(snapshot.export()), textOf(snapshot.threadBytes()), snapshot.receipt)
              })
            }
            return { snapshots, readings, working: textOf(ctx.export('working')), count: ctx.count('*') }
          }
          expect(run(true)).toEqual(run(false))
        }),
        { seed: SEED, numRuns: 40 },
      )
      // The same where the calls edit, undo, fork and import.
      fc.assert(
        fc.property(editedPrograms(dialect), (program) => {
          const run = (watch: Watch): unknown =>
            playEdited(program, watch, { prune: { maxNodes: 30 } }).contexts.map((ctx) => [
              textOf(ctx.export('working')),
              ...ctx.snapshots().map(({ cycle }) => textOf(ctx.export(`@c${cycle}`))),
            ])
          const observed = run({ after: ({ ctx }) => ctx.startAttempt({ ...CALL, lens: 'working' }).cancel() })
          expect(observed).toEqual(run({}))
        }),
        editedRuns(10),
      )
    })
  }

  test('a fork takes no attempts along and names its own (D6)', () => {
    const ctx = contextOf()
    ctx.user('Hi')
    const running = ctx.startAttempt(CALL)
    const fork = ctx.fork('working')
    expect(fork.attempts()).toEqual([])
    expect(fork.startAttempt(CALL).id).toBe('attempt:f1:1-0')
    expect(fork.fork('working').startAttempt(CALL).id).toBe('attempt:f1.f1:1-0')
    running.cancel()
    expect([ctx.attempts().length, fork.attempts().length]).toEqual([1, 1])
  })
})

describe('options of attempts', () => {
  test('attemptClock alone times them; without one it is the wall clock', () => {
    const before = Date.now()
    const { started_at: started } = createContext({ clock: () => 0n }).startAttempt(CALL).record
    expect(Date.parse(started)).toBeGreaterThanOrEqual(before)
    const ctx = contextOf({ attemptClock: () => 5n })
    expect(ctx.fork('working').startAttempt(CALL).record.started_at).toBe('1970-01-01T00:00:00.000000005Z')
  })

  test('an attempt never ends before it started, even where the clock is set back', () => {
    let now = 10n
    const ctx = contextOf({ attemptClock: () => now-- })
    const { started_at: started, ended_at: ended } = ctx.startAttempt(CALL).cancel()
    expect(ended).toBe(started)
  })

  test('keepAttempts bounds the list to the newest; older handles still work', () => {
    const ctx = contextOf({ keepAttempts: 2 })
    const [first] = [ctx.startAttempt(CALL), ctx.startAttempt(CALL), ctx.startAttempt(CALL)]
    expect(first.complete().status).toBe('completed')
    expect(ctx.attempts().map(({ attempt_id: id }) => id)).toEqual(['attempt:1-1', 'attempt:1-2'])
    const none = contextOf({ keepAttempts: 0 })
    none.startAttempt(CALL).cancel()
    expect(none.attempts()).toEqual([])
    const usual = contextOf()
    for (let i = 0; i < 1001; i++) usual.startAttempt(CALL)
    expect(
      usual
        .attempts()
        .map(({ attempt_id: id }) => id)
        .slice(0, 1),
    ).toEqual(['attempt:1-1'])
  })

  const bad: readonly (readonly [name: string, options: Record<string, unknown>])[] = [
    ['attemptClock', { attemptClock: 5 }],
    ['keepAttempts', { keepAttempts: -1 }],
    ['keepAttempts', { keepAttempts: 1.5 }],
    ['keepAttempts', { keepAttempts: '10' }],
    ['tracer', { tracer: null }],
    ['tracer', { tracer: {} }],
  ]
  test.each(bad)('%s is refused as %j', (name, options) => {
    const error = refusal(() => createContext(options))
    expect([error.code, error.details['name']]).toEqual(['E_CONTENT_INVALID', name])
  })
})

function contentsOf(thread: readonly ThreadItem[]): unknown[] {
  return thread.map((item) => item.content)
}

/** The paths of everything in a value that is not frozen. */
function looseParts(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.isFrozen(value) ? [] : [path]
  return [...own, ...Object.entries(value).flatMap(([name, part]) => looseParts(part, `${path}.${name}`))]
}
