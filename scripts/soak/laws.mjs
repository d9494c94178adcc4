// The laws of `npm test` with more programs than it has time for: every test file whose counts come from
// test/support/runs.ts, two at a time, each in a process of its own. Where time is short not all of them are run, so their order is another one
// for every commit: with room for half of them, five commits leave out one in 32.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const AT_ONCE = 2
/** The ways in which a test file gets its counts: by itself, or through a support file. */
const COUNTED = /support\/(?:runs|edited|editing-law)\.js'/
/** Test files that a soak does not play wider, and why. */
const LEFT_OUT = new Map([
  ['test/process/package-clone.test.ts', 'no law: with PACT_WIDER it installs every tool again from the registry'],
  ['test/providers/fuzz.test.ts', 'fuzz.mjs plays it, with 20,000 contexts'],
])
/** `npm run test:node22` runs these. */
const NODE_22 = 'test/node22/'

/** @typedef {{ file: string, ok: boolean, seconds: number }} Law */

/**
 * Runs the laws. At the deadline those under way come to their end, and the rest are named as left out.
 * @param {{ seed: number, wider: number, deadline: number, say: (line: string) => void }} settings
 */
export async function runLaws({ seed, wider, deadline, say }) {
  /** @type {Law[]} */
  const done = []
  const turn = turnOf(seed)
  const left = [...inTurn(lawFiles(), turn)]
  say(`law: ${left.length} files, in the order of ${turn}`)
  for (const [file, why] of LEFT_OUT) say(`law: not played wider  ${file}: ${why}`)
  const worker = async () => {
    while (performance.now() < deadline) {
      const file = left.shift()
      if (file === undefined) return
      const law = await runLaw(file, seed, wider)
      done.push(law)
      say(`law: ${law.ok ? 'held' : 'FAILED'}  ${law.file} ${law.seconds.toFixed(1)} s`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (left.length > 0) say(`law: no time was left for ${left.length} of them: ${left.toSorted().join(', ')}`)
  return { ok: done.every(({ ok }) => ok), wider, files: done, left }
}

/** @returns {readonly string[]} */
export function lawFiles() {
  return ['test', 'src']
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => path.posix.join(folder, file.replaceAll('\\', '/'))),
    )
    .filter(
      (file) =>
        file.endsWith('.test.ts') &&
        !LEFT_OUT.has(file) &&
        !file.startsWith(NODE_22) &&
        COUNTED.test(fs.readFileSync(path.join(ROOT, file), 'utf8')),
    )
    .toSorted((a, b) => (a < b ? -1 : 1))
}

/**
 * The same files in the order of a turn, which says nothing about that of another one: every file is as likely to come early.
 * @param {readonly string[]} files
 * @param {string} turn
 * @returns {readonly string[]}
 */
export function inTurn(files, turn) {
  const rank = new Map(files.map((file) => [file, createHash('sha256').update(`${turn}\n${file}`).digest('hex')]))
  return files.toSorted((a, b) => ((rank.get(a) ?? '') < (rank.get(b) ?? '') ? -1 : 1))
}

/**
 * The commit that is checked out, so that a second run gets the same order; the day where the commit is not known.
 * @param {number} seed
 */
function turnOf(seed) {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' })
  const name = status === 0 ? `commit ${stdout.trim()}` : new Date().toISOString().slice(0, 10)
  return `${name}, seed ${seed}`
}

/**
 * @param {string} file
 * @param {number} seed 1 leaves each law the seed it has in npm test
 * @param {number} wider
 * @returns {Promise<Law>}
 */
function runLaw(file, seed, wider) {
  const started = performance.now()
  const env = { ...process.env, PACT_WIDER: String(wider), ...(seed === 1 ? {} : { PACT_SEED: String(seed) }) }
  const args = ['node_modules/vitest/vitest.mjs', 'run', file, '--testTimeout=0', '--reporter=dot']
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
    child.on('close', (code) => {
      if (code !== 0) console.error(output)
      resolve({ file, ok: code === 0, seconds: (performance.now() - started) / 1000 })
    })
  })
}
