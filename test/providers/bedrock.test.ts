// Bedrock's Converse API: requests for the client, replies and streams. The laws are in provider-laws.test.ts.

import type { ConverseCommandInput, ConverseCommandOutput, ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime'
import { createContext } from 'pact-context'
import { toAnthropic } from 'pact-context/anthropic'
import { fromBedrock, receiveBedrock, toBedrock } from 'pact-context/bedrock'
import { describe, expect, test } from 'vitest'

import { checkBedrock } from '../support/providers/bedrock.js'

const PNG = 'iVBORw0KGgo='

describe('a request', () => {
  test('is one that the client takes: bytes for it, base64 in JSON', () => {
    const bytes = Uint8Array.from(Buffer.from(PNG, 'base64'))
    const ctx = fromBedrock({
      messages: [{ role: 'user', content: [{ image: { format: 'png', source: { bytes } } }] }],
    })
    const request: ConverseCommandInput = { modelId: 'm', ...toBedrock(ctx) }
    expect(checkBedrock({ messages: request.messages })).toEqual([])
    const [block] = toBedrock(ctx).messages[0]!.content
    const { image } = block as Extract<typeof block, { image: object }>
    expect(image.source.bytes).toBeInstanceOf(Uint8Array)
    expect([...image.source.bytes]).toEqual([...bytes])
    expect(JSON.parse(JSON.stringify(image))).toEqual({ format: 'png', source: { bytes: PNG } })
    expect(toAnthropic(ctx).messages[0]?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ])
  })

  test('has speakers in turns, the user first, and results in the message behind their calls', () => {
    const ctx = createContext()
    ctx.system.add('Be brief.')
    ctx.assistant('Hello.')
    ctx.user('Look.')
    ctx.post('A note.')
    ctx.commit()
    ctx.user('Please.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' })
    ctx.tool({ found: 1 }, { kind: 'result', data_call_id: 'a' })
    const { system, messages, repairs } = toBedrock(ctx)
    expect(system).toEqual([{ text: 'Be brief.' }])
    expect(messages).toEqual([
      { role: 'user', content: [{ text: '(continued)' }] },
      { role: 'assistant', content: [{ text: 'Hello.' }] },
      { role: 'user', content: [{ text: 'Look.' }, { text: 'A note.' }, { text: 'Please.' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'look', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ json: { found: 1 } }] } }] },
    ])
    expect(repairs.map(({ code }) => code).toSorted()).toEqual(['added', 'merged', 'merged'])
  })

  test('says of a picture by its address that it is left out', () => {
    const ctx = createContext()
    ctx.user([
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    ])
    const { messages, repairs } = toBedrock(ctx)
    expect(messages).toEqual([{ role: 'user', content: [{ text: 'Look.' }] }])
    expect(repairs.map(({ code }) => code)).toEqual(['left-out'])
  })
})

describe('a reply', () => {
  const call = { id: 'tooluse_1', name: 'look', arguments: { q: 'x' }, argumentsText: '{"q":"x"}' }
  const content = [
    { reasoningContent: { reasoningText: { text: 'Let me see.', signature: 'c2ln' } } },
    { text: 'I look.' },
    { toolUse: { toolUseId: 'tooluse_1', name: 'look', input: { q: 'x' } } },
  ]

  test('of the client goes into the open turn, with its calls and counts', () => {
    const ctx = createContext()
    ctx.user('Look.')
    const reply = {
      $metadata: { attempts: 1 },
      output: { message: { role: 'assistant', content } },
      stopReason: 'tool_use',
      usage: { inputTokens: 3, outputTokens: 5, totalTokens: 12, cacheReadInputTokens: 4 },
      metrics: { latencyMs: 1 },
    } as unknown as ConverseCommandOutput
    const attempt = ctx.startAttempt({ provider: 'bedrock', model: 'm', params: {}, for: toBedrock })
    expect(receiveBedrock(ctx, reply, { attempt }).calls).toEqual([call])
    expect(attempt.record).toMatchObject({ status: 'completed', token_in: 7, token_out: 5 })
    ctx.tool('seen', { kind: 'result', data_call_id: call.id })
    expect(toBedrock(ctx).messages[1]).toEqual({ role: 'assistant', content })
    expect(toBedrock(ctx).repairs).toEqual([])
  })

  test('in pieces is the message that they add up to', () => {
    const start = (contentBlockIndex: number, value: object): object => ({
      contentBlockStart: { contentBlockIndex, start: value },
    })
    const delta = (contentBlockIndex: number, value: object): object => ({
      contentBlockDelta: { contentBlockIndex, delta: value },
    })
    const events = [
      { messageStart: { role: 'assistant' } },
      delta(0, { reasoningContent: { text: 'Let me ' } }),
      delta(0, { reasoningContent: { text: 'see.' } }),
      delta(0, { reasoningContent: { signature: 'c2ln' } }),
      { contentBlockStop: { contentBlockIndex: 0 } },
      delta(1, { text: 'I ' }),
      delta(1, { text: 'look.' }),
      start(2, { toolUse: { toolUseId: 'tooluse_1', name: 'look' } }),
      delta(2, { toolUse: { input: '{"q":' } }),
      delta(2, { toolUse: { input: '"x"}' } }),
      { messageStop: { stopReason: 'tool_use' } },
      { metadata: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, metrics: { latencyMs: 1 } } },
    ] as unknown as ConverseStreamOutput[]
    const ctx = createContext()
    ctx.user('Look.')
    const attempt = ctx.startAttempt({ provider: 'bedrock', model: 'm', params: {}, for: toBedrock })
    expect(receiveBedrock(ctx, events, { attempt }).calls).toEqual([call])
    expect(attempt.record).toMatchObject({ token_in: 1, token_out: 2 })
    ctx.tool('seen', { kind: 'result', data_call_id: call.id })
    expect(toBedrock(ctx).messages[1]).toEqual({ role: 'assistant', content })
  })

  test.each([[{}], [{ role: 'user', content: [] }], [['x']], [[]]])('%j is none', (reply) => {
    expect(() => receiveBedrock(createContext(), reply as never)).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID' }),
    )
  })
})
