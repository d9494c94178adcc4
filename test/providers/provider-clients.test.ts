// The providers' own clients as judges: a valid request goes out byte for byte as it was given, a broken one is refused.

import { describe, expect, test } from 'vitest'

import { judgeWithAiSdk } from '../support/providers/ai-sdk.js'
import {
  judgeWithAnthropic,
  judgeWithGemini,
  judgeWithOpenAI,
  judgeWithResponses,
  type Judgement,
} from '../support/providers/clients.js'
import { ANTHROPIC } from '../support/providers/planted/anthropic.js'
import { GEMINI } from '../support/providers/planted/gemini.js'
import { MODEL_MESSAGES } from '../support/providers/planted/model-messages.js'
import { CHAT } from '../support/providers/planted/openai-chat.js'
import { RESPONSES } from '../support/providers/planted/openai-responses.js'
import type { Judged } from '../support/providers/planted/planted.js'
import {
  recordedAnthropic,
  recordedChats,
  recordedGemini,
  recordedResponses,
  type Recorded,
} from '../support/providers/recorded.js'

type Client = Readonly<{
  judged: Judged
  judge: (request: unknown) => Promise<Judgement>
  recorded: () => readonly Recorded<unknown>[]
}>

const CLIENTS: readonly Client[] = [
  { judged: CHAT, judge: judgeWithOpenAI, recorded: recordedChats },
  { judged: RESPONSES, judge: judgeWithResponses, recorded: recordedResponses },
  { judged: ANTHROPIC, judge: judgeWithAnthropic, recorded: recordedAnthropic },
  { judged: GEMINI, judge: judgeWithGemini, recorded: recordedGemini },
]

/** Snake_case is what the API reads and this client drops. */
const DROPPED = ['snake_case']

describe.each(CLIENTS)('the client for $judged.name', ({ judged, judge, recorded }) => {
  test.each(judged.valid)('sends $what as it is', async ({ what, request }) => {
    const { errors, sent } = await judge(request)
    if (DROPPED.includes(what)) expect(errors).not.toEqual([])
    else expect(errors).toEqual([])
    expect(sent).toBeDefined()
  })

  test.each(judged.planted.filter(({ rule }) => rule === 'json'))('refuses or alters $what', async ({ request }) => {
    const { errors } = await judge(request)
    expect(errors).not.toEqual([])
  })

  test('sends what was recorded as it is', async () => {
    const altered: string[] = []
    for (const { name, request } of recorded().slice(0, 60)) {
      const { errors } = await judge(request)
      if (errors.length > 0) altered.push(name)
    }
    expect(altered).toEqual([])
  })
})

test.each([
  ['no contents', { contents: [] }],
  ['parts among contents', { contents: ['x', { role: 'user', parts: [{ text: 'x' }] }] }],
  ['a key it does not know', { contents: [{ role: 'user', parts: [{ text: 'x', type: 'text' }] }] }],
])('the client for Gemini refuses or drops %s', async (_, request) => {
  expect((await judgeWithGemini(request)).errors).not.toEqual([])
})

// The SDK itself checks these rules; the rest it leaves to the provider.
const SEEN_BY_SDK = ['request', 'role', 'shape', 'part', 'call-unanswered', 'approval-orphan']

describe('the AI SDK', () => {
  test.each(MODEL_MESSAGES.valid)('takes $what', async ({ request }) => {
    const { errors, prompt } = await judgeWithAiSdk(request as { messages: unknown })
    expect(errors).toEqual([])
    expect(prompt).toBeDefined()
  })

  test.each(MODEL_MESSAGES.planted.filter(({ rule }) => SEEN_BY_SDK.includes(rule)))(
    'refuses $rule: $what',
    async ({ request }) => {
      const { errors } = await judgeWithAiSdk(request as { messages: unknown })
      expect(errors).not.toEqual([])
    },
  )

  test('refuses by schema, when generating and when streaming', async () => {
    const { errors } = await judgeWithAiSdk({ messages: [{ role: 'tool', content: 'x' }] })
    expect(errors.map((error) => error.slice(0, 11))).toEqual(['messages[0]', 'AI_InvalidP', 'AI_InvalidP'])
    const missing = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {} }] }
    const open = await judgeWithAiSdk({ messages: [missing] })
    expect(open.errors.map((error) => error.slice(0, 12))).toEqual(['AI_MissingTo', 'AI_MissingTo'])
  })

  test('shows what the model is given', async () => {
    const { prompt } = await judgeWithAiSdk({ system: 'Be short.', messages: [{ role: 'user', content: 'x' }] })
    expect(prompt).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
    ])
  })
})
