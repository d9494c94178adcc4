// The answer in words: what was sent, what changed since, and how much of it has the same bytes.

import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import type { AttemptRecord, PrefixAnswer } from '../../api/index.js'
import { cycleOf, FORMATS, type At } from '../state/link.js'
import type { Send } from '../state/sends.js'
import { causeWord, TOLD_CAUSES } from '../words/causes.js'
import { count, percent, plural, seconds, size, timeOfDay, utf8Length } from '../words/numbers.js'
import { isImported, OF_AN_IMPORT } from '../words/sent.js'
import { relativeWords } from '../words/signs.js'
import { FoldedAnswer, SpokenAnswer } from './answer-line.js'
import { Billed, BilledMark } from './billed.js'
import { Linked, nameOf, NodeLink } from './bits.js'
import { ApartWords, CommonWords, nameOfBase } from './other-context.js'
import { useNarrow } from './use-narrow.js'
import { requestInView } from './use-request.js'
import { causesOff, soughtDifference } from './view-state.js'
import { useSession } from './use-session.js'

export function Answer(): JSX.Element {
  const { at } = useSession()
  const now = at.value
  const isNarrow = useNarrow()
  const isOpen = useSignal(false)
  return (
    <section aria-label="What was sent, and what changed">
      {isNarrow && <FoldedAnswer isOpen={isOpen.value} toggle={() => (isOpen.value = !isOpen.value)} />}
      <div class="answer" id="answer" hidden={isNarrow && !isOpen.value}>
        <Sent at={now} />
        <Changed at={now} />
        <SameBytes at={now} />
      </div>
      <SpokenAnswer />
    </section>
  )
}

function Sent({ at }: { at: At | null }): JSX.Element {
  const { column, newest, edits, sends } = useSession()
  const now = column.value
  const size = useSize()
  if (at === null || now === undefined) return <div />
  const send = sends.find(at)
  const heading = at === 'working' ? 'Working state' : headingOf(now.cycle, send)
  return (
    <div>
      <h2>
        {heading}{' '}
        {at !== 'working' && now.cycle <= newest.value && (
          <code title={relativeWords(now.cycle, newest.value)}>{relative(now.cycle, newest.value)}</code>
        )}
      </h2>
      {at === 'working' ? (
        <>
          <p>
            <strong>Not committed yet.</strong> {size}
          </p>
          <p class="muted">
            Cycle {count(now.cycle)} is open: <ToCycle>{plural(edits.draft.value.operations.length, 'call')}</ToCycle>
            {newest.value > 0 && ` since @c${newest.value}`}
          </p>
        </>
      ) : (
        <>
          <p>
            <strong>{size}</strong>
          </p>
          <Attempts send={send} />
        </>
      )}
    </div>
  )
}

/** The size of what was or would be sent: of the request if it is loaded, else of the thread that requests are made of. */
function useSize(): ComponentChildren {
  const session = useSession()
  const { column, isUntold, at, shared, go } = session
  const request = requestInView(session)
  const { items, tokens, bytes } = column.value ?? { items: 0, tokens: 0, bytes: 0 }
  const isShown = request !== undefined && request.at === at.value && (request.isSent || at.value === 'working')
  if (isUntold.value && !isShown) return shared.sent.value.isFresh ? 'What it sent is not known' : '…'
  const thread =
    at.value === 'working'
      ? `${plural(items, 'item')}, ${count(tokens)} tokens`
      : `${plural(items, 'item')}, ${count(tokens)} tokens, ${size(bytes)}`
  if (!isShown) return thread
  const nodes = new Set(request.sourceMap.map(({ node }) => node)).size
  const length = size(utf8Length(request.text))
  if (request.tokens === undefined) return length
  return (
    <>
      {plural(nodes, 'item')}, {count(request.tokens)} tokens, {length}
      {request.repairs.length > 0 && (
        <>
          {', '}
          <button type="button" class="link" onClick={() => go({ view: 'request' })}>
            {plural(request.repairs.length, 'repair')}
          </button>
        </>
      )}
    </>
  )
}

function headingOf(cycle: number, send: Send | undefined): string {
  if (send === undefined) return `Cycle ${count(cycle)}`
  const { nth, of } = send
  if (nth === 0) return `Committed in cycle ${count(cycle)}`
  return of < 2 ? `Sent in cycle ${count(cycle)}` : `Sent in cycle ${count(cycle)}, call ${nth} of ${of}`
}

function Attempts({ send }: { send: Send | undefined }): JSX.Element {
  const { shared, summary } = useSession()
  if (send?.before !== undefined) return <p class="muted">Sent by {send.before.context}, before the fork</p>
  if (send === undefined || send.of === 0) {
    return (
      <p class="muted" title={isImported(summary.value.value) ? OF_AN_IMPORT : undefined}>
        {isImported(summary.value.value) ? 'A turn of an imported conversation' : 'No attempt recorded'}
      </p>
    )
  }
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
  const { base, other, before, sends, shared, isBaseKnown, isUntold } = useSession()
  const { value, about, isFresh } = shared.changes.value
  // Words and heading are those of one answer, so that they never describe different moments.
  const [to, from] = value === undefined ? [at, base.value] : [about!.at, about!.from!]
  const elsewhere = value === undefined ? other.value : about!.other
  if (to === null || !isBaseKnown.value || isUntold.value) return <div />
  const isUsual = elsewhere === null && from === before(to)
  const causes: Readonly<Record<string, number | undefined>> = value?.causes ?? {}
  const told = TOLD_CAUSES.filter((cause) => (causes[cause] ?? 0) > 0)
  return (
    <div data-shows={nameOf(to)} aria-busy={!isFresh}>
      <h2>
        {from === null
          ? 'Changed'
          : `${elsewhere === null ? 'Changed since' : 'Compared with'} ${nameOfBase(from, elsewhere)}`}
      </h2>
      {from === null && <p>Everything is new: there is nothing before it.</p>}
      {from !== null && (
        <>
          <p>
            {elsewhere !== null && value !== undefined ? (
              <ApartWords of={value} other={elsewhere ?? ''} />
            ) : (
              <Told causes={told} counts={causes} isKnown={value !== undefined} />
            )}
          </p>
          {elsewhere !== null && <CommonWords />}
          {isUsual && to === 'working' && <CommitWords />}
          {isUsual && to !== 'working' && cycleOf(from) !== cycleOf(to) && (
            <ReceiptWords of={to} isNew={sends.commitOf(from) < sends.commitOf(to)} />
          )}
        </>
      )}
    </div>
  )
}

type ToldProps = Readonly<{
  causes: readonly string[]
  counts: Readonly<Record<string, number | undefined>>
  isKnown: boolean
}>

/** The changes by cause; each leads to its own in Compare. */
function Told({ causes, counts, isKnown }: ToldProps): JSX.Element {
  const { go } = useSession()
  const show = (cause: string): void => {
    causesOff.value = new Set(causes.filter((each) => each !== cause))
    go({ view: 'compare' })
  }
  if (causes.length === 0) return <>{isKnown ? 'Nothing.' : '…'}</>
  return (
    <>
      {causes.map((cause, i) => (
        <span key={cause}>
          {i > 0 && ', '}
          <button type="button" class="link" onClick={() => show(cause)}>
            {count(counts[cause] ?? 0)} {causeWord(cause)}
          </button>
        </span>
      ))}
      .
    </>
  )
}

/** The removals by limits that an answer shows: those of its own commit, and for a call in an open cycle those of the commit before, if the call is the first after it. */
function ReceiptWords({ of, isNew }: { of: At; isNew: boolean }): JSX.Element {
  const { sends, shared } = useSession()
  const { value } = shared.cycle.value
  const before = isNew ? shared.commitBefore.value : undefined
  const isKnown = before === undefined || before.isFresh || before.value?.cycle === sends.commitOf(of)
  if (value?.cycle !== cycleOf(of) || !isKnown) return <p class="muted">&nbsp;</p>
  const receipts = [...(before?.value === undefined ? [] : [before.value.receipt]), value.receipt]
  const [removed, limits] = [receipts.flatMap((each) => each.removed), receipts.flatMap((each) => each.limits)]
  const { unmet } = value.receipt
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

/** Effects of a commit beyond sealing: the first nodes that would leave, by name. */
function CommitWords(): JSX.Element {
  const { shared } = useSession()
  const leaving = [...shared.leaving.value]
  return (
    <p class="muted">
      A commit would seal it{leaving.length === 0 ? '; nothing would leave' : ', and take '}
      {leaving.slice(0, 3).map(([id, cause], i) => (
        <span key={id}>
          {i > 0 && ', '}
          <NodeLink id={id} /> ({causeWord(cause)})
        </span>
      ))}
      {leaving.length > 3 && ` and ${count(leaving.length - 3)} more`}
    </p>
  )
}

function SameBytes({ at }: { at: At | null }): JSX.Element {
  const { base, other, as, shared, go, isBaseKnown, isUntold } = useSession()
  const { value, about, isFresh } = shared.prefix.value
  const [to, from, format] = value === undefined ? [at, base.value, as.value] : [about!.at, about!.from!, about!.as!]
  if (to === null || !isBaseKnown.value || isUntold.value || format === null) return <div />
  const name = FORMATS.get(format) ?? format
  const earlier = from === null ? '' : nameOfBase(from, value === undefined ? other.value : about!.other)
  const heading =
    to === 'working' && from !== null
      ? `If sent now, the same bytes as ${earlier}, for ${name}`
      : `Same bytes as ${from === null ? 'the last call' : earlier}, for ${name}`
  if (from === null || value === undefined) {
    return (
      <div>
        <h2>{heading}</h2>
        {from === null && <p>There is no earlier call.</p>}
      </div>
    )
  }
  const { first } = value
  const share = sharedBytes(value)
  const toDifference = (): void => {
    go({ view: 'request' })
    soughtDifference.value++
  }
  return (
    <div data-shows={nameOf(to)} aria-busy={!isFresh}>
      <h2>{heading}</h2>
      {first === undefined ? (
        <p>
          {share >= 1 ? (
            <>
              <strong>The same bytes as {earlier}</strong>: nothing is new.
            </>
          ) : (
            <>
              <strong>All of {earlier} is a prefix</strong>: {percent(share)} the same bytes, only the end is new.
            </>
          )}
        </p>
      ) : (
        <p>
          <strong class="c-break">{percent(share)} the same bytes</strong>, then{' '}
          <button type="button" class="link" onClick={toDifference}>
            item {count(first.item)} differs
          </button>
          : <Linked text={first.cause} ids={[first.node]} />
        </p>
      )}
      <div
        class={`meter${first === undefined ? '' : ' broken'}`}
        role="img"
        aria-label={`${percent(share)} of the bytes are the same`}
      >
        <i style={{ width: `${(share * 100).toFixed(2)}%` }} />
        <BilledMark at={to} />
      </div>
      <Billed at={to} prefix={value} />
    </div>
  )
}

/** Longer than the closing bytes of any request, which belong to no item. */
const ENDING = 32

export function sharedBytes({ bytes, sizes, first, tokens, total }: PrefixAnswer): number {
  if (first === undefined && tokens === total && sizes.b - bytes < ENDING) return 1
  return sizes.b === 0 ? 1 : Math.min(1, bytes / sizes.b)
}

export function relative(cycle: number, newest: number): string {
  return cycle === newest ? '@t0' : `@t-${newest - cycle}`
}
