// What contexts and keys may be called: any text that is text, so that every database keeps it as it is.

import { describe, PactError, short } from '../errors/index.js'

/** Longer ones would be cut by the indexes of some databases. */
const LONGEST = 500

/** Gives the name, or says what is wrong with it. */
export function checkName(what: 'id' | 'key' | 'after' | 'tenant', name: unknown): string {
  const refuse = (sentence: string): never => {
    throw new PactError('E_CONTENT_INVALID', sentence, { name: what })
  }
  if (typeof name !== 'string') return refuse(`The ${what} is a string, not ${describe(name)}.`)
  if (name === '') return refuse(`The ${what} must not be empty.`)
  if (Buffer.byteLength(name) > LONGEST) {
    return refuse(`The ${what} ${short(name)} is too long; it may have ${LONGEST} bytes.`)
  }
  if (/\p{Cs}/u.test(name)) return refuse(`The ${what} ${short(name)} has half of a surrogate pair in it.`)
  return name
}
