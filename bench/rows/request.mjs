// A provider's request after each commit. The peer maps and stringifies all messages, as a program without an engine does; it writes Chat
// Completions in all rows, because the other formats are about as long.

import { assertWork, interleave, line, timesBetter } from '../harness.mjs'
import { makeTurnTexts } from '../turns.mjs'

const SIZES = [
  { messages: 1_000, goal: timesBetter(5) },
  { messages: 10_000, goal: timesBetter(20) },
]
const FORMATS = {
  'Chat Completions': ['openai', 'toOpenAIChat'],
  Responses: ['openai', 'toOpenAIResponses'],
  Claude: ['anthropic', 'toAnthropic'],
  Gemini: ['gemini', 'toGemini'],
  'AI SDK': ['ai-sdk', 'toModelMessages'],
}
/** A process that runs agents soon has rendered a few hundred requests. */
const WARM_UP = 400

export const rows = SIZES.map((size) => ({
  title: `request after a commit, ${size.messages.toLocaleString('en')} messages`,
  run: (given) => run(size, given),
}))

async function run({ messages, goal }, { engine, quick }) {
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
  const ours = {}
  for (const [name, [room, call]] of engine ? Object.entries(FORMATS) : []) {
    const { [call]: to } = await import(new URL(`../../dist/adapters/${room}/index.js`, import.meta.url).href)
    warmUp(engine, to, texts)
    const isWhole = (made) => (made.messages ?? made.contents ?? made.input).length > 0.7 * messages
    ours[name] = sampler(openContext(engine, past), texts, to, isWhole)
    ours[`${name}, bytes`] = sampler(
      openContext(engine, past),
      texts,
      (ctx) => to(ctx).bytes,
      (bytes) => bytes.length > 20 * messages,
    )
  }
  const results = await interleave({ theirs, ...ours }, { rounds: quick ? 7 : 21 })
  return Object.keys(FORMATS).flatMap((name) => {
    const compare = (what, figure, judged) =>
      line({
        row: `${name} request after a commit, ${messages.toLocaleString('en')} messages${what}`,
        peer: 'all messages mapped, JSON.stringify to a buffer',
        theirs: results.theirs,
        ours: figure,
        unit: 'ns',
        goal: judged,
      })
    // One fresh buffer costs the size of the request, however little is new.
    return [compare('', results[name], goal), compare(', as one buffer', results[`${name}, bytes`])]
  })
}

function sampler(ctx, texts, ask, isWhole) {
  return () => {
    commit(ctx, texts)
    return timeOnce(() => ask(ctx), isWhole)
  }
}

function warmUp(engine, to, texts) {
  const ctx = openContext(engine, makeTurnTexts(40, 1))
  for (let i = 0; i < WARM_UP; i++) {
    const turn = ctx.fork('@t0')
    commit(turn, texts)
    assertWork(to(turn).bytes.length > 1000, 'the whole request is there')
  }
}

function timeOnce(work, isDone) {
  const start = performance.now()
  const result = work()
  const figure = (performance.now() - start) * 1e6
  assertWork(isDone(result), 'the whole request is there')
  return figure
}

/** A turn in a program without an engine. */
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
