// A whole context at one cycle as canonical JSON bytes: what the context as a whole knows, the open cycle as it began, and its newest snapshot. A
// checkpoint has every node of the snapshot. A manifest has the children of `^seq` in pages, and is small.

import {
  Gone,
  type Checkpoint,
  type CheckpointSnapshot,
  type ContextRecord,
  type Dialect,
  type Manifest,
  type NodeRecord,
  type PagedSnapshot,
  type Version,
  type Warning,
} from '../core/index.js'
import { COUNT_FIELDS, COUNT_NAMES, OPENING, readStart, startOf } from './commit-record.js'
import {
  attributes,
  checked,
  cycle,
  encodeRecord,
  frozen,
  jsonObject,
  list,
  mapped,
  name,
  object,
  oneOf,
  optional,
  parseRecord,
  plainObject,
  record,
  some,
  text,
  tuple,
  unlessEqual,
  type FieldTable,
  type Form,
} from './forms.js'
import { LINK } from './pages.js'
import { fault } from './raw.js'
import { RECEIPT } from './receipt-form.js'
import { SCHEDULES } from './schedule-form.js'
import { Scope, type BodyReader, type BodyWriter, type ReadScope } from './scope.js'
import { GONE, NODES } from './version-list.js'

const DIALECTS: readonly Dialect[] = ['1.0', '0.1']

const WARNING: Form<Warning> = frozen(
  tuple<Warning>({ message: text, details: jsonObject as Form<Warning['details']> }),
)

type AnySnapshot = Omit<CheckpointSnapshot, 'log'>

/** `first` is left out where it is the cycle of the snapshot. */
const SNAPSHOT_FIELDS: FieldTable<Omit<AnySnapshot, 'first'> & { first: number | undefined }> = {
  cycle,
  first: optional(cycle),
  nodes: NODES,
  emptied: some(name),
  schedules: SCHEDULES,
  receipt: RECEIPT,
  extras: optional(attributes),
}

function firstToWrite({ first, cycle: own }: AnySnapshot): number | undefined {
  return first === own ? undefined : first
}

function firstRead(first: number | undefined, own: number, path: string): number {
  if (first === undefined) return own
  if (first < own) return first
  throw fault(`${path}.first`, `The first snapshot comes before that of cycle ${own}.`)
}

// ---- Logs: the ids that a commit changed, and removals

const CHANGED: Form<Gone | string> = {
  write: (each, scope) => (typeof each === 'string' ? name.write(each, scope) : GONE.write(each, scope)),
  read: (value, path, scope) => (typeof value === 'string' ? value : GONE.read(value, path, scope)),
}

/** The log that the nodes of a snapshot imply: those that hold since its cycle, in their order. An import has this log. */
function impliedLog({ nodes, cycle: own }: Pick<CheckpointSnapshot, 'nodes' | 'cycle'>): readonly NodeRecord[] {
  return nodes.filter((node) => node.born === own)
}

function logToWrite(snapshot: CheckpointSnapshot): readonly (Gone | string)[] | undefined {
  const { log } = snapshot
  const implied = impliedLog(snapshot)
  if (log.length === implied.length && implied.every((node, i) => node === log[i])) return undefined
  return log.map((version) => (version instanceof Gone ? version : version.id))
}

function readLog(
  log: readonly (Gone | string)[] | undefined,
  snapshot: Pick<CheckpointSnapshot, 'nodes' | 'cycle'>,
  path: string,
): readonly Version[] {
  const implied = impliedLog(snapshot)
  if (log === undefined) return implied
  const byId = new Map(implied.map((node) => [node.id, node]))
  const versions = log.map((each, i) => {
    if (typeof each !== 'string') return each
    const node = byId.get(each)
    if (node === undefined) throw fault(`${path}[${i}]`, `No node "${each}" holds since cycle ${snapshot.cycle}.`)
    byId.delete(each)
    return node
  })
  if (byId.size === 0) return versions
  throw fault(path, 'A log names every node that holds since its cycle, once, and what left.')
}

// ---- Snapshots

const SNAPSHOT: Form<CheckpointSnapshot> = mapped(
  object({ ...SNAPSHOT_FIELDS, log: optional(list(CHANGED, 1)) }),
  (snapshot) => ({ ...snapshot, first: firstToWrite(snapshot), log: logToWrite(snapshot) }),
  (raw, path) => ({
    ...raw,
    first: firstRead(raw.first, raw.cycle, path),
    log: readLog(raw.log, raw, `${path}.log`),
  }),
)

/** `true` means that the commit changed every node, in order. */
const PAGED_LOG: Form<PagedSnapshot['log']> = {
  write: (log, scope) => (log === undefined ? 'true' : some(CHANGED).write(log, scope)),
  read: (value, path, scope) => (value === true ? undefined : some(CHANGED).read(value, path, scope)),
}

const PAGED: Form<PagedSnapshot> = mapped(
  object({ ...SNAPSHOT_FIELDS, seq: optional(LINK), log: PAGED_LOG }),
  (snapshot) => ({ ...snapshot, first: firstToWrite(snapshot) }),
  (raw, path) => ({ ...raw, first: firstRead(raw.first, raw.cycle, path) }),
)

// ---- Contexts

function contextForm<Held>(snapshotName: 'snapshot' | 'paged', snapshot: Form<Held>): Form<ContextRecord<Held>> {
  const table: FieldTable<ContextRecord<Held>> = {
    dialect: oneOf(DIALECTS),
    specVersion: name,
    fork: unlessEqual('', name),
    warnings: some(WARNING),
    snapshot: optional(snapshot),
    base: optional(cycle),
    opening: optional(OPENING),
    ...COUNT_FIELDS,
  }
  return checked(record<ContextRecord<Held>>(table, { ...COUNT_NAMES, snapshot: snapshotName }), (context) => {
    const hasSnapshot = context.snapshot !== undefined
    if (hasSnapshot && context.base !== undefined)
      throw fault('base', 'A context begins with one snapshot, not with two.')
    if (hasSnapshot || context.base !== undefined || context.opening !== undefined) return
    throw fault('opening', 'A context without a snapshot begins with its opening.')
  })
}

const CHECKPOINT = contextForm('snapshot', SNAPSHOT)
const MANIFEST = contextForm('paged', PAGED)

export function encodeCheckpoint(checkpoint: Checkpoint, bodies?: BodyWriter): Uint8Array {
  return encodeRecord(CHECKPOINT, checkpoint, new Scope(bodies, startOf(checkpoint.opening)))
}

export function decodeCheckpoint(bytes: Uint8Array, bodies?: BodyReader): Checkpoint {
  const raw = parseRecord(bytes)
  return CHECKPOINT.read(raw, '', scopeOf(raw, raw['snapshot'], 'snapshot', bodies))
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  return encodeRecord(MANIFEST, manifest, new Scope<BodyWriter>(undefined, startOf(manifest.opening)))
}

export function decodeManifest(bytes: Uint8Array): Manifest {
  const raw = parseRecord(bytes)
  return MANIFEST.read(raw, '', scopeOf(raw, raw['paged'], 'paged', undefined))
}

function scopeOf(
  { base, opening }: Readonly<Record<string, unknown>>,
  held: unknown,
  path: string,
  bodies: BodyReader | undefined,
): ReadScope {
  const scope = new Scope(bodies, readStart(opening))
  const newest = held === undefined ? (base ?? 0) : plainObject(held, path)['cycle']
  return new Scope(bodies, scope.ns, cycle.read(newest, held === undefined ? 'base' : `${path}.cycle`, scope))
}
