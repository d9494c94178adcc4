// Counters made of a tokenizer: text by the tokenizer, images and files by a table, since their base64 is no text to a model.

import { asCall, invalid } from '../errors/index.js'
import {
  KEPT_KEYS,
  keptKeys,
  mediaIn,
  type CountTokens,
  type JsonObject,
  type JsonValue,
  type Node,
} from '../core/index.js'
import { checkOverhead, contentOnly, mediaTokens, OVERHEADS, type Overhead } from './overheads.js'

/** A counter that can also be asked about a text alone. */
export interface TextCounter extends CountTokens {
  (text: string, node?: Node): number
}

export type CounterOptions = Readonly<{
  /** Gives the number of tokens of a text: any tokenizer, or another counter. */
  count: (text: string) => number
  /** The additions to the text; by default nothing for a message, and media as OpenAI counts them. */
  overhead?: Overhead | undefined
}>

/** Makes a counter of any tokenizer: images and files are counted by the table, not as text. */
export function createCounter(options: CounterOptions): TextCounter {
  return asCall(createCounter, () => {
    const { count, overhead } = (options ?? {}) as Partial<CounterOptions>
    if (typeof count !== 'function') {
      const message = 'The option count is a function that gives the number of tokens of a text.'
      throw invalid('count', message)
    }
    return counterOf(count, overhead === undefined ? contentOnly(OVERHEADS.openai) : checkOverhead(overhead))
  })
}

/** The properties of a counter besides counting. */
type Traits = Pick<CountTokens, 'revision' | 'isQuick'>

/** Makes a counter of checked options. */
export function counterOf(count: ((text: string) => number) & Traits, overhead: Overhead): TextCounter {
  const counter: TextCounter = (text, node) => {
    if (node === undefined) return text === '' ? 0 : count(text)
    // A caller may pass a content alone.
    const { attributes = {} } = node as Partial<typeof node>
    const kept = keptKeys((name) => attributes[name])
    const said = typeof node.content === 'string' && kept.length === 0 ? text : withoutEscapes(text)
    return (said === '' ? 0 : count(said)) + aroundText(node, kept, overhead)
  }
  return Object.freeze(
    Object.defineProperties(counter, {
      revision: { get: () => count.revision },
      isQuick: { value: count.isQuick === true },
    }),
  )
}

/** Canonical JSON writes letters beyond ASCII as `\u00e9`; a model gets them as they are. */
function withoutEscapes(json: string): string {
  if (!json.includes('\\u')) return json
  return json.replace(/\\(?:u([0-9a-f]{4})|[^u])/g, (escape: string, hex: string | undefined) => {
    const unit = hex === undefined ? 0 : Number.parseInt(hex, 16)
    return unit < 0x80 ? escape : String.fromCharCode(unit)
  })
}

/** The tokens of a node besides its text: of the message around it, and of media. */
function aroundText({ content, role, attributes }: Node, kept: readonly JsonObject[], overhead: Overhead): number {
  // The parts of a message have its role, and count as messages; a node around them that has only keys does not.
  let tokens = role === undefined || content === undefined ? 0 : overhead.message
  if (overhead.name > 0 && hasName(attributes[KEPT_KEYS.message])) tokens += overhead.name
  for (const value of content === undefined ? kept : [content, ...kept]) {
    for (const media of mediaIn(value)) tokens += mediaTokens(media, overhead)
  }
  return tokens
}

function hasName(message: JsonValue | undefined): boolean {
  return typeof message === 'object' && message !== null && Object.hasOwn(message, 'name')
}
