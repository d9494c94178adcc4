// The contexts of the store: all pages of the list, and the order in which the front page shows them.

import { signal, type ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { Listed } from '../words/forest.js'
import { fetchAnswer } from './reads.js'

export type Contexts = Readonly<{
  /** Undefined until the first page is read. */
  list: ReadonlySignal<readonly Listed[] | undefined>
  /** True while pages are missing. */
  isReading: ReadonlySignal<boolean>
  refresh: () => void
}>

/** Beyond this the filter of the server's own list would be needed. */
const MOST = 20_000

export function createContexts(): Contexts {
  const list = signal<readonly Listed[] | undefined>(undefined)
  const isReading = signal(false)
  let turn = 0
  const read = async (mine: number): Promise<void> => {
    isReading.value = true
    let found: readonly Listed[] = []
    let cursor: string | undefined
    do {
      const page = await fetchAnswer(routes.contexts(cursor))
      if (mine !== turn) return
      found = [...found, ...page.contexts]
      cursor = page.cursor
      // A list that is read again is replaced at its end, so that nothing on the page disappears for a moment.
      if (list.peek() === undefined || found.length > list.peek()!.length) list.value = found
    } while (cursor !== undefined && found.length < MOST)
    list.value = found
    isReading.value = false
  }
  const refresh = (): void => void read(++turn).catch(() => (isReading.value = false))
  return { list, isReading, refresh }
}
