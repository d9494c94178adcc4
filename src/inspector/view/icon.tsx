// Icons. Each is decoration: a text or label next to it says the same.

import type { JSX } from 'preact'

export type IconName = keyof typeof SHAPES

const SHAPES = {
  expired: () => (
    <>
      <circle cx="6" cy="6" r="4.7" />
      <path d="M6 3.4V6l1.8 1.2" />
    </>
  ),
  pruned: () => (
    <>
      <circle cx="2.8" cy="9.3" r="1.6" />
      <circle cx="9.2" cy="9.3" r="1.6" />
      <path d="M3.7 8 8.6 1.2M8.3 8 3.4 1.2" />
    </>
  ),
  redacted: () => <rect class="full" x="1.2" y="3.8" width="9.6" height="4.4" />,
  edited: () => <path d="M2 10l.6-2.4L8.4 1.8l1.8 1.8-5.8 5.8z" />,
  returned: () => <path d="M10 6a4 4 0 1 1-1.2-2.8M10 1.4v2.4H7.6" />,
  pin: () => <path d="M4 1.5h4M4.6 1.5v3.2L3 6.7h6L7.4 4.7V1.5M6 6.7v4" />,
  ref: () => (
    <path d="M5 7a2 2 0 0 0 3 .2l1.6-1.6a2 2 0 0 0-2.9-2.9l-.6.6M7 5a2 2 0 0 0-3-.2L2.4 6.4a2 2 0 0 0 2.9 2.9l.6-.6" />
  ),
  first: () => <path d="M2.5 2v8M9.5 2 4.5 6l5 4z" />,
  back: () => <path d="M8 2 3.5 6 8 10" />,
  on: () => <path d="M4 2l4.5 4L4 10" />,
  last: () => <path d="M9.5 2v8M2.5 2l5 4-5 4z" />,
  play: () => <path class="full" d="M3.5 2v8l6-4z" />,
  pause: () => <path d="M4 2v8M8 2v8" />,
  theme: () => (
    <>
      <circle cx="6" cy="6" r="4.5" />
      <path class="full" d="M6 1.5a4.5 4.5 0 0 1 0 9z" />
    </>
  ),
}

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="i" viewBox="0 0 12 12" aria-hidden="true">
      {SHAPES[name]()}
    </svg>
  )
}
