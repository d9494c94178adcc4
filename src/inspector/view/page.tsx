// The page: top bar, timeline, answer, tabs, panes.

import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Session } from '../state/session.js'
import { Answer } from './answer.js'
import { nameOf } from './bits.js'
import { CompareDetail, ComparePane } from './compare.js'
import { CyclePane } from './cycle.js'
import { ForksView } from './forks.js'
import { FormPane } from './form.js'
import { Front } from './front.js'
import { Help } from './help.js'
import { WhereStrip } from './icicle.js'
import { NodePane } from './node.js'
import { Notes } from './notes.js'
import { RangePane } from './range.js'
import { RequestView } from './request.js'
import { ConflictBanner, Empty, Loading, Missing, TroubleBanner } from './states.js'
import { Bar } from './tabs.js'
import { Timeline } from './timeline.js'
import { Top } from './top.js'
import { TreeView } from './tree.js'
import { SessionContext, useSession } from './use-session.js'

export function Page({ session }: { session: Session }): JSX.Element {
  return (
    <SessionContext.Provider value={session}>
      <div class="page">
        <Top />
        <Body />
      </div>
      <Toast />
      <Notes />
      <Help />
    </SessionContext.Provider>
  )
}

function Toast(): JSX.Element {
  const { toast } = useSession()
  return (
    <div class="toast" role="status">
      {toast.value}
    </div>
  )
}

function Body(): JSX.Element {
  const { summary, columns, openColumn, edits, place, at, form } = useSession()
  const { context } = place.value
  useEffect(() => {
    if (context !== '')
      document.title = `${at.value === null ? '' : nameOf(at.value)} ${context} · pact inspector`.trim()
  }, [context, at.value])
  if (context === '') return <Front />
  const missing = summary.value.failure
  if (missing?.kind === 'refused') {
    return (
      <main>
        <Missing failure={missing} />
      </main>
    )
  }
  const span = columns.span.value
  if (span === undefined) {
    return (
      <main>
        <TroubleBanner />
        <Loading />
      </main>
    )
  }
  const hasOpen = edits.list.value.length > 0 || (openColumn.value?.items ?? 0) > 0
  if (span.newest === 0 && !hasOpen && form.value === null)
    return (
      <main>
        <TroubleBanner />
        <Empty />
      </main>
    )
  return (
    <>
      <Timeline />
      <Answer />
      <WhereStrip />
      <Work />
    </>
  )
}

function Work(): JSX.Element {
  const { place } = useSession()
  const { view } = place.value
  return (
    <main class="work">
      <Bar />
      <div>
        <TroubleBanner />
        <ConflictBanner />
      </div>
      <Panes view={view} />
    </main>
  )
}

function Panes({ view }: { view: string }): JSX.Element {
  const { place, sheet, form } = useSession()
  const { node } = place.value
  const hasSecond = (view !== 'range' && view !== 'forks') || node !== null
  const shape = view === 'compare' ? 'wide' : hasSecond ? '' : 'one'
  return (
    <div
      class={['panes', shape, sheet.value ? 'sheet' : ''].filter((each) => each !== '').join(' ')}
      id="panes"
      role="tabpanel"
      aria-labelledby={`tab-${view}`}
    >
      {view === 'tree' && (
        <div class="pane">
          <TreeView />
        </div>
      )}
      {view === 'request' && (
        <div class="pane">
          <RequestView />
        </div>
      )}
      {view === 'compare' && <ComparePane />}
      {view === 'range' && <RangePane />}
      {view === 'forks' && (
        <div class="pane" id="forks" tabIndex={0} role="region" aria-label="Forks">
          <ForksView />
        </div>
      )}
      {hasSecond && (
        <div
          class="pane second"
          tabIndex={0}
          role="region"
          aria-label={view === 'compare' ? 'Change' : node === null ? 'Cycle' : 'Node'}
        >
          <Shut />
          {form.value !== null && <FormPane />}
          {view === 'compare' ? <CompareDetail /> : node === null ? <CyclePane /> : <NodePane id={node} />}
        </div>
      )}
    </div>
  )
}

function Shut(): JSX.Element {
  const { sheet } = useSession()
  return (
    <div class="shut">
      <button type="button" class="btn" onClick={() => (sheet.value = false)}>
        Close
      </button>
    </div>
  )
}
