// `npm run bench:cost`: replays recorded conversations with each strategy and prints what it would have cost. Nothing is generated, and no network is
// used once the peers are installed. docs/cost.md explains the method.

import fs from 'node:fs'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'

import { installPeers } from '../peers.mjs'
import { measure, OURS, searchWith, strategiesWith } from './measure.mjs'
import { peerStrategies } from './peers.mjs'
import { readSets, sessionOf } from './sets.mjs'
import { setTable, costTable, withTables } from './table.mjs'
import { oursLoop, thoughtfulMessages } from './thoughts.mjs'

const HELP = `Usage: npm run bench:cost -- [options]

Replays recorded conversations with each strategy and prints one table for each set. PACT_DATA=folder adds the recordings of a folder.

  --only <text>  only strategies whose name contains the text
  --search       many settings of each strategy instead of those of the table
  --write        writes bench/cost/result.json and the tables in docs/cost.md, the short one in README.md
  --help         this text`

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    search: { type: 'boolean' },
    write: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (options.help) console.log(HELP)
else await main()

async function main() {
  installPeers()
  const peers = await peerStrategies(options.search)
  if (options.write && (peers.length < 5 || options.only !== undefined || options.search)) {
    process.stderr.write(
      'bench:cost: --write needs the strategies of the table; without --only and --search, and with the peers installed.\n',
    )
    process.exitCode = 1
    return
  }
  const strategies = (options.search ? searchWith : strategiesWith)(peers).filter(({ name }) =>
    name.includes(options.only ?? ''),
  )
  const sets = []
  for (const set of readSets(options.write ? '' : undefined)) {
    const rows = []
    for (const strategy of strategies) {
      process.stderr.write(`bench:cost: ${set.name}, ${strategy.name} …\n`)
      rows.push({ strategy: strategy.name, ...rounded(await measure(set.sessions, strategy)) })
    }
    sets.push({ ...aboutSet(set), requests: rows[0]?.requests ?? 0, rows })
  }
  const thoughts = await measureThoughts(strategies)
  const result = { ...aboutRun(), sets, thoughts }
  for (const set of sets) console.log(`\n${set.name}\n\n${setTable(set, thoughts)}`)
  console.log(`\nCost on all sets, and ids still there\n\n${costTable(result)}`)
  if (options.write) write(result)
}

/** The session with a thought in every reply, at half of its tokens. */
async function measureThoughts(strategies) {
  const messages = thoughtfulMessages()
  const session = sessionOf({ id: 'thoughts', messages }, 0.5)
  session.sources = new Map(session.conversation.map((message, i) => [message, messages[i]]))
  const loops = new Map(OURS.map(({ name, policy, compaction }) => [name, oursLoop(name, policy, compaction)]))
  const rows = []
  for (const { name, ...strategy } of strategies) {
    const { requests, stale } = await measure([session], loops.get(name) ?? { name, ...strategy })
    rows.push({ strategy: name, requests, stale })
  }
  return { messages: messages.length, rows }
}

function aboutSet({ name, file, share, sessions }) {
  const sum = (of) => sessions.reduce((total, session) => total + of(session), 0)
  const messages = sum(({ conversation }) => conversation.length)
  const tokens = sum(({ total }) => total)
  return {
    name,
    file,
    share,
    conversations: sessions.length,
    messages,
    tokens,
    budget: (tokens * share) / sessions.length,
  }
}

function aboutRun() {
  const require = createRequire(new URL('../package.json', import.meta.url))
  const own = JSON.parse(fs.readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const versionOf = (name) => {
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
    return JSON.parse(fs.readFileSync(fs.existsSync(file) ? file : require.resolve(`${name}/package.json`), 'utf8'))
      .version
  }
  const versions = { [own.name]: own.version, '@langchain/core': versionOf('@langchain/core'), ai: versionOf('ai') }
  versions['gpt-tokenizer'] = own.devDependencies['gpt-tokenizer']
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    versions,
    tokenizer: 'o200k',
    rules: 'claude-5m',
    summaries: 'a tenth of what they stand for, at most 1,500 tokens',
  }
}

function rounded(sum) {
  return Object.fromEntries(Object.entries(sum).map(([key, value]) => [key, Math.round(value)]))
}

function write(result) {
  fs.writeFileSync(new URL('result.json', import.meta.url), `${JSON.stringify(result, undefined, 2)}\n`)
  for (const [name, isShort] of [
    ['../../docs/cost.md', false],
    ['../../README.md', true],
  ]) {
    const file = new URL(name, import.meta.url)
    fs.writeFileSync(file, withTables(fs.readFileSync(file, 'utf8'), result, isShort))
  }
}
