// The blocks of a message to Claude, read into what all formats share.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { Output, OutputPart, ReadPart } from '../conversation/neutral.js'
import {
  asOutputPart,
  callRow,
  resultRow,
  textRow,
  thoughtRow,
  typedReader,
  type PartOrigin,
  type PartReader,
} from '../conversation/part-reader.js'
import { isObject, textOf } from '../conversation/plain-json.js'

/** Blocks of tools that run at the provider, and others that only Claude has. */
const OWN_TYPES =
  /^(?:server_tool_use|mcp_tool_use|\w+_tool_result|search_result|container_upload|compaction|tool_addition|tool_removal|fallback)$/

export const readAnthropicPart: PartReader = typedReader(
  'anthropic',
  {
    text: textRow('text'),
    tool_use: callRow({ id: 'id', name: 'name', input: 'input' }),
    tool_result: resultRow({ id: 'tool_use_id' }, ({ content, is_error: isError }) => ({
      output: readOutput(content),
      isError: isError === true,
    })),
    thinking: thoughtRow('thinking'),
    redacted_thinking: thoughtRow(),
    image: readMedia,
    document: readMedia,
  },
  OWN_TYPES,
)

function readOutput(content: JsonValue | undefined): Output {
  if (content === undefined || content === null) return { kind: 'text', text: '' }
  if (typeof content === 'string') return { kind: 'text', text: content }
  if (!Array.isArray(content)) return { kind: 'json', value: content }
  return { kind: 'parts', parts: content.map(readOutputPart) }
}

function readOutputPart(raw: JsonValue): OutputPart {
  const part = isObject(raw) ? asOutputPart(readAnthropicPart(raw, undefined)) : undefined
  if (part !== undefined) return part
  if (isObject(raw) && typeof raw['type'] === 'string') return { kind: 'other', raw, shape: 'anthropic' }
  return { kind: 'text', raw, shape: 'anthropic', text: textOf(raw), keys: undefined }
}

/** An image or a document. A document may be a text; a file that only the provider has, by its id, means nothing to others. */
function readMedia({ type: kind, source, title }: JsonObject, common: PartOrigin): ReadPart | undefined {
  if (!isObject(source)) return undefined
  const { type, media_type: given, data, url, content } = source
  const mediaType = typeof given === 'string' ? given : undefined
  const media = { kind: 'media', ...common, filename: typeof title === 'string' ? title : undefined } as const
  if (type === 'base64' && typeof data === 'string') return { ...media, mediaType, source: { kind: 'base64', data } }
  if (type === 'url' && typeof url === 'string') {
    const usual = kind === 'image' ? 'image/*' : 'application/pdf'
    return { ...media, mediaType: mediaType ?? usual, source: { kind: 'url', url } }
  }
  const text = type === 'text' ? data : type === 'content' ? content : undefined
  return typeof text === 'string' ? { kind: 'text', ...common, text, keys: undefined } : { kind: 'other', ...common }
}
