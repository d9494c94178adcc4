// Long runs that `npm test` has no time for. With none of --commits, --kills, --load and --contexts: all laws with many more programs than usual, the
// fuzz of provider requests, the promises of stores, many contexts on one PostgreSQL, and then a soak of 50,000 commits. With one of them: that alone. Never decides by
// time: --minutes only says when to stop.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { runFuzz } from './soak/fuzz.mjs'
import { runLaws } from './soak/laws.mjs'
import { report } from './soak/report.mjs'
import { soak } from './soak/run.mjs'
import { keepPromises } from './soak/store/promises.mjs'

/** Where nothing is asked for. */
const COMMITS = 50_000
const KILLS = 100
const LOAD = 300
const CONTEXTS = 20_000

const HELP = `npm run soak -- [options]

Plays one context with limited history and a pruning policy for as many commits as you like: turns, edits, undo, forks,
holds, attempts, questions, imports. Prints the memory in use and says at the end whether it is flat.

With --kills, processes that write into a store on disk: killed at any moment and at each call that writes, raced against each
other, with a disk that fails or is full, with damaged files.

With --load, contexts in a PostgreSQL that is started for it, with sixteen connections: commits a second beside bare rows, how
long one takes, memory and disk of a context.

With --contexts, random contexts of every provider's format, rendered for every provider and judged by the types of their
clients and by rules from their documents.

  --commits N    how many commits; without it, --kills, --load and --contexts, the laws run first, wider than in npm test, then
                 ${CONTEXTS.toLocaleString('en')} contexts for providers, then the store with ${KILLS} kills, ${LOAD} contexts in PostgreSQL, and then ${COMMITS.toLocaleString('en')} commits
  --kills N      how many writers are killed; the other trials of a store follow from it
  --load N       how many contexts in PostgreSQL
  --contexts N   how many contexts for providers
  --seed N       another run; 1 by default
  --wider N      how many times the programs of npm test each law plays; 4 by default
  --minutes N    stops after so many minutes, laws and commits together; no limit by default. Laws that were left out are
                 named; their order is another one for every commit and seed
  --history N    how many snapshots the context keeps; 100 by default, Infinity for all
  --json         one JSON value on standard output, with every point of the curve
  --help         this text

Ends with 0 where everything held and memory is flat, 1 where not, 2 for wrong usage.`

const OPTIONS = /** @type {const} */ ({
  commits: { type: 'string' },
  kills: { type: 'string' },
  load: { type: 'string' },
  contexts: { type: 'string' },
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
async function main({ commits, kills, load, contexts, seed, wider, minutes, history, json }) {
  const started = performance.now()
  const deadline = started + minutes * 60_000
  const output = report({ json })
  const isAll = [commits, kills, load, contexts].every((each) => each === undefined)
  // The laws get the first 40 % of the time, the fuzz 10, the store a quarter.
  const by = (/** @type {number} */ part) => started + minutes * 60_000 * part
  const laws = isAll ? await runLaws({ seed, wider, deadline: by(0.4), say: output.say }) : undefined
  const fuzzed = { contexts: contexts ?? CONTEXTS, seed, deadline: by(isAll ? 0.5 : 1), say: output.say }
  const fuzz = isAll || contexts !== undefined ? await runFuzz(fuzzed) : undefined
  try {
    const stored = { kills: kills ?? KILLS, seed, deadline: by(isAll ? 0.75 : 1), say: output.say }
    const store = isAll || kills !== undefined ? await keepPromises(stored) : undefined
    const isLoadFine = isAll || load !== undefined ? loadPostgres(load ?? LOAD, json) : true
    if (!isAll && commits === undefined) {
      const only = store ?? fuzz
      if (json && only !== undefined) console.log(JSON.stringify(only))
      return store?.ok !== false && fuzz?.ok !== false && isLoadFine ? 0 : 1
    }
    const result = await soak({
      commits: commits ?? COMMITS,
      seed,
      history,
      deadline,
      onPoint: (point) => output.point(point),
    })
    const seconds = (performance.now() - started) / 1000
    output.end({ ...result, history, seconds, laws, fuzz, store })
    return laws?.ok !== false &&
      fuzz?.ok !== false &&
      store?.ok !== false &&
      isLoadFine &&
      result.verdict?.flat !== false
      ? 0
      : 1
  } catch (error) {
    console.error(`soak: seed ${seed}, after ${output.commits()} commits:`, error)
    return 1
  }
}

/**
 * Checks that all commits of many contexts are there afterwards. In a process of its own, whose memory is that of the contexts.
 * @param {number} contexts
 * @param {boolean} json
 */
function loadPostgres(contexts, json) {
  const script = fileURLToPath(new URL('postgres/load.mjs', import.meta.url))
  const given = ['--expose-gc', script, '--contexts', String(contexts)]
  // With --json, standard output holds the JSON alone.
  const { status } = spawnSync(process.execPath, given, { stdio: ['ignore', json ? 2 : 'inherit', 'inherit'] })
  return status === 0
}

/** Gives what the command line says, or undefined where help is wanted. */
function readArguments() {
  try {
    const { values } = parseArgs({ options: OPTIONS })
    if (values.help) return undefined
    return {
      commits: values.commits === undefined ? undefined : countFrom('commits', values.commits),
      kills: values.kills === undefined ? undefined : countFrom('kills', values.kills),
      load: values.load === undefined ? undefined : countFrom('load', values.load),
      contexts: values.contexts === undefined ? undefined : countFrom('contexts', values.contexts),
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
