// Common parts of all formats, found in a request by searching all of it: calls with their arguments, how many results there are
// and what they say, pictures. Written from the providers' forms and not from the adapters.

import { isKeyed, type Keyed } from './violations.js'

export type Carried = Readonly<{ calls: readonly string[]; results: readonly string[]; pictures: readonly string[] }>

export function carriedBy(request: object): Carried {
  const found = { calls: [] as string[], results: [] as string[], pictures: [] as string[] }
  for (const each of Object.values(request)) look(each, found)
  return { calls: found.calls.toSorted(), results: found.results.toSorted(), pictures: found.pictures.toSorted() }
}

type Found = Readonly<Record<keyof Carried, string[]>>

function look(value: unknown, found: Found): void {
  if (Array.isArray(value)) for (const each of value) look(each, found)
  if (!isKeyed(value)) return
  const call = callIn(value)
  if (call !== undefined) found.calls.push(call)
  const result = resultIn(value)
  if (result !== undefined) found.results.push(textsIn(result).toSorted().join('\n'))
  const picture = pictureIn(value)
  if (picture !== undefined) found.pictures.push(picture)
  // The arguments of a call are no part of the conversation.
  for (const [key, each] of Object.entries(value)) if (!GIVEN.includes(key)) look(each, found)
}

const GIVEN = ['input', 'args', 'arguments']

function callIn(value: Keyed): string | undefined {
  const { type, name, input, arguments: text, toolName, providerExecuted, toolUseId } = value
  if (toolUseId !== undefined && name !== undefined) return callOf(name, input)
  if (type === 'tool_use') return callOf(name, input)
  if (type === 'tool-call' && providerExecuted !== true) return callOf(toolName, input)
  if (type === 'function_call') return callOf(name, text)
  if (type === 'tool_search_call' && isForCaller(value)) return callOf('tool_search', text)
  const { function: made } = value
  if (type === 'function' && isKeyed(made)) return callOf(made['name'], made['arguments'])
  const call = value['functionCall'] ?? value['function_call']
  return isKeyed(call) && type === undefined ? callOf(call['name'], call['args'] ?? {}) : undefined
}

/** The other kind runs at the provider. */
function isForCaller(value: Keyed): boolean {
  return value['execution'] === 'client'
}

function callOf(name: unknown, given: unknown): string {
  return `${String(name)} ${JSON.stringify(sorted(parsed(given)))}`
}

function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given === '' ? '{}' : given) as unknown
  } catch {
    return given
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isKeyed(value)) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)])
}

function resultIn(value: Keyed): unknown {
  const { type, role, content, output, response, toolUseId } = value
  if (toolUseId !== undefined && Array.isArray(content)) return content
  if (type === 'tool_result') return content ?? ''
  if (type === 'function_call_output' || type === 'tool-result') return output
  if (type === 'function_result') return value['result']
  if (type === 'tool_search_output' && isForCaller(value)) return ''
  if (role === 'tool' && !isParts(content)) return content
  const given = value['functionResponse'] ?? value['function_response']
  return isKeyed(given) && response === undefined ? given['response'] : undefined
}

/** Messages of the AI SDK hold results as parts. */
function isParts(content: unknown): boolean {
  return Array.isArray(content) && content.some((part) => isKeyed(part) && part['type'] === 'tool-result')
}

/** Parts of a result that only their own provider understands. */
const isOwn = (value: Keyed): boolean => value['type'] === 'tool_reference' || value['file_id'] !== undefined

const ABOUT = ['type', 'media_type', 'mediaType']

/** The words of a result, whatever it is wrapped in. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return isKeyed(parsed(value)) ? textsIn(parsed(value)) : value.trim() === '' ? [] : [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (!isKeyed(value) || isOwn(value) || pictureIn(value) !== undefined) return []
  return Object.entries(value).flatMap(([key, each]) => (ABOUT.includes(key) ? [] : textsIn(each)))
}

function pictureIn(value: Keyed): string | undefined {
  const { type, source, image_url: url, image, data, mediaType, imageUrl } = value
  if (isKeyed(image) && isKeyed(image['source'])) return bare(base64(image['source']['bytes']))
  if (type === 'image_url' && imageUrl !== undefined) return bare(isKeyed(imageUrl) ? imageUrl['url'] : imageUrl)
  if (type === 'image' && isKeyed(source)) return bare(source['data'] ?? source['url'])
  if (type === 'image_url' && isKeyed(url)) return bare(url['url'])
  if (type === 'input_image') return bare(url)
  if (type === 'image' && image !== undefined) return bare(image)
  if (type === 'image' && source === undefined) return bare(data ?? value['uri'])
  if (type === 'image-data' || type === 'image-url') return bare(data ?? value['url'])
  if (typeof type === 'string' && type.startsWith('file') && String(mediaType).startsWith('image/')) return bare(data)
  const inline = value['inlineData'] ?? value['inline_data'] ?? value['fileData'] ?? value['file_data']
  const mime = isKeyed(inline) ? String(inline['mimeType'] ?? inline['mime_type']) : ''
  return isKeyed(inline) && mime.startsWith('image/')
    ? bare(inline['data'] ?? inline['fileUri'] ?? inline['file_uri'])
    : undefined
}

/** Bytes as a request to Bedrock has them in JSON. */
function base64(data: unknown): unknown {
  return data instanceof Uint8Array ? JSON.parse(JSON.stringify(data)) : data
}

/** Data alone, or where it is. */
function bare(data: unknown): string | undefined {
  const text = data instanceof URL ? data.href : typeof data === 'string' ? data : undefined
  // An uploaded file can be read by its own provider only.
  return text?.startsWith('gs://') === true ? undefined : text?.replace(/^data:[^,]*,/, '')
}
