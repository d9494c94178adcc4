// A node's life: one cell per cycle that holds it, and its events. A long history is drawn as ranges.

import type { JSX } from 'preact'
import type { Life as LifeData } from '../../api/index.js'
import { cycleOf, type At } from '../state/link.js'
import { causeWord } from '../words/causes.js'
import { MomentLink, NodeLink, nameOf, type ThreadShare } from './bits.js'
import { useSession } from './use-session.js'

const MOST_CELLS = 80

type Cell = Readonly<{ from: number; to: number; isThere: boolean }>

type Props = Readonly<{ life: LifeData; part: ThreadShare; ttl: number | undefined; at: At }>

export function Life({ life, part, ttl, at }: Props): JSX.Element {
  const { columns, newest, step } = useSession()
  const first = columns.span.value?.first ?? 1
  const now = cycleOf(at)
  const cells = cellsOf(life, first, newest.value)
  const isOpenToo = life.runs.at(-1)?.to === newest.value || life.runs.length === 0
  const ttlAt = (cell: Cell): string => {
    if (ttl === undefined || !cell.isThere || cell.from !== cell.to || now === null) return ''
    const left = ttl - (cell.from - now)
    return left > 0 && inRunWith(life, now, cell.from) ? String(left) : ''
  }
  return (
    <section>
      <h3>Life</h3>
      <div class="life">
        {cells.map((cell) => (
          <button
            key={cell.from}
            type="button"
            class={`${cell.isThere ? `part-${part}` : 'off'}${now !== null && now >= cell.from && now <= cell.to ? ' cur' : ''}`}
            aria-label={`${cellName(cell)}: ${cell.isThere ? 'there' : 'not there'}`}
            title={cellName(cell)}
            onClick={() => step(`c${cell.to}`)}
          >
            {ttlAt(cell)}
          </button>
        ))}
        <button
          type="button"
          class={`${isOpenToo && lastsNow(life) ? `part-${part}` : 'off'}${at === 'working' ? ' cur' : ''}`}
          aria-label="working"
          title="working"
          onClick={() => step('working')}
        />
      </div>
      <div class="lifeax">
        <span>c{first}</span>
        <span>working</span>
      </div>
      <div class="hist">
        {life.events.map((event) => {
          const moment: At = event.cycle > newest.value ? 'working' : `c${event.cycle}`
          return (
            <>
              <MomentLink at={moment}>{moment === 'working' ? 'open' : nameOf(moment)}</MomentLink>
              <span>
                {isLeaving(event.what, life, event.cycle) ? 'left: ' : ''}
                {causeWord(event.what)}
                {event.by !== undefined && (
                  <span class="muted">
                    {' '}
                    by{' '}
                    {LEAVING.has(event.what) && event.what !== 'pruned' ? (
                      <NodeLink id={event.by} />
                    ) : (
                      <code>{event.by}</code>
                    )}
                  </span>
                )}
              </span>
            </>
          )
        })}
      </div>
    </section>
  )
}

function cellName({ from, to }: Cell): string {
  return from === to ? `@c${from}` : `@c${from} to @c${to}`
}

function cellsOf({ runs }: LifeData, first: number, newest: number): Cell[] {
  if (newest < first || newest === 0) return []
  const width = Math.max(1, Math.ceil((newest - first + 1) / MOST_CELLS))
  return Array.from({ length: Math.ceil((newest - first + 1) / width) }, (_, i) => {
    const from = first + i * width
    const to = Math.min(newest, from + width - 1)
    return { from, to, isThere: runs.some((run) => run.from <= to && run.to >= from) }
  })
}

/** True if a ttl known at one cycle can be computed for another. */
function inRunWith({ runs, events }: LifeData, a: number, b: number): boolean {
  const [from, to] = [Math.min(a, b), Math.max(a, b)]
  const isOneRun = runs.some((run) => run.from <= from && run.to >= to)
  return isOneRun && !events.some(({ what, cycle }) => what === 'edited' && cycle > from && cycle <= to)
}

function lastsNow({ events }: LifeData): boolean {
  const last = events.at(-1)?.what
  return last === undefined || !LEAVING.has(last)
}

const LEAVING: ReadonlySet<string> = new Set(['expired', 'pruned', 'dropped', 'superseded', 'redacted'])

/** A successor came by superseding; a superseded node left that way. */
function isLeaving(what: string, { runs }: LifeData, cycle: number): boolean {
  return LEAVING.has(what) && !runs.some((run) => run.from === cycle)
}
