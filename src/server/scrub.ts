// Errors without secrets. Texts of a request from contents, from `match`, from a selector's quotes or from unknown fields are removed, since
// other people keep the logs and the answers.

import type { PactError } from '../errors/index.js'

type ErrorBody = Readonly<{ error: Readonly<{ code: string; message: string; details: Record<string, unknown> }> }>

/** Shorter texts occur everywhere and reveal nothing. Texts in other fields may also be words of our own sentences. */
const SHORTEST = 4
const SHORTEST_OTHER = 8
/** The number of values of a request that are searched. */
const MOST = 2000

/** The body of an error, without secrets of the request and without the folder of the store. */
export function errorBody({ code, message: whole, details }: PactError, asked: unknown, storeName = ''): ErrorBody {
  const message = storeName === '' ? whole : whole.replaceAll(storeName, shortName(storeName))
  const secrets = secretsIn(asked)
  // The selector below the sentence is left out: the sender has it, and `pos` gives the place.
  const { selector: _, ...rest } = details
  const sentence = details['selector'] === undefined ? message : message.split('\n', 1)[0]!
  return {
    error: { code, message: scrub(sentence, secrets), details: scrubbed(rest, secrets) as Record<string, unknown> },
  }
}

/** The scheme and the last part of an address: `sqlite:work.db` for `sqlite:/home/jane/work.db`. */
function shortName(storeName: string): string {
  const [, scheme = '', path = storeName] = /^([a-z]+:)(.*)$/s.exec(storeName) ?? []
  return `${scheme}${path.split(/[/\\]/).at(-1)}`
}

/** All texts in a request that may be secret. */
function secretsIn(asked: unknown): readonly string[] {
  const found = new Set<string>()
  let left = MOST
  const add = (text: string, shortest: number): void => {
    if (text.length >= shortest) found.add(text)
  }
  const addAll = (value: unknown, shortest: number): void => {
    if (left-- <= 0) return
    if (typeof value === 'string') add(value, shortest)
    else if (Array.isArray(value)) for (const each of value) addAll(each, shortest)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        if (SELECTORS.has(name)) for (const text of literalsOf(each)) add(text, SHORTEST)
        const isSecret = shortest === SHORTEST || SECRET.has(name)
        addAll(each, isSecret ? SHORTEST : REPEATED.has(name) ? Infinity : shortest)
      }
    }
  }
  addAll(asked, SHORTEST_OTHER)
  return [...found].sort((a, b) => b.length - a.length)
}

/** Fields whose texts are secret. */
const SECRET: ReadonlySet<string> = new Set(['content', 'match', 'with', 'body', 'params', 'request', 'provenance'])
const SELECTORS: ReadonlySet<string> = new Set(['selector', 'q'])

/** Fields that an error may repeat, so that its sentence is useful. Texts of all other fields may be secrets. */
export const REPEATED: ReadonlySet<string> = new Set([
  ...SELECTORS,
  // names,
  ...'id node parent find open closed key cursor'.split(' '),
  // places,
  ...'lens at from a b position region zone op'.split(' '),
  // choices.
  ...'for format dialect by provider model status role kind type nodeType'.split(' '),
])

/** Texts in quotes and after comparisons, and long words with digits, which may be passwords. */
function literalsOf(selector: unknown): readonly string[] {
  if (typeof selector !== 'string' || selector.length > 10_000) return []
  const quoted = Array.from(selector.matchAll(/(['"])([^'"]*)/g), ([, , text]) => text!)
  const bare = Array.from(selector.matchAll(/=([^\]\s'"]+)/g), ([, text]) => text!)
  const odd = (selector.match(/[\w-]{16,}/g) ?? []).filter((text) => /\d/.test(text))
  return [...quoted, ...bare, ...odd]
}

function scrubbed(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return scrub(value, secrets)
  if (Array.isArray(value)) return value.map((each) => scrubbed(each, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, scrubbed(each, secrets)]))
}

/** This many characters in a row count as a copy of a secret. */
const RUN = 8
/** No sentence quotes more of a text. */
const QUOTED = 600

/** Removes every part that a text shares with a secret, also a cut or escaped one. */
function scrub(text: string, secrets: readonly string[]): string {
  const short = secrets.filter((secret) => secret.length < RUN)
  const runs = new Set<string>()
  for (const secret of secrets) {
    for (const form of [secret.slice(0, QUOTED), JSON.stringify(secret.slice(0, QUOTED)).slice(1, -1)]) {
      for (let at = 0; at + RUN <= form.length; at++) runs.add(form.slice(at, at + RUN))
    }
  }
  let clean = ''
  for (let at = 0; at < text.length;) {
    let end = at
    while (runs.has(text.slice(end, end + RUN))) end++
    if (end > at) end += RUN - 1
    else end += short.find((secret) => text.startsWith(secret, at))?.length ?? 0
    clean += end > at ? '…' : text[at]!
    at = Math.max(end, at + 1)
  }
  return clean
}
