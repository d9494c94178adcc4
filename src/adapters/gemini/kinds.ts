// The parts of a Gemini content: each has one field of data, with how it is read and the keys that it may have. The API reads both spellings of a
// key, so both occur.

import type { JsonObject, JsonValue } from '../../core/index.js'
import {
  anything,
  asCame,
  fields,
  flag,
  likeDropped,
  listOf,
  object,
  text,
  wordOf,
  type Fit,
} from '../conversation/fit.js'
import type { Output, OutputPart } from '../conversation/neutral.js'
import {
  asOutputPart,
  callRow,
  keyedReader,
  mediaRow,
  resultRow,
  rowsOf,
  textIn,
  type PartReader,
  type PartTable,
  type ReadMedia,
} from '../conversation/part-reader.js'
import { isObject, type PlainObject, textOf } from '../conversation/plain-json.js'
import { knownBy, type KnowsPart } from '../conversation/wire.js'
import { wordsRow } from '../conversation/words.js'

const INLINE = fields({ data: text, mimeType: text }, { displayName: text }, camel)
const FILE = fields({ fileUri: text }, { mimeType: text, displayName: text }, camel)
const readCallOf = callRow({ id: 'id', name: 'name', input: 'args' })

const DATA: PartTable<never> = {
  functionCall: {
    read: (call, common) => readCallOf({ ...call, args: call['args'] ?? {} }, common),
    fit: fields(
      { name: text },
      { id: text, args: object, partialArgs: asCame(listOf(object)), willContinue: flag },
      camel,
    ),
  },
  functionResponse: {
    read: resultRow({ id: 'id', name: 'name' }, ({ response, parts }) => ({
      output: withMedia(readOutput(response), parts),
      isError: isObject(response) && response['error'] !== undefined,
    })),
    fit: fields(
      { name: text, response: object },
      {
        id: text,
        parts: listOf(fields({}, { inlineData: INLINE, fileData: FILE, mediaProcessing: asCame(anything) }, camel)),
        scheduling: wordOf('SCHEDULING_UNSPECIFIED', 'SILENT', 'WHEN_IDLE', 'INTERRUPT'),
        willContinue: flag,
      },
      camel,
    ),
  },
  inlineData: { read: mediaRow(readMedia), fit: INLINE },
  fileData: { read: mediaRow(readMedia), fit: FILE },
  text: { fit: text },
  audioTranscription: { fit: asCame(object) },
  // Parts of tools that run at the provider.
  executableCode: {
    read: wordsRow(codeWords),
    fit: fields({ code: text, language: wordOf('LANGUAGE_UNSPECIFIED', 'PYTHON') }, { id: text }, camel),
  },
  codeExecutionResult: {
    read: wordsRow(({ output }) => textIn(output)),
    fit: fields(
      { outcome: wordOf('OUTCOME_UNSPECIFIED', 'OUTCOME_OK', 'OUTCOME_FAILED', 'OUTCOME_DEADLINE_EXCEEDED') },
      { output: text, id: text },
      camel,
    ),
  },
  toolCall: { fit: asCame(object) },
  toolResponse: { fit: asCame(object) },
}

const OWN_KEYS: readonly string[] = ['toolCall', 'toolResponse']
const DATA_KEYS: readonly string[] = [...Object.keys(rowsOf(DATA)), ...OWN_KEYS]

/** Every part has one of these. */
export const GEMINI_KEYS: readonly string[] = ['text', ...DATA_KEYS, ...DATA_KEYS.map(snake)]

const BESIDE: Readonly<Record<string, Fit>> = {
  thought: flag,
  thoughtSignature: text,
  videoMetadata: asCame(object),
  mediaResolution: asCame(object),
  mediaProcessing: asCame(anything),
  speechMetadata: asCame(object),
  partMetadata: asCame(object),
}

const ANY = fields(
  {},
  { ...Object.fromEntries(Object.entries(DATA).map(([key, { fit }]) => [key, fit])), ...BESIDE },
  camel,
)

/** A part with exactly one field of data. That field may be one that is not known. */
export const PART_FIT: Fit = (value, dropped) => {
  const own = likeDropped(dropped)
  const fitted = ANY(value, own) as PlainObject | undefined
  const data = Object.keys(fitted ?? {}).filter((key) => Object.hasOwn(DATA, camel(key)))
  const others = Object.keys(fitted ?? {}).filter((key) => !Object.hasOwn(BESIDE, camel(key)))
  // The other keys of a part say nothing if its data does not fit.
  if (data.length > 1 || others.length === 0 || [...own].some((key) => Object.hasOwn(DATA, camel(key))))
    return undefined
  for (const key of own) dropped.add(key)
  return fitted
}

export function camel(key: string): string {
  return key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export const readGeminiPart: PartReader = keyedReader(
  'gemini',
  rowsOf(DATA),
  (value, common) => {
    const { text, thought } = value
    if (typeof text === 'string' && thought === true) return { kind: 'reasoning', ...common, text }
    if (typeof text === 'string') return { kind: 'text', ...common, text, keys: undefined }
    return OWN_KEYS.some((key) => key in value || snake(key) in value) ? { kind: 'other', ...common } : undefined
  },
  snake,
)

/** True if a part has one field of data, and every key in it is known. */
export const knowsGeminiPart: KnowsPart = knownBy(PART_FIT)

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

/** The output with the pictures and files next to it; its value is then a text. */
function withMedia(output: Output, beside: JsonValue | undefined): Output {
  const media = Array.isArray(beside) ? beside.map((part: JsonValue) => mediaIn(part)) : []
  const parts = media.filter((part) => part !== undefined)
  if (parts.length === 0 || output.kind === 'parts') return output
  const text = output.kind === 'text' ? output.text : isEmpty(output.value) ? '' : textOf(output.value)
  const said: OutputPart = { kind: 'text', raw: undefined, shape: 'gemini', text, keys: undefined }
  return { kind: 'parts', parts: text === '' ? parts : [said, ...parts] }
}

function mediaIn(part: JsonValue): OutputPart | undefined {
  return isObject(part) ? asOutputPart(readGeminiPart(part, undefined)) : undefined
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0)
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
  return typeof uri === 'string' && !isOwnFile(uri) ? { ...about, source: { kind: 'url', url: uri } } : undefined
}

/** True for a file that only Gemini can read. */
export function isOwnFile(uri: string): boolean {
  return !/^https?:/.test(uri) || uri.includes('generativelanguage.googleapis.com')
}

/** Code that Gemini ran, as others read it. */
export function codeWords({ code, language }: JsonObject): string | undefined {
  if (typeof code !== 'string') return undefined
  return `\`\`\`${typeof language === 'string' ? language.toLowerCase() : ''}\n${code}\n\`\`\``
}
