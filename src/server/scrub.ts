// Errors as others may see them: what a request said in contents, in `match`, inside a selector's quotes, or in a place where it does not
// belong is not repeated, in bodies as in logs, since both are kept by people who did not ask.

import type { PactError } from '../errors/index.js'

type ErrorBody = Readonly<{ error: Readonly<{ code: string; message: string; details: Record<string, unknown> }> }>

/** Shorter texts are everywhere, and tell nothing; those that nobody calls secret may also be words of our own sentences. */
const SHORTEST = 4
const SHORTEST_OTHER = 8
/** How much of a request is looked through. */
const MOST = 2000

/** The body of an error, without what the request said. */
export function errorBody({ code, message, details }: PactError, asked: unknown): ErrorBody {
  const secrets = secretsIn(asked)
  // A selector at fault is shown below the sentence, and as a whole: whoever sent it has it, and `pos` says where to look.
  const { selector: _, ...rest } = details
  const sentence = details['selector'] === undefined ? message : message.split('\n', 1)[0]!
  return {
    error: { code, message: scrub(sentence, secrets), details: scrubbed(rest, secrets) as Record<string, unknown> },
  }
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

/** Where requests say what is nobody else's business. */
const SECRET: ReadonlySet<string> = new Set(['content', 'match', 'with', 'body', 'params', 'request', 'provenance'])
const SELECTORS: ReadonlySet<string> = new Set(['selector', 'q'])

/** What says where and how, and is repeated, so that a sentence tells what to look for. Whatever stands under another name may be anything. */
export const REPEATED: ReadonlySet<string> = new Set([
  ...SELECTORS,
  // Which one,
  ...'id node parent find open closed key cursor'.split(' '),
  // where,
  ...'lens at from a b position region zone op'.split(' '),
  // and in which way.
  ...'for format dialect by provider model status role kind type nodeType'.split(' '),
])

/** What stands inside quotes, or behind a comparison; and whatever is too long for a name and has digits, as passwords have. */
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

/** So many characters in a row, and it is taken from there. */
const RUN = 8
/** No sentence quotes more of a text. */
const QUOTED = 600

/** Takes out whatever a text shares with a secret: it may have been cut, or written with escapes. */
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
