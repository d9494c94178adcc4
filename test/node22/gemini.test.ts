// Version 3 of Google's client: the types and the streams of the Interactions API.

import { GoogleGenAI, type Interactions } from '@google/genai'
import { expect, test, vi } from 'vitest'

import { receiveGeminiInteractions, toGemini, toGeminiInteractions } from '../../src/adapters/gemini/index.js'
import { createContext, type Context } from '../../src/index.js'
import { eventStream, STREAMED } from '../support/providers/interaction-streams.js'

function asked(): Context {
  const ctx = createContext()
  ctx.system.add('Be brief.')
  ctx.user('Compare Rome and Oslo.')
  return ctx
}

/** The body that the client sends. */
async function sent(call: (client: GoogleGenAI) => Promise<unknown>, reply: () => Response): Promise<unknown> {
  const bodies: string[] = []
  const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    bodies.push(await new Request(url, init).text())
    return reply()
  })
  try {
    await call(new GoogleGenAI({ apiKey: 'none' }))
  } finally {
    fetch.mockRestore()
  }
  return JSON.parse(bodies[0]!) as unknown
}

const json =
  (value: object): (() => Response) =>
  () =>
    new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } })

test('the client takes a request as it is, by its types and on the wire', async () => {
  const request = toGeminiInteractions(asked())
  const params: Interactions.InteractionCreateParams.CreateModelInteractionParamsNonStreaming = {
    model: 'gemini-3-pro',
    stream: false,
    ...request,
  }
  const reply = json({ id: 'v1', status: 'completed', steps: [] })
  const body = await sent((client) => client.interactions.create(params), reply)
  expect(body).toEqual({ model: 'gemini-3-pro', stream: false, ...request })
})

test('generateContent takes the form of the client', async () => {
  const request = toGemini(asked(), { form: 'sdk' })
  const body = await sent(
    (client) => client.models.generateContent({ model: 'gemini-3-pro', ...request }),
    json({ candidates: [] }),
  )
  expect(body).toMatchObject({ contents: request.contents, systemInstruction: { parts: [{ text: 'Be brief.' }] } })
})

test.each(STREAMED)('a stream: $what', async ({ events, steps, cut }) => {
  const list: object[] = []
  const ctx = asked()
  await sent(
    async (client) => {
      const stream = await client.interactions.create({
        model: 'gemini-3-pro',
        stream: true,
        automatic_continuation: false,
        ...toGeminiInteractions(ctx),
      } as Interactions.InteractionCreateParams.CreateModelInteractionParamsStreaming)
      for await (const event of stream) list.push(event)
    },
    () => eventStream(events),
  )
  const received = receiveGeminiInteractions(ctx, list)
  expect(received.cut.map(({ id }) => id)).toEqual(cut === undefined ? [] : [cut])
  if (cut === undefined) expect(toGeminiInteractions(ctx).input.slice(1, steps.length + 1)).toEqual(steps)
})
