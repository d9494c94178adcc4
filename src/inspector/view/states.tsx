// States with less to see: empty, loading, no answer, conflict.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Failure } from '../api/http.js'
import * as routes from '../api/routes.js'
import { lastAnswer, trouble, tryNow, type Trouble } from '../state/connection.js'
import { useRead } from '../state/reads.js'
import { causeWord, markSign } from '../words/causes.js'
import { plural } from '../words/numbers.js'
import { useActions } from './actions.js'
import { nameOf, whoOf } from './bits.js'
import { AGED, redactedWords } from './changes.js'
import { useSession } from './use-session.js'

/** Changes of another writer that a conflict lists. */
const MOST_SHOWN = 6
const WIDTHS = [62, 88, 74, 40, 92, 55]
/** A fast answer should not flash a placeholder. */
const PATIENCE = 150

/** Grey lines, shown after a short delay. */
export function Loading(): JSX.Element {
  const isShown = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => (isShown.value = true), PATIENCE)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="skel" role="status" aria-label="Loading">
      {isShown.value &&
        Array.from({ length: 12 }, (_, i) => (
          <i key={i} style={{ width: `${WIDTHS[i % WIDTHS.length]}%`, marginLeft: `${(i % 4) * 16}px` }} />
        ))}
    </div>
  )
}

export function Empty(): JSX.Element {
  const { place } = useSession()
  return (
    <div class="state">
      <h2>No commit yet</h2>
      <p>
        <span class="outside">{place.value.context}</span> is open and empty. It shows here as soon as the first turn is
        committed; this page listens.
      </p>
      <pre>{"ctx.user('How do I reset my password?')\nctx.commit()"}</pre>
      <p>Or bring a recorded conversation:</p>
      <pre>pctx import conversation.jsonl</pre>
    </div>
  )
}

export function NoContext(): JSX.Element {
  return (
    <div class="state">
      <h2>No context yet</h2>
      <p>This store is empty. A context shows here as soon as there is one; this page looks by itself.</p>
      <pre>
        {"const ctx = await store.open('support-42')\nctx.user('How do I reset my password?')\nawait ctx.commit()"}
      </pre>
      <p>Or bring a recorded conversation:</p>
      <pre>pctx import conversation.jsonl</pre>
    </div>
  )
}

/** The link names a context or moment that does not exist. */
export function Missing({ failure }: { failure: Failure }): JSX.Element {
  return (
    <div class="state">
      <h2>This link leads nowhere here</h2>
      <p class="outside">{failure.message}</p>
      <pre>
        {failure.request} {failure.code}
      </pre>
      <p>Choose another context above.</p>
    </div>
  )
}

/** The page keeps its content; this says how old it is, what failed and when the page retries. */
export function TroubleBanner(): JSX.Element | null {
  const now = trouble.value
  return now === null ? null : <TroubleText of={now} />
}

function TroubleText({ of }: { of: Trouble }): JSX.Element {
  const { copy } = useActions()
  const { about, isFresh } = useSession().shared.cycle.value
  const clock = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => (clock.value = Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const { failure, next } = of
  const wait = Math.max(0, Math.ceil((next - clock.value) / 1000))
  const since = lastAnswer.value === null ? '' : new Date(lastAnswer.value).toTimeString().slice(0, 8)
  const details = `${failure.request}   ${failure.code}: ${failure.message}`
  const isLocked = failure.kind === 'locked'
  const isNew = lastAnswer.value === null
  return (
    <section class="banner" role="alert" aria-label="The server does not answer">
      <h2>
        {!isLocked
          ? 'The server does not answer'
          : isNew
            ? 'This page needs a link'
            : 'This page’s key is no longer valid'}
      </h2>
      <p>
        {isLocked
          ? `${isNew ? 'The address alone does not open it.' : 'The server was started again.'} Open the link that the server printed, or press Enter in its terminal for another one; edits stay in this tab.`
          : 'Nothing is lost: a commit is durable before it is acknowledged.'}
        {since !== '' && ` The data below is from ${since} and may be old.`}
        {about !== undefined && !isFresh && ` Grey parts still show ${nameOf(about.at)}.`}
      </p>
      <pre class="outside">{details}</pre>
      <div class="acts">
        <button type="button" class="btn primary" onClick={tryNow}>
          Try now
        </button>
        <button type="button" class="btn" onClick={() => copy(details, 'Copied.')}>
          Copy details
        </button>
        {!isLocked && <span class="muted">{wait > 0 ? `Trying again in ${wait} s.` : 'Trying again …'}</span>}
      </div>
    </section>
  )
}

/** Another writer committed while this page had edits: shows theirs, and the choices for ours. */
export function ConflictBanner(): JSX.Element | null {
  const { edits } = useSession()
  return edits.conflict.value === null ? null : <Conflict />
}

function Conflict(): JSX.Element {
  const { edits, place, say } = useSession()
  const error = useSignal<Failure | null>(null)
  const isBusy = useSignal(false)
  const { value } = useRead(() => {
    const conflict = edits.conflict.value
    if (conflict === null || conflict.base === 0) return null
    const window = { a: `c${conflict.base}`, b: `c${conflict.newest}`, rows: MOST_SHOWN, without: [AGED] } as const
    return routes.changes(place.value.context, window, edits.draft.value)
  })
  const conflict = edits.conflict.value
  if (conflict === null) return <></>
  const { rows = [], total = 0 } = value ?? {}
  const take = async (): Promise<void> => {
    isBusy.value = true
    try {
      await edits.rebase()
      say('Your edits now build on the newest cycle.')
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure
      error.value = failure
    } finally {
      isBusy.value = false
    }
  }
  const cycles =
    conflict.newest === conflict.base + 1
      ? `Cycle ${conflict.newest} was`
      : `Cycles ${conflict.base + 1} to ${conflict.newest} were`
  return (
    <section class="banner conflict" role="alert" aria-label="Conflict">
      <h2>{cycles} committed elsewhere</h2>
      <p>
        Your {plural(edits.list.value.length, 'call')} {edits.list.value.length === 1 ? 'was' : 'were'} made on @c
        {conflict.base}. Nothing is lost: choose what becomes of {edits.list.value.length === 1 ? 'it' : 'them'}.
      </p>
      <ul>
        {rows.map((change) => (
          <li key={change.id}>
            <span class={change.mark === '+' ? 'c-add' : change.mark === '-' ? 'c-del' : 'c-chg'}>
              {markSign(change.mark)}
            </span>{' '}
            <strong class="outside">{change.key === undefined ? whoOf(change) : `#${change.key}`}</strong>{' '}
            <span class="outside">
              {change.name === undefined ? '' : `${change.name} `}
              {change.group === 'Redacted' ? redactedWords(change) : change.text}
            </span>{' '}
            <span class="muted">
              {causeWord(change.cause)}, <code class="outside">{change.id}</code>
            </span>
          </li>
        ))}
        {total > rows.length && <li class="muted">and {total - rows.length} more</li>}
      </ul>
      {error.value !== null && (
        <p class="c-del outside">
          <code>{error.value.code}</code> {error.value.message} Undo the call that no longer fits, or discard.
        </p>
      )}
      <div class="acts">
        <button type="button" class="btn primary" disabled={isBusy.value} onClick={() => void take()}>
          Take it and keep my edits
        </button>
        <button type="button" class="btn" onClick={edits.discard}>
          Discard mine
        </button>
      </div>
    </section>
  )
}
