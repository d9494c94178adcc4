// Requests are put together of what is kept with the tree: they are those of a context that was never rendered, and after a commit only the
// new turn is written.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { Adapter } from '../../src/adapters/conversation/adapter.js'
import type { PlainObject } from '../../src/adapters/conversation/plain-json.js'
import type { RequestFacts } from '../../src/adapters/conversation/request.js'
import type { RequestFormat } from '../../src/adapters/conversation/request-format.js'
import { ADAPTERS } from '../../src/adapters/index.js'
import { RENDERER } from '../../src/thread/index.js'
import { createContext, importSnapshot, type Context } from '../../src/index.js'
import { FORMATS } from '../support/providers/formats.js'
import { runs } from '../support/runs.js'

const CHECKS = Object.fromEntries(FORMATS.map(({ name, check }) => [name, check]))

/** Adapters that set cache marks. */
const CACHES: ReadonlySet<string> = new Set(['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'])

/** More than two leaves of the tree hold. */
const TURNS = 70

function turn(ctx: Context, n: number, callId = `call_${n}`): void {
  ctx.user(`Question ${n}`)
  ctx.assistant({ name: 'look', arguments: { n } }, { kind: 'call', data_call_id: callId })
  ctx.tool(`Found ${n}`, { kind: 'result', data_call_id: callId })
  ctx.assistant(`Answer ${n}`)
  ctx.commit()
}

function longContext(): Context {
  const ctx = createContext()
  for (let n = 0; n < TURNS; n++) turn(ctx, n)
  return ctx
}

describe('a request after a commit', () => {
  type Step = Readonly<{ do: (typeof STEPS)[number]; n: number }>
  const STEPS = ['turn', 'again', 'open', 'late', 'note', 'white', 'delete', 'fork', 'open turn'] as const

  function play(ctx: Context, { do: step, n }: Step): Context {
    if (step === 'turn') turn(ctx, 1000 + n)
    else if (step === 'again') turn(ctx, 1000 + n, `call_${n}`)
    else if (step === 'open')
      ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: `late_${n}` })
    else if (step === 'late') ctx.tool('Found late', { kind: 'result', data_call_id: `late_${n}` })
    else if (step === 'note') ctx.post('A note', { key: 'note', ttl: 1 })
    else if (step === 'white') ctx.assistant('With white space ')
    else if (step === 'delete') ctx.delete(`[data_call_id='call_${n}'][role='tool']?`)
    else if (step === 'fork') return ctx.fork('working')
    else ctx.user('Still open')
    if (step !== 'open turn' && step !== 'turn' && step !== 'again') ctx.commit()
    return ctx
  }

  test('is valid, and that of a context that was never rendered, whatever came before', () => {
    const steps = fc.array(fc.record({ do: fc.constantFrom(...STEPS), n: fc.nat(TURNS + 3) }), { maxLength: 6 })
    const base = longContext()
    fc.assert(
      fc.property(steps, (program) => {
        let ctx = base.fork()
        for (const step of program) {
          ctx = play(ctx, step)
          const fresh = importSnapshot(ctx.export('preview'))
          for (const [name, { to }] of Object.entries(ADAPTERS)) {
            const [ours, theirs] = [to(ctx, { lens: 'preview' }), to(fresh)]
            expect(CHECKS[name]!(ours)).toEqual([])
            expect(text(ours.bytes)).toBe(text(theirs.bytes))
            expect(text(ours.bytes)).toBe(JSON.stringify(ours))
            expectInPieces(ours)
            expect(ours.repairs.map(told)).toEqual(theirs.repairs.map(told))
            expect(ours.sourceMap.map(told)).toEqual(theirs.sourceMap.map(told))
          }
        }
      }),
      { numRuns: runs(8) },
    )
  })

  const told = ({ tokens: _tokens, cause: _cause, ...rest }: Record<string, unknown>): unknown => rest

  test('in pieces is what JSON.stringify writes, also of nothing and of one message', () => {
    for (const count of [0, 1, 2, 3]) {
      const ctx = createContext()
      for (let n = 0; n < count; n++) {
        ctx.user(`Frage ${n}: größer?`)
        ctx.commit()
      }
      for (const { to } of Object.values(ADAPTERS)) {
        const request = to(ctx)
        expect(request.chunks.join('')).toBe(JSON.stringify(request))
        expect(request.byteLength).toBe(Buffer.byteLength(JSON.stringify(request)))
      }
    }
  })

  test('asked for in turn with an older one, and after an edit of the past, is the same', () => {
    const ctx = longContext()
    const { to } = ADAPTERS.anthropic
    const first = text(to(ctx).bytes)
    turn(ctx, TURNS)
    const second = text(to(ctx).bytes)
    expect(text(to(ctx, { lens: '@t-1' }).bytes)).toBe(first)
    expect(text(to(ctx).bytes)).toBe(second)
    ctx.replace("[content='Answer 3']", { content: 'Another answer' })
    ctx.commit()
    const third = text(to(ctx).bytes)
    expect(third).toBe(second.replace('Answer 3"', 'Another answer"'))
    expect(text(to(ctx, { lens: '@t-1' }).bytes)).toBe(second)
  })

  test('has a list of its own, whose messages nobody can change', () => {
    const ctx = longContext()
    for (const { to } of Object.values(ADAPTERS)) {
      const before = text(to(ctx).bytes)
      const [list] = Object.values(to(ctx)) as unknown as [PlainObject[]]
      expect(list.every((message) => Object.isFrozen(message))).toBe(true)
      list.length = 3
      list.push({})
      expect(text(to(ctx).bytes)).toBe(before)
    }
  })
})

describe('the body in pieces', () => {
  const SAID = ['Grüße', '漢字 🙂', 'half a pair: \ud83d', '\udc00 the other half', '\u2028', 'plain']

  function manyTongues(): Context {
    const ctx = createContext()
    ctx.system.add('Répondez en français.')
    for (let n = 0; n < TURNS; n++) {
      ctx.user(SAID[n % SAID.length]!)
      ctx.assistant(SAID[(n + 1) % SAID.length]!)
      ctx.commit()
    }
    return ctx
  }

  test.each(Object.entries(ADAPTERS))(
    'is that of its bytes for %s, whatever it says, also with cache marks',
    (_, { to }) => {
      const ctx = manyTongues()
      for (let n = 0; n < 3; n++) {
        ctx.user(SAID[n]!)
        ctx.commit()
        expectInPieces(to(ctx))
        if (CACHES.has(to[RENDERER].name)) expectInPieces(to(ctx, { cache: true }))
      }
    },
  )

  test('is nobody’s to change, and is the same however often it is asked for', () => {
    const made = ADAPTERS.anthropic.to(longContext(), { cache: true })
    expect(Object.isFrozen(made.chunks)).toBe(true)
    expect(made.chunks).toBe(made.chunks)
    expect(Object.keys(made)).not.toContain('chunks')
    expect(made.byteLength).toBeGreaterThan(JSON.stringify(ADAPTERS.anthropic.to(longContext())).length)
  })

  test('is one piece for each turn, and after a commit those before it are as they were', () => {
    const ctx = longContext()
    let before = ADAPTERS['openai-chat'].to(ctx).chunks
    for (let n = 0; n < 40; n++) {
      turn(ctx, TURNS + n)
      const { chunks } = ADAPTERS['openai-chat'].to(ctx)
      // One before all and one behind.
      expect(chunks.length).toBe(TURNS + n + 3)
      expect(chunks.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
      before = chunks
    }
  })
})

describe('what is written for a request', () => {
  /** Counts the turns that are written, and asks for each if it is the last. */
  function counting(
    asksLast: boolean,
  ): Readonly<{ adapter: Adapter<Record<string, never>>; written: () => number; asText: () => number }> {
    let count = 0
    let texts = 0
    const format: RequestFormat<Record<string, never>> = {
      name: 'openai-chat',
      version: 1,
      list: 'messages',
      isBlank: (said) => said === '',
      write: (messages, pen) => {
        count++
        const isLast = asksLast && pen.isLast
        return messages.map(({ record }) => ({
          get node(): string {
            texts++
            return record.id
          },
          isLast,
        }))
      },
      filler: () => ({}),
      request: () => ({ before: {} }),
    }
    const written = (): number => {
      const now = count
      count = 0
      return now
    }
    const asText = (): number => {
      const now = texts
      texts = 0
      return now
    }
    return { adapter: new Adapter(format), written, asText }
  }

  test('after a commit is the new turn, once; of the same tree, nothing', () => {
    const { adapter, written } = counting(false)
    const ctx = longContext()
    adapter.request(ctx)
    expect(written()).toBe(TURNS)
    for (let n = 0; n < 40; n++) {
      turn(ctx, TURNS + n)
      adapter.request(ctx)
      expect(written()).toBe(1)
    }
    adapter.request(ctx)
    adapter.request(ctx.fork())
    expect(written()).toBe(0)
  })

  test('as text is the new turn alone', () => {
    const { adapter, asText } = counting(false)
    const ctx = longContext()
    expect(adapter.request(ctx).chunks.join('')).toContain('block:')
    expect(asText()).toBe(TURNS * 4)
    for (let n = 0; n < 40; n++) {
      turn(ctx, TURNS + n)
      const { chunks, byteLength, bytes } = adapter.request(ctx)
      expect([chunks.join('').length, bytes.length]).toEqual([byteLength, byteLength])
      expect(asText()).toBe(4)
    }
    void adapter.request(ctx.fork()).chunks
    expect(asText()).toBe(0)
  })

  test('is written again as the last by a format that asks, and only then', () => {
    const { adapter, written } = counting(true)
    const ctx = longContext()
    adapter.request(ctx)
    written()
    turn(ctx, TURNS)
    const { messages } = adapter.request(ctx) as unknown as { messages: readonly { isLast: boolean }[] }
    expect(written()).toBe(2)
    expect(messages.findIndex(({ isLast }) => isLast)).toBe(messages.length - 4)
  })
})

function expectInPieces(made: object & RequestFacts): void {
  expect(made.chunks.join('')).toBe(JSON.stringify(made))
  expect(made.byteLength).toBe(made.bytes.length)
  expect(text(made.bytes)).toBe(made.chunks.join(''))
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}
