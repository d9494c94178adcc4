// The timeline: figures of the moment in view, and one column per send: a provider call, or the snapshot of a cycle without one.
// A column is the thread from bottom (oldest) to top; pale parts equal the previous send at the same place.

import { Component, type JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Column } from '../../api/index.js'
import { cycleOf } from '../state/link.js'
import { statusWord, type Send, columnName } from '../state/sends.js'
import { MOST_SIDE_BY_SIDE } from '../state/timeline.js'
import { count } from '../words/numbers.js'
import { Icon, type IconName } from './icon.js'
import { Overview } from './overview.js'
import { Readout } from './readout.js'
import { useSession } from './use-session.js'
import { useNarrow } from './use-narrow.js'
import { shownColumns, type Shown } from './window.js'

const SIGNS: readonly Readonly<{ icon: IconName; causes: readonly string[]; word: string }>[] = [
  { icon: 'expired', causes: ['expired'], word: 'expired' },
  { icon: 'pruned', causes: ['pruned'], word: 'pruned' },
  { icon: 'redacted', causes: ['redacted'], word: 'redacted' },
  { icon: 'edited', causes: ['edited', 'superseded', 'moved', 'dropped'], word: 'edited' },
  { icon: 'returned', causes: ['cadence'], word: 'returned' },
]

export function Timeline(): JSX.Element {
  return (
    <section class="time" aria-label="Timeline">
      <Readout />
      <Track />
    </section>
  )
}

function Track(): JSX.Element {
  const session = useSession()
  const { columns, openColumn, at, base, place, step } = session
  const isNarrow = useNarrow()
  const list = useRef<HTMLDivElement>(null)
  const span = columns.span.value
  const now = at.value
  const isLong = span !== undefined && span.newest - span.first >= MOST_SIDE_BY_SIDE
  const shown = shownColumns(session)
  const highest = Math.max(1, openColumn.value?.tokens ?? 0, ...shown.map(({ figures }) => figures?.tokens ?? 0))
  const scale = (isLong ? 34 : isNarrow ? 52 : 62) / highest
  const from = place.value.view === 'compare' ? base.value : null

  const draw = (of: Shown): JSX.Element => (
    <ColumnView
      key={of.at}
      of={of}
      scale={scale}
      isChosen={of.at === now}
      isBase={of.at === from}
      choose={() => step(of.at)}
    />
  )

  useLayoutEffect(() => {
    // Scroll only as far as needed to keep the chosen column visible.
    const box = list.current
    const column = box?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (!box || !column) return
    const [left, right] = [column.offsetLeft, column.offsetLeft + column.offsetWidth]
    if (left < box.scrollLeft) box.scrollLeft = left - 20
    else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth + 20
  }, [now, shown.length])

  return (
    <div class="track">
      {isLong && <Overview shown={shown} />}
      <div
        class={`cols${isLong ? ' short' : ''}`}
        ref={list}
        id="cycles"
        role="listbox"
        aria-orientation="horizontal"
        aria-label="Sends"
        aria-activedescendant={now === null ? undefined : `col-${now}`}
        tabIndex={0}
      >
        {shown.map(draw)}
        {span !== undefined && draw({ at: 'working', send: undefined, figures: openColumn.value })}
      </div>
    </div>
  )
}

type ColumnProps = Readonly<{
  of: Shown
  /** Pixels per token. */
  scale: number
  isChosen: boolean
  isBase: boolean
  choose: () => void
}>

/** Memoized: most columns do not change at a step. */
class ColumnView extends Component<ColumnProps> {
  override shouldComponentUpdate({ of, scale, isChosen, isBase }: ColumnProps): boolean {
    const { props } = this
    const isSame = props.of.send === of.send && props.of.figures === of.figures && props.of.at === of.at
    return !isSame || props.scale !== scale || props.isChosen !== isChosen || props.isBase !== isBase
  }

  override render(props: ColumnProps): JSX.Element {
    return <ColumnShape {...props} />
  }
}

function ColumnShape({ of, scale, isChosen, isBase, choose }: ColumnProps): JSX.Element {
  const { at, send, figures } = of
  const isOpen = at === 'working'
  const signs = figures === undefined ? [] : signsOf(figures, isOpen)
  const label = labelOf(of, signs)
  const classes = [
    'col',
    isOpen ? 'open' : '',
    isBase ? 'base' : '',
    figures === undefined && !isOpen ? 'unloaded' : '',
    !isOpen && cycleOf(at)! % 5 === 0 ? 'fifth' : '',
  ]
  const px = (tokens: number): string => `${(tokens * scale).toFixed(1)}px`
  return (
    <div
      class={classes.filter((each) => each !== '').join(' ')}
      role="option"
      id={`col-${at}`}
      aria-selected={isChosen}
      aria-label={label}
      title={label}
      onClick={choose}
    >
      <div class="stack">
        {figures?.runs.map((run, i) => (
          <i key={i} class={`part-${run.part}${run.same ? ' same' : ''}`} style={{ height: px(run.tokens) }} />
        ))}
        {figures?.prefix.broken === true && <span class="tick" style={{ bottom: px(figures.prefix.tokens) }} />}
        {isOpen && <span class="rim" style={{ height: px(figures?.tokens ?? 0) }} />}
      </div>
      <div class="ev">
        {signs.slice(0, 2).map(({ icon }) => (
          <span key={icon} class={icon}>
            <Icon name={icon} />
          </span>
        ))}
        {signs.length > 2 && '+'}
      </div>
      <div class="at">
        {send?.status !== undefined && <b class={send.status}>{send.status === 'error' ? '×' : ''}</b>}
      </div>
      <div class="no">{isOpen ? 'open' : send === undefined ? cycleOf(at) : columnName(send)}</div>
    </div>
  )
}

function signsOf({ causes }: Pick<Column, 'causes'>, isOpen: boolean): { icon: IconName; word: string; n: number }[] {
  const counts: Readonly<Record<string, number | undefined>> = causes
  return SIGNS.map(({ icon, causes, word }) => ({
    icon,
    word,
    n: causes.reduce((sum, cause) => sum + (counts[cause] ?? 0), 0),
  })).filter(({ n, icon }) => n > 0 && !(isOpen && icon === 'edited'))
}

/** The number of the call in its cycle, where needed. */
function callOf({ nth, of }: Send): string {
  if (nth === 0) return of === 0 ? '' : ', committed'
  return of === 1 ? '' : `, call ${nth} of ${of}`
}

function labelOf({ at, send, figures }: Shown, signs: readonly { word: string }[]): string {
  const cycle = cycleOf(at)
  const call = send === undefined ? '' : callOf(send)
  const name = cycle === null ? 'Working state, open' : `Cycle ${cycle}${call}`
  const went = send?.status === undefined ? '' : `; ${statusWord(send.status)}`
  if (figures === undefined)
    return cycle === null ? name : send === undefined ? `${name}, not loaded yet` : `${name}${went}`
  const broken = figures.prefix.broken ? `, prefix broken after ${count(figures.prefix.tokens)} tokens` : ''
  const happened = signs.length === 0 ? '' : `; ${signs.map(({ word }) => word).join(', ')}`
  return `${name}: ${count(figures.tokens)} tokens${broken}${happened}${went}`
}
