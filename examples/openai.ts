// A tool loop with the plain client of OpenAI. Its replies are scripted through `fetch`, so it runs without a key:
// `node examples/openai.ts` in a clone that is built (Node 22.18 or later). Take `fetch` away, and it asks the model.

import OpenAI from 'openai'
import { createContext, type Context } from 'pact-context'
import { receiveOpenAIChat, toOpenAIChat } from 'pact-context/openai'

const model = 'gpt-5'

const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]

const SAYS = [
  { content: null, tool_calls: [callOf('call_1', 'Rome'), callOf('call_2', 'Oslo')] },
  { content: 'Rome is sunny, Oslo has snow.' },
]

/** One turn; gives the context and the bodies that were sent. */
export async function runOpenAI(print: (line: string) => void = (line) => console.log(line)): Promise<{
  ctx: Context
  sent: readonly string[]
}> {
  const sent: string[] = []
  const replies = [...SAYS]
  const client = new OpenAI({
    apiKey: 'none',
    fetch: async (_url, init) => {
      if (typeof init?.body === 'string') sent.push(init.body)
      const message = { role: 'assistant', ...replies.shift() }
      return Response.json({ choices: [{ index: 0, message }], usage: { prompt_tokens: 40, completion_tokens: 9 } })
    },
  })

  const ctx = createContext()
  ctx.system.add('You are a travel agent.')
  ctx.user('How is the weather in Rome and Oslo?')
  for (;;) {
    const attempt = ctx.startAttempt({ provider: 'openai', model, params: {}, for: toOpenAIChat })
    const reply = await client.chat.completions.create({ model, tools, ...toOpenAIChat(ctx) })
    const { calls } = receiveOpenAIChat(ctx, reply, { attempt })
    print(
      calls.length > 0 ? `calls ${calls.map((call) => `${call.name}(${call.argumentsText})`).join(', ')}` : 'answers',
    )
    if (calls.length === 0) break
    for (const call of calls) ctx.tool(lookUp(call.arguments), { kind: 'result', data_call_id: call.id })
  }
  ctx.commit()
  print(JSON.stringify(ctx.thread('@t0').at(-1)?.content))
  return { ctx, sent }
}

function callOf(id: string, city: string): object {
  return { id, type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city }) } }
}

function lookUp(given: unknown): string {
  return JSON.stringify(given).includes('Rome') ? 'sunny' : 'snow'
}

if (process.argv[1] === import.meta.filename) await runOpenAI()
