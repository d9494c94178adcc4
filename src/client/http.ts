// Requests to a server and what comes back: JSON, or an error as it was thrown there.

import { ERROR_CODES, PactError, type ErrorCode } from '../errors/index.js'

export type ClientOptions = Readonly<{
  /** Where the server is, such as `http://127.0.0.1:7228`. */
  url: string
  /** Not needed in a page that the server's link has opened: there a cookie says who it is. */
  token?: string | undefined
  /** Another `fetch` than the host's: `server.fetch` of the same process, or one of a test. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
}>

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | object | undefined>>

export class Http {
  readonly #url: string
  readonly #token: string | undefined
  readonly #fetch: (request: Request) => Promise<Response>

  constructor({ url, token, fetch: given }: ClientOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#token = token
    this.#fetch = given ?? ((request) => fetch(request))
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await (await this.send('GET', path, { query })).json()) as T
  }

  async post<T>(path: string, body: object): Promise<T> {
    return (await (await this.send('POST', path, { body })).json()) as T
  }

  /** Gives the response where it is one that was hoped for, else throws what the server says. */
  async send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    given: Readonly<{
      query?: Query
      body?: object
      headers?: Readonly<Record<string, string>>
      signal?: AbortSignal
    }> = {},
  ): Promise<Response> {
    const { query = {}, body, headers = {}, signal } = given
    const request = new Request(`${this.#url}${path}${queryText(query)}`, {
      method,
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    let response: Response
    try {
      response = await this.#fetch(request)
    } catch (cause) {
      if (signal?.aborted === true) throw cause
      const message = `The server at ${this.#url} cannot be reached.`
      throw new PactError('E_STORE', message, { outcome: 'unknown', reason: 'unreachable' }, { cause })
    }
    if (response.ok) return response
    throw await errorOf(response)
  }
}

/** Path segments are whatever ids are. */
export function segment(text: string): string {
  return encodeURIComponent(text)
}

function queryText(query: Query): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (Array.isArray(value)) for (const each of value) params.append(name, String(each))
    else params.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

async function errorOf(response: Response): Promise<PactError> {
  const body: unknown = await response.json().catch(() => undefined)
  const { error } = (body ?? {}) as Readonly<{ error?: Readonly<Record<string, unknown>> }>
  const { code, message, details } = error ?? {}
  const known = ERROR_CODES.find((each): each is ErrorCode => each === code)
  const text = typeof message === 'string' ? message : `The server answered ${response.status}.`
  const given = typeof details === 'object' && details !== null ? details : {}
  return new PactError(known ?? 'E_STORE', text, { ...given, status: response.status })
}
