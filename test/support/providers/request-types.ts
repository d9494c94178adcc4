// Judges requests by the types of the providers' own clients: scripts/wire-schemas.mjs wrote the JSON Schemas from their .d.ts files, with no
// additional properties. A union reports the member that the value fits best.

import { readFileSync } from 'node:fs'

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'

const FILES = [
  'anthropic',
  'anthropic-beta',
  'openai-chat',
  'openai-responses',
  'gemini',
  'gemini-interactions',
  'mistral',
  'bedrock',
] as const

export type RequestType = (typeof FILES)[number]
export const REQUEST_TYPES: readonly RequestType[] = FILES

const ajv = new Ajv2020({ strict: false, allErrors: false })
ajv.addKeyword({ keyword: 'bytes', validate: (_: unknown, value: unknown) => value instanceof Uint8Array })

const compiled = new Map<RequestType, ValidateFunction>()

/** The faults of form that the compiler would find in a request, the deepest first; none if it has the type. */
export function typeFaults(type: RequestType, request: object): readonly string[] {
  let check = compiled.get(type)
  if (check === undefined) compiled.set(type, (check = ajv.compile(schemaOf(type))))
  if (check({ ...request })) return []
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length
  return nearest(check.errors ?? [])
    .toSorted((a, b) => depth(b) - depth(a))
    .slice(0, 4)
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
}

/** Without the faults of union members that the value does not mean to be: those whose type or role is another one. */
function nearest(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const others = errors.flatMap(({ schemaPath, instancePath }) => {
    const found = /^(.*)\/properties\/(type|role)\/const$/.exec(schemaPath)
    return found === null ? [] : [{ schema: `${found[1]!}/`, at: instancePath.replace(/\/(?:type|role)$/, '') }]
  })
  const meant = errors.filter(
    ({ schemaPath, instancePath }) =>
      !others.some(({ schema, at }) => schemaPath.startsWith(schema) && instancePath.startsWith(at)),
  )
  return meant.length === 0 ? errors : meant
}

/** The client and the version that a schema was written from. */
export function clientOf(type: RequestType): Readonly<{ name: string; version: string }> {
  const [name = '', version = ''] = schemaOf(type).$comment.split(' ')
  return { name, version }
}

function schemaOf(type: RequestType): { $comment: string } {
  return JSON.parse(readFileSync(new URL(`schemas/${type}.json`, import.meta.url), 'utf8')) as { $comment: string }
}
