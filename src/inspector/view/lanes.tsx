// Lanes under the columns of the timeline, one for each node that a range selects. Only nodes of cycles in sight have one.

import type { JSX, RefObject } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { attemptOf, cycleOf } from '../state/link.js'
import { columnName } from '../state/sends.js'
import { MOST_SIDE_BY_SIDE } from '../state/timeline.js'
import { runWords, type Lane, type RangeData } from '../words/lanes.js'
import { plural } from '../words/numbers.js'
import { MomentLink, NodeLink } from './bits.js'
import { placesInSight, useColumnPlaces, type ColumnPlace } from './column-places.js'
import { useLanes } from './use-lanes.js'
import { useNarrow } from './use-narrow.js'
import { useSession } from './use-session.js'
import { useVirtual } from './use-virtual.js'

const ROW = 38
const NARROW_ROW = 46

type Props = Readonly<{ range: RangeData; box: RefObject<HTMLElement | null> }>

export function Lanes({ range, box }: Props): JSX.Element {
  const { at, columns, sends } = useSession()
  const span = columns.span.value
  // Side by side there is no room for four digits over each.
  const isCrowded = span !== undefined && span.newest - span.first >= MOST_SIDE_BY_SIDE
  const { all, look } = useLanes(range)
  const places = useColumnPlaces().value
  const inSight = placesInSight(places)
  const cycles = [...new Set(inSight.flatMap(({ at }) => cycleOf(at) ?? []))]
  const [from, to] = [cycles[0] ?? 0, cycles.at(-1) ?? 0]
  const lanes = useMemo(() => all.filter((lane) => hasAny(lane, from, to)), [all, from, to])
  const height = useNarrow() ? NARROW_ROW : ROW
  const virtual = useVirtual(box, { count: lanes.length, rowHeight: height })
  const drawn = lanes.slice(virtual.from, virtual.to)
  useEffect(() => look(drawn))
  const chosen = places.list.find((each) => each.at === at.value)
  const shift = { transform: `translateX(${-places.scroll}px)` }
  return (
    <div>
      <div class="lane head">
        <span class="nm">
          {plural(all.length, 'node')} in {plural(range.snapshots.length, 'snapshot')}
        </span>
        <div class="cells" aria-hidden="true">
          <div style={shift}>
            {places.list.map((place) => (
              <span key={place.at} style={widthOf(place)} class={place === chosen ? 'cur' : ''}>
                {isCrowded && cycleOf(place.at)! % 5 !== 0 ? '' : columnName(sends.find(place.at))}
              </span>
            ))}
          </div>
        </div>
      </div>
      {lanes.length < all.length && <OutOfSight all={all} lanes={lanes} from={from} to={to} />}
      <div class="rows" style={{ height: `${virtual.height}px` }}>
        {drawn.map((lane, i) => (
          <div
            key={lane.id}
            class="lane"
            style={{ top: `${virtual.topOf(virtual.from + i)}px`, height: `${height}px` }}
          >
            <span class="nm">
              <span class="txt outside">
                {lane.who !== undefined && lane.who !== '' && <strong>{lane.who} </strong>}
                {lane.text ?? '…'}
              </span>
              <span>
                <NodeLink id={lane.id} /> {lane.key !== undefined && <span class="bd key outside">#{lane.key}</span>}
              </span>
            </span>
            <div class="cells" role="img" aria-label={`${lane.id} in ${runWords(lane)}`}>
              <div style={shift}>
                {chosen !== undefined && <span class="cur" style={widthOf(chosen)} />}
                {inSight.map((place) => (
                  <LaneCell key={place.at} lane={lane} place={place} />
                ))}
              </div>
            </div>
          </div>
        ))}
      </div>
    </div>
  )
}

function hasAny({ cells, first, last }: Lane, from: number, to: number): boolean {
  if (first > to || last < from) return false
  for (let cycle = from; cycle <= to; cycle++) if (cells.has(cycle)) return true
  return false
}

function widthOf({ left, width }: ColumnPlace): Readonly<{ left: string; width: string }> {
  return { left: `${left}px`, width: `${width}px` }
}

function LaneCell({ lane, place }: { lane: Lane; place: ColumnPlace }): JSX.Element | null {
  const { step } = useSession()
  const cycle = cycleOf(place.at)
  const cell = cycle === null ? undefined : lane.cells.get(cycle)
  if (cell === undefined) return null
  return (
    <span class="cell" data-at={place.at} style={widthOf(place)} onClick={() => step(place.at)}>
      <b class="part-ctx">{attemptOf(place.at) === null ? (cell.ttl ?? '') : ''}</b>
    </span>
  )
}

type OutProps = Readonly<{ all: readonly Lane[]; lanes: readonly Lane[]; from: number; to: number }>

/** The way to the nodes of cycles that are not in sight. */
function OutOfSight({ all, lanes, from, to }: OutProps): JSX.Element {
  const before = Math.max(0, ...all.filter(({ last }) => last < from).map(({ last }) => last))
  const after = Math.min(Infinity, ...all.filter(({ first }) => first > to).map(({ first }) => first))
  return (
    <p class="outof muted">
      {plural(all.length - lanes.length, 'node')} {all.length - lanes.length === 1 ? 'is' : 'are'} in cycles out of
      sight
      {before > 0 && (
        <>
          , before them last in <MomentLink at={`c${before}`} />
        </>
      )}
      {after < Infinity && (
        <>
          , after them first in <MomentLink at={`c${after}`} />
        </>
      )}
      .
    </p>
  )
}
