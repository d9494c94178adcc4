// @ts-check
// `npm start`: the first minute. Without options it fills a store with the recordings, says what to try, and serves the inspector on them until
// Ctrl-C; --no-serve leaves that out. Any option of the tour, or --tour alone, plays that instead.

import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const given = process.argv.slice(2)
const isServed = given.length === 0
if (isServed || (given.length === 1 && given[0] === '--no-serve')) await begin()
else {
  process.argv.splice(2, Infinity, ...given.filter((each) => each !== '--tour'))
  await import('./demo.mjs')
}

async function begin() {
  const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'conversations')
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.json'))
  process.env['PACT_PROGRAM'] = 'npx pctx'
  const { main, COMMANDS } = await import('../dist/cli/index.js')
  const recordings = files.map((file) => path.join(folder, file))
  const door = { version: '', specs: COMMANDS }
  process.exitCode = await main(['demo', ...recordings], process, door)
  if (process.exitCode !== 0) return
  console.log('\nnpm start -- --tour   a guided tour of one of them')
  if (!isServed) return
  console.log('\nThe inspector, with all of them:')
  process.exitCode = await main(['serve', ...((await isFree(7878)) ? [] : ['--port', '0'])], process, door)
}

/** @param {number} port */
function isFree(port) {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
