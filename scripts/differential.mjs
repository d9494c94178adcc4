// The differential law: the same generated programs on two builds of the package give the same answers, bytes, rows and refusals.

import { execFile } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'

import { CHANGES, readChanges } from './differential/changes.mjs'
import { fixChanceAndTime } from './differential/fixed.mjs'
import { play, shrink } from './differential/play.mjs'
import { drawProgram } from './differential/program.mjs'
import { playRecordings } from './differential/recordings.mjs'
import { buildFiles, loadBuild } from './differential/side.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const HELP = `node scripts/differential.mjs BEFORE [AFTER] [options]

Plays generated programs on two builds of the package, call by call, and compares all that can be seen: exports, threads, ids, error
codes and details, receipts, selects, diffs, explanations, requests of every adapter, stored rows. Prose is not compared. Both folders
hold a package.json and a dist/; AFTER is this repository if you name none.

  --programs N      how many programs; 20,000 by default
  --seed N          the first program; 1 by default
  --steps same-turn leaves out requests in which a call and its result are in different turns, and counts them (the default)
  --steps all       compares those as well
  --without A,B     leaves out steps of these names, such as erase, if they differ on purpose
  --changes A,B     evens out what these changes did on purpose, or all of them: see below
  --recordings N    how many recorded conversations; all by default, 0 for none
  --differences N   stops after this many; 1 by default
  --workers N       processes that share the programs; one for each core by default
  --json            one JSON value on standard output
  --help            this text

Changes:
${Object.entries(CHANGES)
  .map(([name, done]) => `  ${name.padEnd(17)} ${done}`)
  .join('\n')}

A difference is printed with its seed, a shortened program and both values; --programs 1 --seed N plays it again.
Ends with 0 if there is no difference, 1 if there is one, 2 for wrong usage.`

const OPTIONS = /** @type {const} */ ({
  programs: { type: 'string', default: '20000' },
  seed: { type: 'string', default: '1' },
  steps: { type: 'string', default: 'same-turn' },
  without: { type: 'string', default: '' },
  changes: { type: 'string', default: '' },
  recordings: { type: 'string', default: '1000000' },
  differences: { type: 'string', default: '1' },
  workers: { type: 'string', default: String(os.availableParallelism()) },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})

/** Fewer programs than this are played by one process: starting another takes longer. */
const FEW = 200

/** Characters of a value that are printed. */
const SHOWN = 600

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error)
  process.exitCode = 2
}

async function main() {
  const settings = readArguments()
  if (settings === undefined) return 2
  if (settings.help) {
    console.log(HELP)
    return 0
  }
  const report =
    settings.workers > 1 && settings.programs >= FEW ? await runInWorkers(settings) : await runHere(settings)
  if (settings.json) console.log(JSON.stringify(report, undefined, 2))
  else print(report)
  return report.differences.length === 0 ? 0 : 1
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
    const numbers = {}
    for (const name of /** @type {const} */ (['programs', 'seed', 'recordings', 'differences', 'workers'])) {
      numbers[name] = Number(values[name])
      if (!Number.isSafeInteger(numbers[name]) || numbers[name] < 0)
        throw new Error(`--${name} takes a whole number from 0 on.`)
    }
    if (values.steps !== 'same-turn' && values.steps !== 'all') throw new Error('--steps is same-turn or all.')
    if (!values.help && (positionals.length < 1 || positionals.length > 2))
      throw new Error('Name the folder of one build or of two.')
    const folders = [positionals[0] ?? '', positionals[1] ?? ROOT].map((folder) => path.resolve(folder))
    if (!values.help) for (const folder of folders) buildFiles(folder)
    readChanges(values.changes)
    return { ...values, ...numbers, folders }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nSee node scripts/differential.mjs --help.`)
    return undefined
  }
}

async function runHere(settings) {
  fixChanceAndTime()
  const builds = await Promise.all(settings.folders.map(loadBuild))
  return run(/** @type {any} */ (builds), settings)
}

/** Each process plays the programs after those of the one before it; the first also plays the recordings. */
async function runInWorkers({ programs, seed, steps, without, changes, recordings, differences, workers, folders }) {
  const started = performance.now()
  const share = Math.ceil(programs / workers)
  const reports = await Promise.all(
    Array.from({ length: workers }, async (_, at) => {
      const numbers = {
        programs: Math.max(0, Math.min(share, programs - at * share)),
        seed: seed + at * share,
        recordings: at === 0 ? recordings : 0,
        differences,
        workers: 1,
      }
      const flags = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)])
      const args = [
        fileURLToPath(import.meta.url),
        ...folders,
        ...flags,
        '--steps',
        steps,
        '--without',
        without,
        '--changes',
        changes,
        '--json',
      ]
      return JSON.parse(await outputOf(args))
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const sum = (name) => reports.reduce((total, report) => total + report[name], 0)
  const sums = Object.fromEntries(
    ['programs', 'calls', 'compared', 'refused', 'excluded', 'recordings', 'unread'].map((name) => [name, sum(name)]),
  )
  const found = reports.flatMap((report) => report.differences).slice(0, differences)
  return { ...reports[0], ...sums, programsPerSecond: Math.round(sums.programs / seconds), differences: found }
}

/** A child ends with 1 where it has found a difference. */
async function outputOf(args) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 })
    return stdout
  } catch (error) {
    const { code, stdout, stderr } = /** @type {any} */ (error)
    if (code === 1) return stdout
    throw new Error(`A worker has failed: ${stderr}`, { cause: error })
  }
}

async function run(builds, given) {
  const settings = { ...given, changes: readChanges(given.changes) }
  const counts = { programs: 0, calls: 0, compared: 0, refused: 0, excluded: 0, recordings: 0, unread: 0 }
  const started = performance.now()
  const differences = []
  const unshrunk = { programs: 0, calls: 0, compared: 0, refused: 0, excluded: 0 }
  for (let at = 0; at < settings.programs && differences.length < settings.differences; at++) {
    const program = drawProgram(settings.seed + at, settings.without.split(','), settings.changes)
    const found = await play(program, builds, settings, counts)
    if (found === undefined) continue
    const least = await shrink(program, found, (each) => play(each, builds, settings, unshrunk))
    differences.push({
      seed: program.seed,
      program: at + 1,
      steps: least.program.steps,
      options: program.options,
      ...cut(least.difference),
    })
  }
  const seconds = (performance.now() - started) / 1000
  if (differences.length < settings.differences) {
    const found = playRecordings(builds, settings, counts)
    differences.push(...found.slice(0, settings.differences - differences.length).map(cut))
  }
  return {
    before: settings.folders[0],
    after: settings.folders[1],
    ...counts,
    programsPerSecond: Math.round(counts.programs / seconds),
    steps: settings.steps,
    differences,
  }
}

/** Both values around the first character that differs. */
function cut({ where, before, after, calls }) {
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  const from = Math.max(0, at - SHOWN / 2)
  const part = (text) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN)}${text.length > from + SHOWN ? '…' : ''}`
  return { where, at, before: part(before), after: part(after), calls }
}

function print({
  differences,
  programs,
  calls,
  compared,
  refused,
  excluded,
  recordings,
  unread,
  programsPerSecond,
  steps,
}) {
  for (const { seed, where, at, before, after, calls, options } of differences) {
    console.log(`\nDifference${seed === undefined ? '' : ` in program ${seed}`}: ${where}, from character ${at} on.`)
    if (options !== undefined) console.log(`options  ${JSON.stringify(options)}`)
    for (const [number, call] of calls.entries())
      console.log(`${String(number + 1).padStart(6)}   ${call.slice(0, SHOWN)}`)
    console.log(`before   ${before}\nafter    ${after}`)
  }
  const left =
    steps === 'all' ? '' : ` ${excluded} requests were left out: a call and its result are in different turns.`
  console.log(
    `${programs} programs with ${calls} calls, ${recordings} recordings${unread === 0 ? '' : ` (${unread} others are in formats that this script does not read)`}; ${compared} values compared, ${refused} of them refusals; ${programsPerSecond} programs a second.${left}`,
  )
  console.log(
    differences.length === 0
      ? 'No difference.'
      : `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}.`,
  )
}
