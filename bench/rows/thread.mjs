// The request bytes after each commit. Without an engine the whole thread is written anew; ours writes what is new.

import { buildContext, commitTurn } from '../engine.mjs'
import { assertWork, interleave, line, timesBetter } from '../harness.mjs'
import { makeTurnTexts, plainTree, plainTurn } from '../turns.mjs'

const NODES = 1e5
const TURNS = Math.round(NODES / 6)

export const rows = [{ title: 'thread bytes after a commit, 1e5 nodes', run }]

async function run({ engine, quick }) {
  const rounds = quick ? 7 : 21
  const texts = makeTurnTexts(1)[0]
  const items = plainTree(TURNS).seq.flatMap(itemsOf)
  const contexts = engine && { buffer: buildContext(engine, TURNS), chunks: buildContext(engine, TURNS) }

  const results = await interleave(
    {
      stringify: () => {
        items.push(...itemsOf(plainTurn(items.length / 4 + 1, texts)))
        return timeOnce(
          () => Buffer.from(JSON.stringify(items)),
          (bytes) => bytes.length > 100 * items.length,
        )
      },
      buffer:
        engine &&
        (() => {
          commitTurn(contexts.buffer, texts)
          return timeOnce(
            () => contexts.buffer.threadBytes('@t0'),
            (bytes) => bytes.length > 400 * TURNS && bytes[0] === 0x5b && bytes.at(-1) === 0x5d,
          )
        }),
      chunks:
        engine &&
        (() => {
          commitTurn(contexts.chunks, texts)
          return timeOnce(
            () => contexts.chunks.snapshot('@t0').threadChunks(),
            (chunks) => Object.isFrozen(chunks) && chunks.length > 0,
          )
        }),
    },
    // Whoever caches blocks of turns fills the cache at the first call: a warm-up, as in the life of a conversation.
    { rounds },
  )
  if (engine) checkThread(contexts)
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

/** Both forms hold the same text, and it is the thread: four items a turn, the last texts at the end. */
function checkThread({ buffer, chunks }) {
  const text = Buffer.from(buffer.threadBytes('@t0')).toString('latin1')
  const thread = JSON.parse(text)
  assertWork(thread.length === 4 * (buffer.cycle - 1), `the thread has ${thread.length} items`)
  const joined = chunks.snapshot('@t0').threadChunks().join('')
  assertWork(joined === Buffer.from(chunks.threadBytes('@t0')).toString('latin1'), 'the chunks are the bytes')
  assertWork(joined.length === text.length, 'both contexts hold as many turns')
}

/** The provider thread of a plain turn: pre, user, assistant, post. */
function itemsOf({ children: [pre, core, post] }) {
  return [pre, ...core.children, post].map(({ id, role, kind, content }) => ({ id, role, kind, content }))
}
