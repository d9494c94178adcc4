// The parts of an AI SDK ModelMessage, read into what all formats share.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { Output, OutputPart, ReadPart } from '../conversation/neutral.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import { bytesIn, urlIn } from '../ai-sdk/tagged.js'

/** The kind of a node that is the result of a tool which the provider ran. */
export const PROVIDER_RESULT = 'provider-result'

export function readAiSdkPart(value: JsonObject, kind: string | undefined): ReadPart | undefined {
  const common = { raw: value, shape: 'ai-sdk' } as const
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string'
        ? { kind: 'text', ...common, text: value['text'], keys: undefined }
        : undefined
    case 'tool-call':
      return readCall(value)
    case 'tool-result':
      return kind === PROVIDER_RESULT ? { kind: 'other', ...common } : readResult(value)
    case 'reasoning':
      return { kind: 'reasoning', ...common, text: typeof value['text'] === 'string' ? value['text'] : undefined }
    case 'image':
      return readMedia(value, value['image'], 'image/*')
    case 'file':
      return readMedia(value, value['data'], undefined)
    case 'tool-approval-request':
    case 'tool-approval-response':
    case 'reasoning-file':
    case 'custom':
      return { kind: 'other', ...common }
    default:
      return undefined
  }
}

/** A tool that the provider runs is its own affair. */
function readCall(value: JsonObject): ReadPart | undefined {
  const { toolCallId, toolName, input, providerExecuted } = value
  if (typeof toolName !== 'string') return undefined
  if (providerExecuted === true) return { kind: 'other', raw: value, shape: 'ai-sdk' }
  return {
    kind: 'call',
    raw: value,
    shape: 'ai-sdk',
    callId: typeof toolCallId === 'string' && toolCallId !== '' ? toolCallId : undefined,
    name: toolName,
    input: typeof input === 'string' ? undefined : (input ?? {}),
    inputText: typeof input === 'string' ? input : undefined,
  }
}

function readResult(value: JsonObject): ReadPart {
  const { toolCallId, toolName, output } = value
  const type = isObject(output) ? output['type'] : undefined
  return {
    kind: 'result',
    raw: value,
    shape: 'ai-sdk',
    callId: typeof toolCallId === 'string' ? toolCallId : '',
    name: typeof toolName === 'string' ? toolName : undefined,
    output: readOutput(output),
    isError: type === 'error-text' || type === 'error-json' || type === 'execution-denied',
  }
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
  const { type, text, data, url, mediaType, filename } = value
  if (type === 'text' && typeof text === 'string') return { kind: 'text', ...common, text, keys: undefined }
  const about = {
    kind: 'media',
    ...common,
    mediaType:
      typeof mediaType === 'string'
        ? mediaType
        : typeof type === 'string' && type.startsWith('image')
          ? 'image/*'
          : undefined,
    filename: typeof filename === 'string' ? filename : undefined,
  } as const
  if (typeof data === 'string') return { ...about, source: { kind: 'base64', data } }
  return typeof url === 'string' ? { ...about, source: { kind: 'url', url } } : { kind: 'other', ...common }
}

/** Data as bytes, as base64, or where it is. */
function readMedia(value: JsonObject, data: JsonValue | undefined, usual: string | undefined): ReadPart {
  const { mediaType, filename } = value
  const about = {
    kind: 'media',
    raw: value,
    shape: 'ai-sdk',
    mediaType: typeof mediaType === 'string' ? mediaType : usual,
    filename: typeof filename === 'string' ? filename : undefined,
  } as const
  const url = urlIn(data) ?? (typeof data === 'string' && /^https?:/.test(data) ? data : undefined)
  if (url !== undefined)
    return url.startsWith('data:')
      ? { ...about, ...fromDataUrl(url, about.mediaType) }
      : { ...about, source: { kind: 'url', url } }
  if (typeof data === 'string' && data.startsWith('data:')) return { ...about, ...fromDataUrl(data, about.mediaType) }
  const base64 = bytesIn(data) ?? (typeof data === 'string' ? data : undefined)
  return base64 === undefined
    ? { kind: 'other', raw: value, shape: 'ai-sdk' }
    : { ...about, source: { kind: 'base64', data: base64 } }
}

function fromDataUrl(
  url: string,
  mediaType: string | undefined,
): { mediaType: string | undefined; source: { kind: 'base64'; data: string } } {
  const comma = url.indexOf(',')
  const [type = ''] = url.slice('data:'.length, comma).split(';')
  return { mediaType: type === '' ? mediaType : type, source: { kind: 'base64', data: url.slice(comma + 1) } }
}
