// The documentation site, from a clone to static files: `npm run site`. What it needs is installed in site/, apart from the package.
//   npm run site                 builds; prints where the result is
//   npm run site -- --serve      builds, and serves it on 127.0.0.1 (--port 4173)
//   npm run site -- --test       builds, and tests it in a browser
//   npm run site -- --base /x/   for a site that is not at the root of its host

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SITE = path.join(ROOT, 'site')

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    test: { type: 'boolean', default: false },
    port: { type: 'string', default: '4173' },
    base: { type: 'string', default: '/' },
  },
})
if (!/^\/(?:.*\/)?$/.test(values.base)) {
  console.error(`site: --base begins and ends with a slash, unlike ${values.base}.`)
  process.exit(1)
}

timed('install', install)
timed('build', () => node(SITE, path.join(SITE, 'build/main.mjs')))
if (values.test) {
  const tests = ['node_modules/vitest/vitest.mjs', 'run', '--config', path.join(SITE, 'test/vitest.config.ts')]
  timed('test', () => node(ROOT, ...tests))
}
if (values.serve)
  node(SITE, 'node_modules/vitepress/bin/vitepress.js', 'serve', '.', '--port', values.port, '--base', values.base)

/** Installs what the lockfile names, unless that is what is there. */
function install() {
  const lock = fs.readFileSync(path.join(SITE, 'package-lock.json'))
  const key = createHash('sha256').update(lock).update(process.version).digest('hex')
  const stamp = path.join(SITE, 'node_modules/.setup-stamp')
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === key) return
  const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const npm = process.env['npm_execpath']
  if (npm !== undefined && /\.[cm]?js$/.test(npm)) node(SITE, npm, ...args)
  else run(SITE, 'npm', args)
  fs.writeFileSync(stamp, key)
}

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 */
function node(cwd, ...args) {
  run(cwd, process.execPath, args)
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(cwd, command, args) {
  const shell = process.platform === 'win32' && command === 'npm'
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    shell,
    env: { ...process.env, SITE_BASE: values.base },
  })
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * @param {string} name
 * @param {() => void} work
 */
function timed(name, work) {
  const start = performance.now()
  work()
  console.log(`site: ${name} ${((performance.now() - start) / 1000).toFixed(1)} s`)
}
