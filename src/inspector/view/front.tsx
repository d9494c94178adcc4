// The front page: every context, newest first, forks under their parent. What a row shows beyond the list is read when the row is drawn.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import * as routes from '../api/routes.js'
import type { Bin } from '../../api/index.js'
import { writeLink, NOWHERE } from '../state/link.js'
import { useRead } from '../state/reads.js'
import { asForest, type Branch } from '../words/forest.js'
import { ago, count, plural } from '../words/numbers.js'
import { Loading, NoContext, TroubleBanner } from './states.js'
import { useSession } from './use-session.js'

const PAGE = 40
/** The bars of a sparkline, and the longest history whose figures are read for one. */
const BARS = 32
const LONGEST = 600
/** Milliseconds until the page looks again into a store that is empty. */
const LOOK_AGAIN = 2000

export function linkTo(id: string): string {
  return writeLink({ ...NOWHERE, context: id })
}

export function Front(): JSX.Element {
  const { contexts } = useSession()
  const field = useRef<HTMLInputElement>(null)
  const words = useSignal('')
  const shown = useSignal(PAGE)
  useLayoutEffect(() => {
    document.title = 'Contexts · pact inspector'
    field.current?.focus({ preventScroll: true })
    contexts.refresh()
  }, [])
  const all = contexts.list.value
  const isEmpty = all?.length === 0
  useEffect(() => {
    if (!isEmpty) return
    const timer = setInterval(contexts.refresh, LOOK_AGAIN)
    return () => clearInterval(timer)
  }, [isEmpty])
  if (isEmpty)
    return (
      <main>
        <NoContext />
      </main>
    )
  const wanted = words.value.trim().toLowerCase()
  const forest = asForest(all ?? [])
  const found =
    wanted === ''
      ? forest
      : forest.filter(({ of }) => of.id.toLowerCase().includes(wanted)).map(({ of }) => ({ of, level: 0 }))
  const press = (event: KeyboardEvent): void => {
    const links = [...document.querySelectorAll<HTMLElement>('.ctxrow')]
    const now = links.findIndex((each) => each === document.activeElement)
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0) {
      event.preventDefault()
      if (now + by < 0) field.current?.focus()
      else links[Math.min(links.length - 1, now + by)]?.focus()
    } else if (event.key === 'Enter' && now < 0) {
      event.preventDefault()
      links[0]?.click()
    } else if (event.key === 'Escape') {
      event.preventDefault()
      if (words.value === '') history.back()
      else words.value = ''
    }
  }
  return (
    <main class="front" onKeyDown={press}>
      <TroubleBanner />
      <div class="fronth">
        <h2>Contexts</h2>
        <input
          ref={field}
          id="filter"
          type="search"
          aria-label="Filter contexts"
          placeholder="Filter by name"
          autocomplete="off"
          spellcheck={false}
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value
            shown.value = PAGE
          }}
        />
        <span class="muted" role="status">
          {all === undefined
            ? ''
            : wanted === ''
              ? `${plural(all.length, 'context')}${contexts.isReading.value ? ' so far' : ', newest first'}`
              : `${count(found.length)} of ${count(all.length)}`}
        </span>
      </div>
      {all === undefined ? (
        <Loading />
      ) : (
        <ul class="ctxs" aria-label="Contexts">
          {found.slice(0, shown.value).map((each) => (
            <Row key={each.of.id} branch={each} />
          ))}
        </ul>
      )}
      {found.length > shown.value && (
        <p class="more">
          <button type="button" class="btn" onClick={() => (shown.value += PAGE)}>
            Show {Math.min(PAGE, found.length - shown.value)} more of {count(found.length)}
          </button>
        </p>
      )}
      {all !== undefined && found.length === 0 && <p class="more muted">No context has “{words.value}” in its name.</p>}
    </main>
  )
}

function Row({ branch: { of, level } }: { branch: Branch }): JSX.Element {
  const { id, cycle, parent, from, damaged, draft } = of
  const isReadable = damaged === undefined
  const { value: about } = useRead(() => (isReadable ? routes.summary(id) : null))
  const { value: line } = useRead(() =>
    isReadable && cycle > 0 && cycle <= LONGEST ? routes.timeline(id, { from: cycle, to: cycle, bins: BARS }) : null,
  )
  const bins = line?.bins ?? []
  const breaks = bins.reduce((sum, { broken }) => sum + broken, 0)
  const { failed = 0, last } = about?.attempts ?? {}
  return (
    <li>
      <a class="ctxrow" href={linkTo(id)} style={{ paddingLeft: `${12 + level * 20}px` }}>
        <span class="nm">
          {level > 0 && (
            <span class="muted" aria-hidden="true">
              └{' '}
            </span>
          )}
          <b class="outside">{id}</b>
          {parent !== undefined && (
            <span class="muted outside">
              {' '}
              from {level > 0 ? '' : `${parent} `}@c{from}
            </span>
          )}
          {last === 'running' && <span class="bd c-add">a call is running</span>}
          {draft === true && <span class="bd">draft</span>}
        </span>
        <span class="when muted" title={about?.updatedAt ?? undefined}>
          {typeof about?.updatedAt === 'string' && ago(about.updatedAt, Date.now())}
        </span>
        <span class="cy">{plural(cycle, 'cycle')}</span>
        <Spark bins={bins} />
        <span class="tk mono">{about === undefined ? '' : `${count(about.tokens)} tokens`}</span>
        <span class="sg">
          {breaks > 0 && <span class="c-break breaks">{plural(breaks, 'break')}</span>}
          {failed > 0 && <span class="c-del error">× {failed} failed</span>}
          {damaged === true && <span class="c-del">damaged: run pctx fsck</span>}
        </span>
      </a>
    </li>
  )
}

/** Tokens over the cycles; orange on top where the prefix broke. */
function Spark({ bins }: { bins: readonly Bin[] }): JSX.Element {
  const most = Math.max(1, ...bins.map(({ tokens }) => tokens))
  const step = Math.min(8, 128 / Math.max(1, bins.length))
  return (
    <svg class="spark" viewBox="0 0 128 20" aria-hidden="true">
      {bins.map(({ tokens, broken, from }, i) => {
        const height = Math.max(1, (tokens / most) * 18)
        return (
          <g key={from}>
            <rect x={i * step} y={20 - height} width={step - 1} height={height} />
            {broken > 0 && (
              <rect class="brk" x={i * step} y={20 - height} width={step - 1} height={Math.min(3, height)} />
            )}
          </g>
        )
      })}
    </svg>
  )
}
