// Lanes for the range in the selector bar, and the nodes in them. Names and texts are read for the lanes in sight only.

import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import * as routes from '../api/routes.js'
import { fetchAnswer } from '../state/reads.js'
import { lanesOf, type Lane, type RangeData, type Seen } from '../words/lanes.js'
import { useSession } from './use-session.js'

/** Snapshots that are read at a time. */
const MOST_READS = 8
/** Nodes that are read of a snapshot. */
const MOST_NODES = 200
/** Characters of a text that a lane can show. */
const TEXT = 80

export type Lanes = Readonly<{
  all: readonly Lane[]
  /** Reads what is missing of these lanes. */
  look: (lanes: readonly Lane[]) => void
}>

export function useLanes(range: RangeData | undefined): Lanes {
  const { place, selection } = useSession()
  const query = selection.query.value
  const body = query.kind === 'range' ? query.body : null
  const seen = useSignal<ReadonlyMap<number, readonly Seen[]>>(new Map())
  const wanted = useSignal<readonly number[]>([])
  const newest = range?.snapshots[0]?.cycle
  useEffect(() => {
    seen.value = new Map()
    wanted.value = newest === undefined ? [] : [newest]
  }, [body, newest])
  const next = useComputed(() =>
    wanted.value
      .filter((cycle) => !seen.value.has(cycle))
      .slice(0, MOST_READS)
      .join(),
  ).value
  useEffect(() => {
    if (body === null || next === '') return
    const controller = new AbortController()
    const { context } = place.peek()
    for (const cycle of next.split(',').map(Number)) {
      fetchAnswer(routes.selectSeen(context, `@c${cycle} ${body}`, MOST_NODES), controller.signal).then(
        (answer) => {
          const nodes = 'nodes' in answer ? (answer.nodes ?? []) : []
          if (!controller.signal.aborted) seen.value = new Map([...seen.peek(), [cycle, nodes.map(seenOf)]])
        },
        () => undefined,
      )
    }
    return () => controller.abort()
  }, [next, body])
  return {
    all: useMemo(() => (range === undefined ? [] : lanesOf(range, seen.value)), [range, seen.value]),
    look: (lanes) => {
      const cycles = [...new Set(lanes.filter(({ text }) => text === undefined).map(({ last }) => last))]
      if (cycles.some((cycle) => !wanted.peek().includes(cycle))) wanted.value = [...wanted.peek(), ...cycles]
    },
  }
}

function seenOf(node: Readonly<Record<string, unknown>>): Seen {
  const { id, key, ttl, role, kind, content } = node
  const text = typeof content === 'string' ? content : content === undefined ? '' : JSON.stringify(content)
  return {
    id: String(id),
    key: typeof key === 'string' ? key : undefined,
    ttl: typeof ttl === 'number' ? ttl : undefined,
    who: [kind, role].find((each) => typeof each === 'string') ?? '',
    text: text.slice(0, TEXT).replace(/\s+/g, ' '),
  }
}
