// A call whose tree is not known: its record names no adapter, or the tree cannot be made again. Nothing of its cycle is shown in its place.

import type { JSX } from 'preact'
import { cycleOf } from '../state/link.js'
import { MomentLink } from './bits.js'
import { useSession } from './use-session.js'

export function Untold(): JSX.Element {
  const { at, newest, shared, go } = useSession()
  const { value, about } = shared.sent.value
  const sent = about?.at === at.value ? value : undefined
  const cycle = at.value === null ? null : cycleOf(at.value)
  return (
    <div class="state">
      <h2>The tree of this call is not known</h2>
      {sent?.text !== undefined && (
        <p>
          Its body was made elsewhere, and kept.{' '}
          <button type="button" class="link" onClick={() => go({ view: 'request', as: null })}>
            Show the bytes
          </button>
        </p>
      )}
      {sent?.why !== undefined && <p class="outside">{sent.why.message}</p>}
      <pre>{'ctx.startAttempt({ …, for: toAnthropic })'}</pre>
      {cycle !== null && cycle <= newest.value && (
        <p>
          The snapshot that its cycle committed, with what came after the call: <MomentLink at={`c${cycle}`} />
        </p>
      )}
    </div>
  )
}
