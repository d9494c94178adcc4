// The selector bar: the field, its result, and below it errors or completions.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import * as routes from '../api/routes.js'
import { useRead } from '../state/reads.js'
import { complete, type Completion } from '../words/completions.js'
import { changesIn } from '../words/lanes.js'
import { count, percent, plural } from '../words/numbers.js'
import { fixed, isUnfinished } from '../words/selector.js'
import { useActions } from './actions.js'
import { nameOf } from './bits.js'
import { Icon } from './icon.js'
import { focusList } from './focus-list.js'
import { WordOffers } from './word-offers.js'
import { useNarrow } from './use-narrow.js'
import { useSession } from './use-session.js'

const HINT = "Search words, or select nodes:  +rag   #plan   ^seq .block[kind='result']   @history [ttl]"
const SHORT_HINT = 'Words, or +rag  #plan'

export function SelectorBar(): JSX.Element {
  const { place, go, moment, selection, edits } = useSession()
  const { matchBy, toCycle } = useActions()
  const isNarrow = useNarrow()
  const field = useRef<HTMLInputElement>(null)
  const hasFocus = useSignal(false)
  const chosen = useSignal(-1)
  const caret = useSignal(0)
  const { q } = place.value
  const isOpen = selection.isOpen.value && hasFocus.value
  const names = useRead(() => {
    if (!hasFocus.value || moment.value === null) return null
    return routes.names(place.value.context, moment.value, edits.draft.value)
  }).value
  const offers = isOpen ? complete(q, caret.value, names, place.value.at) : []
  const fault = selection.fault.value
  const isCalm = fault !== undefined && hasFocus.value && isUnfinished(fault, q)
  const isBad = fault !== undefined && !isCalm
  const query = selection.query.value
  const showsFault = fault !== undefined && hasFocus.value && q.trim() !== ''

  const write = (text: string, at: number): void => {
    chosen.value = -1
    caret.value = at
    go({ q: text })
  }
  const take = (offer: Completion): void => {
    const text = q.slice(0, offer.from) + offer.text + q.slice(caret.value)
    const at = offer.from + offer.text.length
    selection.isOpen.value = offer.text.endsWith(' ')
    write(text, at)
    requestAnimationFrame(() => field.current?.setSelectionRange(at, at))
    field.current?.focus()
  }
  const toTyped = (cycle: number): void => {
    write('', 0)
    toCycle(cycle)
    field.current?.blur()
  }
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0 && offers.length > 0) {
      event.preventDefault()
      chosen.value = (Math.max(chosen.value, by > 0 ? -1 : 0) + by + offers.length) % offers.length
    } else if (
      (event.key === 'Enter' || event.key === 'Tab') &&
      chosen.value >= 0 &&
      offers[chosen.value] !== undefined
    ) {
      event.preventDefault()
      take(offers[chosen.value]!)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      selection.isOpen.value = false
      const query = selection.query.value
      if (query.kind === 'cycle') toTyped(query.cycle)
      else if (query.kind === 'words' && event.shiftKey) go({ view: 'range' })
      else if (query.kind === 'range' && fault === undefined) go({ view: 'range' })
      else matchBy(event.shiftKey ? -1 : 1)
    } else if (event.key === 'Escape') {
      event.stopPropagation()
      // Esc closes an open list first; then the focus goes back to the tree, and the results stay.
      if (isOpen && q !== '') selection.isOpen.value = false
      else focusList(place.value.view)
    }
  }

  return (
    <form class="find" role="search" aria-label="Selector" onSubmit={(event) => event.preventDefault()}>
      <div class={`findbar${isBad ? ' bad' : ''}`}>
        <input
          id="selector"
          ref={field}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={offers.length > 0}
          aria-controls="offers"
          aria-label="Selector"
          aria-describedby="found"
          aria-invalid={isBad}
          {...(chosen.value >= 0 && offers.length > 0 ? { 'aria-activedescendant': `offer-${chosen.value}` } : {})}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder={isNarrow ? SHORT_HINT : HINT}
          value={q}
          onInput={(event) => {
            selection.isOpen.value = true
            write(event.currentTarget.value, event.currentTarget.selectionStart ?? 0)
          }}
          onFocus={(event) => {
            hasFocus.value = true
            selection.isOpen.value = true
            caret.value = event.currentTarget.selectionStart ?? q.length
          }}
          onBlur={() => (hasFocus.value = false)}
          onKeyDown={press}
        />
        <span class="n" id="found" aria-live="polite">
          {foundWords(useSession(), isCalm)}
        </span>
        {(selection.matches.value?.size ?? 0) > 0 && (
          <>
            <button type="button" aria-label="Previous match" onClick={() => matchBy(-1)}>
              <Icon name="back" />
            </button>
            <button type="button" aria-label="Next match" onClick={() => matchBy(1)}>
              <Icon name="on" />
            </button>
          </>
        )}
        {q === '' ? (
          <kbd aria-hidden="true">/</kbd>
        ) : (
          <button
            type="button"
            aria-label="Clear the selector"
            onClick={() => {
              write('', 0)
              field.current?.focus()
            }}
          >
            Clear
          </button>
        )}
      </div>
      {selection.advice.value !== undefined && offers.length === 0 && !showsFault && (
        <div class="pop">
          <div class="calm" role="status">
            <p class="msg">{selection.advice.value}</p>
          </div>
        </div>
      )}
      {isOpen && offers.length === 0 && !showsFault && (
        <WordOffers
          query={query}
          count={selection.count.value}
          goThrough={() => matchBy(1)}
          inHistory={() => go({ view: 'range' })}
          toCycle={toTyped}
        />
      )}
      {(showsFault || offers.length > 0) && (
        // mousedown must not take the focus from the field.
        <div class="pop" onMouseDown={(event) => event.preventDefault()}>
          {showsFault && (
            <div class={isCalm ? 'calm' : ''} role={isCalm ? 'status' : 'alert'}>
              {fault.line !== undefined && (
                <pre>
                  {fault.line}
                  {'\n'}
                  <b>{fault.carets}</b>
                </pre>
              )}
              <p class="msg outside">{fault.message}</p>
              {fault.fix !== undefined && (
                <p class="fix">
                  <button type="button" class="btn" onClick={() => write(fixed(q, fault), fixed(q, fault).length)}>
                    Write {fault.fix}
                  </button>
                </p>
              )}
            </div>
          )}
          {offers.length > 0 && (
            <div id="offers" role="listbox" aria-label="Completions">
              {offers.map((offer, i) => (
                <div
                  key={offer.text}
                  class="opt"
                  role="option"
                  id={`offer-${i}`}
                  aria-selected={i === chosen.value}
                  onClick={() => take(offer)}
                >
                  <code class="outside">{offer.text}</code>
                  <span>{offer.says}</span>
                  <span class="mono">{offer.count === undefined ? '' : count(offer.count)}</span>
                </div>
              ))}
            </div>
          )}
        </div>
      )}
    </form>
  )
}

function foundWords({ place, selection }: ReturnType<typeof useSession>, isCalm: boolean): string {
  const query = selection.query.value
  if (query.kind === 'none' || query.kind === 'cycle') return ''
  if (selection.fault.value !== undefined) return isCalm ? 'unfinished' : 'not a selector'
  if (query.kind === 'range') {
    const range = selection.range.value
    const progress = selection.isBusy.value ? selection.rangeRead.progress.value : null
    if (range === undefined) return selection.isBusy.value ? 'reading…' : ''
    const changes = changesIn(range)
    const share = progress === null ? '' : ` · ${percent(progress.done / progress.total)}`
    return `${plural(changes, 'change')} in ${count(range.snapshots.length)} snapshots${share}`
  }
  const n = selection.count.value
  const at = place.value.at
  if (n === undefined || at === null) return ''
  const first = selection.matches.value?.size ?? n
  if (first < n)
    return `${count(first)} of ${count(n)} matches at ${query.kind === 'elsewhere' ? query.time : nameOf(at)}`
  return `${plural(n, 'match', 'matches')} at ${query.kind === 'elsewhere' ? query.time : nameOf(at)}`
}
