// The app: routes of the table on Hono, each answered by its command. Nothing here decides who may ask; that is the gate's.

import { createHash, randomBytes } from 'node:crypto'

import { Hono, type Context } from 'hono'
import { PactError } from '../errors/index.js'
import { readJson } from './body.js'
import { Deadline } from './deadline.js'
import type { EventStreams } from './events.js'
import type { Gate } from './gate.js'
import { openApi } from './openapi.js'
import { ROUTES, type Answer, type Input, type Office, type Route } from './routes.js'
import { errorBody } from './scrub.js'
import { refused, Refusal, statusOf } from './status.js'
import type { StaticFiles } from './static-files.js'

export type AppParts = Office &
  Readonly<{
    gate: Gate
    files: StaticFiles
    events: EventStreams
    /** Bytes of a body, and of the body of an import. */
    bodyBytes: number
    importBytes: number
    bodyTime: number
    /** How long a request may take, in milliseconds. */
    time: number
  }>

/** What is noted about an answer, for the log. */
export type Noted = { route?: string; code?: string; frames?: string }

/** Notes about a response, until it is logged. */
export const NOTES: WeakMap<Response, Noted> = new WeakMap()

export function makeApp(parts: AppParts): Hono {
  const app = new Hono({ strict: true })
  /** Another one for each server: what is answered may differ from one build to another. */
  const build = randomBytes(3).toString('hex')
  for (const route of ROUTES) {
    app.on(route.method.toUpperCase(), route.path, (c) =>
      answered(c, route.path, (ask) => serve(c, route, parts, build, ask)),
    )
  }
  app.get('/v1/contexts/:id/events', (c) =>
    answered(c, '/v1/contexts/:id/events', async () => {
      const { id } = c.req.param()
      return parts.events.open(parts.desk, id, c.req.header('last-event-id') ?? c.req.query('from'), c.req.raw.signal)
    }),
  )
  app.get('/health', (c) =>
    answered(c, '/health', async () => jsonResponse('{"ok":true}', 200, { 'cache-control': 'no-store' })),
  )
  app.get('/openapi.json', (c) =>
    answered(c, '/openapi.json', async () => jsonResponse(JSON.stringify(openApi()), 200)),
  )
  app.get('/open', (c) => answered(c, '/open', async () => openLink(c, parts.gate)))
  for (const path of ['/', '/index.html', '/favicon.ico', '/assets/*']) {
    app.get(path, (c) => answered(c, path, async () => (await parts.files.answer(c.req.path)) ?? notFound()))
  }
  for (const path of new Set(app.routes.map((each) => each.path))) {
    const allow = [...new Set(app.routes.filter((each) => each.path === path).map(({ method }) => method))].join(', ')
    app.all(path, (c) =>
      answered(c, path, async () => {
        throw refused(405, 'E_CONTENT_INVALID', `This is asked with ${allow}.`, { name: 'method' }, { allow })
      }),
    )
  }
  app.notFound((c) => answered(c, '', async () => notFound()))
  return app
}

function notFound(): never {
  throw refused(404, 'E_CONTENT_INVALID', 'There is nothing at this path; /openapi.json lists what there is.', {
    name: 'path',
  })
}

/** Keeps hold of what was asked, so that an error does not repeat it. */
type Ask = { asked: unknown }

async function answered(c: Context, route: string, work: (ask: Ask) => Promise<Response>): Promise<Response> {
  const ask: Ask = { asked: undefined }
  try {
    const response = await work(ask)
    NOTES.set(response, { route })
    return response
  } catch (error) {
    return errorResponse(error, [ask.asked, c.req.query()], route)
  }
}

async function serve(c: Context, route: Route, parts: AppParts, build: string, ask: Ask): Promise<Response> {
  if (route.writes && parts.readOnly) {
    throw refused(403, 'E_NOT_AUTHORIZED', 'This server only reads; nothing can be changed here.', {
      reason: 'readOnly',
    })
  }
  const params: Input = c.req.param()
  const input = route.method === 'get' ? queryOf(c, route) : await bodyOf(c, route, parts)
  ask.asked = input
  const { id } = params
  let tag: string | undefined
  if (route.isVersioned && typeof id === 'string') {
    const { version } = await parts.desk.state(id)
    tag = `"${version}-${build}"`
    if (matches(c, tag)) return unchanged(tag)
  }
  const deadline = new Deadline(c.req.raw, parts.time)
  const answer = await route.run(parts, params, input, deadline).finally(() => deadline.end())
  if (route.method !== 'get') return responseOf(answer, route.status, { 'cache-control': 'no-store' })
  const text = 'json' in answer ? JSON.stringify(answer.json) : 'bytes' in answer ? answer.bytes : ''
  if (tag === undefined) {
    const epoch = typeof id === 'string' ? (await parts.desk.state(id)).epoch : 0
    tag = `"${epoch}-${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
    if (matches(c, tag)) return unchanged(tag)
  }
  return jsonResponse(text, route.status, { etag: tag, 'cache-control': CACHED, ...answer.headers })
}

const CACHED = 'private, no-cache'

function matches(c: Context, tag: string): boolean {
  const asked = c.req.header('if-none-match')
  if (asked === undefined) return false
  return asked.split(',').some((each) => each.trim().replace(/^W\//, '') === tag || each.trim() === '*')
}

function unchanged(tag: string): Response {
  return new Response(null, { status: 304, headers: { etag: tag, 'cache-control': CACHED } })
}

/** Query parameters as the fields that they stand for; those that no field has are handed on, and refused there by name. */
function queryOf(c: Context, { fields }: Route): Input {
  const input: Record<string, unknown> = Object.create(null)
  for (const [name, values] of Object.entries(c.req.queries())) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const [first = ''] = values
    if (field === undefined) input[name] = first
    else if (field.isList) input[name] = first === 'all' ? 'all' : values
    else if (values.length === 1) input[name] = field.read(first)
    else throw refused(400, 'E_CONTENT_INVALID', `${name} is there ${values.length} times.`, { name })
  }
  return { ...input }
}

async function bodyOf(c: Context, route: Route, parts: AppParts): Promise<Input> {
  // What is deleted stands in the path.
  if (route.method === 'delete' && c.req.header('content-type') === undefined) return queryOf(c, route)
  const bytes = route.path.endsWith('/import') ? parts.importBytes : parts.bodyBytes
  const body = await readJson(c.req.raw, { bytes, time: parts.bodyTime })
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Input
  throw refused(400, 'E_CONTENT_INVALID', 'The body is a JSON object.', { name: 'body' })
}

function openLink(c: Context, gate: Gate): Response {
  // Who only looks whether there is something must not use it up.
  if (c.req.method !== 'GET')
    throw refused(405, 'E_CONTENT_INVALID', 'This is asked with GET.', { name: 'method' }, { allow: 'GET' })
  const cookie = gate.takeCode(c.req.query('code') ?? '')
  if (cookie === undefined) {
    const message = 'This link was used, or is none of this server; the one that was printed opens a browser once.'
    throw refused(401, 'E_NOT_AUTHORIZED', message, { reason: 'link' })
  }
  return new Response(null, {
    status: 303,
    headers: { location: '/', 'set-cookie': cookie, 'cache-control': 'no-store' },
  })
}

function responseOf(answer: Answer, status: number, headers: Readonly<Record<string, string>>): Response {
  const all = { ...headers, ...answer.headers }
  if ('nothing' in answer) return new Response(null, { status, headers: all })
  return jsonResponse('json' in answer ? JSON.stringify(answer.json) : answer.bytes, status, all)
}

function jsonResponse(
  body: string | Uint8Array,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body as ConstructorParameters<typeof Response>[0], {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

/** An error as D40 has it; what nobody foresaw says nothing of itself. */
export function errorResponse(thrown: unknown, asked: unknown, route: string): Response {
  const { status, error, headers } = refusalOf(thrown)
  const response = jsonResponse(JSON.stringify(errorBody(error, asked)), status, {
    ...headers,
    'cache-control': 'no-store',
  })
  NOTES.set(response, { route, code: error.code, ...(status === 500 ? { frames: framesOf(thrown) } : {}) })
  return response
}

function refusalOf(thrown: unknown): Pick<Refusal, 'status' | 'error' | 'headers'> {
  if (thrown instanceof Refusal) return thrown
  if (PactError.is(thrown) && thrown.code !== 'E_INTERNAL') {
    const status = statusOf(thrown)
    return { status, error: thrown, headers: status === 503 ? { 'retry-after': '1' } : {} }
  }
  if (thrown instanceof Error && (thrown.name === 'TimeoutError' || thrown.name === 'AbortError')) {
    const message = 'This took too long, and was given up.'
    const error = new PactError('E_STORE', message, { reason: 'timeout', outcome: 'unknown' })
    return { status: 503, error, headers: { 'retry-after': '5' } }
  }
  return { status: 500, error: new PactError('E_INTERNAL', 'Something went wrong here, which is a bug.'), headers: {} }
}

/** Where it happened: the frames alone, since a message may quote what was asked. */
function framesOf(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .join('\n')
}
