// The open edits of a draft by themselves, without the timeline they are about.

import { NodeRecord, type Schedule, type Version } from '../core/index.js'
import type { Erasing } from './erase.js'
import type { Links } from './reference-index.js'
import type { Tree } from './tree.js'

/** Ids, each with its entry in `changes` before it was changed. */
export type Journal = (readonly [id: string, before: Version | undefined])[]

/** The tree before an edit, and what else it changed. */
export type Step = Readonly<{ tree: Tree; journal: Journal }>

/** The open edits of a draft: with a timeline of the same past, enough to read the draft again. */
export type OpenEdits = Readonly<{
  cycle: number
  tree: Tree
  changes: Map<string, Version>
  links: Links
  /** True if there is a snapshot before it. */
  hasBase: boolean
}>

/** The same edits without what was erased; those that were given stay as they are. */
export function erasedEdits({ tree, changes, ...edits }: OpenEdits, erasing: Erasing): OpenEdits {
  return { ...edits, tree: erasing.tree(tree), changes: erasedChanges(changes, erasing) }
}

/** The same changes in the order of these ids; all others follow. */
export function sortedChanges(changes: ReadonlyMap<string, Version>, ids: readonly string[]): Map<string, Version> {
  const known = ids.flatMap((id) => {
    const version = changes.get(id)
    return version === undefined ? [] : [[id, version] as const]
  })
  return new Map([...known, ...changes])
}

export function erasedChanges(changes: ReadonlyMap<string, Version>, erasing: Erasing): Map<string, Version> {
  return new Map(Array.from(changes, ([id, version]) => [id, erasing.version(version)]))
}

/** A step without what was erased. */
export function erasedStep({ tree, journal }: Step, erasing: Erasing): Step {
  const erased = ([id, before]: Journal[number]): Journal[number] => [id, before && erasing.version(before)]
  return { tree: erasing.tree(tree), journal: journal.map(erased) }
}

/** Nodes, versions and schedules that neither a snapshot nor the tree has any more, and that undo brings back. */
export type Undone = Readonly<{
  /** Trees with nodes that were taken away. */
  trees: readonly Tree[]
  /** Earlier versions of nodes that are still there. */
  versions: readonly NodeRecord[]
  /** Schedules that were changed or ended. */
  schedules: readonly Schedule[]
}>

export function undoneBy(steps: readonly Step[], now: Tree, versionOf: (id: string) => Version | undefined): Undone {
  const trees: Tree[] = []
  const versions: NodeRecord[] = []
  const schedules: Schedule[] = []
  for (const [i, { tree, journal }] of steps.entries()) {
    const records = journal.map(([, before]) => before).filter((before) => before instanceof NodeRecord)
    if (records.some(({ id }) => versionOf(id) === undefined)) trees.push(tree)
    versions.push(...records.filter((record) => ![undefined, record].includes(versionOf(record.id) as NodeRecord)))
    const after = (steps[i + 1]?.tree ?? now).schedules
    if (after === tree.schedules) continue
    for (const { key } of after.changesSince(tree.schedules)) schedules.push(...[tree.schedules.get(key) ?? []].flat())
  }
  return { trees, versions, schedules }
}
