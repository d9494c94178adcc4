// Runs the suites of test/node22, whose packages need Node 22: on this Node if it is new enough, else on one from the registry (see other-node.mjs).
// Installs the folder's packages first. Arguments go to vitest.

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { broughtNode } from './soak/store/other-node.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = path.join(ROOT, 'test/node22')

const { node, why } =
  Number(process.versions.node.split('.')[0]) >= 22 ? { node: process.execPath, why: '' } : await broughtNode()
if (node === undefined) {
  console.error(`node22: ${why}`)
  process.exit(1)
}
console.log(`node22: Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`)
const install = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
// npm checks `engines` against the Node that runs it.
const npm = process.env['npm_execpath']
if (npm !== undefined && /\.[cm]?js$/.test(npm)) run(node, [npm, ...install], FOLDER)
else run('npm', install, FOLDER)
run(node, ['node_modules/typescript7/bin/tsc', '--noEmit', '-p', FOLDER], ROOT)
run(
  node,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    path.join(FOLDER, 'vitest.config.ts'),
    ...process.argv.slice(2),
  ],
  ROOT,
)

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (status !== 0) process.exit(status ?? 1)
}
