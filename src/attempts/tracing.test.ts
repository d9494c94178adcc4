// Spans for attempts and commits, with OpenTelemetry's own SDK, and with tracers that misbehave.

import { SpanKind, SpanStatusCode, type Tracer as OpenTelemetryTracer } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createHash } from 'node:crypto'
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest'

import { clockOf, refusal, textOf } from '../../test/support/context.js'
import { createContext, type Context, type ContextOptions, type Tracer, type TracerSpan } from '../index.js'
import { Snapshot } from '../context/index.js'

const CALL = { provider: 'acme', model: 'large-1', params: {} } as const

afterEach(() => vi.restoreAllMocks())

function memoryTracer(): { tracer: OpenTelemetryTracer; spans: InMemorySpanExporter } {
  const spans = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  return { tracer: provider.getTracer('test'), spans }
}

describe('with an OpenTelemetry tracer', () => {
  test('a Tracer of @opentelemetry/api is one', () => {
    expectTypeOf<OpenTelemetryTracer>().toExtend<Tracer>()
  })

  test('an attempt is one span with the names of the GenAI conventions', () => {
    const { tracer, spans } = memoryTracer()
    const ctx = createContext({ id: 'support', tracer })
    ctx.user('Hi')
    const attempt = ctx.startAttempt(CALL)
    expect(spans.getFinishedSpans()).toEqual([])
    attempt.complete({ tokenIn: 12, tokenOut: 0 })
    expect(
      spans.getFinishedSpans().map(({ name, kind, status, attributes }) => ({ name, kind, status, attributes })),
    ).toEqual([
      {
        name: 'chat large-1',
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.UNSET },
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'acme',
          'gen_ai.request.model': 'large-1',
          'gen_ai.usage.input_tokens': 12,
          'gen_ai.usage.output_tokens': 0,
          'pact.context.id': 'support',
          'pact.cycle': 1,
          'pact.attempt.id': 'attempt:1-0',
          'pact.attempt.status': 'completed',
          'pact.thread.hash': attempt.record.thread_hash,
        },
      },
    ])
  })

  test('a span has what the provider reported about the reply', () => {
    const { tracer, spans } = memoryTracer()
    const ctx = createContext({ tracer })
    const reported = { id: 'msg_1', model: 'large-1-0801', stop: 'end', cacheRead: 200, cacheWrite: 0 } as const
    ctx.startAttempt(CALL).complete({ tokenIn: 240, tokenOut: 7, reported })
    expect(spans.getFinishedSpans()[0]?.attributes).toMatchObject({
      'gen_ai.response.id': 'msg_1',
      'gen_ai.response.model': 'large-1-0801',
      'gen_ai.usage.input_tokens': 240,
      'gen_ai.usage.cache_read.input_tokens': 200,
      'gen_ai.usage.cache_creation.input_tokens': 0,
      'pact.attempt.stop': 'end',
    })
  })

  test('a canceled attempt is no error, a failed one is, without its stack', () => {
    const { tracer, spans } = memoryTracer()
    const ctx = createContext({ tracer })
    ctx.startAttempt(CALL).cancel()
    ctx.startAttempt(CALL).fail(new RangeError('too long'))
    const [canceled, failed] = spans.getFinishedSpans()
    expect(canceled?.status).toEqual({ code: SpanStatusCode.UNSET })
    expect(canceled?.attributes).toMatchObject({ 'pact.attempt.status': 'canceled' })
    expect(canceled?.attributes).not.toHaveProperty('error.type')
    expect(canceled?.attributes).not.toHaveProperty('gen_ai.usage.input_tokens')
    expect(failed?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'too long' })
    expect(failed?.attributes).toMatchObject({ 'error.type': 'RangeError', 'pact.attempt.status': 'error' })
    expect(failed?.events).toEqual([])
  })

  test('a commit is one span with its cycle and the SHA-256 of the export; a preview is none', () => {
    const { tracer, spans } = memoryTracer()
    const ctx = createContext({ id: 'support', tracer })
    ctx.user('Hi')
    ctx.preview()
    const hash = createHash('sha256').update(ctx.commit().export()).digest('hex')
    ctx.fork().commit()
    expect(
      spans.getFinishedSpans().map(({ name, kind, status, attributes }) => [name, kind, status.code, attributes]),
    ).toEqual([
      ['pact.commit', 0, 0, { 'pact.context.id': 'support', 'pact.cycle': 1, 'pact.snapshot.hash': hash }],
      ['pact.commit', 0, 0, expect.objectContaining({ 'pact.context.id': 'support/f1', 'pact.cycle': 2 })],
    ])
  })

  test('a refused commit ends its span as an error and is thrown on', () => {
    const { tracer, spans } = memoryTracer()
    const ctx = createContext({ tracer, prune: { maxNodes: 1, unmet: 'error' } })
    const error = refusal(() => ctx.commit())
    const [span] = spans.getFinishedSpans()
    expect(span?.attributes).toMatchObject({ 'error.type': 'E_BUDGET', 'pact.cycle': 1 })
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: error.message })
  })

  test('the commit of a caller whose own function threw says no more than that', () => {
    const { tracer, spans } = memoryTracer()
    const broken = new Error('secret')
    let fails = false
    const clock = (): bigint => {
      if (fails) throw broken
      return 1n
    }
    const ctx = createContext({ tracer, clock })
    ctx.user('Hi')
    fails = true
    expect(() => ctx.commit()).toThrow(expect.objectContaining({ code: 'E_CONTENT_INVALID', cause: broken }))
    expect(spans.getFinishedSpans()[0]?.status.message).toMatch(/The option clock threw/)
    expect(JSON.stringify(spans.getFinishedSpans()[0]?.status)).not.toContain('secret')
  })
})

describe('without a reader', () => {
  test('no export is made: there is no tracer, or its spans do not record', () => {
    const made = vi.spyOn(Snapshot.prototype, 'export')
    const ends: string[] = []
    const tracer: Tracer = { startSpan: (name) => spanOf({ isRecording: () => false, end: () => ends.push(name) }) }
    createContext().commit()
    createContext({ tracer }).commit()
    expect(made).not.toHaveBeenCalled()
    expect(ends).toEqual(['pact.commit'])
  })
})

describe('a tracer changes nothing', () => {
  const fault = (): never => {
    throw new Error('The tracer is broken.')
  }
  const broken: TracerSpan = { isRecording: fault, setAttributes: fault, setStatus: fault, end: fault }
  const tracers: readonly (readonly [what: string, tracer: Tracer])[] = [
    ['throws at startSpan', { startSpan: fault }],
    ['gives no span', { startSpan: () => undefined as never }],
    ['gives something else', { startSpan: () => ({}) as never }],
    ['throws at isRecording', { startSpan: () => spanOf({ isRecording: fault }) }],
    ['throws at setAttributes', { startSpan: () => spanOf({ setAttributes: fault }) }],
    ['throws at setStatus', { startSpan: () => spanOf({ setStatus: fault }) }],
    ['throws at end', { startSpan: () => spanOf({ end: fault }) }],
    ['throws everywhere', { startSpan: () => broken }],
  ]
  test.each(tracers)('that %s', (_what, tracer) => {
    expect(play({ tracer })).toEqual(play({}))
  })

  test('that tries to write or to commit meanwhile', () => {
    const refused: string[] = []
    let ctx: Context | undefined
    const meddle = (): void => {
      for (const write of [() => ctx!.user('x'), () => ctx!.undo(), () => ctx!.commit()]) {
        try {
          write()
        } catch (error) {
          refused.push((error as { code: string }).code)
          throw error
        }
      }
    }
    const tracer: Tracer = { startSpan: () => (meddle(), spanOf({})) }
    const options = { tracer, onContext: (made: Context) => (ctx = made) }
    expect(play(options)).toEqual(play({}))
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused)).toEqual(new Set(['E_CONFLICT']))
  })

  test('a span that takes no attributes is still ended', () => {
    const end = vi.fn()
    const ctx = createContext({ tracer: { startSpan: () => spanOf({ setAttributes: fault, setStatus: fault, end }) } })
    ctx.startAttempt(CALL).fail(new Error('no'))
    ctx.commit()
    expect(end).toHaveBeenCalledTimes(2)
  })
})

function spanOf(span: Partial<TracerSpan>): TracerSpan {
  return { isRecording: () => true, setAttributes: () => {}, setStatus: () => {}, end: () => {}, ...span }
}

/** Everything that a run with edits, attempts of every end, a refusal and commits leaves behind. */
function play({
  onContext,
  ...options
}: ContextOptions & { onContext?: (ctx: Context) => void }): Readonly<Record<string, unknown>> {
  const ctx = createContext({ clock: clockOf(), attemptClock: clockOf(), ...options })
  onContext?.(ctx)
  ctx.user('One')
  ctx.startAttempt(CALL).cancel()
  ctx.undo()
  ctx.user('Two')
  ctx.startAttempt(CALL).complete({ tokenIn: 1, tokenOut: 2 })
  const first = textOf(ctx.commit().export())
  const again = ctx.startAttempt({ ...CALL, lens: '@t0' })
  again.fail(new Error('no'))
  const { code } = refusal(() => again.cancel())
  ctx.assistant('Three')
  ctx.commit()
  return { first, second: textOf(ctx.export()), working: textOf(ctx.export('working')), code, attempts: ctx.attempts() }
}
