// The cycle in view when no node is chosen: attempts, the pruning receipt, calls of the open cycle.

import type { JSX } from 'preact'
import type { AttemptRecord, CycleAnswer, Operation, Receipt } from '../../api/index.js'
import { cycleOf, NOWHERE, sendOf, writeLink, type At } from '../state/link.js'
import type { Send } from '../state/sends.js'
import { billedWords } from '../words/billed.js'
import { count, plural, seconds } from '../words/numbers.js'
import { isImported, OF_AN_IMPORT } from '../words/sent.js'
import { useActions } from './actions.js'
import { AttemptStatus, relative } from './answer.js'
import { Linked, MomentLink, nameOf, NodeLink } from './bits.js'
import { Schedules } from './cycle-parts.js'
import { WhereInPane } from './icicle.js'
import { ContextLink, Kin } from './kin.js'
import { useSession } from './use-session.js'

export function CyclePane(): JSX.Element {
  const { column, at, newest, sends, shared, isUntold } = useSession()
  const { value: parts, about, isFresh } = shared.cycle.value
  if (column.value === undefined || at.value === null) return <div class="node" />
  // The last answer stays until the next one is here, under its own heading and marked as busy.
  const shown = about?.at ?? at.value
  const cycle = cycleOf(shown)
  const send = sends.find(shown)
  return (
    <div class="node" data-shows={nameOf(shown)} aria-busy={!isFresh}>
      <h2 class="plain">{cycle === null ? `Cycle ${newest.value + 1}, open` : `Cycle ${cycle}`}</h2>
      <p class="sub mono">
        {cycle === null ? '@working' : cycle > newest.value ? 'open' : `@c${cycle} · ${relative(cycle, newest.value)}`}
        {parts !== undefined &&
          !isUntold.value &&
          ` · ${plural(parts.segments, 'segment')} · ${plural(parts.nodes, 'node')}`}
      </p>
      {cycle === null && <Calls />}
      <Kin cycle={cycle} />
      {cycle !== null && parts !== undefined && (
        <AttemptsOf attempts={parts.attempts} before={parts.before} cycle={cycle} now={send} />
      )}
      {parts !== undefined && !isUntold.value && (
        <>
          <WhereInPane />
          {cycle !== null && <ReceiptBefore of={shared.commitBefore.value.value} />}
          {cycle !== null && <ReceiptOf receipt={parts.receipt} name="Pruning receipt" />}
          <Schedules of={parts} />
        </>
      )}
    </div>
  )
}

function Calls(): JSX.Element {
  const { edits, isReadOnly, newest } = useSession()
  const { undo } = useActions()
  const list = edits.list.value.toReversed()
  return (
    <section>
      <h3>Calls since {newest.value === 0 ? 'the beginning' : `@c${newest.value}`}, newest first</h3>
      <Saved of={edits.saved.value} />
      {list.length === 0 ? (
        <p class="muted">None on this page. What you write shows here until it is committed.</p>
      ) : (
        <ol class="calls">
          {list.map((edit, i) => (
            <li key={list.length - i}>
              <code>{edit.label}</code>
              <span>
                {edit.ids.map((id) => (
                  <NodeLink key={id} id={id} />
                ))}
              </span>
              {i === 0 && !isReadOnly.value && (
                <button type="button" class="btn" onClick={undo}>
                  Undo
                </button>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** A draft that a program has saved. It is part of the working state, and of the next commit of this page. */
function Saved({ of }: { of: readonly Operation[] }): JSX.Element | null {
  if (of.length === 0) return null
  return (
    <details class="saved">
      <summary>{plural(of.length, 'call')} saved by a program as a draft</summary>
      <ol class="calls">
        {of.map((operation, i) => (
          <li key={i}>
            <code class="outside">{callWords(operation)}</code>
          </li>
        ))}
      </ol>
    </details>
  )
}

function callWords({ op, ...rest }: Operation): string {
  const text = `${op} ${JSON.stringify(rest)}`
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

type AttemptsProps = Readonly<{
  attempts: readonly AttemptRecord[]
  /** Those of the context that this one was forked from. */
  before: CycleAnswer['before']
  cycle: number
  now: Send | undefined
}>

function AttemptsOf({ attempts, before, cycle, now }: AttemptsProps): JSX.Element {
  const { newest, sends, summary } = useSession()
  const own: At = `c${cycle}`
  const isElsewhere = now !== undefined && now.at !== own && cycle <= newest.value
  const others = sends.list.value.filter((send) => send.cycle === cycle)
  const momentOf = (id: string): At | undefined => others.find((send) => send.attempt === id)?.at
  return (
    <section>
      <h3>Attempts</h3>
      {attempts.length === 0 && before === undefined && (
        <p class="muted">
          No provider call was recorded for this snapshot. {isImported(summary.value.value) && OF_AN_IMPORT}
        </p>
      )}
      {attempts.map((attempt) => (
        <Attempt
          key={attempt.attempt_id}
          of={attempt}
          at={attempt.attempt_id === now?.attempt ? undefined : momentOf(attempt.attempt_id)}
        />
      ))}
      {before !== undefined && <AttemptsBefore of={before} cycle={cycle} />}
      {isElsewhere && (
        <p class="muted">
          The snapshot of this cycle: <MomentLink at={own} />
        </p>
      )}
    </section>
  )
}

/** The calls of a cycle from before the fork: their records are in the context that made them. */
function AttemptsBefore({ of, cycle }: { of: NonNullable<CycleAnswer['before']>; cycle: number }): JSX.Element {
  return (
    <>
      <p class="muted">
        Sent by <ContextLink id={of.context} cycle={cycle} />, before the fork:
      </p>
      {of.attempts.map((attempt) => (
        <Attempt
          key={attempt.attempt_id}
          of={attempt}
          at={undefined}
          href={writeLink({ ...NOWHERE, context: of.context, at: sendOf(cycle, attempt.attempt_id) })}
        />
      ))}
    </>
  )
}

/** `at` links to the attempt if it is not the one in view. */
function Attempt({ of, at, href }: { of: AttemptRecord; at: At | undefined; href?: string }): JSX.Element {
  return (
    <dl class="dl">
      <dt class="mono outside">
        {href !== undefined ? (
          <a class="link" href={href}>
            {of.attempt_id}
          </a>
        ) : at === undefined ? (
          of.attempt_id
        ) : (
          <MomentLink at={at}>{of.attempt_id}</MomentLink>
        )}
      </dt>
      <dd>
        <AttemptStatus of={of} />
        {of.error !== undefined && (
          <span class="outside">
            : {of.error.name}, {of.error.message}
          </span>
        )}
        {of.ended_at !== null && ` after ${seconds(of.started_at, of.ended_at)}`}
      </dd>
      <dt>sent to</dt>
      <dd class="outside">
        {of.provider} {of.model}
        {of.adapter !== undefined && of.adapter !== of.provider && ` as ${of.adapter}`}
      </dd>
      <dt>tokens</dt>
      <dd>
        {of.token_in === null
          ? 'not reported'
          : `${count(of.token_in)} in, ${count(of.token_out ?? 0)} out, as reported`}
      </dd>
      {of.token_in !== null && of.reported?.cacheRead !== undefined && (
        <>
          <dt>cache</dt>
          <dd>{billedWords({ input: of.token_in, read: of.reported.cacheRead })}</dd>
        </>
      )}
      <dt>thread</dt>
      <dd>sha256 {of.thread_hash.slice(0, 16)}…</dd>
    </dl>
  )
}

/** The removals of the commit that a call in an open cycle builds on. */
function ReceiptBefore({ of }: { of: CycleAnswer | undefined }): JSX.Element | null {
  if (of === undefined || of.receipt.removed.length === 0) return null
  return <ReceiptOf receipt={of.receipt} name={`Pruning receipt of @c${of.cycle}, the commit before`} />
}

function ReceiptOf({ receipt, name }: { receipt: Receipt; name: string }): JSX.Element {
  const { unmet } = receipt
  // A container that lost all its children leaves with them and needs no line of its own.
  const removed = receipt.removed.filter(({ id, size }) => size > 0 || !/^(?:seg|cont):/.test(id))
  return (
    <section>
      <h3>{name}</h3>
      {removed.length === 0 ? (
        <p class="muted">Nothing was pruned: every limit is met.</p>
      ) : (
        <table class="delta">
          <thead>
            <tr>
              <th>node</th>
              <th>limit</th>
              <th>priority</th>
              <th>age</th>
              <th>bytes</th>
            </tr>
          </thead>
          <tbody>
            {removed.slice(0, 100).map((each) => (
              <tr key={each.id}>
                <td>
                  <NodeLink id={each.id} />
                </td>
                <td>{each.rule}</td>
                <td>{each.priority}</td>
                <td>{each.age}</td>
                <td class="right">{count(each.size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {removed.length > 100 && <p class="muted">and {count(removed.length - 100)} more</p>}
      {unmet.length > 0 && (
        <p class="c-del">
          Unmet: <Linked text={JSON.stringify(unmet)} />
        </p>
      )}
    </section>
  )
}
