// When a request ends: its client goes, or its time is up. Most commands never ask, and a signal costs more than most of them.

export class Deadline {
  readonly #request: Request
  readonly #time: number
  #ending: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(request: Request, time: number) {
    this.#request = request
    this.#time = time
  }

  /** Made when it is first asked for. */
  get signal(): AbortSignal {
    if (this.#ending === undefined) {
      const ending = new AbortController()
      this.#ending = ending
      const { signal } = this.#request
      this.#timer = setTimeout(() => ending.abort(new DOMException('The time is up.', 'TimeoutError')), this.#time)
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
