// The server: the gate, the app behind it, and a socket in front if `listen` is called.

import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import { getHeapStatistics } from 'node:v8'

import { describe, PactError, checkNames, invalid } from '../errors/index.js'
import { storePool, type ContextPool, type WorkLimits, memoryPool } from '../commands/index.js'
import { defined } from '../core/index.js'
import type { Store } from '../store/index.js'
import { errorResponse, makeApp, NOTES } from './app.js'
import { BodyBudget } from './body-budget.js'
import { EventStreams } from './events.js'
import { Gate, LOOPBACK, newToken } from './gate.js'
import { closed, httpServer, listening } from './socket.js'
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
  /** Answers to further paths, such as `/mcp`, behind the same checks. */
  mount?: Readonly<Record<string, (request: Request) => Promise<Response>>> | undefined
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
  /** Another link, for another browser; one that was not used is no longer valid. */
  newLink(): string
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

const NAMES = ['token', 'readOnly', 'hosts', 'inspector', 'limits', 'mount', 'log'] satisfies (keyof ServerOptions)[]

/** The defaults of the limits; that of `memory` depends on the heap, that of `cacheBytes` is the pool's. */
const LIMITS = {
  bodyBytes: 4 * 2 ** 20,
  importBytes: 64 * 2 ** 20,
  bodyTime: 20_000,
  time: 60_000,
  requests: 64,
  streams: 256,
  memory: undefined,
  cacheBytes: undefined,
  connections: 2048,
  closeTime: 5000,
  work: { visits: 5_000_000, results: 100_000, nodes: 5_000 },
} satisfies Record<keyof ServerLimits, unknown>

/** The same over any pool. */
export function serverOver(pool: ContextPool, options: Omit<ServerOptions, 'store'>, storeName?: string): Server {
  const { readOnly = false, inspector = fileURLToPath(INSPECTOR_FOLDER), log, limits: given = {} } = options
  checkNames(options, NAMES, '{ readOnly: true }')
  checkNames(given, Object.keys(LIMITS), '{ requests: 64 }')
  const limits = { ...LIMITS, ...defined(given) }
  const token = checkToken(options.token)
  const hosts = (options.hosts ?? []).map((host) => host.toLowerCase())
  const gate = new Gate({ token, hosts, most: limits.requests })
  const events = new EventStreams(limits.streams)
  const app = makeApp({
    pool,
    mount: options.mount,
    readOnly,
    gate,
    events,
    budget: new BodyBudget(limits.memory ?? getHeapStatistics().heap_size_limit / 2),
    storeName,
    files: new StaticFiles(inspector === false ? undefined : inspector),
    bodyBytes: limits.bodyBytes,
    importBytes: limits.importBytes,
    bodyTime: limits.bodyTime,
    time: limits.time,
    limits: { ...LIMITS.work, ...limits.work },
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
    const name = host.includes(':') ? `[${host}]` : host
    if (!LOOPBACK.includes(name)) {
      if (options.token === undefined) throw needsToken(host)
      gate.answerTo(namesOf(name))
    }
    const http = httpServer(fetch, limits)
    await listening(http, host, port)
    const { port: bound } = http.address() as AddressInfo
    gate.port = bound
    const url = `http://${name}:${bound}`
    const close = async (): Promise<void> => {
      events.close()
      await closed(http, limits.closeTime)
      pool.close()
    }
    const linkOf = (code: string): string => `${url}/open?code=${code}`
    return Object.freeze({ url, link: linkOf(gate.code ?? ''), newLink: () => linkOf(gate.newCode()), close })
  }
  return Object.freeze({ fetch, listen, token })
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
function namesOf(name: string): readonly string[] {
  if (name !== '0.0.0.0' && name !== '[::]') return [name.startsWith('[') ? name : name.toLowerCase()]
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
