// @ts-check
// `npm start`: a guided tour of PACT in the terminal. This file is the door (options, colours, exit codes); the tour is
// run.mjs, its look render.mjs.

import { oneLine, PactError } from 'pact-context'

import { listConversations, loadConversation, UsageError } from './conversation.mjs'
import { renderList, renderReport } from './render.mjs'
import { runDemo } from './run.mjs'
import { escapeJson, paint } from './text.mjs'

const HELP = `npm start -- [options]      a guided tour: a recorded conversation becomes a PACT tree

  --conversation <name>     which recording; or a path to a .json or .jsonl file with conversations of
                            OpenAI, Anthropic, Gemini, the AI SDK, ShareGPT, LLaMA-Factory or pi;
                            file.jsonl#3 is the third of its conversations
  --list                    the recordings that come along
  --all                     every turn in full instead of the first few
  --json                    the whole run as one JSON object
  --color, --no-color       whatever the terminal says; NO_COLOR and FORCE_COLOR are honoured
  --help                    this page
`

/** @typedef {{ conversation?: string, list: boolean, all: boolean, json: boolean, help: boolean, color?: boolean }} Options */

// A reader that has seen enough (`| head`) closes the pipe; that is no failure.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0)
  throw error
})

try {
  process.stdout.write(await main(parseOptions(process.argv.slice(2))))
} catch (error) {
  if (error instanceof UsageError) fail(`${error.message} Try --help.`, 2)
  else if (PactError.is(error)) fail(`${error.code}: ${error.message}`, 1)
  else throw error
}

/** @param {Options} options */
async function main(options) {
  if (options.help) return HELP
  const terminal = { width: Math.max(40, process.stdout.columns || 100), color: wantsColor(options) }
  if (options.list) {
    const conversations = await listConversations()
    if (options.json) {
      return toJson(conversations.map(({ name, title, source, licence }) => ({ name, title, source, licence })))
    }
    return toText(renderList(conversations), terminal)
  }
  const conversation = await loadConversation(options.conversation)
  if (conversation.unread.length > 0) {
    process.stderr.write(`${oneLine(`Not shown of "${conversation.name}": ${conversation.unread.join(', ')}.`)}\n`)
  }
  const { report, newest } = await runDemo(conversation)
  if (options.json) return toJson(report)
  return toText(renderReport(report, newest, { width: terminal.width, all: options.all }), terminal)
}

/**
 * @param {readonly string[]} args
 * @returns {Options}
 */
function parseOptions(args) {
  /** @type {Options} */
  const options = { list: false, all: false, json: false, help: false }
  for (let at = 0; at < args.length; at += 1) {
    const [name, value] = split(args[at] ?? '')
    if (name === '--conversation') {
      const chosen = value ?? args[(at += 1)]
      if (chosen === undefined || chosen === '') throw new UsageError('--conversation needs a name; --list shows them.')
      options.conversation = chosen
    } else if (value !== undefined && name.startsWith('--')) {
      throw new UsageError(`${name} takes no value.`)
    } else if (name === '--list') options.list = true
    else if (name === '--all') options.all = true
    else if (name === '--json') options.json = true
    else if (name === '--help' || name === '-h') options.help = true
    else if (name === '--color') options.color = true
    else if (name === '--no-color') options.color = false
    else if (name.startsWith('-')) throw new UsageError(`There is no option ${name}.`)
    else throw new UsageError(`"${name}" stands alone. Did you mean --conversation ${name}?`)
  }
  return options
}

/**
 * Parts `--name=value`.
 * @param {string} arg
 * @returns {[name: string, value?: string]}
 */
function split(arg) {
  const equals = arg.startsWith('--') ? arg.indexOf('=') : -1
  return equals < 0 ? [arg] : [arg.slice(0, equals), arg.slice(equals + 1)]
}

/**
 * An option beats the environment, and FORCE_COLOR beats NO_COLOR, as in Node itself.
 * @param {Options} options
 */
function wantsColor({ color }) {
  if (color !== undefined) return color
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = process.env
  if (force !== undefined) return force !== '0' && force !== 'false'
  if (none !== undefined && none !== '') return false
  return process.stdout.isTTY === true && term !== 'dumb'
}

/**
 * @param {readonly import('./text.mjs').Line[]} lines
 * @param {{ width: number, color: boolean }} terminal
 */
function toText(lines, terminal) {
  return lines.map((line) => `${paint(line, terminal)}\n`).join('')
}

/** @param {unknown} value */
function toJson(value) {
  return `${escapeJson(JSON.stringify(value, null, 2))}\n`
}

/**
 * @param {string} message may quote what the user typed
 * @param {number} code
 */
function fail(message, code) {
  process.stderr.write(`${oneLine(message)}\n`)
  process.exitCode = code
}
