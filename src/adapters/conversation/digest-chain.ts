// A chain of digests over the messages of a request: the digest behind a message follows from the one before it. Requests share most of their
// messages, so each digest is found once.

import { canonicalJson, sha256Hex } from '../../codec/index.js'
import type { PlainObject } from './plain-json.js'

export class DigestChain {
  readonly #form: (message: PlainObject) => unknown
  readonly #known = new WeakMap<object, Readonly<{ start: string; end: string }>>()

  /** `form` gives a message as it is compared. */
  constructor(form: (message: PlainObject) => unknown) {
    this.#form = form
  }

  /** The digest behind a message. */
  after(start: string, message: PlainObject): string {
    const known = this.#known.get(message)
    if (known?.start === start) return known.end
    const end = this.digest(start, message)
    this.#known.set(message, { start, end })
    return end
  }

  /** The same for a message that no other request has. */
  digest(start: string, message: PlainObject): string {
    return shortDigest(start + canonicalJson(this.#form(message)))
  }

  /** The digest behind all messages of a list. */
  afterAll(start: string, messages: readonly PlainObject[]): string {
    return messages.reduce((end, message) => this.after(end, message), start)
  }
}

export function shortDigest(text: string): string {
  return sha256Hex(text).slice(0, 16)
}
