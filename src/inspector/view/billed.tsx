// Predicted against billed: the cache that a call could read, and the one that its provider billed.

import type { JSX } from 'preact'
import type { PrefixAnswer } from '../../api/index.js'
import type { At } from '../state/link.js'
import { compareBilled } from '../words/billed.js'
import { count, percent } from '../words/numbers.js'
import { useSession } from './use-session.js'

/** A line under the answer, for a call whose provider reported its cache. */
export function Billed({ at, prefix }: { at: At; prefix: PrefixAnswer }): JSX.Element | null {
  const { sends } = useSession()
  const billed = sends.find(at)?.billed
  if (billed === undefined) return null
  const { predicted, billed: share, isShort, words } = compareBilled(billed, prefix)
  return (
    <p class={isShort ? 'c-break' : 'muted'}>
      <span class={`billmark${isShort ? ' short' : ''}`} aria-hidden="true" /> From the cache: predicted{' '}
      {percent(predicted)}, billed {percent(share)} ({count(billed.read)} of {count(billed.input)} tokens). {words}
    </p>
  )
}

/** The mark of the billed share on the meter. */
export function BilledMark({ at }: { at: At }): JSX.Element | null {
  const { sends } = useSession()
  const billed = sends.find(at)?.billed
  if (billed === undefined) return null
  return <span class="billpin" style={{ left: `${((billed.read / Math.max(1, billed.input)) * 100).toFixed(2)}%` }} />
}
