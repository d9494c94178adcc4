// Rewrites the tokens of older drafts by the recipe of 001 ("Migration Recipe", D18): `cont[offset=N]` becomes the N of a
// coordinate, `seg` goes (a depth implies it), `*:block` becomes `.block`, `*@+` and `*@-` become offset filters, a leading
// `??` before a filter goes. Text only: it copies what it does not know, and the caller reads the result to see whether it
// is a selector.

import type { Span } from './ast.js'
import { hopsToChain, splitHops } from './legacy-hops.js'
import { CLASS_NAMES, HOP_WORDS } from './legacy-token.js'
import { isDigit, isSpace, nameWidth } from './scan.js'

/** One legacy token; `fix` where it can be replaced by itself. */
export type LegacyUse = Readonly<{ span: Span; fix: string | undefined }>

export type Rewrite = Readonly<{
  /** The text without legacy tokens; undefined where the recipe has no answer. */
  text: string | undefined
  uses: readonly LegacyUse[]
}>

/** Rewrites every legacy token of a text. */
export function rewriteLegacy(text: string): Rewrite {
  const rewriter = new Rewriter(text)
  rewriter.run()
  return { text: rewriter.isLost ? undefined : rewriter.out, uses: rewriter.uses }
}

class Rewriter {
  readonly #text: string
  readonly uses: LegacyUse[] = []
  out = ''
  /** A token was met that the recipe cannot rewrite. */
  isLost = false
  #pos = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): void {
    while (this.#pos < this.#text.length) {
      const char = this.#text[this.#pos]!
      if (char === "'" || char === '"') this.#copyTo(quoteEnd(this.#text, this.#pos))
      else if (char === '[' || char === '{') this.#copyTo(bracketEnd(this.#text, this.#pos))
      else if (char === '(') this.#parens()
      else if (char === '*') this.#star()
      else if (char === '?') this.#fallback()
      else if ('.#+^:@'.includes(char)) this.#copyTo(this.#behindName(this.#pos + 1))
      else if (nameWidth(this.#text, this.#pos) > 0) this.#word()
      else this.#copyTo(this.#pos + 1)
    }
  }

  /** A list of hops becomes a chain; any other parenthesis is copied, and its inside is looked at like the rest. */
  #parens(): void {
    const start = this.#pos
    const hops = splitHops(this.#text, start)
    if (hops === undefined || !hops.some((hop) => hop.isLegacy)) return this.#copyTo(start + 1)
    const chain = hopsToChain(hops.map((hop) => hop.text))
    if (chain === undefined) this.isLost = true
    for (const hop of hops) if (hop.isLegacy) this.uses.push({ span: hop.span, fix: undefined })
    this.out += chain ?? ''
    this.#pos = hops.at(-1)!.listEnd
  }

  #star(): void {
    const start = this.#pos
    const next = this.#text.slice(start + 1, start + 3)
    if (next === '@+' || next === '@-') {
      return this.#replace(start + 3, next === '@+' ? '*[offset>0]' : '*[offset<0]')
    }
    const end = this.#nameEnd(start + 2)
    const name = this.#text.slice(start + 2, end)
    if (next.startsWith(':') && CLASS_NAMES.includes(name)) this.#replace(end, `.${name}`)
    else this.#copyTo(start + 1)
  }

  /** `?? { … }` with nothing on its left was a search; the filter alone is one today. */
  #fallback(): void {
    const start = this.#pos
    if (!this.#text.startsWith('??', start)) return this.#copyTo(start + 1)
    let end = start + 2
    while (isSpace(this.#text[end] ?? '')) end++
    const isLeading = isAtStart(this.out)
    if (isLeading && this.#text[end] === '{') this.#replace(end, '', start + 2)
    else this.#copyTo(start + 2)
  }

  #word(): void {
    const start = this.#pos
    const end = this.#nameEnd(start)
    const word = this.#text.slice(start, end)
    const next = this.#text[end] ?? ''
    if (word === 'c' && next === '@') this.#offsetWord(end + 1)
    else if (word === 'within' && next === '(') this.#lose(end)
    else if (HOP_WORDS.includes(word) && next !== ':') this.#replace(end, `.${word}`)
    else this.#copyTo(end)
  }

  /** `c@0` was the container at an offset. */
  #offsetWord(from: number): void {
    let end = from
    while (isDigit(this.#text[end] ?? '')) end++
    if (end > from) return this.#replace(end, `.cont[offset=${this.#text.slice(from, end)}]`)
    this.#lose(end)
  }

  #replace(end: number, fix: string, tokenEnd = end): void {
    this.uses.push({ span: { start: this.#pos, end: tokenEnd }, fix })
    this.out += fix
    this.#pos = end
  }

  #lose(end: number): void {
    this.uses.push({ span: { start: this.#pos, end }, fix: undefined })
    this.isLost = true
    this.#pos = end
  }

  #copyTo(end: number): void {
    this.out += this.#text.slice(this.#pos, end)
    this.#pos = end
  }

  /** Behind a name with colons, and behind the parentheses of a predicate or a grouped filter. */
  #behindName(from: number): number {
    let end = this.#nameEnd(from)
    while (this.#text[end] === ':') end = this.#nameEnd(end + 1)
    return this.#text[end] === '(' && end > from ? bracketEnd(this.#text, end) : end
  }

  #nameEnd(from: number): number {
    let end = from
    for (let width = nameWidth(this.#text, end); width > 0; width = nameWidth(this.#text, end)) end += width
    return end
  }
}

/** Whether nothing but a time prefix stands before, in this group. */
function isAtStart(before: string): boolean {
  const text = before.trimEnd()
  if (text === '' || text.endsWith('(') || text.endsWith(',')) return true
  return text.startsWith('@') && !isBroken(text)
}

function isBroken(text: string): boolean {
  for (const char of text) if (isSpace(char)) return true
  return false
}

/** Behind the quote that closes the one here; the end of the text where none does. */
function quoteEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at + 1
  }
  return text.length
}

/** Behind the bracket that closes the one here, whatever stands inside in quotes or in brackets. */
function bracketEnd(text: string, start: number): number {
  let open = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]!
    if (char === "'" || char === '"') at = quoteEnd(text, at) - 1
    else if ('[{('.includes(char)) open++
    else if (']})'.includes(char) && --open === 0) return at + 1
  }
  return text.length
}
