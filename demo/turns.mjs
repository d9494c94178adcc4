// @ts-check
// The turns of an imported context in the demo's own form: one block for each thing that was said, calls and results by name.

/**
 * @typedef {string | number | boolean | null | Json[] | { [name: string]: Json }} Json
 * @typedef {{ [name: string]: Json | undefined }} JsonObject
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('pact-context').Node} Node
 * @typedef {{ role: string, kind?: 'call' | 'result', content: Json, callId?: string | string[] }} Block
 */

/** Keys that say who, when and at what price, and nothing of the conversation; all other keys that are left over are listed. */
const ABOUT = new Set(
  `id type name role model usage stop_reason stop_sequence finish_reason index status weight timestamp created_at createdAt
   cache_control logprobs call_id tool_use_id toolCallId toolName`.split(/\s+/),
)

/**
 * @param {Context} ctx
 * @returns {{ system: string[], turns: Block[][], left: Set<string> }}
 */
export function readTurns(ctx) {
  const left = new Set()
  const { children } = ctx.snapshot('@t0').root
  const inRegion = (/** @type {string} */ region) =>
    children.find(({ nodeType }) => nodeType === region)?.children ?? []
  const system = inRegion('^sys').flatMap((node) => leavesOf(node, left).map(({ content }) => textOf(content ?? '')))
  const turns = inRegion('^seq').map((segment) => {
    const core = segment.children.find(({ offset }) => offset === 0)
    return (core?.children ?? []).flatMap((message) => blocksOf(message, left))
  })
  return { system, turns: turns.filter((turn) => turn.length > 0), left: /** @type {Set<string>} */ (left) }
}

/**
 * The blocks of a message; several calls of one message are one block: they were made together and leave together.
 * @param {Node} message
 * @param {Set<unknown>} left
 * @returns {Block[]}
 */
function blocksOf(message, left) {
  const leaves = leavesOf(message, left)
  const calls = leaves
    .filter(({ kind }) => kind === 'call')
    .map((node) => ({ ...callOf(node, left), id: callIdOf(node) }))
  const contents = calls.map(({ name, arguments: given }) => ({ name, arguments: given }))
  const ids = calls.map(({ id }) => id)
  const [content = null] = contents
  const [callId = ''] = ids
  /** @type {Block[]} */
  const made = calls.length > 1 ? [{ role: 'assistant', kind: 'call', content: contents, callId: ids }] : []
  if (calls.length === 1) made.push({ role: 'assistant', kind: 'call', content, callId })
  // They are at the place of the first of them.
  const first = leaves.findIndex(({ kind }) => kind === 'call')
  return leaves.flatMap((node, at) => (at === first ? made : node.kind === 'call' ? [] : [blockOf(node, left)]))
}

/**
 * @param {Node} node
 * @param {Set<unknown>} left
 * @returns {Block}
 */
function blockOf(node, left) {
  const { kind, role = 'user' } = node
  const content = /** @type {Json} */ (node.content ?? '')
  if (kind === 'result') return { role: 'tool', kind, content: resultOf(content, left), callId: callIdOf(node) }
  const said = kind === 'refusal' && isObject(content) ? (content['refusal'] ?? content) : content
  return { role, content: said }
}

/**
 * The content of a message: itself, or what is in it; keys that have no place in a block are noted.
 * @param {Node} node
 * @param {Set<unknown>} left
 * @returns {Node[]}
 */
function leavesOf(node, left) {
  const { data_message: message, data_part: part, data_request: request } = node.attributes
  for (const keys of [message, part, request])
    if (isObject(/** @type {Json} */ (keys))) leave(/** @type {JsonObject} */ (keys), left)
  return node.nodeType === 'cont' ? node.children.flatMap((child) => leavesOf(child, left)) : [node]
}

/**
 * @param {Node} node
 * @param {Set<unknown>} left
 * @returns {{ name: string, arguments: Json }}
 */
function callOf({ content }, left) {
  const raw = isObject(/** @type {Json} */ (content)) ? /** @type {JsonObject} */ (content) : {}
  const inner = ['function', 'custom', 'function_call', 'functionCall'].find((key) => isObject(raw[key]))
  const call = inner === undefined ? raw : /** @type {JsonObject} */ (raw[inner])
  const { name, toolName, arguments: text, input, args, ...rest } = call
  leave(rest, left)
  if (inner !== undefined) leave(Object.fromEntries(Object.entries(raw).filter(([key]) => key !== inner)), left)
  const called = [name, toolName].find((each) => typeof each === 'string')
  return { name: called ?? 'tool', arguments: parsed(text ?? input ?? args ?? {}) }
}

/**
 * @param {Json} content
 * @param {Set<unknown>} left
 * @returns {Json}
 */
function resultOf(content, left) {
  if (!isObject(content)) return content ?? ''
  const response = content['functionResponse'] ?? content['function_response']
  if (isObject(response)) {
    const { response: given = '', ...rest } = response
    leave(rest, left)
    return given
  }
  const { content: inner, output, ...rest } = content
  if (inner === undefined && output === undefined) return content
  leave(rest, left)
  const given = inner ?? output ?? ''
  return isObject(given) && 'value' in given && typeof given['type'] === 'string' ? (given['value'] ?? '') : given
}

/**
 * @param {JsonObject} object
 * @param {Set<unknown>} left
 */
function leave(object, left) {
  for (const [key, value] of Object.entries(object)) {
    const isNothing = value === undefined || value === null || value === false || value === ''
    const isEmpty = isNothing || (typeof value === 'object' && Object.keys(value).length === 0)
    if (!isEmpty && !ABOUT.has(key)) left.add(key)
  }
}

/** @param {Node} node */
function callIdOf({ attributes }) {
  const id = attributes['data_call_id']
  return typeof id === 'string' ? id : ''
}

/**
 * Arguments may be JSON in a string; a model may have written something else, which then stays text.
 * @param {Json} value
 * @returns {Json}
 */
function parsed(value) {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** @param {unknown} content */
function textOf(content) {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/**
 * @param {Json | undefined} value
 * @returns {value is { [name: string]: Json }}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
