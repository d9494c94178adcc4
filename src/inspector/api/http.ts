// One request to the server and what can come of it. The page's key is a cookie that the one-time link sets, so nothing secret is
// handled here; answers are JSON, and an error is the body of D40 or the lack of any answer.

/** A question as data: it is also the key under which its answer is remembered. `T` is what the server answers. */
export type Ask<T> = Readonly<{
  method: 'GET' | 'POST'
  path: string
  body?: object
  /** Whether it is about a committed cycle alone, so that the answer stays the same. */
  isFixed?: boolean
  /** Whether it is about what is open, so that the answer may be another one before the next commit. */
  isOpen?: boolean
  answer?: T
}>

export type FailureKind =
  /** Nobody answered, or somebody who is no inspector's server. */
  | 'gone'
  /** The key is not, or no longer, the server's. */
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
    /** In seconds, where the server said when to come back. */
    readonly retryAfter?: number,
  ) {
    super(message)
  }
}

export async function ask<T>({ method, path, body }: Ask<T>, signal?: AbortSignal): Promise<T> {
  const request = `${method} ${path}`
  let response: Response
  let text: string
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    text = await response.text()
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new Failure('gone', 'no answer', error instanceof Error ? error.message : String(error), request)
  }
  if (response.ok) return parsed(text, request) as T
  throw refusal(response, text, request)
}

function parsed(text: string, request: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure('gone', 'no JSON', 'What answered is not the inspector’s server.', request)
  }
}

function refusal(response: Response, text: string, request: string): Failure {
  const { status, headers } = response
  const after = Number(headers.get('retry-after') ?? Number.NaN)
  const error = errorOf(text)
  const code = error?.code ?? `HTTP ${status}`
  const message = error?.message ?? `The server answered ${status}.`
  const kind = status === 401 ? 'locked' : error === undefined || status === 503 || status === 502 ? 'gone' : 'refused'
  return new Failure(kind, code, message, request, error?.details, Number.isFinite(after) ? after : undefined)
}

type ErrorBody = Readonly<{ code: string; message: string; details: Readonly<Record<string, unknown>> }>

function errorOf(text: string): ErrorBody | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ErrorBody> }
    if (typeof error?.code !== 'string' || typeof error.message !== 'string') return undefined
    return { code: error.code, message: error.message, details: error.details ?? {} }
  } catch {
    return undefined
  }
}
