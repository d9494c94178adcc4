// What others commit, as it happens: server-sent events, one for each commit. The browser comes back by itself after a lost line; where
// the server ended it for good, the next sign of life opens another one. What was committed before the line stood is asked for then.

import { effect, type ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import { trouble } from './connection.js'

export type Heard = Readonly<{ cycle: number; kind: string }>

export type Line = Readonly<{
  heard: (event: Heard) => void
  /** The line stands: from now on nothing is missed. */
  stands: () => void
  lost: () => void
}>

/** Listens to the context that is open. */
export function listen(context: ReadonlySignal<string>, { heard, stands, lost }: Line): void {
  effect(() => {
    if (context.value === '' || trouble.value !== null) return
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
