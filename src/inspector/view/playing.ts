// Plays the timeline cycle by cycle up to the working state.

import { signal } from '@preact/signals'
import { actionsOf } from './actions.js'
import type { Session } from '../state/session.js'
import { useSession } from './use-session.js'

const PACE = 900

const isPlaying = signal(false)
let timer: ReturnType<typeof setInterval> | undefined

export function usePlaying(): { isPlaying: boolean; toggle: () => void } {
  const session = useSession()
  return { isPlaying: isPlaying.value, toggle: () => togglePlaying(session) }
}

export function togglePlaying(session: Session): void {
  clearInterval(timer)
  isPlaying.value = !isPlaying.value
  if (!isPlaying.value) return
  let hasBegun = session.at.peek() !== 'working'
  if (!hasBegun) void actionsOf(session).toFirst()
  timer = setInterval(() => {
    const isAtEnd = session.at.peek() === 'working'
    if (isAtEnd && hasBegun) {
      clearInterval(timer)
      isPlaying.value = false
    } else if (!isAtEnd) {
      hasBegun = true
      actionsOf(session).stepBy(1)
    }
  }, PACE)
}
