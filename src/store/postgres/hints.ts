// Who writes tells whoever watches, by NOTIFY; who watches listens, and looks now and then all the same. So nothing depends on it: a hint
// that is lost, or that the database does not know, is a look that comes later.

import { createHash } from 'node:crypto'

import { paused } from '../pause.js'
import type { Connections } from './connections.js'
import { openListener, type Listener } from './driver.js'
import { isLost } from './faults.js'
import { HINTS } from './statements.js'

/** So often a writer tells at most, in milliseconds: each time is a transaction of its own. */
const TELL = 50
/** So often somebody who is told looks by himself, in milliseconds. */
const LOOK = 1000

export class Hints {
  readonly #url: string
  readonly #db: Connections
  readonly #channel: string
  /** Goes up with every reason to look. */
  #version = 0
  readonly #waiting = new Set<() => void>()
  #listener: Listener | undefined
  #isHeard = false
  #listenAgainAt = 0
  /** Told no more where the database refused it. */
  #isMute = false
  #telling: Promise<void> | undefined
  #isDue = false
  readonly #ending = new AbortController()

  constructor(url: string, db: Connections, tenant: Uint8Array) {
    this.#url = url
    this.#db = db
    // Nobody learns a tenant's name from it.
    this.#channel = `pact_${createHash('sha256').update(tenant).digest('hex').slice(0, 32)}`
  }

  /** Something has changed. */
  tell(): void {
    this.#wake()
    if (this.#isMute) return
    this.#isDue = true
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined
    })
  }

  async #tellAll(): Promise<void> {
    while (this.#isDue && !this.#isMute) {
      this.#isDue = false
      const wrong = await this.#db.aside(HINTS.tell, this.#channel, '')
      // What was refused once is refused always; who is away may be back.
      this.#isMute = wrong !== undefined && !isLost(wrong)
      await paused(TELL, this.#ending.signal)
    }
  }

  /** Waits until there is a reason to look that was not there before; see `Rows`. */
  async changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string> {
    void this.#listen()
    if (since === String(this.#version)) {
      // Whoever cannot hear looks as often as he is told to.
      const woken = new AbortController()
      const wake = (): void => woken.abort()
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
      await paused(this.#isHeard ? Math.max(every, LOOK) : every, signal.aborted ? signal : woken.signal)
      signal.removeEventListener('abort', wake)
      this.#waiting.delete(wake)
      // Time alone is a reason as well.
      if (since === String(this.#version)) this.#version++
    }
    return String(this.#version)
  }

  #wake(): void {
    this.#version++
    for (const wake of this.#waiting) wake()
  }

  async #listen(): Promise<void> {
    if (this.#listener !== undefined || performance.now() < this.#listenAgainAt || this.#ending.signal.aborted) return
    this.#listenAgainAt = performance.now() + LOOK
    const listener = openListener({ connectionString: this.#url, keepAlive: true, application_name: 'pact-context' })
    this.#listener = listener
    const lost = (): void => {
      if (this.#listener === listener) this.#listener = undefined
      this.#isHeard = false
    }
    listener.on('error', lost)
    listener.on('end', lost)
    listener.on('notification', () => this.#wake())
    try {
      await listener.connect()
      listener.unref()
      await listener.query({ text: HINTS.hear(this.#channel) })
      this.#isHeard = this.#listener === listener
      // What was told before is not told again.
      this.#wake()
    } catch (error) {
      // Where it is refused it stays refused; the connection ends, and nobody asks again.
      if (!isLost(error)) this.#listenAgainAt = Infinity
      await listener.end().catch(ignore)
      lost()
    }
  }

  /** Tells what is still to be told, and ends. */
  async close(): Promise<void> {
    this.#ending.abort()
    await this.#telling
    await this.#listener?.end().catch(ignore)
  }
}

function ignore(): void {}
