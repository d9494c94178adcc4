// The JSON values of a file, one at a time: one on each line, or one document over many lines. Lines that are no JSON are named
// and passed over.

import type { JsonValue } from '../../core/index.js'
import { LONGEST_LINE, readLines, type Line } from './lines.js'
import { readJson } from './read-json.js'

/** A value with the line it begins on and its text, or why there is none. */
export type FileRecord = FileValue | Readonly<{ line: number; reason: string }>
export type FileValue = Readonly<{ line: number; value: JsonValue; text: string }>

/** A line that ends so is the beginning of a document over many lines. */
const GOES_ON = /[[{,:]\s*$/

/** Reads value by value. A document over many lines is held whole, and may be as long as a line. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<FileRecord, void, undefined> {
  const lines = readLines(chunks, longest)
  const first = await lines.next()
  if (first.done === true) return
  const start = recordOf(first.value)
  if ('value' in start || !('text' in first.value) || !GOES_ON.test(first.value.text)) {
    yield start
    for await (const line of lines) yield recordOf(line)
    return
  }
  yield* documentOf(first.value, lines, longest)
}

async function* documentOf(
  first: Line & Readonly<{ text: string }>,
  lines: AsyncIterable<Line>,
  longest: number,
): AsyncGenerator<FileRecord, void, undefined> {
  const held = [first]
  let size = first.text.length
  for await (const line of lines) {
    if (!('text' in line)) return yield line
    size += line.text.length
    if (size > longest) {
      const reason = `The document that begins here is longer than ${longest} characters; write one conversation on each line (JSON Lines).`
      return yield { line: first.line, reason }
    }
    held.push(line)
  }
  // Blank lines are not held, and yet counted.
  const text = held.map(({ line, text }, i) => '\n'.repeat(line - (held[i - 1]?.line ?? 1)) + text).join('')
  const read = readJson(text)
  if ('value' in read) return yield { line: first.line, value: read.value, text }
  const alone = held.slice(1).map(recordOf)
  // Nothing but its first line is broken: lines after all.
  if (alone.length > 0 && alone.every((record) => 'value' in record)) {
    yield recordOf(first)
    return yield* alone
  }
  yield { line: read.line, reason: read.reason }
}

function recordOf(line: Line): FileRecord {
  if (!('text' in line)) return line
  const read = readJson(line.text)
  if ('value' in read) return { line: line.line, value: read.value, text: line.text }
  return { line: line.line, reason: read.reason }
}
