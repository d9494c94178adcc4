// The HTTP routes of the table: a read has two, GET with its fields and POST with operations as well. Also the table of routes in docs/http.md.

import type { Endpoint, Method } from './endpoint.js'
import { ENDPOINTS, type EndpointName } from './endpoints.js'
import { READING } from './fields.js'
import type { Shape } from './schema.js'

export type Route = Readonly<{
  name: EndpointName
  endpoint: Endpoint
  method: Method
  path: string
  about: string
  /** The fields of the query or the body: those that are not in the path. */
  fields: Shape
  /** Those of them that must be given. */
  needs: readonly string[]
  status: 200 | 201 | 204
  isVersioned: boolean
}>

/** The parameters of a path, and the field that each of them gives. */
export function paramsOf({ path = '', params = {} }: Endpoint): readonly (readonly [param: string, field: string])[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name]) => [name!, params[name!] ?? name!])
}

/** The table, row by row. */
export const ROWS: readonly (Endpoint & Readonly<{ name: EndpointName }>)[] = Object.entries(ENDPOINTS).map(
  ([name, row]) => ({ ...row, name: name as EndpointName }),
)

export const ROUTES: readonly Route[] = ROWS.flatMap(({ name, ...endpoint }) => {
  const { path, method, about, isVersioned = false } = endpoint
  if (path === undefined || method === undefined) return []
  if (method !== 'read') return [routeOf(name, endpoint, method, path, about, isVersioned)]
  const more = `${about} With operations: of the state that they would give; nothing is kept.`
  return [
    routeOf(name, endpoint, 'get', path, about, isVersioned, Object.keys(READING)),
    routeOf(name, endpoint, 'post', path, more, false),
  ]
})

function routeOf(
  name: EndpointName,
  endpoint: Endpoint,
  method: Method,
  path: string,
  about: string,
  isVersioned: boolean,
  without: readonly string[] = [],
): Route {
  const left = [...paramsOf(endpoint).map(([, field]) => field), ...without]
  const fields = Object.fromEntries(Object.entries(endpoint.input).filter(([field]) => !left.includes(field)))
  const isNeeded = (field: string): boolean =>
    !fields[field]!.isOptional || (endpoint.needs !== undefined && Object.hasOwn(endpoint.needs, field))
  const needs = Object.keys(fields).filter(isNeeded)
  return { name, endpoint, method, path, about, fields, needs, status: endpoint.status ?? 200, isVersioned }
}

/** The table of routes in docs/http.md. A test compares the two; `node scripts/http-docs.mjs` writes it. */
export function routeTable(): string {
  const rows = ROWS.flatMap((row) => {
    const { about, input, method = 'read', needs = {}, path, status = 200 } = row
    if (path === undefined) return []
    const left = [...paramsOf(row).map(([, field]) => field), ...(method === 'read' ? Object.keys(READING) : [])]
    const fields = Object.entries(input).filter(([name]) => !left.includes(name))
    const isBody = method === 'post' || method === 'put'
    const names = fields.map(([name, { isOptional }]) => (isBody && isOptional && !(name in needs) ? `${name}?` : name))
    const asked = names.length === 0 ? '' : isBody ? ` { ${names.join(', ')} }` : `?${names.join('&')}`
    const place = path.replace('/v1/contexts/:id/', '…/')
    const verb = method === 'read' ? '' : `${method.toUpperCase()} `
    return [`| \`${verb}${place}${asked}\` | ${status === 200 ? '' : `${status}. `}${about} |`]
  })
  return ['| route | answer |', '| --- | --- |', ...rows].join('\n')
}
