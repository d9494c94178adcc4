// Actions on the request: go to the first difference, copy, save.

import { FORMATS } from '../state/link.js'
import { actionsOf } from './actions.js'
import { requestInView } from './use-request.js'
import { soughtDifference } from './view-state.js'
import { useSession } from './use-session.js'

export function useRequestActions(): {
  toDifference: () => void
  copyBytes: () => void
  save: () => void
  isBroken: boolean
  /** False until the bytes are loaded, and if they are not known. */
  hasBytes: boolean
} {
  const session = useSession()
  const { place, as, at, shared } = session
  const { copy } = actionsOf(session)
  const request = requestInView(session)
  const isHere = request !== undefined && request.at === at.value
  const { text = '', isSent = false } = request ?? {}
  const name = FORMATS.get(as.value ?? 'thread') ?? ''
  return {
    isBroken: shared.prefix.value.value?.first !== undefined,
    hasBytes: isHere,
    toDifference: () => soughtDifference.value++,
    copyBytes: () =>
      copy(
        text,
        isSent ? 'The exact bytes that were sent are on the clipboard.' : `The bytes for ${name} are on the clipboard.`,
      ),
    save: () => {
      const file = [place.peek().context.replace(/\W+/g, '-'), at.peek(), isSent ? 'sent' : as.peek()].join('-')
      download(text, `${file}.json`, 'application/json')
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
