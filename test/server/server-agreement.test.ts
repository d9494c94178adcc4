// Types, OpenAPI and answers agree for every endpoint. The types follow from the schemas by inference, and the compiler holds the results of
// the engine against them. Here the answers are held against the OpenAPI document, by a validator that shares no code with src.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROUTES, type Route } from '../../src/api/index.js'
import { nameOf, requestsFor } from '../support/asked.js'
import { agreeing, answerErrors, EXERCISED, OPERATIONS, operationOf } from '../support/openapi.js'
import { aConversation, served, type Served } from '../support/served.js'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

let here: Served

beforeAll(async () => {
  here = await served()
  await aConversation(here)
  // Something of every sort, so that optional fields occur too.
  const ctx = await here.client.open('support-42')
  await ctx.recordAttempt({ provider: 'p', model: 'm', params: {}, for: 'anthropic', keepRequest: true })
  await ctx.recordAttempt({ provider: 'p', model: 'm', params: {}, status: 'error', error: { message: 'No' } })
})

afterAll(() => here.store.close())

const ANSWERING = ROUTES.filter(({ endpoint }) => endpoint.isStream !== true)

async function answersOf(route: Route): Promise<readonly Readonly<{ path: string; text: string; status: number }>[]> {
  const answers = []
  for (const [path, body] of requestsFor(route)) {
    const response = await here.ask(route.method.toUpperCase(), path, body)
    answers.push({ path, text: await response.text(), status: response.status })
  }
  return answers
}

describe.each(ANSWERING.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
  test('answers what is described, and every wrong answer would be noticed', async () => {
    const method = route.method.toUpperCase()
    for (const { path, text, status } of await answersOf(route)) {
      expect(status, text).toBe(route.status)
      expect(answerErrors(method, path, status, text)).toBeUndefined()
      if (status === 204) {
        expect(answerErrors(method, path, status, '{}')).toBeDefined()
        continue
      }
      const answer = JSON.parse(text) as Json
      for (const wrong of [null, 7, 'text', ...wrongFormsOf(answer, route)]) {
        expect(
          answerErrors(method, path, status, JSON.stringify(wrong)),
          JSON.stringify(wrong).slice(0, 300),
        ).toBeDefined()
      }
      expect(answerErrors(method, path, 299, text)).toBeDefined()
    }
  })
})

/** An answer with one fault: a field that is not declared, a field less, a value of another type. An export is open: it only needs a root. */
function wrongFormsOf(answer: Json, { name }: Route): readonly Json[] {
  if (name === 'thread') return [[...(answer as readonly Json[]), { nonsense: 1 }], {}]
  const fields = Object.entries(answer as { readonly [name: string]: Json })
  const without = (left: string): Json => Object.fromEntries(fields.filter(([field]) => field !== left))
  const other = (value: Json): Json => (typeof value === 'object' && value !== null ? 7 : { wrong: value })
  // A content is any JSON.
  if (name === 'recall') return [{ ...(answer as object), nonsense: 1 }, without('content')]
  const optional = name === 'sentRequest' ? OPTIONAL_SENT : name === 'tree' ? OPTIONAL_TREE : OPTIONAL
  if (name === 'export') return [without('root'), { ...(answer as object), root: 7 }]
  return [
    { ...(answer as object), nonsense: 1 },
    ...fields.map(([field, value]): Json => ({ ...(answer as object), [field]: other(value) })),
    ...fields.filter(([field]) => !optional.has(field)).map(([field]) => without(field)),
  ]
}

/** The fields of answers that may be missing. */
const OPTIONAL: ReadonlySet<string> = new Set(
  'cursor before bins from changed matches matched found node shownAt coordinate cut place pair nodes first overhead by thread fixed operations error request_hash request_body adapter adapter_version adapter_options params reported'.split(
    ' ',
  ),
)

/** A tree without turns has no newest one. */
const OPTIONAL_TREE: ReadonlySet<string> = new Set([...OPTIONAL, 'newest'])

/** A body that cannot be given again is missing, with everything about it. */
const OPTIONAL_SENT: ReadonlySet<string> = new Set('hash text why tokens repairs sourceMap breakpoints'.split(' '))

test('the three operations outside the table answer what is described', async () => {
  expect((await here.ask('GET', '/health')).status).toBe(200)
  expect((await here.ask('GET', '/openapi.json')).status).toBe(200)
  const events = await here.ask('GET', '/v1/contexts/support-42/events?from=3')
  expect(events.headers.get('content-type')).toBe('text/event-stream')
  await events.body?.cancel()
})

test('every operation of the description was exercised', () => {
  expect(OPERATIONS.filter((operation) => !EXERCISED.has(operation))).toEqual([])
  expect(OPERATIONS.length).toBe(ROUTES.length + 2)
})

test('a server whose answer is wrong fails the test that asks it', async () => {
  const answering = (json: unknown): ReturnType<typeof agreeing> =>
    agreeing(async () => Response.json(json, { headers: { 'content-type': 'application/json' } }))
  const request = new Request('http://127.0.0.1/v1/contexts/a/tokens')
  expect(operationOf('GET', '/v1/contexts/a/tokens')).toBe('get /v1/contexts/{id}/tokens')
  await expect(answering({ total: 1 })(request)).resolves.toBeInstanceOf(Response)
  await expect(answering({ total: '1' })(request)).rejects.toThrow('The answer is not as described')
  await expect(answering({ total: 1, more: 2 })(request)).rejects.toThrow('The answer is not as described')
})
