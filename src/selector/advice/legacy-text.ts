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
  type Hop,
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
  const rewriter = new Rewriter(reader)
  rewriter.run()
  return { text: rewriter.isLost ? undefined : rewriter.out, uses: rewriter.uses }
}

class Rewriter {
  readonly #reader: Reader
  /** The end of a time prefix at the start; -1 without one. */
  readonly #timeEnd: number
  readonly uses: LegacyUse[] = []
  out = ''
  /** A token was met that the recipe cannot rewrite. */
  isLost = false

  constructor(reader: Reader) {
    this.#reader = reader
    let end = reader.spaceEnd(0)
    if (reader.charAt(end) !== '@') end = -1
    else while (reader.charAt(end) !== '' && !isSpace(reader.charAt(end))) end++
    this.#timeEnd = end
  }

  run(): void {
    const reader = this.#reader
    for (let char = reader.peek(); char !== ''; char = reader.peek()) {
      if (char === "'" || char === '"') this.#copyTo(quoteEnd(reader, reader.pos))
      else if (char === '[' || char === '{') this.#copyTo(bracketEnd(reader, reader.pos))
      else if (char === '(') this.#parens()
      else if (char === '?') this.#fallback()
      else if ('.#+^:@'.includes(char)) this.#copyTo(this.#behindName(reader.pos + 1))
      else this.#token()
    }
  }

  /** A list of hops becomes a chain; any other parenthesis is copied, and its inside is looked at like the rest. */
  #parens(): void {
    const start = this.#reader.pos
    const hops = splitHops(this.#reader, start)
    if (hops === undefined) return this.#copyTo(start + 1)
    if (!hops.some((hop) => hop.isLegacy)) return isPositionForm(hops) ? this.#position(hops) : this.#copyTo(start + 1)
    const chain = hopsToChain(hops.map((hop) => hop.text))
    if (chain === undefined) this.isLost = true
    for (const hop of hops) if (hop.isLegacy) this.uses.push({ span: hop.span, fix: undefined })
    this.out += chain ?? ''
    this.#reader.pos = hops.at(-1)!.listEnd
  }

  /** A scope and its chain can only start a group. */
  #position(hops: readonly Hop[]): void {
    const start = this.#reader.pos
    const end = hops[0]!.listEnd
    const fix = this.#isLeading(start) ? positionToChain(hops.map((hop) => hop.text)) : undefined
    if (fix === undefined) this.isLost = true
    this.uses.push({ span: { start, end }, fix, sentence: positionSentence(this.#reader.slice(start, end)) })
    this.out += fix ?? ''
    this.#reader.pos = end
  }

  /** `?? { … }` with nothing on its left was a search; the filter alone is one today. */
  #fallback(): void {
    const reader = this.#reader
    const start = reader.pos
    if (reader.peek(1) !== '?') return this.#copyTo(start + 1)
    const end = reader.spaceEnd(start + 2)
    if (reader.charAt(end) === '{' && this.#isLeading(start)) this.#replace(end, '', start + 2)
    else this.#copyTo(start + 2)
  }

  /** True if a place is the start of a group. */
  #isLeading(place: number): boolean {
    let at = place
    while (at > 0 && isSpace(this.#reader.charAt(at - 1))) at--
    const before = this.#reader.charAt(at - 1)
    return at === 0 || at === this.#timeEnd || before === '(' || before === ','
  }

  #token(): void {
    const reader = this.#reader
    const start = reader.pos
    if (isWithin(reader, start)) return this.#within(start + WITHIN.length - 1)
    const token = legacyTokenAt(reader, start)
    if (token === undefined) this.#copyTo(Math.max(reader.nameEnd(start), start + 1))
    else if (token.fix === undefined) this.#lose(token.end)
    else this.#replace(token.end, token.fix)
  }

  /** `within(d1, .block)` was a scope with a step to search in it. */
  #within(open: number): void {
    const hops = splitHops(this.#reader, open)
    const fix = hops && withinToChain(hops)
    const end = hops === undefined ? open : hops[0]!.listEnd
    if (fix === undefined) this.#lose(open, end)
    else this.#replace(end, fix)
  }

  #replace(end: number, fix: string, tokenEnd = end): void {
    this.uses.push({ span: { start: this.#reader.pos, end: tokenEnd }, fix })
    this.out += fix
    this.#reader.pos = end
  }

  #lose(tokenEnd: number, end = tokenEnd): void {
    this.uses.push({ span: { start: this.#reader.pos, end: tokenEnd }, fix: undefined })
    this.isLost = true
    this.#reader.pos = end
  }

  #copyTo(end: number): void {
    this.out += this.#reader.slice(this.#reader.pos, end)
    this.#reader.pos = end
  }

  /** Behind a name with colons, and behind the parentheses of a predicate or a grouped filter. */
  #behindName(from: number): number {
    const reader = this.#reader
    let end = reader.nameEnd(from)
    while (reader.charAt(end) === ':') end = reader.nameEnd(end + 1)
    return reader.charAt(end) === '(' && end > from ? bracketEnd(reader, end) : end
  }
}
