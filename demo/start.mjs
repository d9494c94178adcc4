// @ts-check
// `npm start`: the first minute. It fills a store with recordings and a story, says what to try, and opens the inspector on the story until Ctrl-C.
// --no-open only prints the link, --no-serve leaves the inspector out. Any option of the tour, or --tour alone, plays that instead.

import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const given = process.argv.slice(2)
const STORY = 'demo-rail'
const isServed = !given.includes('--no-serve')
if (given.every((each) => each === '--no-serve' || each === '--no-open')) await begin()
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
  const { openStore } = await import('pact-context/store')
  const { addDemoStory } = await import('./story.mjs')
  const { addAgentStory } = await import('./agent-story.mjs')
  const { toAnthropic } = await import('pact-context/anthropic')
  const { toOpenAIChat } = await import('pact-context/openai')
  const store = await openStore(process.env['PACT_STORE'] || 'sqlite:.pact/contexts.db')
  await addAgentStory(store, 'demo-coding-agent', toAnthropic)
  await addDemoStory(store, STORY, toOpenAIChat)
  await store.close()
  console.log('\nnpm start -- --tour   a guided tour of one of them')
  if (!isServed) return
  console.log(`\nThe inspector, opened on ${STORY}; Ctrl K lists the others:`)
  const port = (await isFree(7878)) ? [] : ['--port', '0']
  const open = given.includes('--no-open') ? ['--at', STORY] : ['--at', STORY, '--open']
  process.exitCode = await main(['serve', ...port, ...open], process, door)
}

/** @param {number} port */
function isFree(port) {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
