// Four notes over the story of the demo, once: each is next to the part of the page that it is about.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { storyNotes } from '../state/settings.js'
import { useSession } from './use-session.js'

/** The story of `npm start`. */
const STORY = 'demo-rail'
const WIDTH = 340
/** The height of the longest note. */
const HEIGHT = 160
const GAP = 10

type Spot = Readonly<{ top: number; left: number }>

const NOTES: readonly Readonly<{ at: string; text: string }>[] = [
  {
    at: '.track',
    text: 'Each column is a call. Hatched is what the call before had already sent, so a cache can give it. An orange line is where that ended. Press b to go from one to the next.',
  },
  {
    at: '.answer, .foldline',
    text: 'The answer in words: what was sent, what changed since the call before, and the node that broke the cache. Each word is a link.',
  },
  {
    at: '.tabs',
    text: 'The tree, what changed, and the exact bytes that went to the provider, with their hash proved. Keys 1, 2 and 3.',
  },
  {
    at: '.find',
    text: 'Type words, a cycle such as 12, or a selector such as @history [ttl]. The page behind ? explains every sign.',
  },
]

export function Notes(): JSX.Element | null {
  const { place, columns } = useSession()
  const isStory = place.value.context === STORY && columns.span.value !== undefined
  return isStory && storyNotes.isOn.value ? <Note /> : null
}

function Note(): JSX.Element {
  const index = useSignal(0)
  const spot = useSignal<Spot | null>(null)
  const { at, text } = NOTES[index.value]!
  const isLast = index.value === NOTES.length - 1
  useEffect(() => follow(at, (place) => (spot.value = place)), [at])
  const end = (): void => storyNotes.set(false)
  return (
    <aside
      class="note"
      aria-label={`Note ${index.value + 1} of ${NOTES.length}`}
      hidden={spot.value === null}
      style={{ top: `${spot.value?.top ?? 0}px`, left: `${spot.value?.left ?? 0}px` }}
    >
      <p>{text}</p>
      <div class="acts">
        <span class="muted">
          {index.value + 1} of {NOTES.length}
        </span>
        <span class="sp" />
        {!isLast && (
          <button type="button" class="btn" onClick={end}>
            Close
          </button>
        )}
        <button type="button" class="btn primary" onClick={isLast ? end : () => index.value++}>
          {isLast ? 'Done' : 'Next'}
        </button>
      </div>
    </aside>
  )
}

/** Puts the note under a part of the page, and keeps it there. The part may be drawn later than the note. */
function follow(at: string, put: (spot: Spot) => void): () => void {
  let [frame, target]: [number, HTMLElement | undefined] = [0, undefined]
  const place = (): void => {
    if (target === undefined) return
    const { bottom, left, width } = target.getBoundingClientRect()
    const middle = left + Math.max(0, width - WIDTH) / 2
    put({
      top: Math.max(GAP, Math.min(innerHeight - HEIGHT, bottom + GAP)),
      left: Math.max(GAP, Math.min(innerWidth - WIDTH - GAP, middle)),
    })
  }
  const sizes = new ResizeObserver(place)
  const find = (): void => {
    // A folded answer has its line in its place.
    target = [...document.querySelectorAll<HTMLElement>(at)].find((each) => each.offsetHeight > 0)
    if (target === undefined) frame = requestAnimationFrame(find)
    else {
      target.classList.add('noted')
      target.scrollIntoView({ block: 'nearest' })
      document.addEventListener('scroll', place, { passive: true })
      sizes.observe(document.body)
      sizes.observe(target)
      place()
    }
  }
  find()
  return () => {
    cancelAnimationFrame(frame)
    sizes.disconnect()
    document.removeEventListener('scroll', place)
    target?.classList.remove('noted')
  }
}
