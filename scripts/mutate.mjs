// Mutation testing of the rooms that change and compare trees: plants faults one at a time in a copy of the working tree,
// runs the tests of the room and says which faults no test noticed. Never part of `npm test`: it takes many minutes.
//
//   node scripts/mutate.mjs --count 240 --out mutants.json     faults spread over all files of the rooms below
//   node scripts/mutate.mjs --rooms edit,diff --seed 7         other rooms, other faults; --list shows them only
//   node scripts/mutate.mjs --only src/edit/choose-offset.ts:34        those of files, lines or columns (a,b,c), e.g. survivors again
//
// --without test/conformance/golden,test/docs/demo leaves test files out, --jobs 1 runs one fault at a time, --cap 60 gives up after a minute.

import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { apply, mutantsOf, parses, spread } from './mutants.mjs'

/** @typedef {import('./mutants.mjs').Mutant} Mutant */
/** @typedef {Mutant & { status: 'killed' | 'timeout' | 'survived', by: string, seconds: number }} Outcome */

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const FOLDER = path.join(os.tmpdir(), `pact-mutate-${process.pid}`)

/**
 * The tests of a room that are outside its folder, in stages: a fault that one stage notices goes no further, so the
 * quickest come first.
 * @type {Readonly<Record<string, readonly (readonly string[])[]>>}
 */
const STAGES = {
  edit: [
    ['test/conformance/editing', 'test/laws/editing-corners', 'test/laws/editing-imports'],
    ['test/laws/editing-laws-1.0', 'test/laws/editing-twin'],
    ['test/conformance/02-', 'test/conformance/03-', 'test/laws/operations', 'test/laws/forget'],
  ],
  commit: [
    [
      'test/laws/lifecycle',
      'test/conformance/03-',
      'test/conformance/editing-cadence',
      'test/conformance/editing-stand-ins',
    ],
    ['test/laws/orphan-laws', 'test/laws/editing-laws-1.0', 'test/conformance/07-'],
    ['test/conformance/02-'],
  ],
  context: [
    [
      'test/conformance/05-snapshots',
      'test/conformance/06-',
      'test/conformance/editing-calls',
      'test/conformance/1.0-',
    ],
    ['test/conformance/03-', 'test/conformance/04-', 'test/conformance/editing-causes', 'test/laws/editing-laws-1.0'],
    [
      'test/laws/life-laws',
      'test/laws/json',
      'test/laws/equality',
      'test/laws/callers',
      'test/laws/selector-readings',
      'test/laws/memory',
    ],
  ],
  diff: [
    ['test/conformance/05-diffs', 'test/conformance/04-ranges', 'test/conformance/editing-causes'],
    ['test/laws/diff-laws', 'test/conformance/golden'],
  ],
  attempts: [['test/laws/json', 'test/laws/equality', 'test/laws/callers', 'test/laws/memory'], ['test/laws/forget']],
  reports: [['test/conformance/05-', 'test/conformance/editing-causes'], ['test/laws/life-laws']],
}

/** Generated programs are few here, and a failing one is not made smaller. */
const ENV = {
  ...process.env,
  PACT_RUNS: '10',
  PACT_PAIRS: '200',
  PACT_SHRINK: 'no',
  NO_COLOR: '1',
  FORCE_COLOR: undefined,
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '240' },
    rooms: { type: 'string', default: Object.keys(STAGES).join(',') },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    without: { type: 'string' },
    list: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    cap: { type: 'string', default: '60' },
    out: { type: 'string' },
  },
})

/**
 * Seconds that test files take without a fault.
 * @type {Map<string, number>}
 */
const usual = new Map()

await main()

async function main() {
  const rooms = values.rooms.split(',')
  const unknown = rooms.filter((room) => STAGES[room] === undefined)
  if (unknown.length > 0) {
    console.error(`mutate: no room is called ${unknown.join(', ')}; there are ${Object.keys(STAGES).join(', ')}.`)
    process.exit(1)
  }
  const mutants = chosen(rooms)
  if (values.list || mutants.length === 0) {
    for (const mutant of mutants) console.log(described(mutant))
    console.log(`mutate: ${mutants.length} mutants`)
    return
  }
  try {
    const outcomes = await runAll(mutants, rooms)
    report(outcomes)
  } finally {
    fs.rmSync(FOLDER, { recursive: true, force: true })
  }
}

/** @param {readonly string[]} rooms */
function chosen(rooms) {
  const files = rooms.flatMap((room) => filesIn(`src/${room}`).filter((file) => !file.endsWith('.test.ts')))
  const all = mutantsOf(ROOT, files)
  const { only } = values
  if (only === undefined) return spread(all, Number(values.count), Number(values.seed), isSound)
  const places = only.split(',').map((place) => `${place}:`)
  const isMeant = (/** @type {Mutant} */ mutant) => startsWithAny(`${placeOf(mutant)}:`, places)
  return all.flat().filter((mutant) => isMeant(mutant) && isSound(mutant))
}

/** @param {Mutant} mutant */
function isSound(mutant) {
  return parses(fs.readFileSync(path.join(ROOT, mutant.file), 'utf8'), mutant)
}

/** @param {string} folder */
function filesIn(folder) {
  return fs
    .readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
}

/**
 * @param {readonly Mutant[]} mutants
 * @param {readonly string[]} rooms
 */
async function runAll(mutants, rooms) {
  const copies = Array.from({ length: Math.min(2, Number(values.jobs), mutants.length) }, (_, i) => copyTree(`${i}`))
  // Tests that fail without a fault would prove nothing; and what they take without one tells how long is too long.
  for (const room of rooms) {
    for (const stage of stagesOf(room)) {
      const { status, seconds, output } = await test(copies[0], stage)
      if (status !== 'survived') throw new Error(`The tests of ${room} fail without a fault (${status}):\n${output}`)
      usual.set(stage.join(), seconds)
      console.log(`mutate: ${room}, ${stage.length} test files: ${seconds.toFixed(1)} s without a fault`)
    }
  }
  /** @type {Outcome[]} */
  const outcomes = []
  let next = 0
  /** @param {string} copy */
  const worker = async (copy) => {
    for (let mutant = mutants[next++]; mutant !== undefined; mutant = mutants[next++]) {
      const outcome = await runOne(copy, mutant)
      outcomes.push(outcome)
      const { status, by, seconds } = outcome
      const progress = `${outcomes.length}/${mutants.length}`.padStart(9)
      console.log(`${progress} ${status.padEnd(8)} ${described(mutant)} (${by}, ${seconds.toFixed(1)} s)`)
      write(outcomes)
    }
  }
  await Promise.all(copies.map(worker))
  return outcomes
}

/**
 * @param {string} copy
 * @param {Mutant} mutant
 * @returns {Promise<Outcome>}
 */
async function runOne(copy, mutant) {
  const file = path.join(copy, mutant.file)
  const source = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, apply(source, mutant))
  try {
    let seconds = 0
    for (const stage of stagesOf(roomOf(mutant))) {
      const result = await test(copy, stage)
      seconds += result.seconds
      if (result.status !== 'survived') return { ...mutant, status: result.status, by: result.by, seconds }
    }
    return { ...mutant, status: 'survived', by: 'no test', seconds }
  } finally {
    fs.writeFileSync(file, source)
  }
}

/**
 * The lists of test files of a room: its own, then those of each stage.
 * @param {string} room
 * @returns {readonly (readonly string[])[]}
 */
function stagesOf(room) {
  const own = filesIn(`src/${room}`).filter((file) => file.endsWith('.test.ts'))
  const others = ['conformance', 'laws', 'providers', 'stores']
    .flatMap((folder) => filesIn(`test/${folder}`))
    .filter((file) => file.endsWith('.test.ts'))
  const stages = STAGES[room] ?? []
  const without = values.without?.split(',') ?? []
  return [own, ...stages.map((starts) => others.filter((file) => startsWithAny(file, starts)))]
    .map((files) => files.filter((file) => !startsWithAny(file, without)))
    .filter((files) => files.length > 0)
}

/**
 * @param {string} file
 * @param {readonly string[]} starts
 */
function startsWithAny(file, starts) {
  return starts.some((start) => file.startsWith(start))
}

/**
 * Runs test files in a copy, until the first one fails.
 * @param {string} copy
 * @param {readonly string[]} files
 * @returns {Promise<{ status: Outcome['status'], by: string, seconds: number, output: string }>}
 */
function test(copy, files) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--config', 'mutate.config.ts', '--bail', '1', '--reporter', 'dot', ...files]
    const child = spawn(process.execPath, args, {
      cwd: copy,
      env: ENV,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    let isLate = false
    const timer = setTimeout(
      () => {
        isLate = true
        end(child.pid)
      },
      limitOf(files) * 1000,
    )
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      const by = /FAIL\s+(?<test>\S+\.test\.ts)/.exec(output)?.groups?.['test'] ?? files[0] ?? ''
      const status = isLate ? 'timeout' : code === 0 ? 'survived' : 'killed'
      resolve({ status, by, seconds: (performance.now() - started) / 1000, output })
    })
  })
}

/**
 * After how many seconds test files are given up: the cap, or three times as long as they take without a fault.
 * @param {readonly string[]} files
 */
function limitOf(files) {
  const seconds = usual.get(files.join())
  return seconds === undefined ? 600 : Math.max(Number(values.cap), 3 * seconds)
}

/**
 * Ends a process that this script started, with its own children: it leads their group.
 * @param {number | undefined} pid
 */
function end(pid) {
  if (pid === undefined) return
  if (process.platform === 'win32') execFileSync('taskkill', ['/pid', String(pid), '/t', '/f'])
  else process.kill(-pid, 'SIGKILL')
}

/**
 * A copy of the working tree, so that the tree itself is never touched; what is installed is linked.
 * @param {string} name
 */
function copyTree(name) {
  const copy = path.join(FOLDER, name)
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' })
  for (const file of listed.split('\0')) {
    // Listed may be what was deleted, and what is linked.
    const isFile = file !== '' && fs.statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.isFile() === true
    if (!isFile || file.startsWith('bench/')) continue
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
    fs.copyFileSync(path.join(ROOT, file), path.join(copy, file))
  }
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'), 'junction')
  // One worker for each copy, and what was transformed is kept from run to run.
  fs.writeFileSync(
    path.join(copy, 'mutate.config.ts'),
    `import { mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'
const cache = ${JSON.stringify(path.join(copy, '.cache'))}
export default mergeConfig(base, {
  cacheDir: cache,
  test: { maxWorkers: 1, isolate: false, experimental: { fsModuleCache: true, fsModuleCachePath: cache + '/modules' } },
})
`,
  )
  return copy
}

/** @param {readonly Outcome[]} outcomes */
function report(outcomes) {
  const survivors = outcomes.filter(({ status }) => status === 'survived').sort(byPlace)
  if (survivors.length > 0) console.log('\nSurvived:')
  for (const mutant of survivors) {
    const source = fs.readFileSync(path.join(ROOT, mutant.file), 'utf8')
    console.log(`  ${described(mutant)}\n    ${source.split('\n')[mutant.line - 1]?.trim()}`)
  }
  console.log('')
  for (const room of new Set(outcomes.map(roomOf))) {
    console.log(`mutate: ${room.padEnd(8)} ${scoreOf(outcomes.filter((each) => roomOf(each) === room))}`)
  }
  console.log(`mutate: all      ${scoreOf(outcomes)}`)
  write(outcomes)
}

/** @param {readonly Outcome[]} outcomes */
function scoreOf(outcomes) {
  const killed = outcomes.filter(({ status }) => status !== 'survived').length
  const late = outcomes.filter(({ status }) => status === 'timeout').length
  return `${killed} of ${outcomes.length} killed (${late} by the cap), ${((100 * killed) / outcomes.length).toFixed(1)} %`
}

/** @param {readonly Outcome[]} outcomes */
function write(outcomes) {
  if (values.out === undefined) return
  const sorted = [...outcomes].sort(byPlace)
  const { count, seed, rooms, only } = values
  fs.writeFileSync(values.out, `${JSON.stringify({ count, seed, rooms, only, outcomes: sorted }, null, 2)}\n`)
}

/**
 * @param {Mutant} a
 * @param {Mutant} b
 */
function byPlace(a, b) {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start || (a.text < b.text ? -1 : 1)
}

/** @param {Mutant} mutant */
function roomOf({ file }) {
  return file.split('/')[1] ?? ''
}

/** @param {Mutant} mutant */
function placeOf({ file, line, column }) {
  return `${file}:${line}:${column}`
}

/** @param {Mutant} mutant */
function described(mutant) {
  const short = (/** @type {string} */ text) => {
    const flat = text.replaceAll(/\s+/g, ' ').trim()
    return flat.length > 60 ? `${flat.slice(0, 57)}…` : flat
  }
  return `${placeOf(mutant)} ${mutant.kind}: ${short(mutant.before) || '∅'} → ${short(mutant.text) || '∅'}`
}
