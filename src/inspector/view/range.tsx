// A selector over several snapshots: lanes aligned with the timeline, one per node, then the changes between neighbours.

import type { JSX } from 'preact'
import { attemptOf, cycleOf, type At } from '../state/link.js'
import type { Block, Lane, RangeData } from '../words/lanes.js'
import { plural } from '../words/numbers.js'
import { useActions } from './actions.js'
import { MomentLink, NodeLink } from './bits.js'
import { columnName } from '../state/sends.js'
import { Loading } from './states.js'
import { useLanes } from './use-lanes.js'
import { useSession } from './use-session.js'

const MOST_BLOCKS = 200

export function RangeView(): JSX.Element {
  const { selection } = useSession()
  const range = selection.range.value as unknown as RangeData | undefined
  const lanes = useLanes(range)
  if (range === undefined)
    return selection.isBusy.value ? <Loading /> : <p class="node muted">This selector names no range.</p>
  const blocks = range.diffs.filter(({ stats }) => stats.added + stats.removed + stats.changed > 0)
  return (
    <div class="range">
      <Lanes range={range} lanes={lanes} />
      <div class="blocks">
        <p class="muted">
          Changes, newest first. Mode <code>{range.mode}</code>; a number in a bar is the ttl that is left.
        </p>
        {blocks.slice(0, MOST_BLOCKS).map((block) => (
          <BlockView key={`${block.from.cycle} ${block.to.cycle}`} of={block} />
        ))}
        {blocks.length === 0 && <p>Nothing that is selected changed.</p>}
        {blocks.length > MOST_BLOCKS && <p class="muted">and {plural(blocks.length - MOST_BLOCKS, 'older change')}</p>}
      </div>
    </div>
  )
}

function Lanes({ range, lanes }: { range: RangeData; lanes: readonly Lane[] }): JSX.Element {
  const { at, sends, step } = useSession()
  const { moments } = useActions()
  const shown = moments().slice(-61)
  const isNow = (moment: At): string => (moment === at.value ? 'cur' : '')
  return (
    <div>
      <div class="lane head">
        <span class="nm">
          {plural(lanes.length, 'node')} in {plural(range.snapshots.length, 'snapshot')}
        </span>
        <div class="cells">
          {shown.map((moment) => (
            <span key={moment} class={isNow(moment)}>
              {columnName(sends.find(moment))}
            </span>
          ))}
        </div>
      </div>
      {lanes.map((lane) => (
        <div key={lane.id} class="lane">
          <span class="nm">
            <NodeLink id={lane.id} /> {lane.key !== undefined && <span class="bd key outside">#{lane.key}</span>}
          </span>
          <div
            class="cells"
            role="img"
            aria-label={`${lane.id} in ${[...lane.cells.keys()]
              .reverse()
              .map((cycle) => `@c${cycle}`)
              .join(', ')}`}
          >
            {shown.map((moment) => (
              <span key={moment} class={isNow(moment)} onClick={() => step(moment)}>
                <LaneCell lane={lane} moment={moment} />
              </span>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

function LaneCell({ lane, moment }: { lane: Lane; moment: At }): JSX.Element | null {
  const cell = moment === 'working' ? undefined : lane.cells.get(cycleOf(moment)!)
  // A range is over snapshots; further sends of a cycle only mark its place.
  return cell === undefined ? null : <b class="part-ctx">{attemptOf(moment) === null ? (cell.ttl ?? '') : ''}</b>
}

function BlockView({ of }: { of: Block }): JSX.Element {
  return (
    <div class="blk">
      <span>
        <MomentLink at={`c${of.from.cycle}`} /> <span class="muted">from @c{of.to.cycle}</span>
      </span>
      <span>
        {of.added_ids.map((id) => (
          <code key={`+${id}`} class="c-add">
            + <NodeLink id={id} />
          </code>
        ))}
        {of.removed_ids.map((id) => (
          <code key={`-${id}`} class="c-del">
            − <NodeLink id={id} />
          </code>
        ))}
        {of.changed.map((change) => (
          <code key={`~${change.id}`} class="c-chg">
            ~ <NodeLink id={change.id} />{' '}
            <span class="muted outside">
              {change.fields.map((field) => fieldWords(field, change.delta?.[field])).join(', ')}
            </span>
          </code>
        ))}
      </span>
    </div>
  )
}

/** A range lists newer before older; readers expect the reverse. */
function fieldWords(field: string, delta: { from: unknown; to: unknown } | undefined): string {
  if (delta === undefined) return field
  const words = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, 60)
  return `${field} ${words(delta.to)} → ${words(delta.from)}`
}
