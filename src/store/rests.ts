// SQLite and memory answer at once, so one who commits in a loop would keep everything else from its turn: sockets, timers, and what a
// store packs on another thread. So now and then a commit waits for one turn of the event loop, which takes microseconds.

import { turnOfTheLoop } from './pause.js'

/** Every so many commits of a store. */
const EVERY = 32

export class Rests {
  #commits = 0

  /** After each commit, whatever became of it: what to wait for, if it is time. */
  next(): Promise<void> | undefined {
    return ++this.#commits % EVERY === 0 ? turnOfTheLoop() : undefined
  }
}
