// An agent that is killed and goes on. Each turn is written before the customer sees the answer, so whatever moment it dies at, the next process
// finds what was answered and nothing by half. Here the agent runs as a process of its own, which is killed again and again (SIGKILL, no farewell),
// and started again until the conversation is done: `node examples/durable.ts` in a clone that is built (Node 22.18 or later).
//
// The model is scripted, so it runs without a key. What matters is in `workOn`: open, look what is there, answer, commit with a key.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { openStore } from 'pact-context/store'

type Print = (line: string) => void

/** The messages of customers, each with an id of its own, as a queue or a web hook gives it. */
export const REQUESTS: readonly Readonly<{ id: string; text: string }>[] = Array.from({ length: 12 }, (_, at) => ({
  id: `request-${at + 1}`,
  text: `Question ${at + 1}`,
}))

/** The agent: works off what is not answered yet. Killed anywhere, it can be started again. */
export async function workOn(file: string, answered: Print): Promise<void> {
  const store = await openStore(`sqlite:${file}`)
  // Options are given at every open; the conversation itself is in the file.
  const ctx = await store.open('support-42', { prune: { maxDepth: 20 } })
  for (const { id, text } of REQUESTS) {
    // A request that was committed before is answered from what was stored, and the model is not asked again.
    if ((await ctx.answerTo(id)) !== undefined) continue
    ctx.user(text)
    const attempt = ctx.startAttempt({ provider: 'scripted', model: 'scripted-1', params: {} })
    const reply = await askModel(text)
    attempt.complete({ tokenIn: 12, tokenOut: 8 })
    ctx.assistant(reply)
    await ctx.commit({ key: id }) // resolved means written: only now may anybody hear of it
    answered(id)
  }
  await store.close()
}

/** Runs the agent until it is done, and kills it after every few answers. Returns the answers that were reported, in order. */
export async function runDurable(
  print: Print = (line) => console.log(line),
  agent: readonly string[] = [import.meta.filename],
): Promise<Readonly<{ told: readonly string[]; kills: number; contents: readonly unknown[]; isSound: boolean }>> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-durable-'))
  const file = path.join(folder, 'agent.db')
  try {
    const told: string[] = []
    let kills = 0
    for (;;) {
      const wasKilled = await runOnce([...agent, file], kills < 3 ? 3 : Infinity, (id) => told.push(id))
      print(`${told.length} of ${REQUESTS.length} answered${wasKilled ? '; killed' : '; done'}`)
      if (!wasKilled) break
      kills += 1
    }
    const store = await openStore(`sqlite:${file}`)
    const ctx = await store.open('support-42', { history: 'all' })
    const contents = ctx.thread('@t0').map(({ content }) => content)
    const { ok: isSound } = await store.fsck()
    print(
      `${ctx.snapshots().length} turns on disk, ${ctx.attempts().length} attempts; fsck says ${isSound ? 'sound' : 'damaged'}`,
    )
    await store.close()
    return { told, kills, contents, isSound }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** One life of the agent; true where it was killed before it was done. */
function runOnce(command: readonly string[], answers: number, told: Print): Promise<boolean> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  let heard = 0
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      told(text.slice(0, end))
      text = text.slice(end + 1)
      heard += 1
      // It may be in the middle of the next turn by now; that is the point.
      if (heard === answers) child.kill('SIGKILL')
    }
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(true)
      else if (code === 0) resolve(false)
      else reject(new Error(`The agent ended with ${signal ?? code}.`))
    })
  })
}

async function askModel(text: string): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 40))
  return `Answer to ${text.toLowerCase()}`
}

if (process.argv[1] === import.meta.filename) {
  const file = process.argv[2]
  if (file === undefined) await runDurable()
  else await workOn(file, (id) => process.stdout.write(`${id}\n`))
}
