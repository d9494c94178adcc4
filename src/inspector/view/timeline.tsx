// The timeline: figures of the moment in view, and one column per send: a provider call, or the snapshot of a cycle without one.
// A column is the thread from bottom (oldest) to top; hatched parts equal the previous send at the same place.

import { Component, type JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Column } from '../../api/index.js'
import { cycleOf } from '../state/link.js'
import { statusWord, type Send, columnName } from '../state/sends.js'
import { MOST_SIDE_BY_SIDE } from '../state/timeline.js'
import { billedWords } from '../words/billed.js'
import { groupWords } from '../words/groups.js'
import { count } from '../words/numbers.js'
import { sentInAll } from '../words/sent.js'
import { GroupTable } from './by-switch.js'
import { heightOf, LimitWords, limitIsDrawn, Stack } from './column-stack.js'
import { Icon, type IconName } from './icon.js'
import { Overview } from './overview.js'
import { Readout } from './readout.js'
import { usePicture, type Picture } from './shading.js'
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
  const { columns, openColumn, at, base, other, place, step } = session
  const isNarrow = useNarrow()
  const list = useRef<HTMLDivElement>(null)
  const span = columns.span.value
  const now = at.value
  const isLong = span !== undefined && span.newest - span.first >= MOST_SIDE_BY_SIDE
  const shown = shownColumns(session)
  const picture = usePicture()
  const { shading, limit } = picture
  const all = [...shown.map(({ figures }) => figures), openColumn.value]
  const highest = heightOf(Math.max(1, ...all.map((each) => each?.tokens ?? 0)), limit, all)
  const isDrawn = limit !== undefined && limitIsDrawn(limit, all, highest)
  const height = heightIn(isLong, isNarrow, shading !== undefined)
  const scale = height / highest
  const sentence = shading === undefined || isNarrow ? undefined : sentInAll(columns)
  const from = place.value.view === 'compare' && other.value === null ? base.value : null

  const draw = (of: Shown): JSX.Element => (
    <ColumnView
      key={of.at}
      of={of}
      scale={scale}
      isChosen={of.at === now}
      isBase={of.at === from}
      picture={isDrawn ? picture : { shading, limit: undefined }}
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
      {sentence !== undefined && <p class="sentwords">{sentence}.</p>}
      {isLong && <Overview shown={shown} />}
      <div
        class={`cols${isLong ? ' short' : ''}`}
        style={{ '--stack': `${height}px` }}
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
      {limit !== undefined && <LimitWords limit={limit} isDrawn={isDrawn} />}
      {shading !== undefined && (
        <GroupTable
          shown={[...shown, { at: 'working', send: undefined, figures: openColumn.value }]}
          shading={shading}
        />
      )}
    </div>
  )
}

/** The height of the columns. By role or tool they are a picture of their own, which takes more room. */
function heightIn(isLong: boolean, isNarrow: boolean, isGrouped: boolean): number {
  if (isLong) return isGrouped ? 70 : 34
  if (isNarrow) return 52
  return isGrouped ? 112 : 62
}

type ColumnProps = Readonly<{
  of: Shown
  /** Pixels per token. */
  scale: number
  isChosen: boolean
  isBase: boolean
  picture: Picture
  choose: () => void
}>

/** Memoized: most columns do not change at a step. */
class ColumnView extends Component<ColumnProps> {
  override shouldComponentUpdate({ of, scale, isChosen, isBase, picture }: ColumnProps): boolean {
    const { props } = this
    const isSame = props.of.send === of.send && props.of.figures === of.figures && props.of.at === of.at
    const isAlike = props.picture.shading === picture.shading && props.picture.limit?.limit === picture.limit?.limit
    return !isSame || !isAlike || props.scale !== scale || props.isChosen !== isChosen || props.isBase !== isBase
  }

  override render(props: ColumnProps): JSX.Element {
    return <ColumnShape {...props} />
  }
}

function ColumnShape({ of, scale, isChosen, isBase, picture, choose }: ColumnProps): JSX.Element {
  const { at, send, figures } = of
  const isOpen = at === 'working'
  const signs = figures === undefined ? [] : signsOf(figures, isOpen)
  const label = labelOf(of, signs, picture)
  const status = send?.status ?? send?.before?.status
  const classes = [
    'col',
    isOpen ? 'open' : '',
    isBase ? 'base' : '',
    figures === undefined && !isOpen ? 'unloaded' : '',
    !isOpen && cycleOf(at)! % 5 === 0 ? 'fifth' : '',
  ]
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
      <Stack figures={figures} send={send} isOpen={isOpen} scale={scale} picture={picture} />
      <div class="ev">
        {signs.slice(0, 2).map(({ icon }) => (
          <span key={icon} class={icon}>
            <Icon name={icon} />
          </span>
        ))}
        {signs.length > 2 && '+'}
      </div>
      <div class="at">
        {status !== undefined && (
          <b class={`${status}${send?.status === undefined ? ' past' : ''}`}>{status === 'error' ? '×' : ''}</b>
        )}
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

function labelOf({ at, send, figures }: Shown, signs: readonly { word: string }[], { shading }: Picture): string {
  const cycle = cycleOf(at)
  const call = send === undefined ? '' : callOf(send)
  const name = cycle === null ? 'Working state, open' : `Cycle ${cycle}${call}`
  const past =
    send?.before === undefined ? '' : `; ${statusWord(send.before.status)} by ${send.before.context}, before the fork`
  const went = send?.status === undefined ? past : `; ${statusWord(send.status)}`
  if (figures === undefined)
    return cycle === null ? name : send === undefined ? `${name}, not loaded yet` : `${name}${went}`
  const broken = figures.prefix.broken ? `, prefix broken after ${count(figures.prefix.tokens)} tokens` : ''
  const happened = signs.length === 0 ? '' : `; ${signs.map(({ word }) => word).join(', ')}`
  const groups =
    shading === undefined || figures.groups === undefined
      ? ''
      : `; ${groupWords(shading.by, figures.groups, figures.tokens)}`
  const billed = send?.billed === undefined ? '' : `; billed: ${billedWords(send.billed)}`
  return `${name}: ${count(figures.tokens)} tokens${broken}${groups}${happened}${went}${billed}`
}
