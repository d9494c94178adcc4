// Contexts that a server has in use at once: 32 clients go round contexts of 100 turns, each opened before the clock starts. The
// peer is the same server with 32 contexts, so the ratio shows a cliff where contexts no longer stay open.

import http from 'node:http'

import { assertWork, interleave, line, say, timesAtMost } from '../harness.mjs'

const TURNS = 100
const CLIENTS = 32
const COUNTS = [32, 64, 128, 512]

export const rows = [{ title: 'contexts in use at once', run }]

async function run({ quick }) {
  const { createServer } = await import('../../dist/server/index.js')
  const { openStore } = await import('../../dist/store/index.js')
  const store = await openStore('memory:')
  say(`${COUNTS.at(-1)} contexts of ${TURNS} turns are made …`)
  for (let n = 0; n < COUNTS.at(-1); n++) await grow(store, `c${n}`)
  const server = createServer({ store, inspector: false })
  const listening = await server.listen()
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS })
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const ask = (path, body) => request(`${listening.url}/v1/contexts/${path}`, { agent, headers }, body)
  const base = new Map()
  for (let n = 0; n < COUNTS.at(-1); n++) base.set(n, JSON.parse(await ask(`c${n}`)).cycle)
  const read = (n) => ask(`c${n}/thread`)
  const commit = async (n) => {
    // The same block each time: contexts that are committed to more often must not become longer than others.
    const operations = [{ op: 'put', key: 'note', content: `After cycle ${base.get(n)}` }]
    const answer = JSON.parse(await ask(`c${n}/commit`, JSON.stringify({ base: base.get(n), operations })))
    base.set(n, answer.cycle)
  }
  const contenders = COUNTS.flatMap((count) => [
    [`read ${count}`, () => around(count, read, quick)],
    [`commit ${count}`, () => around(count, commit, quick)],
  ])
  const results = await interleave(Object.fromEntries(contenders), { rounds: 5, warmup: 1, share: 60_000 })
  agent.destroy()
  await listening.close()
  await store.close()
  return COUNTS.slice(1).flatMap((count) =>
    ['read', 'commit'].map((what) =>
      line({
        row: `${what === 'read' ? 'GET thread' : 'POST commit'}, ${count} contexts of ${TURNS} turns in use`,
        peer: 'the same with 32 contexts',
        theirs: results[`${what} 32`],
        ours: results[`${what} ${count}`],
        unit: 'ns',
        goal: timesAtMost(2),
      }),
    ),
  )
}

/**
 * Nanoseconds of CPU for each request, of the server and of its clients, at this many requests at once; no two of them ask for the same context. CPU, since
 * the clock would also count what other programs of the machine do meanwhile.
 */
async function around(count, work, quick) {
  const requests = quick ? 512 : 2048
  let next = 0
  const start = process.cpuUsage()
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = client; next++ < requests; n = (n + CLIENTS) % count) await work(n)
    }),
  )
  const { user, system } = process.cpuUsage(start)
  return ((user + system) * 1000) / requests
}

function request(url, options, body) {
  return new Promise((resolve, reject) => {
    const asked = http.request(url, { method: body === undefined ? 'GET' : 'POST', ...options }, (response) => {
      let text = ''
      response.on('data', (piece) => (text += piece))
      response.on('end', () => {
        assertWork(response.statusCode < 300, `the server answers (${response.statusCode})`)
        resolve(text)
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

async function grow(store, id) {
  const ctx = await store.open(id, { history: 1 })
  for (let turn = 0; turn < TURNS; turn++) {
    ctx.user(`Question ${turn}: how do I reset my password?`)
    ctx.assistant(`Answer ${turn}: open the settings, choose Security, and press Reset.`)
    await ctx.commit()
  }
}
