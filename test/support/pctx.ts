// `pctx` without a process: its own main on streams of the test.

import { Readable, Writable } from 'node:stream'

import { main, COMMANDS, type Streams } from '../../src/cli/index.js'

export type RanPctx = Readonly<{ status: number; stdout: string; stderr: string }>

export type PctxOptions = Readonly<{
  stdin?: string | undefined
  /** Standard input is a terminal, too. */
  types?: boolean | undefined
  env?: Readonly<Record<string, string>> | undefined
  /** A terminal with this many columns. */
  columns?: number | undefined
  rows?: number | undefined
}>

class Kept extends Writable {
  readonly chunks: Buffer[] = []
  isTTY?: boolean
  columns?: number
  rows?: number

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8')
  }
}

export async function pctx(args: readonly string[], options: PctxOptions = {}): Promise<RanPctx> {
  const [stdout, stderr] = [new Kept(), new Kept()]
  if (options.columns !== undefined) {
    Object.assign(stdout, { isTTY: true, columns: options.columns, rows: options.rows ?? 1000 })
    Object.assign(stderr, { isTTY: true, columns: options.columns })
  }
  const stdin = Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)])
  if (options.types === true) Object.assign(stdin, { isTTY: true })
  const streams: Streams = { stdin, stdout, stderr, env: options.env ?? {} }
  const status = await main(args, streams, { version: '1.2.3', specs: COMMANDS })
  return { status, stdout: stdout.text, stderr: stderr.text }
}
