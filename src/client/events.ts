// Server-sent events, read from a response: unlike EventSource, fetch can send a token.

import { PactError } from '../errors/index.js'
import type { Http, WatchedEvent } from '../api/index.js'

/** Milliseconds before a broken connection is tried again, at first and at most. */
const FIRST_WAIT = 100
const LAST_WAIT = 5000

export async function* watchEvents(
  http: Http,
  id: string,
  from: number | string,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchedEvent, void, undefined> {
  let last: number | string = from
  let wait = FIRST_WAIT
  const isOver = (): boolean => signal?.aborted === true
  while (!isOver()) {
    try {
      const headers = { accept: 'text/event-stream', 'last-event-id': String(last) }
      const response = await http.send('watch', { id }, { headers, signal })
      for await (const event of eventsIn(response)) {
        last = event.mark
        wait = FIRST_WAIT
        yield event
        // A deleted context has no more events.
        if (event.kind === 'deleted') return
      }
    } catch (error) {
      if (isOver()) return
      // A refused request is refused again; a broken connection may recover.
      if (PactError.is(error) && error.details['status'] !== undefined && error.details['status'] !== 503) throw error
    }
    if (isOver()) return
    await rest(wait, signal)
    wait = Math.min(2 * wait, LAST_WAIT)
  }
}

async function* eventsIn(response: Response): AsyncGenerator<WatchedEvent, void, undefined> {
  if (response.body === null) return
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n')
        const data = lines.find((line) => line.startsWith('data: '))
        text = text.slice(end + 2)
        if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as WatchedEvent
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function rest(time: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, time)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
