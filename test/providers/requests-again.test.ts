// Each attempt can be rendered again (D47): the body of its request, from the handle and from the record alone, byte for byte as it
// was, until something that has a name makes it impossible.

import { createHash } from 'node:crypto'

import fc from 'fast-check'
import { canonicalJson, createContext, type Attempt, type Context, type ContextOptions, type Lens } from 'pact-context'
import { calibrated, OVERHEADS } from 'pact-context/tokens'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { describe, expect, test } from 'vitest'

import { decodeAttempt, encodeAttempt } from '../../src/codec/index.js'
import { Context as ContextClass } from '../../src/context/index.js'
import { historyOf, restoreContext } from '../../src/context/persistence.js'
import { RENDERER, type Renderer } from '../../src/thread/index.js'
import { CALL, sentRecordOf, sentRecordsOf } from '../support/attempts.js'
import { clockOf, DIALECTS, refusal, textOf } from '../support/context.js'
import { editedPrograms, editedRuns, playEdited } from '../support/edited.js'

const ADAPTERS = [toAnthropic, toOpenAIChat, toGemini, toModelMessages] as const

type Sent = Readonly<{ attempt: Attempt; to: (typeof ADAPTERS)[number]; body: string }>

/** Starts an attempt and notes the bytes that its adapter gives for the same lens at this moment. */
function send(ctx: Context, to: Sent['to'], lens?: Lens, options: Readonly<{ repair?: boolean }> = {}): Sent {
  const attempt = ctx.startAttempt({ ...CALL, for: to, options, ...(lens === undefined ? {} : { lens }) })
  const body = textOf(to(ctx, { ...options, lens: attempt.record.lens }).bytes)
  expect(textOf(attempt.request())).toBe(body)
  expect(attempt.record).toMatchObject({ adapter: expect.any(String), adapter_version: expect.any(Number) })
  return { attempt, to, body }
}

function expectAllAgain(ctx: Context, sent: readonly Sent[]): void {
  for (const { attempt, to, body } of sent) {
    expect(textOf(attempt.request())).toBe(body)
    expect(textOf(ctx.requestOf(attempt.id, { for: to }))).toBe(body)
  }
}

/** The same context in another process, which has what a store would have: commits and records of attempts, as bytes. */
function restarted(ctx: Context): Context {
  const parts = ContextClass.partsOf(ctx)
  const { checkpoint, records } = historyOf(parts)
  const { kept } = parts.attempts
  const read = kept.records.map((record) => decodeAttempt(encodeAttempt(record)))
  return restoreContext(checkpoint, [...records], { id: ctx.id }, { ...kept, records: read })
}

function whyNot(call: () => unknown): unknown {
  const { code, details } = refusal(call)
  return [code, details['reason']]
}

/** `toAnthropic` as a later release might have it. */
function changed(to: typeof toAnthropic, renderer: Readonly<{ name?: string; version?: number }>): typeof toAnthropic {
  const { name, version } = to[RENDERER]
  const copy = (...args: Parameters<typeof to>): ReturnType<typeof to> => to(...args)
  const bytesOf: Renderer['bytesOf'] = (view, options) => to[RENDERER].bytesOf(view, options)
  return Object.assign(copy, { [RENDERER]: { name, version, bytesOf, ...renderer } })
}

function talk(options: ContextOptions = {}): Context {
  const ctx = createContext(options)
  ctx.system.add('Be brief.')
  ctx.user('A secret question')
  ctx.commit()
  ctx.pre('A note')
  ctx.user('Another question')
  return ctx
}

describe('the request of an attempt', () => {
  test('is given again by handle and by record after every program of edits, forks and imports (D47)', () => {
    for (const dialect of DIALECTS) {
      fc.assert(
        fc.property(
          editedPrograms(dialect),
          fc.constantFrom<Lens | undefined>('preview', 'working', undefined),
          fc.constantFrom(...ADAPTERS),
          fc.boolean(),
          (program, lens, to, repair) => {
            const { unmet: _unmet, ...prune } = program.prune ?? {} // a preview that is refused cannot be sent
            const made = new Map<Context, Sent[]>()
            const after = ({ ctx }: Readonly<{ ctx: Context }>): void => {
              made.set(ctx, [...(made.get(ctx) ?? []), send(ctx, to, lens, { repair })])
            }
            playEdited(program, { after }, { prune })
            for (const [ctx, sent] of made) {
              expectAllAgain(ctx, sent)
              const again = restarted(ctx)
              for (const { attempt, to: by, body } of sent)
                expect(textOf(again.requestOf(attempt.id, { for: by }))).toBe(body)
            }
          },
        ),
        editedRuns(12),
      )
    }
  })

  test('is told by name, version, options and hash, without the body unless it is kept', () => {
    const ctx = talk()
    const options = { repair: false, blocks: undefined }
    const { record } = ctx.startAttempt({ ...CALL, for: toAnthropic, options })
    const body = toAnthropic(ctx, { repair: false }).bytes
    expect(record).toMatchObject({
      adapter: 'anthropic',
      adapter_version: toAnthropic[RENDERER].version,
      adapter_options: { repair: false },
      request_hash: createHash('sha256').update(body).digest('hex'),
    })
    expect(JSON.stringify(record)).not.toContain('request_body')
    const kept = ctx.startAttempt({ ...CALL, for: toAnthropic, keepRequest: true })
    expect(kept.record.request_body).toBe(textOf(toAnthropic(ctx).bytes))
    expect(textOf(ctx.requestOf(kept.id))).toBe(kept.record.request_body)
  })

  test('sends by default what differs from the newest snapshot, else that snapshot (D47)', () => {
    const ctx = talk()
    expect(ctx.startAttempt(CALL).record.lens).toBe('preview')
    ctx.commit()
    const { record } = ctx.startAttempt({ ...CALL, for: toAnthropic })
    expect([record.lens, record.base_cycle]).toEqual(['@t0', 2])
    const { id } = ctx.user('More')
    expect(ctx.startAttempt(CALL).record.lens).toBe('preview')
    ctx.delete(`[id='${id}']`)
    ctx.undo()
    ctx.undo()
    expect(ctx.startAttempt(CALL).record.lens).toBe('@t0')
  })

  test('that was given as request is kept if asked for, and otherwise only its hash', () => {
    const ctx = talk()
    const kept = ctx.startAttempt({ ...CALL, request: { b: 1, a: [2] }, keepRequest: true })
    expect([textOf(kept.request()), textOf(ctx.requestOf(kept.id))]).toEqual(['{"a":[2],"b":1}', '{"a":[2],"b":1}'])
    const hashed = ctx.startAttempt({ ...CALL, request: '{}' })
    expect(whyNot(() => hashed.request())).toEqual(['E_CONFLICT', 'own-body'])
    const other = ctx.startAttempt({ ...CALL, request: '{}', for: toAnthropic })
    expect(whyNot(() => other.request())).toEqual(['E_CONFLICT', 'own-body'])
    const wire = ctx.startAttempt({ ...CALL, request: toAnthropic(ctx).bytes, for: toAnthropic })
    expect(wire.request()).toEqual(toAnthropic(ctx).bytes)
    expect(whyNot(() => ctx.startAttempt(CALL).request())).toEqual(['E_CONFLICT', 'no-adapter'])
    expect(refusal(() => ctx.startAttempt({ ...CALL, request: new Uint8Array([255]), keepRequest: true })).code).toBe(
      'E_CONTENT_INVALID',
    )
  })

  test('is refused with the reason where it cannot be given again', () => {
    const ctx = talk()
    const { id } = ctx.startAttempt({ ...CALL, for: toAnthropic })
    expect(ctx.requestOf(id)).toEqual(toAnthropic(ctx).bytes)
    const strange = changed(toAnthropic, { name: 'strange' })
    const unknown = ctx.startAttempt({ ...CALL, for: strange })
    expect(whyNot(() => ctx.requestOf(unknown.id))).toEqual(['E_CONFLICT', 'adapter-unknown'])
    expect(whyNot(() => ctx.requestOf(id, { for: toGemini }))).toEqual(['E_CONFLICT', 'adapter-unknown'])
    const later = changed(toAnthropic, { version: toAnthropic[RENDERER].version + 1 })
    expect(whyNot(() => ctx.requestOf(id, { for: later }))).toEqual(['E_CONFLICT', 'renderer-changed'])
    expect(refusal(() => ctx.requestOf('attempt:9-9', { for: toAnthropic })).code).toBe('E_NODE_NOT_FOUND')
    expect(ctx.requestOf(id, { for: toAnthropic })).toEqual(toAnthropic(ctx).bytes)
  })

  test('is given again to the digit, from the record of what was not committed too', () => {
    const ctx = talk()
    ctx.assistant({ name: 'look', arguments: { n: 2n ** 70n } }, { kind: 'call', data_call_id: 'c1' })
    const { attempt, body } = send(ctx, toOpenAIChat)
    expect(body).toContain(`${2n ** 70n}`)
    expect(textOf(ctx.requestOf(attempt.id))).toBe(body)
    expect(textOf(restarted(ctx).requestOf(attempt.id))).toBe(body)
  })

  test('is without messages that were containers of the base, and with those that came', () => {
    const ctx = talk()
    const old = ctx.add(undefined, { zone: 'post', role: 'user', children: [{ content: 'old' }] })
    ctx.commit()
    const fresh = ctx.add(undefined, { zone: 'post', role: 'user', children: [{ content: 'new' }] })
    const first = send(ctx, toOpenAIChat, 'working', { repair: false })
    ctx.delete(`[id='${old.id}']`)
    const second = send(ctx, toOpenAIChat, 'working', { repair: false })
    ctx.delete(`[id='${fresh.id}']`)
    const third = send(ctx, toOpenAIChat, 'working', { repair: false })
    expect(new Set([first.body, second.body, third.body]).size).toBe(3)
    expectAllAgain(ctx, [first, second, third])
    expect(sentRecordOf(ctx, third.attempt).structure!.absent_ids).toContain(old.id)
  })

  test('is refused where the snapshot that it builds on was let go, and still there for the handle', () => {
    const ctx = talk({ history: 2 })
    const { attempt, body } = send(ctx, toOpenAIChat)
    for (let i = 0; i < 2; i++) {
      ctx.user(`${i}`)
      ctx.commit()
    }
    expect(whyNot(() => ctx.requestOf(attempt.id, { for: toOpenAIChat }))).toEqual(['E_SNAPSHOT_NOT_FOUND', 'dropped'])
    expect(textOf(attempt.request())).toBe(body)
  })

  test('with functions in its options needs keepRequest, and is lost with the kept body', () => {
    const ctx = talk()
    const odd = changed(toAnthropic, {})
    const to = Object.assign((tree: Context, _options: object) => odd(tree), { [RENDERER]: odd[RENDERER] })
    const options = { blocks: () => 'text' }
    expect(refusal(() => ctx.startAttempt({ ...CALL, for: to, options })).details['name']).toBe('options')
    const attempt = ctx.startAttempt({ ...CALL, for: to, options, keepRequest: true })
    expect(attempt.record).not.toHaveProperty('adapter_options')
    expect(textOf(ctx.requestOf(attempt.id))).toBe(textOf(attempt.request()))
    ctx.forget(".block[content='A secret question']")
    expect(whyNot(() => ctx.requestOf(attempt.id, { for: to }))).toEqual(['E_CONFLICT', 'forgotten'])
    expect(whyNot(() => attempt.request())).toEqual(['E_CONFLICT', 'forgotten'])
  })

  test('is gone with what was forgotten of it, kept or not, and stays where nothing of it was', () => {
    const ctx = talk()
    const sent = [
      ctx.startAttempt({ ...CALL, for: toAnthropic }),
      ctx.startAttempt({ ...CALL, for: toAnthropic, keepRequest: true }),
      ctx.startAttempt({ ...CALL, request: 'A secret question', keepRequest: true }),
    ]
    const late = ctx.user('Never sent')
    ctx.forget(`[id='${late.id}']`)
    const body = textOf(sent[0]!.request())
    for (const { id } of sent.slice(0, 2)) expect(textOf(ctx.requestOf(id, { for: toAnthropic }))).toBe(body)
    expect(textOf(sent[1]!.request())).toBe(body)
    expect(whyNot(() => sent[2]!.request())).toEqual(['E_CONFLICT', 'forgotten'])
    ctx.forget(".block[content='A secret question']")
    for (const attempt of sent) {
      expect(whyNot(() => attempt.request())).toEqual(['E_CONFLICT', 'forgotten'])
      expect(whyNot(() => ctx.requestOf(attempt.id, { for: toAnthropic }))).toEqual(['E_CONFLICT', 'forgotten'])
      expect(JSON.stringify([attempt, ctx.attempts()])).not.toContain('secret')
    }
  })

  test('has a structure that grows with what changed between attempts, and not with attempts times nodes', () => {
    const sizeOf = (count: number): number => {
      const ctx = createContext({ attemptClock: () => 0n, clock: clockOf() })
      ctx.pre('A note')
      for (let i = 0; i < count; i++) {
        ctx.tool(`${i}`)
        ctx.startAttempt({ ...CALL, for: toGemini })
      }
      return canonicalJson(sentRecordsOf(ctx).map(({ structure }) => structure)).length
    }
    expect(sizeOf(120) / sizeOf(60)).toBeLessThan(2.2)
  })

  test('refuses what it cannot take, each by its name', () => {
    const ctx = talk()
    const rows: readonly (readonly [string, object])[] = [
      ['for', { for: () => ({}) }],
      ['options', { options: {} }],
      ['options', { for: toAnthropic, options: [] }],
      ['lens', { for: toAnthropic, options: { lens: '@t0' } }],
      ['keepRequest', { keepRequest: 1 }],
      ['keepRequest', { keepRequest: true }],
      ['other', { for: toAnthropic, options: { other: 1 } }],
    ]
    for (const [name, input] of rows) {
      const { code, details } = refusal(() => ctx.startAttempt({ ...CALL, ...input }))
      expect([code, details['name']]).toEqual(['E_CONTENT_INVALID', name])
    }
    expect(ctx.attempts()).toEqual([])
  })

  test('is made by a function that may read the context, and cannot write to it', () => {
    const ctx = talk()
    const writes = Object.assign(() => (ctx.user('no'), { bytes: new Uint8Array() }), {
      [RENDERER]: toAnthropic[RENDERER],
    })
    expect(refusal(() => ctx.startAttempt({ ...CALL, for: writes })).code).toBe('E_CONFLICT')
    const none = Object.assign(() => null, { [RENDERER]: toAnthropic[RENDERER] })
    expect(refusal(() => ctx.startAttempt({ ...CALL, for: none })).details['name']).toBe('for')
    expect(ctx.attempts()).toEqual([])
  })
})

describe('the tokens of a request', () => {
  const countTokens = (text: string): number => text.length

  test('are those of the nodes that it sends, and what the provider adds', () => {
    const ctx = createContext({ countTokens })
    ctx.system.add('rules', { role: 'system' })
    ctx.user('ask')
    const called = ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'c1' })
    ctx.tool('gone', { data_call_id: 'c2' })
    const { sourceMap, messages } = toAnthropic(ctx, { lens: 'working' })
    const nodes = new Map(sourceMap.map(({ node, tokens }) => [node, tokens]))
    const said = [...nodes.values()].reduce((sum, tokens) => sum + tokens, 0)
    const overhead = OVERHEADS.anthropic.request + messages.length * OVERHEADS.anthropic.message
    expect(ctx.tokens('working', { for: toAnthropic })).toEqual({ total: said + overhead, overhead })
    expect(said).toBe(ctx.tokens('working').total - 'gone'.length) // the result without its call is left out
    const { total, by } = ctx.tokens('working', { for: toAnthropic, by: 'node' })
    expect(by).toEqual({ ...Object.fromEntries(nodes), '': overhead })
    expect(by[called.id]).toBeGreaterThan(0)
    for (const name of ['region', 'depth', 'role', 'key'] as const) {
      const table = ctx.tokens('working', { for: toAnthropic, by: name })
      expect([table.total, Object.values(table.by).reduce((sum, each) => sum + each, 0)]).toEqual([total, total])
    }
    expect(ctx.tokens('working', { for: toAnthropic, by: 'region' }).by['^sys']).toBe(5)
    const row = { ...OVERHEADS.anthropic, message: 0, request: 7 }
    expect(ctx.tokens('working', { for: toAnthropic, overhead: row })).toEqual({ total: said + 7, overhead: 7 })
    expect(ctx.working.tokens({ for: toModelMessages }).overhead).toBe(0)
    expect(ctx.working.tokens({ for: toAnthropic })).toEqual(ctx.tokens('working', { for: toAnthropic }))
  })

  test('are what a calibrated counter learns from where an adapter made the request', () => {
    const counter = calibrated({ counter: countTokens, fixed: 0 })
    const ctx = createContext({ countTokens: counter })
    ctx.user('x'.repeat(100))
    ctx.tool('y'.repeat(500)) // answers no call, so it is not sent
    const attempt = ctx.startAttempt({ ...CALL, for: toAnthropic })
    expect(attempt.tokens()).toEqual({ total: 103, overhead: 3 })
    attempt.complete({ tokenIn: 153 })
    expect([counter.learn(attempt), counter.factor]).toEqual([true, 1.5])
    expect(ctx.startAttempt(CALL).tokens()).toEqual({ total: 900 })
  })

  test('are refused for options that are about a request where there is none', () => {
    const ctx = talk()
    for (const options of [
      { options: {} },
      { overhead: OVERHEADS.openai },
      { for: 'anthropic' },
      { form: toAnthropic },
    ])
      expect(refusal(() => ctx.tokens('working', options as never)).code).toBe('E_CONTENT_INVALID')
  })
})
