// Everything a clean clone needs before `npm start`, `npm test`, `npm run bench` or `npm pack`: dependencies that match the
// lockfile, and a build that matches the sources. Uses only Node itself, because nothing else is there yet. npm runs it with
// `--pack` before it packs, and with `--prepublish` after an install in a clone and before it packs a git dependency. (`prepare` would do the same, but npm
// asks users of the package to approve it.)

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { buildKeys, isBuilt } from './build-stamp.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
process.chdir(root)

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`pact-context needs Node 20.19 or later; this is ${process.version}.`)
  process.exit(1)
}

/** The files of dist/ that belong to the page. */
const PAGE = ['inspector', '.stamp-inspector']
/** Says from which lockfile node_modules was made. */
const STAMP = 'node_modules/.setup-stamp'

if (process.argv.includes('--prepublish')) prepublish()
else if (process.argv.includes('--pack')) pack()
else {
  install()
  if (process.argv.includes('--build')) build()
}

/** Builds where there is no build at all: a git dependency needs one, and no later install should wait for another. */
function prepublish() {
  // npm has just installed everything, so the first script need not do it again.
  if (hasCompiler() && ['install', 'ci'].includes(process.env['npm_command'] ?? ''))
    fs.writeFileSync(STAMP, installKey())
  if (fs.existsSync('dist/index.js')) return
  if (hasCompiler()) build()
  else console.error('setup: nothing is built, since the install left out the development dependencies.')
}

/** The package is built from the sources as they are, also if something else was built by hand before. */
function pack() {
  if (!hasCompiler()) install()
  fs.rmSync('dist', { recursive: true, force: true })
  build()
}

function hasCompiler() {
  return fs.existsSync('node_modules/typescript7')
}

/** Installs when node_modules is missing or was made from another lockfile, Node major or platform. */
function install() {
  const key = installKey()
  if (readText(STAMP) === key) return
  // On stderr, since `npm pack` may be asked for JSON on stdout.
  console.error('setup: installing dependencies (npm ci) …')
  // --include=dev: NODE_ENV=production must not drop the tools the scripts need. --ignore-scripts: no dependency needs one,
  // and our own `prepublish` would build what is built right after.
  runNpm(['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'])
  fs.writeFileSync(STAMP, key)
}

function installKey() {
  return createHash('sha256')
    .update(fs.readFileSync('package-lock.json'))
    .update(`${major}-${process.platform}-${process.arch}`)
    .digest('hex')
}

/** Builds what was not made from the sources as they are; by content, since a clone has no useful times. */
function build() {
  const { library, page } = buildKeys()
  make(library, () => {
    // The page has a build and a stamp of its own.
    for (const name of fs.existsSync('dist') ? fs.readdirSync('dist') : []) {
      if (!PAGE.includes(name)) fs.rmSync(path.join('dist', name), { recursive: true, force: true })
    }
    runNpm(['run', '--silent', 'compile'])
  })
  make(page, () => runNpm(['run', '--silent', 'build:inspector']))
}

/** Does some work unless it was done for the same files with the same contents. */
function make(build, work) {
  if (isBuilt(build)) return
  fs.rmSync(build.stamp, { force: true })
  work()
  fs.writeFileSync(build.stamp, build.key)
}

function readText(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

function runNpm(command) {
  // An outer `npm pack --dry-run` or `npm install --global` hands its options down, and would keep this one from working.
  const args = [...command, '--no-dry-run', '--no-global']
  // npm sets npm_execpath while it runs a script, so the npm that was called is the one that goes on.
  const own = process.env['npm_execpath']
  const windows = process.platform === 'win32'
  const viaNode = own !== undefined && /\.[cm]?js$/.test(own)
  const result = spawnSync(viaNode ? process.execPath : windows ? 'npm.cmd' : 'npm', viaNode ? [own, ...args] : args, {
    stdio: ['inherit', process.stderr, 'inherit'],
    shell: !viaNode && windows,
  })
  if (result.status !== 0) process.exit(result.status ?? 1)
}
