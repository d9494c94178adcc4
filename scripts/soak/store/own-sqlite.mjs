// The contracts of databases and stores, the reopening law and the law of sharing once more, by a Node that has SQLite built in: the same files that
// `npm test` runs on the package with the binaries.

import { spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { broughtNode } from './other-node.mjs'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FILES = [
  'test/contract/rows.test.ts',
  'test/contract/store.test.ts',
  'test/stores/store-laws.test.ts',
  'test/stores/sharing-laws.test.ts',
  'src/store',
]
/** The driver that is opened by default, and its name for itself. */
const ASKED = `
  import { openDatabase } from ${JSON.stringify(new URL('../../../dist/store/sqlite/driver.js', import.meta.url).href)}
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const db = openDatabase(':memory:')
  const { version } = db.prepare('SELECT sqlite_version() AS version').get()
  console.log(JSON.stringify({ isOwn: db instanceof DatabaseSync, node: process.version, sqlite: version }))`

/**
 * @param {{ programs: number, seed: number }} settings how many programs each law plays
 */
export async function testOwnSqlite({ programs, seed }) {
  const { node, why } = await broughtNode()
  if (node === undefined) return { failures: [why ?? ''] }
  const asked = await run(node, ['--no-warnings', '--input-type=module', '-e', ASKED])
  const { isOwn, ...versions } = asked.code === 0 ? JSON.parse(asked.output) : { isOwn: false }
  if (isOwn !== true) return { failures: [`It is not the SQLite of Node that is opened: ${asked.output}`] }
  const env = { PACT_RUNS: String(programs), ...(seed === 1 ? {} : { PACT_SEED: String(seed) }) }
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', '--testTimeout=0', ...FILES]
  const { code, output } = await run(node, ['--no-warnings', ...vitest], env)
  const report = reportIn(output)
  const failed = report?.testResults.flatMap(failuresOf) ?? [output.slice(-2000)]
  const failures = code === 0 || failed.length > 0 ? failed : [output.slice(-2000)]
  return { ...versions, tests: report?.numPassedTests ?? 0, programs, failures }
}

/**
 * @typedef {{ name: string, assertionResults: readonly { status: string, fullName: string, failureMessages?: readonly string[] }[], message?: string }} TestFile
 * @param {TestFile} file
 */
function failuresOf({ name, assertionResults, message }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  if (failed.length === 0 && message) return [`${name}: ${message}`]
  return failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages?.[0] ?? ''}`)
}

/**
 * @param {string} output
 * @returns {{ numPassedTests: number, testResults: readonly TestFile[] } | undefined}
 */
function reportIn(output) {
  const line = output.split('\n').find((each) => each.startsWith('{"numTotal'))
  return line === undefined ? undefined : JSON.parse(line)
}

/**
 * @param {string} node
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(node, args, env = {}) {
  // Whatever starts `node` by its name in there starts this one.
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env['PATH'] ?? ''}`
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, {
      cwd: ROOT,
      env: { ...process.env, PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}
