// An input processor for Mastra: the conversation of an agent is a context in a store, and each call of the model gets what the context renders, within its
// budget. A call is never separated from its result, and the turn that runs is never pruned. The context takes the place of Mastra's memory: give the agent only
// the new message of the user.
//
// The model is scripted, so it runs without a key, in a folder with `npm install pact-context @mastra/core ai gpt-tokenizer` (Node 22.18 or later):
// `node mastra.ts`.

import { Agent } from '@mastra/core/agent'
import type { Processor } from '@mastra/core/processors'
import { RequestContext } from '@mastra/core/request-context'
import { createTool } from '@mastra/core/tools'
import { MockLanguageModelV3 } from 'ai/test'
import { contextMiddleware, receiveModelMessages } from 'pact-context/ai-sdk'
import { type OpenOptions, openStore, type Store, type StoredContext } from 'pact-context/store'
import { o200k } from 'pact-context/tokens'

/** One call of `generate` or `stream`. */
type Run = {
  readonly ctx: StoredContext
  readonly middleware: ReturnType<typeof contextMiddleware>
  /** The number of messages that the first request of the run had. */
  readonly given: number
  /** The number of messages of the agent that are in the context. */
  taken: number
}

type PactProcessor = Required<Pick<Processor<'pact'>, 'id' | 'processLLMRequest' | 'processOutputResult'>>

/** Give it to the agent as input processor and as output processor. The request context names the chat: `new RequestContext([['chat', id]])`. */
export function pactProcessor(store: Store, options: OpenOptions = {}): PactProcessor {
  return {
    id: 'pact',
    // Mastra sends the new message, and then all steps of the run: those that the last request did not have go into the context.
    async processLLMRequest({ prompt, model, state, requestContext }) {
      const begun = state['run'] as Run | undefined
      const run = begun ?? (await begin(store, options, requestContext?.get('chat'), prompt.length))
      state['run'] = run
      const request = await run.middleware.transformParams({ params: { prompt }, model })
      run.taken = prompt.length - run.given
      await run.ctx.save()
      return request
    },
    // The reply of the last step comes with no request.
    async processOutputResult({ messages, result, state }) {
      const { ctx, taken } = state['run'] as Run
      const said = result.steps.at(-1)?.response.messages ?? []
      if (said.length > taken) receiveModelMessages(ctx, { messages: said.slice(taken) })
      await ctx.commit()
      return messages
    },
  }
}

async function begin(store: Store, options: OpenOptions, chat: unknown, given: number): Promise<Run> {
  if (typeof chat !== 'string') throw new Error("Name the chat: requestContext: new RequestContext([['chat', id]]).")
  const ctx = await store.open(chat, options)
  return { ctx, middleware: contextMiddleware(ctx), given, taken: 0 }
}

const weather = createTool({
  id: 'weather',
  description: 'The weather in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  execute: async (input) => `${(input as { city: string }).city}: sunny, 24 degrees`,
})

/** Asks about one city after the other; prints what each request has. */
export async function runMastra(address = 'memory:', print = (line: string): void => console.log(line)): Promise<void> {
  const store = await openStore(address)
  const processor = pactProcessor(store, { countTokens: o200k, prune: { maxTokens: 300, unit: 'turn' } })
  const agent = new Agent({
    id: 'travel',
    name: 'Travel',
    instructions: 'You are a travel agent. Look the weather up before you answer.',
    model: scriptedModel(print),
    tools: { weather },
    inputProcessors: [processor],
    outputProcessors: [processor],
  })
  for (const city of ['Rome', 'Oslo', 'Lima', 'Bern', 'Cairo']) {
    const { text } = await agent.generate(`Is it a good week for ${city}?`, {
      requestContext: new RequestContext([['chat', 'trip']]),
    })
    print(text)
  }
  await store.close()
}

/** A model that looks the weather up and then answers. */
function scriptedModel(print: (line: string) => void): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      print(`  sent ${prompt.map(({ role }) => role).join(' ')}`)
      const city = [...JSON.stringify(prompt).matchAll(/good week for (\w+)\?/g)].at(-1)?.[1] ?? 'nowhere'
      const isLooked = prompt.at(-1)?.role === 'tool'
      return {
        content: isLooked
          ? [{ type: 'text', text: `Now is a good time for ${city}.` }]
          : [{ type: 'tool-call', toolCallId: `call_${city}`, toolName: 'weather', input: JSON.stringify({ city }) }],
        finishReason: { unified: isLooked ? 'stop' : 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 5, text: 5, reasoning: 0 },
        },
        warnings: [],
      }
    },
  })
}

if (process.argv[1] === import.meta.filename) await runMastra()
