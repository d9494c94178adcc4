// The answer in one sentence: folded on a narrow page, and spoken when the moment changes.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Session } from '../state/session.js'
import { count, percent, plural } from '../words/numbers.js'
import { sharedBytes } from './answer.js'
import { nameOf } from './bits.js'
import { useSession } from './use-session.js'

/** `@c12: 28 items, 1,068 tokens · 3 changes · 28 % the same bytes`; undefined until it is known. */
export function answerLine({ at, column, base, isBaseKnown, isUntold, shared }: Session): string | undefined {
  const now = at.value
  const figures = column.value
  if (now === null || figures === undefined) return undefined
  const name = now === 'working' ? 'Working state' : nameOf(now)
  if (isUntold.value) return `${name}: what it sent is not known`
  if (!isBaseKnown.value) return undefined
  const parts = [`${name}: ${plural(figures.items, 'item')}, ${count(figures.tokens)} tokens`]
  if (base.value === null) return `${parts[0]} · the first`
  const { changes, prefix } = shared
  if (!changes.value.isFresh || changes.value.value === undefined) return undefined
  const { total } = changes.value.value
  parts.push(total === 0 ? 'nothing changed' : plural(total, 'change'))
  if (prefix.value.isFresh && prefix.value.value !== undefined)
    parts.push(`${percent(sharedBytes(prefix.value.value))} the same bytes`)
  return parts.join(' · ')
}

/** Says the answer to a screen reader when the moment in view changes, wherever the focus is. */
export function SpokenAnswer(): JSX.Element {
  const session = useSession()
  const said = useSignal('')
  const line = answerLine(session)
  const { at } = session
  const first = useSignal(at.peek())
  useEffect(() => {
    // A page that opens is read from its beginning.
    if (line !== undefined && at.peek() !== first.peek()) {
      said.value = line
      first.value = null
    }
  }, [line])
  return (
    <div class="sr" role="status" id="spoken">
      {said.value}
    </div>
  )
}

/** Without the figures that a narrow page shows next to it. */
function shortLine(session: Session): string {
  const line = answerLine(session)
  if (line === undefined) return '…'
  const [, ...rest] = line.split(' · ')
  return rest.length === 0 ? line : rest.join(' · ')
}

/** The one line of a narrow page; a click opens the whole answer. */
export function FoldedAnswer({ isOpen, toggle }: { isOpen: boolean; toggle: () => void }): JSX.Element {
  const session = useSession()
  const isBroken = session.shared.prefix.value.value?.first !== undefined
  return (
    <h2>
      <button type="button" class="foldline" aria-expanded={isOpen} aria-controls="answer" onClick={toggle}>
        <span class={isBroken ? 'c-break' : ''}>{shortLine(session)}</span>
        <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
      </button>
    </h2>
  )
}
