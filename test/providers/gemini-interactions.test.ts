// Gemini's Interactions API: replies and streams of the client, steps of its own tools, and what the server holds.

import { GoogleGenAI, type Interactions } from '@google/genai'
import { describe, expect, test, vi } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import {
  fromGeminiInteractions,
  receiveGeminiInteractions,
  toGemini,
  toGeminiInteractions,
  type GeminiInteractionsRequest,
} from '../../src/adapters/gemini/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { createContext, importSnapshot, PactError, type Context } from '../../src/index.js'
import { checkGeminiInteractions } from '../support/providers/gemini-interactions.js'
import { eventStream, STREAMED } from '../support/providers/interaction-streams.js'

const ask = (text: string) => ({ type: 'user_input' as const, content: [{ type: 'text' as const, text }] })
const said = (text: string) => ({ type: 'model_output' as const, content: [{ type: 'text' as const, text }] })

const STEPS: readonly Interactions.Step[] = [
  { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 'Two cities.' }] },
  { type: 'function_call', id: 'a', name: 'weather', arguments: { city: 'Rome' } },
  { type: 'function_call', id: 'b', name: 'weather', arguments: { city: 'Oslo' } },
]

const REPLY = {
  id: 'v1_1',
  status: 'requires_action',
  model: 'gemini-3-pro',
  steps: STEPS,
  usage: {
    total_input_tokens: 900,
    total_tool_use_tokens: 50,
    total_cached_tokens: 800,
    total_output_tokens: 20,
    total_thought_tokens: 5,
  },
}

function asked(): Context {
  const ctx = createContext()
  ctx.user('Compare Rome and Oslo.')
  return ctx
}

describe('receiveGeminiInteractions', () => {
  test('gives the calls, keeps every step, and reports what the provider said', () => {
    const ctx = asked()
    const attempt = ctx.startAttempt({ for: toGeminiInteractions, params: { model: 'gemini-3-pro' } })
    expect(attempt.body).toEqual({ model: 'gemini-3-pro', input: [ask('Compare Rome and Oslo.')] })
    const { nodes, calls, stop } = ctx.receive(REPLY, { from: fromGeminiInteractions, attempt })
    expect([nodes.length, stop, calls.map(({ id, arguments: given }) => [id, given])]).toEqual([
      1,
      'calls',
      [
        ['a', { city: 'Rome' }],
        ['b', { city: 'Oslo' }],
      ],
    ])
    expect(attempt.record).toMatchObject({ provider: 'google', token_in: 950, token_out: 25 })
    expect(attempt.record.reported).toMatchObject({
      id: 'v1_1',
      model: 'gemini-3-pro',
      providerStop: 'requires_action',
      cacheRead: 800,
      details: { usage: { total_thought_tokens: 5 } },
    })
    for (const { id } of calls) ctx.result(id, 'Sunny.')
    for (const each of [ctx, importSnapshot(ctx.export('preview'))]) {
      const { input, repairs } = toGeminiInteractions(each)
      expect(repairs).toEqual([])
      expect(input).toEqual([
        ask('Compare Rome and Oslo.'),
        ...STEPS,
        { type: 'function_result', call_id: 'a', name: 'weather', result: 'Sunny.' },
        { type: 'function_result', call_id: 'b', name: 'weather', result: 'Sunny.' },
      ])
    }
  })

  test('leaves out what the caller said: a stored interaction repeats it', () => {
    const ctx = asked()
    const steps = [ask('Compare Rome and Oslo.'), { type: 'function_result', call_id: 'x', result: 'y' }, ...STEPS]
    receiveGeminiInteractions(ctx, { ...REPLY, steps })
    expect(toGeminiInteractions(ctx).input.slice(0, 4)).toEqual([ask('Compare Rome and Oslo.'), ...STEPS])
  })

  test.each([
    ['completed', 'end'],
    ['incomplete', 'length'],
    ['budget_exceeded', 'length'],
    ['requires_continuation', 'pause'],
    ['failed', 'other'],
    ['cancelled', 'other'],
  ])('ends with %s: %s', (status, stop) => {
    const ctx = asked()
    const received = receiveGeminiInteractions(ctx, { id: 'v1', status, steps: [said('So')], errors: [{ code: 'x' }] })
    expect([received.stop, received.reported.details]).toEqual([stop, { errors: [{ code: 'x' }] }])
  })

  test.each(['in_progress', 'queued'])('refuses one that is still running: %s', (status) => {
    const ctx = asked()
    expect(() => receiveGeminiInteractions(ctx, { id: 'v1', status })).toThrow('still running')
    expect(toGeminiInteractions(ctx).input).toEqual([ask('Compare Rome and Oslo.')])
  })

  test.each([[[]], [[{ candidates: [] }]], [{ candidates: [] }], [{ choices: [] }], ['x'], [null]])(
    'refuses what is no interaction: %j',
    (reply) => {
      expect(() => receiveGeminiInteractions(asked(), reply as never)).toThrow(PactError)
    },
  )
})

describe('a stream of the client', () => {
  const eventsOf = async (events: (typeof STREAMED)[number]['events']): Promise<object[]> => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(eventStream(events)))
    try {
      const client = new GoogleGenAI({ apiKey: 'none' })
      const request = {
        model: 'gemini-3',
        stream: true,
        automatic_continuation: false,
        ...toGeminiInteractions(asked()),
      }
      const stream = await client.interactions.create(
        request as Interactions.InteractionCreateParams.CreateModelInteractionParamsStreaming,
      )
      const list: object[] = []
      for await (const event of stream) list.push(event)
      return list
    } finally {
      fetch.mockRestore()
    }
  }

  test.each(STREAMED)('$what', async ({ events, steps, cut }) => {
    const ctx = asked()
    const received = receiveGeminiInteractions(ctx, await eventsOf(events))
    const made = toGeminiInteractions(ctx)
    expect(received.cut.map(({ id }) => id)).toEqual(cut === undefined ? [] : [cut])
    if (cut !== undefined) return expect(made.repairs.map(({ code }) => code)).toEqual(['cut-call'])
    const answered = steps.flatMap((step) => (step.type === 'function_call' ? [step.id] : []))
    expect(received.calls.map(({ id }) => id)).toEqual(answered)
    expect(made.input.slice(1, steps.length + 1)).toEqual(steps)
    expect(received.reported).toMatchObject({ model: 'gemini-3', tokenIn: 900, tokenOut: 25, cacheRead: 800 })
  })

  test('an error ends it, with what was said before', () => {
    const ctx = asked()
    const events = [
      ...STREAMED[0]!.events.slice(0, -1),
      { event_type: 'error', error: { code: 'overloaded', message: 'Try again.' } },
    ]
    const { stop, providerStop, reported } = receiveGeminiInteractions(ctx, events)
    expect([stop, providerStop, reported.details]).toEqual([
      'other',
      'failed',
      { error: { code: 'overloaded', message: 'Try again.' } },
    ])
    expect(JSON.stringify(toGeminiInteractions(ctx).input)).toContain('Sunny.')
  })
})

describe('toGeminiInteractions', () => {
  test('is what the client takes', () => {
    const request: GeminiInteractionsRequest = toGeminiInteractions(asked())
    const params: Interactions.InteractionCreateParams.CreateModelInteractionParamsNonStreaming = {
      model: 'gemini-3-pro',
      stream: false,
      ...request,
    }
    expect(params.input).toEqual([ask('Compare Rome and Oslo.')])
  })

  test.each([
    ['Hello', 'Hello'],
    [{ type: 'text', text: 'Hello' }, [ask('Hello')]],
    [[{ type: 'text', text: 'Hello' }], [ask('Hello')]],
    [[ask('Hello')], [ask('Hello')]],
  ])('the short forms of an input: %j', (input, sent) => {
    const { input: made, repairs } = toGeminiInteractions(fromGeminiInteractions({ input }))
    expect([made, repairs]).toEqual([sent, []])
  })

  test('a stored interaction goes on as it was', () => {
    const steps = [ask('Hi'), { type: 'thought', signature: 'c2ln' }, said('Ho')]
    const ctx = fromGeminiInteractions({ system_instruction: 'Be brief.', steps })
    ctx.user('And now?')
    expect({ ...toGeminiInteractions(ctx) }).toEqual({
      system_instruction: 'Be brief.',
      input: [...steps, ask('And now?')],
    })
    const apart = fromGeminiInteractions({ input: 'Hi', steps: steps.slice(1) })
    expect(toGeminiInteractions(apart).input).toEqual(steps)
  })

  test('pictures, sounds, films and files, also in results', () => {
    const ctx = createContext()
    ctx.user([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'input_audio', input_audio: { format: 'wav', data: 'BBBB' } },
    ])
    ctx.assistant({ name: 'draw', arguments: {} }, { kind: 'call', data_call_id: 'c1' })
    ctx.tool(
      [
        { type: 'text', text: 'Done' },
        { type: 'image', source: { type: 'url', url: 'https://example.com/b.png' } },
      ],
      {
        kind: 'result',
        data_call_id: 'c1',
      },
    )
    const made = toGeminiInteractions(ctx)
    expect(checkGeminiInteractions({ ...made })).toEqual([])
    expect(made.input).toMatchObject([
      {
        type: 'user_input',
        content: [
          { type: 'image', data: 'AAAA', mime_type: 'image/jpeg' },
          { type: 'document', uri: 'https://example.com/a.pdf', mime_type: 'application/pdf' },
          { type: 'audio', data: 'BBBB', mime_type: 'audio/wav' },
        ],
      },
      { type: 'function_call', id: 'c1' },
      {
        type: 'function_result',
        call_id: 'c1',
        result: [
          { type: 'text', text: 'Done' },
          { type: 'image', uri: 'https://example.com/b.png', mime_type: 'image/png' },
        ],
      },
    ])
  })

  test('names of tools are made valid in calls and results', () => {
    const ctx = createContext()
    ctx.user('Go.')
    ctx.assistant({ name: 'a b', arguments: {} }, { kind: 'call', data_call_id: 'c1' })
    ctx.tool('x', { kind: 'result', data_call_id: 'c1' })
    const { input, repairs } = toGeminiInteractions(ctx)
    expect(input.slice(1)).toMatchObject([{ name: 'a_b' }, { name: 'a_b' }])
    expect(repairs.map(({ code }) => code)).toEqual(['converted'])
  })

  test('a thought that was changed is left out, and so is one of another model', () => {
    const ctx = fromGeminiInteractions({
      input: [ask('Hi'), { type: 'thought', signature: 'c2ln' }, said('Ho'), ask('So?')],
    })
    ctx.replace(".block[kind='reasoning']", { content: { type: 'thought', signature: 'forged' } })
    const { input, repairs } = toGeminiInteractions(ctx)
    expect([input, repairs.map(({ code }) => code)]).toEqual([[ask('Hi'), said('Ho'), ask('So?')], ['left-out']])
  })
})

describe('tools of the provider', () => {
  const SEARCH = [
    { type: 'google_search_call', id: 's', arguments: { queries: ['x'] }, signature: 'c2ln' },
    { type: 'google_search_result', call_id: 's', result: [{}], signature: 'c2ln' },
  ]

  test.each([0, 1])('half %i alone is left out, with a repair', (at) => {
    const ctx = fromGeminiInteractions({ input: [ask('Hi'), SEARCH[at]!, said('Ho'), ask('So?')] })
    const { input, repairs } = toGeminiInteractions(ctx)
    expect([input, repairs.map(({ code }) => code)]).toEqual([[ask('Hi'), said('Ho'), ask('So?')], ['left-out']])
  })

  test('a commit between both halves changes nothing', () => {
    const ctx = asked()
    receiveGeminiInteractions(ctx, { id: 'v1', status: 'requires_continuation', steps: [SEARCH[0]] })
    expect(toGeminiInteractions(ctx).input.at(-1)).toEqual(SEARCH[0])
    ctx.commit()
    receiveGeminiInteractions(ctx, { id: 'v2', status: 'completed', steps: [SEARCH[1], said('Ho')] })
    const { input, repairs } = toGeminiInteractions(ctx)
    expect([input.slice(1), repairs]).toEqual([[...SEARCH, said('Ho')], []])
  })

  test('others get code and what it printed as text', () => {
    const ctx = fromGeminiInteractions({
      input: [
        ask('What is 6 times 7?'),
        { type: 'code_execution_call', id: 'c', arguments: { code: 'print(6 * 7)', language: 'python' } },
        { type: 'code_execution_result', call_id: 'c', result: 'forty-two' },
        said('42.'),
        ask('Sure?'),
      ],
    })
    for (const to of [toAnthropic, toOpenAIChat, toGemini]) {
      const text = JSON.stringify(to(ctx))
      for (const each of ['print(6 * 7)', 'forty-two', '42.']) expect(text).toContain(each)
    }
  })
})

test('previous_interaction_id is kept, and results may answer calls that the server holds', () => {
  const request = {
    previous_interaction_id: 'v1_1',
    input: [{ type: 'function_result', call_id: 'a', name: 'weather', result: [{ type: 'text', text: 'Sunny.' }] }],
  }
  const made = toGeminiInteractions(fromGeminiInteractions(request))
  expect([{ ...made }, made.repairs]).toEqual([request, []])
})

describe('steps, contents and keys of tomorrow', () => {
  const STEPS_OF_TOMORROW = [
    { type: 'dream', signature: 'c2ln', depth: 3 },
    { type: 'telepathy_call', id: 't', arguments: { to: 'you' } },
    { type: 'telepathy_result', call_id: 't', thoughts: ['hm'] },
    { type: 'function_call', id: 'a', name: 'weather', arguments: {}, mood: 'sunny' },
    {
      type: 'model_output',
      content: [
        { type: 'hologram', data: 'AAAA' },
        { type: 'text', text: 'Look.', tone: 'warm' },
      ],
      tempo: 3,
    },
  ]
  const received = (): Context => {
    const ctx = asked()
    receiveGeminiInteractions(ctx, { id: 'v1', status: 'requires_action', steps: STEPS_OF_TOMORROW })
    ctx.result('a', 'Sunny.')
    return ctx
  }

  test('go back as they came', () => {
    const ctx = received()
    for (const each of [ctx, importSnapshot(ctx.export('preview'))]) {
      const { input, repairs } = toGeminiInteractions(each)
      expect([input.slice(1, -1), repairs]).toEqual([STEPS_OF_TOMORROW, []])
    }
  })

  test("are left out with unknown: 'drop', and after an edit", () => {
    const ctx = received()
    const made = toGeminiInteractions(ctx, { unknown: 'drop' })
    expect(checkGeminiInteractions({ ...made })).toEqual([])
    expect(made.repairs.length).toBeGreaterThanOrEqual(5)
    ctx.redact('.block', { match: 'Look.', with: 'See.' })
    expect(JSON.stringify(toGeminiInteractions(ctx).input)).not.toMatch(/hologram|tempo/)
  })

  test('no other provider gets them', () => {
    expect(JSON.stringify(toAnthropic(received()))).not.toMatch(/hologram|telepathy|mood/)
  })
})

test.each(['call', 'result'])(
  'a %s of a tool of the provider that cannot go back takes its other half along',
  (half) => {
    const call = { type: 'google_search_call', id: 's1', arguments: half === 'call' ? 'x' : { queries: ['x'] } }
    const result = { type: 'google_search_result', call_id: 's1', result: half === 'result' ? 'x' : [{}] }
    const said = { type: 'model_output', content: [{ type: 'text', text: 'Rain.' }] }
    const asked = { type: 'user_input', content: [{ type: 'text', text: 'News?' }] }
    const { input, repairs } = toGeminiInteractions(
      fromGeminiInteractions({ input: [asked, call, result, said, asked] }),
    )
    expect((input as readonly { type: string }[]).map(({ type }) => type)).toEqual([
      'user_input',
      'model_output',
      'user_input',
    ])
    expect(repairs.map(({ code }) => code)).toEqual(['left-out', 'left-out'])
  },
)
