// Processes that write into a store, seen from outside: what they said, line by line, until they end or are ended. What a
// process wrote into its pipe is read even when it was killed right after.

import { spawn } from 'node:child_process'

import { inOneFile } from './program.mjs'

const PROGRAM = await inOneFile(new URL('./writer.mjs', import.meta.url))
/** No child lives longer, whatever it waits for, where nothing else is said. */
const LONGEST = 600_000

/**
 * @typedef {{
 *   say: string, id?: string, cycle?: number, sum?: string, sums?: [number, string][], key?: string, attempt?: string,
 *   step?: string, text?: string, code?: string, outcome?: string, reason?: string, head?: number, kept?: number,
 *   details?: Record<string, unknown>, file?: string, verdict?: string
 * }} Line what a child says, and of what
 * @typedef {{ code: number | null, signal: string | null, lines: readonly Line[], errors: string }} Ended
 */

export class Child {
  /** @type {Line[]} */
  lines = []
  /** @type {Promise<Ended>} */
  ended
  #process
  #rest = ''
  #errors = ''
  /** @type {Set<() => void>} */
  #waiting = new Set()

  /**
   * @param {string} task one of writer.mjs
   * @param {object} settings
   * @param {{ node?: string | undefined, before?: readonly string[], limit?: number }} [how] which Node, what is put
   *   in front of it, and how long it may live
   */
  constructor(task, settings, { node = process.execPath, before = [], limit = LONGEST } = {}) {
    // Node's own SQLite says at every start that it is new.
    const args = [...before, node, '--no-warnings', PROGRAM, task, JSON.stringify(settings)]
    const child = spawn(args.shift() ?? node, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#process = child
    const timer = setTimeout(() => child.kill('SIGKILL'), limit)
    child.stdin.on('error', () => undefined)
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => this.#take(text))
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (this.#errors += text))
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => {
        clearTimeout(timer)
        resolve({ code, signal, lines: this.lines, errors: this.#errors })
        this.#wake()
      })
    })
  }

  /** @param {NodeJS.Signals} signal */
  kill(signal = 'SIGKILL') {
    this.#process.kill(signal)
  }

  /** @param {string} line */
  tell(line) {
    this.#process.stdin.write(`${line}\n`)
  }

  /**
   * Waits for the n-th line of a kind; undefined where the child ended before.
   * @param {string} say
   * @param {number} [n] from 1
   * @returns {Promise<Line | undefined>}
   */
  async heard(say, n = 1) {
    let isOver = false
    void this.ended.then(() => (isOver = true))
    for (;;) {
      const found = this.lines.filter((line) => line.say === say)[n - 1]
      if (found !== undefined || isOver) return found
      await new Promise((resolve) => this.#waiting.add(() => resolve(undefined)))
    }
  }

  /** @param {string} text */
  #take(text) {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.lines.push(/** @type {Line} */ (JSON.parse(line)))
    this.#wake()
  }

  #wake() {
    for (const go of this.#waiting) go()
    this.#waiting.clear()
  }
}

/**
 * Does something for every number below a count, a few at a time.
 * @param {number} count
 * @param {number} atOnce
 * @param {(n: number) => Promise<void>} work
 */
export async function each(count, atOnce, work) {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
