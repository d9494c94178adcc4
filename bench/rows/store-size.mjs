// Bytes on disk of a commit beyond its content, for turns of one shape and recorded ones.

import { assertWork, atMost, line, single } from '../harness.mjs'
import { PLACES } from '../places.mjs'
import { recordedTurns } from '../recorded.mjs'
import { commitStored } from '../stores.mjs'
import { makeText, makeTurnTexts } from '../turns.mjs'

const BEYOND = 600
const MEGABYTE = 1024 * 1024

export const rows = Object.entries(PLACES).map(([name, inPlace]) => ({
  title: `bytes on disk, ${name}`,
  run: ({ quick }) => inPlace((place) => measure(name, place, quick)),
}))

async function measure(name, place, quick) {
  const turns = makeTurnTexts(quick ? 2_000 : 20_000)
  const recorded = recordedTurns()
  const messages = Array.from({ length: 1_000 }, (_, i) => makeText(i, 1))
  const plain = await write(place, 'plain', turns, commitStored)
  const real = await write(place, 'real', quick ? recorded.slice(0, 2_000) : recorded, commitRecorded)
  const short = await write(place, 'short', messages, commitMessage)
  return [
    perCommit(name, `${turns.length.toLocaleString('en')} turns of six nodes`, plain),
    perCommit(name, `${real.commits.toLocaleString('en')} recorded turns`, real),
    line({
      row: `${name}: bytes on disk, 1,000 messages of 100 B, after close`,
      // PostgreSQL shrinks its tables later, so free room is not counted there.
      ours: single(name === 'SQLite' ? short.standing : short.bytes),
      unit: 'bytes',
      goal: atMost(MEGABYTE, 'bytes'),
    }),
  ]
}

/** Without free pages, which the next commits use. The newest few hundred commits are not packed yet, and count as they are. */
function perCommit(name, what, { bytes, content, commits }) {
  return line({
    row: `${name}: bytes per commit beyond its content, ${what}`,
    peer: 'the content alone',
    theirs: single(content / commits),
    ours: single((bytes - content) / commits),
    unit: 'bytes',
    goal: atMost(BEYOND, 'bytes'),
  })
}

/** Writes turns into a new store and returns the bytes of the closed store and of the content. */
async function write(place, name, turns, commit) {
  const store = await place.openStore(name)
  const ctx = await store.open('bench')
  let content = 0
  for (const turn of turns) {
    await commit(ctx, turn)
    content += contentBytes(turn)
  }
  assertWork(ctx.cycle === turns.length + 1, 'every turn is committed')
  await store.close()
  return { ...(await place.bytesOf(name)), content, commits: turns.length }
}

function contentBytes(turn) {
  if (typeof turn === 'string') return Buffer.byteLength(turn)
  return turn.reduce((sum, each) => sum + Buffer.byteLength(each.content ?? each), 0)
}

function commitMessage(ctx, text) {
  ctx.user(text)
  return ctx.commit()
}

function commitRecorded(ctx, turn) {
  for (const { role, kind, content } of turn) ctx.add(content, { zone: 'core', role, kind })
  return ctx.commit()
}
