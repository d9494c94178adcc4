// Changes between two moments, a window of them at a time, and the content of one change side by side. Redacted text is covered until the
// user uncovers it.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ChangeRow, Changes, JsonObject } from '../../api/index.js'
import * as routes from '../api/routes.js'
import type { At } from '../state/link.js'
import { useRead } from '../state/reads.js'
import { chipWords } from '../words/signs.js'
import { causeWord, markClass, markSign } from '../words/causes.js'
import { count, shortTimes, size, utf8Length } from '../words/numbers.js'
import { useActions } from './actions.js'
import { CauseBadge, Linked, nameOf, whoOf } from './bits.js'
import { AGED, contentOf, itemWords, redactedWords, textField } from './changes.js'
import { SideBySide } from './side-by-side.js'
import { apartSentence, groupTitle, nameOfBase } from './other-context.js'
import { Loading } from './states.js'
import { causesOff, chosenChange, showsAging } from './view-state.js'
import { useSession } from './use-session.js'
import { useVirtual } from './use-virtual.js'

const ROW = 44
/** Rows are loaded in pages, so that a small scroll loads nothing. */
const PAGE = 50

export function ComparePane(): JSX.Element {
  const { base, other, moment, place, edits } = useSession()
  const { pick } = useActions()
  const box = useRef<HTMLDivElement>(null)
  const start = useSignal(0)
  const { value, about, isFresh } = useRead(() => {
    if (moment.value === null || base.value === null) return null
    const without = [...causesOff.value, ...(showsAging.value ? [] : [AGED])]
    const window = { a: base.value, b: moment.value, other: other.value, row: start.value, rows: 4 * PAGE, without }
    return routes.changes(place.value.context, window, edits.draft.value)
  })
  const virtual = useVirtual(box, { count: value?.total ?? 0, rowHeight: ROW, keyOf: String })
  useLayoutEffect(() => {
    const wanted = Math.max(0, Math.floor(virtual.from / PAGE) - 1) * PAGE
    if (wanted !== start.peek()) start.value = wanted
  })
  const { node } = place.value
  const rows = value?.rows ?? []
  const chosen =
    rows.find(({ id, old }) => id === node || old === node) ?? rows.find(({ mark }) => mark === '~') ?? rows[0]
  useEffect(() => {
    if (isFresh) chosenChange.value = chosen
  }, [chosen, isFresh])

  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0 || chosen === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const next = rows.find(({ row }) => row === chosen.row + by)
    if (next === undefined) return
    pick(next.id, false)
    virtual.show(next.row)
  }
  return (
    <div
      class="pane"
      id="changes"
      ref={box}
      tabIndex={0}
      role="region"
      aria-label="Changes"
      data-shows={about === undefined ? undefined : nameOf(about.at)}
      aria-busy={!isFresh}
      onKeyDown={move}
    >
      {base.value === null ? (
        <p class="node muted">There is nothing earlier to compare with.</p>
      ) : value === undefined ? (
        <Loading />
      ) : (
        <>
          <Chips of={value} />
          <div class="rows" style={{ height: `${virtual.height}px` }}>
            {rows
              .filter(({ row }) => row >= virtual.from && row < virtual.to)
              .map((change) => (
                <div
                  key={change.row}
                  class="vrow"
                  data-index={change.row}
                  style={{ transform: `translateY(${virtual.topOf(change.row)}px)` }}
                >
                  {isFirstOf(change, rows) && (
                    <h3 class="grp">
                      {groupTitle(change.group, { other: about?.other ?? null, context: place.value.context })}
                    </h3>
                  )}
                  <ChangeView of={change} isChosen={change === chosen} />
                </div>
              ))}
          </div>
        </>
      )}
    </div>
  )
}

/** True if the row before is of another group, as far as it is loaded. */
function isFirstOf({ row, group }: ChangeRow, rows: readonly ChangeRow[]): boolean {
  const above = rows.find((each) => each.row === row - 1)
  return row === 0 || (above !== undefined && above.group !== group)
}

function Chips({ of }: { of: Changes }): JSX.Element {
  const listed = Object.entries(of.causes).filter(([cause]) => cause !== AGED || showsAging.value)
  const toggle = (cause: string): void => {
    const off = new Set(causesOff.value)
    if (!off.delete(cause)) off.add(cause)
    causesOff.value = off
  }
  return (
    <div class="chips" role="group" aria-label="Causes">
      {listed.length === 0 && <span class="muted">No difference</span>}
      {listed.map(([cause, n]) => (
        <button
          key={cause}
          type="button"
          class="chip"
          title={chipWords(causeWord(cause), !causesOff.value.has(cause))}
          aria-pressed={!causesOff.value.has(cause)}
          onClick={() => toggle(cause)}
        >
          {causeWord(cause)} {count(n ?? 0)}
        </button>
      ))}
    </div>
  )
}

function ChangeView({ of, isChosen }: { of: ChangeRow; isChosen: boolean }): JSX.Element {
  const { pick } = useActions()
  const label = [
    whoOf(of),
    of.key === undefined ? '' : `#${of.key}`,
    itemWords(of),
    `in cycle ${of.cycle}`,
    of.fields.join(', '),
  ]
  return (
    <button
      type="button"
      class={`chrow ${markClass(of.mark)}`}
      aria-current={isChosen ? 'true' : undefined}
      onClick={() => pick(of.id, false)}
    >
      <span class="mk" aria-hidden="true">
        {markSign(of.mark)}
      </span>
      <code class="outside" title={of.id}>
        {of.id.replace(/^(?:block|cont|seg):/, '')}
      </code>
      <span class="p outside">
        {of.group === 'Redacted' ? (
          <span class="txt none">{redactedWords(of)}</span>
        ) : (
          <span class={`txt${of.name === undefined ? '' : ' m'}`}>
            {of.name !== undefined && <strong>{of.name} </strong>}
            {of.text}
          </span>
        )}
      </span>
      {(of.mark !== '-' || of.cause !== 'created') && <CauseBadge cause={of.cause} mark={of.mark} />}
      <span class="lab outside">{label.filter((each) => each !== '').join(' · ')}</span>
    </button>
  )
}

export function CompareDetail(): JSX.Element {
  const { base, at, shared } = useSession()
  const chosen = chosenChange.value
  if (shared.changes.value.value === undefined && base.value !== null) return <Loading />
  if (chosen === undefined || base.value === null || at.value === null) {
    return (
      <div class="node">
        <p class="muted">Nothing to compare here.</p>
      </div>
    )
  }
  return <Detail key={`${chosen.mark}${chosen.id}`} of={chosen} from={base.value} to={at.value} />
}

function Detail({ of, from, to }: { of: ChangeRow; from: At; to: At }): JSX.Element {
  const { go, other, place, tree } = useSession()
  const elsewhere = other.value ?? undefined
  const [before, after] = [useNode(of.old ?? of.id, from, elsewhere), useNode(of.id, to)]
  // If there is an old node, explain why it left; one that another context made is explained there.
  const isForeign = elsewhere !== undefined && of.mark === '-' && of.cause === 'created'
  const isApart = elsewhere !== undefined && of.mark !== '~'
  const about = useNode(of.old ?? of.id, isForeign ? from : to, isForeign ? elsewhere : undefined)
  const [hasOld, hasNow] = [of.mark !== '+', of.mark !== '-']
  const why = about?.explanation['sentences']
  const open = (): void => {
    go({ view: 'tree', node: of.id })
    tree.seek(of.id)
  }
  const isLoaded = (!hasOld || before !== undefined) && (!hasNow || after !== undefined)
  const [old, now] = [hasOld ? contentOf(before?.node) : null, hasNow ? contentOf(after?.node) : null]
  return (
    <div class="node" data-shows={nameOf(to)} aria-busy={!isLoaded}>
      <h2>
        <span class="outside">
          {of.old === undefined ? '' : `${of.old} → `}
          {of.id}
        </span>
        {!isForeign && (
          <button type="button" onClick={open}>
            Open in tree
          </button>
        )}
      </h2>
      <p class="sub outside">
        {isApart
          ? apartSentence(of, { other: elsewhere, context: place.value.context })
          : sentenceOf(of, nameOfBase(from, other.value), after?.node)}
      </p>
      {of.delta !== undefined && Object.keys(of.delta).length > 0 && <Delta of={of.delta} from={from} to={to} />}
      <section>
        <h3>Content</h3>
        {!isLoaded ? (
          <Loading />
        ) : of.group === 'Redacted' && old !== null ? (
          <details class="cover">
            <summary>Show the redacted text, {size(utf8Length(old))}</summary>
            <SideBySide old={old} now={now} from={from} to={to} />
          </details>
        ) : (
          <SideBySide old={old} now={now} from={from} to={to} />
        )}
      </section>
      {Array.isArray(why) && (
        <section>
          <h3>Why</h3>
          <ul class="why">
            {why.map((line) => (
              <li key={String(line)}>
                <Linked text={shortTimes(String(line))} ids={[of.id, of.old ?? '']} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** A node with its whole content, as one moment has it. */
function useNode(id: string, at: At, other?: string): { node?: JsonObject; explanation: JsonObject } | undefined {
  const { place, moment, as, edits } = useSession()
  return useRead(() => {
    if (moment.value === null) return null
    return routes.node(other ?? place.value.context, { node: id, at, as: as.value, isWhole: true }, edits.draft.value)
  }).value
}

type DeltaProps = Readonly<{ of: NonNullable<ChangeRow['delta']>; from: At; to: At }>

function Delta({ of, from, to }: DeltaProps): JSX.Element {
  const { other } = useSession()
  return (
    <section>
      <h3>Headers</h3>
      <table class="delta">
        <thead>
          <tr>
            <th>header</th>
            <th>{nameOfBase(from, other.value)}</th>
            <th>{nameOf(to)}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(of).map(([name, value]) => (
            <tr key={name}>
              <td class="outside">{name}</td>
              <td class="c-del outside">{value.from}</td>
              <td class="c-add outside">{value.to}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function sentenceOf(of: ChangeRow, from: string, now: JsonObject | undefined): string {
  const when = `in cycle ${of.cycle}`
  switch (of.cause) {
    case 'pruned':
      return `Pruned ${when}: a limit was exceeded. Earlier snapshots still hold it.`
    case 'expired':
      return `Its ttl ran out: cycle ${of.cycle} is the first without it.`
    case 'redacted': {
      const author = textField(now, 'data_author')
      const reason = textField(now, 'data_reason')
      const who = author === undefined ? '' : ` by ${author}`
      const why = reason === undefined ? '' : `: ${reason}`
      return `Redacted ${when}${who}${why}. ${from} still holds the text; a redaction is not an erasure.`
    }
    case 'edited':
      return of.mark === '-' ? `Taken out ${when}.` : `Edited ${when}.`
    case 'superseded':
      return `Replaced ${when}.`
    default: {
      const word = causeWord(of.cause)
      return `${word[0]!.toUpperCase()}${word.slice(1)} ${when}.`
    }
  }
}
