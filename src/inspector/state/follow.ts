// Commits of other writers as they happen: server-sent events, one per commit. The browser reconnects by itself; if
// the server closed the stream for good, the next answer opens another one. Each (re)connect asks for the commits missed before it.

import { effect, type ReadonlySignal } from '@preact/signals'
import { isOffline } from '../api/http.js'
import * as routes from '../api/routes.js'
import { trouble } from './connection.js'

export type Heard = Readonly<{ cycle: number; kind: string }>

export type Line = Readonly<{
  heard: (event: Heard) => void
  /** The stream is open: no later commit is missed. */
  stands: () => void
  lost: () => void
}>

/** Listens to the open context. */
export function listen(context: ReadonlySignal<string>, { heard, stands, lost }: Line): void {
  effect(() => {
    if (isOffline || context.value === '' || trouble.value !== null) return
    const source = new EventSource(routes.events(context.value))
    const take = (event: MessageEvent<string>): void => {
      const { cycle, kind } = JSON.parse(event.data) as Partial<Heard>
      if (typeof cycle === 'number') heard({ cycle, kind: kind ?? 'commit' })
    }
    for (const name of ['message', 'commit', 'erased', 'made', 'deleted', 'edited']) source.addEventListener(name, take)
    source.addEventListener('open', stands)
    source.addEventListener('error', lost)
    return () => source.close()
  })
}
