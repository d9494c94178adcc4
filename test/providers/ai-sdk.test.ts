// ModelMessages against the SDK itself: lists made from recorded conversations and generated ones come back as they went in, and
// what is made of a context is what generateText and streamText take.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { fromModelMessages, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { importSnapshot, type Context } from '../../src/index.js'
import { judgeWithAiSdk } from '../support/providers/ai-sdk.js'
import { arbitraryModelMessages } from '../support/providers/arbitrary/model-messages.js'
import { recordedConversations } from '../support/providers/formats.js'
import { checkModelMessages } from '../support/providers/model-messages.js'
import { runs } from '../support/runs.js'

const seed = 14

test('lists made from recorded conversations come back', async () => {
  const lists = recordedConversations().filter(({ format }) => format === 'ai-sdk')
  for (const { name, request } of lists.filter((_, at) => at % 5 === 0)) {
    expect({ name, ...roundTrip(request as Prompt) }).toEqual({ name, held: request, imported: request })
    const made = toModelMessages(fromModelMessages(request as Prompt))
    expect({ name, made: { ...made }, repairs: made.repairs }).toEqual({ name, made: request, repairs: [] })
    expect({ name, ...(await judgeWithAiSdk({ ...made })) }).toMatchObject({ name, errors: [] })
  }
})

type Prompt = { messages: readonly object[] }

test.each(['valid', 'odd'] as const)('generated lists that are %s come back', (style) => {
  fc.assert(
    fc.property(arbitraryModelMessages(style), (request) => {
      expect(roundTrip(request)).toEqual({ held: request, imported: request })
    }),
    { seed, numRuns: runs(40) },
  )
})

test('what was valid goes out as it came, and the rest is made valid', async () => {
  const given = fc.oneof(arbitraryModelMessages('valid'), arbitraryModelMessages('odd'))
  await fc.assert(
    fc.asyncProperty(given, async (request) => {
      const made = toModelMessages(fromModelMessages(request), { unknown: 'drop' })
      expect(checkModelMessages({ ...made })).toEqual([])
      expect(await judgeWithAiSdk({ ...made })).toMatchObject({ errors: [] })
      const isValid = checkModelMessages(request).length === 0 && !hasLeadingSystem(request.messages)
      if (isValid) expect({ ...made }).toEqual(request)
    }),
    { seed, numRuns: runs(40) },
  )
})

describe('parts that only the SDK has', () => {
  const url = new URL('https://example.com/a.png')
  const bytes = new Uint8Array([1, 2, 3])
  const ODD: Readonly<Record<string, readonly object[]>> = {
    'URLs and bytes': [
      {
        role: 'user',
        content: [
          { type: 'image', image: url },
          { type: 'image', image: bytes },
          { type: 'file', data: Uint8Array.from(Buffer.from('pdf')), mediaType: 'application/pdf', filename: 'a.pdf' },
          { type: 'file', data: bytes.buffer, mediaType: 'application/pdf' },
          { type: 'text', text: 'look', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
        ],
      },
    ],
    'keys that look like ours': [{ role: 'user', content: 'x', 'pact:url': 'https://example.com', ['__proto__']: 1 }],
    'a tool that the provider ran': [
      { role: 'user', content: 'search' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: { q: 1 }, providerExecuted: true },
          { type: 'tool-result', toolCallId: 'a', toolName: 'search', output: { type: 'json', value: [1] } },
          { type: 'text', text: 'found' },
        ],
      },
    ],
    'an approval that was given': [
      { role: 'user', content: 'delete it' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'rm', input: {} },
          { type: 'tool-approval-request', approvalId: 'ok', toolCallId: 'a' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ok', approved: true }] },
    ],
    'an empty text with a signature': [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: '', providerOptions: { google: { thoughtSignature: 'x' } } }],
      },
    ],
  }

  test.each(Object.entries(ODD))('%s', (_name, messages) => {
    expect(roundTrip({ messages })).toEqual({ held: { messages }, imported: { messages } })
    const made = toModelMessages(fromModelMessages(messages))
    expect(made.repairs).toEqual([])
    expect({ ...made }).toEqual({ messages })
    expect(checkModelMessages({ ...made })).toEqual([])
  })

  test('content that is empty comes back, and is not sent', () => {
    const messages = [{ role: 'user', content: [] }, { role: 'assistant', content: null }, { role: 'user' }]
    expect(roundTrip({ messages })).toEqual({ held: { messages }, imported: { messages } })
    expect({ ...toModelMessages(fromModelMessages(messages)) }).toEqual({
      messages: [{ role: 'user', content: '(no messages)' }],
    })
  })

  test('a thought that was changed is left out', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'a secret' },
          { type: 'text', text: 'hello' },
        ],
      },
    ]
    const ctx = fromModelMessages(messages)
    ctx.redact("[kind='reasoning']", { match: /secret/, with: 'word' })
    const made = toModelMessages(ctx)
    expect({ ...made }).toEqual({
      messages: [messages[0], { role: 'assistant', content: [{ type: 'text', text: 'hello' }] }],
    })
    expect(made.repairs.map(({ code }) => code)).toEqual(['left-out'])
  })
})

function roundTrip(request: Prompt): { held: object; imported: object } {
  const ctx = fromModelMessages(request)
  return { held: held(ctx), imported: held(importSnapshot(ctx.export('@t0'))) }
}

function held(ctx: Context): object {
  return { ...toModelMessages(ctx, { repair: false }) }
}

/** System messages that lead go next to the list, where version 7 takes them. */
function hasLeadingSystem([first]: readonly object[]): boolean {
  return first !== undefined && 'role' in first && first.role === 'system'
}
