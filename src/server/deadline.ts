// The end of a request: its client disconnects, or its time is up. The signal is made on demand, since it costs more than most commands.

export class Deadline {
  readonly #request: Request
  /** Milliseconds on the clock of `performance`. */
  readonly #end: number
  #ending: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(request: Request, time: number) {
    this.#request = request
    this.#end = performance.now() + time
  }

  /** Made on first use. */
  get signal(): AbortSignal {
    if (this.#ending === undefined) {
      const ending = new AbortController()
      this.#ending = ending
      const { signal } = this.#request
      const left = Math.max(0, this.#end - performance.now())
      this.#timer = setTimeout(() => ending.abort(new DOMException('The time is up.', 'TimeoutError')), left)
      signal.addEventListener('abort', () => ending.abort(signal.reason), { once: true })
      if (signal.aborted) ending.abort(signal.reason)
    }
    return this.#ending.signal
  }

  /** The request is answered. */
  end(): void {
    clearTimeout(this.#timer)
  }
}
