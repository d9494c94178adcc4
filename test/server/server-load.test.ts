// The server under load: long work lets others have their turn, memory is bounded, and no client is kept out.

import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

import { expect, test } from 'vitest'
import { openStore } from 'pact-context/store'
import { commitOperations, makeContext, previewOperations, readThread, storePool } from '../../src/commands/index.js'
import { WorkSlices } from '../../src/commands/work-slices.js'
import { boundConnections } from '../../src/server/socket.js'
import { bodyOf, served } from '../support/served.js'

type Failed = Readonly<{ error: Readonly<{ code: string; message: string; details: Record<string, unknown> }> }>

const redactions = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    op: 'redact',
    selector: '.block',
    options: { match: 'o', with: `${i % 10}` },
  }))

/** A context with many blocks, for work that takes several slices. */
async function large(turns = 300): ReturnType<typeof served> {
  const here = await served()
  const ctx = await here.client.create('big')
  for (let turn = 0; turn < turns; turn++) ctx.user(`question ${turn} to be looked at`)
  await ctx.commit()
  return here
}

test.each(['preview', 'commit', 'select', 'thread'])(
  'health is answered while operations are applied: %s',
  async (name) => {
    const { ask, store } = await large()
    const ended: string[] = []
    const work = ask('POST', `/v1/contexts/big/${name}`, {
      ...(name === 'select' ? { selector: '.block' } : {}),
      base: 1,
      operations: redactions(400),
    }).then((response) => {
      ended.push('work')
      return response
    })
    for (let i = 0; i < 3; i++) expect((await ask('GET', '/health')).status).toBe(200)
    ended.push('health')
    const response = await work
    expect([response.status, ended]).toEqual([name === 'commit' ? 201 : 200, ['health', 'work']])
    await store.close()
  },
)

test('health is answered while a conversation is imported', async () => {
  const { ask, store } = await served()
  const messages = Array.from({ length: 20_000 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `m${i}` }))
  const ended: string[] = []
  const work = ask('POST', '/v1/contexts/a/import', { format: 'openai-chat', body: { messages } }).then((response) => {
    ended.push('work')
    return response.status
  })
  // The body is read in one piece; then the import pauses.
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    expect((await ask('GET', '/health')).status).toBe(200)
  }
  ended.push('health')
  expect([await work, ended]).toEqual([201, ['health', 'work']])
  await store.close()
})

test('operations and imports end with the time of a request, and nothing is left of them', async () => {
  const store = await openStore('memory:')
  const full = await served({ store })
  const ctx = await full.client.create('big')
  for (let turn = 0; turn < 300; turn++) ctx.user(`question ${turn} to be looked at`)
  await ctx.commit()
  const thread = await (await full.ask('GET', '/v1/contexts/big/thread')).text()
  const { ask } = await served({ store, limits: { time: 1 } })
  const messages = Array.from({ length: 20_000 }, (_, i) => ({ role: 'user', content: `m${i}` }))
  for (const [path, body] of [
    ['big/preview', { operations: redactions(400) }],
    ['big/commit', { base: 1, operations: redactions(400) }],
    ['new/import', { format: 'openai-chat', body: { messages } }],
  ] as const) {
    const response = await ask('POST', `/v1/contexts/${path}`, body)
    const { error } = await bodyOf<Failed>(response)
    expect([response.status, response.headers.get('retry-after'), error.details], path).toEqual([
      503,
      '5',
      { reason: 'timeout', outcome: 'failed' },
    ])
  }
  expect(await (await full.ask('GET', '/v1/contexts/big/thread')).text()).toBe(thread)
  expect(await store.find('new')).toBeUndefined()
  expect(
    (await full.ask('POST', '/v1/contexts/big/commit', { base: 1, operations: [{ op: 'user', content: 'x' }] })).status,
  ).toBe(201)
  await store.close()
})

test('reads of the same context wait for operations in slices, and never see half of them', async () => {
  const { ask, store } = await large()
  const before = await (await ask('GET', '/v1/contexts/big/thread?lens=preview')).text()
  const trial = ask('POST', '/v1/contexts/big/preview', { operations: redactions(400) })
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    expect(await (await ask('GET', '/v1/contexts/big/thread?lens=preview')).text()).toBe(before)
  }
  expect((await trial).status).toBe(200)
  await store.close()
})

test('long work takes turns, four at a time; what waits ends with its signal', async () => {
  const slices = new WorkSlices()
  const ending = new AbortController()
  const begun: number[] = []
  /** Steps that are longer than a slice. */
  const long = (n: number, signal?: AbortSignal): Promise<void> =>
    slices.run({ signal }, async (pause) => {
      for (let step = 0; step < 3; step++) {
        const end = performance.now() + 25
        while (performance.now() < end);
        await pause()
        if (step === 0) begun.push(n)
      }
    })
  const works = Array.from({ length: 6 }, (_, n) => long(n, n === 5 ? ending.signal : undefined))
  works[5]!.catch(() => undefined)
  while (begun.length < 4) await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([0, 1, 2, 3])
  ending.abort(new Error('enough'))
  await expect(works[5]).rejects.toThrow('enough')
  await Promise.all(works.slice(0, 5))
})

test('bodies under way are bounded by memory: 503 with the time to wait, 413 for one that never fits', async () => {
  const { ask, store } = await served({ limits: { memory: 400_000 } })
  const conversation = (count: number): object => ({
    format: 'openai-chat',
    body: { messages: Array.from({ length: count }, (_, i) => ({ role: 'user', content: `m${i}` })) },
  })
  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, n) => ask('POST', `/v1/contexts/c${n}/import`, conversation(100))),
  )
  const statuses = responses.map(({ status }) => status)
  expect(statuses).toContain(201)
  const refusal = responses.find(({ status }) => status === 503)
  expect([refusal?.headers.get('retry-after'), statuses.every((each) => each === 201 || each === 503)]).toEqual([
    '1',
    true,
  ])
  expect((await ask('POST', '/v1/contexts/large/import', conversation(300))).status).toBe(413)
  // Everything is released.
  expect((await ask('POST', '/v1/contexts/next/import', conversation(100))).status).toBe(201)
  await store.close()
})

test('contexts beyond the cache are closed and opened again; one that is in use stays open', async () => {
  const store = await openStore('memory:')
  const opened: string[] = []
  const { openAt } = store
  store.openAt = (id, ...rest) => {
    opened.push(id)
    return openAt.call(store, id, ...rest)
  }
  const ids = Array.from({ length: 100 }, (_, n) => `c${n}`)
  const pool = storePool(store)
  for (const id of ids) {
    await makeContext(pool, { id })
    await commitOperations(pool, { id, base: 0, operations: [{ op: 'user', content: id }] })
  }
  for (const id of ids) await readThread(pool, { id })
  // Far more than 64 small contexts fit, each opened once.
  expect(opened.toSorted()).toEqual(ids.toSorted())
  opened.length = 0
  const small = storePool(store, { cacheBytes: 30_000 })
  await Promise.all(
    ids.map((id) => commitOperations(small, { id, base: 1, operations: [{ op: 'user', content: 'again' }] })),
  )
  await previewOperations(small, { id: 'c0', base: 2, operations: [{ op: 'user', content: 'x' }] })
  for (const id of ids) expect(await store.find(id)).toMatchObject({ cycle: 2 })
  expect(opened.length).toBeGreaterThan(ids.length)
  await store.close()
})

test('beyond the bound the oldest connection without a request is closed, and a new one is served', async () => {
  const server = http.createServer((_request, response) => response.end('here'))
  boundConnections(server, 3)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  const closed: number[] = []
  for (let n = 0; n < 6; n++) {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.on('close', () => closed.push(n))
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write('GET / HTTP/1.1\r\nX')
  }
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here')
  while (closed.length < 4) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(closed.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3])
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('a client that goes in the middle of its body is no fault of the server', async () => {
  const lines: { status: number; code?: string }[] = []
  const { server, store } = await served({ log: (entry) => lines.push(entry) })
  const listening = await server.listen()
  const { port } = new URL(listening.url)
  const socket = net.connect(Number(port), '127.0.0.1')
  socket.write(
    `POST /v1/contexts HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"id`,
  )
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.destroy()
  while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(lines.map(({ status, code }) => [status, code])).toEqual([[400, 'E_CONTENT_INVALID']])
  await listening.close()
  await store.close()
})

test('contexts that no path can name are not made, and the client does not ask for another one instead', async () => {
  const { ask, client, store } = await served()
  await client.create('thread')
  for (const id of ['.', '..']) {
    expect((await ask('POST', '/v1/contexts', { id })).status).toBe(400)
    expect((await ask('POST', '/v1/contexts/thread/fork', { id })).status).toBe(400)
    await expect(client.create(id)).rejects.toMatchObject({ code: 'E_CONTENT_INVALID', details: { name: 'id' } })
    await expect(client.open(id)).rejects.toMatchObject({ code: 'E_CONTENT_INVALID' })
    await expect(client.delete(id)).rejects.toMatchObject({ code: 'E_CONTENT_INVALID' })
  }
  expect((await client.list()).contexts.map(({ id }) => id)).toEqual(['thread'])
  await store.close()
})

test('an empty list of operations is refused; a commit of nothing leaves the field out', async () => {
  const { ask, client, store } = await served()
  const ctx = await client.create('a')
  const refused = await ask('POST', '/v1/contexts/a/commit', { base: 0, operations: [] })
  expect([refused.status, (await bodyOf<Failed>(refused)).error.details]).toEqual([400, { name: 'operations' }])
  expect((await ctx.summary()).cycle).toBe(0)
  expect((await ask('POST', '/v1/contexts/a/commit', { base: 0 })).status).toBe(201)
  expect((await ctx.summary()).cycle).toBe(1)
  expect((await ctx.commit()).cycle).toBe(2)
  await store.close()
})

test('an error names the store without its folder', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-jane-'))
  const store = await openStore(`sqlite:${folder}/work.db`)
  const { ask } = await served({ store })
  await store.close()
  const response = await ask('GET', '/v1/contexts')
  const { message } = (await bodyOf<Failed>(response)).error
  expect([response.status, message]).toEqual([503, 'The store sqlite:work.db is closed; open it again.'])
  fs.rmSync(folder, { recursive: true })
})
