// The page of help, in three parts: how to read the timeline, the words of the page, and the keys.

import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { letterKeys } from '../state/settings.js'
import { GLOSSARY, LIMIT, MISSED } from '../words/signs.js'
import { Icon, type IconName } from './icon.js'
import { useSession } from './use-session.js'

const KEYS: readonly (readonly [keys: readonly string[], words: string])[] = [
  [['←', '→'], 'one column back, on (timeline)'],
  [['[', ']'], 'the same, from anywhere'],
  [['Home', 'End'], 'first column, working state (timeline)'],
  [['Space'], 'play, pause'],
  [['b'], 'next call that broke the prefix'],
  [['w'], 'working state'],
  [['1 – 5'], 'tree, compare, request, range, forks'],
  [['/'], 'search: words, selectors, cycles'],
  [['n', 'N'], 'next, previous match'],
  [['.'], 'next change'],
  [['↑', '↓'], 'rows, items, changes'],
  [['→', '←'], 'open; close, then parent (tree)'],
  [['*'], 'open all, close unchanged'],
  [['i', 'e', 'x'], 'insert, replace, redact'],
  [['u'], 'undo'],
  [['Ctrl', 'Enter'], 'commit'],
  [['Ctrl', 'K'], 'all contexts'],
  [['f'], 'fork from this cycle'],
  [['y'], 'copy a link to this place'],
  [['Esc'], 'stop reading; close; back to the cycle'],
]

const MARKS: readonly (readonly [icon: IconName, words: string])[] = [
  ['expired', 'expired'],
  ['pruned', 'pruned'],
  ['redacted', 'redacted'],
  ['edited', 'edited or replaced'],
  ['returned', 'returned by cadence'],
]

export function Help(): JSX.Element | null {
  const { helpOpen } = useSession()
  return helpOpen.value ? <HelpDialog /> : null
}

function HelpDialog(): JSX.Element {
  const { helpOpen } = useSession()
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog class="help" ref={dialog} aria-labelledby="help-title" onClose={() => (helpOpen.value = false)}>
      <form method="dialog">
        <h2 id="help-title">Help</h2>
        <button type="submit" class="btn">
          Close
        </button>
      </form>
      <div class="helpparts">
        <div>
          <TimelineHelp />
          <KeysHelp />
        </div>
        <WordsHelp />
      </div>
    </dialog>
  )
}

function TimelineHelp(): JSX.Element {
  return (
    <section aria-labelledby="help-timeline">
      <h3 id="help-timeline">Read the timeline</h3>
      <p>
        Each column is one call, or the snapshot of a cycle without one. Its height is its tokens; the oldest are below.
      </p>
      <ul class="legend">
        <li>
          <i class="swatch part-sys" /> The system part
        </li>
        <li>
          <i class="swatch part-core" /> The conversation
        </li>
        <li>
          <i class="swatch part-ctx" /> Context around it, such as retrieved notes
        </li>
        <li>
          <i class="swatch part-core same" /> Hatched: the same bytes as the call before; full colour: new
        </li>
        <li>
          <i class="tickmark" /> The first byte that differs: no cache can give what is above the line
        </li>
        <li>
          <i class="missedmark" /> {MISSED}
        </li>
        <li>
          <i class="limitmark" /> {LIMIT}
        </li>
        <li>● sent&ensp;○ canceled&ensp;× failed; dashed: the open cycle</li>
      </ul>
      <p class="marks">
        {MARKS.map(([icon, words]) => (
          <span key={icon}>
            <Icon name={icon} />
            {words}
          </span>
        ))}
      </p>
    </section>
  )
}

function KeysHelp(): JSX.Element {
  return (
    <section aria-labelledby="help-keys">
      <h3 id="help-keys">Keys</h3>
      <label>
        <input
          type="checkbox"
          id="letter-keys"
          checked={letterKeys.isOn.value}
          onChange={(event) => letterKeys.set(event.currentTarget.checked)}
        />
        Keys of a single letter or sign
      </label>
      <div class="keys">
        {KEYS.map(([keys, words]) => (
          <div key={words}>
            <span>
              {keys.map((key) => (
                <>
                  <kbd key={key}>{key}</kbd>{' '}
                </>
              ))}
            </span>
            {words}
          </div>
        ))}
      </div>
    </section>
  )
}

function WordsHelp(): JSX.Element {
  return (
    <section aria-labelledby="help-words">
      <h3 id="help-words">Words</h3>
      <dl class="glossary">
        {GLOSSARY.map(([word, meaning]) => (
          <>
            <dt key={word}>{word}</dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
    </section>
  )
}
