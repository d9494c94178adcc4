// Rewrites the tokens of older drafts by the recipe of 001 ("Migration Recipe", D18): `cont[offset=N]` becomes the N of a coordinate, `seg`
// is dropped (a depth implies it), `*:block` becomes `.block`, `*@+` and `*@-` become offset filters, a leading `??` before a filter is
// dropped. It works on text only: unknown text is copied, and the caller parses the result.

import type { Span } from '../ast.js'
import { positionSentence } from '../parse/complaints.js'
import {
  bracketEnd,
  hopsToChain,
  isPositionForm,
  positionToChain,
  quoteEnd,
  splitHops,
  withinToChain,
} from './legacy-hops.js'
import { isWithin, legacyTokenAt, WITHIN } from './legacy-token.js'
import { isSpace, type Reader } from '../parse/reader.js'

/** One legacy token; `fix` where it can be replaced by itself. */
export type LegacyUse = Readonly<{ span: Span; fix: string | undefined; sentence?: string }>

export type Rewrite = Readonly<{
  /** The text without legacy tokens; undefined where the recipe has no answer. */
  text: string | undefined
  uses: readonly LegacyUse[]
}>

/** Rewrites every legacy token of a text, from the place of the reader on. */
export function rewriteLegacy(reader: Reader): Rewrite {
  const scan = { reader, timeEnd: timeEndOf(reader) }
  const parts: RewrittenPart[] = []
  for (let at = reader.pos; reader.charAt(at) !== ''; at = parts.at(-1)!.end) parts.push(partAt(scan, at))
  const texts = parts.map(({ text }) => text)
  return { text: texts.includes(undefined) ? undefined : texts.join(''), uses: parts.flatMap(({ uses }) => uses) }
}

/** `timeEnd` is the end of a time prefix at the start of the text; -1 without one. */
type Scan = Readonly<{ reader: Reader; timeEnd: number }>

/** A part of the text up to `end`, rewritten. */
type RewrittenPart = Rewrite & Readonly<{ end: number }>

function timeEndOf(reader: Reader): number {
  let end = reader.spaceEnd(0)
  if (reader.charAt(end) !== '@') return -1
  while (reader.charAt(end) !== '' && !isSpace(reader.charAt(end))) end++
  return end
}

function partAt(scan: Scan, at: number): RewrittenPart {
  const { reader } = scan
  const char = reader.charAt(at)
  if (char === "'" || char === '"') return copied(reader, at, quoteEnd(reader, at))
  if (char === '[' || char === '{') return copied(reader, at, bracketEnd(reader, at))
  if (char === '(') return parensAt(scan, at)
  if (char === '?') return fallbackAt(scan, at)
  if ('.#+^:@'.includes(char)) return copied(reader, at, behindName(reader, at + 1))
  return tokenAt(reader, at)
}

/** A list of hops becomes a chain; any other parenthesis is copied, and its inside is looked at like the rest. */
function parensAt(scan: Scan, start: number): RewrittenPart {
  const { reader } = scan
  const list = splitHops(reader, start)
  if (list === undefined) return copied(reader, start, start + 1)
  const { hops, end } = list
  const texts = hops.map(({ text }) => text)
  const legacy = hops.filter(({ isLegacy }) => isLegacy)
  if (legacy.length > 0) {
    return { end, text: hopsToChain(texts), uses: legacy.map(({ span }) => ({ span, fix: undefined })) }
  }
  if (!isPositionForm(texts)) return copied(reader, start, start + 1)
  // A scope and its chain can only start a group.
  const fix = isLeading(scan, start) ? positionToChain(texts) : undefined
  const sentence = positionSentence(reader.slice(start, end))
  return { end, text: fix, uses: [{ span: { start, end }, fix, sentence }] }
}

/** `?? { … }` with nothing on its left was a search; the filter alone is one today. */
function fallbackAt(scan: Scan, start: number): RewrittenPart {
  const { reader } = scan
  if (reader.charAt(start + 1) !== '?') return copied(reader, start, start + 1)
  const end = reader.spaceEnd(start + 2)
  const isSearch = reader.charAt(end) === '{' && isLeading(scan, start)
  return isSearch ? replaced(start, start + 2, '', end) : copied(reader, start, start + 2)
}

/** True if a place is the start of a group. */
function isLeading({ reader, timeEnd }: Scan, place: number): boolean {
  let at = place
  while (at > 0 && isSpace(reader.charAt(at - 1))) at--
  const before = reader.charAt(at - 1)
  return at === 0 || at === timeEnd || before === '(' || before === ','
}

function tokenAt(reader: Reader, start: number): RewrittenPart {
  if (isWithin(reader, start)) return withinAt(reader, start)
  const token = legacyTokenAt(reader, start)
  if (token !== undefined) return replaced(start, token.end, token.fix)
  return copied(reader, start, Math.max(reader.nameEnd(start), start + 1))
}

/** `within(d1, .block)` was a scope with a step to search in it. */
function withinAt(reader: Reader, start: number): RewrittenPart {
  const open = start + WITHIN.length - 1
  const list = splitHops(reader, open)
  const fix = list && withinToChain(list.hops.map(({ text }) => text))
  const end = list?.end ?? open
  return replaced(start, fix === undefined ? open : end, fix, end)
}

function replaced(start: number, tokenEnd: number, fix: string | undefined, end: number = tokenEnd): RewrittenPart {
  return { end, text: fix, uses: [{ span: { start, end: tokenEnd }, fix }] }
}

function copied(reader: Reader, start: number, end: number): RewrittenPart {
  return { end, text: reader.slice(start, end), uses: [] }
}

/** The end of a name with colons, and of the parentheses of a predicate or a grouped filter behind it. */
function behindName(reader: Reader, from: number): number {
  const end = reader.namesEnd(from)
  return reader.charAt(end) === '(' && end > from ? bracketEnd(reader, end) : end
}
