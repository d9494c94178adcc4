// Commits as server-sent events: the id of each is its cycle, so that whoever comes back says what it has seen last. It may say the mark
// instead that stands beside it, and then is told nothing twice.

import { watchContext, type Desk } from '../commands/index.js'
import { parseFrom, type WatchedFrom } from '../context/index.js'
import { busy } from './gate.js'
import { refused } from './status.js'

/** Nothing for so long, and a comment is sent: proxies and sockets end what is silent. */
const SILENCE = 15_000

export class EventStreams {
  readonly #open = new Set<AbortController>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#open.size
  }

  async open(desk: Desk, id: string, last: string | undefined, signal: AbortSignal): Promise<Response> {
    if (this.#open.size >= this.#most) throw busy()
    // A context that is not there is told before the stream begins; and whoever reads once it stands has missed nothing, since every
    // commit after this look comes.
    const { mark } = await desk.state(id)
    const from = fromOf(last) ?? mark
    const ending = new AbortController()
    this.#open.add(ending)
    const end = (): void => {
      ending.abort()
      this.#open.delete(ending)
      signal.removeEventListener('abort', end)
    }
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
    return new Response(streamOf(desk, id, from, ending.signal, end), { headers })
  }

  /** Ends all of them. */
  close(): void {
    for (const ending of this.#open) ending.abort()
    this.#open.clear()
  }
}

function fromOf(last: string | undefined): WatchedFrom | undefined {
  if (last === undefined || last === '') return undefined
  const from = parseFrom(last)
  if (from !== undefined) return from
  const message = 'Last-Event-ID is the cycle of the last event, or its mark.'
  throw refused(400, 'E_CONTENT_INVALID', message, { name: 'last-event-id' })
}

function streamOf(
  desk: Desk,
  id: string,
  from: WatchedFrom,
  signal: AbortSignal,
  end: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const events = watchContext(desk, { id, from }, { signal })[Symbol.asyncIterator]()
  let next: ReturnType<typeof events.next> | undefined
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(': watching\n\n')),
      pull: async (controller) => {
        next ??= events.next()
        const silence = rest(SILENCE, signal)
        try {
          const came = await Promise.race([next, silence.over])
          if (came === undefined) return controller.enqueue(encoder.encode(':\n\n'))
          next = undefined
          if (came.done === true) {
            end()
            return controller.close()
          }
          const { cycle, kind, mark } = came.value
          const text = `id: ${cycle}\nevent: ${kind}\ndata: ${JSON.stringify({ cycle, kind, mark })}\n\n`
          controller.enqueue(encoder.encode(text))
        } catch (error) {
          end()
          controller.error(error)
        } finally {
          silence.stop()
        }
      },
      cancel: () => {
        end()
        void events.return?.().catch(() => undefined)
      },
    },
    { highWaterMark: 1 },
  )
}

/** Resolves with nothing after a while; where the signal ends everything, the events end by themselves. */
function rest(time: number, signal: AbortSignal): Readonly<{ over: Promise<undefined>; stop: () => void }> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), time)
    timer.unref()
    signal.addEventListener('abort', stop, { once: true })
  })
  return { over, stop }
}
