// Overview of a long timeline: all cycles in bins with the maximum of each, broken prefixes marked, and the range of the columns below.

import type { JSX } from 'preact'
import { cycleOf } from '../state/link.js'
import { useActions } from './actions.js'
import { useSession } from './use-session.js'
import type { Shown } from './window.js'

export function Overview({ shown }: { shown: readonly Shown[] }): JSX.Element {
  const { columns } = useSession()
  const { toCycle } = useActions()
  const bins = columns.bins.value
  const span = columns.span.value
  const highest = Math.max(1, ...bins.map(({ tokens }) => tokens))
  const [from = null, to = null] = [shown[0], shown.at(-1)].map((each) => each && cycleOf(each.at))
  const width = span === undefined ? 1 : span.newest - span.first + 1
  const share = (cycle: number): number => ((cycle - (span?.first ?? 1)) / width) * 100
  const jump = (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    if (span === undefined) return
    const { left, width: pixels } = event.currentTarget.getBoundingClientRect()
    const cycle = span.first + Math.floor(((event.clientX - left) / pixels) * width)
    toCycle(Math.max(span.first, Math.min(span.newest, cycle)))
  }
  return (
    // Hidden from screen readers: the columns below say the same, and keys reach further than clicks here.
    <div class="overview" aria-hidden="true" onClick={jump}>
      {bins.map((bin) => (
        <i
          key={bin.from}
          class={bin.broken > 0 ? 'broken' : ''}
          title={`Cycles ${bin.from} to ${bin.to}${bin.broken > 0 ? `, ${bin.broken} broke the prefix` : ''}`}
          style={{ height: `${((bin.tokens / highest) * 100).toFixed(1)}%` }}
        />
      ))}
      {from !== null && to !== null && (
        <span
          class="brush"
          style={{ left: `${share(from).toFixed(2)}%`, width: `${(((to - from + 1) / width) * 100).toFixed(2)}%` }}
        />
      )}
    </div>
  )
}
