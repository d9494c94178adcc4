// Content as one line for people. The content may come from anywhere, so nothing in the line can steer a terminal or hide: escapes, bidi
// controls, other invisible characters and lone surrogates are spelled out. Only a beginning is read, so a line costs the same for any
// length.

/** The number of characters to read of a text; no terminal line shows more. */
const LOOK_AT = 1_200

// A joiner between two pictographs is part of an emoji; anywhere else it is as invisible as the rest.
const UNSAFE =
  /(?<emoji>(?<=\p{Extended_Pictographic}(?:\u{fe0f}|\p{Emoji_Modifier})?)\u{200d}(?=\p{Extended_Pictographic}))|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** One character for a reader: a flag, or a character with its marks and everything joined to it. */
const CLUSTER = /(?:\p{Regional_Indicator}{2}|[^])(?:[\p{M}\p{Emoji_Modifier}\u{200d}]|(?<=\u{200d})[^])*/gu

/**
 * Any value as one line: text as it is, everything else as JSON. Line breaks become `↵`, runs of blanks become one blank, and
 * control characters are spelled out. `most` cuts the line to that many characters, with `…` at the end.
 */
export function oneLine(value: unknown, most: number = Infinity): string {
  const text = typeof value === 'string' ? value : jsonStart(value, LOOK_AT + 1)
  const isLong = text.length > LOOK_AT
  const start = (isLong ? text.slice(0, isInsidePair(text) ? LOOK_AT - 1 : LOOK_AT) : text).trim()
  const joined = start.replace(/[ \t]*(?:\r?\n[ \t]*)+/g, ' ↵ ').replace(/[ \t]+/g, ' ')
  const safe = joined.replace(UNSAFE, (char, emoji: string | undefined) => (emoji === undefined ? spell(char) : char))
  return cut(isLong ? `${safe}…` : safe, most)
}

function isInsidePair(text: string): boolean {
  return text.codePointAt(LOOK_AT - 1)! > 0xffff
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const clusters = text.match(CLUSTER) ?? []
  return clusters.length <= most
    ? text
    : `${clusters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}

function spell(char: string): string {
  const code = char.codePointAt(0)!
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
}

/** The beginning of a value as JSON, exact in its integers; empty for values that JSON does not have. */
function jsonStart(value: unknown, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room))
  if (typeof value === 'bigint') return `${value}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? ''
  const isList = Array.isArray(value)
  let text = isList ? '[' : '{'
  for (const name of isList ? value.keys() : Object.keys(value)) {
    if (text.length > room) return text
    const item = (value as Readonly<Record<string | number, unknown>>)[name]
    if (item === undefined) continue
    if (text.length > 1) text += ','
    if (typeof name === 'string') text += `${JSON.stringify(name.slice(0, room))}:`
    text += jsonStart(item, room - text.length)
  }
  return text + (isList ? ']' : '}')
}
