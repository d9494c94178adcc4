// The HTTP API under load, beside a bare Hono route in the same process and the same run: what a request costs beyond HTTP itself. The
// peer answers the same bytes, and does nothing for them.

import { createServer as createHttpServer } from 'node:http'

import { getRequestListener } from '@hono/node-server'
import autocannon from 'autocannon'
import { Hono } from 'hono'

import { assertWork, interleave, line, say } from '../harness.mjs'

const TURNS = 200
const CONNECTIONS = 8
const SELECTOR = "@t0 ^seq .seg:depth(1) .block[role='user']"

export const rows = [{ title: 'requests over HTTP', run }]

async function run({ quick }) {
  const { createServer } = await import('../../dist/server/index.js')
  const { openStore } = await import('../../dist/store/index.js')
  const store = await openStore('memory:')
  await grow(store)
  const server = createServer({ store, inspector: false })
  const listening = await server.listen()
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const thread = await (await fetch(`${listening.url}/v1/contexts/bench/thread`, { headers })).text()
  const bare = await bareRoute(thread)
  const seconds = quick ? 1 : 2
  const load = async (options) => {
    const { amount } = options
    const start = performance.now()
    let last = start
    const running = autocannon({
      connections: CONNECTIONS,
      headers,
      ...(amount === undefined ? { duration: seconds } : {}),
      ...options,
    })
    running.on('response', () => (last = performance.now()))
    const { requests, non2xx, errors } = await running
    const what = `all requests to ${options.url} are answered (${non2xx} not, ${errors} errors)`
    assertWork(non2xx === 0 && errors === 0 && requests.total > 0, what)
    // Nanoseconds for each request, with so many connections at once.
    return ((last - start) * 1e6) / requests.total
  }
  const select = JSON.stringify({ selector: SELECTOR })
  const amount = quick ? 200 : 1000
  say('a server is asked over and over …')
  const results = await interleave(
    {
      bareThread: () => load({ url: `${bare.url}/thread` }),
      thread: () => load({ url: `${listening.url}/v1/contexts/bench/thread` }),
      bareSmall: () => load({ url: `${bare.url}/small`, method: 'POST', body: select }),
      select: () => load({ url: `${listening.url}/v1/contexts/bench/select`, method: 'POST', body: select }),
      // One connection waits for each answer, as whoever commits does.
      bareOne: () => load({ url: `${bare.url}/small`, connections: 1, amount, method: 'POST', body: select }),
      commit: async () =>
        load({ url: `${listening.url}/v1/contexts/written/commit`, connections: 1, ...(await commits()) }),
    },
    { rounds: 5, warmup: 0, share: 120_000 },
  )
  await listening.close()
  await bare.close()
  await store.close()
  const peer = 'a bare Hono route with the same answer'
  return [
    line({
      row: `GET thread, ${TURNS} turns, ${CONNECTIONS} connections`,
      peer,
      theirs: results.bareThread,
      ours: results.thread,
      unit: 'ns',
    }),
    line({
      row: `POST select, ${TURNS} turns, ${CONNECTIONS} connections`,
      peer,
      theirs: results.bareSmall,
      ours: results.select,
      unit: 'ns',
    }),
    line({
      row: 'POST commit of one message, one connection',
      peer,
      theirs: results.bareOne,
      ours: results.commit,
      unit: 'ns',
    }),
  ]

  /** Each commit builds on the one before it, so that they go out one after another. */
  async function commits() {
    const { cycle } = await (await fetch(`${listening.url}/v1/contexts/written`, { headers })).json()
    const bodyOf = (at) => JSON.stringify({ base: cycle + at, operations: [{ op: 'user', content: 'Hello' }] })
    return { amount, requests: Array.from({ length: amount }, (_, at) => ({ method: 'POST', body: bodyOf(at) })) }
  }
}

async function grow(store) {
  await store.create('written')
  const ctx = await store.open('bench')
  for (let turn = 0; turn < TURNS; turn++) {
    ctx.user(`Question ${turn}: how do I reset my password?`)
    ctx.assistant(`Answer ${turn}: open the settings, choose Security, and press Reset.`)
    await ctx.commit()
  }
}

/** The same bytes without any work. */
async function bareRoute(thread) {
  const app = new Hono()
  app.get('/thread', (c) => c.body(thread, 200, { 'content-type': 'application/json' }))
  app.post('/small', async (c) => {
    await c.req.json()
    return c.json({ ids: [`block:${TURNS}-1`], count: 1 })
  })
  const listener = getRequestListener(app.fetch)
  const http = createHttpServer((request, response) => void listener(request, response))
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address()
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => http.close(resolve)) }
}
