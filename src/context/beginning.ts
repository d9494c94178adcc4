// The state in which a cycle began, before any call. It is kept apart from the draft that calls change, so that it can be written at any
// time.

import type { LeftOutKey, Mint, MintCounters, NodeRecord, Opening, Version, Warning } from '../core/index.js'
import { changeBetween, type Erasing, type Tree } from '../timeline/index.js'
import type { LeftOut } from '../edit/index.js'

export type Beginning = Readonly<{
  tree: Tree
  /** The differences from the last snapshot. */
  versions: readonly Version[]
  counters: MintCounters
  /** The ids of nodes that returned, and of the containers made for them. */
  opened: readonly string[]
  leftOut: readonly LeftOutKey[]
}>

export function beginningOf(
  tree: Tree,
  changes: Iterable<Version>,
  mint: Mint,
  { opened, leftOut }: Pick<Beginning, 'opened' | 'leftOut'> = NOTHING_DUE,
): Beginning {
  return { tree, versions: [...changes], counters: mint.counters, opened, leftOut }
}

/** The values for a cycle in which nothing returns. */
export const NOTHING_DUE: Pick<Beginning, 'opened' | 'leftOut'> = { opened: [], leftOut: [] }

/** A beginning without erased content (D56). */
export function erasedBeginning({ tree, versions, ...rest }: Beginning, erasing: Erasing): Beginning {
  return { ...rest, tree: erasing.tree(tree), versions: versions.map((version) => erasing.version(version)) }
}

/** A beginning as plain data: its changes to the tree before it. */
export function openingOf(
  { tree, versions, counters, opened, leftOut }: Beginning,
  before: Tree | undefined,
  find: (id: string) => NodeRecord | undefined,
): Opening {
  const { idsGiven, indexesGiven, lastNs } = counters
  const { emptied, schedules } = changeBetween(before, find, tree, versions)
  return { versions, emptied, schedules, opened, leftOut, counters: { idsGiven, indexesGiven, lastNs } }
}

export function leftOutKey({ key, error }: LeftOut): LeftOutKey {
  const { id, other } = error.details
  const ids = [id, other].filter((each) => typeof each === 'string')
  return { key, code: error.code, reason: error.message, ids }
}

/** The kind of these warnings. */
export const LEFT_OUT = 'schedule-left-out'

export function leftOutWarning({ key, code, reason, ids }: LeftOutKey, cycle: number): Warning {
  const message = `The key "${key}" was due in cycle ${cycle}, but its node could not be put in: ${reason}`
  return { message, details: { kind: LEFT_OUT, key, cycle, code, ids } }
}
