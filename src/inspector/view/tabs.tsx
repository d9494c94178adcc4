// The views as tabs, with the actions of the current one.

import type { ComponentChildren, JSX } from 'preact'
import { isOffline } from '../api/http.js'
import { attemptOf, VIEWS, type At, type View } from '../state/link.js'
import type { Session } from '../state/session.js'
import { changesIn } from '../words/lanes.js'
import { count } from '../words/numbers.js'
import { useActions } from './actions.js'
import { nameOf } from './bits.js'
import { OtherContext } from './other-context.js'
import { useRequestActions } from './request-actions.js'
import { CopyRequest, ExportSnapshot } from './copy-menus.js'
import { nextChange } from './tree-ask.js'
import { showsAging } from './view-state.js'
import { useSession } from './use-session.js'

const NAMES: Readonly<Record<View, string>> = {
  tree: 'Tree',
  compare: 'Compare',
  request: 'Request',
  range: 'Range',
  forks: 'Forks',
}

export function Bar(): JSX.Element {
  const { place } = useSession()
  const { view } = place.value
  return (
    <div class="bar">
      <Tabs />
      <div class="tools">
        {view === 'tree' && <TreeTools />}
        {view === 'compare' && <CompareTools />}
        {view === 'request' ? <RequestTools /> : <EditTools />}
      </div>
    </div>
  )
}

function Tabs(): JSX.Element {
  const session = useSession()
  const { toView } = useActions()
  const { view } = session.place.value
  const range = session.selection.range.value
  const { family, selection } = session
  const hasWords = selection.query.value.kind === 'words'
  const isThere: Readonly<Partial<Record<View, boolean>>> = {
    range: range !== undefined || hasWords,
    forks: family.value.length > 1,
  }
  const shown = VIEWS.filter((each) => each === view || (isThere[each] ?? true))
  const countOf = (each: View): string => {
    if (each === 'compare') return changedCount(session)
    if (each === 'forks') return count(family.value.length)
    return each === 'range' && range !== undefined ? count(changesIn(range)) : ''
  }
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    event.stopPropagation()
    const next = shown[(shown.indexOf(view) + by + shown.length) % shown.length]!
    toView(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label="View" onKeyDown={move}>
      {shown.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`tab-${each}`}
          aria-selected={each === view}
          aria-controls="panes"
          tabIndex={each === view ? 0 : -1}
          onClick={() => toView(each)}
        >
          {each === 'range' && hasWords ? 'History' : NAMES[each]}
          {countOf(each) !== '' && <span class="cnt">{countOf(each)}</span>}
          <kbd aria-hidden="true">{VIEWS.indexOf(each) + 1}</kbd>
        </button>
      ))}
    </div>
  )
}

/** The number of changes since the base. */
function changedCount({ base, shared }: Session): string {
  const total = base.value === null ? 0 : (shared.changes.value.value?.total ?? 0)
  return total === 0 ? '' : count(total)
}

function TreeTools(): JSX.Element {
  const session = useSession()
  const { tree, selection } = session
  return (
    <>
      {selection.matches.value !== undefined && <Check label="only matches" of={tree.onlyMatches} />}
      <Check label="show what left" of={tree.ghosts} />
      <button type="button" onClick={() => void nextChange(session)}>
        Next change<kbd aria-hidden="true">.</kbd>
      </button>
      <button type="button" onClick={tree.toggleAll}>
        {tree.all.value ? 'Close unchanged' : 'Open all'}
        <kbd aria-hidden="true">*</kbd>
      </button>
    </>
  )
}

function Check({ label, of }: { label: string; of: { value: boolean } }): JSX.Element {
  return (
    <label>
      <input type="checkbox" checked={of.value} onChange={(event) => (of.value = event.currentTarget.checked)} />
      {label}
    </label>
  )
}

function CompareTools(): JSX.Element {
  const { at, base, other, go, step } = useSession()
  const { moments } = useActions()
  return (
    <>
      <OtherContext />
      {other.value === null && (
        <Moments label="from" list={moments()} chosen={base.value} choose={(from) => go({ from, other: null })} />
      )}
      <Moments label="to" list={moments()} chosen={at.value} choose={(to) => step(to)} />
      <Check label="running ttl" of={showsAging} />
    </>
  )
}

const AROUND = 100

type MomentsProps = Readonly<{ label: string; list: readonly At[]; chosen: At | null; choose: (at: At) => void }>

function Moments({ label, list, chosen, choose }: MomentsProps): JSX.Element {
  const index = chosen === null ? list.length : list.indexOf(chosen)
  // For a long history, offer only neighbouring cycles: a list of thousands helps no reader.
  const near = list.slice(Math.max(0, index - AROUND), index + AROUND)
  const shown = chosen === null || index >= 0 ? near : [chosen, ...near]
  return (
    <label>
      {label}
      <select value={chosen ?? ''} onChange={(event) => choose(event.currentTarget.value as At)}>
        {shown.map((at) => (
          <option key={at} value={at}>
            {nameOf(at)}
          </option>
        ))}
      </select>
    </label>
  )
}

function RequestTools(): JSX.Element {
  const { toDifference, copyBytes, save, isBroken, hasBytes } = useRequestActions()
  return (
    <>
      <button type="button" disabled={!isBroken} onClick={toDifference}>
        First difference
      </button>
      {hasBytes && (
        <>
          <button type="button" onClick={copyBytes}>
            Copy bytes
          </button>
          <CopyRequest />
          <button type="button" onClick={save}>
            Save
          </button>
        </>
      )}
    </>
  )
}

function EditTools(): JSX.Element {
  const { at, isReadOnly, edits, newest } = useSession()
  const { openForm, undo, commit } = useActions()
  if (at.value === null) return <></>
  if (isReadOnly.value) {
    return (
      <>
        <span class="sep" />
        <span class="muted">{isOffline ? 'A copy to look at' : 'This server is read-only'}</span>
      </>
    )
  }
  if (at.value !== 'working') {
    const isSend = attemptOf(at.value) !== null
    return (
      <>
        <span class="sep" />
        <span class="muted nowrap never">{isSend ? 'What was sent never changes.' : 'A snapshot never changes.'}</span>
        <ExportSnapshot />
        {!isSend && <Tool name={`Fork from ${nameOf(at.value)}`} hint="f" act={() => openForm('fork')} />}
      </>
    )
  }
  const isHeld = edits.conflict.value !== null
  return (
    <>
      <span class="sep" />
      <Tool name="Insert" hint="i" act={() => openForm('insert')} isOff={isHeld} />
      <Tool name="Replace" hint="e" act={() => openForm('replace')} isOff={isHeld} />
      <Tool name="Redact" hint="x" act={() => openForm('redact')} isOff={isHeld} />
      <Tool name="Undo" hint="u" act={undo} isOff={edits.list.value.length === 0} />
      <button type="button" class="btn primary" disabled={isHeld} onClick={() => void commit()}>
        Commit cycle {newest.value + 1}
      </button>
    </>
  )
}

type ToolProps = Readonly<{ name: ComponentChildren; hint: string; act: () => void; isOff?: boolean }>

function Tool({ name, hint, act, isOff = false }: ToolProps): JSX.Element {
  return (
    <button type="button" class="btn" disabled={isOff} onClick={act}>
      {name}
      <kbd aria-hidden="true">{hint}</kbd>
    </button>
  )
}
