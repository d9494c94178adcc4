// Who gets in: the whole of Host × Origin × method × route, made from the app's own routes; tokens, links, bodies, secrets.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from 'pact-context/server'
import { openStore, type Store } from 'pact-context/store'
import { makeApp } from '../../src/server/app.js'
import { isPublic } from '../../src/server/gate.js'
import { aConversation, bodyOf, served, type Served } from '../support/served.js'

let here: Served

beforeAll(async () => {
  here = await served()
  await aConversation(here, 'a', 2)
})

afterAll(() => here.store.close())

/** Everything that Hono has registered, with parameters filled in. */
const PATHS = [
  ...new Set(
    makeApp({} as never).routes.map(({ path }) =>
      path.replace(':id', 'a').replace(':node', 'block:1-2').replace('/assets/*', '/assets/x.js'),
    ),
  ),
]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

function request(method: string, path: string, headers: Readonly<Record<string, string>>, port = ''): Request {
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
  return new Request(`http://127.0.0.1${port}${path}`, {
    method,
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(hasBody ? { body: '{}' } : {}),
  })
}

const HOSTS: readonly (readonly [host: string, isOurs: boolean])[] = [
  ['127.0.0.1', true],
  ['localhost', true],
  ['[::1]', true],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['192.168.1.7', false],
]
const ORIGINS: readonly (readonly [origin: string | undefined, isOurs: boolean])[] = [
  [undefined, true],
  ['http://127.0.0.1', true],
  ['null', false],
  ['http://evil.example', false],
  ['https://localhost.evil.example', false],
]

describe('Host × Origin × method × route', () => {
  test.each(PATHS)('%s', async (path) => {
    for (const method of METHODS) {
      for (const [host, isOurHost] of HOSTS) {
        for (const [origin, isOurOrigin] of ORIGINS) {
          const headers = { host, ...(origin === undefined ? {} : { origin }) }
          const what = `${method} ${path} for ${host} from ${origin}`
          const response = await here.server.fetch(request(method, path, headers))
          await response.body?.cancel()
          if (!isOurHost || !isOurOrigin) expect(response.status, what).toBe(403)
          // No client has identified itself.
          else if (!isPublic(path)) expect(response.status, what).toBe(401)
          for (const name of response.headers.keys()) expect(name, what).not.toMatch(/^access-control-/)
        }
      }
    }
  })

  test('a route that is registered beside the gate fails the test above', async () => {
    const app = makeApp({} as never)
    app.get('/v1/secret', (c) => c.text('told'))
    const behind = app.routes.map(({ path }) => path).filter((path) => !isPublic(path))
    expect(behind).toContain('/v1/secret')
    // Whatever path it has, a server asks its gate first.
    const response = await here.server.fetch(request('GET', '/v1/secret', { host: 'localhost' }))
    expect(response.status).toBe(401)
  })

  test('only these need no token, and none of them reads a context', () => {
    expect(PATHS.filter(isPublic).toSorted()).toEqual([
      '/',
      '/assets/x.js',
      '/favicon.ico',
      '/health',
      '/index.html',
      '/open',
    ])
    for (const path of ['/v1', '/health/x', '/healthx', '/assetsx', '//', '/open/x', '/V1/contexts'])
      expect(isPublic(path), path).toBe(false)
  })

  test('a page of another site is refused by what its browser says of it', async () => {
    for (const [site, method, status] of [
      ['cross-site', 'GET', 403],
      ['same-site', 'POST', 403],
      ['same-site', 'GET', 403],
      ['cross-site', 'POST', 403],
      ['same-origin', 'GET', 200],
      ['none', 'GET', 200],
    ] as const) {
      const response = await here.ask(method, '/v1/contexts', method === 'POST' ? { id: 'x' } : undefined, {
        'sec-fetch-site': site,
      })
      expect(response.status, `${site} ${method}`).toBe(status)
    }
  })

  test.each([
    ['LOCALHOST', undefined, 200],
    ['127.0.0.1.evil.example', undefined, 403],
    ['0.0.0.0', undefined, 403],
    ['localhost:80@evil.example', undefined, 403],
    ['localhost', 'http://localhost', 200],
    ['localhost', 'file://', 403],
    ['localhost', 'chrome-extension://abcdef', 403],
    ['localhost', 'http://localhost@evil.example', 403],
  ])('Host %s, Origin %s: %i', async (host, origin, status) => {
    const response = await here.ask('GET', '/v1/contexts', undefined, {
      host,
      ...(origin === undefined ? {} : { origin }),
    })
    expect(response.status).toBe(status)
  })

  test('the port counts, once there is one', async () => {
    const own = await served({ store: here.store })
    const listening = await own.server.listen()
    const { port } = new URL(listening.url)
    const statusFor = async (host: string, origin?: string): Promise<number> =>
      (await own.server.fetch(request('GET', '/health', { host, ...(origin === undefined ? {} : { origin }) }))).status
    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200)
    expect(await statusFor(`localhost:${port}`, `http://localhost:${port}`)).toBe(200)
    expect(await statusFor('127.0.0.1')).toBe(403)
    expect(await statusFor(`127.0.0.1:${Number(port) + 1}`)).toBe(403)
    expect(await statusFor(`127.0.0.1:${port}`, 'http://127.0.0.1')).toBe(403)
    expect(await statusFor(`127.0.0.1:${port}`, `http://127.0.0.1:${Number(port) + 1}`)).toBe(403)
    await listening.close()
  })
})

describe('tokens', () => {
  test.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['a cookie of nobody', { cookie: 'pact_0=AAAA; pact=1' }],
  ])('%s is 401 on every data route, for GET as for the rest', async (_what, headers) => {
    for (const path of PATHS.filter((each) => !isPublic(each))) {
      for (const method of METHODS) {
        const response = await here.server.fetch(request(method, path, { host: 'localhost', ...headers }))
        expect(response.status, `${method} ${path}`).toBe(401)
        expect(response.headers.get('www-authenticate')).toBe('Bearer')
      }
    }
  })

  test('in the query string it is none', async () => {
    const { token } = here.server
    for (const name of ['token', 'access_token', 'authorization', 'key']) {
      const response = await here.server.fetch(request('GET', `/v1/contexts?${name}=${token}`, { host: 'localhost' }))
      expect(response.status).toBe(401)
    }
    expect(
      (await here.server.fetch(request('GET', '/v1/contexts', { host: 'localhost', authorization: `bearer ${token}` })))
        .status,
    ).toBe(200)
  })

  test('one that is made has 256 bits; one that is given has at least 128', () => {
    const tokens = Array.from({ length: 50 }, () => createServer({ store: here.store }).token)
    expect(new Set(tokens).size).toBe(50)
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    for (const token of ['', 'secret', 'a'.repeat(21), 'with a blank in it, but long enough', 12 as never]) {
      expect(() => createServer({ store: here.store, token })).toThrow(
        expect.objectContaining({ code: 'E_CONTENT_INVALID' }),
      )
    }
  })

  test('another host than loopback needs one that was given', async () => {
    const server = createServer({ store: here.store })
    await expect(server.listen({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'E_NOT_AUTHORIZED' })
    const open = createServer({ store: here.store, token: 'x'.repeat(30), hosts: ['context.example'] })
    const listening = await open.listen({ host: '0.0.0.0' })
    const { port } = new URL(listening.url)
    const named = await open.fetch(request('GET', '/health', { host: `context.example:${port}` }))
    const other = await open.fetch(request('GET', '/health', { host: `evil.example:${port}` }))
    await listening.close()
    expect([named.status, other.status]).toEqual([200, 403])
  })
})

test('an option that is written otherwise is refused, and not left out', async () => {
  const { store } = here
  for (const [options, name] of [
    [{ store, readonly: true }, 'readonly'],
    [{ store, limits: { body: 1 } }, 'body'],
    [{}, 'store'],
    [{ store: 'sqlite:x.db' }, 'store'],
  ] as const) {
    expect(() => createServer(options as never)).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID', details: { name } }),
    )
  }
  for (const port of [-1, 65_536, 1.5, '80' as never]) {
    await expect(createServer({ store }).listen({ port })).rejects.toMatchObject({
      code: 'E_CONTENT_INVALID',
      details: { name: 'port' },
    })
  }
  await expect(createServer({ store }).listen({ hostname: '0.0.0.0' } as never)).rejects.toMatchObject({
    details: { name: 'hostname' },
  })
})

describe('the link', () => {
  test('opens a browser once, with a cookie that no script and no other site gets', async () => {
    const own = await served({ store: here.store })
    const listening = await own.server.listen()
    try {
      expect(listening.link).not.toContain(own.server.token)
      const code = new URL(listening.link).searchParams.get('code')!
      expect(Buffer.from(code, 'base64url').length).toBeGreaterThanOrEqual(16)
      const host = new URL(listening.url).host
      const looked = await own.server.fetch(request('HEAD', `/open?code=${code}`, { host }))
      expect([looked.status, looked.headers.get('set-cookie')]).toEqual([405, null])
      const wrong = await own.server.fetch(request('GET', '/open?code=AAAA', { host }))
      expect(wrong.status).toBe(401)
      const opened = await own.server.fetch(request('GET', `/open?code=${code}`, { host }))
      expect([opened.status, opened.headers.get('location')]).toEqual([303, '/'])
      const cookie = opened.headers.get('set-cookie')!
      expect(cookie).toMatch(/^pact_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
      expect(cookie).not.toContain(own.server.token)
      const again = await own.server.fetch(request('GET', `/open?code=${code}`, { host }))
      expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null])
      const sent = { host, cookie: `other=1; ${cookie.split(';')[0]!}` }
      expect((await own.server.fetch(request('GET', '/v1/contexts', sent))).status).toBe(200)
      // A cookie alone is not enough where another page sends it.
      const origin = 'http://evil.example'
      expect((await own.server.fetch(request('POST', '/v1/contexts', { ...sent, origin }))).status).toBe(403)
      const short = { host, cookie: cookie.split(';')[0]!.slice(0, -1) }
      expect((await own.server.fetch(request('GET', '/v1/contexts', short))).status).toBe(401)
    } finally {
      await listening.close()
    }
  })
})

describe('bodies', () => {
  const post = (
    body: string,
    headers: Readonly<Record<string, string>>,
    path = '/v1/contexts/a/preview',
  ): Promise<Response> =>
    here.server.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: 'POST',
        headers: { host: 'localhost', authorization: `Bearer ${here.server.token}`, ...headers },
        body,
      }),
    )
  const JSON_TYPE = { 'content-type': 'application/json' }

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json; charset=latin1'],
    ['application/jsonp'],
    ['text/json'],
  ])('%s is 415', async (type) => {
    expect((await post('{"operations":[]}', { 'content-type': type })).status).toBe(415)
  })

  test('JSON with its charset is taken, compressed JSON is not', async () => {
    expect((await post('{"operations":[]}', { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(200)
    expect((await post('{"operations":[]}', { ...JSON_TYPE, 'content-encoding': 'gzip' })).status).toBe(415)
  })

  test.each([
    ['no JSON', '{"operations":'],
    ['a list', '[]'],
    ['a text', '"operations"'],
    ['nothing', ''],
    ['deep lists', `{"operations":${'['.repeat(1_000_000)}`],
    ['deep objects', `{"operations":${'{"a":'.repeat(500_000)}`],
    ['closed deep lists', `{"operations":[{"op":"user","content":${'['.repeat(161)}${']'.repeat(161)}}]}`],
    [
      'content deeper than the engine takes',
      `{"operations":[{"op":"user","content":${'['.repeat(129)}${']'.repeat(129)}}]}`,
    ],
    ['a number of a million digits', `{"operations":[{"op":"user","content":${'9'.repeat(1_000_000)}}]}`],
  ])('%s is 400, before anything recurses', async (_what, body) => {
    const response = await post(body, JSON_TYPE)
    expect(response.status).toBe(400)
    expect((await bodyOf<{ error: { code: string } }>(response)).error.code).toBe('E_CONTENT_INVALID')
  })

  test('brackets inside texts are no depth', async () => {
    const content = `${'['.repeat(5000)}\\"${'{'.repeat(5000)}\\\\`
    expect((await post(`{"operations":[{"op":"user","content":"${content}"}]}`, JSON_TYPE)).status).toBe(200)
  })

  test('a body beyond the limit is 413, whether it says so or not', async () => {
    const own = await served({ store: here.store, limits: { bodyBytes: 1000, importBytes: 2000 } })
    const large = { operations: [{ op: 'user', content: 'x'.repeat(1000) }] }
    expect((await own.ask('POST', '/v1/contexts/a/preview', large)).status).toBe(413)
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(100))),
    })
    const endless = new Request('http://127.0.0.1/v1/contexts/a/preview', {
      method: 'POST',
      headers: { host: 'localhost', authorization: `Bearer ${own.server.token}`, ...JSON_TYPE },
      body: stream,
      duplex: 'half',
    })
    expect((await own.server.fetch(endless)).status).toBe(413)
    const messages = [{ role: 'user', content: 'x'.repeat(1200) }]
    expect((await own.ask('POST', '/v1/contexts/b/import', { body: messages })).status).toBe(201)
  })

  test('a body that does not come is 408', async () => {
    const own = await served({ store: here.store, limits: { bodyTime: 30 } })
    const silent = new Request('http://127.0.0.1/v1/contexts/a/preview', {
      method: 'POST',
      headers: { host: 'localhost', authorization: `Bearer ${own.server.token}`, ...JSON_TYPE },
      body: new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
      }),
      duplex: 'half',
    })
    expect((await own.server.fetch(silent)).status).toBe(408)
  })

  test('hostile names stay data', async () => {
    const own = await served()
    for (const id of [
      '__proto__',
      'constructor',
      'toString',
      'a/b',
      '../../etc/passwd',
      '%2e%2e',
      'a?b#c',
      ' ',
      'é',
      '💥',
    ]) {
      const ctx = await own.client.create(id)
      ctx.apply([
        {
          op: 'user',
          content: JSON.parse('{"__proto__":{"polluted":1},"constructor":{"x":1}}') as never,
          header: JSON.parse('{"key":"__proto__","tags":["constructor"],"data___proto__":"v"}') as never,
        },
      ])
      await ctx.commit()
      const thread = new TextDecoder().decode(await ctx.threadBytes())
      expect(thread).toContain('"__proto__":{"polluted":1}')
      expect(await ctx.select('@t0 #__proto__')).toHaveLength(1)
      expect((await ctx.names()).keys).toEqual([{ name: '__proto__', count: 1 }])
      expect((await ctx.tokens(undefined, { by: 'key' })).by).toHaveProperty(['__proto__'])
    }
    expect((Object.prototype as Record<string, unknown>)['polluted']).toBeUndefined()
    const hostile = await own.ask('POST', '/v1/contexts', '{"id":"x","__proto__":{"dialect":"0.1"}}')
    expect(hostile.status).toBe(400)
    await own.store.close()
  })
})

describe('secrets', () => {
  test('what is said in contents, in match and in selectors is in no log and no error body', async () => {
    const lines: string[] = []
    const own = await served({ store: here.store, log: (entry) => lines.push(JSON.stringify(entry)) })
    const secret = 'sk-verysecret-0123456789"quoted\\'
    const bodies: string[] = []
    const ask = async (path: string, body: object, method = 'POST'): Promise<void> => {
      const response = await own.ask(method, path, body)
      const text = await response.text()
      expect(response.status, text).toBeGreaterThanOrEqual(400)
      bodies.push(text)
    }
    const quoted = secret.replaceAll(/["\\]/g, '')
    await ask('/v1/contexts/a/select', { selector: `.block[data_key='${quoted}'] :cor` })
    await ask('/v1/contexts/a/select', { selector: `.block[data_key='${quoted}` })
    await ask('/v1/contexts/a/select', { selector: `.block[data_key=${quoted}` })
    await ask('/v1/contexts/a/diff', { a: '@t-1', b: '@t0', selector: `@t0 [data_key='${quoted}']` })
    const operations = [
      { op: 'redact', selector: `.nothing[data_key='${quoted}']`, options: { match: secret, with: `${secret}2` } },
    ]
    await ask('/v1/contexts/a/commit', { base: 2, operations })
    await ask('/v1/contexts/a/commit', {
      base: 2,
      operations: [{ op: 'user', content: secret, header: { ttl: secret } }],
    })
    await ask('/v1/contexts/a/commit', { base: 2, operations: [{ op: secret, content: secret }] })
    await ask('/v1/contexts/a/commit', { base: 2, operations: [{ op: 'user', content: { a: secret }, [secret]: 1 }] })
    await ask('/v1/contexts/a/commit', { base: 2, operations: { content: secret } })
    await ask('/v1/contexts/c/import', {
      format: 'openai-chat',
      body: { messages: [secret, { content: secret }] },
    })
    await ask('/v1/contexts/c/import', { format: 'auto', body: `{"messages": ${secret}` })
    await ask('/v1/contexts/a/attempts', { provider: '', model: secret, params: { key: secret } })
    for (const text of [...bodies, ...lines]) {
      expect(text).not.toContain('verysecret')
      expect(text).not.toContain('quoted')
      expect(text).not.toContain(own.server.token)
    }
    expect(lines).toHaveLength(bodies.length)
    // Nor are ids: routes are noted, not paths.
    expect(lines[0]).toContain('"/v1/contexts/:id/select"')
  })

  test('what nobody foresaw is 500 and says nothing of itself', async () => {
    const lines: string[] = []
    const broken = new Proxy({} as Store, {
      get: () => () => {
        throw new TypeError('secret of the house')
      },
    })
    const own = createServer({ store: broken, log: (entry) => lines.push(JSON.stringify(entry)) })
    const response = await own.fetch(
      new Request('http://localhost/v1/contexts', { headers: { authorization: `Bearer ${own.token}` } }),
    )
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(text)).toEqual({
      error: { code: 'E_INTERNAL', message: 'Something went wrong here, which is a bug.', details: {} },
    })
    expect(text + lines.join('')).not.toContain('secret of the house')
    expect(lines[0]).toContain('frames')
  })
})

test('GET changes nothing', async () => {
  const store = await openStore('memory:')
  const own = await served({ store })
  await aConversation(own, 'a', 2)
  const before = JSON.stringify([await store.list(), await store.find('a')])
  for (const path of PATHS) {
    const response = await own.ask('GET', path.replace('/a', '/a'))
    await response.body?.cancel()
    const missing = await own.ask('GET', path.replace('contexts/a', 'contexts/new'))
    await missing.body?.cancel()
  }
  expect(JSON.stringify([await store.list(), await store.find('a')])).toBe(before)
  await store.close()
})
