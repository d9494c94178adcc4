// The switch over the columns: by part, by role, by tool; the legend with the figures of the moment in view; and the table behind the picture.

import type { JSX } from 'preact'
import type { Figures } from '../../api/index.js'
import type { By } from '../state/link.js'
import { columnName } from '../state/sends.js'
import { groupName, legendOf, type Group, type Shading } from '../words/groups.js'
import { count, signed } from '../words/numbers.js'
import { usePicture } from './shading.js'
import { useSession } from './use-session.js'
import type { Shown } from './window.js'

const CHOICES: readonly (readonly [By | null, string])[] = [
  [null, 'part'],
  ['role', 'role'],
  ['tool', 'tool'],
]

export function BySwitch(): JSX.Element {
  const { place, go } = useSession()
  const { by } = place.value
  const move = (event: KeyboardEvent): void => {
    const step = /Right|Down/.test(event.key) ? 1 : /Left|Up/.test(event.key) ? -1 : 0
    if (step === 0 || !event.key.startsWith('Arrow')) return
    event.preventDefault()
    event.stopPropagation()
    const now = CHOICES.findIndex(([each]) => each === by)
    const [next, name] = CHOICES[(now + step + CHOICES.length) % CHOICES.length]!
    go({ by: next })
    document.getElementById(`by-${name}`)?.focus()
  }
  return (
    <div class="by" role="radiogroup" aria-label="Tokens by" onKeyDown={move}>
      <span aria-hidden="true">by</span>
      {CHOICES.map(([each, name]) => (
        <button
          key={name}
          type="button"
          role="radio"
          id={`by-${name}`}
          aria-checked={each === by}
          tabIndex={each === by ? 0 : -1}
          title={`Draws the columns by ${name}`}
          onClick={() => go({ by: each })}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

/** Most groups in the legend; the others share its last row. */
const ROWS = 5

/** The legend: the groups of the moment in view, with their tokens and the change since the call before. */
export function GroupRows({ now, last }: { now: Figures | undefined; last: Figures | undefined }): JSX.Element | null {
  const { shading } = usePicture()
  if (shading === undefined) return null
  const names = [...new Set([...shading.shades.keys(), ...(now?.groups ?? []).map(({ name }) => name)])]
  const shown = legendOf(
    shading,
    names.filter((name) => shading.by === 'tool' || name !== '' || sumOf(now, [name]) > 0),
  )
  const rows =
    shown.length <= ROWS
      ? shown
      : [
          ...shown.slice(0, ROWS - 1),
          { shade: 'purple' as const, names: shown.slice(ROWS - 1).flatMap((each) => each.names) },
        ]
  return (
    <>
      {rows.map(({ shade, names: group }) => (
        <tr key={shade}>
          <th scope="row" title={group.map((name) => groupName(shading.by, name)).join(', ')}>
            <i class={`swatch shade-${shade}`} />
            <span class="outside">
              {group.length === 1 ? groupName(shading.by, group[0]!) : `${group.length} others`}
            </span>
          </th>
          <td>{now === undefined ? '' : count(sumOf(now, group))}</td>
          <td>{now === undefined || last === undefined ? '' : signed(sumOf(now, group) - sumOf(last, group))}</td>
        </tr>
      ))}
    </>
  )
}

function sumOf(figures: Figures | undefined, names: readonly string[]): number {
  const groups: readonly Group[] = figures?.groups ?? []
  return groups.reduce((sum, { name, tokens }) => sum + (names.includes(name) ? tokens : 0), 0)
}

/** The picture as a table, for those who do not see it: the calls in view, and the tokens of each group. */
export function GroupTable({ shown, shading }: { shown: readonly Shown[]; shading: Shading }): JSX.Element {
  const { by } = shading
  const names = [...new Set(shown.flatMap(({ figures }) => figures?.groups?.map(({ name }) => name) ?? []))].sort()
  return (
    <div class="sr">
      <table id="groups">
        <caption>Tokens of each call by {by}</caption>
        <thead>
          <tr>
            <th scope="col">call</th>
            {names.map((name) => (
              <th key={name} scope="col" class="outside">
                {groupName(by, name)}
              </th>
            ))}
            <th scope="col">all</th>
            <th scope="col">as in the call before</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ at, send, figures }) => {
            const groups = figures?.groups
            if (groups === undefined) return null
            return (
              <tr key={at} data-at={at}>
                <th scope="row">{at === 'working' ? 'open' : columnName(send)}</th>
                {names.map((name) => (
                  <td key={name}>{count(sumOf(figures, [name]))}</td>
                ))}
                <td>{count(groups.reduce((sum, { tokens }) => sum + tokens, 0))}</td>
                <td>{count(groups.reduce((sum, { repeated }) => sum + repeated, 0))}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
