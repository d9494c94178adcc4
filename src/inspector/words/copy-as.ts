// A request as something to paste elsewhere: a call of curl or fetch, or of this package. Keys of providers are named by the variables of
// their own tools, and never written out.

import type { JsonObject } from '../../api/index.js'
import type { Format } from '../state/link.js'

/** Where a format is posted to. */
type Target = Readonly<{
  /** The variable with another address, and the usual address. */
  base: readonly [variable: string, usual: string]
  path: (model: string) => string
  /** Headers; `$NAME` is the value of a variable. */
  headers: Readonly<Record<string, string>>
  /** The model is a part of the address, not of the body. */
  hasModelInPath?: boolean
}>

const bearer = (variable: string): Target['headers'] => ({ authorization: `Bearer $${variable}` })
const GOOGLE = {
  base: ['GEMINI_BASE_URL', 'https://generativelanguage.googleapis.com/v1beta'],
  headers: { 'x-goog-api-key': '$GEMINI_API_KEY' },
} as const
const OPENAI = { base: ['OPENAI_BASE_URL', 'https://api.openai.com/v1'], headers: bearer('OPENAI_API_KEY') } as const

const TARGETS: Readonly<Partial<Record<Format, Target>>> = {
  'openai-chat': { ...OPENAI, path: () => '/chat/completions' },
  'openai-responses': { ...OPENAI, path: () => '/responses' },
  anthropic: {
    base: ['ANTHROPIC_BASE_URL', 'https://api.anthropic.com'],
    path: () => '/v1/messages',
    headers: { 'x-api-key': '$ANTHROPIC_API_KEY', 'anthropic-version': '2023-06-01' },
  },
  gemini: { ...GOOGLE, path: (model) => `/models/${model}:generateContent`, hasModelInPath: true },
  'gemini-interactions': { ...GOOGLE, path: () => '/interactions' },
  mistral: {
    base: ['MISTRAL_BASE_URL', 'https://api.mistral.ai/v1'],
    path: () => '/chat/completions',
    headers: bearer('MISTRAL_API_KEY'),
  },
  bedrock: {
    base: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME', 'https://bedrock-runtime.us-east-1.amazonaws.com'],
    path: (model) => `/model/${encodeURIComponent(model)}/converse`,
    headers: bearer('AWS_BEARER_TOKEN_BEDROCK'),
    hasModelInPath: true,
  },
}

export type Posted = Readonly<{
  as: Format
  /** The bytes of the request. */
  text: string
  /** The facts of the record beyond the bytes. */
  model?: string | undefined
  params?: JsonObject | null | undefined
}>

/** True if the format is posted to an address. */
export function isPosted(as: Format): boolean {
  return TARGETS[as] !== undefined
}

/** The bytes, with what the params of the call hold beyond them in front; every byte of the request stays as it is. */
export function bodyOf({ as, text, model, params }: Posted): string {
  const given = parsed(text)
  if (given === undefined) return text
  const more: JsonObject = {
    ...(TARGETS[as]?.hasModelInPath !== true && model !== undefined ? { model } : {}),
    ...params,
  }
  const missing = Object.entries(more).filter(([name]) => !(name in given))
  if (missing.length === 0) return text
  const added = JSON.stringify(Object.fromEntries(missing)).slice(1, -1)
  const rest = text.slice(text.indexOf('{') + 1)
  return `{${added}${Object.keys(given).length === 0 ? '' : ','}${rest}`
}

/** A command for a POSIX shell. */
export function asCurl(posted: Posted): string {
  const target = TARGETS[posted.as]!
  const [variable, usual] = target.base
  const headers = Object.entries({ 'content-type': 'application/json', ...target.headers })
  // Variables are for the shell to fill in, so these are in double quotes; everything else is in single ones.
  const path = target.path(posted.model ?? 'MODEL').replace(/[$`"\\]/g, '\\$&')
  return [
    `printf '%s' ${quoted(bodyOf(posted))} |`,
    `  curl -sS "\${${variable}:-${usual}}${path}" \\`,
    ...headers.map(([name, value]) => `  -H "${name}: ${value}" \\`),
    '  --data-binary @-',
  ].join('\n')
}

/** A statement for JavaScript. */
export function asFetch(posted: Posted): string {
  const target = TARGETS[posted.as]!
  const [variable, usual] = target.base
  const headers = Object.entries({ 'content-type': 'application/json', ...target.headers }).map(([name, value]) => {
    const filled = value.replace(/\$(\w+)/, '${process.env.$1}')
    return `    '${name}': ${filled === value ? `'${value}'` : `\`${filled}\``},`
  })
  return [
    `const url = (process.env.${variable} ?? '${usual}') + ${JSON.stringify(target.path(posted.model ?? 'MODEL'))}`,
    'const response = await fetch(url, {',
    "  method: 'POST',",
    '  headers: {',
    ...headers,
    '  },',
    `  body: ${JSON.stringify(bodyOf(posted))},`,
    '})',
  ].join('\n')
}

/** The lines that give the bytes of a call again. */
export function asRequestOf(context: string, attempt: string): string {
  return [
    "import { openStore } from 'pact-context/store'",
    '',
    "const store = await openStore(process.env.PACT_STORE ?? 'sqlite:.pact/contexts.db')",
    `const ctx = await store.open(${JSON.stringify(context)})`,
    `const bytes = ctx.requestOf(${JSON.stringify(attempt)})`,
  ].join('\n')
}

/** The command that writes a request of this format. */
export function asRender(context: string, lens: string, as: Format): string {
  return `pctx render ${shellWord(context)} ${shellWord(lens)} --for ${as}`
}

export function pretty(text: string): string {
  const value = parsed(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

function shellWord(text: string): string {
  return /^[\w@:./-]+$/.test(text) ? text : quoted(text)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
