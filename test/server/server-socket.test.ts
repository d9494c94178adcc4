// A server on a socket: clients that are slow or go away, events that resume, writers that meet, files, and the end.

import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'
import { createContext } from 'pact-context'
import { createClient, type Client } from 'pact-context/client'
import { createServer, inspect, type Listening, type Server, type ServerOptions } from 'pact-context/server'
import { openStore, Store } from 'pact-context/store'
import { MemoryRows } from '../../src/store/memory/rows.js'
import { aConversation } from '../support/served.js'

type Running = Readonly<{ store: Store; server: Server; listening: Listening; client: Client; port: number }>

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function running(options: Partial<ServerOptions> = {}): Promise<Running> {
  const store = options.store ?? (await openStore('memory:'))
  const limits = { closeTime: 300, ...options.limits }
  const server = createServer({ store, inspector: false, ...options, limits })
  const listening = await server.listen()
  closing.push(
    () => store.close(),
    () => listening.close(),
  )
  const client = createClient({ url: listening.url, token: server.token })
  return { store, server, listening, client, port: Number(new URL(listening.url).port) }
}

test('a client does what a context does, over a socket', async () => {
  const { client, store, listening } = await running()
  expect(listening.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const ctx = await client.create('support-42')
  ctx.system.add('Be brief.')
  ctx.user('Hi')
  expect(await ctx.select('^ah .block')).toEqual(['block:1-2'])
  expect((await ctx.thread('preview')).map(({ content }) => content)).toEqual(['Be brief.', 'Hi'])
  expect(await ctx.count('@c1 .block').catch((error: unknown) => (error as { code: string }).code)).toBe(
    'E_SNAPSHOT_NOT_FOUND',
  )
  const { cycle, ids } = await ctx.commit()
  expect([cycle, ids.length, ctx.operations(), ctx.cycle]).toEqual([1, 2, [], 2])
  const stored = await store.open('support-42')
  expect(Buffer.compare(await ctx.export(), stored.export('@t0'))).toBe(0)
  ctx.assistant('Hello')
  expect(ctx.undo()).toBe(true)
  expect(await ctx.first("@t0 [role='user']")).toMatchObject({ content: 'Hi' })
  expect((await ctx.explain('block:1-2')).words).toContain('user()')
  const fork = await ctx.fork('@c1', { id: 'other' })
  expect(await fork.thread()).toEqual(await ctx.thread())
  expect((await ctx.render('anthropic')).text).toContain('"Be brief."')
  await expect(client.delete('support-42')).rejects.toMatchObject({ code: 'E_CONFLICT' })
  await client.delete('support-42', { forks: true })
  expect(await client.list()).toEqual({ contexts: [] })
})

test('one of several commits to a base wins, and the others learn the head', async () => {
  const { client } = await running()
  await client.create('a')
  for (let base = 0; base < 10; base++) {
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, async (_, writer) => {
        const ctx = await client.open('a')
        ctx.user(`Writer ${writer}`)
        return ctx.commit({ base })
      }),
    )
    const [won, lost] = [
      answers.filter((each) => each.status === 'fulfilled'),
      answers.filter((each) => each.status === 'rejected').map(({ reason }) => reason as object),
    ]
    expect(won).toHaveLength(1)
    for (const each of lost) {
      expect(each).toMatchObject({ code: 'E_CONFLICT', details: { cycle: base + 1, head: base + 1, status: 409 } })
    }
  }
})

test('two servers over one store: one winner, and each sees what the other did', async () => {
  const one = await running()
  const two = await running({ store: one.store })
  await one.client.create('a')
  const [a, b] = [await one.client.open('a'), await two.client.open('a')]
  for (let base = 0; base < 10; base++) {
    a.user('one')
    b.user('two')
    const answers = await Promise.allSettled([a.commit({ base }), b.commit({ base })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    while (a.undo() || b.undo());
    expect(await a.threadBytes()).toEqual(await b.threadBytes())
  }
})

test('the same key again gives the same answer, whatever came between; with other operations it is refused', async () => {
  const { client } = await running()
  await client.create('a')
  for (let round = 0; round < 20; round++) {
    const base = 2 * round
    const ctx = await client.open('a')
    const operations = [{ op: 'put' as const, key: 'plan', content: `Plan ${round}` }]
    ctx.apply(operations)
    const first = await ctx.commit({ key: `k${round}`, base })
    ctx.user('Something else')
    await ctx.commit()
    ctx.apply(operations)
    expect(await ctx.commit({ key: `k${round}`, base })).toEqual(first)
    ctx.user('Not that')
    await expect(ctx.commit({ key: `k${round}`, base })).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'key' },
    })
    expect((await client.open('a')).cycle).toBe(base + 3)
  }
})

describe('events', () => {
  test('tell every commit once and in order, also to who comes back', async () => {
    const { client } = await running()
    const ctx = await client.create('a')
    const commit = async (): Promise<void> => {
      ctx.user('x')
      await ctx.commit()
    }
    for (let i = 0; i < 3; i++) await commit()
    const seen: number[] = []
    let last = 0
    for (let round = 0; round < 5; round++) {
      const leaving = new AbortController()
      const writing = (async () => {
        for (let i = 0; i < 4; i++) await commit()
      })()
      for await (const { cycle, kind } of ctx.watch({ from: last, signal: leaving.signal })) {
        expect(kind).toBe('commit')
        seen.push(cycle)
        last = cycle
        // Goes away in the middle of things.
        if (cycle >= 3 + 4 * round + 2) break
      }
      leaving.abort()
      await writing
    }
    for await (const { cycle } of ctx.watch({ from: last })) {
      seen.push(cycle)
      if (cycle === 23) break
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, i) => i + 1))
  })

  test('go on where the server breaks off', async () => {
    const first = await running()
    const ctx = await first.client.create('a')
    const seen: number[] = []
    const leaving = new AbortController()
    let server = first.listening
    const { port } = first
    const watching = (async () => {
      for await (const { cycle } of ctx.watch({ from: 0, signal: leaving.signal })) {
        seen.push(cycle)
        if (cycle === 4) return
      }
    })()
    const write = async (): Promise<void> => {
      const stored = await first.store.open('a')
      stored.user('x')
      await stored.commit()
    }
    await write()
    while (seen.length < 1) await new Promise((resolve) => setTimeout(resolve, 5))
    await server.close()
    await write()
    await write()
    server = await createServer({ store: first.store, token: first.server.token }).listen({ port })
    closing.push(() => server.close())
    await write()
    await watching
    leaving.abort()
    expect(seen).toEqual([1, 2, 3, 4])
  })

  test('what a browser reads: an id, a name and data; nonsense is refused', async () => {
    const { client, server, listening } = await running()
    const ctx = await client.create('a')
    ctx.user('x')
    await ctx.commit()
    const headers = { authorization: `Bearer ${server.token}`, 'last-event-id': '0' }
    const leaving = new AbortController()
    const response = await fetch(`${listening.url}/v1/contexts/a/events`, { headers, signal: leaving.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body!.getReader()
    let text = ''
    while (!text.includes('data:')) text += new TextDecoder().decode((await reader.read()).value)
    expect(text).toMatch(/^id: 1\nevent: commit\ndata: \{"cycle":1,"kind":"commit","mark":"1\.0\.\w+"\}\n\n/m)
    leaving.abort()
    for (const [path, last, status] of [
      ['nobody', '0', 404],
      ['a', 'yesterday', 400],
    ] as const) {
      const refused = await fetch(`${listening.url}/v1/contexts/${path}/events`, {
        headers: { ...headers, 'last-event-id': last },
      })
      expect(refused.status).toBe(status)
    }
    const foreign = await fetch(`${listening.url}/v1/contexts/a/events`, {
      headers: { ...headers, origin: 'http://evil.example' },
    })
    expect(foreign.status).toBe(403)
  })

  test('tell whoever comes back what was erased meanwhile, once', async () => {
    const { client, store } = await running()
    const ctx = await client.create('a')
    ctx.user('secret')
    await ctx.commit()
    const next = async (from: number | string) => (await ctx.watch({ from }).next()).value!
    const first = await next(0)
    await store.erase('a', '.block', { author: 'dpo' })
    const stored = await store.open('a')
    stored.user('x')
    await stored.commit()
    for (const from of [first.mark, first.cycle]) expect(await next(from)).toMatchObject({ kind: 'erased', cycle: 1 })
    const { mark } = await next(first.mark)
    expect(await next(mark)).toMatchObject({ kind: 'commit', cycle: 2 })
  })

  test('of a context in memory tell what was forgotten, also to whoever comes back', async () => {
    const ctx = createContext({ id: 'mine' })
    ctx.user('secret')
    ctx.commit()
    const listening = await inspect(ctx, { print: false, token: 'x'.repeat(40), inspector: false })
    closing.push(() => listening.close())
    const remote = await createClient({ url: listening.url, token: 'x'.repeat(40) }).open('mine')
    const next = async (from: number | string) => (await remote.watch({ from }).next()).value!
    const first = await next(0)
    expect(first).toMatchObject({ kind: 'commit', cycle: 1 })
    ctx.forget('.block', { author: 'dpo' })
    for (const from of [first.mark, 1, '1.0.another']) {
      expect(await next(from)).toMatchObject({ kind: 'erased', cycle: 1 })
    }
    ctx.user('x')
    ctx.commit()
    expect(await next((await next(1)).mark)).toMatchObject({ kind: 'commit', cycle: 2 })
  })

  test('tell what is committed once the stream is there, also before anybody has read from it', async () => {
    const { client, server, store, listening } = await running()
    await client.create('a')
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${server.token}` }
    const request = new Request(`${listening.url}/v1/contexts/a/events`, { headers, signal: leaving.signal })
    const response = await server.fetch(request)
    const stored = await store.open('a')
    stored.user('x')
    await stored.commit()
    const reader = response.body!.getReader()
    let text = ''
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      text += new TextDecoder().decode(chunk.value)
      if (text.includes('data:')) break
    }
    expect(text).toContain('"cycle":1')
    leaving.abort()
  })

  test('of a context in memory also tell that what is open has changed, and calls', async () => {
    const ctx = createContext({ id: 'mine' })
    ctx.user('one')
    ctx.commit()
    const listening = await inspect(ctx, { print: false, token: 'x'.repeat(40), inspector: false })
    closing.push(() => listening.close())
    const client = createClient({ url: listening.url, token: 'x'.repeat(40) })
    const remote = await client.open('mine')
    const seen: string[] = []
    const call = { provider: 'p', model: 'm', params: {} }
    let attempt: ReturnType<typeof ctx.startAttempt> | undefined
    const next = [
      () => ctx.user('two'),
      () => (attempt = ctx.startAttempt(call)),
      () => attempt!.cancel(),
      () => ctx.commit(),
    ]
    for await (const { kind, cycle } of remote.watch({ from: 0 })) {
      seen.push(`${kind} ${cycle}`)
      const act = next.shift()
      if (act === undefined) break
      act()
    }
    expect(seen).toEqual(['commit 1', 'edited 1', 'edited 1', 'edited 1', 'commit 2'])
  })

  test('there are only so many streams, and those that end make room', async () => {
    const { client, server, listening } = await running({ limits: { streams: 2 } })
    await client.create('a')
    const open = async (): Promise<Readonly<{ status: number; leave: () => void }>> => {
      const leaving = new AbortController()
      const response = await fetch(`${listening.url}/v1/contexts/a/events`, {
        headers: { authorization: `Bearer ${server.token}` },
        signal: leaving.signal,
      })
      return { status: response.status, leave: () => leaving.abort() }
    }
    const streams = [await open(), await open()]
    expect((await open()).status).toBe(503)
    streams[0]!.leave()
    await expect
      .poll(async () => {
        const { status, leave } = await open()
        leave()
        return status
      })
      .toBe(200)
    streams[1]!.leave()
  })
})

describe('clients that are slow or go away', () => {
  test('500 of them, and the server answers whether it lives', async () => {
    const { client, server, listening, port } = await running()
    await aConversation({ client }, 'a', 3)
    const sockets = Array.from({ length: 500 }, (_, i) => {
      const socket = net.connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      const token = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.token}\r\n`
      const json = `${token}Content-Type: application/json\r\n`
      // A header that never ends, a body that never comes, an answer that is never read, events that are never read.
      const halves = [
        'GET /v1/contexts HTTP/1.1\r\nHost: 127',
        `POST /v1/contexts/a/select HTTP/1.1\r\n${json}Content-Length: 100\r\n\r\n{"selector"`,
        `GET /v1/contexts/a/export HTTP/1.1\r\n${token}\r\n`,
        `GET /v1/contexts/a/events HTTP/1.1\r\n${token}\r\n`,
        `POST /v1/contexts/a/import HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"bod`,
      ]
      socket.write(halves[i % halves.length]!)
      socket.pause()
      return socket
    })
    await Promise.all(
      sockets.map(async (socket) => {
        if (socket.connecting) await new Promise((resolve) => socket.once('connect', resolve))
      }),
    )
    for (let i = 0; i < 20; i++) {
      const response = await fetch(`${listening.url}/health`)
      expect([response.status, await response.json()]).toEqual([200, { ok: true }])
      // Some of them go, in the middle of whatever they were doing.
      for (const socket of sockets.slice(i * 25, (i + 1) * 25)) socket.destroy()
    }
    // Their room is free again.
    let status = 0
    for (let tries = 0; tries < 300 && status !== 200; tries++) {
      const response = await fetch(`${listening.url}/v1/contexts`, {
        headers: { authorization: `Bearer ${server.token}` },
      })
      status = response.status
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(status).toBe(200)
  })

  test('too much at once is 503 with the time to wait, and health is answered', async () => {
    const { client, server, listening, port } = await running({ limits: { requests: 2 } })
    await client.create('a')
    const stuck = Array.from({ length: 2 }, () => {
      const socket = net.connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(
        `POST /v1/contexts/a/select HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
      )
      return socket
    })
    let response = await fetch(`${listening.url}/v1/contexts`, { headers: { authorization: `Bearer ${server.token}` } })
    for (let tries = 0; tries < 300 && response.status === 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      response = await fetch(`${listening.url}/v1/contexts`, { headers: { authorization: `Bearer ${server.token}` } })
    }
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await fetch(`${listening.url}/health`)).status).toBe(200)
    for (const socket of stuck) socket.destroy()
  })
})

test('a server that closes ends streams, answers what is under way, and takes nothing new', async () => {
  const rows = new MemoryRows()
  const { commit } = rows
  const begun = new Promise<void>((resolve) => {
    rows.commit = (given) => {
      resolve()
      return commit.call(rows, given)
    }
  })
  const { client, server, listening } = await running({ store: new Store(rows), limits: { closeTime: 10_000 } })
  const ctx = await client.create('a')
  const events = await fetch(`${listening.url}/v1/contexts/a/events`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  ctx.user('x')
  const committing = ctx.commit()
  await begun
  const closed = listening.close()
  expect((await committing).cycle).toBe(1)
  await closed
  await events.body?.cancel().catch(() => undefined)
  await expect(client.list()).rejects.toMatchObject({ code: 'E_STORE', details: { reason: 'unreachable' } })
})

test('a port that is taken is told, not thrown at nobody', async () => {
  const { store, port } = await running()
  await expect(createServer({ store }).listen({ port })).rejects.toMatchObject({ code: 'E_STORE' })
})

describe('files', () => {
  function folder(): string {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-files-'))
    closing.push(async () => fs.rmSync(root, { recursive: true, force: true }))
    fs.writeFileSync(path.join(root, 'secret.txt'), 'outside')
    const site = path.join(root, 'site')
    fs.mkdirSync(path.join(site, 'assets'), { recursive: true })
    fs.writeFileSync(path.join(site, 'index.html'), '<!doctype html><title>Inspector</title>')
    fs.writeFileSync(path.join(site, 'assets', 'main-a1b2c3d4.js'), 'void 0')
    fs.writeFileSync(path.join(site, 'assets', 'plain.css'), 'a{}')
    fs.symlinkSync(path.join(root, 'secret.txt'), path.join(site, 'assets', 'linked.txt'))
    return site
  }

  test('are those of the inspector, with a strict policy', async () => {
    const { listening } = await running({ inspector: folder() })
    const page = await fetch(`${listening.url}/`)
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ])
    expect(await page.text()).toContain('Inspector')
    const script = await fetch(`${listening.url}/assets/main-a1b2c3d4.js`)
    expect([
      script.status,
      script.headers.get('content-type'),
      script.headers.get('cache-control'),
      script.headers.get('x-content-type-options'),
    ]).toEqual([200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'nosniff'])
    expect((await fetch(`${listening.url}/assets/plain.css`)).headers.get('cache-control')).toBe('no-cache')
  })

  test('and nothing outside their folder', async () => {
    const { listening, port } = await running({ inspector: folder() })
    const paths = [
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/assets/..\\..\\secret.txt',
      '/assets/....//....//secret.txt',
      '/assets/%00',
      '/assets//etc/passwd',
      '/assets/linked.txt',
      '/assets/',
      '/assets/main-a1b2c3d4.js/..',
    ]
    for (const each of paths) {
      // By hand: fetch would tidy the path up.
      const text = await new Promise<string>((resolve, reject) => {
        const socket = net.connect(port, '127.0.0.1', () =>
          socket.write(`GET ${each} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
        )
        let all = ''
        socket.on('data', (data) => (all += data.toString()))
        socket.on('end', () => resolve(all))
        socket.on('error', reject)
      })
      expect(text, each).not.toContain('outside')
      expect(text, each).toMatch(/^HTTP\/1\.1 (?:400|401|404)/)
    }
    expect((await fetch(`${listening.url}/assets/linked.txt`)).status).toBe(404)
  })

  test('without an inspector the page says so', async () => {
    const { listening } = await running()
    const page = await fetch(`${listening.url}/`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('not part of this build')])
  })
})

test('inspect serves one context, for reading unless it is told otherwise', async () => {
  const ctx = createContext({ id: 'mine' })
  ctx.user('Hi')
  ctx.commit()
  const printed: string[] = []
  const listening = await inspect(ctx, { print: (line) => printed.push(line), inspector: false })
  closing.push(() => listening.close())
  expect(printed).toEqual([`Open ${listening.link}`])
  const opened = await fetch(listening.link, { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const summary = await fetch(`${listening.url}/v1/contexts/mine`, { headers: { cookie } })
  expect(await summary.json()).toMatchObject({ id: 'mine', cycle: 1, readOnly: true })
  const commit = await fetch(`${listening.url}/v1/contexts/mine/commit`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ base: 1, operations: [{ op: 'user', content: 'x' }] }),
  })
  expect(commit.status).toBe(403)
  const leaving = new AbortController()
  const events = await fetch(`${listening.url}/v1/contexts/mine/events`, {
    headers: { cookie, 'last-event-id': '1' },
    signal: leaving.signal,
  })
  const reader = events.body!.getReader()
  ctx.user('Again')
  ctx.commit()
  let text = ''
  while (!text.includes('data:')) text += new TextDecoder().decode((await reader.read()).value)
  expect(text).toContain('"cycle":2')
  leaving.abort()
  const writable = await inspect(ctx, { print: false, readOnly: false, token: 'x'.repeat(40), inspector: false })
  closing.push(() => writable.close())
  const client = createClient({ url: writable.url, token: 'x'.repeat(40) })
  const remote = await client.open('mine')
  remote.assistant('From outside')
  await remote.commit()
  expect(ctx.thread('@t0').at(-1)!.content).toBe('From outside')
})
