// Every route, its answer held against its schema, and the description of the API against both.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createContext, type ErrorCode } from 'pact-context'
import { openApi } from 'pact-context/server'
import { ROUTES } from '../../src/api/index.js'
import { makeApp } from '../../src/server/app.js'
import { nameOf, requestsFor, USER } from '../support/asked.js'
import { answerErrors, bodyErrors } from '../support/openapi.js'
import { aConversation, bodyOf, served, type Served } from '../support/served.js'

let here: Served

beforeAll(async () => {
  here = await served()
  await aConversation(here)
  const ctx = await here.client.open('support-42')
  await ctx.recordAttempt({ provider: 'p', model: 'm', params: {}, for: 'anthropic' })
})

afterAll(() => here.store.close())

const ANSWERING = ROUTES.filter(({ endpoint }) => endpoint.isStream !== true)

describe.each(ANSWERING.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
  const method = route.method.toUpperCase()

  test('answers as the description says', async () => {
    const requests = requestsFor(route)
    expect(requests.length, 'no request is known for this route').toBeGreaterThan(0)
    for (const [path, body] of requests) {
      if (route.method === 'post') expect(bodyErrors(method, path, body)).toBeUndefined()
      const response = await here.ask(method, path, body)
      const text = await response.text()
      expect(response.status, `${path}: ${text.slice(0, 400)}`).toBe(route.status)
      expect(answerErrors(method, path, response.status, text), text.slice(0, 400)).toBeUndefined()
      if (text !== '') expect(response.headers.get('content-type')).toBe('application/json')
    }
  })

  test('says what is wrong in the form of D40, without a context as with a bad field', async () => {
    const path = route.path.replace(':id', 'nobody').replace(':node', 'none')
    const isRead = route.method === 'get'
    for (const [asked, body] of [
      [isRead ? path : `${path}?x=1`, isRead || route.method === 'delete' ? undefined : {}],
      [isRead ? `${path}?nonsense=1` : path, isRead || route.method === 'delete' ? undefined : { nonsense: 1 }],
    ] as const) {
      const response = await here.ask(method, asked, body)
      if (response.status < 300) continue
      expect([400, 404]).toContain(response.status)
      expect(answerErrors(method, asked, response.status, await response.text())).toBeUndefined()
    }
  })
})

test('every route that the app has is in the description, and nothing else is', () => {
  const app = makeApp({} as never)
  const paths = openApi()['paths'] as Record<string, Record<string, unknown>>
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((each) => `${each} ${path}`),
  )
  const registered = app.routes
    .filter(
      ({ method, path }) =>
        method !== 'ALL' && (path.startsWith('/v1') || path === '/health' || path === '/openapi.json'),
    )
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  expect(described.toSorted()).toEqual([...new Set(registered)].toSorted())
})

test('the description is whole: names are given once, and every reference leads somewhere', async () => {
  const response = await here.ask('GET', '/openapi.json')
  const text = await response.text()
  const api = JSON.parse(text) as { openapi: string; paths: object; components: { schemas: Record<string, unknown> } }
  expect(api.openapi).toBe('3.1.0')
  const references = new Set(Array.from(text.matchAll(/"\$ref":"([^"]+)"/g), ([, ref]) => ref!))
  expect(references.size).toBeGreaterThan(10)
  for (const ref of references) {
    expect(ref.startsWith('#/components/schemas/'), ref).toBe(true)
    expect(Object.keys(api.components.schemas)).toContain(ref.slice('#/components/schemas/'.length))
  }
  const names = Array.from(text.matchAll(/"operationId":"([^"]+)"/g), ([, name]) => name!)
  expect(new Set(names).size).toBe(names.length)
  for (const [path, methods] of Object.entries(api.paths as Record<string, Record<string, Record<string, unknown>>>)) {
    const wanted = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
    for (const operation of Object.values(methods)) {
      const given = ((operation['parameters'] ?? []) as { in: string; name: string }[]).filter(
        (each) => each.in === 'path',
      )
      expect(given.map((each) => each.name)).toEqual(wanted)
      expect(operation['responses']).toBeTypeOf('object')
    }
  }
})

test('bytes are exactly those of the call', async () => {
  const exported = new Uint8Array(
    await (await here.ask('GET', '/v1/contexts/support-42/export?lens=@c2')).arrayBuffer(),
  )
  const stored = await here.store.open('support-42')
  expect(Buffer.compare(exported, stored.export('@c2'))).toBe(0)
  const thread = new Uint8Array(
    await (await here.ask('GET', '/v1/contexts/support-42/thread?lens=%40t0')).arrayBuffer(),
  )
  expect(Buffer.compare(thread, stored.threadBytes('@t0'))).toBe(0)
})

const ERRORS: readonly (readonly [status: number, code: ErrorCode, method: string, path: string, body?: object])[] = [
  [400, 'E_SELECTOR_INVALID', 'POST', '/v1/contexts/support-42/select', { selector: ':cor' }],
  [400, 'E_SELECTOR_INVALID', 'GET', '/v1/contexts/support-42/thread?lens=yesterday'],
  [404, 'E_SNAPSHOT_NOT_FOUND', 'GET', '/v1/contexts/support-42/thread?lens=@c99'],
  [404, 'E_NODE_NOT_FOUND', 'GET', '/v1/contexts/support-42/nodes/nobody'],
  [404, 'E_STORE', 'GET', '/v1/contexts/nobody'],
  [404, 'E_STORE', 'DELETE', '/v1/contexts/nobody'],
  [404, 'E_CONTENT_INVALID', 'GET', '/v1/nothing'],
  [405, 'E_CONTENT_INVALID', 'PUT', '/v1/contexts/support-42'],
  [409, 'E_CONFLICT', 'POST', '/v1/contexts', { id: 'support-42' }],
  [409, 'E_CONFLICT', 'POST', '/v1/contexts/support-42/import', { body: { messages: [] } }],
  [409, 'E_CONFLICT', 'POST', '/v1/contexts/support-42/commit', { base: 1, operations: USER }],
  [400, 'E_CONTENT_INVALID', 'POST', '/v1/contexts/support-42/commit', { operations: USER }],
  [400, 'E_CONTENT_INVALID', 'POST', '/v1/contexts/support-42/commit', { base: 4, operations: [{ op: 'explode' }] }],
  [
    400,
    'E_TTL_INVALID',
    'POST',
    '/v1/contexts/support-42/preview',
    { operations: [{ op: 'post', content: 'x', header: { ttl: -1 } }] },
  ],
  [
    422,
    'E_PARENT_NOT_FOUND',
    'POST',
    '/v1/contexts/support-42/preview',
    { operations: [{ op: 'insert', spec: { content: 'x' }, position: { parent: 'nobody' } }] },
  ],
  [
    403,
    'E_NOT_AUTHORIZED',
    'POST',
    '/v1/contexts/support-42/preview',
    { operations: [{ op: 'replace', selector: '^sys .block', spec: { content: 'x' } }] },
  ],
  [
    413,
    'E_SELECTOR_TOO_LARGE',
    'POST',
    '/v1/contexts/support-42/select',
    { selector: '@t0 .block', options: { maxVisits: 1 } },
  ],
]

test.each(ERRORS as readonly [number, ErrorCode, string, string, object?][])(
  '%i %s: %s %s',
  async (status, code, method, path, body) => {
    const response = await here.ask(method, path, body)
    const text = await response.text()
    const answer = JSON.parse(text) as { error: { code: string; message: string } }
    expect([response.status, answer.error.code]).toEqual([status, code])
    if (response.status !== 405 && path !== '/v1/nothing') {
      expect(answerErrors(method, path, status, text)).toBeUndefined()
    }
    expect(response.headers.get('cache-control')).toBe('no-store')
  },
)

test('an answer has a tag with its epoch, and 304 says that it is still the same', async () => {
  for (const path of ['/thread', '/tree', '/timeline', '', '/snapshots', '/attempts', '/nodes/block%3A1-2']) {
    const first = await here.ask('GET', `/v1/contexts/support-42${path}`)
    const tag = first.headers.get('etag')!
    expect(tag).toMatch(/^"0-/)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = await here.ask('GET', `/v1/contexts/support-42${path}`, undefined, {
      'if-none-match': `"x", W/${tag}`,
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
})

test('a commit and an erasure give other tags', async () => {
  const own = await served()
  await aConversation(own, 'a', 2)
  const tagOf = async (): Promise<string> =>
    (await own.ask('GET', '/v1/contexts/a/thread?lens=@c1')).headers.get('etag')!
  const before = await tagOf()
  await own.ask('POST', '/v1/contexts/a/commit', { base: 2, operations: USER })
  const committed = await tagOf()
  await own.store.erase('a', '#kb')
  const erased = await tagOf()
  expect(new Set([before, committed, erased]).size).toBe(3)
  expect(erased).toMatch(/^"1-/)
  expect(await (await own.ask('GET', '/v1/contexts/a/thread?lens=@c1')).text()).not.toContain('Doc 1')
  await own.store.close()
})

test('lists come in pages whose cursors lead on', async () => {
  const own = await served()
  for (const id of ['a', 'b', 'c', 'd', 'e']) await own.client.create(id)
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await own.client.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.contexts.map(({ id }) => id))
    cursor = page.cursor
  } while (cursor !== undefined)
  expect(found).toEqual(['a', 'b', 'c', 'd', 'e'])
  const ctx = await here.client.open('support-42')
  const cycles: number[] = []
  let before: number | undefined
  do {
    const page = await ctx.snapshots({ limit: 3, ...(before === undefined ? {} : { before }) })
    cycles.push(...page.snapshots.map(({ cycle }) => cycle))
    before = page.before
  } while (before !== undefined)
  expect(cycles).toEqual([4, 3, 2, 1])
  await own.store.close()
})

test('attempts and names come in pages too, each entry once', async () => {
  const own = await served()
  const ctx = await own.client.create('a')
  for (let i = 0; i < 7; i++) ctx.user(`Question ${i}`, { key: `key-${i}`, tags: ['asked'] })
  await ctx.commit()
  for (let i = 0; i < 5; i++) await ctx.recordAttempt({ provider: 'p', model: `m${i}`, params: {} })
  const [models, keys]: [string[], string[]] = [[], []]
  let cursor: string | undefined
  do {
    const page = await ctx.attempts({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
    expect(page.attempts.length).toBeLessThanOrEqual(2)
    models.push(...page.attempts.map(({ model }) => model))
    cursor = page.cursor
    // Events that come in meanwhile come last, and none is sent twice.
    if (models.length === 2) await ctx.recordAttempt({ provider: 'p', model: 'late', params: {} })
  } while (cursor !== undefined)
  expect(models).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'late'])
  do {
    const page = await ctx.names('@t0', { limit: 3, ...(cursor === undefined ? {} : { cursor }) })
    expect(page.tags).toEqual(cursor === undefined ? [{ name: 'asked', count: 7 }] : [])
    keys.push(...page.keys.map(({ name }) => name))
    cursor = page.cursor
  } while (cursor !== undefined)
  expect(keys).toEqual(Array.from({ length: 7 }, (_, i) => `key-${i}`))
  // Of one cycle, from a record of another one on; and cursors that lead nowhere.
  const [first] = (await ctx.attempts({ limit: 1 })).attempts
  expect((await ctx.attempts({ cycle: first!.cycle_id, cursor: first!.attempt_id })).attempts).toHaveLength(5)
  for (const path of ['attempts?cursor=nobody', 'names?cursor=nobody', 'names?cursor=-1']) {
    const response = await own.ask('GET', `/v1/contexts/a/${path}`)
    const { error } = await bodyOf<{ error: { code: string; details: object } }>(response)
    expect([response.status, error.code, error.details]).toEqual([400, 'E_CONTENT_INVALID', { name: 'cursor' }])
  }
  await own.store.close()
})

test('read-only: reads and previews are answered, writes are refused', async () => {
  const own = await served({ store: here.store, readOnly: true })
  for (const route of ANSWERING) {
    const path = route.path.replace(':id', 'support-42').replace(':node', 'block%3A1-2')
    const response = await own.ask(route.method.toUpperCase(), path, route.method === 'post' ? {} : undefined)
    expect(response.status === 403, nameOf(route)).toBe(route.endpoint.writes === true)
  }
  expect((await bodyOf(await own.ask('GET', '/v1/contexts/support-42')))['readOnly']).toBe(true)
  expect((await bodyOf(await here.ask('GET', '/v1/contexts/support-42')))['readOnly']).toBe(false)
})

test('what operations would give is what their commit gives, ids and all', async () => {
  const own = await served()
  await aConversation(own, 'a', 3)
  const operations = [{ op: 'replace', selector: '#kb', spec: { content: 'Newer' } }, ...USER]
  const preview = await bodyOf<{ ids: unknown }>(await own.ask('POST', '/v1/contexts/a/preview', { operations }))
  const thread = await (await own.ask('POST', '/v1/contexts/a/thread', { lens: 'preview', operations })).text()
  const committed = await bodyOf<{ ids: unknown }>(
    await own.ask('POST', '/v1/contexts/a/commit', { base: 3, operations }),
  )
  expect(committed.ids).toEqual(preview.ids)
  expect(await (await own.ask('GET', '/v1/contexts/a/thread')).text()).toBe(thread)
  await own.store.close()
})

test('results and work are limited', async () => {
  const own = await served({ store: here.store, limits: { work: { results: 3, nodes: 2 } } })
  const all = { selector: '@t0 .block' }
  expect((await own.ask('POST', '/v1/contexts/support-42/select', all)).status).toBe(413)
  const few = await bodyOf<{ ids: string[] }>(
    await own.ask('POST', '/v1/contexts/support-42/select', { ...all, options: { limit: 3 } }),
  )
  expect(few.ids).toHaveLength(3)
  expect(
    (await own.ask('POST', '/v1/contexts/support-42/select', { ...all, nodes: true, options: { limit: 3 } })).status,
  ).toBe(413)
  const lean = await served({ store: here.store, limits: { work: { visits: 2 } } })
  for (const options of [undefined, { maxVisits: 1e9 }]) {
    const diffed = await lean.ask('POST', '/v1/contexts/support-42/diff', {
      a: '@c1',
      b: '@t0',
      selector: "[content~'e']",
      ...(options === undefined ? {} : { options }),
    })
    expect([diffed.status, (await bodyOf<{ error: { code: string } }>(diffed)).error.code]).toEqual([
      413,
      'E_SELECTOR_TOO_LARGE',
    ])
  }
  const refused = await lean.ask('POST', '/v1/contexts/support-42/select', { ...all, options: { maxVisits: 1e9 } })
  expect([refused.status, (await bodyOf<{ error: { code: string } }>(refused)).error.code]).toEqual([
    413,
    'E_SELECTOR_TOO_LARGE',
  ])
})

test('a context in memory is served as it changes', async () => {
  const { memoryPool } = await import('../../src/commands/index.js')
  const { serverOver } = await import('../../src/server/server.js')
  const ctx = createContext({ id: 'mine' })
  const server = serverOver(memoryPool(ctx), {})
  const ask = async (path: string): Promise<Response> =>
    server.fetch(new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${server.token}` } }))
  const tag = (await ask('/v1/contexts/mine/tree')).headers.get('etag')
  ctx.user('Hi')
  expect((await ask('/v1/contexts/mine/tree')).headers.get('etag')).not.toBe(tag)
  ctx.commit()
  expect(await (await ask('/v1/contexts/mine/thread')).text()).toBe(new TextDecoder().decode(ctx.threadBytes('@t0')))
  expect((await bodyOf<{ contexts: unknown }>(await ask('/v1/contexts'))).contexts).toEqual([
    { id: 'mine', cycle: 1, forks: 0 },
  ])
  expect((await ask('/v1/contexts/other')).status).toBe(404)
})
