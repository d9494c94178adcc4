// All state of the page as signals, and all its actions. Made once when the page starts; components read it.

import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { Column, ContextSummary, Figures, Timeline } from '../../api/index.js'
import { createContexts, type Contexts } from './contexts.js'
import { answered, onRetry, trouble } from './connection.js'
import { createEdits, type Edits } from './edits.js'
import { listen } from './follow.js'
import { attemptOf, cycleOf, type At, type Place } from './link.js'
import { createPlaces } from './place.js'
import { fetchAnswer, forgetAnswers, openRound, round, startRead, type Read } from './reads.js'
import { createSelection, type Selection } from './selection.js'
import { createSendList, type SendList } from './send-list.js'
import { createShared, type Shared } from './shared.js'
import { createColumns, type Columns } from './timeline.js'
import { createTreeState, type TreeState } from './tree-state.js'

export type Form = 'insert' | 'replace' | 'redact' | 'fork'

export type Session = Readonly<{
  place: Signal<Place>
  go: (change: Partial<Place>) => void
  contexts: Contexts
  summary: ReadonlySignal<Read<ContextSummary>>
  columns: Columns
  /** The column of the open cycle in the timeline; undefined until it is read. */
  openColumn: ReadonlySignal<Column | undefined>
  /** The moment in view; null until the newest cycle is known. */
  at: ReadonlySignal<At | null>
  /**
   * The moment to ask about: the moment in view, or the snapshot of its cycle if its request cannot be rendered again. Null also
   * while its edits are in conflict.
   */
  moment: ReadonlySignal<At | null>
  newest: ReadonlySignal<number>
  sends: SendList
  /** The previous moment; null for the first. */
  before: (at: At) => At | null
  /** The base that the moment in view is compared with. */
  base: ReadonlySignal<At | null>
  /** True once the base is known; false until the cycles around it are loaded. */
  isBaseKnown: ReadonlySignal<boolean>
  /** Figures of the moment in view. */
  column: ReadonlySignal<ColumnOf | undefined>
  edits: Edits
  selection: Selection
  shared: Shared
  tree: TreeState
  follow: Signal<boolean>
  isReadOnly: ReadonlySignal<boolean>
  form: Signal<Form | null>
  /** On pages narrower than 760 px: true if the sheet with the node is open. */
  sheet: Signal<boolean>
  helpOpen: Signal<boolean>
  toast: Signal<string>
  say: (text: string) => void
  /** Goes to a moment at the user's request. Stops following unless it is the newest. */
  step: (to: At | null) => void
}>

/** The column of a snapshot or a send. */
export type ColumnOf = Figures & Readonly<{ cycle: number }>

const TOAST = 3200
/** Interval for asking about calls of the newest cycle, in milliseconds. */
const LOOK = 5000

export function createSession(): Session {
  const { place, go } = createPlaces()
  const context = computed(() => place.value.context)
  const contexts = createContexts()
  const summary = startRead(() => (context.value === '' ? null : routes.summary(context.value))).state
  const at = computed(() => place.value.at)
  const wanted = computed(() => (at.value === null ? null : cycleOf(at.value)))
  const columns = createColumns({ context, summary, wanted })
  const newest = computed(() => columns.span.value?.newest ?? 0)
  const follow = signal(false)
  const form = signal<Form | null>(null)
  // A link to a node opens the sheet if the page is narrow.
  const sheet = signal(place.peek().node !== null)
  const toast = signal('')

  const edits = createEdits(context, newest)
  const opened = startRead((): ReturnType<typeof routes.openColumn> | null => {
    if (context.value === '' || columns.span.value === undefined || edits.isStale.value) return null
    return routes.openColumn(context.value, edits.draft.value)
  }).state
  const openColumn = computed(() => opened.value.value && openOf(opened.value.value))
  const sends = createSendList({ columns, openColumn, place })
  const before = (moment: At): At | null => sends.before(moment) ?? null
  const isBaseKnown = computed(() => at.value === null || sends.before(at.value) !== undefined)
  const base = computed(() => {
    const { at, from, view } = place.value
    if (at === null) return null
    return view === 'compare' && from !== null && from !== at ? sends.shownFor(from) : before(at)
  })
  const moment = computed((): At | null => {
    const now = at.value
    if (now === null || context.value === '' || columns.span.value === undefined) return null
    if (now === 'working') return edits.isStale.value ? null : now
    return attemptOf(now) === null ? now : sends.shownFor(now)
  })
  const column = computed((): ColumnOf | undefined => {
    const now = at.value
    if (now === null) return undefined
    if (now === 'working') return openColumn.value
    const cycle = cycleOf(now)!
    const figures = sends.find(now)?.figures ?? columns.byCycle.value.get(cycle)
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
    isBaseKnown,
    column,
    edits,
    selection: createSelection(place, moment, edits),
    shared: createShared({ place, moment, base, column, newest, edits }),
    tree: createTreeState(),
    follow,
    isReadOnly: computed(() => (summary.value.value as { readOnly?: boolean } | undefined)?.readOnly === true),
    form,
    sheet,
    helpOpen: signal(false),
    toast,
    say,
    step: (to) => {
      if (to === null || to === at.peek()) return
      follow.value = to === `c${newest.peek()}`
      form.value = null
      go({ at: to })
    },
  }
  wire(session, context)
  return session
}

function openOf({ columns }: Timeline): Column | undefined {
  return columns.find((column) => column.open !== undefined)
}

/** Automatic behaviour: opens the first context and the newest cycle, follows commits, recovers after a failure. */
function wire(session: Session, context: ReadonlySignal<string>): void {
  const { place, at, go, contexts, columns, sends, newest, follow, tree, say } = session
  onRetry(() => round.value++)
  // Navigating to a link with a node opens the sheet too.
  addEventListener('popstate', () => {
    session.sheet.value = place.peek().node !== null
    // A link or Back to an older cycle stops following, as a step does.
    follow.value = place.peek().at === `c${newest.peek()}`
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
    const span = columns.span.value
    if (span === undefined) return
    if (place.value.at === null) {
      go({ at: span.newest === 0 ? 'working' : `c${span.newest}` })
      follow.value = span.newest > 0
    }
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
    const before = calls()
    columns.refresh().then(
      () => {
        if (calls() !== before) openRound.value++
        if (follow.peek() && newest.peek() > 0) go({ at: `c${newest.peek()}` })
      },
      () => undefined,
    )
  }
  // No event reports calls that start and end between commits, so poll for them.
  setInterval(() => {
    if (context.peek() !== '' && newest.peek() > 0 && !document.hidden && trouble.peek() === null) lookForMore()
  }, LOOK)
  listen(context, {
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
