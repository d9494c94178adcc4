// Lanes of a range: the snapshots that select each node. The range's diffs say which nodes entered and left; a node's
// last state is read from the last snapshot that selects it, and earlier ttls count up from there.

export type Cell = Readonly<{ ttl?: number }>
export type Lane = Readonly<{ id: string; key?: string; cells: ReadonlyMap<number, Cell> }>

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
export type Seen = Readonly<{ id: string; key?: string | undefined; ttl?: number | undefined }>

/** Snapshots to read nodes from: the newest, and the last one that selects each node. */
export function cyclesToRead({ snapshots, diffs }: RangeData): readonly number[] {
  const last = diffs.filter(({ removed_ids: left }) => left.length > 0).map(({ to }) => to.cycle)
  return [...new Set([...snapshots.slice(0, 1).map(({ cycle }) => cycle), ...last])]
}

/** Only for a pairwise range: other modes compare every snapshot with the newest. */
export function lanesOf(range: RangeData, seen: ReadonlyMap<number, readonly Seen[]>): readonly Lane[] {
  const [newest] = range.snapshots
  if (newest === undefined || range.mode !== 'pairwise') return []
  const blocks = new Map(range.diffs.map((block) => [block.from.cycle, block]))
  const lanes = new Map<string, Map<number, Cell>>()
  const keys = new Map<string, string>()
  const here = new Map<string, number | undefined>()
  const arrive = (cycle: number, ids: ReadonlySet<string> | undefined): void => {
    for (const { id, key, ttl } of seen.get(cycle) ?? []) {
      if (ids !== undefined && !ids.has(id)) continue
      here.set(id, ttl)
      if (key !== undefined) keys.set(id, key)
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
  return [...lanes]
    .map(([id, cells]): Lane => {
      const key = keys.get(id)
      return key === undefined ? { id, cells } : { id, key, cells }
    })
    .sort((a, b) => firstOf(a) - firstOf(b))
}

function firstOf({ cells }: Lane): number {
  return Math.min(...cells.keys())
}
