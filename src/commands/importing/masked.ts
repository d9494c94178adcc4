// Conversations without their texts, to share: letters of the same number stand for every text, so sizes, turns, tools and cache breaks stay as they
// are. Equal texts stay equal and others stay different. The letters depend on a salt that is thrown away, so no text can be tried out.

import { sha256Hex } from '../../codec/index.js'
import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'

/** Fields of messages that are no text but say what a message is, as long as they look like that. */
const STRUCTURE: ReadonlySet<string> = new Set(
  'role from type kind id tool_use_id tool_call_id toolCallId callId call_id toolName media_type mimeType status format'.split(
    ' ',
  ),
)
const WORD = /^[\w.:|/-]{1,80}$/
/** An object with one of these is a call or a result of a tool, so its `name` is that of the tool. */
const CALL = ['input', 'arguments', 'args', 'parameters', 'response', 'tool_call_id', 'toolCallId']
/** Everything below these is content, whatever its fields are called. */
const CONTENT: ReadonlySet<string> = new Set([
  'input',
  'args',
  'arguments',
  'parameters',
  'response',
  'result',
  'output',
  'value',
])

/** The same JSON with every text masked. */
export function masked(value: JsonValue, salt: string): JsonValue {
  return new Mask(salt).value(value)
}

/** An export: contents and values of attributes are masked, and the hashes of contents go. */
export function maskedExport(text: string, salt: string): string {
  const mask = new Mask(salt)
  const walk = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([name]) => name !== 'content_hash')
    return Object.fromEntries(
      entries.map(([name, each]) => {
        if (name === 'content') return [name, mask.value(each)]
        const isText = name.startsWith('data_') && name !== 'data_name' && name !== 'data_call_id'
        return [name, isText || name === 'reason' || name === 'author' ? mask.all(each) : walk(each)]
      }),
    )
  }
  return JSON.stringify(walk(JSON.parse(text) as JsonValue))
}

class Mask {
  readonly #salt: string
  constructor(salt: string) {
    this.#salt = salt
  }

  value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#text(value)
    if (Array.isArray(value)) return value.map((each) => this.value(each))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#field(value, name, each)]))
  }

  /** The same, with nothing kept but names of fields. */
  all(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'number') return this.#number(value)
    if (Array.isArray(value)) return value.map((each) => this.all(each))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.all(each)]))
  }

  #field(of: JsonObject, name: string, value: JsonValue): JsonValue {
    if (typeof value === 'string' && WORD.test(value)) {
      if (STRUCTURE.has(name)) return value
      if (name === 'name' && CALL.some((each) => of[each] !== undefined)) return value
    }
    // The output of a tool may be a list of parts, whose types must stay.
    if (CONTENT.has(name) && !Array.isArray(value)) return this.all(value)
    return this.value(value)
  }

  /** Text inside text, such as the arguments of a call, stays JSON. */
  #text(text: string): string {
    if (/^\s*[[{]/.test(text)) {
      try {
        return JSON.stringify(this.all(JSON.parse(text) as JsonValue))
      } catch {
        // Then it is a text like any other.
      }
    }
    const letters = this.#letters(text)
    return text.replace(/\S/gu, () => letters.next().value)
  }

  #number(value: number): number {
    const letters = this.#letters(String(value))
    const digits = String(value).replace(/\d/g, () => String((letters.next().value.charCodeAt(0) % 9) + 1))
    return Number(digits)
  }

  *#letters(text: string): Generator<string, string, undefined> {
    const seed = sha256Hex(`${this.#salt}\n${text}`)
    for (let block = 0; ; block++) {
      const digest = sha256Hex(`${seed} ${block}`)
      for (let at = 0; at < digest.length; at += 2) {
        yield String.fromCharCode(97 + (Number.parseInt(digest.slice(at, at + 2), 16) % 26))
      }
    }
  }
}
