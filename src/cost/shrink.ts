// Long texts replaced by short marks, so that a session can be held as JSON without its texts. Equal texts get equal marks, and a mark still counts
// as the tokens of its text.

import { sha256Hex } from '../codec/index.js'
import type { JsonValue } from '../core/index.js'

const LONG = 64
const MARK = /\u007f(\d+)\u007f/g

export class TextMarks {
  readonly #count: (text: string) => number
  readonly #marks = new Map<string, string>()
  readonly #tokens: number[] = []

  constructor(count: (text: string) => number) {
    this.#count = count
  }

  /** A JSON value with a mark in place of every long text. */
  shrink(value: JsonValue): JsonValue {
    if (typeof value === 'string') return value.length > LONG ? this.#mark(value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((each: JsonValue) => this.shrink(each))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.shrink(each)]))
  }

  /** The tokens of a text that may hold marks. */
  count(text: string): number {
    let tokens = 0
    const rest = text.replaceAll(MARK, (_, number: string) => {
      tokens += this.#tokens[Number(number)] ?? 0
      return ''
    })
    return tokens + (rest === '' ? 0 : this.#count(rest))
  }

  #mark(text: string): string {
    const hash = sha256Hex(text)
    let mark = this.#marks.get(hash)
    if (mark === undefined) {
      mark = `\u007f${this.#tokens.push(this.#count(text)) - 1}\u007f`
      this.#marks.set(hash, mark)
    }
    return mark
  }
}
