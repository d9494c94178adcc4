// Holds requests and answers against the OpenAPI document, with ajv: nothing of src checks itself here.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApi } from 'pact-context/server'

type Json = Readonly<Record<string, unknown>>
type Operation = Readonly<{ responses: Readonly<Record<string, Readonly<{ content?: Json }>>>; requestBody?: Json }>

const ajv = new Ajv2020({ strict: false, allErrors: false, unevaluated: false })
const document = openApi() as Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }>
ajv.addSchema({ $id: 'api', ...document })
const compiled = new Map<string, ValidateFunction>()

/** Every operation of the document, as `get /v1/contexts/{id}`. */
export const OPERATIONS: readonly string[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method} ${path}`),
)

/** The operation that a request asks for; undefined if no path of the document fits. */
export function operationOf(method: string, path: string): string | undefined {
  const segments = path.split('?')[0]!.split('/')
  return OPERATIONS.find((name) => {
    const [known, template] = name.split(' ') as [string, string]
    const wanted = template.split('/')
    const fits = (each: string, i: number): boolean =>
      each === segments[i] || (each.startsWith('{') && segments[i] !== '')
    return known === method.toLowerCase() && wanted.length === segments.length && wanted.every(fits)
  })
}

/** The operations that were asked for, and answered without an error. */
export const EXERCISED: Set<string> = new Set()

type Fetch = (request: Request) => Promise<Response>

/** The same `fetch`, which fails if an answer is not what the document says. */
export function agreeing(fetch: Fetch): Fetch {
  return async (request) => {
    const response = await fetch(request)
    const { pathname } = new URL(request.url)
    const operation = operationOf(request.method, pathname)
    if (operation === undefined || response.status === 304) return response
    if (response.ok) EXERCISED.add(operation)
    const isJson = response.headers.get('content-type') === 'application/json'
    if (!isJson && response.status !== 204) return response
    const errors = answerErrors(request.method, pathname, response.status, await response.clone().text())
    if (errors !== undefined) throw new Error(`The answer is not as described: ${errors}`)
    return response
  }
}

/** The complaints about an answer: its status is not described, or its body is not what the schema says. */
export function answerErrors(method: string, path: string, status: number, text: string): string | undefined {
  const name = operationOf(method, path)
  if (name === undefined) return `${method} ${path} is not described`
  const operation = operationNamed(name)
  const key = operation.responses[String(status)] === undefined ? 'default' : String(status)
  if (key === 'default' && status < 400) return `${name}: ${status} is not described`
  const { content } = operation.responses[key]!
  if (content === undefined) return text === '' ? undefined : `${name}: ${status} has a body`
  if (content['application/json'] === undefined) return undefined
  return errorsIn(name, ['responses', key, 'content', 'application/json', 'schema'], JSON.parse(text))
}

/** The complaints about the body of a request. */
export function bodyErrors(method: string, path: string, body: unknown): string | undefined {
  const name = operationOf(method, path)!
  return errorsIn(name, ['requestBody', 'content', 'application/json', 'schema'], body)
}

function operationNamed(name: string): Operation {
  const [method, path] = name.split(' ') as [string, string]
  return document.paths[path]![method]!
}

function errorsIn(name: string, keys: readonly string[], value: unknown): string | undefined {
  const [method, path] = name.split(' ') as [string, string]
  const pointer = ['paths', path, method, ...keys]
    .map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))
    .join('/')
  const ref = `api#/${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D')}`
  let check = compiled.get(ref)
  if (check === undefined) compiled.set(ref, (check = ajv.compile({ $ref: ref })))
  return check(value) ? undefined : `${name}: ${ajv.errorsText(check.errors)}`
}
