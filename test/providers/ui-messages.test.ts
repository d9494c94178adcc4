// UI messages against version 6 of the SDK; test/node22 has the same laws for version 7.

import {
  convertToModelMessages,
  safeValidateUIMessages,
  simulateReadableStream,
  stepCountIs,
  streamText,
  type UIMessage,
} from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import {
  fromModelMessages,
  fromUIMessages,
  runOn,
  toModelMessages,
  toUIMessages,
} from '../../src/adapters/ai-sdk/index.js'
import { createContext } from '../../src/index.js'
import { arbitraryUiMessages, type UiMessage } from '../support/providers/arbitrary/ui-messages.js'
import { FORMATS } from '../support/providers/formats.js'
import { SCRIPT, scriptedParts, scriptedTools } from '../support/providers/scripted-chat.js'
import { checkRequest, checkRoundTrip, checkValid, type UiSdk } from '../support/providers/ui-messages.js'
import { runs } from '../support/runs.js'

const SDK: UiSdk = {
  validate: (messages) => safeValidateUIMessages({ messages }),
  convert: (messages) => convertToModelMessages(messages as UIMessage[]),
}

test('generated chats come back, also after an export, and are valid', async () => {
  const chats = arbitraryUiMessages({ version: 6, isComplete: false })
  const law = fc.asyncProperty(chats, (messages) => checkRoundTrip(SDK, messages))
  await fc.assert(law, { numRuns: runs(100) })
})

test('the request for a generated chat is what the SDK makes of it', async () => {
  const chats = arbitraryUiMessages({ version: 6, isComplete: true })
  const law = fc.asyncProperty(chats, async (messages) => void (await checkRequest(SDK, messages)))
  await fc.assert(law, { numRuns: runs(100) })
})

test.each(FORMATS.map((format) => [format.name, format] as const))(
  'conversations of %s are shown as valid messages, with every text of the user',
  async (_name, { from, arbitrary }) => {
    const law = fc.asyncProperty(arbitrary('valid'), async (request) => {
      const ctx = (from as (request: object) => ReturnType<typeof createContext>)(request)
      const messages = toUIMessages(ctx)
      if (messages.length > 0) await checkValid(SDK, messages)
      const shown = JSON.stringify(messages)
      for (const { content, role } of ctx.nodes(".block[role='user'][kind='text']"))
        if (role === 'user' && content !== '') expect(shown).toContain(JSON.stringify(content))
    })
    await fc.assert(law, { numRuns: runs(15) })
  },
)

test('a run on a context is shown as the SDK streams it', async () => {
  const ctx = createContext()
  ctx.user('Is it sunny?')
  let at = 0
  const model = new MockLanguageModelV3({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: scriptedParts(SCRIPT[at++]!) as never[] }) }),
  })
  const result = streamText({ model, tools: scriptedTools(), stopWhen: stepCountIs(5), ...runOn(ctx) })
  let streamed: UIMessage | undefined
  const stream = result.toUIMessageStream({ onFinish: ({ responseMessage }) => void (streamed = responseMessage) })
  for await (const _ of stream);
  const [asked, answered] = toUIMessages<UIMessage>(ctx)
  expect(asked).toMatchObject({ role: 'user', parts: [{ type: 'text', text: 'Is it sunny?' }] })
  // A stream names its thoughts, and says that a text has ended; a context has no others.
  const parts = streamed!.parts.map((part) => {
    if (part.type !== 'text' && part.type !== 'reasoning') return part
    return { ...part, state: undefined, id: undefined }
  })
  expect(answered!.parts).toEqual(parts)
  expect(parts.map(({ type }) => type)).toEqual([
    'step-start',
    'reasoning',
    'text',
    'tool-weather',
    'step-start',
    'text',
  ])
})

const CHAT: UiMessage[] = [
  {
    id: 'u1',
    role: 'user',
    parts: [
      { type: 'text', text: 'My card is 4111.' },
      { type: 'data-form', data: { card: '4111' } },
    ],
  },
  {
    id: 'a1',
    role: 'assistant',
    metadata: { model: 'gpt' },
    parts: [
      { type: 'step-start' },
      {
        type: 'tool-pay',
        toolCallId: 'c1',
        state: 'output-available',
        title: 'Paying',
        input: { card: '4111' },
        output: 'paid',
      },
      { type: 'step-start' },
      { type: 'text', text: 'Paid.', state: 'done' },
      { type: 'source-url', sourceId: 's', url: 'https://example.com' },
    ],
  },
]

test('edits of nodes show in the messages', () => {
  const ctx = fromUIMessages(CHAT)
  ctx.redact('.block', { match: '4111', with: 'xxxx' })
  ctx.replace(".block[content='Paid.']", { content: 'Done.' })
  const messages = toUIMessages(ctx)
  expect(messages[1]!.parts.slice(1)).toMatchObject([
    { title: 'Paying', input: { card: 'xxxx' }, output: 'paid' },
    {},
    { text: 'Done.', state: 'done' },
    { type: 'source-url' },
  ])
  expect(JSON.stringify(messages)).not.toContain('4111')
  ctx.delete(".block[content='Done.']")
  expect(toUIMessages(ctx)[1]!.parts.map(({ type }) => type)).toEqual(['step-start', 'tool-pay'])
})

test('a shed result is shown whole, and so is a chat of an earlier snapshot', () => {
  const long = structuredClone(CHAT)
  long[1]!.parts[1]!['output'] = 'paid '.repeat(100)
  const prune = { maxTokens: 300, results: { keep: 0 } }
  const ctx = fromUIMessages(long, { prune, countTokens: (text: string) => text.length })
  ctx.user('Again.')
  ctx.trim()
  expect(JSON.stringify(toModelMessages(ctx))).toContain('shed; recall')
  expect(toUIMessages(ctx)[1]!.parts[1]).toMatchObject({ output: 'paid '.repeat(100) })
  expect(toUIMessages(ctx, { lens: '@t0' })).toHaveLength(2)
})

test('what the program tells a model is not shown', () => {
  const ctx = createContext()
  ctx.system.add('Be brief.')
  ctx.user('Hi')
  ctx.post('A document.')
  ctx.add('A note.', { zone: 'core' })
  expect(toUIMessages(ctx).map(({ role }) => role)).toEqual(['user'])
})

test.each([
  ['a text', 'Hi', 'is a list of UI messages'],
  ['a message of another form', [{ role: 'user', content: 'Hi' }], 'use fromModelMessages'],
  ['a message without an id', [{ role: 'user', parts: [] }], 'is no UI message'],
  ['a part without a type', [{ id: 'a', role: 'user', parts: [{ text: 'Hi' }] }], 'is no UI message'],
  ['two messages with one id', [CHAT[0], CHAT[0]], 'has the id of an earlier message'],
  ['what is not JSON', [{ id: 'a', role: 'user', parts: [{ type: 'data-x', data: 1n }] }], 'is not JSON'],
])('%s is refused', (_name, given, words) => {
  expect(() => fromUIMessages(given as never)).toThrow(words)
})

test('fromModelMessages names the call for UI messages', () => {
  expect(() => fromModelMessages(CHAT)).toThrow('use fromUIMessages')
})
