// A context at one cycle as canonical JSON bytes: its newest snapshot with all that an export leaves out, the cycle that is
// open as it began, and what the context as a whole knows. As strict as the records of commits that follow it.

import { Gone, type Checkpoint, type NodeRecord, type Version } from '../core/index.js'
import { quoteJson } from './canonical-json.js'
import { decodeContext, encodeContext } from './context-record.js'
import { fault } from './raw.js'
import { eachOf, listText } from './strict-read.js'
import { goneText, VersionReader } from './version-list.js'

export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  return encodeContext(checkpoint, 'snapshot', ({ log, nodes, cycle }) => {
    return { log: isInOrder(log, nodes, cycle) ? undefined : changedText(log) }
  })
}

export function decodeCheckpoint(bytes: Uint8Array): Checkpoint {
  return decodeContext(bytes, 'snapshot', ['log'], (common, { log }) => {
    return { ...common, log: readLog(log, 'snapshot.log', common.nodes, common.cycle) }
  })
}

/** Whether the log is what its nodes tell: those that hold since then, in their order. An import's is. */
function isInOrder(log: readonly Version[], nodes: readonly NodeRecord[], cycle: number): boolean {
  const born = nodes.filter((node) => node.born === cycle)
  return log.length === born.length && born.every((node, i) => node === log[i])
}

function readLog(value: unknown, path: string, nodes: readonly NodeRecord[], cycle: number): readonly Version[] {
  const born = nodes.filter((node) => node.born === cycle)
  if (value === undefined) return born
  const byId = new Map(born.map((node) => [node.id, node]))
  const log = readChanged(value, path, cycle).map((each, i) => {
    if (typeof each !== 'string') return each
    const node = byId.get(each)
    if (node === undefined) throw fault(`${path}[${i}]`, `No node "${each}" holds since cycle ${cycle}.`)
    byId.delete(each)
    return node
  })
  if (byId.size === 0) return log
  throw fault(path, 'A log names every node that holds since its cycle, once, and what left.')
}

/** What a commit changed: the ids of nodes, and what left. */
export function changedText(log: readonly (Version | string)[]): string | undefined {
  return listText(log, (each) => {
    return each instanceof Gone ? goneText(each) : quoteJson(typeof each === 'string' ? each : each.id)
  })
}

export function readChanged(value: unknown, path: string, cycle: number): readonly (Gone | string)[] {
  const reader = new VersionReader(0n)
  return eachOf(value, path, (each, at) => {
    if (typeof each === 'string') return each
    const left = reader.read(each, at, cycle)
    if (left instanceof Gone) return left
    throw fault(at, 'An id or a removal is expected here.')
  })
}
