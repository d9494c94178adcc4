// A comparison with another context of the family: its snapshot, the cycles that both have, and the words for what only one of them has.

import type { JSX } from 'preact'
import type { ChangeRow, Changes } from '../../api/index.js'
import { cycleOf, type At } from '../state/link.js'
import { causeWord } from '../words/causes.js'
import { commonCycle } from '../words/forks.js'
import { count } from '../words/numbers.js'
import { nameOf } from './bits.js'
import { useSession } from './use-session.js'

/** A moment of this context, or of another one: `coding-agent@c20`. */
export function nameOfBase(at: At, other: string | null | undefined): string {
  return `${other ?? ''}${nameOf(at)}`
}

/** Most cycles to choose from. */
const MOST = 200

/** The other context and its cycle, where there is a choice. */
export function OtherContext(): JSX.Element | null {
  const { family, other, place, base, go } = useSession()
  const others = family.value.filter(({ id }) => id !== place.value.context)
  if (others.length === 0 && other.value === null) return null
  const chosen = others.find(({ id }) => id === other.value)
  const cycle = (base.value === null ? null : cycleOf(base.value)) ?? 1
  const choose = (id: string): void => {
    const next = others.find((each) => each.id === id)
    go(next === undefined ? { other: null, from: null } : { other: next.id, from: `c${next.cycle}` })
  }
  const newest = Math.max(cycle, chosen?.cycle ?? 1)
  const first = Math.max(1, Math.min(newest - MOST + 1, cycle - MOST / 2))
  return (
    <>
      <label>
        with
        <select value={other.value ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">this context</option>
          {others.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      {other.value !== null && (
        <label>
          from
          <select value={`c${cycle}`} onChange={(event) => go({ from: event.currentTarget.value as At })}>
            {Array.from({ length: Math.min(MOST, newest - first + 1) }, (_, i) => first + i).map((each) => (
              <option key={each} value={`c${each}`}>
                @c{each}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}

/** The cycles that both contexts have, in words. */
export function CommonWords(): JSX.Element | null {
  const { family, other, place } = useSession()
  if (other.value === null) return null
  const common = commonCycle(family.value, place.value.context, other.value)
  return (
    <p class="muted common">
      {common === 0
        ? 'They have no cycle together.'
        : `Both have @c1 to @c${common}; each went its own way from there.`}
    </p>
  )
}

/** The numbers of nodes that only one of the contexts has, and of those that differ. */
export function ApartWords({ of, other }: { of: Changes; other: string }): JSX.Element {
  const { place } = useSession()
  const { Left: there = 0, Came: here = 0, Redacted = 0, Replaced = 0, Changed = 0 } = of.groups
  const differ = Redacted + Replaced + Changed
  return (
    <>
      {count(there)} only in <span class="outside">{other}</span>, {count(here)} only in{' '}
      <span class="outside">{place.value.context}</span>
      {differ > 0 && `, ${count(differ)} otherwise in both`}.
    </>
  )
}

/** The sentence about a node that only one context has. */
export function apartSentence(
  { mark, cause, cycle }: ChangeRow,
  { other, context }: Readonly<{ other: string; context: string }>,
): string {
  const [owner, loser] = mark === '-' ? [other, context] : [context, other]
  if (cause === 'created') return `Made in cycle ${cycle} of ${owner}.`
  return `Both had it; in cycle ${cycle} of ${loser} it left: ${causeWord(cause)}.`
}

/** The title of a group of changes. */
export function groupTitle(group: string, of: Readonly<{ other: string | null; context: string }>): string {
  if (of.other === null) return group
  if (group === 'Left') return `Only in ${of.other}`
  return group === 'Came' ? `Only in ${of.context}` : group
}
