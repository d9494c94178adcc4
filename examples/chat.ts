// A chat server for useChat of the AI SDK, with Hono. Every message and every step of an answer is in the store before the browser has it all, so the server can
// be killed in the middle of an answer: the next one goes on with it when the browser asks (`resume: true`), and no tool runs twice for a step that had ended.
//
// `node examples/chat.ts` in a clone that is built (Node 22.18 or later) serves it on a port of this machine. With AI_GATEWAY_API_KEY a real model answers, else
// a scripted one. In the browser: useChat({ id, resume: true, transport: new DefaultChatTransport({ prepareSendMessagesRequest }) }), which sends { id, message }.

import { pathToFileURL } from 'node:url'

import { serve } from '@hono/node-server'
import {
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateId,
  jsonSchema,
  type LanguageModel,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
} from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { Hono } from 'hono'
import { loadChat, saveChat, toModelMessages } from 'pact-context/ai-sdk'
import { openStore, type Store } from 'pact-context/store'

const tools = {
  weather: tool({
    description: 'The weather in a city',
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: ({ city }) => `${city}: sunny, 24 degrees`,
  }),
}

/** The routes that useChat asks for. */
export function chatServer(store: Store, model: LanguageModel): Hono {
  const app = new Hono()

  app.get('/api/chat/:id', async (c) => c.json(await loadChat(store, c.req.param('id'))))

  // A question, or an answer to a request for approval: useChat sends the message that is new or has changed.
  app.post('/api/chat', async (c) => {
    const { id, message } = await c.req.json<{ id: string; message: UIMessage }>()
    await saveChat(store, { chatId: id, messages: [message] })
    return answer(store, model, id)
  })

  // After a reload or a restart: goes on if the model owes an answer.
  app.get('/api/chat/:id/stream', async (c) => {
    const id = c.req.param('id')
    const isDue = (await store.find(id)) !== undefined && (await store.open(id)).due() === 'reply'
    return isDue ? answer(store, model, id) : c.body(null, 204)
  })
  return app
}

async function answer(store: Store, model: LanguageModel, chatId: string): Promise<Response> {
  const messages = await loadChat<UIMessage>(store, chatId)
  const prompt = toModelMessages(await store.open(chatId))
  const save = ({ responseMessage }: { responseMessage: UIMessage }): Promise<void> =>
    saveChat(store, { chatId, messages: [responseMessage] })
  const stream = createUIMessageStream({
    originalMessages: messages,
    generateId,
    execute: ({ writer }) => {
      const result = streamText({ model, tools, stopWhen: stepCountIs(5), ...prompt })
      writer.merge(result.toUIMessageStream({ originalMessages: messages }))
    },
    // A step is stored before the browser hears that it has ended.
    onStepFinish: save,
    onFinish: save,
  })
  return createUIMessageStreamResponse({ stream })
}

/** Looks the weather up, then answers; each word takes `delay` milliseconds. */
export function scriptedModel(delay: number): LanguageModel {
  const usage = {
    inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  }
  return new MockLanguageModelV3({
    doStream: async ({ prompt }) => {
      const isLooked = prompt.at(-1)?.role === 'tool'
      const words = ['It ', 'is ', 'sunny ', 'in ', 'Rome.']
      const parts = isLooked
        ? [
            { type: 'text-start', id: '1' } as const,
            ...words.map((delta) => ({ type: 'text-delta', id: '1', delta }) as const),
            { type: 'text-end', id: '1' } as const,
          ]
        : [{ type: 'tool-call', toolCallId: generateId(), toolName: 'weather', input: '{"city":"Rome"}' } as const]
      const finishReason = { unified: isLooked ? ('stop' as const) : ('tool-calls' as const), raw: undefined }
      const chunks = [...parts, { type: 'finish' as const, finishReason, usage }]
      return {
        stream: new ReadableStream({
          async pull(controller) {
            if (isLooked) await new Promise((resolve) => setTimeout(resolve, delay))
            const chunk = chunks.shift()
            if (chunk === undefined) controller.close()
            else controller.enqueue(chunk)
          },
        }),
      }
    },
  })
}

/** Serves a store; resolves to the address. */
export async function runChat(file: string, delay: number): Promise<string> {
  const store = await openStore(`sqlite:${file}`)
  const model = process.env['AI_GATEWAY_API_KEY'] === undefined ? scriptedModel(delay) : 'openai/gpt-6-luna'
  const { fetch } = chatServer(store, model)
  return new Promise((resolve) => {
    serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(`http://127.0.0.1:${port}`))
  })
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , file = 'chats.db', delay = '100'] = process.argv
  console.log(await runChat(file, Number(delay)))
}
