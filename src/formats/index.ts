// Names of formats, without the code that reads and writes them: help, schemas and checks load only this list.

/** Formats of providers: conversations are read from them, requests are written in them. */
export const FORMAT_NAMES = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'gemini-interactions',
  'ai-sdk',
  'mistral',
  'bedrock',
] as const
export type FormatName = (typeof FORMAT_NAMES)[number]

/** Every format of a file: those of providers, logs that map to one of them, and our own export. */
export type ImportFormat = FormatName | 'sharegpt' | 'llamafactory-v1' | 'pi-agent' | 'claude-code' | 'codex' | 'pact'
export const IMPORT_FORMATS: readonly ImportFormat[] = [
  ...FORMAT_NAMES,
  'sharegpt',
  'llamafactory-v1',
  'pi-agent',
  'claude-code',
  'codex',
  'pact',
]

/** Formats that can be rendered: requests, and the provider-neutral thread. */
export type RenderedFormat = FormatName | 'thread'
export const RENDERED_FORMATS: readonly RenderedFormat[] = ['thread', ...FORMAT_NAMES]

/** Rows of prices and cache rules, by provider and lifetime. */
export const CACHE_RULES_NAMES = ['claude-5m', 'claude-1h', 'openai', 'openai-5.6', 'gemini'] as const
export type CacheRulesName = (typeof CACHE_RULES_NAMES)[number]
