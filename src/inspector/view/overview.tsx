// Overview of a long timeline: all cycles in bins with the maximum of each, and the range of the columns below. The orange part of a bar is
// the share of its cycles that broke the prefix; a red mark over it says that calls failed.

import type { JSX } from 'preact'
import type { Bin } from '../../api/index.js'
import { cycleOf } from '../state/link.js'
import { plural } from '../words/numbers.js'
import { useActions } from './actions.js'
import { Reading } from './reading.js'
import { useSession } from './use-session.js'
import type { Shown } from './window.js'

export function Overview({ shown }: { shown: readonly Shown[] }): JSX.Element {
  const { columns } = useSession()
  const { toCycle } = useActions()
  const { list, progress, reading } = columns.bins
  const bins = list.value
  const span = columns.span.value
  const highest = Math.max(1, ...bins.map(({ tokens }) => tokens))
  const [from = null, to = null] = [shown[0], shown.at(-1)].map((each) => each && cycleOf(each.at))
  const first = span?.first ?? 1
  const width = span === undefined ? 1 : span.newest - first + 1
  const share = (cycle: number): string => `${(((cycle - first) / width) * 100).toFixed(2)}%`
  const jump = (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    if (span === undefined) return
    const { left, width: pixels } = event.currentTarget.getBoundingClientRect()
    const cycle = span.first + Math.floor(((event.clientX - left) / pixels) * width)
    toCycle(Math.max(span.first, Math.min(span.newest, cycle)))
  }
  return (
    <div class="overviews">
      {/* Hidden from screen readers: the columns below say the same, and keys reach further than clicks here. */}
      <div
        class={`overview${bins.length === 0 || reading.state.value.isReading ? ' unread' : ''}`}
        aria-hidden="true"
        onClick={jump}
      >
        {bins.map((bin) => (
          <i
            key={bin.from}
            class={bin.failed > 0 ? 'failed' : ''}
            title={binWords(bin)}
            style={{
              left: share(bin.from),
              width: `calc(${share(first + bin.to - bin.from + 1)} - 1px)`,
              height: `${((bin.tokens / highest) * 100).toFixed(1)}%`,
            }}
          >
            {bin.broken > 0 && (
              <b style={{ height: `${((bin.broken / (bin.to - bin.from + 1)) * 100).toFixed(1)}%` }} />
            )}
          </i>
        ))}
        {from !== null && to !== null && (
          <span class="brush" style={{ left: share(from), width: share(first + to - from + 1) }} />
        )}
      </div>
      <Reading of={reading} progress={progress.value} what="cycles" />
    </div>
  )
}

function binWords({ from, to, broken, failed }: Bin): string {
  const said = [
    ...(broken > 0 ? [`${broken} broke the prefix`] : []),
    ...(failed > 0 ? [`${plural(failed, 'call')} failed`] : []),
  ]
  const cycles = from === to ? `Cycle ${from}` : `Cycles ${from} to ${to}`
  return [cycles, ...said].join(', ')
}
