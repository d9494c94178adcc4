import { oneLine, type JsonObject } from '../../core/index.js'
import { explainNode, selectNodes } from '../../commands/index.js'
import { table, tabbed } from '../columns.js'
import { inputOf, twin } from '../endpoint-input.js'
import { count, flag } from '../given.js'
import type { Action, Call } from '../spec.js'
import { spelled, type TextLine } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { note } from './advice.js'

export const select: Action = async (call) => {
  const pool = await call.pool()
  const { limit, skip } = call.options as Readonly<{ limit?: number; skip?: number }>
  const options = { ...(limit === undefined ? {} : { limit }), ...(skip === undefined ? {} : { skip }) }
  const nodes = flag(call.options, 'nodes') || (call.terminal.isTTY && call.json === undefined)
  const found = await selectNodes(pool, { ...inputOf(call, 'select', ['id', 'selector']), options, nodes })
  const asked = ['count', 'nodes'].find((each) => flag(call.options, each))
  if ('range' in found && asked !== undefined) {
    const way = 'write @* in front of the selector to look for nodes in every snapshot'
    throw new UsageError(`--${asked} is about nodes, and a range of snapshots gives changes; ${way}.`)
  }
  note(call, found)
  if ('count' in found && flag(call.options, 'count')) {
    return call.answer({ count: found.count }, () => [[['plain', String(found.count)]]])
  }
  await call.answer(found, () => ('range' in found ? rangeLines(found.range) : nodeLines(call, found)))
}

type Ids = Readonly<{ ids: readonly string[]; nodes?: readonly JsonObject[] }>

function nodeLines(call: Call, { ids, nodes }: Ids): readonly TextLine[] {
  if (nodes === undefined) return ids.map((id) => [['plain', oneLine(id)]])
  const rows = nodes.map((node) => {
    const { id = '', nodeType, node_type: type = nodeType, role = '', kind = '', key = '', content = '' } = node
    return [oneLine(id), oneLine(type ?? ''), oneLine(role), oneLine(kind), oneLine(key), oneLine(content, 200)]
  })
  if (!call.terminal.isTTY) return tabbed(rows)
  if (rows.length === 0) return [[['dim', 'Nothing matches.']]]
  const columns = ['node', 'type', 'role', 'kind', 'key', 'content'].map((title) => ({ title }))
  return [...table(columns, rows, call.terminal.width), [['dim', count(rows.length, 'node')]]]
}

/** A range, snapshot by snapshot: from the newer one to the older one. */
function rangeLines(range: JsonObject): readonly TextLine[] {
  return listOf(range, 'diffs').flatMap((block): readonly TextLine[] => {
    const [from, to] = [labelOf(block['from']), labelOf(block['to'])]
    const changed = listOf(block, 'changed').map(({ id }) => oneLine(id ?? ''))
    return [
      [['time', `${from} against ${to}`]],
      ...textsOf(block, 'added_ids').map((id): TextLine => [['good', `  + ${oneLine(id)}`]]),
      ...textsOf(block, 'removed_ids').map((id): TextLine => [['bad', `  - ${oneLine(id)}`]]),
      ...changed.map((id): TextLine => [['warn', `  ~ ${id}`]]),
    ]
  })
}

function labelOf(ref: unknown): string {
  const { label } = (ref ?? {}) as { label?: unknown }
  return typeof label === 'string' ? label : ''
}

function listOf(value: JsonObject, name: string): readonly JsonObject[] {
  const list = value[name]
  return Array.isArray(list) ? (list as readonly JsonObject[]) : []
}

function textsOf(value: JsonObject, name: string): readonly string[] {
  const list = value[name]
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}

export const explain: Action = twin('explain', ['id', 'node', 'at'], explainNode, ({ words }) =>
  words.split('\n').map((line) => [['plain', spelled(line)]]),
)
