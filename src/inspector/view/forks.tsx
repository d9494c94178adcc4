// The forks of a context as a graph: a line for each context, a dot for each cycle. Two heads are chosen, and compared.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { NOWHERE, writeLink } from '../state/link.js'
import { commonCycle, graphOf, nearestOf, type GraphRow } from '../words/forks.js'
import { plural } from '../words/numbers.js'
import { useActions } from './actions.js'
import { useNarrow } from './use-narrow.js'
import { useSession } from './use-session.js'

/** Pixels of a row, in the list and in the graph. */
const ROW = 36
/** The same on a phone, where a line is under the name of its context. */
const TALL = 60
/** The widest and the narrowest distance of two cycles, and the width that all of them should have. */
const [WIDE, NARROW, WIDTH] = [28, 1.5, 720]
/** Cycles that are this close together have no dots but those at ends. */
const CLOSE = 9

export function ForksView(): JSX.Element {
  const { family, place } = useSession()
  const { compareHeads } = useActions()
  const { context } = place.value
  const picked = useSignal<readonly string[]>([])
  const rows = graphOf(family.value)
  const nearest = nearestOf(family.value, context)
  const chosen = picked.value.length > 0 ? picked.value : nearest === undefined ? [context] : [nearest.id, context]
  const heads = chosen.flatMap((id) => rows.find((row) => row.id === id) ?? [])
  const toggle = (id: string): void => {
    picked.value = chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id].slice(-2)
  }
  const [from, to] = heads
  const common = from === undefined || to === undefined ? 0 : commonCycle(family.value, from.id, to.id)
  return (
    <div class="forks">
      <div class="forkh">
        {from !== undefined && to !== undefined ? (
          <>
            <button
              type="button"
              class="btn primary"
              onClick={() => compareHeads({ id: from.id, cycle: from.to }, { id: to.id, cycle: to.to })}
            >
              Compare {headName(from)} with {headName(to)}
            </button>
            <span class="muted">{common === 0 ? 'They have no cycle together.' : `Both have @c1 to @c${common}.`}</span>
          </>
        ) : (
          <span class="muted">Choose two heads to compare them.</span>
        )}
      </div>
      <div class="forkg">
        <ul aria-label="Contexts of this family">
          {rows.map((row) => (
            <li key={row.id} style={{ paddingLeft: `${row.level * 14}px` }}>
              <input
                type="checkbox"
                aria-label={`Compare ${headName(row)}`}
                checked={chosen.includes(row.id)}
                onChange={() => toggle(row.id)}
              />
              <a class="outside" href={linkTo(row, row.to)} aria-current={row.id === context ? 'true' : undefined}>
                {row.id}
              </a>
              <span class="muted">{row.parent === undefined ? plural(row.to, 'cycle') : `from @c${row.from}`}</span>
            </li>
          ))}
        </ul>
        <Graph rows={rows} chosen={chosen} />
      </div>
    </div>
  )
}

function headName({ id, to }: GraphRow): string {
  return `${id}@c${to}`
}

function linkTo({ id }: GraphRow, cycle: number): string {
  return writeLink({ ...NOWHERE, context: id, at: `c${cycle}` })
}

/** The list says the same in words; the dots lead to their cycles for those who see them. */
function Graph({ rows, chosen }: { rows: readonly GraphRow[]; chosen: readonly string[] }): JSX.Element {
  const { place, at, go } = useSession()
  const isNarrow = useNarrow()
  const newest = Math.max(1, ...rows.map(({ to }) => to))
  const step = Math.max(NARROW, Math.min(WIDE, (isNarrow ? innerWidth - 64 : WIDTH) / newest))
  const x = (cycle: number): number => 12 + (cycle - 1) * step
  const height = isNarrow ? TALL : ROW
  const y = (row: number): number => (row + 1) * height - ROW / 2
  const shade = (level: number): string => `fork-${Math.min(2, level)}`
  return (
    <div class="forkp" tabIndex={0} role="region" aria-label="Graph of the forks">
      <svg width={x(newest) + 16} height={rows.length * height} aria-hidden="true">
        {rows.map((row, i) => (
          <g key={row.id} class={shade(row.level)}>
            {row.parent === undefined ? (
              <path d={`M${x(row.from + 1)} ${y(i)}H${x(row.to)}`} />
            ) : (
              <path d={branchOf(x(row.from), y(row.parent), y(i), x(row.to), Math.min(step, 18))} />
            )}
            {dotsOf(row, step).map((cycle) => (
              <circle
                key={cycle}
                cx={x(cycle)}
                cy={y(i)}
                r={cycle === row.to ? 5 : 3.5}
                data-at={`${row.id}@c${cycle}`}
                onClick={() => go({ ...NOWHERE, by: place.value.by, context: row.id, at: `c${cycle}` })}
              >
                <title>{`${row.id}@c${cycle}`}</title>
              </circle>
            ))}
            {chosen.includes(row.id) && <circle cx={x(row.to)} cy={y(i)} r={8} class="ring" />}
            {row.id === place.value.context && at.value === `c${row.to}` && (
              <text x={x(row.to)} y={y(i) - 9} text-anchor="end">
                here
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  )
}

/** From the parent's line down to its own. */
function branchOf(from: number, top: number, own: number, to: number, bend: number): string {
  return `M${from} ${top}C${from + bend} ${top} ${from} ${own} ${from + bend} ${own}H${Math.max(to, from + bend)}`
}

/** Every cycle of its own, or only the last one where they are too close for dots. */
function dotsOf({ from, to }: GraphRow, step: number): readonly number[] {
  if (step < CLOSE || to <= from) return [to]
  return Array.from({ length: to - from }, (_, i) => from + 1 + i)
}
