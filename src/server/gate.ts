// The gate: every request passes it before a route sees it. It checks Host, Origin, the token or cookie, and the number of requests under
// way. A web page in the user's browser can reach loopback, so all checks apply there too.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

import { refused, type Refusal } from './status.js'

/** Routes that need no token: they show nothing of a context. */
export const PUBLIC: readonly string[] = ['/health', '/', '/index.html', '/assets/', '/favicon.ico', '/open']

export type GateOptions = Readonly<{
  token: string
  /** Host names that are accepted in addition to those of loopback. */
  hosts: readonly string[]
  /** The largest number of requests under way. */
  most: number
}>

/** 256 random bits, in letters that need no escape. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The host names of loopback. */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export class Gate {
  readonly #options: GateOptions
  /** The port of the server; any, before it listens. */
  port: number | undefined
  /** The code of the link, which works once. */
  #code: string | undefined = newToken()
  readonly #sessions = new Set<Buffer>()
  readonly #names: Set<string>
  readonly #token: Buffer
  #underWay = 0

  constructor(options: GateOptions) {
    this.#options = options
    this.#names = new Set([...LOOPBACK, ...options.hosts])
    this.#token = hashOf(options.token)
  }

  /** Accepts more host names. */
  answerTo(names: readonly string[]): void {
    for (const name of names) this.#names.add(name)
  }

  /** Makes another code; one that was not used is no longer valid. */
  newCode(): string {
    this.#code = newToken()
    return this.#code
  }

  get code(): string | undefined {
    return this.#code
  }

  /** Lets a request in, or throws a refusal. Call the result when the request is answered. */
  enter(request: Request): () => void {
    const url = new URL(request.url)
    this.#checkHost(request, url)
    this.#checkOrigin(request, url)
    if (!isPublic(url.pathname)) this.#checkToken(request)
    // Public routes are answered also by a busy server.
    if (isPublic(url.pathname)) return () => {}
    if (this.#underWay >= this.#options.most) throw busy()
    this.#underWay++
    let isIn = true
    return () => {
      if (isIn) this.#underWay--
      isIn = false
    }
  }

  #checkHost(request: Request, url: URL): void {
    const host = (request.headers.get('host') ?? url.host).toLowerCase()
    if (!this.#isOurs(host)) {
      throw refused(403, 'E_NOT_AUTHORIZED', 'This server is not called by that name.', { reason: 'host' })
    }
  }

  #isOurs(host: string): boolean {
    const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? []
    const isName = this.#names.has(name)
    return isName && (this.port === undefined || Number(port ?? 80) === this.port)
  }

  #checkOrigin(request: Request, url: URL): void {
    const origin = request.headers.get('origin')
    const site = request.headers.get('sec-fetch-site')
    // A page of another port of this host is `same-site`. It may link to the inspector, but read nothing.
    const isLink = site === 'same-site' && origin === null && request.method === 'GET' && isPublic(url.pathname)
    const isForeign = site !== null && site !== 'same-origin' && site !== 'none' && !isLink
    const isOurs = origin === null || (/^https?:\/\//.test(origin) && this.#isOurs(origin.replace(/^https?:\/\//, '')))
    if (isOurs && !isForeign) return
    throw refused(403, 'E_NOT_AUTHORIZED', 'Pages of other origins may not reach this server.', { reason: 'origin' })
  }

  #checkToken(request: Request): void {
    const given = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (given !== undefined) {
      if (isSame(given, this.#token)) return
      throw unauthorized()
    }
    if (!this.hasCookie(request)) throw unauthorized()
  }

  /** True if the browser has opened this server before. */
  hasCookie(request: Request): boolean {
    const cookie = this.#cookieOf(request)
    return cookie !== undefined && [...this.#sessions].some((session) => isSame(cookie, session))
  }

  #cookieOf(request: Request): string | undefined {
    const cookies = (request.headers.get('cookie') ?? '').split(/;\s*/)
    return cookies.find((each) => each.startsWith(`${this.#cookieName}=`))?.slice(this.#cookieName.length + 1)
  }

  /** Cookies have no port, and one host may have several servers. */
  get #cookieName(): string {
    return `pact_${this.port ?? 0}`
  }

  /** Exchanges the code of the link for a cookie, once. */
  takeCode(code: string): string | undefined {
    if (this.#code === undefined || !isSame(code, hashOf(this.#code))) return undefined
    this.#code = undefined
    const session = newToken()
    this.#sessions.add(hashOf(session))
    return `${this.#cookieName}=${session}; Path=/; HttpOnly; SameSite=Strict`
  }
}

export function isPublic(path: string): boolean {
  return PUBLIC.some((each) => path === each || (each.endsWith('/') && each !== '/' && path.startsWith(each)))
}

/** Compares hashes, so that neither time nor length leaks. */
function isSame(given: string, wanted: Buffer): boolean {
  return timingSafeEqual(hashOf(given), wanted)
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function unauthorized(): Refusal {
  const message = 'This needs the token of the server, as Authorization: Bearer.'
  return refused(401, 'E_NOT_AUTHORIZED', message, { reason: 'token' }, { 'www-authenticate': 'Bearer' })
}

export function busy(): Refusal {
  const message = 'There is too much to do at once; ask again in a moment.'
  return refused(503, 'E_STORE', message, { reason: 'busy', outcome: 'failed' }, { 'retry-after': '1' })
}
