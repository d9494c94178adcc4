// The parts of a Gemini content, read into what all formats share. The API reads both spellings of a key, so both occur.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { Output, ReadPart } from '../conversation/neutral.js'
import { isObject } from '../conversation/plain-json.js'

export function readGeminiPart(value: JsonObject, _kind: string | undefined): ReadPart | undefined {
  // Every other format names the type of a part.
  if (value['type'] !== undefined) return undefined
  const common = { raw: value, shape: 'gemini' } as const
  const call = field(value, 'functionCall', 'function_call')
  if (isObject(call)) return readCall(call, value)
  const response = field(value, 'functionResponse', 'function_response')
  if (isObject(response)) return readResult(response, value)
  const inline = field(value, 'inlineData', 'inline_data')
  const file = field(value, 'fileData', 'file_data')
  if (isObject(inline) || isObject(file)) return readMedia(isObject(inline) ? inline : (file as JsonObject), value)
  const { text } = value
  if (typeof text === 'string') {
    return value['thought'] === true
      ? { kind: 'reasoning', ...common, text }
      : { kind: 'text', ...common, text, keys: undefined }
  }
  return Object.keys(value).some((key) => OWN_KEYS.has(key)) ? { kind: 'other', ...common } : undefined
}

/** What runs at the provider. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  'toolCall',
  'toolResponse',
  'executableCode',
  'codeExecutionResult',
  'tool_call',
  'tool_response',
  'executable_code',
  'code_execution_result',
])

/** Every part has one of these. */
export const GEMINI_KEYS: readonly string[] = [
  'text',
  'functionCall',
  'function_call',
  'functionResponse',
  'function_response',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  ...OWN_KEYS,
]

/** The value of a key in either spelling. */
function field(value: JsonObject, camel: string, snake: string): JsonValue | undefined {
  return value[camel] ?? value[snake]
}

function readCall(call: JsonObject, raw: JsonObject): ReadPart | undefined {
  const { id, name, args } = call
  if (typeof name !== 'string') return undefined
  const callId = typeof id === 'string' && id !== '' ? id : undefined
  return { kind: 'call', raw, shape: 'gemini', callId, name, input: args ?? {}, inputText: undefined }
}

function readResult(response: JsonObject, raw: JsonObject): ReadPart {
  const { id, name, response: given } = response
  return {
    kind: 'result',
    raw,
    shape: 'gemini',
    callId: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : undefined,
    output: readOutput(given),
    isError: isObject(given) && given['error'] !== undefined,
  }
}

/** A text or value that was put into an object, since the format asks for one, comes out of it again. */
function readOutput(given: JsonValue | undefined): Output {
  if (!isObject(given))
    return typeof given === 'string' ? { kind: 'text', text: given } : { kind: 'json', value: given ?? null }
  const keys = Object.keys(given)
  const only = keys.length === 1 && (keys[0] === 'output' || keys[0] === 'error') ? given[keys[0]]! : given
  return typeof only === 'string' ? { kind: 'text', text: only } : { kind: 'json', value: only }
}

function readMedia(data: JsonObject, raw: JsonObject): ReadPart {
  const common = { raw, shape: 'gemini' } as const
  const mime = field(data, 'mimeType', 'mime_type')
  const uri = field(data, 'fileUri', 'file_uri')
  const name = field(data, 'displayName', 'display_name')
  const media = {
    kind: 'media',
    ...common,
    mediaType: typeof mime === 'string' ? mime : undefined,
    filename: typeof name === 'string' ? name : undefined,
  } as const
  if (typeof data['data'] === 'string') return { ...media, source: { kind: 'base64', data: data['data'] } }
  // What was uploaded to the provider is no one else's to read.
  if (typeof uri === 'string' && /^https?:/.test(uri) && !uri.includes('generativelanguage.googleapis.com')) {
    return { ...media, source: { kind: 'url', url: uri } }
  }
  return { kind: 'other', ...common }
}
