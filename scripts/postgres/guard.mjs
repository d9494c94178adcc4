// Runs a server for the process that started this one: it ends with it, however that ends, and its folder goes as well. Where the
// server ends by itself, or is killed by a test, this goes on and waits: `start` on its input starts it again.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import readline from 'node:readline'

/** @type {{ cmd: string, args: string[], ids: { uid?: number, gid?: number }, dir: string }} */
const { cmd, args, ids, dir } = JSON.parse(process.argv[2] ?? '{}')
/** @type {{ server?: import('node:child_process').ChildProcess }} */
const held = {}
let isEnding = false

function start() {
  const started = spawn(cmd, args, { ...ids, cwd: dir, stdio: ['ignore', 'inherit', 'inherit'] })
  held.server = started
  started.on('error', (error) => {
    console.error(error.message)
    process.exit(1)
  })
  started.on('exit', () => {
    delete held.server
    console.error('guard: the server has ended')
    if (isEnding) leave()
  })
}

function end() {
  if (isEnding) return
  isEnding = true
  if (held.server === undefined) return leave()
  // A fast shutdown.
  held.server.kill('SIGINT')
  setTimeout(() => held.server?.kill('SIGKILL'), 5000).unref()
}

function leave() {
  fs.rmSync(dir, { recursive: true, force: true })
  process.exit(0)
}

const COMMANDS = {
  start: () => start(),
  // At once, as after a loss of power: nothing is written any more, and the next start recovers.
  stop: () => held.server?.kill('SIGQUIT'),
}

const input = readline.createInterface({ input: process.stdin })
input.on('line', (line) => COMMANDS[/** @type {keyof typeof COMMANDS} */ (line)]?.())
input.on('close', end)
process.stdin.on('error', end)
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, end)
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)
start()
