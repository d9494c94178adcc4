// Runs example modules one after another in a process of its own and checks their arrows. Started by doc-examples.ts with
// the name of a file that holds the jobs; tells what became of each, and ends where an example does not.

import fs from 'node:fs'
import path from 'node:path'
import { format, inspect, isDeepStrictEqual } from 'node:util'

/** @typedef {{ module: string, file: string, arrows: readonly number[], throws?: string }} Job */

/** @type {readonly Job[]} */
const jobs = JSON.parse(fs.readFileSync(process.argv[2] ?? '', 'utf8'))
const home = process.cwd()
const { fetch } = globalThis

/** The example under way, and what it has shown so far. */
let current = /** @type {Job | undefined} */ (undefined)
/** @type {string[]} */
let problems = []
/** @type {Set<number>} */
let reached = new Set()
let mayThrow = false

const checks = {
  /**
   * Checks what an expression gives.
   * @param {number} line
   * @param {string} text
   * @param {(() => unknown) | undefined} literal
   * @param {unknown} value
   */
  __value(line, text, literal, value) {
    compare(line, text, literal, value, textsOf(value))
    return value
  },
  /**
   * Checks what `console.log` is given: one value, or the text it prints.
   * @param {number} line
   * @param {string} text
   * @param {(() => unknown) | undefined} literal
   */
  __printed(line, text, literal) {
    return (/** @type {unknown[]} */ ...values) => {
      const only = values.length === 1 ? values[0] : format(...values)
      compare(line, text, literal, only, [format(...values), ...textsOf(only)])
    }
  },
  __expectThrow() {
    mayThrow = true
  },
}
Object.assign(globalThis, checks)

process.on('exit', () => {
  if (current === undefined) return
  console.error(`${current.file}: the process ended before the example did; something is awaited that never comes.`)
})
for (const job of jobs) {
  current = job
  await run(job)
  process.send?.(problems.join('\n'))
}
current = undefined

/** @param {Job} job */
async function run(job) {
  problems = []
  reached = new Set()
  mayThrow = false
  // Nor is what it puts in the place of the network.
  globalThis.fetch = fetch
  // Files that an example writes are not there for the next one; all of them go with the folder around it.
  process.chdir(fs.mkdtempSync(path.join(home, 'run-')))
  try {
    await import(job.module)
    if (job.throws !== undefined) problems.push(`${job.file}: throws nothing; expected ${job.throws}.`)
  } catch (error) {
    const expected = job.throws !== undefined && mayThrow && isPactError(error) && error.code === job.throws
    if (!expected) {
      const wanted = job.throws === undefined ? '' : ` Expected ${job.throws}${mayThrow ? '' : ', and later'}.`
      problems.push(`${job.file}: throws.${wanted}\n${inspect(error)}`)
    }
  }
  if (problems.length > 0) return
  const missed = job.arrows.filter((line) => !reached.has(line))
  problems.push(...missed.map((line) => `${job.file}:${line}: the arrow was never reached.`))
}

/**
 * @param {number} line
 * @param {string} text
 * @param {(() => unknown) | undefined} literal
 * @param {unknown} value
 * @param {readonly string[]} texts
 */
function compare(line, text, literal, value, texts) {
  reached.add(line)
  if (literal !== undefined && matches(value, literal())) return
  if (texts.some((each) => matchesText(each, text))) return
  problems.push(
    `${current?.file}:${line}: expected → ${text}\n  got ${inspect(value, { depth: 12, breakLength: 110 })}`,
  )
}

/**
 * Compares with a literal. Classes do not matter, and an object may also answer through its toJSON.
 * @param {unknown} value
 * @param {unknown} literal
 * @returns {boolean}
 */
function matches(value, literal) {
  if (typeof literal === 'string') return typeof value === 'string' && matchesText(value, literal)
  if (typeof literal !== 'object' || literal === null) return value === literal || isDeepStrictEqual(value, literal)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(literal)) {
    if (Array.isArray(value))
      return value.length === literal.length && literal.every((each, i) => matches(value[i], each))
  } else if (!Array.isArray(value)) {
    const names = Object.keys(literal)
    const own = Object.keys(value)
    const read = (/** @type {object} */ from, /** @type {string} */ name) => Reflect.get(from, name)
    const same = own.length === names.length && names.every((name) => own.includes(name))
    if (same && names.every((name) => matches(read(value, name), read(literal, name)))) return true
  }
  return 'toJSON' in value && typeof value.toJSON === 'function' && matches(value.toJSON(), literal)
}

/**
 * `…` stands for any text, so that an example can show an id without its random part.
 * @param {string} value
 * @param {string} pattern
 */
function matchesText(value, pattern) {
  if (value === pattern) return true
  if (!pattern.includes('…')) return false
  const parts = pattern.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(value)
}

/**
 * The texts a value that no literal can spell may be compared with.
 * @param {unknown} value
 * @returns {readonly string[]}
 */
function textsOf(value) {
  if (value instanceof Uint8Array) return [new TextDecoder().decode(value), String(value)]
  if (Array.isArray(value) || (typeof value === 'object' && value !== null))
    return [inspect(value), format('%s', value)]
  return typeof value === 'function' || typeof value === 'symbol' ? [String(value)] : []
}

/**
 * @param {unknown} error
 * @returns {error is Error & { code: string }}
 */
function isPactError(error) {
  return error instanceof Error && Reflect.get(error, Symbol.for('pact-context.error')) === true
}
