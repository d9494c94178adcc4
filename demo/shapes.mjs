// @ts-check
// Shapes of conversations that the demo does not read, known by what only they have, so that a file is refused by its name
// instead of being read with holes. Adapters for all of them are to come; this is no beginning of one.

/**
 * @typedef {string | number | boolean | null | Json[] | { [name: string]: Json }} Json
 * @typedef {{ [name: string]: Json | undefined }} JsonObject
 */

/** For every refusal: what would have been read. */
export const READ_SHAPES = 'The demo reads a list of messages as OpenAI chat, Anthropic or ShareGPT has them.'

/** Items and parts of the Responses API. */
const RESPONSES_ITEM =
  /^(?:.+_call|.+_call_output|.+_list_tools|.+_approval_(?:request|response)|reasoning|item_reference|compaction)$/
const RESPONSES_PART = /^(?:input_(?:text|image|file)|output_text|summary_text)$/
const AI_SDK_PART = /^(?:tool-.+|dynamic-tool|step-start|source-.+|data-.+)$/

/**
 * The name of the shape that a file has, if it is one that is not read here.
 * @param {Json} file
 * @returns {string | undefined}
 */
export function otherShape(file) {
  const record = isObject(file) ? file : {}
  if (isObject(record['root'])) return 'an export of this package, which importSnapshot reads'
  if (Array.isArray(record['contents'])) return 'Gemini contents'
  if (isResponse(record) || isResponse(record['response'])) return RESPONSES
  const list = [file, record['messages'], record['conversations'], record['input']].find(Array.isArray)
  const found = list
    ?.filter(isObject)
    .map(shapeOf)
    .find((shape) => shape !== undefined)
  if (found !== undefined || record['messages'] !== undefined) return found
  return record['input'] === undefined ? undefined : 'an OpenAI Responses request'
}

/**
 * Whether this is an answer of the Responses API, whole or its items.
 * @param {Json | undefined} value
 */
function isResponse(value) {
  return Array.isArray(value) || (isObject(value) && Array.isArray(value['output']))
}

/**
 * @param {JsonObject} message
 * @returns {string | undefined}
 */
function shapeOf(message) {
  const { type, role, parts, content } = message
  if (Array.isArray(parts)) return parts.some((part) => typeOf(part) !== undefined) ? AI_SDK : 'Gemini contents'
  if (message['toolInvocations'] !== undefined || message['experimental_attachments'] !== undefined) return AI_SDK
  if (role === undefined && typeof type === 'string' && RESPONSES_ITEM.test(type)) return RESPONSES
  const types = (Array.isArray(content) ? content : []).map(typeOf).filter((each) => each !== undefined)
  if (types.some((each) => RESPONSES_PART.test(each))) return RESPONSES
  return types.some((each) => AI_SDK_PART.test(each)) ? AI_SDK : undefined
}

const RESPONSES = 'OpenAI Responses items'
const AI_SDK = 'AI SDK messages'

/**
 * @param {Json} part
 * @returns {string | undefined}
 */
function typeOf(part) {
  return isObject(part) && typeof part['type'] === 'string' ? part['type'] : undefined
}

/**
 * @param {Json | undefined} value
 * @returns {value is { [name: string]: Json }}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
