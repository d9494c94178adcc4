// A provider's request after each commit. Without an engine all messages are mapped and written anew; ours writes what is new. The peer writes
// Chat Completions in all rows: the other forms are about as long.

import { assertWork, interleave, line, timesBetter } from '../harness.mjs'
import { makeTurnTexts } from '../turns.mjs'

const SIZES = [1e3, 1e4]
const SINK = Buffer.alloc(8 * 1024 * 1024)
const PEER = 'all messages mapped, JSON.stringify to a buffer'
const OPENAI = new URL('../../dist/adapters/openai/index.js', import.meta.url)
const OTHERS = {
  Responses: ['openai', 'toOpenAIResponses'],
  Claude: ['anthropic', 'toAnthropic'],
  Gemini: ['gemini', 'toGemini'],
  'AI SDK': ['ai-sdk', 'toModelMessages'],
}
/** A process that runs agents has rendered a few hundred requests before long; what the first ones take is told by no row. */
const WARM_UP = 400

export const rows = SIZES.flatMap((messages) => [
  { title: titleOf(messages), run: (tools) => run(messages, tools) },
  { title: titleOf(messages, 'other'), run: (tools) => runOthers(messages, tools) },
])

async function run(messages, { engine, quick }) {
  const adapter = engine && (await import(OPENAI.href))
  const texts = makeTurnTexts(1)[0]
  const past = makeTurnTexts(messages / 4, 1)
  const history = past.flatMap(historyOf)
  if (engine) warmUp(engine, adapter.toOpenAIChat, texts)
  const isAll = ({ length }) => length > 20 * messages
  const contexts = []
  const asking = (ask, isDone) => {
    if (!engine) return undefined
    const ctx = openContext(engine, past)
    contexts.push(ctx)
    return () => {
      commit(ctx, texts)
      return timeOnce(() => ask(adapter.toOpenAIChat(ctx)), isDone)
    }
  }
  const results = await interleave(
    {
      theirs: () => {
        history.push(...historyOf(texts))
        return timeOnce(() => Buffer.from(JSON.stringify({ messages: history.map(messageOf) })), isAll)
      },
      object: asking(
        (made) => made,
        (made) => made.messages.length >= messages,
      ),
      pieces: asking(({ chunks }) => ({ length: chunks.reduce((sum, chunk) => sum + chunk.length, 0) }), isAll),
      sink: asking(({ chunks, byteLength }) => writeAll(chunks, byteLength), isAll),
      bytes: asking(({ bytes }) => bytes, isAll),
    },
    { rounds: quick ? 7 : 21 },
  )
  for (const ctx of contexts) checkRequest(adapter, ctx)
  const compare = (form, ours, goal) =>
    line({
      row: `${titleOf(messages)}: ${form}`,
      peer: PEER,
      theirs: results.theirs,
      ours,
      unit: 'ns',
      goal: timesBetter(goal),
    })
  return [
    compare('the request', results.object, 20),
    compare('its body in pieces', results.pieces, 20),
    // Writing all of it somewhere, and even more so into fresh memory, costs the size of the body, however little is new (N105).
    compare('its body in pieces, written to a sink', results.sink, 10),
    compare('its bytes, one buffer', results.bytes, 4),
  ]
}

/** A sink as a socket has it: first how much there is, then bytes, copied once into what goes out. */
function writeAll(chunks, byteLength) {
  let at = SINK.writeUInt32LE(byteLength) - 4
  for (const chunk of chunks) at += SINK.write(chunk, at, 'utf8')
  return { length: at }
}

/** The same for the other formats: each has rules of its own that are about the whole request. */
async function runOthers(messages, { engine, quick }) {
  const texts = makeTurnTexts(1)[0]
  const past = makeTurnTexts(messages / 4, 1)
  const history = past.flatMap(historyOf)
  const theirs = () => {
    history.push(...historyOf(texts))
    return timeOnce(
      () => Buffer.from(JSON.stringify({ messages: history.map(messageOf) })),
      (bytes) => bytes.length > 20 * messages,
    )
  }
  const asking = async ([room, name]) => {
    if (!engine) return undefined
    const { [name]: to } = await import(new URL(`../../dist/adapters/${room}/index.js`, import.meta.url).href)
    warmUp(engine, to, texts)
    const ctx = openContext(engine, past)
    return () => {
      commit(ctx, texts)
      return timeOnce(
        () => to(ctx),
        (made) => (made.messages ?? made.contents ?? made.input).length > 0.7 * messages,
      )
    }
  }
  const ours = Object.fromEntries(
    await Promise.all(Object.entries(OTHERS).map(async ([name, of]) => [name, await asking(of)])),
  )
  const results = await interleave({ theirs, ...ours }, { rounds: quick ? 7 : 21 })
  return Object.keys(OTHERS).map((name) =>
    line({
      row: `${titleOf(messages, name)}: the request`,
      peer: PEER,
      theirs: results.theirs,
      ours: results[name],
      unit: 'ns',
      goal: timesBetter(20),
    }),
  )
}

function warmUp(engine, to, texts) {
  const ctx = openContext(engine, makeTurnTexts(40, 1))
  for (let i = 0; i < WARM_UP; i++) {
    const turn = ctx.fork('@t0')
    commit(turn, texts)
    assertWork(to(turn).bytes.length > 1000, 'the whole request is there')
  }
}

function titleOf(messages, name = 'Chat Completions') {
  return `${name} request after a commit, ${messages.toLocaleString('en')} messages`
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
  const { bytes, byteLength, chunks } = toOpenAIChat(ctx)
  const fresh = Buffer.from(JSON.stringify(toOpenAIChat(ctx.fork('@t0'), { blocks: { role: 'user' } })))
  assertWork(fresh.equals(bytes) && fresh.length === byteLength, 'the bytes are those of the request')
  assertWork(fresh.equals(SINK.subarray(0, writeAll(chunks, byteLength).length)), 'so are the pieces')
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
