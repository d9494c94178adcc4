// A whole agent turn: a user's message, six calls with six results, seven requests, a commit. The peer keeps an array of messages, and maps and
// stringifies all of it for each request, as a program without an engine does. The durable rows save every step: ours with `save`, the peer by
// writing the array to a file with fsync.

import fs from 'node:fs'
import path from 'node:path'

import { assertWork, interleave, line, timesAtMost } from '../harness.mjs'
import { inFolder, loadStore } from '../stores.mjs'
import { makeText } from '../turns.mjs'

const OPENAI = new URL('../../dist/adapters/openai/index.js', import.meta.url)
const CALLS = 6
const SIZES = [
  { turns: 10, goal: timesAtMost(1.5), batch: 40 },
  { turns: 1_000, goal: timesAtMost(0.3), batch: 4 },
]

const DURABLE = [
  { turns: 10, goal: timesAtMost(1.5), batch: 10 },
  { turns: 1_000, goal: timesAtMost(1.5), batch: 2 },
]

export const rows = [
  ...SIZES.map((size) => ({
    title: `a whole agent turn at ${size.turns.toLocaleString('en')} turns of history`,
    run: (given) => run(size, given),
  })),
  ...DURABLE.map((size) => ({
    title: `a durable agent turn at ${size.turns.toLocaleString('en')} turns of history`,
    run: (given) => runDurable(size, given),
  })),
]

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

async function runDurable({ turns, goal, batch }, { engine, quick }) {
  const built = engine && (await loadStore())
  const adapter = built && (await import(OPENAI.href))
  const { theirs, ours } = await interleave(
    {
      theirs: () => inFolder((folder) => sampleFile(path.join(folder, 'messages.json'), turns, batch)),
      ours: built && (() => inFolder((folder) => sampleStored(built, adapter, folder, turns, batch))),
    },
    { rounds: quick ? 5 : 15 },
  )
  return [
    line({
      row: `a durable agent turn (14 saves, 7 requests) at ${turns.toLocaleString('en')} turns, SQLite FULL`,
      peer: 'an array of messages, written to a file with fsync per step',
      theirs,
      ours,
      unit: 'ns',
      goal,
    }),
  ]
}

async function sampleStored({ openStore }, { toOpenAIChat }, folder, turns, batch) {
  const store = await openStore(`sqlite:${path.join(folder, 'agent.db')}`)
  try {
    const ctx = await store.open('bench')
    const render = () => toOpenAIChat(ctx).bytes
    for (let turn = 0; turn < turns; turn++) {
      playContext(ctx, turn)
      await ctx.commit()
    }
    render()
    const start = performance.now()
    for (let i = 0; i < batch; i++) {
      for (const step of stepsOf(ctx, turns + i, render)) {
        step()
        await ctx.save()
      }
      await ctx.commit()
    }
    return ((performance.now() - start) * 1e6) / batch
  } finally {
    await store.close()
  }
}

function sampleFile(file, turns, batch) {
  const history = []
  const render = () => Buffer.from(JSON.stringify({ messages: history.map(messageOf) }))
  for (let turn = 0; turn < turns; turn++) playArray(history, turn)
  render()
  const save = () => {
    const open = fs.openSync(file, 'w')
    fs.writeSync(open, JSON.stringify(history))
    fs.fsyncSync(open)
    fs.closeSync(open)
  }
  return perTurn(batch, (i) => {
    for (const step of arraySteps(history, turns + i, render)) {
      step()
      save()
    }
  })
}

/** Both start from the same history in every batch, so that neither grows more than the other. */
function sampleContext(engine, { toOpenAIChat }, turns, batch) {
  const ctx = engine.createContext({ id: 'bench', history: 50 })
  const render = () => toOpenAIChat(ctx).bytes
  const play = (turn, rendering) => {
    playContext(ctx, turn, rendering)
    ctx.commit()
  }
  for (let turn = 0; turn < turns; turn++) play(turn)
  render()
  return perTurn(batch, (i) => play(turns + i, render))
}

function playContext(ctx, turn, render) {
  for (const step of stepsOf(ctx, turn, render)) step()
}

/** The edits of a turn, one step after another: the message, each reply and each result. */
function* stepsOf(ctx, turn, render) {
  yield () => ctx.user(makeText(turn, 0))
  for (let call = 0; call < CALLS; call++) {
    const id = `call_${turn}_${call}`
    const input = { name: 'look', arguments: { query: makeText(turn, call + 1) } }
    yield () => {
      check(render?.())
      ctx.assistant(input, { kind: 'call', data_call_id: id })
    }
    yield () => ctx.tool(makeText(turn, call + 10, 400), { kind: 'result', data_call_id: id })
  }
  yield () => {
    check(render?.())
    ctx.assistant(makeText(turn, 30))
  }
}

function sampleArray(turns, batch) {
  const history = []
  const render = () => Buffer.from(JSON.stringify({ messages: history.map(messageOf) }))
  for (let turn = 0; turn < turns; turn++) playArray(history, turn)
  render()
  return perTurn(batch, (i) => playArray(history, turns + i, render))
}

function playArray(history, turn, render) {
  for (const step of arraySteps(history, turn, render)) step()
}

function* arraySteps(history, turn, render) {
  yield () => history.push({ from: 'user', text: makeText(turn, 0) })
  for (let call = 0; call < CALLS; call++) {
    const id = `call_${turn}_${call}`
    yield () => {
      check(render?.())
      history.push({ from: 'assistant', id, name: 'look', input: { query: makeText(turn, call + 1) } })
    }
    yield () => history.push({ from: 'tool', id, text: makeText(turn, call + 10, 400) })
  }
  yield () => {
    check(render?.())
    history.push({ from: 'assistant', text: makeText(turn, 30) })
  }
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
