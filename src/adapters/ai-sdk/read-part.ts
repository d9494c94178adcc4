// The parts of an AI SDK ModelMessage, read into what all formats share.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { SOME_IMAGE } from '../conversation/media.js'
import type { Output, OutputPart } from '../conversation/neutral.js'
import {
  callRow,
  mediaRow,
  otherRow,
  resultRow,
  textRow,
  thoughtRow,
  typedReader,
  type PartReader,
  type ReadMedia,
} from '../conversation/part-reader.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import { bytesIn, urlIn } from './tagged.js'

/** The kind of a node that is the result of a tool which the provider ran. */
export const PROVIDER_RESULT = 'provider-result'

const readCallOf = callRow({ id: 'toolCallId', name: 'toolName', input: 'input', isText: true })

const readTyped = typedReader('ai-sdk', {
  text: textRow('text'),
  // A tool that the provider runs means nothing to others.
  'tool-call': (value, common) => {
    const part = readCallOf({ ...value, input: value['input'] ?? {} }, common)
    return part !== undefined && value['providerExecuted'] === true ? { kind: 'other', ...common } : part
  },
  'tool-result': resultRow({ id: 'toolCallId', name: 'toolName' }, ({ output }) => ({
    output: readOutput(output),
    isError: isObject(output) && ERRORS.has(output['type']),
  })),
  reasoning: thoughtRow('text'),
  image: mediaRow((value) => readMedia(value, value['image'], SOME_IMAGE)),
  file: mediaRow((value) => readMedia(value, value['data'], undefined)),
  'tool-approval-request': otherRow,
  'tool-approval-response': otherRow,
  'reasoning-file': otherRow,
  custom: otherRow,
})

const ERRORS: ReadonlySet<unknown> = new Set(['error-text', 'error-json', 'execution-denied'])

export const readAiSdkPart: PartReader = (value, kind) => {
  const isProviders = value['type'] === 'tool-result' && kind === PROVIDER_RESULT
  return isProviders ? { kind: 'other', raw: value, shape: 'ai-sdk' } : readTyped(value, kind)
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

function readOutputPart(value: JsonValue): OutputPart {
  const common = { raw: value, shape: 'ai-sdk' } as const
  if (!isObject(value)) return { kind: 'text', ...common, text: textOf(value), keys: undefined }
  const { type, text, data, url } = value
  if (type === 'text' && typeof text === 'string') return { kind: 'text', ...common, text, keys: undefined }
  const isImage = typeof type === 'string' && type.startsWith('image')
  const media = { kind: 'media', ...common, ...namesIn(value, isImage ? SOME_IMAGE : undefined) } as const
  if (typeof data === 'string') return { ...media, source: { kind: 'base64', data } }
  return typeof url === 'string' ? { ...media, source: { kind: 'url', url } } : { kind: 'other', ...common }
}

/** Data as bytes, as base64, or an address. */
function readMedia(value: JsonObject, data: JsonValue | undefined, usual: string | undefined): ReadMedia | undefined {
  const about = namesIn(value, usual)
  const text = typeof data === 'string' ? data : undefined
  const url = urlIn(data) ?? (text !== undefined && /^(?:https?|data):/.test(text) ? text : undefined)
  if (url?.startsWith('data:') === true) return { ...about, ...fromDataUrl(url, about.mediaType) }
  if (url !== undefined) return { ...about, source: { kind: 'url', url } }
  const base64 = bytesIn(data) ?? text
  return base64 === undefined ? undefined : { ...about, source: { kind: 'base64', data: base64 } }
}

function namesIn({ mediaType, filename }: JsonObject, usual: string | undefined): Omit<Required<ReadMedia>, 'source'> {
  return {
    mediaType: typeof mediaType === 'string' ? mediaType : usual,
    filename: typeof filename === 'string' ? filename : undefined,
  }
}

function fromDataUrl(url: string, mediaType: string | undefined): ReadMedia {
  const comma = url.indexOf(',')
  const [type = ''] = url.slice('data:'.length, comma).split(';')
  return { mediaType: type === '' ? mediaType : type, source: { kind: 'base64', data: url.slice(comma + 1) } }
}
