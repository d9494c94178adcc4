// The progress of a long reading, with the way to stop it and to go on.

import type { JSX } from 'preact'
import type { Stepped } from '../state/steps.js'
import { count, percent } from '../words/numbers.js'

type Props = Readonly<{
  of: Stepped<unknown>
  progress: Readonly<{ done: number; total: number }> | null
  what: string
}>

export function Reading({ of: { state, stop, goOn }, progress, what }: Props): JSX.Element | null {
  const { isReading, isStopped, failure } = state.value
  if (progress === null || (!isReading && !isStopped && failure === undefined)) return null
  const { done, total } = progress
  const share = percent(total === 0 ? 0 : done / total)
  return (
    <p class="reading muted" role="status">
      {isReading ? (
        <>
          Reading {count(total)} {what}… {share}
          <button type="button" class="btn" onClick={stop}>
            Stop <kbd aria-hidden="true">Esc</kbd>
          </button>
        </>
      ) : (
        <>
          {failure === undefined ? 'Stopped' : failure.message} after {count(done)} of {count(total)} {what}.
          <button type="button" class="btn" onClick={goOn}>
            Go on
          </button>
        </>
      )}
    </p>
  )
}
