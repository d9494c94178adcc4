// The changes between two trees as rows for a screen: a window of them, in groups. A node and the one that took its place share a row.

import { defined, grouped, traceLine, type Lens, type NodeRecord } from '../core/index.js'
import {
  compareFrom,
  type ChangedNode,
  deltaOf,
  reasonOfArrival,
  reasonOfChange,
  reasonOfLeaving,
  type DiffCause,
  type Direction,
  type Reason,
} from '../diff/index.js'
import type { View } from '../timeline/index.js'
import { toolOf } from './call-pair.js'
import { redactionOf } from './explain.js'
import { zoneIn } from './place.js'
import type { ReportSource } from './source.js'

export type ChangeRowsInput = Readonly<{
  from: Lens
  to: Lens
  row: number
  rows: number
  /** Causes whose rows are left out; a running ttl is one, `aged`. */
  without: readonly string[]
  /** The id of a node whose row is wanted. */
  find: string | undefined
}>

export const CHANGE_GROUPS = ['Redacted', 'Replaced', 'Left', 'Changed', 'Came'] as const
type Group = (typeof CHANGE_GROUPS)[number]

/** The number of characters of a content in a row. */
const TEXT = 200

type Change = Readonly<{
  group: Group
  cause: DiffCause
  cycle: number
  /** The node before and after; one of them is missing if it came or left alone. */
  before: NodeRecord | undefined
  after: NodeRecord | undefined
  fields: readonly string[]
}>

/** The rows as data; the answer of the endpoint (`CHANGES` in api/tree-answers.ts) says what each field means. */
export function changeRows({ trees }: ReportSource, input: ChangeRowsInput): ReturnType<typeof rowsOf> {
  const [from, to] = trees.pair(input.from, input.to)
  const { sides, isForward, gained, lost, changed } = compareFrom(from, to, undefined)
  const [arrival, leaving] = isForward ? [reasonOfArrival, reasonOfLeaving] : [reasonOfLeaving, reasonOfArrival]
  return rowsOf(from, to, input, {
    isForward,
    gained,
    lost,
    changed,
    arrival: (record) => arrival(sides, record),
    leaving: (record) => leaving(sides, record),
    reason: (change) => reasonOfChange(sides, change),
    mayPair: () => true,
  })
}

/** The differences of two trees, and the reasons for them. */
export type Compared = Omit<Direction, 'sides'> &
  Readonly<{
    arrival: (gained: NodeRecord) => Reason
    leaving: (lost: NodeRecord) => Reason
    reason: (change: ChangedNode) => Reason
    /** True if a node that came may name this lost one as the node in whose place it is. */
    mayPair: (lost: NodeRecord) => boolean
  }>

/** The rows of a comparison. */
export function comparedRows(
  from: View,
  to: View,
  input: ChangeRowsInput,
  compared: Compared,
): ReturnType<typeof rowsOf> {
  return rowsOf(from, to, input, compared)
}

function rowsOf(from: View, to: View, input: ChangeRowsInput, compared: Compared) {
  const all = changesOf(compared)
  const counts = new Map<string, number>()
  for (const { cause } of all) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  const groups = new Map<Group, number>()
  for (const { group } of all) groups.set(group, (groups.get(group) ?? 0) + 1)
  const hidden = new Set(input.without)
  const shown = all.filter(({ cause }) => !hidden.has(cause))
  const isWanted = ({ before, after }: Change): boolean => after?.id === input.find || before?.id === input.find
  const found = input.find === undefined ? -1 : shown.findIndex(isWanted)
  return defined({
    from: { lens: input.from, cycle: from.cycle },
    to: { lens: input.to, cycle: to.cycle },
    total: shown.length,
    causes: Object.fromEntries(counts),
    groups: Object.fromEntries(groups),
    found: found < 0 ? undefined : found,
    rows: shown.slice(input.row, input.row + input.rows).map((each, i) => rowOf(each, input.row + i, from, to)),
  })
}

/** Blocks only: containers come and go with their blocks. In groups, each in the order of the tree. */
function changesOf({
  isForward,
  gained,
  lost,
  changed,
  arrival,
  leaving,
  reason,
  mayPair,
}: Compared): readonly Change[] {
  const isBlock = ({ nodeClass }: NodeRecord): boolean => nodeClass === 'block'
  const all = lost.filter(isBlock).map((record) => ({ record, ...leaving(record) }))
  const left = new Map(all.filter(({ record }) => mayPair(record)).map((each) => [each.record.id, each]))
  // After several replacements, or a `set`, the last node and the first share a key only.
  const byKey = grouped(
    [...left.values()].filter(({ cause }) => REPLACED.has(cause)),
    ({ record }) => record.rare?.key ?? '',
  )
  const lists = new Map<Group, Change[]>(CHANGE_GROUPS.map((group) => [group, []]))
  const add = (change: Change): void => void lists.get(change.group)!.push(change)
  for (const after of gained.filter(isBlock)) {
    const { cause, cycle } = arrival(after)
    const sameKey = after.rare?.key === undefined ? undefined : byKey.get(after.rare.key)
    const old = left.get(after.rare?.supersedes ?? '') ?? sameKey?.find(({ record }) => left.has(record.id))
    const before = old?.record
    if (old === undefined) {
      add({ group: 'Came', cause, cycle, before, after, fields: [] })
      continue
    }
    left.delete(old.record.id)
    const isRedacted = cause === 'redacted' || old.cause === 'redacted'
    const how = isRedacted ? 'redacted' : cause === 'created' ? 'superseded' : cause
    add({ group: isRedacted ? 'Redacted' : 'Replaced', cause: how, cycle, before, after, fields: [] })
  }
  for (const { record, cause, cycle } of all) {
    if (mayPair(record) && !left.has(record.id)) continue
    add({ group: 'Left', cause, cycle, before: record, after: undefined, fields: [] })
  }
  for (const change of changed) {
    if (!isBlock(change.newer)) continue
    const { cause, cycle } = reason(change)
    if (cause === 'sealed') continue
    const [before, after] = isForward ? [change.older, change.newer] : [change.newer, change.older]
    add({ group: cause === 'redacted' ? 'Redacted' : 'Changed', cause, cycle, before, after, fields: change.fields })
  }
  return CHANGE_GROUPS.flatMap((group) => lists.get(group)!)
}

const REPLACED: ReadonlySet<string> = new Set(['superseded', 'shed', 'compacted', 'redacted'])

function rowOf(change: Change, row: number, from: View, to: View) {
  const { group, cause, cycle, before, after, fields } = change
  const [record, view] = after === undefined ? [before!, from] : [after, to]
  const text = traceLine(record, TEXT)
  const redacted = redactionOf(record)
  const isSame = before !== undefined && after !== undefined && before.id === after.id
  return defined({
    row,
    group,
    mark: before === undefined ? ('+' as const) : after === undefined ? ('-' as const) : ('~' as const),
    id: record.id,
    old: before !== undefined && after !== undefined && !isSame ? before.id : undefined,
    cause,
    cycle,
    fields: fields.filter((field) => field !== 'content_hash'),
    delta: isSame
      ? shortDelta(deltaOf({ record: before, view: from }, { record: after, view: to }, fields))
      : undefined,
    item: defined({ from: before && from.threadIndexOf(before), to: after && to.threadIndexOf(after) }),
    nodeType: record.nodeType,
    zone: zoneIn(view, record) ?? ('' as const),
    role: record.role,
    says: record.kind,
    name: toolOf(view, record),
    key: record.rare?.key,
    reason: redacted?.reason?.slice(0, TEXT),
    author: redacted?.author?.slice(0, TEXT),
    text: cause === 'redacted' ? '' : text,
    cut: text.endsWith('…'),
  })
}

/** Values as JSON, cut; the contents of a node are read by themselves. */
function shortDelta(
  delta: ReturnType<typeof deltaOf>,
): Readonly<Record<string, Readonly<{ from: string; to: string }>>> {
  const short = (value: unknown): string => {
    const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)) ?? ''
    return text.length > 300 ? `${text.slice(0, 300)}…` : text
  }
  return Object.fromEntries(
    Object.entries(delta)
      .filter(([name]) => name !== 'content' && name !== 'content_hash')
      .map(([name, { from, to }]) => [name, { from: short(from), to: short(to) }]),
  )
}
