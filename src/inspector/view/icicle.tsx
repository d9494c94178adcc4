// Where the tokens of a call sit: its turns and nodes in the order of the request, the width of each its tokens. One click chooses a node.

import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { icicleOf, largestIn, type Bar, type Icicle } from '../words/icicle.js'
import { count, percent } from '../words/numbers.js'
import { useActions } from './actions.js'
import { nameOf, NodeLink } from './bits.js'
import { usePicture } from './shading.js'
import { requestInView } from './use-request.js'
import { useSession } from './use-session.js'

/** The icicle of the moment in view; undefined until its tokens are known. */
function useIcicle(): Readonly<{ icicle: Icicle; isFresh: boolean; shows: string }> | undefined {
  const session = useSession()
  const { at, shared } = session
  const { shading } = usePicture()
  const { value: map, about, isFresh } = shared.tokenMap.value
  const prefix = shared.prefix.value.isFresh ? shared.prefix.value.value : undefined
  const request = requestInView(session)
  const isRequest = request?.at === at.value && request?.sourceMap !== undefined && request.sourceMap.length > 0
  const sources = isRequest ? request.sourceMap : undefined
  const sent = useMemo(() => sources && new Set(sources.map(({ node }) => node)), [sources])
  const icicle = useMemo(() => {
    if (map === undefined) return undefined
    return icicleOf(map, { shading, same: prefix?.tokens ?? 0, sent })
  }, [map, shading, prefix?.tokens, sent])
  if (icicle === undefined || icicle.total === 0 || map === undefined) return undefined
  return { icicle, isFresh, shows: nameOf(about?.at ?? 'working') }
}

/** The icicle under the answer, without a title. */
export function WhereStrip(): JSX.Element | null {
  const { isUntold, place } = useSession()
  const found = useIcicle()
  const { view } = place.value
  if (found === undefined || isUntold.value || view === 'request' || view === 'forks') return null
  return (
    <section class="where" aria-label="Where the tokens sit" data-shows={found.shows} aria-busy={!found.isFresh}>
      <Bars of={found.icicle} room={0.06} />
    </section>
  )
}

/** A mark over the icicle: the first difference, or a cache mark that can or cannot be read. */
export type RequestMark = Readonly<{ at: number; kind: 'fd' | 'bp' | 'bp miss' }>

/** The icicle of the request, with the whole above. */
export function WhereInRequest({ marks }: { marks: readonly RequestMark[] }): JSX.Element | null {
  const found = useIcicle()
  if (found === undefined) return null
  const { icicle } = found
  return (
    <div class="where whole" data-shows={found.shows} aria-busy={!found.isFresh}>
      <div class="all">the whole request · {count(icicle.total)} tokens of content</div>
      <Bars of={icicle} room={0.08}>
        {marks.map(({ at, kind }) => (
          <span key={`${kind}${at}`} class={`mark ${kind}`} style={{ left: `${(at * 100).toFixed(3)}%` }} />
        ))}
      </Bars>
    </div>
  )
}

/** The number of nodes in the table under the icicle. */
const LISTED = 5

/** The icicle in the pane of a cycle, and its largest nodes as a table. */
export function WhereInPane(): JSX.Element | null {
  const { shared } = useSession()
  const found = useIcicle()
  if (found === undefined) return null
  const { icicle } = found
  const largest = shared.cycle.value.value?.largest ?? []
  const isWhole = largest.length === 0
  return (
    <section class="where inpane" data-shows={found.shows}>
      <h3>Where the tokens sit</h3>
      <Bars of={icicle} room={0.18} />
      <table class="delta">
        <caption class="sr">The largest nodes</caption>
        <tbody>
          {largest.map((each) => (
            <tr key={each.id}>
              <td>
                <NodeLink id={each.id} />
              </td>
              <td class="outside">{each.kind ?? each.role ?? ''}</td>
              <td class="outside">{each.name ?? (each.key === undefined ? '' : `#${each.key}`)}</td>
              <td class="right">{count(each.tokens)}</td>
              <td class="right">{percent(each.tokens / icicle.total)}</td>
            </tr>
          ))}
          {isWhole &&
            largestIn(icicle, LISTED).map((each) => (
              <tr key={each.id}>
                <td>
                  <NodeLink id={each.id} />
                </td>
                <td class="outside">{each.name}</td>
                <td class="right">{count(each.tokens)}</td>
                <td class="right">{percent(each.width)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}

type BarsProps = Readonly<{
  of: Icicle
  /** The share of the width from which a bar has room for its name; with its tokens it needs twice as much. */
  room: number
  children?: ComponentChildren
}>

function Bars({ of: { turns, nodes }, room, children }: BarsProps): JSX.Element {
  const { place } = useSession()
  const { pick } = useActions()
  const box = useRef<HTMLDivElement>(null)
  const { node } = place.value
  const chosen = Math.max(
    0,
    nodes.findIndex(({ id }) => id === node),
  )
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    event.stopPropagation()
    const bars = [...(box.current?.querySelectorAll<HTMLElement>('.bar-node') ?? [])]
    const now = bars.findIndex((each) => each === document.activeElement)
    bars[Math.max(0, Math.min(bars.length - 1, now + by))]?.focus()
  }
  return (
    <div class="bars" ref={box} role="group" aria-label="Tokens in the order of the request" onKeyDown={move}>
      <div class="turns" aria-hidden="true">
        {turns.map((each) => (
          <span key={each.id} style={placeOf(each)} title={each.label} onClick={() => pick(each.id)}>
            {each.width > room * (0.03 + 0.11 * each.name.length) && each.name}
          </span>
        ))}
      </div>
      <div class="nodes">
        {nodes.map((each, i) => (
          <button
            key={each.id}
            type="button"
            class={`bar-node shade-${each.shade}${each.isSame ? ' same' : ''}${each.isLeftOut ? ' out' : ''}`}
            style={placeOf(each)}
            aria-label={each.label}
            title={each.label}
            tabIndex={i === chosen ? 0 : -1}
            aria-current={each.id === node ? 'true' : undefined}
            onClick={() => pick(each.id)}
          >
            {/* As generated content, so that the name of the button is its label alone. */}
            {each.width > room && (
              <span
                class="outside"
                aria-hidden="true"
                data-name={each.name}
                data-figures={each.width > 2 * room ? ` ${count(each.tokens)} · ${percent(each.width)}` : ''}
              />
            )}
          </button>
        ))}
        {children}
      </div>
    </div>
  )
}

function placeOf({ from, width }: Bar): Readonly<{ left: string; width: string }> {
  return { left: `${(from * 100).toFixed(3)}%`, width: `${(width * 100).toFixed(3)}%` }
}
