// Rows of a comparison, made from the library's detailed diff. A superseded node and its successor share a row.

import type { JsonObject } from '../../api/index.js'
import type { Mark } from '../words/causes.js'
import type { Session } from '../state/session.js'

export type Group = 'Redacted' | 'Replaced' | 'Left' | 'Changed' | 'Came'

export type Change = Readonly<{
  group: Group
  mark: Mark
  id: string
  /** The superseded node. */
  old?: string
  cause: string
  cycle: number
  fields: readonly string[]
  delta: Readonly<Record<string, Readonly<{ from: unknown; to: unknown }>>>
  /** Its thread item, after and before. */
  item: number
  itemWords: string
  /** Headers of an added or removed node; headers of a changed node are loaded separately. */
  node: JsonObject | undefined
  oldNode: JsonObject | undefined
}>

type Placed = Readonly<{
  id: string
  cause: string
  cycle: number
  is_container: boolean
  node: JsonObject
  thread_index: number | null
}>
type Changed = Readonly<{
  id: string
  cause: string
  cycle: number
  fields: readonly string[]
  delta: Change['delta']
  thread_index: Readonly<{ from: number | null; to: number | null }>
}>
type Diff = Readonly<{ added: readonly Placed[]; removed: readonly Placed[]; changed: readonly Changed[] }>

const ORDER: readonly Group[] = ['Redacted', 'Replaced', 'Left', 'Changed', 'Came']

export function listChanges(diff: JsonObject, withAging: boolean): readonly Change[] {
  const { added, removed, changed } = diff as unknown as Diff
  const blocks = (list: readonly Placed[]): readonly Placed[] => list.filter((each) => !each.is_container)
  const left = new Map(blocks(removed).map((each) => [each.id, each]))
  const list: Change[] = []
  for (const each of blocks(added)) {
    const old = left.get(textField(each.node, 'supersedes') ?? '') ?? forebear(each, left)
    if (old !== undefined) left.delete(old.id)
    list.push(old === undefined ? alone(each, 'Came') : pair(old, each))
  }
  for (const each of left.values()) list.push(alone(each, 'Left'))
  for (const each of changed) {
    if (/^(?:seg|cont|root|sys|seq|ah)\b/.test(each.id) || each.id.startsWith('^')) continue
    if (each.cause === 'sealed' || (each.cause === 'aged' && !withAging)) continue
    list.push(change(each))
  }
  return list.sort((a, b) => ORDER.indexOf(a.group) - ORDER.indexOf(b.group) || a.item - b.item)
}

/** After several replacements between the two sides, the last node and the first share a key. */
function forebear({ cause, node }: Placed, left: ReadonlyMap<string, Placed>): Placed | undefined {
  const key = textField(node, 'key')
  if (cause !== 'superseded' || key === undefined) return undefined
  return [...left.values()].find((each) => each.cause === 'superseded' && textField(each.node, 'key') === key)
}

function alone(each: Placed, group: 'Came' | 'Left'): Change {
  const { id, cause, cycle, node } = each
  const isLeft = group === 'Left'
  return {
    group,
    mark: isLeft ? '-' : '+',
    id,
    cause,
    cycle,
    fields: [],
    delta: {},
    item: each.thread_index ?? Infinity,
    itemWords: each.thread_index === null ? '' : `item ${each.thread_index}`,
    node: isLeft ? undefined : node,
    oldNode: isLeft ? node : undefined,
  }
}

function pair(old: Placed, now: Placed): Change {
  const group = now.cause === 'redacted' || old.cause === 'redacted' ? 'Redacted' : 'Replaced'
  return {
    ...alone(now, 'Came'),
    group,
    mark: '~',
    old: old.id,
    oldNode: old.node,
    cause: group === 'Redacted' ? 'redacted' : now.cause,
  }
}

function change(each: Changed): Change {
  const { id, cause, cycle, fields, delta } = each
  const { from, to } = each.thread_index
  const words = from === to ? `item ${to}` : `item ${from ?? '–'} → ${to ?? '–'}`
  return {
    group: cause === 'redacted' ? 'Redacted' : 'Changed',
    mark: '~',
    id,
    cause,
    cycle,
    fields,
    delta,
    item: to ?? from ?? Infinity,
    itemWords: from === null && to === null ? '' : words,
    node: undefined,
    oldNode: undefined,
  }
}

/** A header's value if it is a string. */
export function textField(node: JsonObject | undefined, name: string): string | undefined {
  const value = node?.[name]
  return typeof value === 'string' ? value : undefined
}

/** A node's content as text. */
export function contentOf(node: JsonObject | undefined): string {
  const value = node?.['content']
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}

/** Number of changes in a comparison; a replaced node and its successor count as one. */
export function changedCount({ base, shared }: Session): number {
  const { value } = shared.diff.value
  return base.value === null || value === undefined ? 0 : listChanges(value, false).length
}
