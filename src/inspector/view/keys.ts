// Global keys. Single keys are off while the user types; lists handle their own arrows.

import { letterKeys } from '../state/settings.js'
import type { View } from '../state/link.js'
import type { Session } from '../state/session.js'
import { actionsOf } from './actions.js'
import { focusList } from './focus-list.js'
import { nextChange } from './tree-ask.js'
import { togglePlaying } from './playing.js'
import { narrowNow } from './use-narrow.js'

const TYPING = /^(?:INPUT|TEXTAREA|SELECT)$/

export function startKeys(session: Session): void {
  document.addEventListener('keydown', (event) => press(session, event))
}

function press(session: Session, event: KeyboardEvent): void {
  const target = event.target instanceof HTMLElement ? event.target : document.body
  const actions = actionsOf(session)
  if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
    const form = document.getElementById('edit')
    event.preventDefault()
    if (form instanceof HTMLFormElement) form.requestSubmit()
    else void actions.commit()
    return
  }
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault()
    actions.toContext('')
    document.getElementById('filter')?.focus()
    return
  }
  // Ask the document: the signal follows a dialog one task later, and a key may come in between.
  if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
  if (event.key === 'Escape') return actions.back(narrowNow())
  const isTyping = TYPING.test(target.tagName) && !(target instanceof HTMLInputElement && target.type === 'checkbox')
  if (isTyping || (event.key.length === 1 && !letterKeys.isOn.peek()) || event.ctrlKey || event.metaKey || event.altKey)
    return
  if (session.place.peek().context === '' && event.key !== '?') return
  const isInTimeline = target.id === 'cycles'
  const act = isInTimeline
    ? (timelineKey(session, event.key) ?? pageKey(session, event.key))
    : pageKey(session, event.key)
  if (act === undefined) return
  // A button handles the space bar itself.
  if (event.key === ' ' && /^(?:BUTTON|SUMMARY|INPUT)$/.test(target.tagName)) return
  event.preventDefault()
  act()
}

function timelineKey(session: Session, key: string): (() => void) | undefined {
  const { stepBy } = actionsOf(session)
  switch (key) {
    case 'ArrowLeft':
      return () => stepBy(-1)
    case 'ArrowRight':
      return () => stepBy(1)
    case 'Home':
      return () => void actionsOf(session).toFirst()
    case 'End':
      return () => session.step('working')
    default:
      return undefined
  }
}

function pageKey(session: Session, key: string): (() => void) | undefined {
  const actions = actionsOf(session)
  const views: Readonly<Record<string, View>> = {
    '1': 'tree',
    '2': 'compare',
    '3': 'request',
    '4': 'range',
    '5': 'forks',
  }
  const view = views[key]
  if (view !== undefined) return () => showView(session, view)
  switch (key) {
    case '[':
      return () => actions.stepBy(-1)
    case ']':
      return () => actions.stepBy(1)
    case ' ':
      return () => togglePlaying(session)
    case '/':
      return () => document.getElementById('selector')?.focus()
    case 'n':
      return () => actions.matchBy(1)
    case 'N':
      return () => actions.matchBy(-1)
    case 'w':
      return () => session.step('working')
    case 'b':
      return actions.nextBroken
    case '.':
      return () => void nextChange(session)
    case '*':
      return session.tree.toggleAll
    case 'i':
      return () => actions.openForm('insert')
    case 'e':
      return () => actions.openForm('replace')
    case 'x':
      return () => actions.openForm('redact')
    case 'f':
      return () => actions.openForm('fork')
    case 'u':
      return actions.undo
    case 'y':
      return () => actions.copy(location.href, 'Link copied.')
    case '?':
      return () => (session.helpOpen.value = true)
    default:
      return undefined
  }
}

/** Focuses the list of the new view, so that arrows work at once, unless the user has focused something else meanwhile. */
function showView(session: Session, view: View): void {
  actionsOf(session).toView(view)
  if (session.place.peek().view !== view) return
  const focused = document.activeElement
  requestAnimationFrame(() => {
    const now = document.activeElement
    if (now === focused || now === document.body) focusList(view)
  })
}
