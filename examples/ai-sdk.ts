// An agent on the AI SDK: a tool loop over several turns with documents that leave after their turn, a plan of which one copy lives, and a
// budget. The model is scripted, so it runs without a key: `node examples/ai-sdk.ts` in a clone that is built (Node 22.18 or later).
//
// To talk to a real model, put it in the place of `scriptedModel`.

import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { createContext, type Context } from 'pact-context'
import { runOn, toModelMessages } from 'pact-context/ai-sdk'
import { o200k } from 'pact-context/tokens'

type Print = (line: string) => void

const CITIES = 'Rome Oslo Lima Bern Cairo Quito Delhi Seoul Turin Porto Ghent Basel'.split(' ')

const tools = {
  weather: tool({
    description: 'The weather in a city',
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: async ({ city }) => `${city}: ${city.length % 2 === 0 ? 'sunny, 24 degrees' : 'rain, 11 degrees'}`,
  }),
}

/** Runs the conversation and gives its context; what is sent is printed step by step. */
export async function runAiSdk(print: Print = (line) => console.log(line)): Promise<Context> {
  const ctx = createContext({
    id: 'travel-agent',
    countTokens: o200k,
    // Once more than 500 tokens would be sent, whole turns leave until there are at most 70 % of that.
    prune: { maxTokens: 500, unit: 'turn', target: 0.7 },
  })
  const model = scriptedModel(print)
  ctx.system.add('You are a travel agent. Look the weather up before you answer.')
  ctx.pre('The customer is Ada. She never flies.', { key: 'customer', pinned: true })

  for (const [at, city] of CITIES.entries()) {
    print(`turn ${at + 1}`)
    ctx.user(`Is it a good week for ${city}?`)
    // The result of a search is there for this turn alone.
    ctx.post(findDocument(city), { key: 'kb', tags: ['rag'], ttl: 1 })
    // One plan lives at a time: the one of the turn before leaves.
    ctx.set('plan', `Plan: ${CITIES.slice(at).join(', ')}`)
    await generateText({ model, tools, stopWhen: stepCountIs(4), ...runOn(ctx) })
    const { receipt } = ctx.commit()
    if (receipt.removed.length > 0) print(`  the budget took ${receipt.removed.length} nodes`)
    if (at > 0) print(`  ${tellPrefix(ctx)}`)
  }
  const used = ctx.attempts().reduce((sum, { token_in }) => sum + (token_in ?? 0), 0)
  print(`${ctx.attempts().length} attempts, ${used} tokens in`)
  return ctx
}

/** The part of the request at the end of the previous turn that begins the one at the end of this turn. */
function tellPrefix(ctx: Context): string {
  const { tokens, total, first } = ctx.prefix('@t-1', '@t0', { for: toModelMessages })
  return `${tokens} of ${total} tokens as in the turn before${first === undefined ? '' : `; ${first.cause}`}`
}

function findDocument(city: string): string {
  return `Guide to ${city}: come in spring, stay near the station, and book the museums a week ahead.`
}

/** A model that looks the weather up and then answers, and prints what it gets. */
function scriptedModel(print: Print): MockLanguageModelV3 {
  let before = ''
  return new MockLanguageModelV3({
    modelId: 'scripted',
    doGenerate: async ({ prompt }) => {
      const text = JSON.stringify(prompt)
      print(`  sent ${prompt.map(({ role }) => role).join(' ')}: ${sharedShare(before, text)} % as before`)
      before = text
      const answers = prompt.at(-1)?.role !== 'tool' && !text.includes(`"toolCallId":"${callIdOf(text)}"`)
      return {
        content: answers
          ? [
              {
                type: 'tool-call',
                toolCallId: callIdOf(text),
                toolName: 'weather',
                input: JSON.stringify({ city: cityOf(text) }),
              },
            ]
          : [{ type: 'text', text: `Now is a good time for ${cityOf(text)}.` }],
        finishReason: { unified: answers ? 'tool-calls' : 'stop', raw: undefined },
        usage: {
          inputTokens: { total: o200k(text), noCache: o200k(text), cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 12, text: 12, reasoning: 0 },
        },
        warnings: [],
      }
    },
  })
}

/** The city of the newest question. */
function cityOf(prompt: string): string {
  return [...prompt.matchAll(/good week for (\w+)\?/g)].at(-1)?.[1] ?? 'nowhere'
}

function callIdOf(prompt: string): string {
  return `call_${cityOf(prompt).toLowerCase()}`
}

/** The percentage of a request that is the beginning of the previous one. */
function sharedShare(before: string, now: string): number {
  let at = 0
  while (at < before.length && before[at] === now[at]) at += 1
  return Math.round((100 * at) / now.length)
}

if (process.argv[1] === import.meta.filename) await runAiSdk()
