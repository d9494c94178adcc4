// @ts-check
// Recordings as they were published, read as `pctx import` reads them: a file becomes a context, and its turns are what the demo
// plays. Whatever a file holds beyond that is listed as unread, so that nothing is lost without a word.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { PactError } from 'pact-context'

import { findConversations } from '../dist/commands/importing/conversations.js'
import { readConversation } from '../dist/commands/importing/read-conversation.js'
import { isObject, readTurns } from './turns.mjs'

/**
 * @typedef {import('./turns.mjs').Block} Block
 * @typedef {{ name: string, title: string, source: string, licence: string, record: string, format: string, messages: number,
 *   unread: string[], system: string[], turns: Block[][], plan: string, note: string }} Conversation
 * @typedef {import('./turns.mjs').Json} Json
 * @typedef {import('../dist/commands/importing/conversations.js').FoundConversation} Found
 */

/** The user's mistake, said in one sentence; the demo prints it and ends with 2. */
export class UsageError extends Error {}

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'conversations')

/** The first is the demo's default; the rest are in the order of what they add to it. */
const NAMES = ['airline', 'stocks', 'decorators', 'family']

/** Reads every recording that comes with the demo. */
export function listConversations() {
  return Promise.all(NAMES.map((name) => loadConversation(name)))
}

/**
 * Reads one recording: a name of the list, or a path to a file of one's own; `file.jsonl#3` is the third conversation in it.
 * @param {string} [name]
 * @returns {Promise<Conversation>}
 */
export async function loadConversation(name = 'airline') {
  if (NAMES.includes(name)) return readOne(name, await readFile(name, path.join(folder, `${name}.json`)), 1)
  const [, file = '', chosen] = /^(.*\.jsonl?)(?:#(\d+))?$/s.exec(name) ?? []
  if (file === '') {
    throw new UsageError(
      `There is no conversation "${name}". Known: ${NAMES.join(', ')}, or a path to a .json or .jsonl file.`,
    )
  }
  const base = path.basename(file).replace(/\.jsonl?$/, '')
  const found = await readFile(base, pathOf(file))
  const conversation = readOne(base, found, Number(chosen ?? 1))
  if (found.length === 1 || chosen !== undefined) return conversation
  const others = `${found.length - 1} more conversations (add #2 to #${found.length} to the name)`
  return { ...conversation, unread: [others, ...conversation.unread] }
}

/** @param {string} file */
function pathOf(file) {
  // Under `npm start` the working folder is the package's; INIT_CWD is the user's.
  const found = [process.cwd(), process.env['INIT_CWD']]
    .filter((base) => base !== undefined)
    .map((base) => path.resolve(base, file))
    .find((candidate) => fs.existsSync(candidate))
  if (found === undefined) throw new UsageError(`There is no file "${file}".`)
  return found
}

/**
 * @param {string} name for what is said about it
 * @param {string} file
 * @returns {Promise<Found[]>}
 */
async function readFile(name, file) {
  /** @type {Found[]} */
  const conversations = []
  try {
    for await (const found of findConversations(fs.createReadStream(file))) {
      if (!('body' in found)) throw new UsageError(`Line ${found.line} of "${name}" is not JSON: ${found.reason}.`)
      const [broken] = found.format === undefined ? found.unread : []
      if (broken !== undefined) {
        throw new UsageError(`Line ${broken.line} of "${name}" is not JSON, or no message: ${broken.what}`)
      }
      conversations.push(found)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The file "${file}" cannot be read.`, { cause: error })
  }
  if (conversations.length === 0) throw new UsageError(`The file of "${name}" is empty.`)
  return conversations
}

/**
 * @param {string} name
 * @param {readonly Found[]} conversations
 * @param {number} at from 1
 * @returns {Conversation}
 */
function readOne(name, conversations, at) {
  const found = conversations[at - 1]
  if (found === undefined) {
    throw new UsageError(`"${name}" has ${conversations.length} conversations; there is no #${at}.`)
  }
  if (found.format === 'pact') {
    throw new UsageError(
      `"${name}" looks like an export of this package, which importSnapshot reads and pctx import takes.`,
    )
  }
  const read = readBody(name, found)
  // The same class, once as it was compiled and once as the sources have it.
  const context = /** @type {import('pact-context').Context} */ (/** @type {unknown} */ (read.context))
  const { system, turns, left } = readTurns(context)
  if (turns.length === 0) throw new UsageError(`The file of "${name}" holds no turn: no user or assistant speaks.`)
  const record = isObject(/** @type {Json} */ (found.body)) ? /** @type {Record<string, Json>} */ (found.body) : {}
  const demo = isObject(record['demo']) ? record['demo'] : {}
  const entries = found.unread.map(({ line, what }) => `line ${line} (${what})`)
  return {
    name,
    title: asText(record['title'], 'A conversation of your own.'),
    source: asText(record['source'], 'your file'),
    licence: asText(record['licence'], 'yours'),
    record: asText(record['record'], name),
    format: read.format,
    messages: read.messages,
    unread: [...new Set([...entries, ...read.unread, ...left])].toSorted(),
    system,
    turns,
    plan: asText(demo['plan'], 'Answer in one step, then ask what is missing.'),
    note: asText(demo['note'], 'Nothing was retrieved; this line stands in for a search result.'),
  }
}

/**
 * @param {string} name
 * @param {Found} found
 */
function readBody(name, { body, format }) {
  try {
    return readConversation(body, { format })
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw new UsageError(`In "${name}": ${error.message}`, { cause: error })
  }
}

/**
 * @param {Json | undefined} value
 * @param {string} otherwise
 */
function asText(value, otherwise) {
  return typeof value === 'string' && value !== '' ? value : otherwise
}
