// The names of formats, and nothing else: help, schemas and checks list them without loading what reads and writes them.

/** The formats of providers, which conversations come in and requests go out in. */
export const FORMAT_NAMES = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk'] as const
export type FormatName = (typeof FORMAT_NAMES)[number]

/** Every format that a file may be in: those of providers, logs that can be mapped to one of them, and our own export. */
export type ImportFormat = FormatName | 'sharegpt' | 'llamafactory-v1' | 'pi-agent' | 'claude-code' | 'pact'
export const IMPORT_FORMATS: readonly ImportFormat[] = [
  ...FORMAT_NAMES,
  'sharegpt',
  'llamafactory-v1',
  'pi-agent',
  'claude-code',
  'pact',
]

/** What can be rendered: requests, and the provider-neutral thread. */
export type RenderedFormat = FormatName | 'thread'
export const RENDERED_FORMATS: readonly RenderedFormat[] = ['thread', ...FORMAT_NAMES]
