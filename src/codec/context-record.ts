// What a store has of a whole context, however its snapshot lies there: what the context as a whole knows, the cycle that is
// open as it began, and of the snapshot all but its tree.

import type { CheckpointSnapshot, ContextRecord, Dialect, NodeRecord, PagedSnapshot, Warning } from '../core/index.js'
import { layered, type BodyReader, type BodyWriter } from './bodies.js'
import { ByteText } from './byte-text.js'
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
import { encodeFields } from './document.js'
import { fault } from './raw.js'
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
const NAMES = ['base', 'dialect', 'foreign', 'fork', 'forks', 'format', 'opening', 'specVersion', 'warnings'] as const

/** What every snapshot has. */
type AnySnapshot = Omit<CheckpointSnapshot, 'log'>
type SnapshotName = 'snapshot' | 'paged'

export type RawSnapshot = Readonly<
  Partial<Record<'cycle' | 'emptied' | 'extras' | 'first' | 'nodes' | 'receipt' | 'schedules' | 'log' | 'seq', unknown>>
>

/** `write` gives the fields of the snapshot that stand there beside what every one has. */
export function encodeContext<Held extends CheckpointSnapshot | PagedSnapshot>(
  record: ContextRecord<Held>,
  name: SnapshotName,
  write: (snapshot: Held) => Readonly<Record<string, string | undefined>>,
  bodies?: BodyWriter,
): Uint8Array {
  const { dialect, specVersion, fork, forks, hasForeignIds, warnings, snapshot, base, opening } = record
  const text = objectText({
    format: `${FORMAT}`,
    base: base === undefined ? undefined : `${base}`,
    dialect: quoteJson(dialect),
    specVersion: quoteJson(specVersion),
    fork: fork === '' ? undefined : quoteJson(fork),
    forks: forks === 0 ? undefined : `${forks}`,
    foreign: hasForeignIds ? 'true' : undefined,
    warnings: listText(warnings, ({ message, details }) => canonicalJson([message, details])),
    [name]: snapshot && objectText({ ...snapshotTexts(snapshot, nsOf(opening), bodies), ...write(snapshot) }),
    opening: opening && openingText(opening, bodies && layered(bodies, snapshot?.nodes ?? [])),
  })
  return new TextEncoder().encode(text)
}

/** `read` makes the snapshot of what every one has, and of what else stands there under one of the names. */
export function decodeContext<Held>(
  bytes: Uint8Array,
  name: SnapshotName,
  names: readonly (keyof RawSnapshot)[],
  read: (common: AnySnapshot, raw: RawSnapshot) => Held,
  bodies?: BodyReader,
): ContextRecord<Held> {
  const raw = objectWith(parseBytes(bytes), '', [...NAMES, name])
  checkFormat(raw.format)
  const value = raw[name]
  const held = value === undefined ? undefined : objectWith(value, name, [...SNAPSHOT_NAMES, ...names])
  const base = raw.base === undefined ? undefined : cycleOf(raw.base, 'base')
  if (base !== undefined && held !== undefined) throw fault('base', 'It begins with one snapshot, not with two.')
  const cycle = held === undefined ? (base ?? 0) : cycleOf(held.cycle, pathTo(name, 'cycle'))
  // A context that has no snapshot has nothing else to begin with.
  const isKnown = raw.opening !== undefined || (held === undefined && base === undefined)
  const ns = isKnown ? readCounters(raw.opening, 'opening').lastNs : 0n
  const common = held && readSnapshot(held, name, cycle, ns, bodies)
  const later = bodies && layered(bodies, common?.nodes ?? [])
  return {
    dialect: oneOf(raw.dialect, 'dialect', DIALECTS),
    specVersion: nameOf(raw.specVersion, 'specVersion'),
    fork: raw.fork === undefined ? '' : nameOf(raw.fork, 'fork'),
    warnings: eachOf(raw.warnings, 'warnings', readWarning),
    snapshot: common && read(common, held),
    ...(base === undefined ? {} : { base }),
    opening: isKnown ? readOpening(raw.opening, 'opening', cycle + 1, later) : undefined,
    ...readCounts(raw),
  }
}

// ---- Snapshots

const SNAPSHOT_NAMES = ['cycle', 'emptied', 'extras', 'first', 'nodes', 'receipt', 'schedules'] as const

function snapshotTexts(
  snapshot: AnySnapshot,
  ns: bigint,
  bodies: BodyWriter | undefined,
): Record<string, string | undefined> {
  const { cycle, first, nodes, emptied, schedules, receipt, extras } = snapshot
  return {
    cycle: `${cycle}`,
    first: first === cycle ? undefined : `${first}`,
    ...nodesTexts({ nodes, emptied }, ns, bodies),
    schedules: listText(schedules, (schedule) => scheduleText(schedule, bodies)),
    receipt: receiptText(receipt),
    extras: extras && encodeFields([...extras], []),
  }
}

function readSnapshot(
  raw: RawSnapshot,
  path: string,
  cycle: number,
  ns: bigint,
  bodies: BodyReader | undefined,
): AnySnapshot {
  return {
    cycle,
    first: raw.first === undefined ? cycle : firstOf(raw.first, pathTo(path, 'first'), cycle),
    ...readNodes(raw, path, ns, cycle, bodies),
    schedules: eachOf(raw.schedules, pathTo(path, 'schedules'), (each, at) => {
      return readSchedule(each, at, cycle, bodies).schedule
    }).filter((schedule) => schedule !== undefined),
    receipt: readReceipt(raw.receipt, pathTo(path, 'receipt')),
    extras: raw.extras === undefined ? undefined : mapOf(raw.extras, pathTo(path, 'extras')),
  }
}

function firstOf(value: unknown, path: string, cycle: number): number {
  const first = cycleOf(value, path)
  if (first < cycle) return first
  throw fault(path, `The first snapshot comes before that of cycle ${cycle}.`)
}

function readWarning(value: unknown, path: string): Warning {
  const [message, details] = listOf(value, path, 2, 2)
  const read = Object.freeze(Object.fromEntries(mapOf(details, `${path}[1]`)))
  return Object.freeze({ message: textOf(message, `${path}[0]`), details: read })
}

// ---- Nodes of a tree

type Nodes = Readonly<{ nodes: readonly NodeRecord[]; emptied: readonly string[] }>

function nodesTexts(
  { nodes, emptied }: Nodes,
  ns: bigint,
  bodies: BodyWriter | undefined,
): Record<'nodes' | 'emptied', string | undefined> {
  return {
    nodes: nodes.length === 0 ? undefined : ByteText.textOf((out) => writeNodes(out, nodes, ns, bodies)),
    emptied: listText(emptied, quoteJson),
  }
}

/** A node is [since when it holds, …what a version is]. */
export function writeNodes(out: ByteText, nodes: readonly NodeRecord[], ns: bigint, bodies?: BodyWriter): void {
  const writer = new VersionWriter(out, ns, bodies)
  out.items(nodes, (node) => {
    out.ascii('[')
    out.whole(node.born)
    out.ascii(',')
    writer.fields(node)
    out.ascii(']')
  })
}

/** None of them holds only from a cycle after this one on. */
export function readNodes(raw: RawSnapshot, path: string, ns: bigint, cycle: number, bodies?: BodyReader): Nodes {
  const reader = new VersionReader(ns, bodies)
  const nodes = eachOf(raw.nodes, pathTo(path, 'nodes'), (each, at) => {
    const [born, ...fields] = listOf(each, at)
    const since = integerOf(born, `${at}[0]`, 0)
    if (since > cycle) throw fault(`${at}[0]`, `A node of cycle ${cycle} cannot hold from a later one on.`)
    return reader.record(fields, at, since)
  })
  return { nodes, emptied: eachOf(raw.emptied, pathTo(path, 'emptied'), nameOf) }
}
