// The judges of provider requests are judged: what is valid gives no violation, and of every rule a planted fault is found.

import { describe, expect, test } from 'vitest'

import { readRecordings } from '../recordings/read.mjs'
import { ANTHROPIC } from '../support/providers/planted/anthropic.js'
import { GEMINI } from '../support/providers/planted/gemini.js'
import { INTERACTIONS } from '../support/providers/planted/gemini-interactions.js'
import { MODEL_MESSAGES } from '../support/providers/planted/model-messages.js'
import { CHAT } from '../support/providers/planted/openai-chat.js'
import { RESPONSES } from '../support/providers/planted/openai-responses.js'
import type { Judged } from '../support/providers/planted/planted.js'
import {
  recordedAnthropic,
  recordedChats,
  recordedGemini,
  recordedRaw,
  recordedResponses,
  type Recorded,
} from '../support/providers/recorded.js'

const JUDGES: readonly Judged[] = [CHAT, RESPONSES, ANTHROPIC, GEMINI, INTERACTIONS, MODEL_MESSAGES]

describe.each(JUDGES)('$name', ({ rules, check, valid, planted }) => {
  test.each(valid)('takes $what', ({ request, options }) => {
    expect(check(request, options)).toEqual([])
  })

  test.each(planted)('finds $rule: $what', ({ rule, request, options, also = [] }) => {
    const found = check(request, options)
    expect(new Set(found.map((violation) => violation.rule))).toEqual(new Set([rule, ...also]))
    for (const { rule, path, text } of found) expect(text).toContain(`${path}: ${rules[rule]}`)
  })

  test('every rule has a planted fault', () => {
    expect(new Set(planted.map(({ rule }) => rule))).toEqual(new Set(Object.keys(rules)))
  })
})

const RAW = ['pi-agent', 'sharegpt', 'llamafactory-v1', 'bedrock-converse', 'cohere-v2'] as const
const SOURCE = 'pydantic/pydantic-ai'

// Requests that a provider took, each with the reason why it is not one of this provider's.
const NOT_OPENAI = {
  'test_huggingface/test_hf_model_thinking_part': 'Hugging Face: keys that are null',
  'test_huggingface/test_hf_model_instructions': 'Hugging Face: keys that are null',
  'test_huggingface/test_request_structured_response': 'Hugging Face: keys that are null',
  'test_openrouter/test_openrouter_google_nested_schema': 'OpenRouter: a call id of 51 characters from Gemini',
  'test_openrouter/test_openrouter_video_url_public_api': 'OpenRouter: a video',
}

const NOT_OPENAI_RESPONSES = {
  test_openai_conversation_id_tool_call_continuation: 'the recording left out the `conversation` that holds the call',
}

const RECORDED: readonly Readonly<{
  judged: Judged
  read: () => readonly Recorded<unknown>[]
  refused: Readonly<Record<string, string>>
}>[] = [
  { judged: CHAT, read: recordedChats, refused: NOT_OPENAI },
  { judged: RESPONSES, read: recordedResponses, refused: NOT_OPENAI_RESPONSES },
  { judged: ANTHROPIC, read: recordedAnthropic, refused: {} },
  { judged: GEMINI, read: recordedGemini, refused: {} },
]

describe.each(RECORDED)('$judged.name, recorded', ({ judged, read, refused }) => {
  test('what the provider took is valid', () => {
    const took = read().filter(({ source }) => source === SOURCE)
    const found = took.flatMap(({ id, request }) => {
      const violations = judged.check(request)
      return violations.length === 0 ? [] : [{ id, texts: violations.map(({ text }) => text) }]
    })
    const reasons = Object.keys(refused)
    expect(found.filter(({ id }) => !reasons.some((reason) => id.includes(reason)))).toEqual([])
    expect(reasons.filter((reason) => !found.some(({ id }) => id.includes(reason)))).toEqual([])
    expect(took.length).toBeGreaterThan(50)
  })
})

test('every recorded conversation is read, in the form of its request', () => {
  const read: Readonly<Record<string, readonly Recorded<unknown>[]>> = {
    'openai-chat': recordedChats(),
    'openai-responses': recordedResponses(),
    anthropic: recordedAnthropic(),
    'google-gemini': recordedGemini(),
    ...Object.fromEntries(RAW.map((format) => [format, recordedRaw(format)])),
  }
  const names = Object.values(read).flatMap((list) => list.map(({ name }) => name))
  const known = readRecordings().filter(({ record }) => String(record['format']) in read)
  expect(names).toHaveLength(known.length)
  expect(new Set(names).size).toBe(names.length)
  expect(recordedGemini().some(({ request }) => request.systemInstruction !== undefined)).toBe(true)
  expect(recordedResponses().some(({ request }) => request.instructions !== undefined)).toBe(true)
  expect(recordedAnthropic().some(({ request }) => request.system !== undefined)).toBe(true)
  expect(recordedAnthropic().some(({ tools }) => tools !== undefined)).toBe(true)
})
