// OpenAPI 3.1, from the table.

import { paramsOf, ROUTES, type Route } from './routes.js'
import { dict, literal, object, objectJson, string, type Definitions, type JsonSchema, type Schema } from './schema.js'

const ERROR = object({ error: object({ code: string, message: string, details: dict }) }).named('Error')
const HEALTH = object({ ok: literal(true) }).named('Health')

let made: JsonSchema | undefined

/** OpenAPI 3.1, as an object. */
export function openApi(): JsonSchema {
  return (made ??= documentOf())
}

function documentOf(): JsonSchema {
  const schemas: Definitions = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of ROUTES) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    ;(paths[path] ??= {})[route.method] = operationOf(route, schemas)
  }
  paths['/health'] = {
    get: {
      summary: 'The server is running.',
      security: [],
      responses: responses(200, content(HEALTH, schemas), schemas),
    },
  }
  const any = { 'application/json': { schema: { type: 'object' } } }
  paths['/openapi.json'] = { get: { summary: 'This description.', responses: responses(200, any, schemas) } }
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

function operationOf(route: Route, schemas: Definitions): JsonSchema {
  const { about, endpoint, fields, method, needs, status } = route
  const parameters: JsonSchema[] = paramsOf(endpoint).map(([name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const shared = { summary: about, operationId: operationId(route), ...(endpoint.writes ? { 'x-writes': true } : {}) }
  if (method === 'post' || method === 'put') {
    const schema = objectJson(fields, schemas, needs)
    const requestBody = { required: true, content: { 'application/json': { schema } } }
    return { ...shared, parameters, requestBody, responses: answersOf(route, schemas) }
  }
  for (const [name, field] of Object.entries(fields)) {
    parameters.push({
      name,
      in: 'query',
      required: needs.includes(name),
      description: field.about,
      ...(field.isList ? { explode: true } : {}),
      schema: field.json(schemas),
    })
  }
  if (endpoint.isStream === true) {
    parameters.push({
      name: 'Last-Event-ID',
      in: 'header',
      schema: { type: 'string' },
      description: 'The same as `from`.',
    })
  }
  return { ...shared, parameters, responses: answersOf(route, schemas, status) }
}

function answersOf({ endpoint }: Route, schemas: Definitions, status = endpoint.status ?? 200): JsonSchema {
  if (status === 204) return responses(status, undefined, schemas)
  if (endpoint.isStream !== true) return responses(status, content(endpoint.answer, schemas), schemas, endpoint.headers)
  const description = 'The data of each event is a `WatchedEvent`.'
  endpoint.answer.json(schemas)
  return responses(status, { 'text/event-stream': { schema: { type: 'string', description } } }, schemas)
}

/** `get /v1/contexts/:id/nodes/:node` is `getContextsByIdNodesByNode`. */
function operationId({ method, path }: Route): string {
  const words = path.split('/').filter((word) => word !== '' && word !== 'v1')
  return method + words.map((word) => (word.startsWith(':') ? `By${capital(word.slice(1))}` : capital(word))).join('')
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

function content(schema: Schema<unknown>, schemas: Definitions): JsonSchema {
  return { 'application/json': { schema: schema.json(schemas) } }
}

function responses(
  status: number,
  body: JsonSchema | undefined,
  schemas: Definitions,
  headers: Readonly<Record<string, string>> = {},
): JsonSchema {
  const named = Object.entries(headers).map(([flag, name]) => [
    name,
    { description: `\`true\` for \`${flag}\`.`, schema: { type: 'string' } },
  ])
  const done = {
    description: 'Done.',
    ...(named.length === 0 ? {} : { headers: Object.fromEntries(named) as JsonSchema }),
    ...(body === undefined ? {} : { content: body }),
  }
  return {
    [status]: done,
    default: { description: 'Refused: code, message and details.', content: content(ERROR, schemas) },
  }
}
