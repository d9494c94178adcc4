// The offers for words and numbers in the bar, with their keys.

import type { JSX } from 'preact'
import { count as numberWords } from '../words/numbers.js'
import type { Query } from '../words/selector.js'
import { nameOf } from './bits.js'
import { useSession } from './use-session.js'

type Props = Readonly<{
  query: Query
  /** The number of nodes in view that have the words. */
  count: number | undefined
  goThrough: () => void
  inHistory: () => void
  toCycle: (cycle: number) => void
}>

export function WordOffers({ query, count, goThrough, inHistory, toCycle }: Props): JSX.Element | null {
  const { at } = useSession()
  if (query.kind === 'cycle') {
    return (
      <Offers>
        <Offer says={`Go to cycle ${query.cycle}`} hint="Enter" act={() => toCycle(query.cycle)} />
      </Offers>
    )
  }
  if (query.kind !== 'words' || at.value === null) return null
  return (
    <Offers>
      <Offer says={`“${query.words}” at ${nameOf(at.value)}`} count={count} hint="Enter" act={goThrough} />
      <Offer says={`“${query.words}” in all history`} hint="Shift Enter" act={inHistory} />
    </Offers>
  )
}

function Offers({ children }: { children: JSX.Element | JSX.Element[] }): JSX.Element {
  return (
    // mousedown must not take the focus from the field.
    <div class="pop" role="group" aria-label="Search" onMouseDown={(event) => event.preventDefault()}>
      {children}
    </div>
  )
}

type OfferProps = Readonly<{ says: string; count?: number | undefined; hint: string; act: () => void }>

function Offer({ says, count, hint, act }: OfferProps): JSX.Element {
  return (
    <button type="button" class="opt" tabIndex={-1} onClick={act}>
      <span class="outside">{says}</span>
      <span class="mono">{count === undefined ? '' : numberWords(count)}</span>
      <kbd>{hint}</kbd>
    </button>
  )
}
