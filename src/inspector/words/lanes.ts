// Lanes of a range: the snapshots that select each node. The range's diffs say which nodes entered and left; a node's
// last state is read from the last snapshot that selects it, and earlier ttls count up from there.

export type Cell = Readonly<{ ttl?: number }>
export type Lane = Readonly<{
  id: string
  cells: ReadonlyMap<number, Cell>
  /** The first and the last cycle that selects it. */
  first: number
  last: number
}> &
  Partial<About>

type About = Readonly<{ key: string; who: string; text: string }>

export type Block = Readonly<{
  from: Readonly<{ cycle: number }>
  to: Readonly<{ cycle: number }>
  added_ids: readonly string[]
  removed_ids: readonly string[]
  changed: readonly Readonly<{
    id: string
    fields: readonly string[]
    delta?: Readonly<Record<string, Readonly<{ from: unknown; to: unknown }>>>
  }>[]
  stats: Readonly<{ added: number; removed: number; changed: number }>
}>

export type RangeData = Readonly<{
  /** Newest first. */
  snapshots: readonly Readonly<{ cycle: number }>[]
  diffs: readonly Block[]
  mode: string
}>

/** A node in a snapshot. */
export type Seen = Readonly<{
  id: string
  key?: string | undefined
  ttl?: number | undefined
  who?: string
  text?: string
}>

/** Only for a pairwise range: other modes compare every snapshot with the newest. */
export function lanesOf(range: RangeData, seen: ReadonlyMap<number, readonly Seen[]>): readonly Lane[] {
  const [newest] = range.snapshots
  if (newest === undefined || range.mode !== 'pairwise') return []
  const blocks = new Map(range.diffs.map((block) => [block.from.cycle, block]))
  const lanes = new Map<string, Map<number, Cell>>()
  const about = new Map<string, Partial<About>>()
  const here = new Map<string, number | undefined>()
  const arrive = (cycle: number, ids: ReadonlySet<string> | undefined): void => {
    for (const { id, key, ttl, who, text } of seen.get(cycle) ?? []) {
      if (ids !== undefined && !ids.has(id)) continue
      here.set(id, ttl)
      about.set(id, {
        ...(key === undefined ? {} : { key }),
        ...(who === undefined ? {} : { who }),
        ...(text === undefined ? {} : { text }),
      })
    }
  }
  arrive(newest.cycle, undefined)
  for (const [i, { cycle }] of range.snapshots.entries()) {
    for (const [id, ttl] of here) {
      const cells = lanes.get(id) ?? new Map<number, Cell>()
      lanes.set(id, cells.set(cycle, ttl === undefined ? {} : { ttl }))
    }
    const block = blocks.get(cycle)
    const older = range.snapshots[i + 1]
    if (older === undefined || block === undefined) continue
    for (const id of block.added_ids) here.delete(id)
    for (const id of block.removed_ids) here.set(id, undefined)
    arrive(older.cycle, new Set(block.removed_ids))
    for (const { id, delta } of block.changed) {
      const ttl = delta?.['ttl']?.to
      if (here.has(id) && delta?.['ttl'] !== undefined) here.set(id, typeof ttl === 'number' ? ttl : undefined)
    }
  }
  return [...lanes].map(([id, cells]) => laneOf(id, cells, about.get(id))).sort((a, b) => a.first - b.first)
}

function laneOf(id: string, cells: ReadonlyMap<number, Cell>, about: Partial<About> | undefined): Lane {
  const cycles = [...cells.keys()]
  // Cells are entered from the newest cycle to the oldest.
  return { id, cells, first: cycles.at(-1)!, last: cycles[0]!, ...about }
}

/** The number of changes in all diffs of a range. */
export function changesIn({ diffs }: RangeData): number {
  return diffs.reduce((sum, { stats }) => sum + stats.added + stats.removed + stats.changed, 0)
}

/** The cycles of a lane as runs, oldest first: `@c1 to @c4, @c7`. */
export function runWords({ cells }: Lane): string {
  const runs: [from: number, to: number][] = []
  for (const cycle of [...cells.keys()].reverse()) {
    const run = runs.at(-1)
    if (run !== undefined && cycle === run[1] + 1) run[1] = cycle
    else runs.push([cycle, cycle])
  }
  return runs.map(([from, to]) => (from === to ? `@c${from}` : `@c${from} to @c${to}`)).join(', ')
}
