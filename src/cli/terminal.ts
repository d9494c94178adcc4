// Standard output and error: a terminal with colours, a width and a pager, or a pipe that may close at any time.

import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import picocolors from 'picocolors'

/** The streams of a process; tests give their own. */
export type Streams = Readonly<{
  stdin: Readable
  stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>
  stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>
  env: Readonly<Record<string, string | undefined>>
}>

/** The meaning of a piece of a line, which decides its colour. */
export type Style = 'plain' | 'bold' | 'dim' | 'place' | 'time' | 'good' | 'bad' | 'warn'
export type Span = readonly [style: Style, text: string]
export type TextLine = readonly Span[]

export type TerminalOptions = Readonly<{ color?: boolean | undefined }>

/** The smallest width, also of narrower terminals. */
const NARROWEST = 40

export class Terminal {
  readonly streams: Streams
  /** Long output goes through a pager. */
  pages = true
  readonly #paint: (style: Style, text: string, isOn?: boolean) => string
  readonly #hasColor: boolean
  readonly #errorColor: boolean
  /** The reader has closed standard output. */
  isBroken = false
  /** The error of standard output, such as a full disk. */
  fault: Error | undefined

  constructor(streams: Streams, { color }: TerminalOptions = {}) {
    this.streams = streams
    this.#hasColor = wantsColor(streams, streams.stdout.isTTY === true, color)
    this.#errorColor = wantsColor(streams, streams.stderr.isTTY === true, color)
    const painted = painterOf(picocolors.createColors(true))
    this.#paint = (style, text, isOn = this.#hasColor) => (isOn ? painted(style, text) : text)
    streams.stdout.on('error', (error) => {
      this.isBroken = true
      if (!isClosedPipe(error)) this.fault ??= error
    })
    // There is no other place to report it.
    streams.stderr.on('error', ignore)
  }

  get isTTY(): boolean {
    return this.streams.stdout.isTTY === true
  }

  /** The columns of a line; a pipe has no limit. */
  get width(): number {
    return this.isTTY ? Math.max(NARROWEST, this.streams.stdout.columns || 100) : Infinity
  }

  paint(line: TextLine): string {
    return line
      .map(([style, text]) => this.#paint(style, text))
      .join('')
      .trimEnd()
  }

  /** Writes lines, through a pager if they do not fit on the screen. */
  async lines(lines: readonly TextLine[]): Promise<void> {
    const text = lines.map((line) => `${this.paint(line)}\n`).join('')
    const rows = this.streams.stdout.rows || 24
    if (this.isTTY && this.pages && lines.length >= rows && (await this.#page(text))) return
    await this.write(text)
  }

  /** The pager is loaded on demand: Node takes long to load `child_process`. */
  async #page(text: string): Promise<boolean> {
    const { page } = await import('./pager.js')
    return page(text, this.streams.env)
  }

  /** Writes text or bytes as they are, piece by piece, so that a slow reader costs no memory. */
  async write(given: string | Uint8Array): Promise<void> {
    // As bytes, so that no piece ends inside a character.
    const bytes = typeof given === 'string' ? Buffer.from(given) : given
    for (let at = 0; at < bytes.length && !this.isBroken; at += PIECE) {
      if (this.streams.stdout.write(bytes.subarray(at, at + PIECE))) continue
      await Promise.race([once(this.streams.stdout, 'drain'), once(this.streams.stdout, 'close')]).catch(ignore)
    }
  }

  /** A line on standard error: notes, warnings, progress. */
  note(style: Style, text: string): void {
    this.streams.stderr.write(`${this.#paint(style, text, this.#errorColor)}\n`)
  }

  /** Waits until everything that was written has left the process. */
  async flush(): Promise<void> {
    await Promise.all([this.streams.stdout, this.streams.stderr].map(flushed))
  }
}

const PIECE = 64 * 1024

function flushed(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    if (!stream.writable) return resolve()
    stream.write('', () => resolve())
  })
}

function ignore(): void {}

/** A reader such as `head` closes the pipe early. That is no failure. */
function isClosedPipe(error: Error): boolean {
  const code: unknown = 'code' in error ? error.code : undefined
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED'
}

/** An option beats the environment, and FORCE_COLOR beats NO_COLOR, as in Node itself. */
function wantsColor({ env }: Streams, isTTY: boolean, color: boolean | undefined): boolean {
  if (color !== undefined) return color
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = env
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false'
  if (none !== undefined && none !== '') return false
  return isTTY && term !== 'dumb'
}

// The sixteen basic colours only: a terminal's own theme keeps them readable on light and on dark.
function painterOf(colors: ReturnType<typeof picocolors.createColors>): (style: Style, text: string) => string {
  const by: Readonly<Record<Style, (text: string) => string>> = {
    plain: String,
    bold: colors.bold,
    dim: colors.dim,
    place: colors.cyan,
    time: colors.yellow,
    good: colors.green,
    bad: colors.red,
    warn: colors.yellow,
  }
  return (style, text) => by[style](text)
}

/** A line as it is, neither cut nor joined with the next, but with everything spelled out that could steer a terminal. */
export function spelled(line: string): string {
  return line.replaceAll('\t', '    ').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0
    const digits = code.toString(16)
    if (code > 0xffff) return `\\u{${digits}}`
    return code > 0xff ? `\\u${digits.padStart(4, '0')}` : `\\x${digits.padStart(2, '0')}`
  })
}
