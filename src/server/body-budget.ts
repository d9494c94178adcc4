// Memory for the bodies of all requests under way, by an estimate of what each takes once it is read.

import { busy } from './gate.js'
import { refused } from './status.js'

/** By measurement: a byte of a body as bytes, text, JSON and stored row; an object, which becomes a node; a list. */
const COST = { byte: 8, object: 2000, list: 64 }

/** The size of a body, as far as it is known. */
export type BodySize = Readonly<{ bytes: number; objects?: number; lists?: number }>

/** The share of one body. */
export type BodyRoom = Readonly<{
  /** Takes memory for the body; 503 if others have it, 413 if there is never enough. */
  take: (size: BodySize) => void
  release: () => void
}>

export class BodyBudget {
  readonly #most: number
  #taken = 0

  constructor(most: number) {
    this.#most = most
  }

  room(): BodyRoom {
    let own = 0
    return {
      take: ({ bytes, objects = 0, lists = 0 }) => {
        const needed = bytes * COST.byte + objects * COST.object + lists * COST.list
        if (needed > this.#most) throw tooMuch(this.#most)
        if (this.#taken - own + needed > this.#most) throw busy()
        this.#taken += needed - own
        own = needed
      },
      release: () => {
        this.#taken -= own
        own = 0
      },
    }
  }
}

function tooMuch(most: number): Error {
  const message = `The body has more objects than this server has memory for (limits.memory is ${most} bytes); send it in parts.`
  return refused(413, 'E_CONTENT_INVALID', message, { name: 'body', limit: most }, { connection: 'close' })
}
