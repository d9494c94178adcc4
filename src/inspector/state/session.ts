// All state of the page as signals, and all its actions. Made once when the page starts; components read it.

import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { Column, ContextSummary, Figures, Timeline } from '../../api/index.js'
import { createContexts, type Contexts } from './contexts.js'
import { answered, onRetry, trouble } from './connection.js'
import { createEdits, type Edits } from './edits.js'
import { listen } from './follow.js'
import type { Listed } from '../words/forest.js'
import { attemptOf, cycleOf, type At, type Format, type Place } from './link.js'
import { createPlaces } from './place.js'
import { fetchAnswer, forgetAnswers, openRound, round, startRead, type Read } from './reads.js'
import { createSelection, type Selection } from './selection.js'
import { createSendList, type SendList } from './send-list.js'
import { createShared, type Shared } from './shared.js'
import { createColumns, type Columns } from './timeline.js'
import { createTreeState, type TreeState } from './tree-state.js'

export type Form = 'insert' | 'replace' | 'redact' | 'fork'

export type Session = Readonly<{
  place: ReadonlySignal<Place>
  go: (change: Partial<Place>) => void
  contexts: Contexts
  summary: ReadonlySignal<Read<ContextSummary>>
  columns: Columns
  /** The column of the open cycle in the timeline; undefined until it is read. */
  openColumn: ReadonlySignal<Column | undefined>
  /** The moment in view; null until the newest cycle is known. */
  at: ReadonlySignal<At | null>
  /**
   * The moment to ask about: the moment in view, if its tree is known. Null also while its edits are in conflict.
   */
  moment: ReadonlySignal<At | null>
  newest: ReadonlySignal<number>
  sends: SendList
  /** The previous moment; null for the first. */
  before: (at: At) => At | null
  /** The base that the moment in view is compared with. */
  base: ReadonlySignal<At | null>
  /** The context of the base, if it is another one. */
  other: ReadonlySignal<string | null>
  /** The contexts that share a past with this one, itself included. */
  family: ReadonlySignal<readonly Listed[]>
  /** True once the base is known; false until the cycles around it are loaded. */
  isBaseKnown: ReadonlySignal<boolean>
  /** The format of the moment in view: as the link says, else that of its call. Null until known. */
  as: ReadonlySignal<Format | null>
  /** True if the moment in view is a call whose tree is not known. */
  isUntold: ReadonlySignal<boolean>
  /** Figures of the moment in view. */
  column: ReadonlySignal<ColumnOf | undefined>
  edits: Edits
  selection: Selection
  shared: Shared
  tree: TreeState
  isFollowing: ReadonlySignal<boolean>
  setFollow: (isOn: boolean) => void
  isReadOnly: ReadonlySignal<boolean>
  form: Signal<Form | null>
  /** On pages narrower than 760 px: true if the sheet with the node is open. */
  sheet: Signal<boolean>
  helpOpen: Signal<boolean>
  toast: Signal<string>
  say: (text: string) => void
  /** Goes to a moment at the user's request. */
  step: (to: At | null) => void
}>

/** The column of a snapshot or a send. */
export type ColumnOf = Figures & Readonly<{ cycle: number }>

/** A call whose tree is not known. */
const NO_FIGURES: Figures = {
  items: 0,
  bytes: 0,
  tokens: 0,
  runs: [],
  causes: {},
  prefix: { tokens: 0, broken: false },
}

const TOAST = 3200
/** Interval for asking about calls of the newest cycle, in milliseconds. */
const LOOK = 5000

export function createSession(): Session {
  const { place, go, isFollowing, move } = createPlaces(() => columns.span.peek()?.newest ?? null)
  const context = computed(() => place.value.context)
  const contexts = createContexts()
  const summary = startRead(() => (context.value === '' ? null : routes.summary(context.value))).state
  const at = computed(() => place.value.at)
  const wanted = computed(() => (at.value === null ? null : cycleOf(at.value)))
  const by = computed(() => place.value.by)
  const columns = createColumns({ context, summary, wanted, by })
  const newest = computed(() => columns.span.value?.newest ?? 0)
  const form = signal<Form | null>(null)
  // A link to a node opens the sheet if the page is narrow.
  const sheet = signal(place.peek().node !== null)
  const toast = signal('')

  const hasDraft = computed(() => summary.value.value?.id === context.value && summary.value.value.draft === true)
  const edits = createEdits(context, newest, hasDraft)
  const opened = startRead((): ReturnType<typeof routes.openColumn> | null => {
    if (context.value === '' || columns.span.value === undefined || edits.isStale.value) return null
    return routes.openColumn(context.value, edits.draft.value, by.value)
  }).state
  const openColumn = computed(() => opened.value.value && openOf(opened.value.value))
  const cameAs = computed(() => (summary.value.value?.id === context.value ? summary.value.value.format : undefined))
  const sends = createSendList({ columns, openColumn, place, cameAs })
  const before = (moment: At): At | null => sends.before(moment) ?? null
  const isBaseKnown = computed(
    () => at.value === null || place.value.other !== null || sends.before(at.value) !== undefined,
  )
  const other = computed(() => {
    const { view, from, other, context } = place.value
    return view === 'compare' && from !== null && other !== context ? other : null
  })
  const relatives = startRead(() => (context.value === '' ? null : routes.family(context.value))).state
  const family = computed(() => relatives.value.value?.contexts.filter(({ cycle }) => cycle > 0) ?? [])
  const base = computed(() => {
    const { at, from, view } = place.value
    if (at === null) return null
    if (other.value !== null) return from
    return view === 'compare' && from !== null && from !== at && !sends.isUntold(from) ? from : before(at)
  })
  const moment = computed((): At | null => {
    const now = at.value
    if (now === null || context.value === '' || columns.span.value === undefined) return null
    if (now === 'working') return edits.isStale.value ? null : now
    if (attemptOf(now) === null) return now
    return sends.find(now) === undefined || sends.isUntold(now) ? null : now
  })
  const as = computed(() => place.value.as ?? (at.value === null ? null : sends.formatOf(at.value)))
  const isUntold = computed(() => at.value !== null && sends.isUntold(at.value))
  const column = computed((): ColumnOf | undefined => {
    const now = at.value
    if (now === null) return undefined
    if (now === 'working') return openColumn.value
    const cycle = cycleOf(now)!
    const figures = sends.isUntold(now) ? NO_FIGURES : (sends.find(now)?.figures ?? columns.byCycle.value.get(cycle))
    return figures && { ...figures, cycle }
  })

  let clearing: ReturnType<typeof setTimeout> | undefined
  const say = (text: string): void => {
    clearTimeout(clearing)
    toast.value = text
    clearing = setTimeout(() => (toast.value = ''), TOAST)
  }

  const session: Session = {
    place,
    go,
    contexts,
    summary,
    columns,
    openColumn,
    at,
    moment,
    newest,
    sends,
    before,
    base,
    other,
    family,
    isBaseKnown,
    column,
    as,
    isUntold,
    edits,
    selection: createSelection(place, moment, edits, columns),
    shared: createShared({ place, at, moment, base, other, as, isUntold, sends, column, newest, edits }),
    tree: createTreeState(),
    isFollowing,
    setFollow: (isOn) => move({ kind: 'follow', isOn }),
    isReadOnly: computed(() => (summary.value.value as { readOnly?: boolean } | undefined)?.readOnly === true),
    form,
    sheet,
    helpOpen: signal(false),
    toast,
    say,
    step: (to) => {
      if (to === null || to === at.peek()) return
      form.value = null
      go({ at: to })
    },
  }
  wire(session, context, () => move({ kind: 'newest' }))
  return session
}

function openOf({ columns }: Timeline): Column | undefined {
  return columns.find((column) => column.open !== undefined)
}

/** Automatic behaviour: opens the first context and the newest cycle, follows commits, recovers after a failure. */
function wire(session: Session, context: ReadonlySignal<string>, toNewest: () => void): void {
  const { place, at, go, contexts, columns, sends, newest, tree, say } = session
  onRetry(() => round.value++)
  // Navigating to a link with a node opens the sheet too.
  addEventListener('popstate', () => {
    session.sheet.value = place.peek().node !== null
  })

  // A store with one context has nothing to choose from: the page begins with that one.
  let isBeginning = place.peek().context === ''
  effect(() => {
    const list = contexts.list.value
    if (contexts.isReading.value || list === undefined || !isBeginning) return
    isBeginning = false
    if (list.length === 1 && place.peek().context === '') go({ context: list[0]!.id })
  })
  effect(() => {
    if (columns.span.value !== undefined) toNewest()
  })
  effect(() => {
    const cycle = place.value.at === null ? null : cycleOf(place.value.at)
    if (columns.span.value !== undefined && cycle !== null) void columns.ensure(cycle)
  })
  effect(() => {
    const now = at.value
    if (now === null || now === 'working' || attemptOf(now) === null) return
    if (!sends.isKnown(cycleOf(now)!) || sends.find(now) !== undefined) return
    go({ at: `c${cycleOf(now)!}` })
    say(`${attemptOf(now)} is not kept any more; this is the snapshot of its cycle.`)
  })
  effect(() => {
    // Each moment and context has its own open rows.
    void at.value
    void context.value
    tree.reset()
  })

  const calls = (): string => JSON.stringify(columns.byCycle.peek().get(newest.peek())?.sends ?? null)
  const lookForMore = (): void => {
    const [before, cycle] = [calls(), newest.peek()]
    const isKnown = columns.byCycle.peek().has(cycle)
    columns.refresh().then(
      () => {
        // Calls that were not known before are no news.
        if ((isKnown || newest.peek() !== cycle) && calls() !== before) openRound.value++
      },
      () => undefined,
    )
  }
  // No event reports calls that start and end between commits, so poll for them.
  setInterval(() => {
    if (context.peek() !== '' && newest.peek() > 0 && !document.hidden && trouble.peek() === null) lookForMore()
  }, LOOK)
  // A context that is not there has no events.
  const known = computed(() => (session.summary.value.value?.id === context.value ? context.value : ''))
  listen(known, {
    heard: ({ kind }) => {
      if (kind === 'erased') return forgetAnswers()
      if (kind === 'edited') openRound.value++
      lookForMore()
    },
    stands: () => {
      if (columns.span.peek() !== undefined) lookForMore()
    },
    lost: () => {
      // The stream broke. A question shows whether the server is gone.
      if (context.peek() !== '') fetchAnswer(routes.summary(context.peek())).then(answered, () => undefined)
    },
  })
}
