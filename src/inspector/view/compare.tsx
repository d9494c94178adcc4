// Changes between two moments, and the content of one change side by side. Redacted text is covered until the user uncovers it.

import type { JSX } from 'preact'
import type { JsonObject } from '../../api/index.js'
import * as routes from '../api/routes.js'
import type { At } from '../state/link.js'
import { useRead } from '../state/reads.js'
import { causeWord, markClass, markSign } from '../words/causes.js'
import { shortTimes, size, utf8Length } from '../words/numbers.js'
import { useActions } from './actions.js'
import { CauseBadge, Linked, nameOf, whoOf } from './bits.js'
import { contentOf, listChanges, textField, type Change } from './changes.js'
import { SideBySide } from './side-by-side.js'
import { Loading } from './states.js'
import { causesOff, showsAging } from './view-state.js'
import { useSession } from './use-session.js'

/** The listed changes, and the chosen one. */
export function useChanges(): {
  all: readonly Change[]
  shown: readonly Change[]
  chosen: Change | undefined
  isBusy: boolean
} {
  const session = useSession()
  const { value, isFresh } = session.shared.diff.value
  const all = value === undefined ? [] : listChanges(value, showsAging.value)
  const shown = all.filter(({ cause }) => !causesOff.value.has(cause))
  const { node } = session.place.value
  const chosen =
    shown.find((each) => each.id === node || each.old === node) ?? shown.find(({ mark }) => mark === '~') ?? shown[0]
  return { all, shown, chosen, isBusy: !isFresh && value === undefined }
}

export function CompareList(): JSX.Element {
  const { all, shown, chosen, isBusy } = useChanges()
  const { base } = useSession()
  if (base.value === null) return <p class="node muted">There is nothing earlier to compare with.</p>
  if (isBusy) return <Loading />
  return (
    <>
      <Chips of={all} />
      {shown.map((change, i) => (
        <div key={`${change.group} ${change.id}`}>
          {change.group !== shown[i - 1]?.group && <h3 class="grp">{change.group}</h3>}
          <ChangeRow of={change} isChosen={change === chosen} />
        </div>
      ))}
    </>
  )
}

function Chips({ of }: { of: readonly Change[] }): JSX.Element {
  const counts = new Map<string, number>()
  for (const { cause } of of) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  const toggle = (cause: string): void => {
    const off = new Set(causesOff.value)
    if (!off.delete(cause)) off.add(cause)
    causesOff.value = off
  }
  return (
    <div class="chips" role="group" aria-label="Causes">
      {counts.size === 0 && <span class="muted">No difference</span>}
      {[...counts].map(([cause, n]) => (
        <button
          key={cause}
          type="button"
          class="chip"
          aria-pressed={!causesOff.value.has(cause)}
          onClick={() => toggle(cause)}
        >
          {causeWord(cause)} {n}
        </button>
      ))}
    </div>
  )
}

function ChangeRow({ of, isChosen }: { of: Change; isChosen: boolean }): JSX.Element {
  const { pick } = useActions()
  const node = of.node ?? of.oldNode
  const key = textField(node, 'key')
  const label = [
    whoOfNode(node),
    key === undefined ? '' : `#${key}`,
    of.itemWords,
    `in cycle ${of.cycle}`,
    of.fields.filter((field) => field !== 'content_hash').join(', '),
  ]
  const name = textField(node, 'data_name')
  const text = contentOf(node)
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
      <code class="outside">{of.id}</code>
      <span class="p outside">
        {of.group === 'Redacted' ? (
          <span class="txt none">redacted{reasonOf(node) === undefined ? '' : `: ${reasonOf(node)}`}</span>
        ) : (
          <span class={`txt${name === undefined ? '' : ' m'}`}>
            {name !== undefined && <strong>{name} </strong>}
            {text.slice(0, 200).replace(/\s+/g, ' ')}
          </span>
        )}
      </span>
      <CauseBadge cause={of.cause} mark={of.mark} />
      <span class="lab outside">{label.filter((each) => each !== '').join(' · ')}</span>
    </button>
  )
}

function whoOfNode(node: JsonObject | undefined): string {
  if (node === undefined) return ''
  const type = textField(node, 'type') ?? textField(node, 'nodeType') ?? textField(node, 'node_type')
  return whoOf({ nodeType: type, says: textField(node, 'kind'), role: textField(node, 'role'), zone: zoneOf(node) })
}

function zoneOf(node: JsonObject): string {
  const offset = node['offset']
  return typeof offset === 'number' && offset < 0 ? 'pre' : typeof offset === 'number' && offset > 0 ? 'post' : 'core'
}

function reasonOf(node: JsonObject | undefined): string | undefined {
  return textField(node, 'data_reason')
}

export function CompareDetail(): JSX.Element {
  const { chosen, isBusy } = useChanges()
  const { base, at } = useSession()
  if (isBusy) return <Loading />
  if (chosen === undefined || base.value === null || at.value === null) {
    return (
      <div class="node">
        <p class="muted">Nothing to compare here.</p>
      </div>
    )
  }
  return <Detail key={chosen.id} of={chosen} from={base.value} to={at.value} />
}

function Detail({ of, from, to }: { of: Change; from: At; to: At }): JSX.Element {
  const { go, tree } = useSession()
  const [before, after] = [useNode(of.old ?? of.id, from), useNode(of.id, to)]
  // If there is an old node, explain why it left.
  const about = useNode(of.old ?? of.id, to)
  const old = of.mark === '+' ? undefined : (before?.node ?? of.oldNode)
  const now = of.mark === '-' ? undefined : (after?.node ?? of.node)
  const why = about?.explanation['sentences']
  const open = (): void => {
    go({ view: 'tree', node: of.id })
    tree.seek(of.id)
  }
  return (
    <div class="node">
      <h2>
        <span class="outside">
          {of.old === undefined ? '' : `${of.old} → `}
          {of.id}
        </span>
        <button type="button" onClick={open}>
          Open in tree
        </button>
      </h2>
      <p class="sub outside">{sentenceOf(of, from, now)}</p>
      {Object.keys(of.delta).length > 0 && <Delta of={of} from={from} to={to} />}
      <section>
        <h3>Content</h3>
        {of.group === 'Redacted' && old !== undefined ? (
          <details class="cover">
            <summary>Show the redacted text, {size(utf8Length(contentOf(old)))}</summary>
            <SideBySide old={contentOf(old)} now={now === undefined ? null : contentOf(now)} from={from} to={to} />
          </details>
        ) : (
          <SideBySide
            old={old === undefined ? null : contentOf(old)}
            now={now === undefined ? null : contentOf(now)}
            from={from}
            to={to}
          />
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

function useNode(id: string, at: At): { node?: JsonObject; explanation: JsonObject } | undefined {
  const { place, moment, as, edits } = useSession()
  return useRead(() => {
    if (moment.value === null) return null
    return routes.node(place.value.context, { node: id, at, as: as.value }, edits.draft.value)
  }).value
}

function Delta({ of, from, to }: { of: Change; from: At; to: At }): JSX.Element {
  const rows = Object.entries(of.delta).filter(([name]) => name !== 'content')
  if (rows.length === 0) return <></>
  return (
    <section>
      <h3>Headers</h3>
      <table class="delta">
        <thead>
          <tr>
            <th>header</th>
            <th>{nameOf(from)}</th>
            <th>{nameOf(to)}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <td class="outside">{name}</td>
              <td class="c-del outside">{shortJson(value.from)}</td>
              <td class="c-add outside">{shortJson(value.to)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

function sentenceOf(of: Change, from: At, now: JsonObject | undefined): string {
  const when = `in cycle ${of.cycle}`
  switch (of.cause) {
    case 'pruned':
      return `Pruned ${when}: a limit was exceeded. Earlier snapshots still hold it.`
    case 'expired':
      return `Its ttl ran out: cycle ${of.cycle} is the first without it.`
    case 'redacted': {
      const author = textField(now, 'data_author')
      const reason = reasonOf(now)
      const who = author === undefined ? '' : ` by ${author}`
      const why = reason === undefined ? '' : `: ${reason}`
      return `Redacted ${when}${who}${why}. ${nameOf(from)} still holds the text; a redaction is not an erasure.`
    }
    case 'edited':
      return of.mark === '-' ? `Taken out ${when}.` : `Edited ${when}.`
    case 'superseded':
      return `Replaced ${when}. The new node stands in the same place.`
    default: {
      const word = causeWord(of.cause)
      return `${word[0]!.toUpperCase()}${word.slice(1)} ${when}.`
    }
  }
}
