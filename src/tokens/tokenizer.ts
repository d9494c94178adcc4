// The tokenizers of OpenAI's models, from the optional package gpt-tokenizer. A table of 200,000 tokens takes a good part of
// a second to load, so it is loaded by the first count: at once and without a promise, by the host's own `require`.

import { PactError } from '../errors/index.js'
import { counterOf, type TextCounter } from './counter.js'
import { countPieces } from './long-runs.js'
import { contentOnly, OVERHEADS } from './overheads.js'

type Tokenizer = Readonly<{
  countTokens: (text: string, options: Readonly<{ disallowedSpecial: ReadonlySet<string> }>) => number
}>

/** Counts as GPT-4o and later models do; needs the package gpt-tokenizer. */
export const o200k: TextCounter = encodingOf('o200k', 'o200k_base')

/** Counts as GPT-4 and GPT-3.5 do; needs the package gpt-tokenizer. */
export const cl100k: TextCounter = encodingOf('cl100k', 'cl100k_base')

/** Names such as `<|endoftext|>` are ordinary text in a content. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

function encodingOf(name: string, encoding: string): TextCounter {
  let tokenizer: Tokenizer | undefined
  const count = (text: string): number => {
    const { countTokens } = (tokenizer ??= loadTokenizer(name, encoding, requireOf(globalThis.process)))
    return countPieces(text, (piece) => countTokens(piece, AS_TEXT))
  }
  return counterOf(count, contentOnly(OVERHEADS.openai))
}

type Require = (id: string) => unknown

/** The part of `process` that gives us a `require`. */
type ModuleHost = Readonly<{
  getBuiltinModule?: (id: 'node:module') => { createRequire: (from: string) => Require } | undefined
}>

/** @internal The host's `require`, seen from here; undefined in a browser. */
export function requireOf(host: ModuleHost | undefined): Require | undefined {
  // A bundle of another format has no address of its own.
  const here: unknown = import.meta.url
  return typeof here === 'string' ? host?.getBuiltinModule?.('node:module')?.createRequire(here) : undefined
}

/** @internal Exported so that a test can take the package away. */
export function loadTokenizer(name: string, encoding: string, load: Require | undefined): Tokenizer {
  const details = { name, package: 'gpt-tokenizer' }
  if (load === undefined) {
    const message = `${name} cannot be loaded here; import gpt-tokenizer yourself and give its countTokens to createCounter.`
    throw new PactError('E_BUDGET', message, details)
  }
  try {
    return load(`gpt-tokenizer/encoding/${encoding}`) as Tokenizer
  } catch (cause) {
    const message = `${name} needs the package gpt-tokenizer; install it with: npm install gpt-tokenizer.`
    throw new PactError('E_BUDGET', message, details, { cause })
  }
}
