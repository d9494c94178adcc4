// The simple cache model, by which the goals of the benchmark are judged: of each request, the messages that begin the request before as well are
// read from the cache, if they have 1,024 tokens or more. Everything else is written. No time passes, and marks are where they are needed.

import { commonRun, type CostMessage } from './messages.js'
import type { Split } from './rules.js'

/** A model of a provider's prompt cache. */
export interface CacheModel {
  /**
   * Bills a request, and remembers it for the next ones. `at` is in milliseconds; without it no time passes. `kept` is for a list that was given
   * before and changed since: the messages at its beginning that are as they were.
   */
  request(messages: readonly CostMessage[], at?: number, kept?: number): Split
}

export class WholeMessages implements CacheModel {
  readonly #least: number
  #before: readonly CostMessage[] = []
  /** The tokens of the first n messages of the request before. */
  readonly #sums: number[] = [0]

  constructor(least: number = 1024) {
    this.#least = least
  }

  request(messages: readonly CostMessage[], _at?: number, kept?: number): Split {
    const sums = this.#sums
    const same = commonRun(this.#before, sums.length - 1, messages, kept)
    sums.length = same + 1
    for (let i = same; i < messages.length; i++) sums.push(sums[i]! + messages[i]!.tokens)
    this.#before = messages
    const read = sums[same]! >= this.#least ? sums[same]! : 0
    return { read, write: sums.at(-1)! - read, plain: 0 }
  }
}
