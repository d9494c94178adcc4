// The models: Claude, OpenAI, or a scripted one where there is no key. Each records its request, sends exactly that, and takes the reply in.

import { setTimeout } from 'node:timers/promises'

import { toAnthropic } from 'pact-context/anthropic'
import { toOpenAIResponses } from 'pact-context/openai'

import { TOOLS } from './tools.mjs'

/** 'anthropic', 'openai' or 'scripted'; 'auto' takes the first that has a key. */
const PROVIDER = 'auto'

/** Claude caches nothing without marks. */
const CACHED = { cache: true }

export function chooseModel() {
  const { ANTHROPIC_API_KEY, OPENAI_API_KEY } = process.env
  if (ANTHROPIC_API_KEY && (PROVIDER === 'auto' || PROVIDER === 'anthropic')) return claude(ANTHROPIC_API_KEY)
  if (OPENAI_API_KEY && (PROVIDER === 'auto' || PROVIDER === 'openai')) return openai(OPENAI_API_KEY)
  const why = { auto: ', since neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set', scripted: '' }
  const name = `scripted${why[PROVIDER] ?? `, since ${PROVIDER.toUpperCase()}_API_KEY is not set`}`
  return { name, ask: asker(toAnthropic, claudeParams('scripted'), script, CACHED) }
}

function claude(key) {
  const model = process.env.MODEL ?? 'claude-sonnet-5-5'
  const url = `${process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com'}/v1/messages`
  const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return { name: model, ask: asker(toAnthropic, claudeParams(model), (body) => post(url, headers, body), CACHED) }
}

function claudeParams(model) {
  const tools = TOOLS.map(({ name, description, schema }) => ({ name, description, input_schema: schema }))
  return { model, max_tokens: 4096, tools }
}

function openai(key) {
  const model = process.env.MODEL ?? 'gpt-5'
  const url = `${process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'}/responses`
  const tools = TOOLS.map(({ name, description, schema }) => ({
    type: 'function',
    name,
    description,
    parameters: schema,
    strict: false,
  }))
  const params = { model, tools, store: false, include: ['reasoning.encrypted_content'] }
  return {
    name: model,
    ask: asker(toOpenAIResponses, params, (body) => post(url, { authorization: `Bearer ${key}` }, body)),
  }
}

/** One request: what is recorded is what is sent. A call that failed is recorded, too. */
function asker(format, params, send, options = {}) {
  return async (ctx) => {
    const attempt = ctx.startAttempt({ for: format, params, options })
    let reply
    try {
      reply = await send(attempt.body)
    } catch (error) {
      attempt.fail(error)
      throw error
    }
    return attempt.receive(reply)
  }
}

async function post(url, headers, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`The provider answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** The scripted model, in the form of Claude. It sees nothing but the request, so it goes on after a crash as a real one does. */
async function script({ messages }) {
  await setTimeout(Number(process.env.SCRIPT_DELAY_MS ?? 300))
  const parts = messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((part) => ({ role, ...part })),
  )
  const asked = parts.findLastIndex(({ role, type }) => role === 'user' && type === 'text')
  const results = parts.slice(asked).filter(({ type }) => type === 'tool_result')
  const call = (name, city, n) => ({ type: 'tool_use', id: `toolu_${parts.length}_${n}`, name, input: { city } })
  if (results.length === 0) return replyOf([call('weather', 'Rome', 1), call('weather', 'Oslo', 2)])
  if (results.length === 2) return replyOf([call('book', 'Rome', 1)])
  return replyOf([{ type: 'text', text: 'It is warmer in Rome today, so I booked you a train there.' }])
}

function replyOf(content) {
  const stop_reason = content[0].type === 'tool_use' ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: 0, output_tokens: 0 }
  return { type: 'message', role: 'assistant', model: 'scripted', content, stop_reason, usage }
}
