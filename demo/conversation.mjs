// @ts-check
// Recordings as they were published, read by the adapters of the package: a file becomes a context, and its turns are what the demo
// plays. Whatever a file holds beyond that is listed as unread, so that nothing is lost without a word.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { PactError } from 'pact-context'
import { fromModelMessages } from 'pact-context/ai-sdk'
import { fromAnthropic } from 'pact-context/anthropic'
import { fromGemini } from 'pact-context/gemini'
import { fromOpenAIChat, fromOpenAIResponses } from 'pact-context/openai'

import { readRecords, UsageError } from './file.mjs'
import { fromLlamaFactory, fromPi, fromShareGpt } from './others.mjs'
import { isObject, READ_SHAPES, shapeOf } from './shapes.mjs'
import { readTurns } from './turns.mjs'

/**
 * @typedef {import('./turns.mjs').Block} Block
 * @typedef {{ name: string, title: string, source: string, licence: string, record: string, format: string, messages: number,
 *   unread: string[], system: string[], turns: Block[][], plan: string, note: string }} Conversation
 * @typedef {import('./shapes.mjs').Json} Json
 * @typedef {import('./shapes.mjs').JsonObject} JsonObject
 * @typedef {import('./shapes.mjs').Format} Format
 * @typedef {import('pact-context').Context} Context
 */

export { UsageError }

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'conversations')

/** The first is what the demo shows unless told otherwise; the rest by what they add to it. */
const NAMES = ['airline', 'stocks', 'decorators', 'family']

/** Where formats keep words outside their messages. */
const ELSEWHERE =
  `messages conversations contents input output system instructions systemInstruction system_instruction prompt
  choices images`.split(/\s+/)

/** Reads every recording that comes with the demo. */
export function listConversations() {
  return NAMES.map((name) => loadConversation(name))
}

/**
 * Reads one recording: a name of the list, or a path to a file of one's own; `file.jsonl#3` is the third conversation in it.
 * @param {string} [name]
 * @returns {Conversation}
 */
export function loadConversation(name = 'airline') {
  if (NAMES.includes(name)) return readConversation(name, readJson(name))
  const [, file = '', chosen] = /^(.*\.jsonl?)(?:#(\d+))?$/s.exec(name) ?? []
  if (file === '') {
    throw new UsageError(
      `There is no conversation "${name}". Known: ${NAMES.join(', ')}, or a path to a .json or .jsonl file.`,
    )
  }
  const base = path.basename(file).replace(/\.jsonl?$/, '')
  const records = readRecords(base, readOwnFile(file), file.endsWith('.jsonl'))
  const at = Number(chosen ?? 1)
  const record = records[at - 1]
  if (record === undefined) throw new UsageError(`"${base}" has ${records.length} conversations; there is no #${at}.`)
  const conversation = readConversation(base, record)
  if (records.length === 1 || chosen !== undefined) return conversation
  const others = `${records.length - 1} more conversations (add #2 to #${records.length} to the name)`
  return { ...conversation, unread: [others, ...conversation.unread] }
}

/** @param {string} name */
function readJson(name) {
  return /** @type {Json} */ (JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`), 'utf8')))
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
 * @param {Json} file
 * @returns {Conversation}
 */
function readConversation(name, file) {
  const record = isObject(file) ? file : { messages: file }
  if (isObject(record['root'])) {
    throw new UsageError(`"${name}" looks like an export of this package, which importSnapshot reads. ${READ_SHAPES}`)
  }
  const key = ['messages', 'conversations', 'contents', 'input', 'output'].find((each) => record[each] !== undefined)
  const given = key === undefined ? undefined : record[key]
  const messages = key === 'input' && typeof given === 'string' ? [{ role: 'user', content: given }] : given
  if (!Array.isArray(messages)) throw new UsageError(`The file of "${name}" has no list of "messages". ${READ_SHAPES}`)
  const bad = messages.findIndex((message) => !isObject(message))
  if (bad >= 0) throw new UsageError(`In "${name}", messages[${bad}] is not an object.`)
  const unread = new Set()
  const said = /** @type {JsonObject[]} */ ([...messages, ...answersIn(record['response'], unread)])
  const shape = shapeOf(record, /** @type {Json[]} */ (said))
  if ('other' in shape) throw new UsageError(`"${name}" looks like ${shape.other}. ${READ_SHAPES}`)
  const nobody = ROLELESS.includes(shape.format)
    ? -1
    : said.findIndex(({ role, from }) => typeof (role ?? from) !== 'string')
  if (nobody >= 0) throw new UsageError(`In "${name}", messages[${nobody}] has no role. ${READ_SHAPES}`)
  const used = [key, ...SYSTEM_KEYS]
  const { ctx, lost } = importWith(name, shape.format, record, said)
  const { system, turns, left } = readTurns(ctx)
  for (const each of [...lost, ...left]) unread.add(each)
  for (const each of ELSEWHERE) if (!used.includes(each) && !saysNothing(record[each])) unread.add(each)
  for (const each of SYSTEM_KEYS)
    if (!(TAKES[shape.format] ?? []).includes(each) && !saysNothing(record[each])) unread.add(each)
  if (turns.length === 0) throw new UsageError(`The file of "${name}" holds no turn: no user or assistant speaks.`)
  const demo = isObject(record['demo']) ? record['demo'] : {}
  return {
    name,
    title: asText(record['title'], 'A conversation of your own.'),
    source: asText(record['source'], 'your file'),
    licence: asText(record['licence'], 'yours'),
    record: asText(record['record'], name),
    format: shape.format,
    messages: said.length,
    unread: /** @type {string[]} */ ([...unread]).toSorted(),
    system,
    turns,
    plan: asText(demo['plan'], 'Answer in one step, then ask what is missing.'),
    note: asText(demo['note'], 'Nothing was retrieved; this line stands in for a search result.'),
  }
}

/** Formats that have items, or leave the role of the user away. */
const ROLELESS = ['openai-responses', 'gemini']

const SYSTEM_KEYS = ['system', 'instructions', 'systemInstruction', 'system_instruction']

/** Where each format has its system text. @type {Readonly<Record<string, readonly string[]>>} */
const TAKES = {
  anthropic: ['system'],
  'ai-sdk': ['system'],
  'openai-responses': ['instructions'],
  gemini: ['systemInstruction', 'system_instruction'],
}

/**
 * Gives the messages to the adapter of their format, or of the one they can be mapped to.
 * @param {string} name
 * @param {Format} format
 * @param {JsonObject} record
 * @param {JsonObject[]} messages
 * @returns {{ ctx: Context, lost: readonly string[] }}
 */
function importWith(name, format, record, messages) {
  const { system, instructions, systemInstruction, system_instruction: other } = record
  const list = /** @type {object[]} */ (messages)
  try {
    if (format === 'openai-chat') return { ctx: fromOpenAIChat({ messages: list }), lost: [] }
    if (format === 'anthropic') return { ctx: fromAnthropic({ messages: list, ...given({ system }) }), lost: [] }
    if (format === 'openai-responses') {
      return { ctx: fromOpenAIResponses({ input: list, ...given({ instructions }) }), lost: [] }
    }
    if (format === 'gemini') {
      return {
        ctx: fromGemini({ contents: list, ...given({ systemInstruction: systemInstruction ?? other }) }),
        lost: [],
      }
    }
    if (format === 'ai-sdk') return { ctx: fromModelMessages({ messages: list, ...given({ system }) }), lost: [] }
    const mapped = { sharegpt: fromShareGpt, 'llamafactory-v1': fromLlamaFactory, 'pi-agent': fromPi }[format](messages)
    const { ctx } = importWith(name, mapped.format, {}, /** @type {JsonObject[]} */ (mapped.messages))
    return { ctx, lost: mapped.lost }
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw new UsageError(`In "${name}", read as ${format}: ${error.message} ${READ_SHAPES}`, { cause: error })
  }
}

/**
 * What is there; the adapters read unknown JSON and say what is wrong with it.
 * @param {JsonObject} values
 * @returns {Record<string, any>}
 */
function given(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null))
}

/**
 * A recorded request carries the model's answer beside it: a message, items, or the first of its `choices` or `candidates`.
 * @param {Json | undefined} response
 * @param {Set<unknown>} unread
 * @returns {Json[]}
 */
function answersIn(response, unread) {
  if (Array.isArray(response)) return response
  if (!isObject(response) || Object.keys(response).length === 0) return []
  const { choices, candidates, output } = response
  if (Array.isArray(output)) return output
  const several = Array.isArray(choices) ? choices : Array.isArray(candidates) ? candidates : undefined
  if (several === undefined) {
    const {
      stop_reason: _reason,
      stop_sequence: _stop,
      usage: _usage,
      id: _id,
      type: _type,
      model: _model,
      ...message
    } = response
    return [message]
  }
  if (several.length > 1) unread.add('all choices but the first')
  return several
    .slice(0, 1)
    .map((choice) => (isObject(choice) ? (choice['message'] ?? choice['content'] ?? null) : choice))
}

/** @param {Json | undefined} value */
export function saysNothing(value) {
  if (value === undefined || value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/**
 * @param {Json | undefined} value
 * @param {string} otherwise
 */
function asText(value, otherwise) {
  return typeof value === 'string' && value !== '' ? value : otherwise
}
