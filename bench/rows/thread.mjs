// The request bytes after each commit. Without an engine the whole thread is written anew; ours writes what is new.

import { assertWork, interleave, line, timesBetter } from '../harness.mjs'
import { makeTurnTexts } from '../turns.mjs'

const NODES = 1e5
const TURNS = Math.round(NODES / 6)
const ROW = 'thread bytes after a commit, 1e5 nodes'
const SINK = Buffer.alloc(64 * 1024 * 1024)
const WHOLE = 'JSON.stringify to a buffer'

export const rows = [
  { title: ROW, run },
  { title: 'thread bytes, the first time ever', run: runFirst },
]

async function run({ engine, quick }) {
  const texts = makeTurnTexts(1)[0]
  const past = makeTurnTexts(TURNS, 1)
  const items = past.flatMap((turn, i) => itemsOf(i + 1, turn))
  const contexts = engine && { buffer: openContext(engine, past), chunks: openContext(engine, past) }
  const parts = past.map((turn, i) => writeTurn(i + 1, turn))
  const isAll = (bytes) => bytes.length > 400 * TURNS

  const results = await interleave(
    {
      stringify: () => {
        items.push(...itemsOf(items.length / 4 + 1, texts))
        return timeOnce(() => Buffer.from(JSON.stringify(items)), isAll)
      },
      // By hand: each turn is written once and kept as text.
      parts: () => {
        parts.push(writeTurn(parts.length + 1, texts))
        return timeOnce(() => Buffer.from(`[${parts.join(',')}]`), isAll)
      },
      buffer:
        engine &&
        (() => {
          commitLabelled(contexts.buffer, texts)
          return timeOnce(() => contexts.buffer.threadBytes('@t0'), isAll)
        }),
      sink:
        engine &&
        (() => {
          commitLabelled(contexts.chunks, texts)
          return timeOnce(() => writeAll(contexts.chunks.snapshot('@t0').threadChunks()), isAll)
        }),
    },
    // Whoever caches blocks of turns fills the cache at the first call; that call has a row of its own.
    { rounds: quick ? 7 : 21 },
  )
  if (engine) checkThread(items, parts, contexts)
  const compare = (form, peer, theirs, ours, goal) =>
    line({ row: `${ROW}: ${form}`, peer, theirs, ours, unit: 'ns', goal })
  const joined = 'turns kept as text, joined'
  return [
    compare('one buffer', WHOLE, results.stringify, results.buffer, timesBetter(4)),
    compare('one buffer', joined, results.parts, results.buffer, timesBetter(1)),
    compare('chunks, written to a sink', WHOLE, results.stringify, results.sink, timesBetter(5)),
    compare('chunks, written to a sink', joined, results.parts, results.sink, timesBetter(1)),
  ]
}

/** A context that was never rendered: all of its thread has to be written. */
async function runFirst({ engine, quick }) {
  if (!engine) return []
  const past = makeTurnTexts(TURNS, 1)
  const items = past.flatMap((turn, i) => itemsOf(i + 1, turn))
  const isAll = (bytes) => bytes.length > 400 * TURNS
  // The engine is warm, the context is not.
  const small = past.slice(0, 500)
  for (let i = 0; i < 30; i++) openContext(engine, small).threadBytes('@t0')
  const { theirs, ours } = await interleave(
    {
      theirs: () => timeOnce(() => Buffer.from(JSON.stringify(items)), isAll),
      ours: () => {
        const ctx = openContext(engine, past)
        return timeOnce(() => ctx.threadBytes('@t0'), isAll)
      },
    },
    { rounds: quick ? 5 : 9, warmup: 1 },
  )
  const row = 'thread bytes, 1e5 nodes, the first time ever'
  return [line({ row, peer: WHOLE, theirs, ours, unit: 'ns', goal: timesBetter(0.6) })]
}

/** A sink as a socket has it: bytes, copied once into what goes out. */
function writeAll(chunks) {
  let at = 0
  for (const chunk of chunks) at += SINK.write(chunk, at, 'utf8')
  return { length: at }
}

function timeOnce(work, isDone) {
  const start = performance.now()
  const result = work()
  const figure = (performance.now() - start) * 1e6
  assertWork(isDone(result), 'the whole thread is there')
  return figure
}

/** All have written the same bytes. */
function checkThread(items, parts, { buffer, chunks }) {
  const expected = Buffer.from(JSON.stringify(items))
  assertWork(expected.equals(Buffer.from(`[${parts.join(',')}]`)), 'the parts are what JSON.stringify writes')
  assertWork(expected.equals(buffer.threadBytes('@t0')), 'the buffer is what JSON.stringify writes')
  assertWork(expected.equals(Buffer.from(chunks.snapshot('@t0').threadChunks().join(''))), 'so are the chunks')
}

/** The provider thread of a turn: pre, user, assistant, post. */
function itemsOf(cycle, [pre, user, assistant, post]) {
  return [
    { id: `block:${cycle}-0`, role: 'system', kind: 'text', content: pre },
    { id: `block:${cycle}-2`, role: 'user', kind: 'text', content: user },
    { id: `block:${cycle}-3`, role: 'assistant', kind: 'text', content: assistant },
    { id: `block:${cycle}-4`, role: 'system', kind: 'text', content: post },
  ]
}

function writeTurn(cycle, texts) {
  return JSON.stringify(itemsOf(cycle, texts)).slice(1, -1)
}

function openContext(engine, past) {
  const ctx = engine.createContext({ id: 'bench' })
  for (const texts of past) commitLabelled(ctx, texts)
  return ctx
}

/** A turn whose blocks all have a role and a kind, so that its thread equals the plain one to the byte. */
function commitLabelled(ctx, [pre, user, assistant, post]) {
  ctx.pre(pre, { role: 'system', kind: 'text' })
  ctx.user(user, { kind: 'text' })
  ctx.assistant(assistant, { kind: 'text' })
  ctx.post(post, { role: 'system', kind: 'text' })
  ctx.commit()
}
