// A fork and the contexts it is tied to, in words with links: of which one it is a fork and since when, which ones were forked from it.

import type { JSX } from 'preact'
import { NOWHERE, writeLink } from '../state/link.js'
import { useActions } from './actions.js'
import { useSession } from './use-session.js'

/** In the pane of a cycle: the parent with its head to compare with, and the forks that begin at this cycle. */
export function Kin({ cycle }: { cycle: number | null }): JSX.Element | null {
  const { family, place, newest } = useSession()
  const { compareHeads } = useActions()
  const { context } = place.value
  const own = family.value.find(({ id }) => id === context)
  const parent = family.value.find(({ id }) => id === own?.parent)
  const forks = family.value.filter((each) => each.parent === context && (cycle === null || each.from === cycle))
  if (parent === undefined && forks.length === 0) return null
  return (
    <section class="kin">
      <h3>Forks</h3>
      {parent !== undefined && own?.from !== undefined && (
        <p>
          Fork of <ContextLink id={parent.id} cycle={own.from} /> at @c{own.from}.{' '}
          <button
            type="button"
            class="link"
            onClick={() => compareHeads({ id: parent.id, cycle: parent.cycle }, { id: context, cycle: newest.value })}
          >
            Compare with its newest, @c{parent.cycle}
          </button>
        </p>
      )}
      {forks.map((fork) => (
        <p key={fork.id}>
          Forked at @c{fork.from}: <ContextLink id={fork.id} cycle={fork.cycle} />.{' '}
          <button
            type="button"
            class="link"
            onClick={() => compareHeads({ id: context, cycle: newest.value }, { id: fork.id, cycle: fork.cycle })}
          >
            Compare
          </button>
        </p>
      ))}
    </section>
  )
}

export function ContextLink({ id, cycle }: { id: string; cycle: number }): JSX.Element {
  return (
    <a class="link mono outside" href={writeLink({ ...NOWHERE, context: id, at: `c${cycle}` })}>
      {id}
    </a>
  )
}

/** In the top bar: of which context this one is a fork. */
export function ForkOf(): JSX.Element | null {
  const { family, place } = useSession()
  const { toView } = useActions()
  const own = family.value.find(({ id }) => id === place.value.context)
  if (own?.parent === undefined || own.from === undefined) return null
  return (
    <button type="button" class="forkof" title="Shows the forks as a graph" onClick={() => toView('forks')}>
      fork of <span class="outside">{own.parent}</span> at @c{own.from}
    </button>
  )
}
