// The description of the API, generated from the table of routes and the schemas.

import { z } from 'zod'

import { ROUTES, type Route } from './routes.js'
import { ERROR, HEALTH } from './schemas/answers.js'
import type { Fields } from './schemas/fields.js'

type Dict = Readonly<Record<string, unknown>>

let made: Dict | undefined

/** OpenAPI 3.1, as an object. */
export function openApi(): Dict {
  return (made ??= describe())
}

function describe(): Dict {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of ROUTES) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    ;(paths[path] ??= {})[route.method] = operationOf(route, schemas)
  }
  paths['/v1/contexts/{id}/events'] = { get: eventsOperation(schemas) }
  paths['/health'] = {
    get: { summary: 'Whether the server lives.', security: [], responses: ok(HEALTH, 200, schemas) },
  }
  paths['/openapi.json'] = {
    get: { summary: 'This description.', responses: { 200: { description: 'OpenAPI 3.1', content: anyJson() } } },
  }
  return {
    openapi: '3.1.0',
    info: { title: 'pact-context', version: '1', description: 'Contexts of a store over HTTP.' },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'pact_PORT' },
      },
    },
  }
}

function operationOf(route: Route, schemas: Record<string, unknown>): Dict {
  const { about, fields, needs = [], status, answer, method, writes } = route
  const parameters = pathParameters(route.path)
  const isQuery = method === 'get' || method === 'delete'
  return {
    summary: about,
    operationId: nameOf(route),
    ...(writes ? { 'x-writes': true } : {}),
    parameters: isQuery ? [...parameters, ...queryParameters(fields, needs, schemas)] : parameters,
    ...(isQuery
      ? {}
      : { requestBody: { required: true, content: jsonOf(bodySchema(fields, needs), schemas, 'input') } }),
    responses: ok(answer, status, schemas),
  }
}

/** `GET /v1/contexts/:id/nodes/:node` is `getContextsNodes`. */
function nameOf({ method, path }: Route): string {
  const words = path.split('/').filter((word) => word !== '' && word !== 'v1')
  const of = words.map((word) => (word.startsWith(':') ? 'By' + capital(word.slice(1)) : capital(word)))
  return method + of.join('')
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

function pathParameters(path: string): Dict[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(fields: Fields, needs: readonly string[], schemas: Record<string, unknown>): Dict[] {
  return Object.entries(fields).map(([name, { schema, about, isList }]) => ({
    name,
    in: 'query',
    required: needs.includes(name),
    description: about,
    ...(isList ? { explode: true } : {}),
    schema: schemaOf(schema, schemas, 'input'),
  }))
}

/** What the body of a request may be. */
export function bodySchema(fields: Fields, needs: readonly string[] = []): z.ZodType {
  const entries = Object.entries(fields).map(([name, { schema }]) => [
    name,
    needs.includes(name) ? schema : schema.optional(),
  ])
  return z.strictObject(Object.fromEntries(entries) as Record<string, z.ZodType>)
}

function ok(answer: z.ZodType | undefined, status: number, schemas: Record<string, unknown>): Dict {
  const done = { description: 'Done.', ...(answer === undefined ? {} : { content: jsonOf(answer, schemas, 'output') }) }
  const failed = { description: 'Refused: code, message and details.', content: jsonOf(ERROR, schemas, 'output') }
  return { [status]: done, default: failed }
}

function eventsOperation(schemas: Record<string, unknown>): Dict {
  const description = 'The cycle of the last event that was seen, or its mark.'
  const from = { name: 'from', in: 'query', schema: { type: 'string' }, description }
  const last = { name: 'Last-Event-ID', in: 'header', schema: { type: 'string' }, description: 'The same.' }
  const failed = { description: 'Refused: code, message and details.', content: jsonOf(ERROR, schemas, 'output') }
  return {
    summary: 'One server-sent event for each commit; its id is the cycle.',
    parameters: [...pathParameters(':id'), last, from],
    responses: {
      200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
      default: failed,
    },
  }
}

function jsonOf(schema: z.ZodType, schemas: Record<string, unknown>, io: 'input' | 'output'): Dict {
  return { 'application/json': { schema: schemaOf(schema, schemas, io) } }
}

function anyJson(): Dict {
  return { 'application/json': { schema: { type: 'object' } } }
}

/** A schema with what it names put among the components. */
function schemaOf(schema: z.ZodType, schemas: Record<string, unknown>, io: 'input' | 'output'): unknown {
  const { $defs = {}, $schema: _, ...own } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  const moved = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))
  for (const [name, each] of Object.entries($defs)) schemas[name] ??= moved(withoutId(each))
  const { id } = own as Readonly<{ id?: string }>
  if (id === undefined) return moved(own)
  schemas[id] ??= moved(withoutId(own))
  return { $ref: `#/components/schemas/${id}` }
}

function withoutId(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== 'id'))
}
