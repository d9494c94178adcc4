// Processes that write into a PostgreSQL store, seen from outside: what they said, line by line.

import { spawn } from 'node:child_process'
import readline from 'node:readline'

import { inOneFile } from '../../scripts/soak/store/program.mjs'

export type Line = Readonly<Record<string, unknown> & { say: string }>

const PROGRAM = await inOneFile(new URL('pg-writer.mjs', import.meta.url))
const writing = new Set<Writer>()

/** A process of pg-writer.mjs, and what it has said. */
export class Writer {
  readonly ended: Promise<readonly Line[]>
  readonly #lines: Line[] = []
  readonly #child
  #wake: () => void = () => undefined
  #isOver = false

  constructor(settings: object) {
    const args = [PROGRAM, JSON.stringify(settings)]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    writing.add(this)
    child.stdin.on('error', () => undefined)
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
      this.#lines.push(JSON.parse(line) as Line)
      this.#wake()
    })
    this.ended = new Promise((resolve) => {
      child.on('close', () => {
        writing.delete(this)
        this.#isOver = true
        this.#wake()
        resolve(this.#lines)
      })
    })
  }

  tell(line: string): void {
    this.#child.stdin.write(`${line}\n`)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async heard(say: string, n = 1): Promise<Line> {
    for (;;) {
      const found = this.#lines.filter((line) => line.say === say)[n - 1]
      if (found !== undefined) return found
      if (this.#isOver) throw new Error(`It ended before it said ${say}: ${JSON.stringify(this.#lines.slice(-3))}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

export function endWriters(): void {
  for (const writer of writing) writer.kill('SIGKILL')
}
