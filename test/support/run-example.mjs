// Runs one example module in a process of its own and checks its arrows. Started by doc-examples.ts with a job as JSON;
// prints what went wrong and ends with 1, or prints nothing of its own and ends with 0.

import { format, inspect, isDeepStrictEqual } from 'node:util'

/** @type {{ module: string, file: string, arrows: readonly number[], throws?: string }} */
const job = JSON.parse(process.argv[2] ?? '')

/** @type {string[]} */
const problems = []
const reached = new Set()
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

let finished = false
process.on('exit', () => {
  if (finished) return
  console.error(`${job.file}: the process ended before the example did; something is awaited that never comes.`)
  process.exitCode = 1
})
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
if (problems.length === 0) {
  const missed = job.arrows.filter((line) => !reached.has(line))
  problems.push(...missed.map((line) => `${job.file}:${line}: the arrow was never reached.`))
}
if (problems.length > 0) console.error(problems.join('\n'))
process.exitCode = problems.length > 0 ? 1 : 0
finished = true

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
  problems.push(`${job.file}:${line}: expected → ${text}\n  got ${inspect(value, { depth: 12, breakLength: 110 })}`)
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
