// Words in all history, as rows: the text around them, and from when to when the node was there. Newest first.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import * as routes from '../api/routes.js'
import { startSteps } from '../state/steps.js'
import { count, plural } from '../words/numbers.js'
import { whoOf } from './bits.js'
import { Reading } from './reading.js'
import { useSession } from './use-session.js'

type Hit = routes.FoundPage['hits'][number]

/** More hits than these help no reader: the reading stops. */
const MOST = 2000

export function Hits({ words }: { words: string }): JSX.Element {
  const { place, columns, newest } = useSession()
  const { context } = place.value
  const reading = useReading(context, words)
  const { parts, isReading, isStopped } = reading.state.value
  const hits = oneEach(parts.flatMap((part) => part.hits))
  const span = columns.span.value
  const total = span === undefined ? 0 : span.newest - span.first + 1
  const done = parts.reduce((sum, { cycles }) => sum + cycles, 0)
  const gone = hits.filter((hit) => lastOf(hit) < newest.value).length
  return (
    <div class="hits">
      <p class="outof" role="status">
        <strong>{plural(hits.length, 'node')}</strong> with “{words}” in {plural(done, 'cycle')}
        {gone > 0 && `, ${gone === hits.length ? '' : `${count(gone)} of them `}gone by now`}
        {hits.length >= MOST && '; there may be more in older cycles'}
      </p>
      <Reading of={reading} progress={total > 0 ? { done, total } : null} what="cycles" />
      {hits.map((hit) => (
        <HitRow key={`${hit.id} ${hit.cycle}`} of={hit} />
      ))}
      {hits.length === 0 && !isReading && !isStopped && done > 0 && (
        <p class="outof muted">No snapshot has them, in upper or lower case.</p>
      )}
    </div>
  )
}

function useReading(context: string, words: string) {
  const make = () =>
    startSteps(
      () => ({ context, words }),
      ({ context, words }) => `${context}\n${words}`,
      (about, parts: readonly routes.FoundPage[]) => {
        const last = parts.at(-1)
        const many = parts.reduce((sum, { hits }) => sum + hits.length, 0)
        if (last !== undefined && (last.next === undefined || many >= MOST)) return null
        return routes.searchHistory(about.context, about.words, last?.next)
      },
    )
  const [reading, setReading] = useState(make)
  useEffect(() => {
    const mine = make()
    setReading(mine)
    return mine.end
  }, [context, words])
  useEffect(() => reading.end, [])
  return reading
}

function HitRow({ of }: { of: Hit }): JSX.Element {
  const { go, newest, sheet, tree } = useSession()
  const last = lastOf(of)
  const first = of.from ?? of.cycle
  const open = (): void => {
    sheet.value = true
    go({ at: `c${last}`, node: of.id, view: 'tree' })
    tree.seek(of.id)
  }
  return (
    <button type="button" class="hitrow outside" onClick={open}>
      <span class="when">
        {first === last ? `@c${first}` : `@c${first}–@c${last}`}
        {last < newest.value && ' '}
        {last < newest.value && <span class="bd c-del">gone</span>}
      </span>
      <span class="whose">
        {whoOf(of)} {of.name !== undefined && <b>{of.name}</b>}
        {of.key !== undefined && <span class="bd key outside">#{of.key}</span>}
      </span>
      <span class="hit txt">
        {of.before}
        <mark>{of.match}</mark>
        {of.after}
      </span>
      <code class="muted">{of.id}</code>
    </button>
  )
}

function lastOf({ to, cycle }: Hit): number {
  return to ?? cycle
}

/** A node that several commits wrote has one row: of its newest text. */
function oneEach(hits: readonly Hit[]): readonly Hit[] {
  const seen = new Set<string>()
  return hits.filter(({ id, from, cycle }) => {
    const stay = `${id} ${from ?? cycle}`
    if (seen.has(stay)) return false
    seen.add(stay)
    return true
  })
}
