// A context at one cycle as canonical JSON bytes: its newest snapshot with all that an export leaves out, the cycle that is
// open as it began, and what the context as a whole knows. As strict as the records of commits that follow it.

import {
  Gone,
  type Checkpoint,
  type CheckpointSnapshot,
  type Dialect,
  type NodeRecord,
  type Version,
  type Warning,
} from '../core/index.js'
import { layered, type BodyReader, type BodyWriter } from './bodies.js'
import { canonicalJson, pathTo, quoteJson } from './canonical-json.js'
import {
  checkFormat,
  FORMAT,
  nsOf,
  openingText,
  readCounters,
  readCounts,
  readOpening,
  readReceipt,
  receiptText,
} from './commit-record.js'
import { fault } from './raw.js'
import { encodeFields } from './document.js'
import { readSchedule, scheduleText } from './schedule-body.js'
import {
  cycleOf,
  eachOf,
  integerOf,
  listOf,
  listText,
  mapOf,
  nameOf,
  objectText,
  objectWith,
  oneOf,
  parseBytes,
  textOf,
} from './strict-read.js'
import { VersionReader, VersionWriter } from './version-list.js'

const DIALECTS: readonly Dialect[] = ['1.0', '0.1']
const NAMES = [
  'base',
  'dialect',
  'foreign',
  'fork',
  'forks',
  'format',
  'opening',
  'snapshot',
  'specVersion',
  'warnings',
] as const
const SNAPSHOT_NAMES = ['cycle', 'emptied', 'extras', 'first', 'log', 'nodes', 'receipt', 'schedules'] as const

export function encodeCheckpoint(checkpoint: Checkpoint, bodies?: BodyWriter): Uint8Array {
  const { dialect, specVersion, fork, forks, hasForeignIds, warnings, snapshot, base, opening } = checkpoint
  const text = objectText({
    format: `${FORMAT}`,
    base: base === undefined ? undefined : `${base}`,
    dialect: quoteJson(dialect),
    specVersion: quoteJson(specVersion),
    fork: fork === '' ? undefined : quoteJson(fork),
    forks: forks === 0 ? undefined : `${forks}`,
    foreign: hasForeignIds ? 'true' : undefined,
    warnings: listText(warnings, ({ message, details }) => canonicalJson([message, details])),
    snapshot: snapshot && snapshotText(snapshot, nsOf(opening), bodies),
    opening: opening && openingText(opening, bodies && layered(bodies, snapshot?.nodes ?? [])),
  })
  return new TextEncoder().encode(text)
}

export function decodeCheckpoint(bytes: Uint8Array, bodies?: BodyReader): Checkpoint {
  const raw = objectWith(parseBytes(bytes), '', NAMES)
  checkFormat(raw.format)
  const { cycle: newest } = objectWith(raw.snapshot ?? {}, 'snapshot', SNAPSHOT_NAMES)
  const base = raw.base === undefined ? undefined : cycleOf(raw.base, 'base')
  if (base !== undefined && raw.snapshot !== undefined) throw fault('base', 'It begins with one snapshot, not with two.')
  const cycle = raw.snapshot === undefined ? (base ?? 0) : cycleOf(newest, 'snapshot.cycle')
  // A context that has no snapshot has nothing else to begin with.
  const isKnown = raw.opening !== undefined || (raw.snapshot === undefined && base === undefined)
  const ns = isKnown ? readCounters(raw.opening, 'opening').lastNs : 0n
  const snapshot = raw.snapshot === undefined ? undefined : readSnapshot(raw.snapshot, cycle, ns, bodies)
  const later = bodies && layered(bodies, snapshot?.nodes ?? [])
  return {
    dialect: oneOf(raw.dialect, 'dialect', DIALECTS),
    specVersion: nameOf(raw.specVersion, 'specVersion'),
    fork: raw.fork === undefined ? '' : nameOf(raw.fork, 'fork'),
    warnings: eachOf(raw.warnings, 'warnings', readWarning),
    snapshot,
    ...(base === undefined ? {} : { base }),
    opening: isKnown ? readOpening(raw.opening, 'opening', cycle + 1, later) : undefined,
    ...readCounts(raw),
  }
}

/** A node is [since when it holds, …what a version is]. */
function snapshotText(snapshot: CheckpointSnapshot, ns: bigint, bodies: BodyWriter | undefined): string {
  const { cycle, first, nodes, emptied, schedules, log, receipt, extras } = snapshot
  const writer = new VersionWriter(ns, bodies)
  return objectText({
    cycle: `${cycle}`,
    first: first === cycle ? undefined : `${first}`,
    nodes: listText(nodes, (node) => `[${node.born},${writer.fields(node)}]`),
    emptied: listText(emptied, quoteJson),
    schedules: listText(schedules, (schedule) => scheduleText(schedule, bodies)),
    log: isInOrder(log, nodes, cycle) ? undefined : `[${log.map((version) => logText(version, writer)).join(',')}]`,
    receipt: receiptText(receipt),
    extras: extras && encodeFields([...extras], []),
  })
}

/** Whether the log is what its nodes tell: those that hold since then, in their order. An import's is. */
function isInOrder(log: readonly Version[], nodes: readonly NodeRecord[], cycle: number): boolean {
  const born = nodes.filter((node) => node.born === cycle)
  return log.length === born.length && born.every((node, i) => node === log[i])
}

function logText(version: Version, writer: VersionWriter): string {
  return version instanceof Gone ? writer.write(version) : quoteJson(version.id)
}

function readSnapshot(
  value: unknown,
  cycle: number,
  ns: bigint,
  bodies: BodyReader | undefined,
): CheckpointSnapshot {
  const path = 'snapshot'
  const raw = objectWith(value, path, SNAPSHOT_NAMES)
  const reader = new VersionReader(ns, bodies)
  const nodes = eachOf(raw.nodes, pathTo(path, 'nodes'), (each, at) => {
    const [born, ...fields] = listOf(each, at)
    const since = integerOf(born, `${at}[0]`, 0)
    if (since > cycle) throw fault(`${at}[0]`, `A node of cycle ${cycle} cannot hold from a later one on.`)
    return reader.record(fields, at, since)
  })
  return {
    cycle,
    first: raw.first === undefined ? cycle : firstOf(raw.first, pathTo(path, 'first'), cycle),
    nodes,
    emptied: eachOf(raw.emptied, pathTo(path, 'emptied'), nameOf),
    schedules: eachOf(raw.schedules, pathTo(path, 'schedules'), (each, at) => {
      return readSchedule(each, at, cycle, bodies).schedule
    }).filter((schedule) => schedule !== undefined),
    log: readLog(raw.log, pathTo(path, 'log'), nodes, cycle),
    receipt: readReceipt(raw.receipt, pathTo(path, 'receipt')),
    extras: raw.extras === undefined ? undefined : mapOf(raw.extras, pathTo(path, 'extras')),
  }
}

function firstOf(value: unknown, path: string, cycle: number): number {
  const first = cycleOf(value, path)
  if (first < cycle) return first
  throw fault(path, `The first snapshot comes before that of cycle ${cycle}.`)
}

function readLog(value: unknown, path: string, nodes: readonly NodeRecord[], cycle: number): readonly Version[] {
  const born = nodes.filter((node) => node.born === cycle)
  if (value === undefined) return born
  const byId = new Map(born.map((node) => [node.id, node]))
  const reader = new VersionReader(0n)
  const log = eachOf(value, path, (each, at): Version => {
    if (typeof each !== 'string') {
      const left = reader.read(each, at, cycle)
      if (left instanceof Gone) return left
      throw fault(at, 'An id or a removal is expected here.')
    }
    const node = byId.get(each)
    if (node === undefined) throw fault(at, `No node "${each}" holds since cycle ${cycle}.`)
    byId.delete(each)
    return node
  })
  if (byId.size === 0) return log
  throw fault(path, 'A log names every node that holds since its cycle, once, and what left.')
}

function readWarning(value: unknown, path: string): Warning {
  const [message, details] = listOf(value, path, 2, 2)
  const read = Object.freeze(Object.fromEntries(mapOf(details, `${path}[1]`)))
  return Object.freeze({ message: textOf(message, `${path}[0]`), details: read })
}
