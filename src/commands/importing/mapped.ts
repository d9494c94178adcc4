// Logs that no provider takes, in the form of one that an adapter reads. What has no place there is named.

import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'
import type { FormatName } from '../../formats/index.js'
import { readJson } from './read-json.js'

export type Mapped = Readonly<{ format: FormatName; messages: readonly JsonObject[]; lost: readonly string[] }>

const SHAREGPT_ROLES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['gpt', 'assistant'],
  ['model', 'assistant'],
  ['chatgpt', 'assistant'],
  ['bing', 'assistant'],
])

/** ShareGPT as Chat Completions: a call and its result have no ids, a result follows its call. */
export function fromShareGpt(messages: readonly JsonObject[]): Mapped {
  const lost = new Set<string>()
  let calls = 0
  const mapped = messages.map((message): JsonObject => {
    const { from = '', value = '', ...rest } = message
    for (const key of Object.keys(rest)) lost.add(key)
    const call = from === 'function_call' ? parsed(value) : undefined
    if (isObject(call) && typeof call['name'] === 'string') {
      const { name, arguments: given = {}, ...others } = call
      for (const key of Object.keys(others)) lost.add(`${key} of a call`)
      const made = { name, arguments: jsonText(given) }
      const id = `call-${(calls += 1)}`
      return { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: made }] }
    }
    if (from === 'function_call') lost.add('that a call is one, where it is no JSON')
    if (from === 'observation') return { role: 'tool', tool_call_id: `call-${calls}`, content: value }
    const role = from === 'function_call' ? 'assistant' : (SHAREGPT_ROLES.get(jsonText(from)) ?? jsonText(from))
    return { role, content: value }
  })
  return { format: 'openai-chat', messages: mapped, lost: [...lost] }
}

/** LLaMA-Factory's messages as those of the AI SDK, which have thoughts, calls and results as parts. */
export function fromLlamaFactory(messages: readonly JsonObject[]): Mapped {
  const lost = new Set<string>()
  let open: { id: string; name: string }[] = []
  let calls = 0
  const mapped = messages.map(({ role = '', content = [], ...rest }): JsonObject => {
    for (const key of Object.keys(rest)) lost.add(key)
    const list: readonly JsonValue[] = Array.isArray(content) ? content : [{ type: 'text', value: content }]
    const parts = list.filter(isObject)
    if (role === 'tool') {
      const texts = parts.flatMap(({ value = '' }) => resultsIn(value, lost))
      const results = texts.map((value, at) => {
        const { id, name } = open[at] ?? { id: `call-${(calls += 1)}`, name: 'tool' }
        return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value } }
      })
      return { role, content: results }
    }
    if (role === 'system') return { role, content: parts.map(({ value = '' }) => jsonText(value)).join('\n') }
    open = []
    const said = parts.map((part): JsonObject => {
      const { type, value = '' } = part
      const call = type === 'tool_call' ? parsed(value) : undefined
      if (isObject(call) && typeof call['name'] === 'string') {
        const made = { id: `call-${(calls += 1)}`, name: call['name'] }
        open.push(made)
        return { type: 'tool-call', toolCallId: made.id, toolName: made.name, input: call['arguments'] ?? {} }
      }
      if (type !== 'text' && type !== 'reasoning') lost.add(`that a part is ${jsonText(type ?? 'of no type')}`)
      return { type: type === 'reasoning' ? 'reasoning' : 'text', text: jsonText(value) }
    })
    return { role, content: said }
  })
  return { format: 'ai-sdk', messages: mapped, lost: [...lost] }
}

/** One text with a list of results, or with one. */
function resultsIn(value: JsonValue, lost: Set<string>): readonly string[] {
  const list = parsed(value)
  if (!Array.isArray(list)) return [jsonText(value)]
  const results = list.filter(isObject).filter((each) => 'content' in each)
  if (results.length < list.length) return [jsonText(value)]
  return results.map(({ content = '', ...rest }) => {
    for (const key of Object.keys(rest)) if (key !== 'name') lost.add(`${key} of a result`)
    return jsonText(content)
  })
}

/** A session of pi as messages of Claude, whose parts it has under other names. */
export function fromPi(messages: readonly JsonObject[]): Mapped {
  const lost = new Set<string>()
  const lose = (rest: JsonObject): void => {
    for (const [key, value] of Object.entries(rest)) if (value !== undefined && value !== null) lost.add(key)
  }
  const mapped = messages.map((message): JsonObject => {
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
  return { format: 'anthropic', messages: mapped, lost: [...lost] }
}

function piPart(part: JsonValue, lose: (rest: JsonObject) => void): JsonValue {
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

function parsed(value: JsonValue): JsonValue | undefined {
  const read = readJson(jsonText(value))
  return 'value' in read ? read.value : undefined
}

/** Integers beyond 2^53 are bigints here, which JSON.stringify does not write; no text begins with DEL. */
function jsonText(value: JsonValue): string {
  if (typeof value === 'string') return value
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `\u007f${each}` : each))
  return text.replaceAll(/"\u007f(-?\d+)"/g, '$1')
}
