// @ts-check
// Recordings as they were published, read into turns. Three shapes occur here (OpenAI chat, Anthropic, ShareGPT); each
// message is read by what it holds, so a file of your own needs no format name.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {{ role: 'user' | 'assistant' | 'tool', kind?: 'call' | 'result', content: Json, callId?: string | string[] }} Block
 * @typedef {{ name: string, title: string, source: string, licence: string, record: string, messages: number,
 *   system: string[], turns: Block[][], plan: string, note: string }} Conversation
 * @typedef {string | number | boolean | null | Json[] | { [name: string]: Json }} Json
 * @typedef {{ [name: string]: Json | undefined }} JsonObject
 */

/** The user's mistake, said in one sentence; the demo prints it and ends with 2. */
export class UsageError extends Error {}

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'conversations')

/** The first is what the demo shows unless told otherwise; the rest by what they add to it. */
const NAMES = ['airline', 'stocks', 'decorators', 'family']

/** Reads every recording that comes with the demo. */
export function listConversations() {
  return NAMES.map((name) => loadConversation(name))
}

/**
 * Reads one recording: a name of the list, or a path to a JSON file of one's own.
 * @param {string} [name]
 * @returns {Conversation}
 */
export function loadConversation(name = 'airline') {
  if (NAMES.includes(name)) return readConversation(name, fs.readFileSync(path.join(folder, `${name}.json`), 'utf8'))
  if (!name.endsWith('.json')) {
    throw new UsageError(`There is no conversation "${name}". Known: ${NAMES.join(', ')}, or a path to a .json file.`)
  }
  return readConversation(path.basename(name, '.json'), readOwnFile(name))
}

/** @param {string} file */
function readOwnFile(file) {
  // Under `npm start` the working folder is the package's; INIT_CWD is the one the user stands in.
  const found = [process.cwd(), process.env['INIT_CWD']]
    .filter((base) => base !== undefined)
    .map((base) => path.resolve(base, file))
    .find((candidate) => fs.existsSync(candidate))
  if (found === undefined) throw new UsageError(`There is no file "${file}".`)
  try {
    return fs.readFileSync(found, 'utf8')
  } catch (error) {
    throw new UsageError(`The file "${file}" cannot be read.`, { cause: error })
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @returns {Conversation}
 */
function readConversation(name, text) {
  const file = parse(name, text)
  const record = isObject(file) ? file : { messages: file }
  const messages = record['messages'] ?? record['conversations']
  if (!Array.isArray(messages)) throw new UsageError(`The file of "${name}" has no list of "messages".`)
  // A recorded request carries the model's answer beside it; the conversation is both.
  const said = isObject(record['response']) ? [...messages, record['response']] : messages
  const reader = new Reader()
  for (const part of asList(record['system'])) reader.system.push(textOf(part))
  for (const [at, message] of said.entries()) {
    if (!isObject(message)) throw new UsageError(`In "${name}", messages[${at}] is not an object.`)
    reader.read(message)
  }
  if (reader.turns.length === 0)
    throw new UsageError(`The file of "${name}" holds no turn: no user or assistant speaks.`)
  const demo = isObject(record['demo']) ? record['demo'] : {}
  return {
    name,
    title: asText(record['title'], 'A conversation of your own.'),
    source: asText(record['source'], 'your file'),
    licence: asText(record['licence'], 'yours'),
    record: asText(record['record'], name),
    messages: said.length,
    system: reader.system,
    turns: reader.turns,
    plan: asText(demo['plan'], 'Answer in one step, then ask what is missing.'),
    note: asText(demo['note'], 'Nothing was retrieved; this line stands in for a search result.'),
  }
}

/** Collects blocks into turns; every user message with something to say opens one. */
class Reader {
  /** @type {string[]} */
  system = []
  /** @type {Block[][]} */
  turns = []
  #lastCall = ''
  #calls = 0

  /** @param {JsonObject} message */
  read(message) {
    const role = message['role'] ?? message['from']
    const content = message['content'] ?? message['value'] ?? message['parts'] ?? null
    if (role === 'system' || role === 'developer') {
      this.system.push(...asList(content).map(textOf))
    } else if (role === 'user' || role === 'human') {
      this.#readParts('user', content)
    } else if (role === 'tool' || role === 'observation') {
      this.#result(message['tool_call_id'], content)
    } else if (role === 'function_call') {
      this.#call([{ id: undefined, ...readShareGptCall(content) }])
    } else {
      this.#readParts('assistant', content)
      this.#call(asList(message['tool_calls']).filter(isObject).map(readOpenAICall))
    }
  }

  /**
   * @param {'user' | 'assistant'} role
   * @param {Json} content
   */
  #readParts(role, content) {
    /** @type {Call[]} */
    const calls = []
    let opened = role !== 'user'
    for (const part of asList(content)) {
      if (isObject(part) && part['type'] === 'tool_result') {
        this.#result(part['tool_use_id'], part['content'])
      } else if (isObject(part) && part['type'] === 'tool_use') {
        calls.push({ id: part['id'], name: asText(part['name'], 'tool'), arguments: part['input'] ?? {} })
      } else if (part !== '') {
        // A user message of tool results alone is the middle of a turn (Anthropic), so only words open one.
        if (!opened) this.turns.push([])
        opened = true
        this.#push({ role, content: isTextPart(part) ? textOf(part) : part })
      }
    }
    this.#call(calls)
  }

  /**
   * Several calls of one message are one block: they were made together and leave together (D27).
   * @param {Call[]} calls
   */
  #call(calls) {
    if (calls.length === 0) return
    const ids = calls.map((call) => asText(call.id, `call-${(this.#calls += 1)}`))
    const contents = calls.map((call) => ({ name: call.name, arguments: call.arguments }))
    this.#lastCall = ids.at(-1) ?? ''
    const [first = null] = contents
    const single = contents.length === 1
    this.#push({
      role: 'assistant',
      kind: 'call',
      content: single ? first : contents,
      callId: single ? this.#lastCall : ids,
    })
  }

  /**
   * @param {Json | undefined} id missing in ShareGPT, where a result follows its call
   * @param {Json | undefined} content
   */
  #result(id, content) {
    this.#push({ role: 'tool', kind: 'result', content: content ?? '', callId: asText(id, this.#lastCall) })
  }

  /** @param {Block} block */
  #push(block) {
    const turn = this.turns.at(-1)
    if (turn === undefined) this.turns.push([block])
    else turn.push(block)
  }
}

/** @typedef {{ id: Json | undefined, name: string, arguments: Json }} Call */

/**
 * @param {JsonObject} call
 * @returns {Call}
 */
function readOpenAICall(call) {
  const made = isObject(call['function']) ? call['function'] : {}
  return { id: call['id'], name: asText(made['name'], 'tool'), arguments: parsed(made['arguments']) }
}

/** @param {Json} content */
function readShareGptCall(content) {
  const call = parsed(content)
  if (!isObject(call)) return { name: 'tool', arguments: call }
  return { name: asText(call['name'], 'tool'), arguments: call['arguments'] ?? {} }
}

/**
 * Arguments are JSON in a string; a model may have written something else, which then stays text.
 * @param {Json | undefined} value
 * @returns {Json}
 */
function parsed(value) {
  if (typeof value !== 'string') return value ?? {}
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @returns {Json}
 */
function parse(name, text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`The file of "${name}" is not JSON.`, { cause: error })
  }
}

/**
 * @param {Json | undefined} value
 * @returns {Json[]}
 */
function asList(value) {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

/**
 * @param {Json | undefined} value
 * @param {string} otherwise
 */
function asText(value, otherwise) {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

/**
 * Gemini's text parts have no type.
 * @param {Json} part
 */
function isTextPart(part) {
  return isObject(part) && typeof part['text'] === 'string' && (part['type'] ?? 'text') === 'text'
}

/** @param {Json} part */
function textOf(part) {
  if (typeof part === 'string') return part
  return isObject(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part)
}

/**
 * @param {Json | undefined} value
 * @returns {value is { [name: string]: Json }}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
