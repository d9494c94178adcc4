// Lanes for the range in the selector bar, with the snapshots they need.

import { useEffect, useState } from 'preact/hooks'
import * as routes from '../api/routes.js'
import { fetchAnswer } from '../state/reads.js'
import { cyclesToRead, lanesOf, type Lane, type RangeData, type Seen } from '../words/lanes.js'
import { useSession } from './use-session.js'

/** At most this many snapshots are read; lanes that end in others have no name and no ttl. */
const MOST_READS = 24
const MOST_LANES = 200

export function useLanes(range: RangeData | undefined): readonly Lane[] {
  const { place, selection } = useSession()
  const [lanes, setLanes] = useState<readonly Lane[]>([])
  useEffect(() => {
    const query = selection.query.peek()
    if (range === undefined || query.kind !== 'range') return setLanes([])
    const controller = new AbortController()
    const { context } = place.peek()
    const read = async (cycle: number): Promise<readonly [number, readonly Seen[]]> => {
      const question = routes.selectSeen(context, `@c${cycle} ${query.body}`, MOST_LANES)
      const answer = await fetchAnswer(question, controller.signal)
      return [cycle, 'nodes' in answer ? (answer.nodes ?? []).map(seenOf) : []]
    }
    Promise.all(cyclesToRead(range).slice(0, MOST_READS).map(read)).then(
      (seen) => {
        if (!controller.signal.aborted) setLanes(lanesOf(range, new Map(seen)).slice(0, MOST_LANES))
      },
      () => undefined,
    )
    return () => controller.abort()
  }, [range])
  return lanes
}

function seenOf(node: Readonly<Record<string, unknown>>): Seen {
  const { id, key, ttl } = node
  return {
    id: String(id),
    key: typeof key === 'string' ? key : undefined,
    ttl: typeof ttl === 'number' ? ttl : undefined,
  }
}
