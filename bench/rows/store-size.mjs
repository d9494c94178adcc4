// Bytes on disk: what a commit takes beyond what was said in it, on turns of one shape and on recorded ones.

import { assertWork, atMost, line, single } from '../harness.mjs'
import { PLACES } from '../places.mjs'
import { readRecordings } from '../recorded.mjs'
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
  const { source, turns: recorded } = readRecordings()
  const messages = Array.from({ length: 1_000 }, (_, i) => makeText(i, 1))
  const plain = await write(place, 'plain', turns, commitStored)
  const real = await write(place, 'real', quick ? recorded.slice(0, 2_000) : recorded, commitRecorded)
  const short = await write(place, 'short', messages, commitMessage)
  return [
    ...perCommit(name, `${turns.length.toLocaleString('en')} turns of six nodes`, plain),
    ...perCommit(name, `${real.commits.toLocaleString('en')} turns of ${source}`, real),
    line({
      row: `${name}: bytes on disk, 1,000 messages of 100 B, after close`,
      // Of a file what it is; of tables what they hold, since the server shrinks them in its own time.
      ours: single(name === 'SQLite' ? short.standing : short.bytes),
      unit: 'bytes',
      goal: atMost(MEGABYTE, 'bytes'),
    }),
  ]
}

/** The newest some hundred commits are not packed yet, and counted as they stand. */
function perCommit(name, what, { bytes, standing, content, commits }) {
  const theirs = single(content / commits)
  const peer = 'the contents alone'
  return [
    line({
      row: `${name}: bytes a commit beyond its content, ${what}`,
      ours: single((bytes - content) / commits),
      unit: 'bytes',
      goal: atMost(BEYOND, 'bytes'),
    }),
    line({
      row: `${name}: bytes a commit, ${what}`,
      peer,
      theirs,
      ours: single(bytes / commits),
      unit: 'bytes',
    }),
    ...(standing === undefined
      ? []
      : [
          line({
            row: `${name}: bytes a commit with room that is free again, ${what}`,
            peer,
            theirs,
            ours: single(standing / commits),
            unit: 'bytes',
          }),
        ]),
  ]
}

/** Writes turns into a new store and gives the bytes of it when it is closed, and of what was said. */
async function write(place, name, turns, commit) {
  const store = await place.openStore(name)
  const ctx = await store.open('bench')
  let content = 0
  for (const turn of turns) {
    await commit(ctx, turn)
    content += bytesSaid(turn)
  }
  assertWork(ctx.cycle === turns.length + 1, 'every turn is committed')
  await store.close()
  return { ...(await place.bytesOf(name)), content, commits: turns.length }
}

function bytesSaid(turn) {
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
