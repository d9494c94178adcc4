// One way to say that a selector is at fault: the code, one sentence with the token in it, and under the sentence the text
// with a caret line, so that printing the error shows the place (D40).

import { isHidden, visible } from '../core/index.js'
import { PactError, type ErrorCode, type ErrorDetails } from '../errors/index.js'
import { SELECTOR_LIMITS } from './limits.js'

const BEFORE = 48
const AFTER = 40
const MAX_TOKEN = 64

/** Makes the error for the text from `start` to `end`; an empty span at the end means that something is missing. */
export function selectorError(
  code: ErrorCode,
  sentence: string,
  text: string,
  start: number,
  end: number,
  extra: ErrorDetails = {},
): PactError {
  const token = text.slice(start, Math.min(end, start + MAX_TOKEN))
  const selector = text.length > SELECTOR_LIMITS.text ? `${text.slice(0, MAX_TOKEN)}…` : text
  // A suggestion in the sentence may repeat a part of the selector with its line breaks.
  const line = sentence.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ')
  return new PactError(code, `${line}\n${pointAt(text, start, end)}`, { pos: start, token, selector, ...extra })
}

/** A part of a selector the way a sentence can quote it. */
export function quoted(token: string): string {
  const short = token.length > 40 ? `${token.slice(0, 40)}…` : token
  return `"${charsOf(short).map(visible).join('')}"`
}

/** The line around a place, cut where it is long, and the caret line under it. */
function pointAt(text: string, start: number, end: number): string {
  const lineStart = text.slice(0, start).lastIndexOf('\n') + 1
  const tokenEnd = Math.max(start, Math.min(end, start + MAX_TOKEN))
  const lineEnd = text.indexOf('\n', tokenEnd)
  const first = Math.max(lineStart, start - BEFORE)
  const last = Math.min(lineEnd < 0 ? text.length : lineEnd, tokenEnd + AFTER)
  // Neither end parts a surrogate pair.
  const from = isLowSurrogate(text, first) ? first + 1 : first
  const to = isLowSurrogate(text, last) ? last - 1 : last
  const left = from > 0 && text[from - 1] !== '\n' ? '…' : ''
  const right = to < text.length && text[to] !== '\n' ? '…' : ''
  const indent = ' '.repeat(left.length + charsOf(text.slice(from, start)).length)
  const carets = '^'.repeat(Math.max(1, charsOf(text.slice(start, Math.min(end, to))).length))
  return `  ${left}${charsOf(text.slice(from, to)).map(plain).join('')}${right}\n  ${indent}${carets}`
}

/** Whole characters; surrogate pairs stay together. */
function charsOf(text: string): readonly string[] {
  return Array.from(text)
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** Characters that are invisible, or would move the cursor, become a blank. */
function plain(char: string): string {
  return isHidden(char) ? ' ' : char
}
