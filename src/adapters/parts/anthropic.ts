// The blocks of a message to Claude, read into what all formats share.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { Output, OutputPart, ReadPart } from '../conversation/neutral.js'
import { isObject, textOf } from '../conversation/plain-json.js'

export function readAnthropicPart(value: JsonObject, _kind: string | undefined): ReadPart | undefined {
  const common = { raw: value, shape: 'anthropic' } as const
  const { type } = value
  switch (type) {
    case 'text':
      return typeof value['text'] === 'string'
        ? { kind: 'text', ...common, text: value['text'], keys: undefined }
        : undefined
    case 'tool_use':
      return readCall(value)
    case 'tool_result':
      return readResult(value)
    case 'thinking':
      return {
        kind: 'reasoning',
        ...common,
        text: typeof value['thinking'] === 'string' ? value['thinking'] : undefined,
      }
    case 'redacted_thinking':
      return { kind: 'reasoning', ...common, text: undefined }
    case 'image':
    case 'document':
      return isObject(value['source']) ? readMedia(value, value['source']) : undefined
    default:
      return typeof type === 'string' && OWN_TYPES.test(type) ? { kind: 'other', ...common } : undefined
  }
}

/** What runs at the provider, and other blocks that no one else has. */
const OWN_TYPES =
  /^(?:server_tool_use|mcp_tool_use|\w+_tool_result|search_result|container_upload|compaction|tool_addition|tool_removal|fallback)$/

function readCall(value: JsonObject): ReadPart | undefined {
  const { id, name, input } = value
  if (typeof name !== 'string') return undefined
  return {
    kind: 'call',
    raw: value,
    shape: 'anthropic',
    callId: typeof id === 'string' && id !== '' ? id : undefined,
    name,
    input,
    inputText: undefined,
  }
}

function readResult(value: JsonObject): ReadPart | undefined {
  const id = value['tool_use_id']
  return {
    kind: 'result',
    raw: value,
    shape: 'anthropic',
    callId: typeof id === 'string' ? id : '',
    name: undefined,
    output: readOutput(value['content']),
    isError: value['is_error'] === true,
  }
}

function readOutput(content: JsonValue | undefined): Output {
  if (content === undefined || content === null) return { kind: 'text', text: '' }
  if (typeof content === 'string') return { kind: 'text', text: content }
  if (!Array.isArray(content)) return { kind: 'json', value: content }
  return { kind: 'parts', parts: content.map(readOutputPart) }
}

function readOutputPart(value: JsonValue): OutputPart {
  const part = isObject(value) ? readAnthropicPart(value, undefined) : undefined
  if (part?.kind === 'text' || part?.kind === 'media' || part?.kind === 'other') return part
  if (isObject(value) && typeof value['type'] === 'string') return { kind: 'other', raw: value, shape: 'anthropic' }
  return { kind: 'text', raw: value, shape: 'anthropic', text: textOf(value), keys: undefined }
}

/** An image or a document; one that only the provider has, by its file id, is its own affair. */
function readMedia(value: JsonObject, source: JsonObject): ReadPart {
  const common = { raw: value, shape: 'anthropic' } as const
  const { type, media_type: mediaType, data, url, content } = source
  const title = typeof value['title'] === 'string' ? value['title'] : undefined
  const media = {
    kind: 'media',
    ...common,
    mediaType: typeof mediaType === 'string' ? mediaType : undefined,
    filename: title,
  } as const
  if (type === 'base64' && typeof data === 'string') return { ...media, source: { kind: 'base64', data } }
  if (type === 'url' && typeof url === 'string') {
    return {
      ...media,
      mediaType: media.mediaType ?? (value['type'] === 'image' ? 'image/*' : 'application/pdf'),
      source: { kind: 'url', url },
    }
  }
  if (type === 'text' && typeof data === 'string') return { kind: 'text', ...common, text: data, keys: undefined }
  if (type === 'content' && typeof content === 'string')
    return { kind: 'text', ...common, text: content, keys: undefined }
  return { kind: 'other', ...common }
}
