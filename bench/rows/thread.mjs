// The request bytes after each commit. Without an engine the whole thread is written anew; ours writes what is new.

import { assertWork, interleave, line, timesBetter } from '../harness.mjs'
import { makeTurnTexts } from '../turns.mjs'

const NODES = 1e5
const TURNS = Math.round(NODES / 6)

export const rows = [{ title: 'thread bytes after a commit, 1e5 nodes', run }]

async function run({ engine, quick }) {
  const rounds = quick ? 7 : 21
  const texts = makeTurnTexts(1)[0]
  const past = makeTurnTexts(TURNS, 1)
  const items = past.flatMap((turn, i) => itemsOf(i + 1, turn))
  const contexts = engine && { buffer: openContext(engine, past), chunks: openContext(engine, past) }

  const results = await interleave(
    {
      stringify: () => {
        items.push(...itemsOf(items.length / 4 + 1, texts))
        return timeOnce(
          () => Buffer.from(JSON.stringify(items)),
          (bytes) => bytes.length > 100 * items.length,
        )
      },
      buffer:
        engine &&
        (() => {
          commitLabelled(contexts.buffer, texts)
          return timeOnce(
            () => contexts.buffer.threadBytes('@t0'),
            (bytes) => bytes.length > 400 * TURNS,
          )
        }),
      chunks:
        engine &&
        (() => {
          commitLabelled(contexts.chunks, texts)
          return timeOnce(
            () => contexts.chunks.snapshot('@t0').threadChunks(),
            (chunks) => Object.isFrozen(chunks) && chunks.length > 0,
          )
        }),
    },
    // Whoever caches blocks of turns fills the cache at the first call: a warm-up, as in the life of a conversation.
    { rounds },
  )
  if (engine) checkThread(items, contexts)
  const row = 'thread bytes after a commit, 1e5 nodes'
  const compare = (form, ours, factor) =>
    line({
      row: `${row}: ${form}`,
      peer: 'JSON.stringify to a buffer',
      theirs: results.stringify,
      ours,
      unit: 'ns',
      goal: timesBetter(factor),
    })
  return [compare('one buffer', results.buffer, 5), compare('chunks', results.chunks, 30)]
}

function timeOnce(work, isDone) {
  const start = performance.now()
  const result = work()
  const figure = (performance.now() - start) * 1e6
  assertWork(isDone(result), 'the whole thread is there')
  return figure
}

/** All three have written the same bytes. */
function checkThread(items, { buffer, chunks }) {
  const expected = Buffer.from(JSON.stringify(items))
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
