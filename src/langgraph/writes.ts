// Pending writes in a tree: a node for each write, found by its checkpoint.

import type { StoredContext } from '../store/index.js'
import { sel } from '../selector/index.js'
import { fromAttribute, toAttribute, type Packed } from './packed.js'

/** A write of a task; `index` is its place among those of the task, negative for errors and interrupts. */
export type Write = Readonly<{ task: string; index: number; channel: string; value: Packed }>

type WriteNode = Write & Readonly<{ id: string }>

/** The writes of each checkpoint, in the order in which they were made. */
export type Writes = ReadonlyMap<string, readonly WriteNode[]>

const WRITES = '.block[data_checkpoint]'

export function readWrites(ctx: StoredContext): Writes {
  const found = new Map<string, WriteNode[]>()
  for (const { id, attributes } of ctx
    .nodes(WRITES)
    .toSorted((a, b) => a.cycle - b.cycle || a.creationIndex - b.creationIndex)) {
    const { data_checkpoint: checkpoint, data_task: task, data_index: index, data_channel: channel } = attributes
    const value = fromAttribute(attributes['data_value'])
    if (typeof checkpoint !== 'string' || typeof task !== 'string' || value === undefined) continue
    if (typeof channel !== 'string' || typeof index !== 'number') continue
    const others = found.get(checkpoint)
    const node = { id, task, index, channel, value }
    if (others === undefined) found.set(checkpoint, [node])
    else others.push(node)
  }
  return found
}

/** Adds the writes of a checkpoint to the open cycle. Returns all writes as they are then. */
export function addWrites(ctx: StoredContext, before: Writes, checkpoint: string, writes: readonly Write[]): Writes {
  let nodes = before.get(checkpoint) ?? []
  for (const write of writes) {
    const { task, index, channel, value } = write
    const old = nodes.find((node) => node.task === task && node.index === index)
    // Results stay as they were put first. Of errors and interrupts the last one counts.
    if (old !== undefined && index >= 0) continue
    if (old !== undefined) ctx.update(sel`[id=${old.id}]`, { ttl: 0 })
    const { id } = ctx.post(`${channel} of ${task}`, {
      data_checkpoint: checkpoint,
      data_task: task,
      data_index: index,
      data_channel: channel,
      data_value: toAttribute(value),
    })
    nodes = [...nodes.filter((node) => node !== old), { ...write, id }]
  }
  return new Map([...before, [checkpoint, nodes]])
}

/** True if the newest commit has these writes and no others. Some may have left with it, if somebody gave them a time to live. */
export function hasWrites(ctx: StoredContext, writes: Writes): boolean {
  let count = 0
  for (const nodes of writes.values()) count += nodes.length
  return ctx.count(WRITES) === count
}
