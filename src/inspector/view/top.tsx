// The top bar: context, selector, follow, theme, help.

import type { JSX } from 'preact'
import { useActions } from './actions.js'
import { Icon } from './icon.js'
import { SelectorBar } from './selector-bar.js'
import { toggleTheme } from './theme.js'
import { useSession } from './use-session.js'

export function Top(): JSX.Element {
  const { contexts, place, isFollowing, setFollow, helpOpen } = useSession()
  const { toContext } = useActions()
  const list = contexts.value.value?.contexts.map(({ id }) => id) ?? []
  const { context } = place.value
  const shown = context === '' || list.includes(context) ? list : [context, ...list]
  return (
    <header class="top">
      <h1>
        pact<span> inspector</span>
      </h1>
      <select
        class="pick"
        aria-label="Context"
        value={context}
        onChange={(event) => toContext(event.currentTarget.value)}
      >
        {shown.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <span class="gap" />
      <SelectorBar />
      <button
        type="button"
        class="follow"
        aria-pressed={isFollowing.value}
        title="Stay on the newest cycle while commits arrive"
        onClick={() => setFollow(!isFollowing.value)}
      >
        {isFollowing.value ? <b aria-hidden="true">●</b> : <span aria-hidden="true">○</span>} Follow
      </button>
      <button type="button" aria-label="Theme: light or dark" title="Theme: light or dark" onClick={toggleTheme}>
        <Icon name="theme" />
      </button>
      <button type="button" title="Keyboard map" aria-label="Keyboard map" onClick={() => (helpOpen.value = true)}>
        <kbd>?</kbd>
      </button>
    </header>
  )
}
