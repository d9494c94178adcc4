// A whole agent turn: a user's message, six calls with six results, seven requests, a commit. The peer keeps an array of messages, and maps and
// stringifies all of it for each request, as a program without an engine does.

import { assertWork, interleave, line, timesAtMost } from '../harness.mjs'
import { makeText } from '../turns.mjs'

const OPENAI = new URL('../../dist/adapters/openai/index.js', import.meta.url)
const CALLS = 6
const SIZES = [
  { turns: 10, goal: timesAtMost(1.5), batch: 40 },
  { turns: 1_000, goal: timesAtMost(0.3), batch: 4 },
]

export const rows = SIZES.map((size) => ({
  title: `a whole agent turn at ${size.turns.toLocaleString('en')} turns of history`,
  run: (given) => run(size, given),
}))

async function run({ turns, goal, batch }, { engine, quick }) {
  const adapter = engine && (await import(OPENAI.href))
  const { theirs, ours } = await interleave(
    { theirs: () => sampleArray(turns, batch), ours: engine && (() => sampleContext(engine, adapter, turns, batch)) },
    { rounds: quick ? 5 : 15 },
  )
  return [
    line({
      row: `a whole agent turn (6 calls, 7 requests) at ${turns.toLocaleString('en')} turns`,
      peer: 'an array of messages, map and JSON.stringify per request',
      theirs,
      ours,
      unit: 'ns',
      goal,
    }),
  ]
}

/** Both start from the same history in every batch, so that neither grows more than the other. */
function sampleContext(engine, { toOpenAIChat }, turns, batch) {
  const ctx = engine.createContext({ id: 'bench', history: 50 })
  const render = () => toOpenAIChat(ctx).bytes
  for (let turn = 0; turn < turns; turn++) playContext(ctx, turn)
  render()
  return perTurn(batch, (i) => playContext(ctx, turns + i, render))
}

function playContext(ctx, turn, render) {
  ctx.user(makeText(turn, 0))
  for (let call = 0; call < CALLS; call++) {
    check(render?.())
    const id = `call_${turn}_${call}`
    ctx.assistant({ name: 'look', arguments: { query: makeText(turn, call + 1) } }, { kind: 'call', data_call_id: id })
    ctx.tool(makeText(turn, call + 10, 400), { kind: 'result', data_call_id: id })
  }
  check(render?.())
  ctx.assistant(makeText(turn, 30))
  ctx.commit()
}

function sampleArray(turns, batch) {
  const history = []
  const render = () => Buffer.from(JSON.stringify({ messages: history.map(messageOf) }))
  for (let turn = 0; turn < turns; turn++) playArray(history, turn)
  render()
  return perTurn(batch, (i) => playArray(history, turns + i, render))
}

function playArray(history, turn, render) {
  history.push({ from: 'user', text: makeText(turn, 0) })
  for (let call = 0; call < CALLS; call++) {
    check(render?.())
    const id = `call_${turn}_${call}`
    history.push({ from: 'assistant', id, name: 'look', input: { query: makeText(turn, call + 1) } })
    history.push({ from: 'tool', id, text: makeText(turn, call + 10, 400) })
  }
  check(render?.())
  history.push({ from: 'assistant', text: makeText(turn, 30) })
}

function messageOf({ from, text, id, name, input }) {
  if (from === 'tool') return { role: 'tool', content: text, tool_call_id: id }
  if (name === undefined) return { role: from, content: text }
  const call = { function: { arguments: JSON.stringify(input), name }, id, type: 'function' }
  return { role: from, content: null, tool_calls: [call] }
}

function perTurn(batch, play) {
  const start = performance.now()
  for (let i = 0; i < batch; i++) play(i)
  return ((performance.now() - start) * 1e6) / batch
}

function check(bytes) {
  assertWork(bytes === undefined || bytes.length > 100, 'a request is rendered')
}
