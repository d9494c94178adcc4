// @ts-check
// Lines for a terminal: cut by the columns they take, not by their length. What came from a recording has passed through
// the library's `oneLine` before, which spells out escapes, bidi controls and other invisible characters.

/**
 * @typedef {'plain' | 'bold' | 'dim' | 'title' | 'good' | 'bad' | 'time' | 'place' | 'code'} Style
 * @typedef {readonly [style: Style, text: string]} Span One piece of a line.
 * @typedef {readonly Span[]} Line
 */

// The sixteen basic colours only: a terminal's own theme keeps them readable on light and on dark.
/** @type {Readonly<Record<Style, string>>} */
const SGR = {
  plain: '',
  bold: '1',
  dim: '2',
  title: '1;36',
  good: '32',
  bad: '31',
  time: '33',
  place: '36',
  code: '35',
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Makes JSON text safe to print; what it stands for stays the same.
 * @param {string} json
 */
export function escapeJson(json) {
  // Outside strings JSON has no such characters but its own line breaks, so every other one may become \uXXXX.
  return json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => {
    if (char === '\n') return char
    return Array.from({ length: char.length }, (_, at) => `\\u${hex(char.charCodeAt(at), 4)}`).join('')
  })
}

/**
 * Counts the columns that a text takes.
 * @param {string} text
 */
export function columns(text) {
  let sum = 0
  for (const { segment } of graphemes.segment(text)) sum += graphemeColumns(segment)
  return sum
}

/**
 * Cuts a text to a number of columns, with … for what is gone.
 * @param {string} text
 * @param {number} width
 */
export function clip(text, width) {
  if (width <= 0) return ''
  let used = 0
  let fits = ''
  let whole = ''
  for (const { segment } of graphemes.segment(text)) {
    used += graphemeColumns(segment)
    if (used > width) return `${fits.trimEnd()}…`
    whole += segment
    if (used < width) fits = whole
  }
  return whole
}

/**
 * @param {string} text
 * @param {number} width
 */
export function padEnd(text, width) {
  return text + ' '.repeat(Math.max(0, width - columns(text)))
}

/**
 * Breaks prose at blanks.
 * @param {string} text
 * @param {number} width
 */
export function wrap(text, width) {
  /** @type {string[]} */
  const lines = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && columns(line) + 1 + columns(word) > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/**
 * Cuts a line to the terminal and, where colours are wanted, paints it.
 * @param {Line} line
 * @param {{ width: number, color: boolean }} terminal
 */
export function paint(line, { width, color }) {
  let left = width
  let out = ''
  for (const [style, text] of line) {
    const part = clip(text, left)
    left -= columns(part)
    out += color && SGR[style] !== '' && part.trim() !== '' ? `\u001b[${SGR[style]}m${part}\u001b[0m` : part
    if (part !== text) break
  }
  return color ? out : out.trimEnd()
}

/**
 * @param {number} code
 * @param {number} digits
 */
function hex(code, digits) {
  return code.toString(16).padStart(digits, '0')
}

/** @param {string} grapheme */
function graphemeColumns(grapheme) {
  const code = grapheme.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (isWide(code) || /\p{Emoji_Presentation}|\u{fe0f}/u.test(grapheme)) return 2
  return 1
}

/**
 * East Asian Wide and Fullwidth, by block: enough for a preview, with no table to keep up.
 * @param {number} code
 */
function isWide(code) {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x20000 && code <= 0x3fffd)
  )
}
