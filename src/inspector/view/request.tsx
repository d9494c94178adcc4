// The request of a moment, byte for byte: as it was sent, with its hash proved, or as a format would have it. Items have offsets; the part
// shared with the previous request has a ground of its own; the first difference, removed items and cache breakpoints are between them.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { JsonObject, PrefixAnswer } from '../../api/index.js'
import { FORMATS, type At, type Format } from '../state/link.js'
import type { SentRequest } from '../state/shared.js'
import { count, plural, utf8Length } from '../words/numbers.js'
import { useActions } from './actions.js'
import { nameOf, NodeLink } from './bits.js'
import { textField } from './changes.js'
import { WhereInRequest, type RequestMark } from './icicle.js'
import { RequestRowView } from './request-row.js'
import { requestRows, type RequestRow } from './request-rows.js'
import { useRequest, type Request } from './use-request.js'
import { Loading } from './states.js'
import { Untold } from './untold.js'
import { narrowNow } from './use-narrow.js'
import { useVirtual } from './use-virtual.js'
import { soughtDifference } from './view-state.js'
import { useSession } from './use-session.js'

export function RequestView(): JSX.Element {
  const { at, isUntold, shared } = useSession()
  const request = useRequest()
  const { failure, now, last, prefix, changes, from } = request
  const rows = useMemo(() => requestRows(request), [now?.cut, last, prefix, changes, from])
  const { value: sent, about, isFresh } = shared.sent.value
  const why = isFresh && about?.at === at.value ? sent?.why : undefined
  if (isUntold.value && why !== undefined) return <Untold />
  if (failure !== undefined) return <Refused words={`${failure.code}: ${failure.message}`} />
  if (now === undefined || at.value === null) return <Loading />
  return (
    <div class="request" data-shows={nameOf(now.at)} aria-busy={now.at !== at.value}>
      <Head request={request} now={now} />
      <Items rows={rows} at={now.at} />
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
        <p class="outside">{words}</p>
      </div>
    </div>
  )
}

function Head({ request, now }: { request: Request; now: NonNullable<Request['now']> }): JSX.Element {
  const { as, base } = useSession()
  const { prefix } = request
  const from = base.value
  return (
    <div class="reqh">
      <Sealed />
      <div class="fmts">
        <Formats />
        <span class="sp" />
        <span class="muted">
          {count(now.cut.bytes)} bytes{now.tokens !== undefined && ` · ${count(now.tokens)} tokens of content`}
        </span>
      </div>
      {now.sourceMap.length > 0 && <WhereInRequest marks={marksOf(now, prefix)} />}
      <p class="lab">
        {as.value !== null && now.sourceMap.length > 0 && cacheWords(as.value, now, prefix)}{' '}
        {from !== null && prefix !== undefined && `Hatched and shaded: the same bytes as ${nameOf(from)}. `}
        Line breaks are not in the bytes.
      </p>
      {now.repairs.length > 0 && <Repairs of={now.repairs} />}
    </div>
  )
}

function marksOf({ cut }: NonNullable<Request['now']>, prefix: PrefixAnswer | undefined): readonly RequestMark[] {
  const all = Math.max(1, cut.tokens)
  const marks = cut.list.flatMap(({ breakpoint, tokens, tokensBefore }): readonly RequestMark[] => {
    if (breakpoint === undefined) return []
    const isReadable = prefix !== undefined && breakpoint.byte <= prefix.bytes
    return [{ at: (tokensBefore + tokens) / all, kind: isReadable ? 'bp' : 'bp miss' }]
  })
  if (prefix?.first === undefined) return marks
  return [...marks, { at: prefix.tokens / Math.max(1, prefix.total), kind: 'fd' }]
}

/** The repairs that made the request valid, each with its node. */
function Repairs({ of }: { of: readonly JsonObject[] }): JSX.Element {
  return (
    <details class="repairs">
      <summary>{plural(of.length, 'repair')} made it valid for this provider</summary>
      <ul>
        {of.map((repair, i) => (
          <li key={i}>
            <NodeLink id={textField(repair, 'node') ?? ''} /> <span class="outside">{textField(repair, 'text')}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The proof that the bytes are those that were sent, or the reason why they are not known. */
function Sealed(): JSX.Element | null {
  const { shared, sends, at } = useSession()
  const { value: sent, about, isFresh } = shared.sent.value
  const call = at.value === null ? undefined : sends.find(at.value)
  const record = shared.cycle.value.value?.attempts.find(({ attempt_id: id }) => id === call?.attempt)
  if (call?.attempt === undefined || sent === undefined || !isFresh || about?.at !== at.value) return null
  const to = [record?.provider, record?.model].filter((each) => each !== undefined).join(' · ')
  if (sent.text === undefined) {
    return (
      <p class="seal">
        <span aria-hidden="true">○</span> <strong>The bytes that {call.attempt} sent are not known.</strong>{' '}
        {shared.rendered.value.value !== undefined && <span class="outside">{sent.why?.message}</span>}
      </p>
    )
  }
  const isOther = !shared.isAsSent.value
  return (
    <p class="seal">
      <Proof of={sent} text={sent.text} />
      <span class="outside">
        sent to {to} · {count(utf8Length(sent.text))} B{sent.isKept && ' · kept with the record'}
        {isOther && '. Below are other bytes, in the format that you chose.'}
      </span>
    </p>
  )
}

/** Hashes the bytes here, so that the page need not believe the server. Without a secure context it says so. */
function Proof({ of, text }: { of: SentRequest; text: string }): JSX.Element {
  const found = useSignal<string | null>(null)
  useEffect(() => {
    found.value = null
    const digest = crypto.subtle?.digest('SHA-256', new TextEncoder().encode(text))
    if (digest === undefined) found.value = ''
    else void digest.then((bytes) => (found.value = hexOf(new Uint8Array(bytes))))
  }, [text])
  const { hash } = of
  const short = hash === undefined ? '' : `sha256 ${hash.slice(0, 8)}…`
  if (found.value === null) return <span class="muted">… </span>
  if (hash === undefined || found.value === '') return <span>○ {short} not checked by this page: </span>
  return found.value === hash ? (
    <strong class="c-add">✓ {short} matches the record: </strong>
  ) : (
    <strong class="c-del">× {short} does not match the record: </strong>
  )
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function Formats(): JSX.Element {
  const { place, as, go, shared } = useSession()
  const group = useRef<HTMLSpanElement>(null)
  const hasSent = shared.sent.value.value?.text !== undefined
  const isSent = shared.isAsSent.value
  const list: readonly (Format | null)[] = [...(hasSent ? [null] : []), ...FORMATS.keys()]
  const chosen = isSent ? null : (place.value.as ?? as.value)
  // On a phone the formats are one line that scrolls.
  useEffect(() => {
    const button = group.current?.querySelector<HTMLElement>('[aria-checked="true"]')
    if (button !== null && button !== undefined)
      group.current!.scrollLeft = button.offsetLeft - group.current!.offsetLeft
  }, [chosen, hasSent])
  const move = (event: KeyboardEvent): void => {
    const by = /Right|Down/.test(event.key) ? 1 : /Left|Up/.test(event.key) ? -1 : 0
    if (by === 0 || !event.key.startsWith('Arrow')) return
    event.preventDefault()
    event.stopPropagation()
    const next = list[(list.indexOf(chosen) + by + list.length) % list.length] ?? null
    go({ as: next })
    document.getElementById(`as-${next ?? 'sent'}`)?.focus()
  }
  return (
    <span role="radiogroup" aria-label="Format" ref={group} onKeyDown={move}>
      {list.map((format) => (
        <>
          <button
            key={format ?? 'sent'}
            type="button"
            role="radio"
            id={`as-${format ?? 'sent'}`}
            aria-checked={chosen === format}
            tabIndex={chosen === format ? 0 : -1}
            onClick={() => go({ as: format })}
          >
            {format === null ? 'as sent' : FORMATS.get(format)}
          </button>
          {format === null && <span class="muted">would be:</span>}
        </>
      ))}
    </span>
  )
}

function cacheWords(
  as: Format,
  { cut, isSent }: NonNullable<Request['now']>,
  prefix: PrefixAnswer | undefined,
): string {
  const same = prefix?.tokens ?? 0
  if (as === 'openai-chat' || as === 'openai-responses') {
    if (same < 1024) return 'Below 1,024 unchanged tokens nothing is read from the cache.'
    return `Automatic caching reads at most ${count(1024 + Math.floor((same - 1024) / 128) * 128)} of ${count(cut.tokens)} tokens.`
  }
  if (as === 'thread') return 'The canonical thread: what every adapter starts from.'
  const marks = cut.list.filter(({ breakpoint }) => breakpoint !== undefined)
  if (as !== 'anthropic' || marks.length === 0) return 'No cache breakpoints are set.'
  const readable = marks.filter(({ breakpoint }) => breakpoint!.byte <= (prefix?.bytes ?? 0)).length
  const many = plural(marks.length, 'breakpoint')
  return `${isSent ? 'There' : 'With cache: true there'} ${marks.length === 1 ? 'is' : 'are'} ${many}: ${readable} can be read, ${marks.length - readable} will be written.`
}

/** The value of `soughtDifference` that the page has scrolled for. */
let answeredDifference = 0

function Items({ rows, at }: { rows: readonly RequestRow[]; at: At }): JSX.Element {
  const { place, tree } = useSession()
  const { pick } = useActions()
  const box = useRef<HTMLDivElement>(null)
  const keyOf = useMemo(() => (index: number) => rows[index]!.key, [rows])
  const virtual = useVirtual(box, { count: rows.length, rowHeight: 58, keyOf, isScroller: true })

  useEffect(() => {
    if (soughtDifference.value === 0) return
    virtual.show(rows.findIndex(({ kind }) => kind === 'difference'))
    // On a narrow page the list is below the fold. Steps leave the page where it is.
    if (narrowNow() && answeredDifference !== soughtDifference.value) box.current?.scrollIntoView({ block: 'start' })
    answeredDifference = soughtDifference.value
  }, [soughtDifference.value, place.value.at])
  // A request that broke the prefix opens at the difference. Rows that come later leave it in sight, until the user scrolls or goes elsewhere.
  const opened = useRef<At | null>(null)
  const isHeld = useRef(false)
  const letGo = (): void => void (isHeld.current = false)
  useEffect(() => {
    const difference = rows.findIndex(({ kind }) => kind === 'difference')
    if (difference < 0) return
    if (opened.current !== at) isHeld.current = place.peek().node === null
    opened.current = at
    if (isHeld.current) virtual.show(difference)
  }, [rows, at])
  useEffect(() => {
    const { node } = place.peek()
    if (node === null) return
    letGo()
    virtual.show(rows.findIndex((row) => row.kind === 'item' && row.node === node))
  }, [tree.sought.value])

  const move = (event: KeyboardEvent): void => {
    letGo()
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
    <div
      class="items"
      ref={box}
      id="items"
      tabIndex={0}
      role="region"
      aria-label="Request"
      onKeyDown={move}
      onWheel={letGo}
      onPointerDown={letGo}
    >
      <div class="rows" style={{ height: `${virtual.height}px` }}>
        {rows.slice(virtual.from, virtual.to).map((row, i) => (
          <div
            key={row.key}
            class="vrow"
            data-index={virtual.from + i}
            style={{ transform: `translateY(${virtual.topOf(virtual.from + i)}px)` }}
          >
            <RequestRowView row={row} />
          </div>
        ))}
      </div>
    </div>
  )
}
