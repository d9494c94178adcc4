// Writes JSON Schemas of the providers' request types, from the .d.ts files of their own clients, with no additional properties.
// Run it after a client's version changes: node scripts/wire-schemas.mjs

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'test/support/providers/schemas')

/** The request of each format, as a type of its client. `Pick` leaves out what no conversation holds: models, tools, sampling. */
const ROOTS = {
  anthropic: {
    client: '@anthropic-ai/sdk',
    from: '@anthropic-ai/sdk/resources/messages/messages.js',
    type: `Pick<sdk.MessageCreateParamsNonStreaming, 'messages' | 'system' | 'cache_control'>`,
  },
  'anthropic-beta': {
    client: '@anthropic-ai/sdk',
    from: '@anthropic-ai/sdk/resources/beta/messages/messages.js',
    type: `Pick<sdk.MessageCreateParamsNonStreaming, 'messages' | 'system' | 'cache_control' | 'container'>`,
  },
  'openai-chat': {
    client: 'openai',
    from: 'openai/resources/chat/completions/completions.js',
    type: `Pick<sdk.ChatCompletionCreateParamsNonStreaming, 'messages' | 'prompt_cache_key' | 'prompt_cache_options'>`,
  },
  'openai-responses': {
    client: 'openai',
    from: 'openai/resources/responses/responses.js',
    // The API takes what an assistant said also without id, status and annotations, as recorded requests have it; the client's types do not.
    type: `Pick<sdk.ResponseCreateParamsNonStreaming, 'instructions' | 'conversation' | 'previous_response_id' | 'prompt_cache_key' | 'prompt_cache_options'> & {
      input: string | (sdk.ResponseInputItem | AssistantMessage)[]
    }
    type Said = sdk.ResponseOutputRefusal | (Omit<sdk.ResponseOutputText, 'annotations'> & Partial<Pick<sdk.ResponseOutputText, 'annotations'>>)
    type AssistantMessage = Omit<sdk.ResponseOutputMessage, 'id' | 'status' | 'type' | 'content'> &
      Partial<Pick<sdk.ResponseOutputMessage, 'id' | 'status' | 'type'>> & { content: Said[] }`,
  },
  gemini: {
    client: '@google/genai',
    from: '@google/genai',
    type: `{ contents: sdk.Content[]; systemInstruction?: sdk.Content }`,
  },
  'gemini-interactions': {
    client: '@google/genai',
    from: '@google/genai',
    type: `Pick<sdk.Interactions.CreateModelInteractionParamsNonStreaming, 'input' | 'system_instruction' | 'previous_interaction_id'>`,
  },
  mistral: {
    client: '@mistralai/mistralai',
    from: '@mistralai/mistralai/models/components',
    type: `Pick<sdk.ChatCompletionRequest, 'messages'>`,
  },
  bedrock: {
    client: '@aws-sdk/client-bedrock-runtime',
    from: '@aws-sdk/client-bedrock-runtime',
    type: `Pick<sdk.ConverseCommandInput, 'messages' | 'system'>`,
  },
}

const files = new Map(
  Object.entries(ROOTS).map(([name, { from, type }]) => [
    join(root, `test/support/providers/schemas/${name}.virtual.ts`),
    `import type * as sdk from '${from}'\nexport type Request = ${type}\n`,
  ]),
)

const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
}
const host = ts.createCompilerHost(options)
const base = ts.createCompilerHost(options)
host.fileExists = (path) => files.has(path) || base.fileExists(path)
host.readFile = (path) => files.get(path) ?? base.readFile(path)
const program = ts.createProgram([...files.keys()], options, host)
const checker = program.getTypeChecker()

mkdirSync(folder, { recursive: true })
for (const [name, { client }] of Object.entries(ROOTS)) {
  const file = program.getSourceFile(join(folder, `${name}.virtual.ts`))
  const errors = program.getSemanticDiagnostics(file)
  if (errors.length > 0) throw new Error(ts.formatDiagnostics(errors, { ...host, getNewLine: () => '\n' }))
  const [request] = checker.getExportsOfModule(checker.getSymbolAtLocation(file))
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', client, 'package.json'), 'utf8'))
  const schema = schemaOf(checker.getDeclaredTypeOfSymbol(request))
  const text = `${JSON.stringify({ $comment: `${client} ${version}`, ...schema })}\n`
  writeFileSync(join(folder, `${name}.json`), text)
  console.log(`${name}: ${text.length} bytes`)
}

function schemaOf(type) {
  const names = new Map()
  const $defs = {}
  const top = write(type)
  return { ...top, $defs }

  function write(type) {
    const { flags } = type
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {}
    if (flags & (ts.TypeFlags.Never | ts.TypeFlags.Undefined)) return { not: {} }
    if (flags & ts.TypeFlags.Null) return { type: 'null' }
    if (flags & ts.TypeFlags.StringLiteral) return { const: type.value }
    if (flags & ts.TypeFlags.NumberLiteral) return { const: type.value }
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' }
    if (flags & ts.TypeFlags.StringLike) return { type: 'string' }
    if (flags & ts.TypeFlags.NumberLike) return { type: 'number' }
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' }
    // By name, since JSON in a request is a union that holds itself.
    if (type.isUnion()) return type.aliasSymbol === undefined ? union(type) : defined(type, union)
    // `string & {}` leaves an enum open.
    if (type.isIntersection() && type.types.some((each) => each.flags & ts.TypeFlags.StringLike))
      return { type: 'string' }
    if (type.isIntersection() && type.types.some((each) => each.flags & ts.TypeFlags.NumberLike))
      return { type: 'number' }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection | ts.TypeFlags.NonPrimitive)) return named(type)
    throw new Error(`No schema for ${checker.typeToString(type)} (${flags})`)
  }

  function union(type) {
    const given = type.types.filter((each) => !(each.flags & ts.TypeFlags.Undefined))
    const literals = given.filter((each) => each.isStringLiteral() || each.isNumberLiteral())
    const others = given.filter((each) => !literals.includes(each) && !isUnknownMember(each))
    const all = others.map(write)
    if (literals.length > 0) all.push({ enum: literals.map(({ value }) => value) })
    const unique = [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
    const isBoolean = unique.filter(({ const: value }) => typeof value === 'boolean').length === 2
    const rest = isBoolean ? unique.filter(({ const: value }) => typeof value !== 'boolean') : unique
    if (isBoolean) rest.push({ type: 'boolean' })
    if (rest.length === 0) return { not: {} }
    return rest.length === 1 ? rest[0] : { anyOf: rest }
  }

  function named(type) {
    const symbol = type.aliasSymbol?.name ?? type.symbol?.name ?? ''
    if (symbol === 'Uint8Array') return { bytes: true }
    if (['Blob', 'Date', 'URL', 'ReadableStream'].includes(symbol)) return { not: {} }
    if (checker.isArrayType(type)) return { type: 'array', items: write(checker.getTypeArguments(type)[0]) }
    if (checker.isTupleType(type)) return { type: 'array', items: { anyOf: checker.getTypeArguments(type).map(write) } }
    return defined(type, object)
  }

  function defined(type, make) {
    let name = names.get(type.id)
    if (name === undefined) {
      const symbol = type.aliasSymbol?.name ?? type.symbol?.name ?? ''
      const base = /^\w+$/.test(symbol) && !symbol.startsWith('__') ? symbol : 'Part'
      name = base
      for (let n = 2; name in $defs; n++) name = `${base}${n}`
      names.set(type.id, name)
      $defs[name] = {}
      $defs[name] = make(type)
    }
    return { $ref: `#/$defs/${name}` }
  }

  function object(type) {
    const properties = {}
    const required = []
    for (const property of checker.getPropertiesOfType(type)) {
      const is = checker.getTypeOfSymbol(property)
      if (checker.getNonNullableType(is).getCallSignatures().length > 0) continue
      if (property.name.startsWith('__@')) continue
      properties[property.name] = write(is)
      if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name)
    }
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String)
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
      // `object` and `{}` say nothing about their keys.
      additionalProperties: index === undefined ? Object.keys(properties).length === 0 : write(index.type),
    }
  }
}

/** The members that clients have for kinds that they do not know: they would take anything. */
function isUnknownMember(type) {
  const symbol = (type.symbol?.name ?? '') + (type.aliasSymbol?.name ?? '')
  return /Unknown(?:Member)?$/.test(symbol)
}
