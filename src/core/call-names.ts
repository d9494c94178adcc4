// The names in a call: paths, file names, ids and numbers in its arguments. They are what a model needs of a call that it no longer sees, to find
// its files and records again.

import type { JsonObject, JsonValue } from './json.js'

/** Texts longer than this are contents (code to write, a letter), not names. */
const LONGEST_TEXT = 200
const LONGEST_NAME = 100
const SHORTEST_NAME = 4

/** The names in the arguments of a call, in the order they are in; a name that comes again is given again. */
export function namesOfCall(content: JsonValue): readonly string[] {
  const given = argumentsOf(content)
  const names: string[] = []
  collect(typeof given === 'string' ? parsed(given) : given, names)
  return names
}

function collect(value: JsonValue, names: string[]): void {
  if (typeof value === 'string' || typeof value === 'number') names.push(...namesIn(String(value)))
  else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value) as readonly JsonValue[]) collect(part, names)
  }
}

function namesIn(text: string): readonly string[] {
  if (text.length > LONGEST_TEXT) return []
  const words = text.match(WORDS) ?? []
  return words.map((word) => word.replace(EDGES, '')).filter((word) => isName(word))
}

/** Quotes, brackets, commas and what shells and query strings put between words end a word. */
const WORDS = /[^\s"'`()[\]{}<>|;,=*?&!\\^]+/g
const EDGES = /^[:.+%-]+|[:.+%/-]+$/g
const PATH = /\/[^/]/
const FILE = /^[\w.-]*\w\.[A-Za-z][A-Za-z0-9]{0,4}$/
const ID = /^(?=.*\d)(?=.*[A-Za-z#])[\w#@.:-]+$/
const NUMBER = /^\d+$/

function isName(word: string): boolean {
  if (word.length < SHORTEST_NAME || word.length > LONGEST_NAME) return false
  return [PATH, FILE, ID, NUMBER].some((kind) => kind.test(word))
}

/** The arguments in the form of a call that some provider has; else the whole content. */
function argumentsOf(content: JsonValue): JsonValue {
  for (const holder of [content, ...HOLDERS.map((key) => fieldOf(content, key))]) {
    for (const key of ARGUMENTS) {
      const found = fieldOf(holder, key)
      if (found !== undefined) return found
    }
  }
  return content
}

const HOLDERS = ['function', 'custom', 'functionCall', 'function_call', 'toolUse'] as const
const ARGUMENTS = ['input', 'arguments', 'args'] as const

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined
}
