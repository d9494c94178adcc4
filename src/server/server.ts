// The server: a gate, an app behind it, and a socket in front, if one is wanted.

import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'

import { getRequestListener } from '@hono/node-server'
import { describe, PactError } from '../errors/index.js'
import { storeDesk, type Desk } from '../commands/index.js'
import type { Store } from '../store/index.js'
import { errorResponse, makeApp, NOTES } from './app.js'
import { EventStreams } from './events.js'
import { Gate, newToken } from './gate.js'
import { WORK, type WorkLimits } from './limits.js'
import { INSPECTOR_FOLDER, StaticFiles } from './static-files.js'

/** What is noted about a request: never what it asks for, nor what it is answered. */
export type LogEntry = Readonly<{
  at: string
  method: string
  /** The route, not the path: ids are names of people and things. */
  route: string
  status: number
  ms: number
  code?: string
  /** Where something unforeseen happened. */
  frames?: string
}>

export type ServerLimits = Readonly<{
  /** Bytes of a body, and of the body of an import; 4 MB and 64 MB. */
  bodyBytes?: number | undefined
  importBytes?: number | undefined
  /** How long a body may take to come, and an answer to be found, in milliseconds; 20 and 60 seconds. */
  bodyTime?: number | undefined
  time?: number | undefined
  /** How many requests may be under way at once, and how many event streams; 64 and 256. */
  requests?: number | undefined
  streams?: number | undefined
  /** How many connections there may be; 2048. */
  connections?: number | undefined
  /** How long a server that closes waits for what is under way, in milliseconds; 5 seconds. */
  closeTime?: number | undefined
  /** What a selector may look at and find. */
  work?: Partial<WorkLimits> | undefined
}>

export type ServerOptions = Readonly<{
  store: Store
  /** At least 128 random bits; made where none is given. */
  token?: string | undefined
  readOnly?: boolean | undefined
  /** Names that it may be called by beside those of loopback. */
  hosts?: readonly string[] | undefined
  /** The folder of the inspector; false for none. */
  inspector?: string | false | undefined
  limits?: ServerLimits | undefined
  /** Told about every request. */
  log?: ((entry: LogEntry) => void) | undefined
}>

export type ListenOptions = Readonly<{
  /** 127.0.0.1 by default; any other only with a token that was given. */
  host?: string | undefined
  /** Any that is free by default. */
  port?: number | undefined
}>

export type Listening = Readonly<{
  url: string
  /** Opens a browser, once. */
  link: string
  /** Ends event streams, waits for what is under way, and stops. The store stays open. */
  close(): Promise<void>
}>

export type Server = Readonly<{
  fetch(request: Request): Promise<Response>
  listen(options?: ListenOptions): Promise<Listening>
  token: string
}>

/** Makes a server over a store; it listens when it is told to. */
export function createServer(options: ServerOptions): Server {
  const { store, ...rest } = checkNames(options, ['store', ...NAMES], 'createServer')
  if (typeof store?.find !== 'function') throw invalid('store', `createServer needs a store, not ${describe(store)}.`)
  return serverOver(storeDesk(store), rest)
}

/** What may be called by names that nobody can look up elsewhere. */
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']
/** The same over any desk. */
export function serverOver(desk: Desk, options: Omit<ServerOptions, 'store'>): Server {
  const {
    readOnly = false,
    inspector = fileURLToPath(INSPECTOR_FOLDER),
    log,
  } = checkNames(options, NAMES, 'The server')
  const limits = checkNames(options.limits ?? {}, LIMIT_NAMES, 'limits')
  const token = checkToken(options.token)
  const hosts = (options.hosts ?? []).map((host) => host.toLowerCase())
  const gate = new Gate({ token, hosts, most: limits.requests ?? 64 })
  const events = new EventStreams(limits.streams ?? 256)
  const app = makeApp({
    desk,
    readOnly,
    gate,
    events,
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
    const { host = '127.0.0.1', port = 0 } = checkNames(where, ['host', 'port'], 'listen')
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
      desk.close()
    }
    return Object.freeze({ url, link: `${url}/open?code=${gate.code ?? ''}`, close })
  }
  return Object.freeze({ fetch, listen, token })
}

function httpServer(fetch: Server['fetch'], { connections = 2048, bodyTime = 20_000 }: ServerLimits): HttpServer {
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
  http.maxConnections = connections
  // A client that does not read what it asked for; event streams say something now and then.
  http.timeout = 60_000
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
    // A connection is idle once what it was asked is answered, which may be a moment from now.
    const idle = setInterval(() => http.closeIdleConnections(), 20)
    http.close(() => {
      clearTimeout(timer)
      clearInterval(idle)
      resolve()
    })
    http.closeIdleConnections()
  })
}

/** What every answer says, whatever it is. */
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
  'connections',
  'closeTime',
  'work',
] satisfies (keyof ServerLimits)[]

/** A name that is written otherwise must not mean nothing: `readonly` would let everybody write. */
function checkNames<T extends object>(options: T, names: readonly string[], what: string): T {
  for (const name of Object.keys(options)) {
    if (!names.includes(name))
      throw invalid(name, `${what} has no option ${describe(name)}; there are ${names.join(', ')}.`)
  }
  return options
}

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}

/** 22 letters of base64 are 132 bits. */
const SHORTEST = 22

function checkToken(token: unknown): string {
  if (token === undefined) return newToken()
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) && token.length >= SHORTEST && token.length <= 500)
    return token
  const what = typeof token === 'string' ? 'this one is too short or has other characters' : `not ${describe(token)}`
  const message = `The token is at least ${SHORTEST} letters, digits or signs that nobody can guess; ${what}.`
  throw invalid('token', message)
}

function needsToken(host: string): PactError {
  const message = `Others can reach ${host}: give a token, so that you know who has it, or listen on 127.0.0.1.`
  return new PactError('E_NOT_AUTHORIZED', message, { name: 'host' })
}

/** What a server is called by that listens there. */
function namesOf(host: string): readonly string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host.includes(':') ? `[${host}]` : host.toLowerCase()]
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address.split('%')[0]}]` : address))
}
