// A context at one cycle as canonical JSON bytes: its newest snapshot with all that an export leaves out, the cycle that is
// open as it began, and what the context as a whole knows. As strict as the records of commits that follow it.

import { Gone, type Checkpoint, type CheckpointSnapshot, type NodeRecord, type Version } from '../core/index.js'
import type { BodyReader, BodyWriter } from './bodies.js'
import { quoteJson } from './canonical-json.js'
import { decodeContext, encodeContext, type RawSnapshot } from './context-record.js'
import { fault } from './raw.js'
import { eachOf, listText } from './strict-read.js'
import { goneText, VersionReader } from './version-list.js'

export function encodeCheckpoint(checkpoint: Checkpoint, bodies?: BodyWriter): Uint8Array {
  const write = ({ log, nodes, cycle }: CheckpointSnapshot): { log: string | undefined } => {
    return { log: isInOrder(log, nodes, cycle) ? undefined : changedText(log) }
  }
  return encodeContext(checkpoint, 'snapshot', write, bodies)
}

export function decodeCheckpoint(bytes: Uint8Array, bodies?: BodyReader): Checkpoint {
  const read = (common: Omit<CheckpointSnapshot, 'log'>, { log }: RawSnapshot): CheckpointSnapshot => {
    return { ...common, log: readLog(log, 'snapshot.log', common.nodes, common.cycle) }
  }
  return decodeContext(bytes, 'snapshot', ['log'], read, bodies)
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
