// The app: the routes of the table on Hono, each answered by its command. The gate has decided who may ask before the app runs.

import { createHash, randomBytes } from 'node:crypto'

import { Hono, type Context } from 'hono'
import { openApi, paramsOf, ROUTES, type RemoteName, type Route } from '../api/index.js'
import { HANDLERS, poolWith, type CommandOptions, type ContextPool, type WorkLimits } from '../commands/index.js'
import { PactError, isRecord } from '../errors/index.js'
import { readJson } from './body.js'
import type { BodyBudget, BodyRoom } from './body-budget.js'
import type { EventStreams } from './events.js'
import type { Gate } from './gate.js'
import { errorBody } from './scrub.js'
import { refused, Refusal, statusOf } from './status.js'
import type { StaticFiles } from './static-files.js'
import { usedLink } from './used-link.js'

export type AppParts = Readonly<{
  pool: ContextPool
  /** Answers to further paths. */
  mount?: Readonly<Record<string, (request: Request) => Promise<Response>>> | undefined
  readOnly: boolean
  limits: WorkLimits
  gate: Gate
  files: StaticFiles
  events: EventStreams
  /** Memory for bodies under way. */
  budget: BodyBudget
  /** The address of the store; no answer repeats it whole. */
  storeName: string | undefined
  /** Bytes of a body, and of the body of an import. */
  bodyBytes: number
  importBytes: number
  bodyTime: number
  /** Milliseconds for one request. */
  time: number
}>

type Fields = Readonly<Record<string, unknown>>
type CommandFunction = (pool: ContextPool, input: never, options: CommandOptions) => Promise<object>

/** Notes about an answer for the log. */
export type Noted = { route?: string; code?: string; frames?: string }

/** Notes about a response, until it is logged. */
export const NOTES: WeakMap<Response, Noted> = new WeakMap()

export function makeApp(parts: AppParts): Hono {
  const app = new Hono({ strict: true })
  /** Different for each server: answers may differ from one build to another. */
  const build = randomBytes(3).toString('hex')
  const answered = answering(parts.storeName)
  for (const route of ROUTES) {
    app.on(route.method.toUpperCase(), route.path, (c) =>
      answered(c, route.path, async (ask) => {
        if (route.endpoint.isStream === true) return streamed(c, parts)
        const room = parts.budget.room()
        try {
          return await serve(c, route, parts, build, ask, room)
        } finally {
          room.release()
        }
      }),
    )
  }
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
  for (const [path, fetch] of Object.entries(parts.mount ?? {})) {
    app.all(path, (c) => answered(c, path, () => fetch(c.req.raw)))
  }
  app.notFound((c) => answered(c, '', async () => notFound()))
  return app
}

function notFound(): never {
  throw refused(404, 'E_CONTENT_INVALID', 'There is nothing at this path; /openapi.json lists what there is.', {
    name: 'path',
  })
}

/** The request so far, so that an error does not repeat its texts. */
type Ask = { asked: unknown }

type Answering = (c: Context, route: string, work: (ask: Ask) => Promise<Response>) => Promise<Response>

function answering(storeName: string | undefined): Answering {
  return async (c, route, work) => {
    const ask: Ask = { asked: undefined }
    try {
      const response = await work(ask)
      NOTES.set(response, { route })
      return response
    } catch (error) {
      const response = errorResponse(error, [ask.asked, c.req.query()], route, storeName)
      return c.req.header('pact-errors') === 'ok' ? quiet(response) : response
    }
  }
}

function streamed(c: Context, { events, pool }: AppParts): Promise<Response> {
  const from = c.req.header('last-event-id') ?? c.req.query('from')
  return events.open(pool, c.req.param('id') ?? '', from, c.req.raw.signal)
}

async function serve(
  c: Context,
  route: Route,
  parts: AppParts,
  build: string,
  ask: Ask,
  room: BodyRoom,
): Promise<Response> {
  const { pool, readOnly, limits } = parts
  const { endpoint, method, status } = route
  if (endpoint.writes === true && readOnly) {
    throw refused(403, 'E_NOT_AUTHORIZED', 'This server only reads; nothing can be changed here.', {
      reason: 'readOnly',
    })
  }
  const params: Fields = Object.fromEntries(paramsOf(endpoint).map(([param, field]) => [field, c.req.param(param)]))
  const fields = method === 'get' ? queryOf(c, route) : await bodyOf(c, route, parts, room)
  ask.asked = fields
  checkForHttp(route, fields)
  const id = c.req.param('id')
  let tag: string | undefined
  if (route.isVersioned && id !== undefined) {
    const { version } = await pool.state(id)
    tag = `"${version}-${build}"`
    if (matches(c, tag)) return unchanged(tag)
  }
  const deadline = deadlineOf(c.req.raw, parts.time)
  // Only requests with a body have operations, which may take long.
  const options = method === 'get' ? {} : { options: deadline }
  const run: CommandFunction = HANDLERS[route.name as RemoteName]
  // The path wins over a field of the same name. The command checks the input.
  const input = { ...fields, ...params } as never
  const answer = await run(poolWith(pool, { readOnly, limits, ...options }), input, deadline).finally(() =>
    deadline.end(),
  )
  if (status === 204) {
    if ('deleted' in answer && !answer.deleted) {
      throw refused(404, 'E_STORE', 'There is no such context.', { reason: 'missing' })
    }
    return new Response(null, { status, headers: { 'cache-control': 'no-store' } })
  }
  const [body, headers] = bodyAndHeaders(answer, route)
  if (method !== 'get') return jsonResponse(body, status, { 'cache-control': 'no-store', ...headers })
  if (tag === undefined) {
    const epoch = id === undefined ? 0 : (await pool.state(id)).epoch
    tag = `"${epoch}-${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    if (matches(c, tag)) return unchanged(tag)
  }
  return jsonResponse(body, status, { etag: tag, 'cache-control': CACHED })
}

/** The end of a request: its client disconnects, or its time is up. */
function deadlineOf(request: Request, time: number): Readonly<{ signal: AbortSignal; end: () => void }> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new DOMException('The time is up.', 'TimeoutError')), time)
  return { signal: AbortSignal.any([request.signal, late.signal]), end: () => clearTimeout(timer) }
}

/** Refuses requests that only HTTP cannot serve. */
function checkForHttp({ endpoint, fields: known }: Route, fields: Fields): void {
  for (const [name, sentence] of Object.entries(endpoint.needs ?? {})) {
    if (fields[name] === undefined) throw refused(400, 'E_CONTENT_INVALID', sentence, { name })
  }
  // URLs have no segments `.` and `..`.
  if (Object.hasOwn(known, 'id') && (fields['id'] === '.' || fields['id'] === '..')) {
    const message = 'A context called "." or ".." cannot be reached over HTTP; choose another id.'
    throw refused(400, 'E_CONTENT_INVALID', message, { name: 'id' })
  }
}

/** The bytes or the text of an answer, and its flags as headers. */
function bodyAndHeaders(
  answer: object,
  { endpoint }: Route,
): readonly [body: string | Uint8Array, headers: Readonly<Record<string, string>>] {
  if (endpoint.isBytes === true && 'bytes' in answer) return [answer.bytes as Uint8Array, {}]
  const flags = endpoint.headers ?? {}
  const entries = Object.entries(answer)
  const headers = entries.flatMap(([name, value]) => (value === true && name in flags ? [[flags[name]!, 'true']] : []))
  if (headers.length === 0) return [JSON.stringify(answer), {}]
  const body = Object.fromEntries(entries.filter(([name]) => !(name in flags)))
  return [JSON.stringify(body), Object.fromEntries(headers) as Record<string, string>]
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

/** Query parameters as fields. Unknown ones are passed on, and the command refuses them by name. */
function queryOf(c: Context, { fields }: Route): Fields {
  const input: Record<string, unknown> = Object.create(null)
  for (const [name, values] of Object.entries(c.req.queries())) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const [first = ''] = values
    if (field === undefined) input[name] = first
    else if (field.isList) input[name] = first === 'all' ? 'all' : values
    else if (values.length === 1) input[name] = field.read(first)
    else throw refused(400, 'E_CONTENT_INVALID', `${name} occurs ${values.length} times; give it once.`, { name })
  }
  return { ...input }
}

async function bodyOf(c: Context, route: Route, parts: AppParts, room: BodyRoom): Promise<Fields> {
  // A DELETE has its fields in the path and the query.
  if (route.method === 'delete' && c.req.header('content-type') === undefined) return queryOf(c, route)
  const bytes = route.name === 'import' ? parts.importBytes : parts.bodyBytes
  const body = await readJson(c.req.raw, { bytes, time: parts.bodyTime, room })
  if (isRecord(body)) return body
  throw refused(400, 'E_CONTENT_INVALID', 'The body is a JSON object.', { name: 'body' })
}

function openLink(c: Context, gate: Gate): Response {
  // A HEAD request must not use up the link.
  if (c.req.method !== 'GET')
    throw refused(405, 'E_CONTENT_INVALID', 'This is asked with GET.', { name: 'method' }, { allow: 'GET' })
  const at = c.req.query('at')
  const cookie = gate.takeCode(c.req.query('code') ?? '')
  // A browser that has its cookie needs no link.
  if (cookie === undefined && !gate.hasCookie(c.req.raw)) {
    if (c.req.header('accept')?.includes('text/html') === true) return usedLink()
    const message = 'This link has expired. It works once. Press Enter in the terminal of the server for a new one.'
    throw refused(401, 'E_NOT_AUTHORIZED', message, { reason: 'link' })
  }
  return new Response(null, {
    status: 303,
    headers: {
      location: at === undefined ? '/' : `/#/${encodeURIComponent(at)}`,
      ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
      'cache-control': 'no-store',
    },
  })
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

/** The body of an error (D40). An unexpected error does not show its message. */
export function errorResponse(thrown: unknown, asked: unknown, route: string, storeName?: string): Response {
  const { status, error, headers } = refusalOf(thrown)
  const response = jsonResponse(JSON.stringify(errorBody(error, asked, storeName)), status, {
    ...headers,
    'cache-control': 'no-store',
  })
  NOTES.set(response, { route, code: error.code, ...(status === 500 ? { frames: framesOf(thrown) } : {}) })
  return response
}

/** The statuses of answers that a page expects; the others are faults. */
const EXPECTED: ReadonlySet<number> = new Set([400, 404, 409])

/** The same with status 200, and the real one in `pact-status`: a browser writes every other status to its console. */
function quiet(response: Response): Response {
  const { status, body } = response
  if (!EXPECTED.has(status)) return response
  const answer = new Response(body, { status: 200, headers: [...response.headers, ['pact-status', String(status)]] })
  NOTES.set(answer, NOTES.get(response)!)
  return answer
}

function refusalOf(thrown: unknown): Pick<Refusal, 'status' | 'error' | 'headers'> {
  if (thrown instanceof Refusal) return thrown
  if (PactError.is(thrown) && thrown.code !== 'E_INTERNAL') {
    const status = statusOf(thrown)
    return { status, error: thrown, headers: status === 503 ? { 'retry-after': '1' } : {} }
  }
  if (thrown instanceof Error && (thrown.name === 'TimeoutError' || thrown.name === 'AbortError')) {
    // Work is only given up before it writes.
    const message = 'This took too long and was given up; nothing was changed.'
    const error = new PactError('E_STORE', message, { reason: 'timeout', outcome: 'failed' })
    return { status: 503, error, headers: { 'retry-after': '5' } }
  }
  return { status: 500, error: new PactError('E_INTERNAL', 'Something went wrong here, which is a bug.'), headers: {} }
}

/** The frames of the stack alone: a message may quote the request. */
function framesOf(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .join('\n')
}
