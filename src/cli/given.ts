// Arguments and options with their types. Commander has checked that they are there, not what they are.

import fs from 'node:fs'
import { addAbortSignal, pipeline, Readable } from 'node:stream'
import zlib from 'node:zlib'

import type { Call, Values } from './spec.js'
import { UsageError } from './usage-error.js'

/** An argument that must be there. */
export function word({ arguments: words }: Call, at: number): string {
  return words[at] ?? ''
}

export function text(options: Values, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function texts(options: Values, name: string): readonly string[] | undefined {
  const value = options[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined
}

export function number(options: Values, name: string): number | undefined {
  const value = options[name]
  return typeof value === 'number' ? value : undefined
}

export function flag(options: Values, name: string): boolean {
  return options[name] === true
}

/** Reads a whole number, for an option. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): (given: string) => number {
  return (given) => {
    const value = Number(given)
    if (/^-?\d+$/.test(given) && Number.isSafeInteger(value) && value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} up` : `from ${least} to ${most}`
    throw new UsageError(`"${given}" is no whole number ${range}.`)
  }
}

/** Reads a time, for an option, as ISO text. */
export function time(given: string): string {
  const value = new Date(given)
  if (/^\d{4}-/.test(given) && !Number.isNaN(value.getTime())) return value.toISOString()
  throw new UsageError(`"${given}" is no time such as 2026-05-01 or 2026-05-01T12:00:00Z.`)
}

/** Collects the values of an option that may be given several times. */
export function gather(given: string, before: unknown): readonly string[] {
  return [...(Array.isArray(before) ? (before as readonly string[]) : []), given]
}

/** A text, or standard input for `-`. */
export async function textOrStdin(call: Call, given: string): Promise<string> {
  return given === '-' ? wholeText(openFile(call, '-')) : given
}

/** Bytes of a file, or of standard input for `-`, unpacked if they are gzip; a signal ends them at any time. */
export async function* openFile(call: Call, file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const stream = file === '-' ? call.stdin() : fs.createReadStream(file)
  if (signal !== undefined) addAbortSignal(signal, stream)
  try {
    for await (const chunk of unpacked(stream)) yield chunk
  } catch (error) {
    if (signal?.aborted === true) return
    throw unreadable(file, error)
  }
}

async function* unpacked(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)
  while (held.length < GZIP.length) {
    const next = await chunks.next()
    if (next.done === true) break
    held = Buffer.concat([held, next.value])
  }
  const all = (async function* () {
    if (held.length > 0) yield held
    yield* { [Symbol.asyncIterator]: () => chunks }
  })()
  if (!GZIP.equals(held.subarray(0, GZIP.length))) return yield* all
  const gunzip = zlib.createGunzip()
  // An error of either stream comes out of the loop over the last one.
  pipeline(Readable.from(all), gunzip, () => {})
  yield* gunzip as AsyncIterable<Uint8Array>
}

/** The bytes that a gzip file begins with. */
const GZIP = Buffer.from([0x1f, 0x8b])

/** Refuses a file that cannot be read, before any work is done. */
export function checkFile(file: string): void {
  try {
    fs.accessSync(file, fs.constants.R_OK)
  } catch (error) {
    throw unreadable(file, error)
  }
  if (fs.statSync(file).isDirectory()) throw new UsageError(`"${file}" is a folder.`, { isOfWords: false })
}

/** The error for a file that cannot be read. */
function unreadable(file: string, cause: unknown): UsageError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const what =
    code === 'ENOENT' ? `There is no file "${file}".` : `The file "${file}" cannot be read (${String(code)}).`
  return new UsageError(what, { cause, isOfWords: false })
}

export async function wholeText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const held: Uint8Array[] = []
  for await (const chunk of chunks) held.push(chunk)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(held))
  } catch (cause) {
    throw new UsageError('What was read is not UTF-8.', { cause })
  }
}

/** Numbers as people read them. */
export function count(value: number, what?: string, many = `${what}s`): string {
  const digits = value.toLocaleString('en-US')
  return what === undefined ? digits : `${digits} ${value === 1 ? what : many}`
}
