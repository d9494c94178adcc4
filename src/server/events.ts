// Commits as server-sent events. The id of an event is its cycle, so a client that comes back names the last one it has seen. If it names the
// mark of the event instead, no event comes twice.

import { watchContext, type ContextPool } from '../commands/index.js'
import { parseFrom, type WatchedFrom } from '../core/index.js'
import { busy } from './gate.js'
import { refused } from './status.js'

/** Milliseconds of silence before a comment is sent: proxies and sockets close silent connections. */
const SILENCE = 15_000

export class EventStreams {
  readonly #open = new Set<AbortController>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  async open(pool: ContextPool, id: string, last: string | undefined, signal: AbortSignal): Promise<Response> {
    if (this.#open.size >= this.#most) throw busy()
    // A missing context is refused before the stream begins. Every commit after this lookup is sent, so a client misses nothing.
    const { mark } = await pool.state(id)
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
    return new Response(streamOf(pool, id, from, ending.signal, end), { headers })
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
  pool: ContextPool,
  id: string,
  from: WatchedFrom,
  signal: AbortSignal,
  end: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const events = watchContext(pool, { id, from }, { signal })[Symbol.asyncIterator]()
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

/** Resolves after a while. If the signal is aborted, the events end by themselves. */
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
