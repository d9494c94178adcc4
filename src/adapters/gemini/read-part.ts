// The parts of a Gemini content, read into what all formats share. The API reads both spellings of a key, so both occur.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { Output } from '../conversation/neutral.js'
import {
  callRow,
  keyedReader,
  mediaRow,
  resultRow,
  type PartReader,
  type ReadMedia,
} from '../conversation/part-reader.js'
import { isObject } from '../conversation/plain-json.js'

/** Parts of tools that run at the provider. */
const OWN_KEYS: readonly string[] = ['toolCall', 'toolResponse', 'executableCode', 'codeExecutionResult']
const DATA_KEYS: readonly string[] = ['functionCall', 'functionResponse', 'inlineData', 'fileData', ...OWN_KEYS]

/** Every part has one of these. */
export const GEMINI_KEYS: readonly string[] = ['text', ...DATA_KEYS, ...DATA_KEYS.map(snake)]

const readCallOf = callRow({ id: 'id', name: 'name', input: 'args' })

export const readGeminiPart: PartReader = keyedReader(
  'gemini',
  {
    functionCall: (call, common) => readCallOf({ ...call, args: call['args'] ?? {} }, common),
    functionResponse: resultRow({ id: 'id', name: 'name' }, ({ response }) => ({
      output: readOutput(response),
      isError: isObject(response) && response['error'] !== undefined,
    })),
    inlineData: mediaRow(readMedia),
    fileData: mediaRow(readMedia),
  },
  (value, common) => {
    const { text, thought } = value
    if (typeof text === 'string' && thought === true) return { kind: 'reasoning', ...common, text }
    if (typeof text === 'string') return { kind: 'text', ...common, text, keys: undefined }
    return OWN_KEYS.some((key) => key in value || snake(key) in value) ? { kind: 'other', ...common } : undefined
  },
  snake,
)

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A text or value that was put into an object, since the format asks for one, comes out of it again. */
function readOutput(given: JsonValue | undefined): Output {
  const keys = isObject(given) ? Object.keys(given) : []
  const isWrapped = keys.length === 1 && (keys[0] === 'output' || keys[0] === 'error')
  const value = isWrapped ? (given as JsonObject)[keys[0]!] : given
  return typeof value === 'string' ? { kind: 'text', text: value } : { kind: 'json', value: value ?? null }
}

/** Bytes, or an address that others can read: a file that was uploaded to the provider is its own. */
function readMedia(data: JsonObject): ReadMedia | undefined {
  const mime = data['mimeType'] ?? data['mime_type']
  const uri = data['fileUri'] ?? data['file_uri']
  const name = data['displayName'] ?? data['display_name']
  const about = {
    mediaType: typeof mime === 'string' ? mime : undefined,
    filename: typeof name === 'string' ? name : undefined,
  }
  if (typeof data['data'] === 'string') return { ...about, source: { kind: 'base64', data: data['data'] } }
  const isPublic = typeof uri === 'string' && /^https?:/.test(uri) && !uri.includes('generativelanguage.googleapis.com')
  return isPublic ? { ...about, source: { kind: 'url', url: uri } } : undefined
}
