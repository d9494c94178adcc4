// Tokens by part of the moment in view, the change since the previous one, and the step buttons.

import type { JSX } from 'preact'
import type { Figures } from '../../api/index.js'
import { cycleOf } from '../state/link.js'
import { count, short, signed } from '../words/numbers.js'
import { useActions } from './actions.js'
import { BySwitch, GroupRows } from './by-switch.js'
import type { ThreadShare } from './bits.js'
import { Icon, type IconName } from './icon.js'
import { usePlaying } from './playing.js'
import { useSession } from './use-session.js'

const PARTS: readonly (readonly [ThreadShare, string])[] = [
  ['sys', 'system'],
  ['core', 'conversation'],
  ['ctx', 'context'],
]

export function Readout(): JSX.Element {
  const { column, isUntold, place, at, before, columns, sends, step } = useSession()
  const { stepBy, toFirst } = useActions()
  const { isPlaying, toggle } = usePlaying()
  // Of a call whose tree is not known there are no figures, not even 0.
  const now = isUntold.value ? undefined : column.value
  const { by } = place.value
  const parts = by === null ? PARTS : []
  const earlier = at.value === null ? null : before(at.value)
  const last =
    earlier === null ? undefined : (sends.find(earlier)?.figures ?? columns.byCycle.value.get(cycleOf(earlier) ?? 0))
  return (
    <div class="read">
      <BySwitch />
      <table aria-label={`Tokens per ${by ?? 'part'} of the context`}>
        <tbody>
          <GroupRows now={now} last={last} />
          {parts.map(([part, name]) => (
            <tr key={part}>
              <th scope="row">
                <i class={`swatch part-${part}`} />
                {name}
              </th>
              <Figure value={now && sumOf(now, part)} last={last && sumOf(last, part)} />
            </tr>
          ))}
          <tr class="sum">
            <th scope="row">tokens</th>
            <Figure value={now?.tokens} last={last?.tokens} />
          </tr>
        </tbody>
      </table>
      <div class="play" role="group" aria-label="Stepping">
        <Go icon="first" label="First column" go={() => void toFirst()} />
        <Go icon="back" label="One column back" go={() => stepBy(-1)} />
        <Go icon={isPlaying ? 'pause' : 'play'} label={isPlaying ? 'Pause' : 'Play'} go={toggle} />
        <Go icon="on" label="One column on" go={() => stepBy(1)} />
        <Go icon="last" label="Newest" go={() => step('working')} />
      </div>
    </div>
  )
}

/** A number and its change since the last; the tooltip has all digits of a shortened one. */
function Figure({ value, last }: { value: number | undefined; last: number | undefined }): JSX.Element {
  return (
    <>
      <td title={value === undefined ? '' : count(value)}>{value === undefined ? '' : short(value)}</td>
      <td>{value === undefined || last === undefined ? '' : signed(value - last)}</td>
    </>
  )
}

function Go({ icon, label, go }: { icon: IconName; label: string; go: () => void }): JSX.Element {
  return (
    <button type="button" aria-label={label} title={label} onClick={go}>
      <Icon name={icon} />
    </button>
  )
}

function sumOf({ runs }: Figures, part: ThreadShare): number {
  return runs.reduce((sum, run) => sum + (run.part === part ? run.tokens : 0), 0)
}
