// Tokens by part of the moment in view, the change since the previous one, and the step buttons.

import type { JSX } from 'preact'
import type { Figures } from '../../api/index.js'
import { cycleOf } from '../state/link.js'
import { count, signed } from '../words/numbers.js'
import { useActions } from './actions.js'
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
  const { column, isUntold, at, before, columns, sends, step } = useSession()
  const { stepBy, toFirst } = useActions()
  const { isPlaying, toggle } = usePlaying()
  // Of a call whose tree is not known there are no figures, not even 0.
  const now = isUntold.value ? undefined : column.value
  const earlier = at.value === null ? null : before(at.value)
  const last =
    earlier === null ? undefined : (sends.find(earlier)?.figures ?? columns.byCycle.value.get(cycleOf(earlier) ?? 0))
  return (
    <div class="read">
      <table aria-label="Tokens per part of the context">
        <tbody>
          {PARTS.map(([part, name]) => (
            <tr key={part}>
              <th scope="row">
                <i class={`swatch part-${part}`} />
                {name}
              </th>
              <td>{now === undefined ? '' : count(sumOf(now, part))}</td>
              <td>{now === undefined || last === undefined ? '' : signed(sumOf(now, part) - sumOf(last, part))}</td>
            </tr>
          ))}
          <tr class="sum">
            <th scope="row">tokens</th>
            <td>{now === undefined ? '' : count(now.tokens)}</td>
            <td>{now === undefined || last === undefined ? '' : signed(now.tokens - last.tokens)}</td>
          </tr>
        </tbody>
      </table>
      <div class="play" role="group" aria-label="Stepping">
        <Go icon="first" label="First send" go={() => void toFirst()} />
        <Go icon="back" label="One send back" go={() => stepBy(-1)} />
        <Go icon={isPlaying ? 'pause' : 'play'} label={isPlaying ? 'Pause' : 'Play'} go={toggle} />
        <Go icon="on" label="One send on" go={() => stepBy(1)} />
        <Go icon="last" label="Newest" go={() => step('working')} />
      </div>
    </div>
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
