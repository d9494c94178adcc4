// The top bar: context, selector, follow, theme, help.

import type { JSX } from 'preact'
import { isOffline } from '../api/http.js'
import { useActions } from './actions.js'
import { Icon } from './icon.js'
import { ForkOf } from './kin.js'
import { SelectorBar } from './selector-bar.js'
import { toggleTheme } from './theme.js'
import { useSession } from './use-session.js'

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

export function Top(): JSX.Element {
  const { place, isFollowing, setFollow, helpOpen } = useSession()
  const { copy } = useActions()
  const { context } = place.value
  return (
    <header class="top">
      <h1>
        pact<span> inspector</span>
      </h1>
      {context !== '' && (
        <a class="pick" href="#/" title={`All contexts (${isMac ? '⌘' : 'Ctrl'} K)`}>
          <span class="outside">{context}</span>
        </a>
      )}
      {context !== '' && <ForkOf />}
      <span class="gap" />
      {context !== '' && <SelectorBar />}
      {context === '' && <span class="sp" />}
      {!isOffline && context !== '' && (
        <button
          type="button"
          class="follow"
          aria-pressed={isFollowing.value}
          title="Stay on the newest cycle while commits arrive"
          onClick={() => setFollow(!isFollowing.value)}
        >
          {isFollowing.value ? <b aria-hidden="true">●</b> : <span aria-hidden="true">○</span>} Follow
        </button>
      )}
      {context !== '' && (
        <button
          type="button"
          class="copylink"
          title="Copy a link to this place (y)"
          onClick={() => copy(location.href, 'Link copied.')}
        >
          <Icon name="ref" /> <span>Copy link</span>
        </button>
      )}
      <button type="button" aria-label="Theme: light or dark" title="Theme: light or dark" onClick={toggleTheme}>
        <Icon name="theme" />
      </button>
      <button
        type="button"
        title="Help: the timeline, words, keys"
        aria-label="Help"
        onClick={() => (helpOpen.value = true)}
      >
        <kbd>?</kbd>
      </button>
    </header>
  )
}
