// @ts-check
// Recordings as they were published, read into turns. Three shapes occur here (OpenAI chat, Anthropic, ShareGPT); each
// message is read by what it holds, so a file of your own needs no format name. Another shape is refused by its name, and
// what a message holds beyond what is read here is listed as unread, so that nothing is lost without a word.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { isObject, otherShape, READ_SHAPES } from './shapes.mjs'

/**
 * @typedef {{ role: 'user' | 'assistant' | 'tool', kind?: 'call' | 'result', content: Json, callId?: string | string[] }} Block
 * @typedef {{ name: string, title: string, source: string, licence: string, record: string, messages: number,
 *   unread: string[], system: string[], turns: Block[][], plan: string, note: string }} Conversation
 * @typedef {import('./shapes.mjs').Json} Json
 * @typedef {import('./shapes.mjs').JsonObject} JsonObject
 */

/** The user's mistake, said in one sentence; the demo prints it and ends with 2. */
export class UsageError extends Error {}

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'conversations')

/** The first is what the demo shows unless told otherwise; the rest by what they add to it. */
const NAMES = ['airline', 'stocks', 'decorators', 'family']

const ONE_CONVERSATION = 'The demo reads one conversation from a .json file: put its messages into a list of their own.'

const ASSISTANTS = ['assistant', 'gpt', 'model', 'ai', 'bot', 'chatgpt']

/** What says who, when and at what price, and nothing of the conversation; whatever else is left over is listed. */
const ABOUT = new Set(
  `id type name model usage stop_reason stop_sequence finish_reason index status weight timestamp created_at createdAt
   cache_control logprobs`.split(/\s+/),
)

/** Where a request keeps words outside its messages, in shapes that are not read here. */
const ELSEWHERE = `conversations instructions systemInstruction system_instruction prompt input output choices`.split(
  ' ',
)

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
  if (name.endsWith('.jsonl')) throw new UsageError(`"${name}" is JSON Lines. ${ONE_CONVERSATION}`)
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
  const shape = otherShape(file)
  if (shape !== undefined) throw new UsageError(`"${name}" looks like ${shape}. ${READ_SHAPES}`)
  const record = isObject(file) ? file : { messages: file }
  const messages = record['messages'] ?? record['conversations']
  if (!Array.isArray(messages)) throw new UsageError(`The file of "${name}" has no list of "messages". ${READ_SHAPES}`)
  const reader = new Reader()
  const said = [...messages, ...reader.answersIn(record['response'])]
  reader.leave(record, (key) => !ELSEWHERE.includes(key) || record[key] === messages)
  reader.readSystem(record['system'])
  for (const [at, message] of said.entries()) {
    if (!isObject(message)) throw new UsageError(`In "${name}", messages[${at}] is not an object.`)
    const role = message['role'] ?? message['from']
    if (typeof role !== 'string') throw new UsageError(`In "${name}", messages[${at}] has no role. ${READ_SHAPES}`)
    reader.read(role, message)
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
    unread: [...reader.unread].toSorted(),
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
  /** @type {Set<string>} names of what was not read */
  unread = new Set()
  #lastCall = ''
  #calls = 0

  /**
   * @param {string} role
   * @param {JsonObject} message
   */
  read(role, message) {
    const under = ['content', 'value'].find((key) => (message[key] ?? null) !== null) ?? 'content'
    const content = message[under] ?? null
    const read = ['role', 'from', under]
    if (role === 'system' || role === 'developer') {
      this.readSystem(content)
    } else if (role === 'user' || role === 'human') {
      this.#readParts('user', content)
    } else if (role === 'tool' || role === 'observation' || role === 'function') {
      this.#result(message['tool_call_id'], content)
      read.push('tool_call_id')
    } else if (role === 'function_call') {
      const call = parsed(content)
      if (isObject(call)) this.leave(call, (key) => key === 'name' || key === 'arguments')
      this.#call([{ id: undefined, ...readShareGptCall(call) }])
    } else {
      if (!ASSISTANTS.includes(role)) this.unread.add(`role "${role}", read as assistant`)
      this.#readParts('assistant', content)
      this.#readParts('assistant', message['refusal'] ?? null)
      this.#call(this.#callsOf(message))
      read.push('refusal', 'tool_calls', 'function_call')
    }
    this.leave(message, (key) => read.includes(key) || ABOUT.has(key))
  }

  /** @param {Json | undefined} content */
  readSystem(content) {
    for (const part of asList(content)) {
      if (isTextPart(part)) this.leave(part, (key) => key === 'text' || ABOUT.has(key))
      this.system.push(textOf(part))
    }
  }

  /**
   * A recorded request carries the model's answer beside it, by itself or as the first of its `choices`.
   * @param {Json | undefined} response
   * @returns {Json[]}
   */
  answersIn(response) {
    const choices = isObject(response) ? response['choices'] : undefined
    if (!Array.isArray(choices)) return asList(response)
    if (choices.length > 1) this.unread.add('all choices but the first')
    return choices.slice(0, 1).map((choice) => (isObject(choice) ? (choice['message'] ?? null) : choice))
  }

  /**
   * Notes the names under which something stands that was not read.
   * @param {JsonObject} object
   * @param {(key: string) => boolean} isKnown
   */
  leave(object, isKnown) {
    for (const [key, value] of Object.entries(object)) if (!isKnown(key) && !saysNothing(value)) this.unread.add(key)
  }

  /**
   * Calls as OpenAI has them: a list, or one by itself as it was before there were lists.
   * @param {JsonObject} message
   * @returns {Call[]}
   */
  #callsOf(message) {
    const calls = asList(message['tool_calls'])
    /** @type {Json[]} */
    const alone = asList(message['function_call']).map((made) => ({ function: made }))
    return [...calls, ...alone].flatMap((call) => {
      const made = isObject(call) ? (call['function'] ?? call['custom']) : undefined
      if (!isObject(call) || !isObject(made)) {
        this.unread.add('tool_calls')
        return []
      }
      this.leave(call, (key) => key === 'function' || key === 'custom' || ABOUT.has(key))
      return [
        { id: call['id'], name: asText(made['name'], 'tool'), arguments: parsed(made['arguments'] ?? made['input']) },
      ]
    })
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
        this.leave(part, (key) => key === 'tool_use_id' || key === 'content' || ABOUT.has(key))
        this.#result(part['tool_use_id'], part['content'])
      } else if (isObject(part) && part['type'] === 'tool_use') {
        this.leave(part, (key) => key === 'input' || ABOUT.has(key))
        calls.push({ id: part['id'], name: asText(part['name'], 'tool'), arguments: part['input'] ?? {} })
      } else if (part !== '') {
        // A user message of tool results alone is the middle of a turn (Anthropic), so only words open one.
        if (!opened) this.turns.push([])
        opened = true
        if (isTextPart(part)) this.leave(part, (key) => key === 'text' || ABOUT.has(key))
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

/** @param {Json} call */
function readShareGptCall(call) {
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
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    const what = lines.length > 1 && lines.every(isJson) ? `JSON Lines. ${ONE_CONVERSATION}` : 'not JSON.'
    throw new UsageError(`The file of "${name}" is ${what}`, { cause: error })
  }
}

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** @param {Json | undefined} value */
function saysNothing(value) {
  if (value === undefined || value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
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
 * @param {Json} part
 * @returns {part is { [name: string]: Json, text: string }}
 */
function isTextPart(part) {
  return isObject(part) && typeof part['text'] === 'string' && (part['type'] ?? 'text') === 'text'
}

/** @param {Json} part */
function textOf(part) {
  if (typeof part === 'string') return part
  return isTextPart(part) ? part.text : JSON.stringify(part)
}
