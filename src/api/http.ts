// Requests to a server and their answers: JSON, or the error that the server threw.

import { ERROR_CODES, invalid, PactError, type ErrorCode } from '../errors/index.js'
import { ENDPOINTS, type EndpointName } from './endpoints.js'
import { requestOf, type Answer, type HttpRequest, type Input, type RemoteName } from './request.js'
import { paramsOf } from './routes.js'

export type ClientOptions = Readonly<{
  /** The address of the server, such as `http://127.0.0.1:7228`. */
  url: string
  /** Not needed in a page that the server's link has opened: the page has a cookie. */
  token?: string | undefined
  /** Replaces the host's `fetch`: `server.fetch` of the same process, or one of a test. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
}>

/** The status of an error that was asked for as an answer with status 200, with the header `pact-errors: ok`. */
const STATUS = 'pact-status'

type SendOptions = Readonly<{ headers?: Readonly<Record<string, string>>; signal?: AbortSignal | undefined }>

export class Http {
  readonly #url: string
  readonly #token: string | undefined
  readonly #fetch: (request: Request) => Promise<Response>

  constructor({ url, token, fetch: given }: ClientOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#token = token
    this.#fetch = given ?? ((request) => fetch(request))
  }

  /** Calls an endpoint. */
  async ask<N extends RemoteName>(name: N, input: Input<N>): Promise<Answer<N>> {
    return (await (await this.send(name, input)).json()) as Answer<N>
  }

  /** Gives the response of an endpoint if the server accepted the request, else throws the server's error. */
  send<N extends EndpointName>(name: N, input: Input<N>, options: SendOptions = {}): Promise<Response> {
    for (const [, field] of paramsOf(ENDPOINTS[name])) {
      const text = (input as Readonly<Record<string, unknown>>)[field]
      // In a URL these two mean another path, escaped or not.
      if (text === '.' || text === '..') throw invalid('id', `"${text}" cannot be named over HTTP; use another id.`)
    }
    return this.fetch(requestOf(name, input), options)
  }

  async fetch({ method, path, body }: HttpRequest, { headers = {}, signal }: SendOptions = {}): Promise<Response> {
    const request = new Request(`${this.#url}${path}`, {
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
    if (response.ok && !response.headers.has(STATUS)) return response
    throw await errorOf(response)
  }
}

/** The error in an answer; `reason` is `foreign` if the answer has none of ours. */
async function errorOf(response: Response): Promise<PactError> {
  const { headers } = response
  const status = Number(headers.get(STATUS) ?? response.status)
  const body: unknown = await response.json().catch(() => undefined)
  const { error } = (body ?? {}) as Readonly<{ error?: Readonly<Record<string, unknown>> }>
  const { code, message, details } = error ?? {}
  const known = ERROR_CODES.find((each): each is ErrorCode => each === code)
  const isOurs = known !== undefined && typeof message === 'string'
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new PactError(known ?? 'E_STORE', typeof message === 'string' ? message : `The server answered ${status}.`, {
    ...(isOurs ? {} : { reason: 'foreign' }),
    ...(typeof details === 'object' && details !== null ? details : {}),
    status,
    ...(Number.isFinite(seconds) ? { retryAfter: seconds } : {}),
  })
}
