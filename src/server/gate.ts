// The one gate: every request passes it before any route sees it. Who it is for (Host), where it comes from (Origin), who sends it (token or
// cookie), and whether there is room for it. A web page that somebody visits can reach loopback, so all of these count there too.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

import { refused, type Refusal } from './status.js'

/** Routes that need no token: they tell nothing that is in a context. */
export const PUBLIC: readonly string[] = ['/health', '/', '/index.html', '/assets/', '/favicon.ico', '/open']

export type GateOptions = Readonly<{
  token: string
  /** Names that it may be called by beside those of loopback, where it listens elsewhere. */
  hosts: readonly string[]
  /** How many requests may be under way at once. */
  most: number
}>

/** 128 random bits and more, in letters that need no escape. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export class Gate {
  readonly #options: GateOptions
  /** The port it listens on; before it does, any. */
  port: number | undefined
  /** The code of the link that opens a browser once, and what its cookie says since. */
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

  /** Adds names that it may be called by. */
  answerTo(names: readonly string[]): void {
    for (const name of names) this.#names.add(name)
  }

  /** How many requests are under way. */
  get underWay(): number {
    return this.#underWay
  }

  get code(): string | undefined {
    return this.#code
  }

  /** Lets a request in, or says why not; what it gives is called when the request is answered. */
  enter(request: Request): () => void {
    const url = new URL(request.url)
    this.#checkHost(request, url)
    this.#checkOrigin(request)
    if (!isPublic(url.pathname)) this.#checkToken(request)
    // Whoever asks whether it lives is answered, however much there is to do.
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

  #checkOrigin(request: Request): void {
    const origin = request.headers.get('origin')
    const site = request.headers.get('sec-fetch-site')
    const isForeign = site !== null && site !== 'same-origin' && site !== 'none'
    const isOurs = origin === null || (/^https?:\/\//.test(origin) && this.#isOurs(origin.replace(/^https?:\/\//, '')))
    if (isOurs && !(isForeign && (origin !== null || request.method !== 'GET' || site === 'cross-site'))) return
    throw refused(403, 'E_NOT_AUTHORIZED', 'Pages of other origins may not reach this server.', { reason: 'origin' })
  }

  #checkToken(request: Request): void {
    const given = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (given !== undefined) {
      if (isSame(given, this.#token)) return
      throw unauthorized()
    }
    const cookie = this.#cookieOf(request)
    if (cookie === undefined) throw unauthorized()
    for (const session of this.#sessions) if (isSame(cookie, session)) return
    throw unauthorized()
  }

  #cookieOf(request: Request): string | undefined {
    const cookies = (request.headers.get('cookie') ?? '').split(/;\s*/)
    return cookies.find((each) => each.startsWith(`${this.#cookieName}=`))?.slice(this.#cookieName.length + 1)
  }

  /** Cookies know no ports, and there may be several servers. */
  get #cookieName(): string {
    return `pact_${this.port ?? 0}`
  }

  /** Takes the code of the link, once, and gives the cookie for it. */
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

/** Hashed first, so that neither the time nor the length tells anything. */
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
