// A provider's request after each commit. Without an engine all messages are mapped and written anew; ours writes what is new.

import { assertWork, interleave, line, timesBetter } from '../harness.mjs'
import { makeTurnTexts } from '../turns.mjs'

const SIZES = [1e3, 1e4]
const PEER = 'all messages mapped, JSON.stringify to a buffer'
const OPENAI = new URL('../../dist/adapters/openai/index.js', import.meta.url)

export const rows = SIZES.map((messages) => ({ title: titleOf(messages), run: (tools) => run(messages, tools) }))

async function run(messages, { engine, quick }) {
  const adapter = engine && (await import(OPENAI.href))
  const texts = makeTurnTexts(1)[0]
  const past = makeTurnTexts(messages / 4, 1)
  const history = past.flatMap(historyOf)
  const contexts = engine && { object: openContext(engine, past), bytes: openContext(engine, past) }
  const results = await interleave(
    {
      theirs: () => {
        history.push(...historyOf(texts))
        return timeOnce(
          () => Buffer.from(JSON.stringify({ messages: history.map(messageOf) })),
          (bytes) => bytes.length > 20 * messages,
        )
      },
      object:
        engine &&
        (() => {
          commit(contexts.object, texts)
          return timeOnce(
            () => adapter.toOpenAIChat(contexts.object),
            (made) => made.messages.length >= messages,
          )
        }),
      bytes:
        engine &&
        (() => {
          commit(contexts.bytes, texts)
          return timeOnce(
            () => adapter.toOpenAIChat(contexts.bytes).bytes,
            (bytes) => bytes.length > 20 * messages,
          )
        }),
    },
    { rounds: quick ? 7 : 21 },
  )
  if (engine) checkRequest(adapter, contexts.bytes)
  const compare = (form, ours) =>
    line({
      row: `${titleOf(messages)}: ${form}`,
      peer: PEER,
      theirs: results.theirs,
      ours,
      unit: 'ns',
      goal: timesBetter(20),
    })
  return [compare('the request', results.object), compare('its bytes', results.bytes)]
}

function titleOf(messages) {
  return `Chat Completions request after a commit, ${messages.toLocaleString('en')} messages`
}

function timeOnce(work, isDone) {
  const start = performance.now()
  const result = work()
  const figure = (performance.now() - start) * 1e6
  assertWork(isDone(result), 'the whole request is there')
  return figure
}

/** What was kept is what a context that was never rendered gives. */
function checkRequest({ toOpenAIChat }, ctx) {
  const { bytes } = toOpenAIChat(ctx)
  const fresh = Buffer.from(JSON.stringify(toOpenAIChat(ctx.fork('@t0'), { blocks: { role: 'user' } })))
  assertWork(fresh.equals(bytes), 'the bytes are those of the request')
}

/** A turn as somebody keeps it who has no engine. */
function historyOf([question, thought, found, answer], turn) {
  return [
    { from: 'user', text: question },
    { from: 'assistant', text: thought, calls: [{ id: `call_${turn ?? 'new'}`, name: 'look', input: { question } }] },
    { from: 'tool', call: `call_${turn ?? 'new'}`, text: found },
    { from: 'assistant', text: answer },
  ]
}

function messageOf({ from, text, calls, call }) {
  if (from === 'tool') return { role: 'tool', content: text, tool_call_id: call }
  if (calls === undefined) return { role: from, content: text }
  const toolCalls = calls.map(({ id, name, input }) => ({
    function: { arguments: JSON.stringify(input), name },
    id,
    type: 'function',
  }))
  return { role: from, content: text, tool_calls: toolCalls }
}

function openContext(engine, past) {
  const ctx = engine.createContext({ id: 'bench' })
  for (const texts of past) commit(ctx, texts)
  return ctx
}

function commit(ctx, [question, thought, found, answer]) {
  const id = `call_${ctx.cycle}`
  ctx.user(question)
  ctx.assistant(thought)
  ctx.assistant({ name: 'look', arguments: { question } }, { kind: 'call', data_call_id: id })
  ctx.tool(found, { kind: 'result', data_call_id: id })
  ctx.assistant(answer)
  ctx.commit()
}
