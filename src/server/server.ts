// The server: the gate, the app behind it, and a socket in front if `listen` is called.

import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import { getHeapStatistics } from 'node:v8'

import { getRequestListener } from '@hono/node-server'

import { describe, PactError, checkNames, invalid } from '../errors/index.js'
import { storePool, type ContextPool, type WorkLimits, memoryPool } from '../commands/index.js'
import type { Store } from '../store/index.js'
import { errorResponse, makeApp, NOTES } from './app.js'
import { BodyBudget } from './body-budget.js'
import { boundConnections } from './connections.js'
import { EventStreams } from './events.js'
import { Gate, newToken } from './gate.js'
import { INSPECTOR_FOLDER, StaticFiles } from './static-files.js'
import type { Context } from '../context/index.js'

/** A log entry about a request, without anything of its fields and its answer. */
export type LogEntry = Readonly<{
  at: string
  method: string
  /** The route, not the path: ids are names of people and things. */
  route: string
  status: number
  ms: number
  code?: string
  /** The stack of an unexpected error. */
  frames?: string
}>

export type ServerLimits = Readonly<{
  /** Bytes of a body, and of the body of an import; 4 MB and 64 MB. */
  bodyBytes?: number | undefined
  importBytes?: number | undefined
  /** Milliseconds for a body to arrive, and for an answer; 20 and 60 seconds. */
  bodyTime?: number | undefined
  time?: number | undefined
  /** The largest number of requests under way, and of event streams; 64 and 256. */
  requests?: number | undefined
  streams?: number | undefined
  /** Bytes of memory for bodies under way, by estimate; half of the heap that Node may use. */
  memory?: number | undefined
  /** Estimated bytes of open contexts; 256 MB. */
  cacheBytes?: number | undefined
  /** The largest number of connections; 2048. Beyond that, the oldest idle one is closed. */
  connections?: number | undefined
  /** Milliseconds that `close` waits for requests under way; 5 seconds. */
  closeTime?: number | undefined
  /** Bounds of selectors. */
  work?: Partial<WorkLimits> | undefined
}>

export type ServerOptions = Readonly<{
  store: Store
  /** At least 128 random bits; the server makes one by default. */
  token?: string | undefined
  readOnly?: boolean | undefined
  /** Host names that are accepted in addition to those of loopback. */
  hosts?: readonly string[] | undefined
  /** The folder of the inspector; false for none. */
  inspector?: string | false | undefined
  limits?: ServerLimits | undefined
  /** Gets an entry for every request. */
  log?: ((entry: LogEntry) => void) | undefined
}>

export type ListenOptions = Readonly<{
  /** 127.0.0.1 by default; any other needs a token of your own. */
  host?: string | undefined
  /** Any free port by default. */
  port?: number | undefined
}>

export type Listening = Readonly<{
  url: string
  /** Opens a browser, once. */
  link: string
  /** Ends event streams, waits for requests under way, and stops. The store stays open. */
  close(): Promise<void>
}>

export type Server = Readonly<{
  fetch(request: Request): Promise<Response>
  listen(options?: ListenOptions): Promise<Listening>
  token: string
}>

/** Makes a server over a store; call `listen` for a socket. */
export function createServer(options: ServerOptions): Server {
  checkNames(options, ['store', ...NAMES], '{ store }')
  const { store, ...rest } = options
  if (typeof store?.find !== 'function') throw invalid('store', `createServer needs a store, not ${describe(store)}.`)
  return serverOver(storePool(store, { cacheBytes: options.limits?.cacheBytes }), rest, nameOf(store))
}

/** A store of another maker may have no name. */
function nameOf({ name }: Store): string | undefined {
  return typeof name === 'string' ? name : undefined
}

/** Bounds of one read. */
const WORK: WorkLimits = { visits: 5_000_000, results: 100_000, nodes: 5_000 }

const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

/** The same over any pool. */
export function serverOver(pool: ContextPool, options: Omit<ServerOptions, 'store'>, storeName?: string): Server {
  const { readOnly = false, inspector = fileURLToPath(INSPECTOR_FOLDER), log, limits = {} } = options
  checkNames(options, NAMES, '{ readOnly: true }')
  checkNames(limits, LIMIT_NAMES, '{ requests: 64 }')
  const token = checkToken(options.token)
  const hosts = (options.hosts ?? []).map((host) => host.toLowerCase())
  const gate = new Gate({ token, hosts, most: limits.requests ?? 64 })
  const events = new EventStreams(limits.streams ?? 256)
  const app = makeApp({
    pool,
    readOnly,
    gate,
    events,
    budget: new BodyBudget(limits.memory ?? getHeapStatistics().heap_size_limit / 2),
    storeName,
    files: new StaticFiles(inspector === false ? undefined : inspector),
    bodyBytes: limits.bodyBytes ?? 4 * 2 ** 20,
    importBytes: limits.importBytes ?? 64 * 2 ** 20,
    bodyTime: limits.bodyTime ?? 20_000,
    time: limits.time ?? 60_000,
    limits: { ...WORK, ...limits.work },
  })
  const fetch = async (request: Request): Promise<Response> => {
    const started = performance.now()
    const response = secured(await answer(request))
    log?.(entryOf(request, response, started))
    return response
  }
  const answer = async (request: Request): Promise<Response> => {
    let leave = (): void => {}
    try {
      leave = gate.enter(request)
      return await app.fetch(request)
    } catch (error) {
      return errorResponse(error, undefined, '')
    } finally {
      leave()
    }
  }
  const listen = async (where: ListenOptions = {}): Promise<Listening> => {
    checkNames(where, ['host', 'port'], '{ port: 7878 }')
    const { host = '127.0.0.1', port = 0 } = where
    if (!(Number.isSafeInteger(port) && port >= 0 && port <= 65_535))
      throw invalid('port', `The port is a whole number from 0 to 65535, not ${describe(port)}.`)
    if (!LOOPBACK.includes(host)) {
      if (options.token === undefined) throw needsToken(host)
      gate.answerTo(namesOf(host))
    }
    const http = httpServer(fetch, limits)
    await listening(http, host, port)
    const { port: bound } = http.address() as AddressInfo
    gate.port = bound
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
    const close = async (): Promise<void> => {
      events.close()
      await closed(http, limits.closeTime ?? 5000)
      pool.close()
    }
    return Object.freeze({ url, link: `${url}/open?code=${gate.code ?? ''}`, close })
  }
  return Object.freeze({ fetch, listen, token })
}

function httpServer(fetch: Server['fetch'], limits: ServerLimits): HttpServer {
  const { connections = 2048, bodyTime = 20_000, time = 60_000 } = limits
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  const http = createHttpServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: bodyTime + 10_000,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: 2000,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  )
  boundConnections(http, connections)
  // Closes a client that does not read its answer. Longer than the time of an answer, so that a timeout is still answered with 503.
  http.timeout = time + 20_000
  return http
}

function listening(http: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      const code = 'code' in error ? String(error.code) : error.name
      reject(
        new PactError(
          'E_STORE',
          `The server cannot listen on ${host}:${port}: ${code}.`,
          { reason: 'listen', outcome: 'failed' },
          { cause: error },
        ),
      )
    }
    http.once('error', failed)
    http.listen(port, host, () => {
      http.removeListener('error', failed)
      resolve()
    })
  })
}

function closed(http: HttpServer, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => http.closeAllConnections(), patience)
    // A connection becomes idle when its request is answered.
    const idle = setInterval(() => http.closeIdleConnections(), 20)
    http.close(() => {
      clearTimeout(timer)
      clearInterval(idle)
      resolve()
    })
    http.closeIdleConnections()
  })
}

/** Headers of every answer. */
function secured(response: Response): Response {
  const { headers } = response
  headers.set('x-content-type-options', 'nosniff')
  headers.set('referrer-policy', 'no-referrer')
  headers.set('cross-origin-resource-policy', 'same-origin')
  headers.set('x-frame-options', 'DENY')
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  return response
}

function entryOf({ method }: Request, response: Response, started: number): LogEntry {
  const { route = '', ...noted } = NOTES.get(response) ?? {}
  const ms = Math.round((performance.now() - started) * 10) / 10
  return { at: new Date().toISOString(), method, route, status: response.status, ms, ...noted }
}

const NAMES: readonly string[] = ['token', 'readOnly', 'hosts', 'inspector', 'limits', 'log']
const LIMIT_NAMES: readonly string[] = [
  'bodyBytes',
  'importBytes',
  'bodyTime',
  'time',
  'requests',
  'streams',
  'memory',
  'cacheBytes',
  'connections',
  'closeTime',
  'work',
] satisfies (keyof ServerLimits)[]

/** 22 letters of base64 are 132 bits. */
const SHORTEST = 22

function checkToken(token: unknown): string {
  if (token === undefined) return newToken()
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) && token.length >= SHORTEST && token.length <= 500)
    return token
  const what = typeof token === 'string' ? 'this one is too short or has other characters' : `not ${describe(token)}`
  const message = `The token needs at least ${SHORTEST} random letters, digits or signs; ${what}.`
  throw invalid('token', message)
}

function needsToken(host: string): PactError {
  const message = `Other machines can reach ${host}: pass a token of your own, or listen on 127.0.0.1.`
  return new PactError('E_NOT_AUTHORIZED', message, { name: 'host' })
}

/** The host names of a server that listens there. */
function namesOf(host: string): readonly string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host.includes(':') ? `[${host}]` : host.toLowerCase()]
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address.split('%')[0]}]` : address))
}

export type InspectOptions = Pick<ServerOptions, 'inspector' | 'log' | 'token'> &
  ListenOptions &
  Readonly<{
    /** The page may not edit and commit; true by default. */
    readOnly?: boolean | undefined
    /** Prints the link; console.log by default, false for nothing. */
    print?: ((line: string) => void) | false | undefined
  }>

/** Serves one context in memory, and prints the link that opens it in a browser, once. */
export async function inspect(ctx: Context, options: InspectOptions = {}): Promise<Listening> {
  const { host, port, print = console.log, readOnly = true, ...rest } = options
  const listening = await serverOver(memoryPool(ctx), { ...rest, readOnly }).listen({ host, port })
  if (print !== false) print(`Open ${listening.link}`)
  return listening
}
