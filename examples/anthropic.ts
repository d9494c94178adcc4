// A tool loop with the plain client of Anthropic. Its replies are scripted through `fetch`, so it runs without a key:
// `node examples/anthropic.ts` in a clone that is built (Node 22.18 or later). Take `fetch` away, and it asks the model.

import Anthropic from '@anthropic-ai/sdk'
import { createContext, type Context } from 'pact-context'
import { receiveAnthropic, toAnthropic } from 'pact-context/anthropic'

const model = 'claude-sonnet-5-5'

const tools: Anthropic.Tool[] = [
  { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
]

const SAYS = [
  {
    content: [
      { type: 'thinking', thinking: 'Two cities, two calls.', signature: 'c2lnbmVk' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } },
      { type: 'tool_use', id: 'toolu_2', name: 'weather', input: { city: 'Oslo' } },
    ],
    stop_reason: 'tool_use',
  },
  { content: [{ type: 'text', text: 'Rome is sunny, Oslo has snow.' }], stop_reason: 'end_turn' },
]

/** One turn; gives the context and the bodies that were sent. */
export async function runAnthropic(print: (line: string) => void = (line) => console.log(line)): Promise<{
  ctx: Context
  sent: readonly string[]
}> {
  const sent: string[] = []
  const replies = [...SAYS]
  const client = new Anthropic({
    apiKey: 'none',
    fetch: async (_url, init) => {
      if (typeof init?.body === 'string') sent.push(init.body)
      const message = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        stop_sequence: null,
        ...replies.shift(),
      }
      return Response.json({ ...message, usage: { input_tokens: 60, output_tokens: 12 } })
    },
  })

  const ctx = createContext()
  ctx.system.add('You are a travel agent.')
  ctx.user('How is the weather in Rome and Oslo?')
  for (;;) {
    const attempt = ctx.startAttempt({ provider: 'anthropic', model, params: {}, for: toAnthropic })
    const reply = await client.messages.create({ model, max_tokens: 1024, tools, ...toAnthropic(ctx) })
    const { calls } = receiveAnthropic(ctx, reply, { attempt })
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

function lookUp(given: unknown): string {
  return JSON.stringify(given).includes('Rome') ? 'sunny' : 'snow'
}

if (process.argv[1] === import.meta.filename) await runAnthropic()
