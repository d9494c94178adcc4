// Questions to the server and their failures. The page has a cookie that the one-time link sets, so no secret is handled here.

import { PactError } from '../../errors/index.js'
import { Http, type HttpRequest, type RemoteName } from '../../api/index.js'
import type { At, Format } from '../state/link.js'

/** A question as data, which is also the cache key of its answer. `T` is the type of the answer. */
export type Ask<T> = HttpRequest &
  Readonly<{
    /** The endpoint and its input, for a page that answers itself. */
    name: RemoteName
    input: object
    /** The question is about a committed cycle alone, so the answer stays the same. */
    isFixed?: boolean
    /** The question is about the open cycle, so the answer may change before the next commit. */
    isOpen?: boolean
    /** The subject of the question, which stays with its answer: what is shown is never labelled with another one. */
    about?: About
    answer?: T
  }>

export type About = Readonly<{ at: At; from?: At | null; as?: Format; other?: string | null }>

export type FailureKind =
  /** No answer, or one from another server. */
  | 'gone'
  /** The cookie is not, or no longer, valid. */
  | 'locked'
  /** The server answered with an error. */
  | 'refused'

export class Failure extends Error {
  override readonly name = 'Failure'
  constructor(
    readonly kind: FailureKind,
    readonly code: string,
    message: string,
    readonly request: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** Seconds until the next try, if the server gave them. */
    readonly retryAfter?: number,
  ) {
    super(message)
  }
}

/** A node that is not there, or a draft that another commit has overtaken, is an answer, and no error in the console. */
const QUIET = { 'pact-errors': 'ok' }

const http = new Http({ url: '' })
/** A page without a server has its answers in itself; see src/offline. */
const { pactAnswer } = globalThis as { pactAnswer?: (name: RemoteName, input: object) => Promise<unknown> }

export const isOffline: boolean = pactAnswer !== undefined

export async function ask<T>(question: Ask<T>, signal?: AbortSignal): Promise<T> {
  const { method, path, body, name, input } = question
  const request = `${method} ${path}`
  try {
    if (pactAnswer !== undefined) return (await pactAnswer(name, input)) as T
    const response = await http.fetch(
      { method, path, ...(body === undefined ? {} : { body }) },
      { headers: QUIET, signal },
    )
    return JSON.parse((await response.text()) || '{}') as T
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw failureOf(error, request)
  }
}

function failureOf(error: unknown, request: string): Failure {
  if (error instanceof SyntaxError) {
    return new Failure('gone', 'no JSON', 'What answered is not the inspector’s server.', request)
  }
  if (!PactError.is(error) || error.details['reason'] === 'unreachable') {
    const cause = PactError.is(error) ? error.cause : error
    return new Failure('gone', 'no answer', cause instanceof Error ? cause.message : String(cause), request)
  }
  const { status, retryAfter, ...details } = error.details
  const isForeign = details['reason'] === 'foreign'
  const kind = status === 401 ? 'locked' : isForeign || status === 503 || status === 502 ? 'gone' : 'refused'
  const code = isForeign ? `HTTP ${String(status)}` : error.code
  const after = typeof retryAfter === 'number' ? retryAfter : undefined
  return new Failure(kind, code, error.message, request, details, after)
}
