// A call of an endpoint as an HTTP request: method, path with its query, body.

import type { AnswerOf, Endpoint, InputOf } from './endpoint.js'
import { ENDPOINTS, type EndpointName } from './endpoints.js'
import { paramsOf } from './routes.js'

/** The endpoints that a server answers. */
export type RemoteName = Exclude<EndpointName, 'fsck' | 'replay' | 'retain' | 'erase' | 'watch'>

export type Input<N extends EndpointName> = InputOf<(typeof ENDPOINTS)[N]>
export type Answer<N extends EndpointName> = AnswerOf<(typeof ENDPOINTS)[N]>

export type HttpRequest = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With the query. */
  path: string
  body?: Readonly<Record<string, unknown>>
}>

export function requestOf<N extends EndpointName>(name: N, input: Input<N>): HttpRequest {
  const endpoint: Endpoint = ENDPOINTS[name]
  const { path = '', method } = endpoint
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const params = new Map(paramsOf(endpoint))
  const inPath = new Set(params.values())
  const own = given.filter(([field]) => !inPath.has(field))
  const place = path.replaceAll(/:(\w+)/g, (_, param: string) => segment(String((input as Fields)[params.get(param)!])))
  const isPost = method === 'post' || (method === 'read' && own.some(([field]) => field === 'operations'))
  if (isPost) return { method: 'POST', path: place, body: Object.fromEntries(own) }
  if (method === 'put') return { method: 'PUT', path: place, body: Object.fromEntries(own) }
  return { method: method === 'delete' ? 'DELETE' : 'GET', path: `${place}${queryOf(own)}` }
}

type Fields = Readonly<Record<string, unknown>>

/** A text as a segment of a path. Halves of surrogate pairs cannot be encoded. */
export function segment(text: string): string {
  return encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd'))
}

function queryOf(fields: readonly (readonly [string, unknown])[]): string {
  const params = new URLSearchParams()
  for (const [name, value] of fields) {
    for (const each of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      params.append(name, typeof each === 'string' ? each : JSON.stringify(each))
    }
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}
