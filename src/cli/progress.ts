// Progress on standard error: a bar on a terminal, a line now and then elsewhere.

import type { Terminal } from './terminal.js'

const WIDTH = 24
/** Milliseconds between two reports: on a terminal, and elsewhere. */
const PAUSE = 100
const LONG_PAUSE = 5000

export class Progress {
  readonly #terminal: Terminal
  readonly #what: string
  readonly #isQuiet: boolean
  readonly #now: () => number
  #reported: number
  #drawn = 0

  constructor(terminal: Terminal, what: string, isQuiet: boolean, now: () => number = Date.now) {
    this.#terminal = terminal
    this.#what = what
    this.#isQuiet = isQuiet
    this.#now = now
    this.#reported = now()
  }

  /** Shows the progress now and then; a total of 0 means that it is unknown. */
  at(done: number, total: number, words = ''): void {
    const isTTY = this.#terminal.streams.stderr.isTTY === true
    const now = this.#now()
    if (this.#isQuiet || now - this.#reported < (isTTY ? PAUSE : LONG_PAUSE)) return
    this.#reported = now
    const share = total > 0 ? Math.min(1, done / total) : undefined
    const percent = share === undefined ? '' : ` ${String(Math.floor(share * 100)).padStart(3)} %`
    if (!isTTY) return this.#terminal.note('plain', `${this.#what}:${percent} ${words}`.trimEnd())
    const full = Math.round((share ?? 0) * WIDTH)
    const bar = share === undefined ? '' : ` [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`
    this.#draw(`${this.#what}${bar}${percent} ${words}`)
  }

  /** Takes the bar off the terminal. */
  end(): void {
    if (this.#drawn > 0) this.#draw('')
    this.#drawn = 0
  }

  #draw(text: string): void {
    const { stderr } = this.#terminal.streams
    const fits = text.slice(0, Math.max(20, stderr.columns || 80) - 1)
    stderr.write(`\r${fits}${' '.repeat(Math.max(0, this.#drawn - fits.length))}\r`)
    this.#drawn = fits.length
  }
}
