// @ts-check
// Logs that no provider takes, in the form of one that an adapter reads. What has no place there is named.

import { isObject } from './shapes.mjs'

/**
 * @typedef {import('./shapes.mjs').Json} Json
 * @typedef {import('./shapes.mjs').JsonObject} JsonObject
 * @typedef {{ format: 'openai-chat' | 'anthropic' | 'ai-sdk', messages: Json[], lost: string[] }} Mapped
 */

/** @type {Readonly<Record<string, string>>} */
const SHAREGPT_ROLES = { human: 'user', gpt: 'assistant', model: 'assistant', chatgpt: 'assistant', bing: 'assistant' }

/**
 * ShareGPT as Chat Completions: a call and its result have no ids, a result follows its call.
 * @param {JsonObject[]} messages
 * @returns {Mapped}
 */
export function fromShareGpt(messages) {
  const lost = new Set()
  let calls = 0
  const mapped = messages.map((message) => {
    const { from = '', value = '', ...rest } = message
    for (const key of Object.keys(rest)) lost.add(key)
    const call = from === 'function_call' ? parsed(value) : undefined
    if (isObject(call) && typeof call['name'] === 'string') {
      const { name, arguments: given = {}, ...others } = call
      for (const key of Object.keys(others)) lost.add(`${key} of a call`)
      const made = { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }
      return {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `call-${(calls += 1)}`, type: 'function', function: made }],
      }
    }
    if (from === 'function_call') lost.add('that a call is one, where it is no JSON')
    if (from === 'observation') return { role: 'tool', tool_call_id: `call-${calls}`, content: value }
    const role = from === 'function_call' ? 'assistant' : (SHAREGPT_ROLES[textOf(from)] ?? textOf(from))
    return { role, content: value }
  })
  return { format: 'openai-chat', messages: mapped, lost: [...lost] }
}

/**
 * LLaMA-Factory's messages as those of the AI SDK, which have thoughts, calls and results as parts.
 * @param {JsonObject[]} messages
 * @returns {Mapped}
 */
export function fromLlamaFactory(messages) {
  const lost = new Set()
  /** @type {{ id: string, name: string }[]} */
  let open = []
  let calls = 0
  const mapped = messages.map(({ role = '', content = [], ...rest }) => {
    for (const key of Object.keys(rest)) lost.add(key)
    /** @type {Json[]} */
    const list = Array.isArray(content) ? content : [{ type: 'text', value: content }]
    const parts = list.filter(isObject)
    if (role === 'tool') {
      const texts = parts.flatMap(({ value = '' }) => resultsIn(value, lost))
      const results = texts.map((value, at) => {
        const { id, name } = open[at] ?? { id: `call-${(calls += 1)}`, name: 'tool' }
        return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value } }
      })
      return { role, content: results }
    }
    if (role === 'system') return { role, content: parts.map(({ value = '' }) => textOf(value)).join('\n') }
    open = []
    const said = parts.map((part) => {
      const { type, value = '' } = part
      const call = type === 'tool_call' ? parsed(value) : undefined
      if (isObject(call) && typeof call['name'] === 'string') {
        const made = { id: `call-${(calls += 1)}`, name: call['name'] }
        open.push(made)
        return { type: 'tool-call', toolCallId: made.id, toolName: made.name, input: call['arguments'] ?? {} }
      }
      if (type !== 'text' && type !== 'reasoning') lost.add(`that a part is ${textOf(type ?? 'of no type')}`)
      return { type: type === 'reasoning' ? 'reasoning' : 'text', text: textOf(value) }
    })
    return { role, content: said }
  })
  return { format: 'ai-sdk', messages: mapped, lost: [...lost] }
}

/**
 * One text with a list of results, or with one.
 * @param {Json} value
 * @param {Set<unknown>} lost
 */
function resultsIn(value, lost) {
  const list = parsed(value)
  if (!Array.isArray(list) || !list.every((each) => isObject(each) && 'content' in each)) return [textOf(value)]
  return list.map((each) => {
    const { content = '', ...rest } = /** @type {JsonObject} */ (each)
    for (const key of Object.keys(rest)) if (key !== 'name') lost.add(`${key} of a result`)
    return typeof content === 'string' ? content : JSON.stringify(content)
  })
}

/**
 * A session of pi as messages of Claude, whose parts it has under other names.
 * @param {JsonObject[]} messages
 * @returns {Mapped}
 */
export function fromPi(messages) {
  const lost = new Set()
  /** @param {JsonObject} rest */
  const lose = (rest) => {
    for (const [key, value] of Object.entries(rest)) if (value !== undefined && value !== null) lost.add(key)
  }
  const mapped = messages.map((message) => {
    const { role = '', content = [], timestamp: _at, ...rest } = message
    if (role === 'toolResult') {
      const { toolCallId = '', isError, toolName: _name, ...others } = rest
      lose(others)
      const failed = isError === true ? { is_error: true } : {}
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolCallId, content, ...failed }] }
    }
    const { api: _api, provider: _provider, model: _model, usage: _usage, ...others } = rest
    lose(others)
    return { role, content: Array.isArray(content) ? content.map((part) => piPart(part, lose)) : content }
  })
  return { format: 'anthropic', messages: mapped, lost: /** @type {string[]} */ ([...lost]) }
}

/**
 * @param {Json} part
 * @param {(rest: JsonObject) => void} lose
 */
function piPart(part, lose) {
  if (!isObject(part)) return part
  if (part['type'] === 'toolCall') {
    const { type: _type, id = '', name = '', arguments: input = {}, ...rest } = part
    lose(rest)
    return { type: 'tool_use', id, name, input }
  }
  if (part['type'] !== 'thinking') return part
  const { thinkingSignature: signature, ...rest } = part
  return signature === undefined ? rest : { ...rest, signature }
}

/** @param {Json} value */
function parsed(value) {
  try {
    return /** @type {Json} */ (JSON.parse(textOf(value)))
  } catch {
    return undefined
  }
}

/** @param {Json} value */
function textOf(value) {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
