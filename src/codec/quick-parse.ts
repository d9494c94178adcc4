// Reading a document with JSON.parse, which is several times faster than any parser written in JavaScript, but rounds
// integers beyond 2^53. Of these, nearly all are created_at_ns; they are put into quotes before JSON.parse sees them. What
// else it may have changed shows: an integer that it rounded, an infinity or a -0 is noticed where it is read, and a fault
// of any kind ends the attempt, too. Then the exact parser reads the text, and what it says counts.

/** Thrown where a number may not be what the text says. */
export class Unsure extends Error {}

/** Marks an integer that was put into quotes, before its digits: DEL, which JSON allows and no text begins with. */
const MARK = '\u007f'
const MARK_UNIT = 0x7f

/**
 * The `s` before the quote tells that it closes a name: in JSON text nothing but a bracket, a comma, a colon or space
 * comes before a quote that opens a string, and a backslash before one that does neither.
 */
const TIME = /created_at_ns":(-?[1-9]\d{15,4000})(?=[,}])/g

export type QuickDocument = Readonly<{
  document: unknown
  /** The number of integers that were put into quotes. A reader that finds fewer of them as times of nodes has met one elsewhere. */
  marks: number
}>

/** Reads a text that JSON.parse can read; undefined for any other. */
export function parseQuickly(text: string): QuickDocument | undefined {
  const marked = text.replace(TIME, `created_at_ns":"${MARK}$1"`)
  try {
    return { document: JSON.parse(marked), marks: (marked.length - text.length) / (MARK.length + 2) }
  } catch {
    return undefined
  }
}

/** The digits behind a mark, and the sign before them. */
export function digitsOfMark(value: string): string {
  const first = value.charCodeAt(MARK.length) === MINUS ? MARK.length + 1 : MARK.length
  if (!value.startsWith(MARK) || first === value.length) throw new Unsure()
  for (let i = first; i < value.length; i++) {
    const unit = value.charCodeAt(i)
    if (unit < ZERO || unit > NINE) throw new Unsure()
  }
  return value.slice(MARK.length)
}

const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/** Ends the attempt where a value holds a number that may not be the text's, or nests too deep to look. */
export function checkSure(value: unknown, depth = 0): void {
  if (typeof value === 'string') return checkSureText(value)
  if (typeof value === 'number') {
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0)) return
    throw new Unsure()
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > DEEPEST) throw new Unsure()
  for (const each of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)) {
    checkSure(each, depth + 1)
  }
}

/** The same for a text: one that begins with the mark may be an integer. */
export function checkSureText(text: string): void {
  if (text.charCodeAt(0) === MARK_UNIT) throw new Unsure()
}

const DEEPEST = 500
