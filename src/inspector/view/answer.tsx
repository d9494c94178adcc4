// The answer in words: what was sent, what changed since, and how much of it has the same bytes.

import type { JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import * as routes from '../api/routes.js'
import type { AttemptRecord, JsonObject } from '../../api/index.js'
import { cycleOf, FORMATS, type At } from '../state/link.js'
import { useRead } from '../state/reads.js'
import type { Send } from '../state/sends.js'
import { causeWord, TOLD_CAUSES } from '../words/causes.js'
import { count, percent, plural, seconds, size, timeOfDay, utf8Length } from '../words/numbers.js'
import { Linked, nameOf } from './bits.js'
import { listChanges } from './changes.js'
import { causesOff, soughtDifference } from './view-state.js'
import { useSession } from './use-session.js'

export function Answer(): JSX.Element {
  const { at } = useSession()
  const now = at.value
  return (
    <section class="answer" aria-label="What was sent, and what changed">
      <Sent at={now} />
      <Changed at={now} />
      <SameBytes at={now} />
    </section>
  )
}

function Sent({ at }: { at: At | null }): JSX.Element {
  const { column, newest, edits, sends } = useSession()
  const now = column.value
  if (at === null || now === undefined) return <div />
  const send = sends.find(at)
  const heading = at === 'working' ? 'Working state' : headingOf(now.cycle, send)
  return (
    <div>
      <h2>
        {heading} {at !== 'working' && now.cycle <= newest.value && <code>{relative(now.cycle, newest.value)}</code>}
      </h2>
      {at === 'working' ? (
        <>
          <p>
            <strong>Not committed yet.</strong> {plural(now.items, 'item')}, {count(now.tokens)} tokens
          </p>
          <p class="muted">
            Cycle {count(now.cycle)} is open: <ToCycle>{plural(edits.list.value.length, 'call')}</ToCycle>
            {newest.value > 0 && ` since @c${newest.value}`}
          </p>
        </>
      ) : (
        <>
          <p>
            <strong>
              {plural(now.items, 'item')}, {count(now.tokens)} tokens, {size(now.bytes)}
            </strong>
          </p>
          <Attempts send={send} />
        </>
      )}
    </div>
  )
}

function headingOf(cycle: number, send: Send | undefined): string {
  if (send === undefined) return `Cycle ${count(cycle)}`
  const { nth, of } = send
  if (nth === 0) return `Committed in cycle ${count(cycle)}`
  return of < 2 ? `Sent in cycle ${count(cycle)}` : `Sent in cycle ${count(cycle)}, call ${nth} of ${of}`
}

function Attempts({ send }: { send: Send | undefined }): JSX.Element {
  const { shared } = useSession()
  if (send === undefined || send.of === 0) return <p class="muted">No attempt recorded</p>
  if (send.attempt === undefined) {
    return (
      <p class="muted">
        Not sent itself: <ToCycle>{plural(send.of, 'attempt')}</ToCycle> sent what was open
      </p>
    )
  }
  const attempt = shared.cycle.value.value?.attempts.find(({ attempt_id: id }) => id === send.attempt)
  return (
    <p class="muted">
      <ToCycle>{send.of === 1 ? '1 attempt' : `Attempt ${send.nth} of ${send.of}`}</ToCycle>
      {attempt !== undefined && (
        <>
          : {timeOfDay(attempt.started_at)} <AttemptStatus of={attempt} />
          {attempt.status === 'completed' &&
            attempt.ended_at !== null &&
            ` in ${seconds(attempt.started_at, attempt.ended_at)}`}
        </>
      )}
      {send.figures === undefined && '; its record does not tell what it sent, so this is the snapshot'}
    </p>
  )
}

export function AttemptStatus({ of }: { of: AttemptRecord }): JSX.Element {
  return <span class={of.status === 'error' ? 'c-del' : ''}>{of.status}</span>
}

function ToCycle({ children }: { children: string }): JSX.Element {
  const { go, place, sheet } = useSession()
  const show = (): void => {
    sheet.value = true
    go({ node: null, view: place.value.view === 'compare' ? 'tree' : place.value.view })
  }
  return (
    <button type="button" class="link" onClick={show}>
      {children}
    </button>
  )
}

function Changed({ at }: { at: At | null }): JSX.Element {
  const { base, before, go, shared, isBaseKnown } = useSession()
  const diff = shared.diff.value
  // Words and heading change together, so that they never describe different moments.
  const shown = useLatest(diff.isFresh, { at, from: base.value, value: diff.value })
  const { from } = shown
  if (shown.at === null || at === null || !isBaseKnown.value) return <div />
  const isUsual = from === before(shown.at)
  const causes: Readonly<Record<string, number | undefined>> = causesOf(shown.value)
  const told = TOLD_CAUSES.filter((cause) => (causes[cause] ?? 0) > 0)
  const show = (cause: string): void => {
    causesOff.value = new Set(told.filter((each) => each !== cause))
    go({ view: 'compare' })
  }
  return (
    <div>
      <h2>Changed since {from === null ? 'nothing' : nameOf(from)}</h2>
      {from === null && <p>The first send: everything is new.</p>}
      {from !== null && (
        <>
          <p>
            {told.map((cause, i) => (
              <span key={cause}>
                {i > 0 && ', '}
                <button type="button" class="link" onClick={() => show(cause)}>
                  {count(causes[cause] ?? 0)} {causeWord(cause)}
                </button>
              </span>
            ))}
            {told.length === 0 && (shown.value === undefined ? '…' : 'Nothing.')}
            {told.length > 0 && '.'}
          </p>
          {isUsual && shown.at === 'working' && <CommitWords />}
          {isUsual && shown.at !== 'working' && cycleOf(from) !== cycleOf(shown.at) && (
            <ReceiptWords cycle={cycleOf(shown.at)!} />
          )}
        </>
      )}
    </div>
  )
}

function causesOf(diff: JsonObject | undefined): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { cause } of diff === undefined ? [] : listChanges(diff, false)) counts[cause] = (counts[cause] ?? 0) + 1
  return counts
}

function ReceiptWords({ cycle }: { cycle: number }): JSX.Element {
  const { shared } = useSession()
  const { value } = shared.cycle.value
  if (value?.cycle !== cycle) return <p class="muted">&nbsp;</p>
  const { removed, limits, unmet } = value.receipt
  if (unmet.length > 0) {
    return (
      <p class="c-del">
        A limit could not be kept: <code>{unmet.map(({ rule }) => rule).join(', ')}</code>
      </p>
    )
  }
  if (removed.length === 0) return <p class="muted">No limit was reached</p>
  return (
    <p class="muted">
      Pruned {size(removed.reduce((sum, each) => sum + each.size, 0))} to keep{' '}
      <code>{[...new Set([...limits, ...removed].map(({ rule }) => rule))].join(', ')}</code>
    </p>
  )
}

/** Effects of a commit beyond sealing. */
function CommitWords(): JSX.Element {
  const { place, moment, edits, newest } = useSession()
  const { value } = useRead(() => {
    if (newest.value === 0 || moment.value !== 'working') return null
    return routes.preview(place.value.context, edits.draft.value)
  })
  const leaving = new Map<string, number>()
  const removed =
    (value?.diff as { removed?: readonly { cause: string; is_container: boolean }[] } | undefined)?.removed ?? []
  for (const { cause, is_container: isContainer } of removed) {
    if (!isContainer && (cause === 'expired' || cause === 'pruned')) leaving.set(cause, (leaving.get(cause) ?? 0) + 1)
  }
  const words = [...leaving].map(([cause, n]) => `${n} ${cause}`).join(', ')
  return <p class="muted">A commit would seal it{words === '' ? '; nothing would leave' : `, and take ${words}`}</p>
}

function SameBytes({ at }: { at: At | null }): JSX.Element {
  const { base, place, shared, go, isBaseKnown } = useSession()
  const prefix = shared.prefix.value
  const current = { at, from: base.value, as: place.value.as, value: prefix.value, same: useShare() }
  const shown = useLatest(prefix.isFresh, current)
  const { from, value, same } = shown
  if (at === null || shown.at === null || !isBaseKnown.value) return <div />
  const format = FORMATS.get(shown.as) ?? shown.as
  const heading =
    shown.at === 'working' && from !== null
      ? `If sent now, the same bytes as ${nameOf(from)}, for ${format}`
      : `Same bytes as ${from === null ? 'the last call' : nameOf(from)}, for ${format}`
  if (from === null) {
    return (
      <div>
        <h2>{heading}</h2>
        <p>There is no earlier call.</p>
      </div>
    )
  }
  if (value === undefined || same === undefined) {
    return (
      <div>
        <h2>{heading}</h2>
      </div>
    )
  }
  const { first } = value
  const { share } = same
  const what = same.of === 'bytes' ? 'the same bytes' : 'the same tokens'
  const toDifference = (): void => {
    go({ view: 'request' })
    soughtDifference.value++
  }
  return (
    <div data-fresh={prefix.isFresh ? `${place.value.context} ${at}` : ''}>
      <h2>{heading}</h2>
      {first === undefined ? (
        <p>
          {share >= 1 ? (
            <>
              <strong>The same bytes as {nameOf(from)}</strong>: nothing is new.
            </>
          ) : (
            <>
              <strong>All of {nameOf(from)} is a prefix</strong>: {percent(share)} {what}, only the end is new.
            </>
          )}
        </p>
      ) : (
        <p>
          <strong class="c-break">
            {percent(share)} {what}
          </strong>
          , then{' '}
          <button type="button" class="link" onClick={toDifference}>
            item {count(first.item)} differs
          </button>
          : <Linked text={first.cause} ids={[first.node]} />
        </p>
      )}
      <div
        class={`meter${first === undefined ? '' : ' broken'}`}
        role="img"
        aria-label={`${percent(share)} of the ${same.of} are the same`}
      >
        <i style={{ width: `${(share * 100).toFixed(2)}%` }} />
      </div>
    </div>
  )
}

/** The newest complete answer, until the next one is complete. */
function useLatest<T>(isWhole: boolean, current: T): T {
  const last = useRef(current)
  if (isWhole) last.current = current
  return last.current
}

type Share = Readonly<{ share: number; of: 'bytes' | 'tokens' }>

/** Longer than the closing bytes of any request. */
const ENDING = 32

/** The shared fraction by bytes if the request is loaded, else by tokens: a huge request is not loaded for its size. */
function useShare(): Share | undefined {
  const { shared, place, column } = useSession()
  const { value: prefix } = shared.prefix.value
  const rendered = shared.rendered.value
  const text = rendered.isFresh ? rendered.value?.text : undefined
  const length = useMemo(() => (text === undefined ? undefined : utf8Length(text)), [text])
  if (prefix === undefined) return undefined
  const bytes = place.value.as === 'thread' ? column.value?.bytes : length
  // Closing brackets of a request belong to no item.
  const isAll = prefix.first === undefined && prefix.tokens === prefix.total
  if (isAll && (bytes === undefined || bytes - prefix.bytes < ENDING)) return { share: 1, of: 'bytes' }
  if (bytes !== undefined && bytes > 0) return { share: Math.min(1, prefix.bytes / bytes), of: 'bytes' }
  return { share: prefix.total > 0 ? prefix.tokens / prefix.total : 1, of: 'tokens' }
}

export function relative(cycle: number, newest: number): string {
  return cycle === newest ? '@t0' : `@t-${newest - cycle}`
}
