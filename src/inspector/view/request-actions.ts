// Actions on the request: go to the first difference, copy, save.

import { fetchAnswer } from '../state/reads.js'
import * as routes from '../api/routes.js'
import { useActions } from './actions.js'
import { soughtDifference } from './view-state.js'
import { useSession } from './use-session.js'

export function useRequestActions(): {
  toDifference: () => void
  copyBytes: () => void
  save: () => void
  isBroken: boolean
} {
  const { place, edits, say, shared } = useSession()
  const { copy } = useActions()
  const text = async (): Promise<string | undefined> => {
    const { context, at, as } = place.peek()
    if (at === null) return undefined
    return (await fetchAnswer(routes.render(context, at, as, edits.draft.peek()))).text
  }
  const failed = (): void => say('The request could not be read.')
  return {
    isBroken: shared.prefix.value.value?.first !== undefined,
    toDifference: () => soughtDifference.value++,
    copyBytes: () =>
      void text().then((bytes) => bytes !== undefined && copy(bytes, 'The exact bytes are on the clipboard.'), failed),
    save: () => {
      const { context, at, as } = place.peek()
      void text().then((bytes) => {
        if (bytes !== undefined) download(bytes, `${context.replace(/\W+/g, '-')}-${at}-${as}.json`, 'application/json')
      }, failed)
    },
  }
}

/** Saves a text as a file. */
export function download(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
