// @ts-check
// A file with conversations: JSON, or JSON Lines with a conversation or a message on each line. What is broken is named by its line.

/**
 * @typedef {import('./shapes.mjs').Json} Json
 * @typedef {import('./shapes.mjs').JsonObject} JsonObject
 */

/** The user's mistake, said in one sentence; the demo prints it and ends with 2. */
export class UsageError extends Error {}

/**
 * The conversations of a file, each as the JSON that it is.
 * @param {string} name for what is said about it
 * @param {string} text
 * @param {boolean} isLines whether its name says that it is JSON Lines
 * @returns {Json[]}
 */
export function readRecords(name, text, isLines) {
  const whole = isLines ? undefined : parsed(text)
  if (whole !== undefined && 'value' in whole) return [whole.value]
  const lines = text.split(/\r?\n/).map((line, at) => ({ line, at: at + 1 }))
  const filled = lines.filter(({ line }) => line.trim() !== '')
  const values = filled.map(({ line, at }) => ({ at, ...parsed(line) }))
  const broken = values.find((each) => !('value' in each))
  // A .json file that is not one document may be lines; where its first line is none either, it is a broken document.
  if (whole !== undefined && (filled.length < 2 || values[0] === broken)) {
    throw new UsageError(`The file of "${name}" is not JSON: line ${brokenLine(text)}, ${reasonOf(whole.error)}.`)
  }
  if (broken !== undefined) {
    throw new UsageError(
      `Line ${broken.at} of "${name}" is not JSON: ${reasonOf(/** @type {{ error: unknown }} */ (broken).error)}.`,
    )
  }
  const found = values.flatMap((each) => ('value' in each ? [each.value] : []))
  if (found.length === 0) throw new UsageError(`The file of "${name}" is empty.`)
  return found.every(isMessage) ? [found] : found
}

/**
 * @param {string} text
 * @returns {{ value: Json } | { error: unknown }}
 */
function parsed(text) {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error }
  }
}

/**
 * A line that is a message and no conversation.
 * @param {Json} value
 */
function isMessage(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  if (['messages', 'conversations', 'contents', 'input'].some((key) => Array.isArray(value[key]))) return false
  return ['role', 'from', 'type'].some((key) => typeof value[key] === 'string')
}

/**
 * The line on which a text stops being JSON; what parsers say about that differs from version to version.
 * @param {string} text
 */
function brokenLine(text) {
  return text.slice(0, brokenAt(text)).split('\n').length
}

/** One token of JSON, with the blanks before it. */
const TOKEN =
  /\s*(?:([{}[\],:])|("(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y

/**
 * Walks over the tokens; what may come next follows from the one before and from what is open.
 * @param {string} text
 */
function brokenAt(text) {
  const token = new RegExp(TOKEN)
  /** @type {string[]} */
  const open = []
  let wants = 'value'
  for (;;) {
    const from = token.lastIndex
    const [, mark = '', string, plain] = token.exec(text) ?? []
    const at = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0)
    if (mark === '' && string === undefined && plain === undefined) return at
    const isValue = wants === 'value' || wants === 'value or ]'
    const isEnd = mark === (open.at(-1) === '{' ? '}' : ']') && open.length > 0 && /[}\]]$|^, or end$/.test(wants)
    if (isEnd) {
      open.pop()
      wants = ', or end'
    } else if (isValue && (mark === '{' || mark === '[')) {
      open.push(mark)
      wants = mark === '{' ? 'name or }' : 'value or ]'
    } else if (isValue && mark === '') wants = ', or end'
    else if ((wants === 'name' || wants === 'name or }') && string !== undefined) wants = ':'
    else if (wants === ':' && mark === ':') wants = 'value'
    else if (wants === ', or end' && mark === ',' && open.length > 0) wants = open.at(-1) === '{' ? 'name' : 'value'
    else return at
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  return error instanceof Error
    ? error.message.replace(/,? \.*"[\s\S]*$| at position [\s\S]*$| in JSON[\s\S]*$/, '')
    : String(error)
}
