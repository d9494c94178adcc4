// Malformed bodies, for every route that takes one. What the description refuses, the route refuses with 400 and the field's name; no
// body is answered with 500, and no answer repeats what the request said.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROUTES, type Route } from '../../src/api/index.js'
import { REPEATED } from '../../src/server/scrub.js'
import { nameOf, requestsFor } from '../support/asked.js'
import { answerErrors, bodyErrors } from '../support/openapi.js'
import { aConversation, served, type Served } from '../support/served.js'

let here: Served
beforeAll(async () => {
  here = await served({ limits: { bodyBytes: 100_000, importBytes: 200_000 } })
  await aConversation(here)
  await here.client.create('old')
})
afterAll(() => here.store.close())

const TAKING = ROUTES.filter(({ method }) => method === 'post')
const SECRET = 'sk-hush-0123456789-nobody'

type Told = Readonly<{ error: Readonly<{ code: string; message: string; details: Record<string, unknown> }> }>
type Answered = Readonly<{ status: number; text: string; told: Told['error'] | undefined }>

/** Asks, and holds every answer against what is always true; `mayTell` is set where the secret is in a place that is repeated. */
async function ask(path: string, body: unknown, mayTell = false): Promise<Answered> {
  const response = await here.ask('POST', path, typeof body === 'string' ? body : JSON.stringify(body))
  const text = await response.text()
  expect(response.status, text).toBeLessThan(500)
  if (response.status < 400) return { status: response.status, text, told: undefined }
  expect([400, 403, 404, 409, 413, 422], text).toContain(response.status)
  const answer: unknown = JSON.parse(text)
  expect(answerErrors('POST', path, response.status, text)).toBeUndefined()
  if (!mayTell) expect(text).not.toContain('hush')
  return { status: response.status, text, told: (answer as Told).error }
}

/** One good request of a route. */
function goodOf(route: Route): Readonly<{ path: string; body: Readonly<Record<string, unknown>> }> {
  const [path, body = {}] = requestsFor(route)[0]!
  return { path, body: body as Readonly<Record<string, unknown>> }
}

/** An accepted operation is committed, so the next one builds on another cycle, and has another key. */
async function newestFor({ path }: Route): Promise<object> {
  if (!path.endsWith('/commit')) return {}
  const { cycle } = await (await here.client.open('old')).summary()
  return { base: cycle, key: `after ${cycle}` }
}

/** Values of every sort; which of them a field takes, its schema says. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  '',
  SECRET,
  'x'.repeat(5000),
  '\ud800',
  '__proto__',
  [],
  [null],
  [SECRET],
  [[[SECRET]]],
  {},
  { nonsense: SECRET },
  { message: SECRET },
  JSON.parse('{"__proto__":{"polluted":true}}'),
]

describe.each(TAKING.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
  const { path, body } = goodOf(route)

  test('a body that is no object', async () => {
    for (const given of ['null', 'true', '7', '"text"', '[]', `[${JSON.stringify(body)}]`]) {
      const { status, told } = await ask(path, given)
      expect([status, told?.code, told?.details], given).toEqual([400, 'E_CONTENT_INVALID', { name: 'body' }])
    }
  })

  test('a body that is no JSON', async () => {
    for (const given of ['', '{', `{"a":"${SECRET}`, `${JSON.stringify(body)} x`, '{"a":NaN}', "{'a':1}", '{"a":1,}']) {
      const { status, told } = await ask(path, given)
      expect([status, told?.code, told?.details], given).toEqual([400, 'E_CONTENT_INVALID', { name: 'body' }])
    }
  })

  test('a name that there is not', async () => {
    for (const name of ['nonsense', 'constructor', 'toString', '__proto__', '', 'ID']) {
      const { status, told } = await ask(path, `${JSON.stringify(body).slice(0, -1)},${JSON.stringify(name)}:1}`)
      expect([status, told?.code, told?.details['name']], name).toEqual([400, 'E_CONTENT_INVALID', name])
    }
    expect((Object.prototype as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('a field that is missing', async () => {
    for (const name of route.needs) {
      const { [name]: _, ...rest } = body
      const { status, told } = await ask(path, rest)
      expect([status, told?.code, told?.details['name']], name).toEqual([400, 'E_CONTENT_INVALID', name])
    }
  })

  test.each(Object.keys(route.fields))('%s of another type', async (name) => {
    for (const value of VALUES) {
      const given = { ...body, ...(await newestFor(route)), [name]: value }
      const { status, told } = await ask(path, given, REPEATED.has(name))
      if (bodyErrors('POST', path, given) === undefined) continue
      expect(status, `${JSON.stringify(value)}: the schema refuses it`).toBe(400)
      // An error in an entry of a list names its number.
      if (told?.details['operation'] === undefined) expect(told?.details['name'], told?.message).toBe(name)
    }
  })

  test('too deep, too long, too large', async () => {
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`
    expect((await ask(path, `{"a":${deep}}`)).status).toBe(400)
    expect((await ask(path, `{"a":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`)).status).toBe(400)
    expect((await ask(path, `{"a":${'9'.repeat(5000)}}`)).status).toBe(400)
    const large = await ask(path, `{"a":"${SECRET.repeat(10_000)}"}`)
    expect([large.status, large.told?.details['name']]).toEqual([413, 'body'])
  })
})

describe('operations', () => {
  const OPERATIONS: readonly unknown[] = [
    null,
    7,
    SECRET,
    [],
    {},
    { op: 7 },
    { op: null },
    { op: 'explode' },
    { op: 'constructor' },
    { op: '__proto__' },
    { op: 'commit' },
    { op: 'user' },
    { op: 'user', content: SECRET, header: SECRET },
    { op: 'user', content: SECRET, header: [] },
    { op: 'user', content: SECRET, header: { ttl: SECRET } },
    { op: 'user', content: SECRET, header: { nonsense: SECRET } },
    { op: 'user', content: SECRET, nonsense: SECRET },
    { op: 'user', content: SECRET, region: 'nowhere' },
    { op: 'put', content: SECRET },
    { op: 'put', key: 7, content: SECRET },
    { op: 'insert', spec: { content: SECRET } },
    { op: 'insert', spec: SECRET, position: '(d0, 0)' },
    { op: 'insert', spec: { content: SECRET }, position: SECRET },
    { op: 'insert', spec: { content: SECRET }, position: { depth: SECRET } },
    { op: 'replace', selector: SECRET, spec: {} },
    { op: 'replace', selector: 7, spec: {} },
    { op: 'move', selector: '.block', position: [] },
    { op: 'delete' },
    { op: 'delete', selector: `[data_key='${SECRET}']` },
    { op: 'redact', selector: '.block', options: {} },
    { op: 'redact', selector: '.block', options: { match: 7 } },
    { op: 'redact', selector: '.block', options: { match: SECRET } },
    { op: 'update', selector: '.block', changes: SECRET },
    { op: 'update', selector: '.block', changes: { content: SECRET } },
    JSON.parse(`{"op":"user","content":"x","__proto__":{"header":{"ttl":1}}}`),
    JSON.parse(`{"op":"user","content":"x","header":{"__proto__":{"ttl":1}}}`),
  ]

  test.each(['preview', 'commit', 'thread', 'select'])('that are wrong are told by their number: %s', async (name) => {
    const path = `/v1/contexts/support-42/${name}`
    const more = { ...(name === 'select' ? { selector: '.block' } : {}), base: 4 }
    for (const wrong of OPERATIONS) {
      const operations = [{ op: 'user', content: 'fine' }, wrong]
      const { status, told } = await ask(path, { ...more, operations })
      expect(status, JSON.stringify(wrong)).toBeGreaterThanOrEqual(400)
      expect(told?.details['operation'], `${JSON.stringify(wrong)}: ${told?.message}`).toBe(1)
    }
    const { cycle } = await (await here.client.open('support-42')).summary()
    expect(cycle).toBe(4)
  })

  test('that are too many are refused', async () => {
    const operations = Array.from({ length: 3000 }, () => ({ op: 'x' }))
    const { status } = await ask('/v1/contexts/support-42/preview', { operations })
    expect(status).toBe(400)
  })
})

test('an attempt needs a provider and a model, unless an adapter and its params name them', async () => {
  const path = '/v1/contexts/support-42/attempts'
  for (const [body, missing] of [
    [{ model: 'large', params: {} }, 'provider'],
    [{ provider: 'acme', params: {} }, 'model'],
  ] as const) {
    const { status, told } = await ask(path, body)
    expect([status, told?.details['name']]).toEqual([400, missing])
  }
  const { status, text } = await ask(path, { for: 'openai-chat', params: { model: 'gpt-5.6' } })
  expect([status, JSON.parse(text)]).toMatchObject([201, { provider: 'openai', model: 'gpt-5.6' }])
})

describe('queries', () => {
  const READ = ROUTES.filter(({ method, endpoint }) => method === 'get' && endpoint.isStream !== true)
  test.each(READ.map((route) => [nameOf(route), route] as const))('%s', async (_name, route) => {
    const [good] = requestsFor(route)[0]!
    const [path, query = ''] = good.split('?')
    for (const name of [...Object.keys(route.fields), 'nonsense', '__proto__']) {
      for (const value of ['', SECRET, '-1', '1.5', 'null', '[]', '%00', '%F0%9F%92%A5', '9'.repeat(400)]) {
        const params = new URLSearchParams(query)
        params.delete(name)
        const response = await here.ask('GET', `${path}?${params.toString()}&${name}=${value}`)
        const text = await response.text()
        expect(response.status, `${name}=${value}: ${text.slice(0, 200)}`).toBeLessThan(500)
        if (name === 'nonsense' || name === '__proto__') expect(response.status, name).toBe(400)
        if (response.status >= 400) expect(answerErrors('GET', path!, response.status, text)).toBeUndefined()
      }
    }
  })
})
