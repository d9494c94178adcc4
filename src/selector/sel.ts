// Selectors with data in them: a value is always read as one text, whatever it contains. The template text before a value decides how the
// value is written.

import { asCall, describe, PactError } from '../errors/index.js'
import { quoteText } from './parse/literal.js'
import { isBareToken } from './parse/token.js'

/** Values that can be put into a selector. */
export type SelectorValue = string | number | bigint | boolean | null | readonly SelectorScalar[]

export type SelectorScalar = string | number | bigint | boolean | null

/** The place of the next value. */
type DataPlace =
  | 'value' //  [key=${…}]  [key in ${…}]
  | 'item' //   [key in ['a', ${…}]]
  | 'key' //    #${…}
  | 'type' //   .${…}
  | 'tag' //    +${…}
  | 'quotes' // '${…}'
  | 'other' //  d${…}  :nth(${…})  @limit=${…}

/** Puts values into a selector, each written so that it can be read as nothing else. */
export function sel(strings: TemplateStringsArray, ...values: readonly SelectorValue[]): string {
  return asCall(sel, () => putIn(strings, values))
}

function putIn(strings: TemplateStringsArray, values: readonly SelectorValue[]): string {
  const texts = (strings as Partial<TemplateStringsArray> | undefined)?.raw === undefined ? undefined : strings
  if (texts === undefined) throw refuse('sel is the tag of a template: sel`.block[key=${key}]`.')
  const scan = new Scan()
  for (const [i, text] of texts.entries()) {
    if ((text as string | undefined) === undefined) throw refuse('The template has an invalid escape.')
    scan.read(text)
    if (i < values.length) scan.add(write(values[i], scan.place()))
  }
  return scan.text
}

/** Follows quotes and brackets through the text of the template; values never open or close any. */
class Scan {
  text = ''
  #quote = ''
  #isEscaped = false
  readonly #open: ('tests' | 'list' | 'group')[] = []

  read(template: string): void {
    for (const char of template) {
      if (this.#quote !== '') this.#readQuoted(char)
      else if (char === "'" || char === '"') this.#quote = char
      else if (char === '[') this.#open.push(isBehindOperator(this.text) ? 'list' : 'tests')
      else if (char === '{') this.#open.push('tests')
      else if (char === '(') this.#open.push('group')
      else if (char === ']' || char === '}' || char === ')') this.#open.pop()
      this.text += char
    }
  }

  /** Adds the written form of a value. */
  add(written: string): void {
    this.text += written
  }

  place(): DataPlace {
    if (this.#quote !== '') return 'quotes'
    const open = this.#open.at(-1)
    if (open !== undefined && isBehindOperator(this.text)) return 'value'
    if (open === 'list' && /[[,]/.test(this.text.trimEnd().slice(-1))) return 'item'
    if (open === 'tests' || open === 'list' || this.text.endsWith('..')) return 'other'
    return SIGNS.get(this.text.at(-1) ?? '') ?? 'other'
  }

  /** A backslash before a quote takes its meaning away, unless another one does the same to the backslash. */
  #readQuoted(char: string): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (char === '\\') this.#isEscaped = true
    else if (char === this.#quote) this.#quote = ''
  }
}

function isBehindOperator(text: string): boolean {
  return /(?:[=~<>]|\sin)$/.test(text.trimEnd().slice(-3))
}

const SIGNS: ReadonlyMap<string, DataPlace> = new Map([
  ['#', 'key'],
  ['.', 'type'],
  ['+', 'tag'],
])

function write(value: unknown, place: DataPlace): string {
  switch (place) {
    case 'value':
      return Array.isArray(value) ? writeList(value) : writeScalar(value)
    case 'item':
      return writeScalar(value)
    case 'key':
      return quoteText(checkText(value, 'A key or id'))
    case 'type':
      return bareToken(checkText(value, 'A type'), 'type', '[nodeType=${…}]')
    case 'tag':
      return bareToken(checkText(value, 'A tag'), 'tag', '[tag=${…}]')
    case 'quotes':
      throw refuse('Leave out the quotes around a value, since sel writes its own: [key=${key}].')
    case 'other':
      if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value)
      throw refuse(`Only whole numbers are allowed there, not ${describe(value)}; texts go behind =, #, . and +.`)
  }
}

function writeList(values: readonly unknown[]): string {
  if (values.length === 0)
    throw refuse('An empty list cannot be written, and nothing is in one; ask for nothing instead.')
  return `[${Array.from(values, writeScalar).join(', ')}]`
}

function writeScalar(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoteText(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'number':
      return writeNumber(value)
    default:
      if (value === null) return 'null'
      throw refuse(`A value is a text, a number, true, false, null or a list of these, not ${describe(value)}.`)
  }
}

/** In digits: the language has no exponents. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw refuse(`${String(value)} is no number that a node can have.`)
  if (Number.isInteger(value)) return String(BigInt(value))
  const [, sign, whole, fraction = '', exponent] = /^(-?)(\d+)\.?(\d*)(?:e-(\d+))?$/.exec(String(value))!
  if (exponent === undefined) return String(value)
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`
}

function bareToken(text: string, kind: 'type' | 'tag', instead: string): string {
  if (isBareToken(text, kind)) return text
  throw refuse(`${describe(text)} cannot be a bare ${kind}; write ${instead}.`)
}

function checkText(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw refuse(`${what} is a text, not ${describe(value)}.`)
}

function refuse(sentence: string): PactError {
  return new PactError('E_SELECTOR_INVALID', sentence)
}
