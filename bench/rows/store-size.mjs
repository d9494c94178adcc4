// Bytes on disk: what a commit takes beyond what was said in it, on turns of one shape and on recorded ones.

import path from 'node:path'

import { assertWork, atMost, line, single } from '../harness.mjs'
import { readRecordings } from '../recorded.mjs'
import { bytesOnDisk, commitStored, inFolder, loadStore } from '../stores.mjs'
import { makeText, makeTurnTexts } from '../turns.mjs'

const BEYOND = 600
const MEGABYTE = 1024 * 1024

export const rows = [{ title: 'bytes on disk', run: runSizes }]

async function runSizes({ quick }) {
  const from = await loadStore()
  if (!from) return []
  const turns = makeTurnTexts(quick ? 2_000 : 20_000)
  const { source, turns: recorded } = readRecordings()
  const messages = Array.from({ length: 1_000 }, (_, i) => makeText(i, 1))
  return inFolder(async (folder) => {
    const plain = await write(from, path.join(folder, 'plain.db'), turns, commitStored)
    const real = await write(
      from,
      path.join(folder, 'real.db'),
      quick ? recorded.slice(0, 2_000) : recorded,
      commitRecorded,
    )
    const short = await write(from, path.join(folder, 'short.db'), messages, commitMessage)
    return [
      ...perCommit(`${turns.length.toLocaleString('en')} turns of six nodes`, plain),
      ...perCommit(`${real.commits.toLocaleString('en')} turns of ${source}`, real),
      line({
        row: 'bytes on disk, 1,000 messages of 100 B, after close',
        ours: single(short.bytes),
        unit: 'bytes',
        goal: atMost(MEGABYTE, 'bytes'),
      }),
    ]
  })
}

/** The newest some hundred commits are not packed yet, and counted as they stand. */
function perCommit(what, { bytes, content, commits }) {
  return [
    line({
      row: `bytes a commit beyond its content, ${what}`,
      ours: single((bytes - content) / commits),
      unit: 'bytes',
      goal: atMost(BEYOND, 'bytes'),
    }),
    line({
      row: `bytes a commit, ${what}`,
      peer: 'the contents alone',
      theirs: single(content / commits),
      ours: single(bytes / commits),
      unit: 'bytes',
    }),
  ]
}

/** Writes turns into a new store and gives the bytes of its closed file, and of what was said. */
async function write({ openStore }, file, turns, commit) {
  const store = await openStore(`sqlite:${file}`, { durability: 'relaxed' })
  const ctx = await store.open('bench')
  let content = 0
  for (const turn of turns) {
    await commit(ctx, turn)
    content += bytesSaid(turn)
  }
  assertWork(ctx.cycle === turns.length + 1, 'every turn is committed')
  await store.close()
  return { bytes: bytesOnDisk(file), content, commits: turns.length }
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
