// Arguments and options with their types. Commander has checked that they are there, not what they are.

import fs from 'node:fs'
import { addAbortSignal } from 'node:stream'

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

/** Bytes of a file, or of standard input for `-`; a signal ends them at any time. */
export async function* openFile(call: Call, file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const stream = file === '-' ? call.stdin() : fs.createReadStream(file)
  if (signal !== undefined) addAbortSignal(signal, stream)
  try {
    for await (const chunk of stream) yield chunk as Uint8Array
  } catch (error) {
    if (signal?.aborted === true) return
    throw unreadable(file, error)
  }
}

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
