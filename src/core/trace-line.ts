// The content of a node as a line of a trace: a call as its arguments, a result as its output, a message as its words. Wrappers of all
// providers' forms are left out.

import { isObject, type JsonValue } from './json.js'
import { oneLine } from './one-line.js'

type Said = Readonly<{ kind: string | undefined; content: JsonValue | undefined }>

/** The line, without the name of the tool, cut to a number of characters. */
export function traceLine({ kind, content }: Said, most?: number): string {
  if (kind === 'call') return oneLine(callWords(content), most)
  const held = kind === 'result' ? heldIn(content) : content
  return oneLine(wordsIn(held, kind === 'result') ?? payloadOf(held, OUTPUTS) ?? held, most)
}

/** A call of any provider's form as it would be written in code; undefined for another value. */
export function callText(call: JsonValue | undefined): string | undefined {
  const held = heldIn(call)
  const name = payloadOf(held, ['name', 'toolName'])
  if (typeof name !== 'string') return undefined
  const given = payloadOf(held, ARGUMENTS)
  return `${name}(${given === undefined || typeof given === 'string' ? (given ?? '') : oneLine(given)})`
}

/** The keys under which calls and results of some formats have their data. */
export const CALL_HOLDERS: readonly string[] = [
  'function',
  'custom',
  'functionCall',
  'function_call',
  'toolUse',
  'functionResponse',
  'function_response',
  'toolResult',
]

const ARGUMENTS = ['arguments', 'input', 'args', 'action']
const OUTPUTS = ['content', 'output', 'response', 'result']
const WORDS = ['text', 'thinking', 'reasoning', 'refusal', 'value', 'summary', ...OUTPUTS]
/** Longer arguments are shown as they are: nothing past the cut is worth parsing. */
const MOST_PARSED = 10_000

function heldIn(value: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(value)) return value
  return CALL_HOLDERS.map((key) => value[key]).find(isObject) ?? value
}

function payloadOf(value: JsonValue | undefined, keys: readonly string[]): JsonValue | undefined {
  return isObject(value) ? keys.map((key) => value[key]).find((each) => each !== undefined) : undefined
}

function callWords(content: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(content)) return content.map(namedCall).join(', ')
  const given = payloadOf(heldIn(content), ARGUMENTS)
  return given === undefined ? content : argumentWords(given)
}

function namedCall(call: JsonValue): string {
  const name = payloadOf(heldIn(call), ['name', 'toolName'])
  return [...(typeof name === 'string' ? [name] : []), oneLine(callWords(call))].join(' ')
}

/** One argument by its value, several by name and value. */
function argumentWords(given: JsonValue): string {
  const read = typeof given === 'string' ? parsed(given) : given
  if (!isObject(read)) return oneLine(read)
  const entries = Object.entries(read)
  if (entries.length === 0) return '()'
  if (entries.length === 1) return oneLine(entries[0]![1])
  return entries.map(([name, value]) => `${name}: ${oneLine(value)}`).join(', ')
}

function parsed(text: string): JsonValue {
  if (!text.startsWith('{') || text.length > MOST_PARSED) return text
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

/** The words of a part or a list of parts; undefined for other data. */
function wordsIn(value: JsonValue | undefined, isOutput: boolean): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) {
    const words = value.map((each) => (isObject(each) ? wordsIn(each, false) : undefined))
    return words.length === 0 || words.includes(undefined) ? undefined : words.join('\n')
  }
  if (!isObject(value)) return undefined
  const { type } = value
  if (MEDIA.some((key) => value[key] !== undefined) || (typeof type === 'string' && type.includes('image')))
    return '[image]'
  // Data with a field such as `text` is no part unless it says so, or has nothing else.
  if (!isOutput && typeof type !== 'string' && Object.keys(value).length !== 1) return undefined
  const held = payloadOf(value, WORDS)
  if (held === undefined) return typeof type === 'string' ? `[${type}]` : undefined
  return wordsIn(held, isOutput)
}

const MEDIA = ['inlineData', 'inline_data', 'image']
