// The parts of ModelMessages: one row for each type, with how it is read, who may say it, and its keys. The SDK lets keys pass that it does not
// know, so they stay; a URL and bytes may be where an image or a file has its data, and nowhere else.

import type { JsonObject, JsonValue } from '../../core/index.js'
import {
  anything,
  byKind,
  either,
  fields,
  flag,
  listOf,
  matching,
  object,
  oneOf,
  text,
  type Fit,
} from '../conversation/fit.js'
import { SOME_IMAGE } from '../conversation/media.js'
import type { Output, OutputPart } from '../conversation/neutral.js'
import {
  anyFitOf,
  callRow,
  fitsOf,
  mediaRow,
  otherRow,
  resultRow,
  rowsOf,
  summaryRow,
  textRow,
  thoughtRow,
  typedReader,
  type PartReader,
  type PartTable,
} from '../conversation/part-reader.js'
import { isObject, type PlainObject, textOf } from '../conversation/plain-json.js'
import { knownBy, type KnowsPart } from '../conversation/wire.js'
import { wordsRow } from '../conversation/words.js'
import { FILE_DATA, IMAGE_DATA, MADE_DATA, namesIn, readMedia, TAGGED_DATA, textData } from './file-data.js'
import { asJson } from './tagged.js'

export type PartRole = 'user' | 'assistant' | 'tool'

/** The kind of a node that is the result of a tool which the provider ran. */
export const PROVIDER_RESULT = 'provider-result'

/** JSON, with the address of a URL and the base64 of bytes in their place. */
const json: Fit = (value) => asJson(value)
const options = { providerOptions: jsonAfter(object) }
const id = matching(/./s)

const TEXT = part('text', { text }, options)
const FILE_OUTPUT = part('file-data', { data: text, mediaType: text }, { filename: text, ...options })
const OUTPUT_PART = byKind('type', {
  text: TEXT,
  // Version 7 knows it no more, and both know the other form.
  media: (value, dropped) => FILE_OUTPUT({ ...(value as PlainObject), type: 'file-data' }, dropped),
  file: part('file', { data: TAGGED_DATA, mediaType: text }, { filename: text, ...options }),
  'file-data': FILE_OUTPUT,
  'file-url': part('file-url', { url: text }, { mediaType: text, ...options }),
  'file-id': part('file-id', { fileId: either(text, object) }, options),
  'file-reference': part('file-reference', { providerReference: object }, options),
  'image-data': part('image-data', { data: text, mediaType: text }, options),
  'image-url': part('image-url', { url: text }, options),
  'image-file-id': part('image-file-id', { fileId: either(text, object) }, options),
  'image-file-reference': part('image-file-reference', { providerReference: object }, options),
  custom: part('custom', {}, options),
})

const OUTPUT = byKind('type', {
  text: part('text', { value: text }, options),
  json: part('json', { value: json }, options),
  'error-text': part('error-text', { value: text }, options),
  'error-json': part('error-json', { value: json }, options),
  'execution-denied': part('execution-denied', {}, { reason: text, ...options }),
  content: part('content', { value: listOf(OUTPUT_PART) }, {}),
})

export const ANSWER: Fit = part(
  'tool-approval-response',
  { approvalId: text, approved: flag },
  { reason: text, providerExecuted: flag },
)
export const REQUEST: Fit = part(
  'tool-approval-request',
  { approvalId: text, toolCallId: id },
  { reason: text, isAutomatic: flag, signature: text, inputSchemaInput: anything },
)

const readTextOf = textRow('text')
const readSummary = summaryRow(() => true)
const readFile = mediaRow((value) => readMedia(value, value['data'], undefined))
const readCallOf = callRow({ id: 'toolCallId', name: 'toolName', input: 'input', isText: true })

const KINDS: PartTable<PartRole> = {
  text: {
    read: (value, common) => (isClaudeSummary(value) ? readSummary(value, common) : readTextOf(value, common)),
    by: ['user', 'assistant'],
    fit: TEXT,
  },
  // A tool that the provider runs means nothing to others.
  'tool-call': {
    read: (value, common) => {
      const part = readCallOf({ ...value, input: value['input'] ?? {} }, common)
      return part !== undefined && value['providerExecuted'] === true ? { kind: 'other', ...common } : part
    },
    by: ['assistant'],
    fit: part('tool-call', { toolCallId: id, toolName: text, input: json }, { providerExecuted: flag, ...options }),
  },
  'tool-result': {
    read: resultRow({ id: 'toolCallId', name: 'toolName' }, ({ output }) => ({
      output: readOutput(output),
      isError: isObject(output) && ERRORS.has(output['type']),
    })),
    by: ['assistant', 'tool'],
    fit: part('tool-result', { toolCallId: id, toolName: text, output: OUTPUT }, options),
  },
  reasoning: { read: thoughtRow('text'), by: ['assistant'], fit: part('reasoning', { text }, options) },
  image: {
    read: mediaRow((value) => readMedia(value, value['image'], SOME_IMAGE)),
    by: ['user'],
    fit: part('image', { image: IMAGE_DATA }, { mediaType: text, ...options }),
  },
  file: {
    read: (value, common) => {
      const said = textData(value['data'])
      return said === undefined ? readFile(value, common) : { kind: 'text', ...common, text: said, keys: undefined }
    },
    by: ['user', 'assistant'],
    fit: part('file', { data: FILE_DATA, mediaType: text }, { filename: text, ...options }),
  },
  'tool-approval-request': { read: otherRow, by: ['assistant'], fit: REQUEST },
  'tool-approval-response': { read: otherRow, by: ['tool'], fit: ANSWER },
  'reasoning-file': {
    read: thoughtRow(),
    by: ['assistant'],
    fit: part('reasoning-file', { data: MADE_DATA, mediaType: text }, options),
  },
  custom: {
    read: summaryRow(({ kind }) => kind === 'openai.compaction'),
    by: ['assistant'],
    fit: part('custom', { kind: text }, options),
  },
}

/** The SDK gives a summary of Claude as a text. */
function isClaudeSummary({ providerOptions: options }: JsonObject): boolean {
  const own = isObject(options) ? options['anthropic'] : undefined
  return isObject(own) && own['type'] === 'compaction'
}

/** True if a part is of a kind that the table has. */
export const knowsAiSdkPart: KnowsPart = knownBy(anyFitOf(KINDS, (fits) => byKind('type', fits)))

/** The parts that a role may say. */
export const partsBy: (role: PartRole) => Fit = fitsOf(KINDS, (fits) => byKind('type', fits))

const readTyped = typedReader('ai-sdk', rowsOf(KINDS))

/** The keys of a message other than role and content. */
export const MESSAGE_KEYS: Fit = fields({}, options, undefined, json)

function part(type: string, needed: Readonly<Record<string, Fit>>, optional: Readonly<Record<string, Fit>>): Fit {
  return fields({ type: oneOf(type), ...needed }, optional, undefined, json)
}

function jsonAfter(fit: Fit): Fit {
  return (value, dropped) => {
    const fitted = fit(value, dropped)
    return fitted === undefined ? undefined : asJson(fitted)
  }
}

const ERRORS: ReadonlySet<unknown> = new Set(['error-text', 'error-json', 'execution-denied'])

export const readAiSdkPart: PartReader = (value, kind) => {
  const isProviders = value['type'] === 'tool-result' && kind === PROVIDER_RESULT
  return isProviders ? readProviders(value, { raw: value, shape: 'ai-sdk' }) : readTyped(value, kind)
}

/** The result of a tool that the provider ran: other providers read it as text. */
const readProviders = wordsRow(({ toolName, output }) => {
  const words = outputWords(readOutput(output))
  return words.trim() === '' ? undefined : `[result of ${textOf(toolName ?? 'a tool')}]\n${words}`
})

function outputWords(output: Output): string {
  if (output.kind === 'text') return output.text
  if (output.kind === 'json') return textOf(readable(output.value))
  return output.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

/** A value without what only the provider can read. */
function readable(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => readable(each))
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => !key.startsWith('encrypted'))
  return Object.fromEntries(entries.map(([key, each]) => [key, readable(each)]))
}

function readOutput(output: JsonValue | undefined): Output {
  if (!isObject(output))
    return typeof output === 'string' ? { kind: 'text', text: output } : { kind: 'json', value: output ?? null }
  const { type, value, reason } = output
  if (type === 'execution-denied')
    return { kind: 'text', text: typeof reason === 'string' ? reason : 'The call was not approved.' }
  if (type === 'content' && Array.isArray(value)) return { kind: 'parts', parts: value.map(readOutputPart) }
  if (type === 'text' || type === 'error-text') return { kind: 'text', text: textOf(value ?? '') }
  return { kind: 'json', value: type === 'json' || type === 'error-json' ? (value ?? null) : output }
}

const NAMELESS = { mediaType: undefined, filename: undefined } as const

function readOutputPart(value: JsonValue): OutputPart {
  const common = { raw: value, shape: 'ai-sdk' } as const
  if (!isObject(value)) return { kind: 'text', ...common, text: textOf(value), keys: undefined }
  const { type, text, data, url } = value
  if (type === 'text' && typeof text === 'string') return { kind: 'text', ...common, text, keys: undefined }
  if (type === 'file') {
    const said = textData(data)
    if (said !== undefined) return { kind: 'text', ...common, text: said, keys: undefined }
    const file = readMedia(value, data, undefined)
    return file === undefined ? { kind: 'other', ...common } : { kind: 'media', ...common, ...NAMELESS, ...file }
  }
  const isImage = typeof type === 'string' && type.startsWith('image')
  const media = { kind: 'media', ...common, ...namesIn(value, isImage ? SOME_IMAGE : undefined) } as const
  if (typeof data === 'string') return { ...media, source: { kind: 'base64', data } }
  return typeof url === 'string' ? { ...media, source: { kind: 'url', url } } : { kind: 'other', ...common }
}
