// Every check that is not a test: format, lint, types, the packed package, dead code. `npm test` and `npm run check` call
// it after set-up and build. Tools start through node_modules, never npx, so nothing reaches for the network; a tool's
// output appears only when it fails. Names as arguments run only those checks: `node scripts/check.mjs lint types`.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
process.chdir(root)

const AT_ONCE = 2
const PACK_FOLDER = path.join(os.tmpdir(), `pact-check-${process.pid}`)
const colour = process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined

/**
 * One check. `needs` names a check that must have passed before; a needed check is earlier in the list, so two at a
 * time cannot wait for each other.
 * @typedef {{ name: string, what: string, needs?: string, run: () => Promise<{ ok: boolean, output: string }> }} Check
 */

/** @type {readonly Check[]} */
const CHECKS = [
  { name: 'pack', what: 'npm pack', run: pack },
  {
    name: 'lint',
    what: 'oxlint, type-aware',
    run: () => tool('oxlint', 'bin/oxlint', ['--type-aware', '--deny-warnings']),
  },
  {
    name: 'types',
    what: 'tsc --noEmit',
    run: types,
  },
  { name: 'format', what: 'oxfmt --check', run: () => tool('oxfmt', 'bin/oxfmt', ['--check']) },
  {
    name: 'exports',
    what: 'publint',
    needs: 'pack',
    run: () => tool('publint', 'src/cli.js', ['run', tarball(), '--strict']),
  },
  {
    name: 'typings',
    what: 'are the types wrong',
    needs: 'pack',
    run: () => tool('@arethetypeswrong/cli', 'dist/index.js', [tarball(), '--profile', 'esm-only', '--no-emoji']),
  },
  {
    name: 'unused',
    what: 'knip',
    run: () => tool('knip', 'bin/knip.js', ['--no-progress']),
  },
]

await main()

async function main() {
  const names = process.argv.slice(2)
  const unknown = names.filter((name) => !CHECKS.some((check) => check.name === name))
  if (unknown.length > 0) {
    console.error(
      `check: no check is called ${unknown.join(', ')}; there are ${CHECKS.map((check) => check.name).join(', ')}.`,
    )
    process.exit(1)
  }
  const wanted = new Set(names.length > 0 ? names : CHECKS.map((check) => check.name))
  for (const check of CHECKS) if (wanted.has(check.name) && check.needs !== undefined) wanted.add(check.needs)

  const started = performance.now()
  const failed = await runAll(CHECKS.filter((check) => wanted.has(check.name)))
  fs.rmSync(PACK_FOLDER, { recursive: true, force: true })
  const time = seconds(started)
  if (failed.length === 0) console.log(`check: all ${wanted.size} passed in ${time}`)
  else console.log(paint(31, `check: ${failed.length} of ${wanted.size} failed (${failed.join(', ')}) in ${time}`))
  process.exitCode = failed.length === 0 ? 0 : 1
}

/**
 * Runs the checks in their order, a few at a time, prints a line for each as it ends, and gives the names that failed.
 * @param {readonly Check[]} checks
 */
async function runAll(checks) {
  /** @type {string[]} */
  const failed = []
  /** @type {Map<string, Promise<boolean>>} */
  const results = new Map()
  let next = 0
  const worker = async () => {
    for (let check = checks[next++]; check !== undefined; check = checks[next++]) {
      const result = runOne(check, results.get(check.needs ?? ''))
      results.set(check.name, result)
      if (!(await result)) failed.push(check.name)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return failed
}

/**
 * @param {Check} check
 * @param {Promise<boolean> | undefined} needed
 */
async function runOne(check, needed) {
  const label = `${check.name.padEnd(8)} ${check.what.padEnd(20)}`
  if (needed !== undefined && !(await needed)) {
    console.log(`check: ${paint(31, 'fail')}  ${label} not run, since "${check.needs}" failed`)
    return false
  }
  const started = performance.now()
  const { ok, output } = await check.run().catch((error) => ({ ok: false, output: String(error?.stack ?? error) }))
  console.log(`check: ${ok ? paint(32, 'ok  ') : paint(31, 'fail')}  ${label} ${seconds(started)}`)
  if (!ok) console.log(`\n${output.trim() || '(it printed nothing)'}\n`)
  return ok
}

/** Packs what npm would publish, without running a script, so that the package checks see the real file list. */
async function pack() {
  if (!fs.existsSync('dist/index.js')) return { ok: false, output: 'dist/index.js is missing: run `npm run build`.' }
  fs.rmSync(PACK_FOLDER, { recursive: true, force: true })
  fs.mkdirSync(PACK_FOLDER, { recursive: true })
  const args = ['pack', '--ignore-scripts', '--pack-destination', PACK_FOLDER]
  // npm sets npm_execpath while it runs a script, so the npm that was called is the one that goes on.
  const own = process.env['npm_execpath']
  if (own !== undefined && /\.[cm]?js$/.test(own)) return run(process.execPath, [own, ...args])
  return process.platform === 'win32' ? run('npm.cmd', args, true) : run('npm', args)
}

/** The page has a browser's types, and everything else has none of them. */
async function types() {
  for (const project of ['tsconfig.json', 'src/inspector/tsconfig.json']) {
    const result = await tool('typescript7', 'bin/tsc', ['--noEmit', '-p', project, '--pretty', String(colour)])
    if (!result.ok) return result
  }
  return { ok: true, output: '' }
}

function tarball() {
  const file = fs.readdirSync(PACK_FOLDER).find((name) => name.endsWith('.tgz'))
  if (file === undefined) throw new Error(`npm pack left no .tgz in ${PACK_FOLDER}.`)
  return path.join(PACK_FOLDER, file)
}

/**
 * Starts a tool's own script with this Node.
 * @param {string} packageName
 * @param {string} script
 * @param {readonly string[]} args
 */
function tool(packageName, script, args) {
  return run(process.execPath, [path.join('node_modules', packageName, script), ...args])
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {boolean} [shell]
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function run(command, args, shell = false) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The tools see a pipe, so they get a flag for the terminal behind it.
      env: { ...process.env, ...(colour ? { FORCE_COLOR: '1' } : { NO_COLOR: '1', FORCE_COLOR: undefined }) },
    })
    /** @type {Buffer[]} */
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.on('error', (error) => resolve({ ok: false, output: `${command} did not start: ${error.message}` }))
    child.on('close', (code, signal) => {
      const note = signal === null ? '' : `\n${command} was ended by ${signal}.`
      resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8') + note })
    })
  })
}

/** @param {number} started */
function seconds(started) {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`
}

/**
 * @param {number} code
 * @param {string} text
 */
function paint(code, text) {
  return colour ? `\u001B[${code}m${text}\u001B[0m` : text
}
