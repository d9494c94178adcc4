// `npm run bench`: installs the peers, runs each row in a fresh process with room to grow and a callable collector, and
// prints one table. Each row declares its goal; a row that misses its goal says so and fails nothing.

import { fork } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { formatFigure, formatNumber } from './harness.mjs'
import { installPeers } from './peers.mjs'
import { GROUPS } from './rows/index.mjs'

const ROW_LIMIT_MS = 900_000
const HELP = `Usage: npm run bench -- [options]

Measures pact-context and its peers side by side and prints one line per comparison:
row, peer, our mean, our p99, the peer's mean, the ratio, the goal, and whether it is reached.

  --only <text>  only rows whose name contains the text (repeatable)
  --quick        fewer samples, and fewer contexts of a million nodes: some minutes, wider spread
  --json <file>  writes the figures as JSON as well, one line per comparison
  --help         this text

A mean is that of a batch of calls, the collector's work included: of several batches the median, with half the
interquartile range. A p99 is there where calls are timed one by one. A ratio says how many times faster ours is, or,
where the goal is "at most" (≤ n×), how many times the peer's figure ours is; fewer than five batches give none. Only
ratios inside one run mean anything.
Progress goes to stderr. The exit code is 1 only when a row could not be measured.`

const options = readOptions()
if (options.help) {
  console.log(HELP)
} else {
  process.exitCode = await main()
}

async function main() {
  if (!installPeers()) process.stderr.write('bench: the peers could not be installed; their columns stay empty.\n')
  const rows = (await Promise.all(Object.entries(GROUPS).map(readGroup))).flat().filter(isWanted)
  if (rows.length === 0) {
    process.stderr.write('bench: no row has such a name; --help says more.\n')
    return 1
  }
  const lines = []
  const failures = []
  for (const row of rows) {
    process.stderr.write(`bench: ${row.title} …\n`)
    const start = performance.now()
    const answer = await runRow(row)
    process.stderr.write(`  ${formatNumber((performance.now() - start) / 1000)} s\n`)
    if (answer.error === undefined) lines.push(...answer.lines)
    else failures.push({ row: row.title, error: answer.error })
  }
  printTable(lines)
  if (options.json !== undefined) writeJson(options.json, lines, failures)
  for (const { row, error } of failures) process.stderr.write(`bench: "${row}" failed.\n${error}\n`)
  return failures.length === 0 ? 0 : 1
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: [] },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return values
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n`)
    process.exit(1)
  }
}

async function readGroup([group, load]) {
  const { rows } = await load()
  return rows.map(({ title, limitMs = ROW_LIMIT_MS }, index) => ({ group, index, title, limitMs }))
}

function isWanted({ group, title }) {
  const name = `${group}: ${title}`.toLowerCase()
  return options.only.length === 0 || options.only.some((text) => name.includes(text.toLowerCase()))
}

function runRow({ group, index, limitMs }) {
  return new Promise((resolve) => {
    const child = fork(
      fileURLToPath(new URL('row.mjs', import.meta.url)),
      [group, String(index), options.quick ? 'quick' : 'full'],
      { execArgv: ['--expose-gc', '--max-old-space-size=12288'], stdio: ['ignore', 2, 2, 'ipc'] },
    )
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs)
    child.on('message', resolve)
    child.on('exit', (code, signal) => {
      clearTimeout(limit)
      // After a message this changes nothing: a promise settles once.
      resolve({ error: `The row's process ended early (${signal ?? code}).` })
    })
  })
}

function machine() {
  const cpus = os.cpus()
  return { node: process.version, platform: `${os.platform()} ${os.arch()}`, cpu: cpus[0]?.model, cores: cpus.length }
}

/** Compact, and still one line per comparison, so that two runs can be compared by eye. */
function writeJson(file, lines, failures) {
  const { quick } = options
  const body = lines.map((each) => JSON.stringify(each)).join(',\n')
  const head = `"machine":${JSON.stringify(machine())},"quick":${quick},"failures":${JSON.stringify(failures)}`
  fs.writeFileSync(file, `{${head},"lines":[\n${body}\n]}\n`)
}

function printTable(lines) {
  const head = ['row', 'peer', 'our mean', 'p99', "peer's mean", 'ratio', 'goal', 'reached']
  const body = lines.map(({ row, peer, theirs, ours, unit, ratio, goal, met, note }) => [
    row,
    peer ?? '–',
    ours === undefined ? (note ?? '–') : withSpread(ours, unit),
    ours?.p99 === undefined ? '–' : formatFigure(ours.p99, unit),
    theirs === undefined ? (ours === undefined ? '–' : (note ?? '–')) : withSpread(theirs, unit),
    ratio === undefined ? (theirs === undefined ? '–' : (note ?? '–')) : `${formatNumber(ratio)}×`,
    goal ?? '–',
    met === undefined ? '–' : met ? 'yes' : 'NO',
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...body.map((cells) => cells[column].length)))
  const print = (cells) =>
    console.log(
      cells
        .map((cell, i) => cell.padEnd(widths[i]))
        .join(' | ')
        .trimEnd(),
    )
  print(head)
  console.log(widths.map((width) => '-'.repeat(width)).join('-|-'))
  body.forEach(print)
  const { node, platform, cpu, cores } = machine()
  console.log(
    `\nNode ${node}, ${platform}, ${cores} × ${cpu}${options.quick ? '; quick' : ''}. ± is half the middle half of the batches.`,
  )
}

function withSpread({ mean, spread, samples }, unit) {
  const figure = formatFigure(mean, unit)
  return samples < 2 ? figure : `${figure} ±${Math.round((spread / mean) * 100)}%`
}
