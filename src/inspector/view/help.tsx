// The keyboard map and the marks.

import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.js'
import { useSession } from './use-session.js'

const KEYS: readonly (readonly [keys: readonly string[], words: string])[] = [
  [['←', '→'], 'one send back, on (timeline)'],
  [['[', ']'], 'the same, from anywhere'],
  [['Home', 'End'], 'first send, working state (timeline)'],
  [['Space'], 'play, pause'],
  [['b'], 'next call that broke the prefix'],
  [['w'], 'working state'],
  [['1', '2', '3', '4'], 'tree, compare, request, range'],
  [['/'], 'selector'],
  [['n', 'N'], 'next, previous match'],
  [['.'], 'next change'],
  [['↑', '↓'], 'rows, items, changes'],
  [['→', '←'], 'open; close, then parent (tree)'],
  [['*'], 'open all, close unchanged'],
  [['i', 'e', 'x'], 'insert, replace, redact'],
  [['u'], 'undo'],
  [['Ctrl', 'Enter'], 'commit'],
  [['f'], 'fork from this cycle'],
  [['y'], 'copy a link to this place'],
  [['Esc'], 'close, back to the cycle'],
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
    <dialog ref={dialog} aria-labelledby="help-title" onClose={() => (helpOpen.value = false)}>
      <h2 id="help-title">Keyboard</h2>
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
      <p class="marks">
        <span>
          <i class="tickmark" />
          first byte that differs from the last call; pale below it is the same
        </span>
        <span>
          <Icon name="expired" />
          expired
        </span>
        <span>
          <Icon name="pruned" />
          pruned
        </span>
        <span>
          <Icon name="redacted" />
          redacted
        </span>
        <span>
          <Icon name="edited" />
          edited or replaced
        </span>
        <span>
          <Icon name="returned" />
          returned by cadence
        </span>
        <span>● sent&ensp;○ canceled&ensp;× failed</span>
      </p>
      <form method="dialog">
        <button type="submit" class="btn">
          Close
        </button>
      </form>
    </dialog>
  )
}
