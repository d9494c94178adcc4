// Long runs that `npm test` has no time for. Without --commits: all laws with many more programs than usual, and then a
// soak of 50,000 commits. With --commits: the soak alone. Never decides by time: --minutes only says when to stop.

import { parseArgs } from 'node:util'

import { runLaws } from './soak/laws.mjs'
import { report } from './soak/report.mjs'
import { soak } from './soak/run.mjs'

const HELP = `npm run soak -- [options]

Plays one context with limited history and a pruning policy for as many commits as you like: turns, edits, undo, forks,
holds, attempts, questions, imports. Prints the memory in use and says at the end whether it is flat.

  --commits N    how many commits; without it, the laws run first, wider than in npm test, and then ${(50_000).toLocaleString('en')} commits
  --seed N       another run; 1 by default
  --wider N      how many times the programs of npm test each law plays; 4 by default
  --minutes N    stops after so many minutes, laws and commits together; no limit by default
  --history N    how many snapshots the context keeps; 100 by default, Infinity for all
  --json         one JSON value on standard output, with every point of the curve
  --help         this text

Ends with 0 where everything held and memory is flat, 1 where not, 2 for wrong usage.`

const OPTIONS = /** @type {const} */ ({
  commits: { type: 'string' },
  seed: { type: 'string', default: '1' },
  wider: { type: 'string', default: '4' },
  minutes: { type: 'string', default: 'Infinity' },
  history: { type: 'string', default: '100' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})

const settings = readArguments()
if (settings === undefined) console.log(HELP)
else process.exitCode = await main(settings)

/**
 * @param {NonNullable<ReturnType<typeof readArguments>>} settings
 * @returns {Promise<number>}
 */
async function main({ commits, seed, wider, minutes, history, json }) {
  const started = performance.now()
  const deadline = started + minutes * 60_000
  const told = report({ json })
  // The laws get the first half of the time.
  const half = started + (minutes * 60_000) / 2
  const laws = commits === undefined ? await runLaws({ seed, wider, deadline: half, say: told.say }) : undefined
  try {
    const result = await soak({
      commits: commits ?? 50_000,
      seed,
      history,
      deadline,
      told: (point) => told.point(point),
    })
    const seconds = (performance.now() - started) / 1000
    told.end({ ...result, history, seconds, laws })
    return laws?.ok !== false && result.verdict?.flat !== false ? 0 : 1
  } catch (error) {
    console.error(`soak: seed ${seed}, after ${told.commits()} commits:`, error)
    return 1
  }
}

/** Gives what the command line says, or undefined where help is wanted. */
function readArguments() {
  try {
    const { values } = parseArgs({ options: OPTIONS })
    if (values.help) return undefined
    return {
      commits: values.commits === undefined ? undefined : countFrom('commits', values.commits),
      seed: countFrom('seed', values.seed),
      wider: positiveFrom('wider', values.wider),
      minutes: positiveFrom('minutes', values.minutes),
      history: values.history === 'Infinity' ? Infinity : countFrom('history', values.history),
      json: values.json,
    }
  } catch (error) {
    console.error(`soak: ${error instanceof Error ? error.message : String(error)}\n\n${HELP}`)
    process.exit(2)
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
function countFrom(name, text) {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`--${name} is a whole number from 1 up, not ${text}.`)
  return count
}

/**
 * @param {string} name
 * @param {string} text
 */
function positiveFrom(name, text) {
  const number = Number(text)
  if (!(number > 0)) throw new Error(`--${name} is a number above 0, not ${text}.`)
  return number
}
