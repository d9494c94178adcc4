// Wakes watchers by NOTIFY. Watchers also poll at a low rate, so a lost or unsupported notification only delays them.

import { createHash } from 'node:crypto'

import { sleep } from '../event-loop.js'
import type { Connections } from './connections.js'
import { openListener, type Listener } from './driver.js'
import { isLost } from './faults.js'
import { OPTIONAL_STATEMENTS } from './statements.js'

/** Milliseconds between two notifications of a writer: each is a transaction of its own. */
const NOTIFY_EVERY = 50
/** Polling interval while notifications work, in milliseconds. */
const POLL_EVERY = 1000

export class Notifications {
  readonly #url: string
  readonly #db: Connections
  readonly #channel: string
  /** Increases with every reason to poll. */
  #version = 0
  readonly #waiting = new Set<() => void>()
  #listener: Listener | undefined
  /** Resolves when a connecting listener listens, or has failed. */
  #connecting: Promise<void> = Promise.resolve()
  #isListening = false
  #listenAgainAt = 0
  /** Set if the database refuses NOTIFY. */
  #isRefused = false
  #notifying: Promise<void> | undefined
  #isDue = false
  readonly #ending = new AbortController()

  constructor(url: string, db: Connections, tenant: Uint8Array) {
    this.#url = url
    this.#db = db
    // Hashed, so that it does not reveal the tenant's name.
    this.#channel = `pact_${createHash('sha256').update(tenant).digest('hex').slice(0, 32)}`
  }

  /** Called after a change. */
  notify(): void {
    this.#wake()
    if (this.#isRefused) return
    this.#isDue = true
    this.#notifying ??= this.#notifyAll().finally(() => {
      this.#notifying = undefined
    })
  }

  async #notifyAll(): Promise<void> {
    while (this.#isDue && !this.#isRefused) {
      this.#isDue = false
      const wrong = await this.#db.runOptional(OPTIONAL_STATEMENTS.notify, this.#channel, '')
      // A refusal is permanent; a lost connection is not.
      this.#isRefused = wrong !== undefined && !isLost(wrong)
      await sleep(NOTIFY_EVERY, this.#ending.signal)
    }
  }

  /** Waits for the next reason to poll; see `Rows`. */
  async changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string> {
    if (this.#listener === undefined) this.#connecting = this.#listen()
    if (since === String(this.#version)) {
      // Without notifications, poll at the given interval.
      const woken = new AbortController()
      const wake = (): void => woken.abort()
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
      await sleep(this.#isListening ? Math.max(every, POLL_EVERY) : every, signal.aborted ? signal : woken.signal)
      signal.removeEventListener('abort', wake)
      this.#waiting.delete(wake)
      // The timeout is a reason to poll too.
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
    this.#listenAgainAt = performance.now() + POLL_EVERY
    const listener = openListener({ connectionString: this.#url, keepAlive: true, application_name: 'pact-context' })
    this.#listener = listener
    const lost = (): void => {
      if (this.#listener === listener) this.#listener = undefined
      this.#isListening = false
    }
    listener.on('error', lost)
    listener.on('end', lost)
    listener.on('notification', () => this.#wake())
    try {
      await listener.connect()
      await listener.query({ text: OPTIONAL_STATEMENTS.listen(this.#channel) })
      // After connecting, so that a concurrent `close` resolves.
      if (!this.#ending.signal.aborted) listener.unref()
      this.#isListening = this.#listener === listener
      // Notifications before LISTEN are lost.
      this.#wake()
    } catch (error) {
      // A refusal is permanent: close the connection and do not try again.
      if (!isLost(error)) this.#listenAgainAt = Infinity
      await listener.end().catch(ignore)
      lost()
    }
  }

  /** Sends the pending notification and closes the listener. */
  async close(): Promise<void> {
    this.#ending.abort()
    await this.#notifying
    await this.#connecting
    // Otherwise an idle process would exit before the connection is closed.
    this.#listener?.ref()
    await this.#listener?.end().catch(ignore)
  }
}

function ignore(): void {}
