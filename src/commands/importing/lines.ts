// The lines of a stream of bytes, one at a time, so that a file may be larger than memory.

/** A line of a file, from 1; or why it is none. Blank ones are passed over. */
export type Line = Readonly<{ line: number; text: string }> | Readonly<{ line: number; reason: string }>

/** Longer ones are refused: they would have to be held at once, several times over. */
export const LONGEST_LINE: number = 256 * 1024 * 1024

const NEWLINE = 0x0a
const BOM = '\ufeff'

/** Reads line by line; the bytes of a line that is too long are let go as they come. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<Line, void, undefined> {
  let line = 1
  let held: Uint8Array[] = []
  let size = 0
  const end = (): Line | undefined => {
    const taken = { line: line++, held, size }
    held = []
    size = 0
    return lineOf(taken.line, taken.held, taken.size, longest)
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      size += at - from
      if (size <= longest) held.push(chunk.subarray(from, at))
      const found = end()
      if (found !== undefined) yield found
      from = at + 1
    }
    size += chunk.length - from
    // Copied, since a stream may use its buffer again while the rest of the line is read.
    if (size > longest) held = []
    else if (from < chunk.length) held.push(chunk.slice(from))
  }
  const found = end()
  if (found !== undefined) yield found
}

function lineOf(line: number, held: readonly Uint8Array[], size: number, longest: number): Line | undefined {
  if (size > longest) return { line, reason: `It is longer than ${longest} bytes.` }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(held.length === 1 ? held[0] : joined(held))
  } catch {
    return { line, reason: 'It is not UTF-8.' }
  }
  const start = line === 1 && text.startsWith(BOM) ? BOM.length : 0
  const filled = text.slice(start, text.endsWith('\r') ? -1 : undefined)
  return filled.trim() === '' ? undefined : { line, text: filled }
}

function joined(held: readonly Uint8Array[]): Uint8Array {
  return held.length === 0 ? new Uint8Array() : Buffer.concat(held)
}
