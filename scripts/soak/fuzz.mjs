// The fuzz of provider requests at full size: random contexts of every format, rendered for every provider (test/providers/fuzz.test.ts). It is played in
// pieces, each in a process and with a seed of its own, so that a fault is found again by the seed of its piece.

import { spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const FILE = 'test/providers/fuzz.test.ts'
const FORMATS = 8
/** Contexts of each format in a piece. */
const PIECE = 125

/**
 * Plays pieces until enough contexts were played, or until the deadline. A piece with a fault does not end it.
 * @param {{ contexts: number, seed: number, deadline: number, say: (line: string) => void }} settings
 */
export async function runFuzz({ contexts, seed, deadline, say }) {
  let played = 0
  /** @type {number[]} */
  const failed = []
  for (let piece = 0; played < contexts && performance.now() < deadline; piece++) {
    const own = seed * 1000 + piece
    const each = Math.min(PIECE, Math.ceil((contexts - played) / FORMATS))
    const { ok, output } = await play(own, each)
    played += each * FORMATS
    if (!ok) failed.push(own)
    if (!ok) console.error(output)
    say(`fuzz: ${ok ? 'held' : 'FAILED'}  ${played.toLocaleString('en')} contexts, seed ${own}`)
    if (!ok) say(`fuzz: to play it again: PACT_SEED=${own} PACT_RUNS=${each} npx vitest run ${FILE}`)
  }
  if (played < contexts) say(`fuzz: no time was left for ${(contexts - played).toLocaleString('en')} contexts`)
  return { ok: failed.length === 0, contexts: played, failed }
}

/**
 * @param {number} seed
 * @param {number} each
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function play(seed, each) {
  const env = { ...process.env, PACT_SEED: String(seed), PACT_RUNS: String(each) }
  const only = ['-t', 'are valid for every provider', '--testTimeout=0', '--reporter=dot']
  const args = ['node_modules/vitest/vitest.mjs', 'run', FILE, ...only]
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}
