// The shades of the columns in view, and the limit that is drawn over them.

import { computed, type ReadonlySignal } from '@preact/signals'
import type { Session } from '../state/session.js'
import { shadingOf, type Limit, type Shading } from '../words/groups.js'
import { useSession } from './use-session.js'

export type Picture = Readonly<{
  /** Undefined where columns are drawn by part. */
  shading: Shading | undefined
  limit: Limit | undefined
}>

const made = new WeakMap<Session, ReadonlySignal<Picture>>()

export function usePicture(): Picture {
  const session = useSession()
  const known = made.get(session) ?? pictureOf(session)
  made.set(session, known)
  return known.value
}

function pictureOf({ place, columns, sends, openColumn }: Session): ReadonlySignal<Picture> {
  const by = computed(() => place.value.by)
  let last: Shading | undefined
  return computed(() => {
    const grouping = by.value
    // A limit on single regions is below one on all of them.
    const limit = columns.limits.value.toSorted((a, b) => a.limit - b.limit).find(({ rule }) => !rule.endsWith('^sys'))
    if (grouping === null) return { shading: undefined, limit }
    const next = shadingOf(grouping, [...sends.list.value.map(({ figures }) => figures), openColumn.value])
    // Columns are drawn again only if a shade has changed.
    if (last === undefined || JSON.stringify([last.by, ...last.shades]) !== JSON.stringify([next.by, ...next.shades]))
      last = next
    return { shading: last, limit }
  })
}
