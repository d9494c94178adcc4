// The request for one provider, byte for byte: items with offsets, the part shared with the previous request, the first difference,
// removed items in place, and cache breakpoints. Only visible rows are in the DOM.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import type { PrefixAnswer, Rendered } from '../../api/index.js'
import { FORMATS, type At, type Format } from '../state/link.js'
import type { Fragments } from '../words/request.js'
import { count } from '../words/numbers.js'
import { useActions } from './actions.js'
import { nameOf } from './bits.js'
import { RequestRowView } from './request-row.js'
import { requestRows, type RequestRow } from './request-rows.js'
import { useRequest, useSentFormat } from './use-request.js'
import { Loading } from './states.js'
import { Strips } from './strips.js'
import { soughtDifference } from './view-state.js'
import { useSession } from './use-session.js'

export function RequestView(): JSX.Element {
  const { at, base } = useSession()
  const request = useRequest()
  const now = at.value
  if (request.failure !== undefined) return <Refused words={`${request.failure.code}: ${request.failure.message}`} />
  if (request.now === undefined || now === null) return <Loading />
  const rows = requestRows(request)
  return (
    <div class="request">
      <Head
        now={request.now.cut}
        last={request.last?.cut}
        prefix={request.prefix}
        from={base.value}
        to={now}
        rendered={request.now.rendered}
      />
      <Items rows={rows} />
    </div>
  )
}

function Refused({ words }: { words: string }): JSX.Element {
  return (
    <div class="request">
      <div class="reqh">
        <Formats />
      </div>
      <div class="node">
        <p class="c-del outside">{words}</p>
      </div>
    </div>
  )
}

type HeadProps = Readonly<{
  now: Fragments
  last: Fragments | undefined
  prefix: PrefixAnswer | undefined
  from: At | null
  to: At
  rendered: Rendered
}>

function Head({ now, last, prefix, from, to, rendered }: HeadProps): JSX.Element {
  const { place } = useSession()
  const { repairs } = rendered
  return (
    <div class="reqh">
      <div class="fmts">
        <Formats />
        <span class="sp" />
        <span class="muted">
          {count(now.bytes)} bytes · {count(rendered.tokens)} tokens of content
        </span>
      </div>
      {last !== undefined && from !== null && prefix !== undefined && (
        <Strips last={last} now={now} prefix={prefix} from={from} to={to} />
      )}
      <p class="lab">
        {cacheWords(place.value.as, now, prefix)} {from !== null && `Pale: the same bytes as ${nameOf(from)}. `}
        {repairs.length > 0 &&
          `${repairs.length} ${repairs.length === 1 ? 'repair' : 'repairs'} made it valid for this provider. `}
        Line breaks are not in the bytes.
      </p>
    </div>
  )
}

function Formats(): JSX.Element {
  const { place, go } = useSession()
  const sentAs = useSentFormat()
  const list = [...FORMATS.keys()]
  const move = (event: KeyboardEvent): void => {
    const by = /Right|Down/.test(event.key) ? 1 : /Left|Up/.test(event.key) ? -1 : 0
    if (by === 0 || !event.key.startsWith('Arrow')) return
    event.preventDefault()
    event.stopPropagation()
    const next = list[(list.indexOf(place.value.as) + by + list.length) % list.length]!
    go({ as: next })
    document.getElementById(`as-${next}`)?.focus()
  }
  return (
    <span role="radiogroup" aria-label="Format" onKeyDown={move}>
      {list.map((format) => (
        <button
          key={format}
          type="button"
          role="radio"
          id={`as-${format}`}
          aria-checked={place.value.as === format}
          tabIndex={place.value.as === format ? 0 : -1}
          onClick={() => go({ as: format })}
        >
          {FORMATS.get(format)}
          {sentAs === format && ' · sent'}
        </button>
      ))}
    </span>
  )
}

function cacheWords(as: Format, now: Fragments, prefix: PrefixAnswer | undefined): string {
  const same = prefix?.tokens ?? 0
  if (as === 'openai-chat' || as === 'openai-responses') {
    if (same < 1024) return 'Below 1,024 unchanged tokens nothing is read from the cache.'
    return `Automatic caching reads at most ${count(1024 + Math.floor((same - 1024) / 128) * 128)} of ${count(now.tokens)} tokens.`
  }
  if (as === 'thread') return 'The canonical thread: what every adapter starts from.'
  const marks = now.list.filter(({ breakpoint }) => breakpoint !== undefined)
  if (as !== 'anthropic' || marks.length === 0) return 'No cache breakpoints are set.'
  const readable = marks.filter(({ breakpoint }) => breakpoint!.byte <= (prefix?.bytes ?? 0)).length
  const many = marks.length === 1 ? '1 breakpoint' : `${marks.length} breakpoints`
  return `With cache: true there are ${many}: ${readable} can be read, ${marks.length - readable} will be written.`
}

function Items({ rows }: { rows: readonly RequestRow[] }): JSX.Element {
  const { place, tree } = useSession()
  const { pick } = useActions()
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtual(rows.length, box, (index) => rows[index]!.key)

  const show = (index: number): void => {
    if (index >= 0) virtual.scrollToIndex(index, { align: 'center' })
  }
  useEffect(() => {
    if (soughtDifference.value > 0) show(rows.findIndex(({ kind }) => kind === 'difference'))
  }, [soughtDifference.value, place.value.at])
  useEffect(() => {
    const { node } = place.peek()
    if (node !== null) show(rows.findIndex((row) => row.kind === 'item' && row.node === node))
  }, [tree.sought.value])

  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    event.stopPropagation()
    const items = rows.flatMap((row) => (row.kind === 'item' && row.node !== null ? [row.node] : []))
    const now = items.indexOf(place.value.node ?? '')
    const next = items[Math.max(0, Math.min(items.length - 1, now + by))]
    if (next !== undefined) pick(next)
  }

  return (
    <div class="items" ref={box} id="items" tabIndex={0} role="region" aria-label="Request" onKeyDown={move}>
      <div class="rows" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            class="vrow"
            data-index={item.index}
            ref={(element) => {
              if (element) virtual.measureElement(element)
            }}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <RequestRowView row={rows[item.index]!} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** The list scrolls itself, also on a narrow page, where it is as high as the window. */
function useVirtual(
  length: number,
  box: { current: HTMLDivElement | null },
  keyOf: (index: number) => string,
): Virtualizer<HTMLDivElement, Element> {
  const [, redraw] = useReducer((n: number) => n + 1, 0)
  const options = {
    count: length,
    getScrollElement: () => box.current,
    estimateSize: () => 58,
    overscan: 6,
    getItemKey: keyOf,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(0),
  }
  const [virtual] = useState(() => new Virtualizer<HTMLDivElement, Element>(options))
  virtual.setOptions({ ...virtual.options, ...options })
  useLayoutEffect(() => virtual._didMount(), [])
  useLayoutEffect(() => virtual._willUpdate())
  return virtual
}
