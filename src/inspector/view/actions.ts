// Actions of buttons and keys. A button and its key call the same function.

import { effect } from '@preact/signals'
import { Failure } from '../api/http.js'
import { attemptOf, cycleOf, type At, type View } from '../state/link.js'
import { stopReading } from '../state/steps.js'
import type { Form, Session } from '../state/session.js'
import { noBreakWords } from '../words/sent.js'
import { useSession } from './use-session.js'

/** A snapshot of a context. */
export type Head = Readonly<{ id: string; cycle: number }>

export type Actions = ReturnType<typeof makeActions>

const made = new WeakMap<Session, Actions>()

export function useActions(): Actions {
  return actionsOf(useSession())
}

export function actionsOf(session: Session): Actions {
  const known = made.get(session)
  if (known !== undefined) return known
  const actions = makeActions(session)
  made.set(session, actions)
  return actions
}

function makeActions(session: Session) {
  const { place, go, columns, sends, newest, edits, tree, form, sheet, say, step, selection } = session

  const moments = (): readonly At[] =>
    columns.span.value === undefined ? [] : [...sends.list.value.map(({ at }) => at), 'working']

  /** Steps one send forward or back. Loads that part first if needed, because cycles may be missing. */
  const stepBy = (by: 1 | -1): void => {
    const { at } = place.value
    if (at === null) return
    const next = sends.beside(at, by)
    if (next !== undefined) return step(next)
    void columns.ensure(cycleOf(at) ?? newest.value).then(() => {
      if (place.peek().at === at) step(sends.beside(at, by) ?? null)
    })
  }

  /** Goes to a cycle by number, or to the nearest existing one before it. */
  const toCycle = (cycle: number): void => {
    const go = (): void => {
      const here = sends.list.value.findLast((send) => send.cycle <= cycle)
      step(here === undefined ? null : here.at)
    }
    if (columns.isLoaded(cycle, cycle)) go()
    else void columns.ensure(cycle).then(go)
  }

  const toFirst = async (): Promise<void> => {
    const span = columns.span.value
    if (span === undefined || span.newest === 0) return
    if (!columns.isLoaded(span.first, span.first)) await columns.ensure(span.first)
    step(sends.list.value[0]?.at ?? null)
  }

  const pick = (id: string, show = true): void => {
    sheet.value = true
    go({ node: id })
    if (show) tree.seek(id)
  }

  const toView = (view: View): void => {
    const hasRange = selection.range.value !== undefined || selection.query.value.kind === 'words'
    if (view === 'range' && !hasRange) return
    if (view === 'forks' && session.family.value.length < 2) return
    go({ view })
  }

  const openForm = (kind: Form): void => {
    if (session.isReadOnly.value) return say('This server is read-only.')
    if (kind === 'fork' && place.value.at !== null && attemptOf(place.value.at) !== null)
      return say('A fork begins at a snapshot: choose that of this cycle in its pane.')
    if (kind !== 'fork') {
      if (place.value.at !== 'working')
        return say('A snapshot never changes: go to the working state (w), or fork (f).')
      if (kind !== 'insert' && place.value.node === null) return say('Choose a block first.')
      if (edits.conflict.value !== null) return say('First say what becomes of your edits.')
    }
    if (place.value.view === 'request' || place.value.view === 'range') go({ view: 'tree' })
    form.value = kind
    sheet.value = true
  }

  const undo = (): void => {
    if (edits.undo()) say('Taken back.')
    else say('There is nothing to take back: this page has made no edit in the open cycle.')
  }

  const commit = async (): Promise<void> => {
    if (session.isReadOnly.value) return say('This server is read-only.')
    if (place.value.at !== 'working' || edits.conflict.value !== null) return
    try {
      const cycle = await edits.commit()
      form.value = null
      await columns.refresh()
      step(`c${cycle}`)
      say(`Committed cycle ${cycle}.`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code === 'E_CONFLICT') await columns.refresh().catch(() => undefined)
      else say(`${error.code}: ${error.message}`)
    }
  }

  const nextBroken = (): void => {
    const { at } = place.value
    const span = columns.span.value
    if (at === null || span === undefined) return
    const list = sends.list.value
    const now = at === 'working' ? list.length : list.findIndex((send) => send.at === at)
    const broken = list.filter(({ figures }) => figures?.prefix.broken === true)
    const later = broken.find((send) => list.indexOf(send) > now)
    const cycle = cycleOf(at) ?? span.newest + 1
    const bin = columns.bins.list.value.find((each) => each.broken > 0 && each.to > cycle)
    // For the part that is not loaded, use the totals to find an earlier one.
    if (bin !== undefined && (later === undefined || bin.to < later.cycle)) return toBroken(bin)
    const next = later ?? broken[0]
    if (next === undefined) say(noBreakWords(session.summary.peek().value))
    else step(next.at)
  }
  /** Goes to the first cycle of a range that broke the prefix. */
  const toBroken = ({ from, to }: { from: number; to: number }): void => {
    const { at } = place.peek()
    const now = (at === null ? null : cycleOf(at)) ?? 0
    void columns.ensure(to).then(() => {
      const next = sends.list.value.find(
        ({ cycle, figures }) => cycle >= from && cycle <= to && cycle > now && figures?.prefix.broken === true,
      )
      if (place.peek().at === at) step(next?.at ?? `c${to}`)
    })
  }

  /** Goes to the next match. While the selector loads, waits for its answer. */
  const matchBy = (by: 1 | -1): void => {
    if (selection.isBusy.peek()) {
      const end = effect(() => {
        if (selection.isBusy.value) return
        queueMicrotask(() => {
          end()
          matchBy(by)
        })
      })
      return
    }
    const ids = [...(selection.matches.value ?? [])]
    if (ids.length === 0) return
    const now = ids.indexOf(place.value.node ?? '')
    pick(ids[(now + by + ids.length) % ids.length]!)
  }

  const copy = (text: string, words: string): void => {
    const written = navigator.clipboard?.writeText(text)
    if (written === undefined) return say('This browser does not let the page copy.')
    written.then(
      () => say(words),
      () => say('This browser does not let the page copy.'),
    )
  }

  const toContext = (id: string): void => {
    form.value = null
    sheet.value = false
    go({ context: id, at: null, as: null, node: null, q: '', view: 'tree', from: null, other: null })
  }

  /** Compares the newest snapshots of two contexts, or given cycles of them: what the second has is what came. */
  const compareHeads = (from: Head, to: Head): void => {
    form.value = null
    sheet.value = false
    go({
      context: to.id,
      at: `c${to.cycle}`,
      view: 'compare',
      other: from.id,
      from: `c${from.cycle}`,
      node: null,
      q: '',
    })
  }

  /** Stops a long reading, or closes the topmost of form, sheet, node and search. */
  const back = (isNarrow: boolean): void => {
    if (stopReading()) return
    if (form.value !== null) form.value = null
    else if (isNarrow && sheet.value) sheet.value = false
    else if (place.value.node !== null && place.value.view !== 'compare') go({ node: null })
    else if (place.value.q !== '') go({ q: '' })
  }

  return {
    moments,
    stepBy,
    toCycle,
    toFirst,
    pick,
    toView,
    openForm,
    undo,
    commit,
    nextBroken,
    matchBy,
    copy,
    toContext,
    compareHeads,
    back,
  }
}
