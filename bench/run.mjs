// `npm run bench`: installs the peers, runs each row in a fresh process with room to grow and a callable collector, and
// prints one table. The goals are those of PERFORMANCE.md; a row that misses its goal says so and fails nothing.

import { fork } from 'node:child_process'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { formatFigure, formatNumber } from './harness.mjs'
import { installPeers } from './peers.mjs'
import { GROUPS } from './rows/index.mjs'

const ROW_LIMIT_MS = 300_000
const HELP = `Usage: npm run bench -- [options]

Measures pact-context and its peers side by side and prints one line per comparison:
row, peer, the peer's figure, ours, the ratio, the goal, and whether it is met.

  --only <text>  only rows whose name contains the text (repeatable)
  --quick        fewer samples: under 90 seconds, wider spread
  --json         figures and samples as JSON instead of the table
  --help         this text

Figures are medians with half the interquartile range; where calls are timed one by one, their mean is beside it. Only ratios inside one run mean anything.
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
  if (options.json) console.log(JSON.stringify({ machine: machine(), quick: options.quick, lines, failures }, null, 2))
  else printTable(lines)
  for (const { row, error } of failures) process.stderr.write(`bench: "${row}" failed.\n${error}\n`)
  return failures.length === 0 ? 0 : 1
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: [] },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
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
  return rows.map(({ title }, index) => ({ group, index, title }))
}

function isWanted({ group, title }) {
  const name = `${group}: ${title}`.toLowerCase()
  return options.only.length === 0 || options.only.some((text) => name.includes(text.toLowerCase()))
}

function runRow({ group, index }) {
  return new Promise((resolve) => {
    const child = fork(
      fileURLToPath(new URL('row.mjs', import.meta.url)),
      [group, String(index), options.quick ? 'quick' : 'full'],
      { execArgv: ['--expose-gc', '--max-old-space-size=12288'], stdio: ['ignore', 2, 2, 'ipc'] },
    )
    const limit = setTimeout(() => child.kill('SIGKILL'), ROW_LIMIT_MS)
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

function printTable(lines) {
  const head = ['row', 'peer', 'peer figure', 'ours', 'ratio', 'goal', 'met']
  const body = lines.map(({ row, peer, theirs, ours, unit, ratio, goal, met, note }) => [
    row,
    peer ?? '–',
    theirs === undefined ? (note ?? '–') : withSpread(theirs, unit),
    ours === undefined ? '–' : withSpread(ours, unit),
    ratio === undefined ? '–' : `${formatNumber(ratio)}×`,
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
    `\nNode ${node}, ${platform}, ${cores} × ${cpu}${options.quick ? '; quick' : ''}. ± is half the middle half.`,
  )
}

function withSpread({ median, spread, samples, mean }, unit) {
  const figure = formatFigure(median, unit)
  if (samples < 2) return figure
  const average = mean === undefined ? '' : ` (mean ${formatFigure(mean, unit)})`
  return `${figure} ±${Math.round((spread / median) * 100)}%${average}`
}
