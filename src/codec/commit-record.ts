// A commit as canonical JSON bytes, for a store to write and to read again. Strict: whatever this would not have written
// is E_SNAPSHOT_INVALID with its place, so that damage is found before anything is made of it. What nodes say goes into bodies
// where there is a place for them (bodies.ts), else it stands in the record.

import {
  EMPTY_RECEIPT,
  type CommitRecord,
  type LeftOutKey,
  type Opening,
  type PassedLimit,
  type PrunedNode,
  type PruneRule,
  type Receipt,
  type ScheduleChange,
  type TreeChange,
} from '../core/index.js'
import { layered, type BodyReader, type BodyWriter } from './bodies.js'
import { ByteText } from './byte-text.js'
import { canonicalJson, pathTo, quoteJson } from './canonical-json.js'
import { fault } from './raw.js'
import { readSchedule, scheduleText } from './schedule-body.js'
import {
  cycleOf,
  digitsOf,
  eachOf,
  integerOf,
  listOf,
  listText,
  nameOf,
  numberOf,
  objectText,
  objectWith,
  parseBytes,
  textOf,
  trueOf,
} from './strict-read.js'
import { readVersions, writeVersions } from './version-list.js'

/** Another one whenever the bytes come to mean something else; others are not read. */
export const FORMAT = 1

const NAMES = ['change', 'cycle', 'foreign', 'forks', 'format', 'opening', 'receipt'] as const
const CHANGE_NAMES = ['emptied', 'schedules', 'versions'] as const
const OPENING_NAMES = [...CHANGE_NAMES, 'counters', 'leftOut', 'opened'] as const

export function encodeCommitRecord(record: CommitRecord, bodies?: BodyWriter): Uint8Array {
  return ByteText.bytesOf((out) => writeRecord(out, record, bodies))
}

/** Gives the same bytes to `read`, which keeps none of them: their memory is used again. */
export function withCommitRecord<T>(record: CommitRecord, bodies: BodyWriter, read: (bytes: Uint8Array) => T): T {
  return ByteText.use((out) => writeRecord(out, record, bodies), read)
}

function writeRecord(out: ByteText, record: CommitRecord, bodies: BodyWriter | undefined): void {
  const { cycle, change, receipt, opening, forks, hasForeignIds } = record
  // In this order: what an opening says may be what the change before it says. The names come in that of the alphabet.
  out.ascii('{"change":{')
  writeChange(out, change, nsOf(opening), bodies)
  out.ascii('},"cycle":')
  out.whole(cycle)
  if (hasForeignIds) out.ascii(',"foreign":true')
  if (forks > 0) out.ascii(`,"forks":${forks}`)
  out.ascii(`,"format":${FORMAT}`)
  if (opening !== undefined) {
    out.name('opening')
    writeOpening(out, opening, bodies && layered(bodies, change.versions))
  }
  const receiptSaid = receiptText(receipt)
  if (receiptSaid !== undefined) out.ascii(`,"receipt":${receiptSaid}`)
  out.ascii('}')
}

export function decodeCommitRecord(bytes: Uint8Array, bodies?: BodyReader): CommitRecord {
  const raw = objectWith(parseBytes(bytes), '', NAMES)
  checkFormat(raw.format)
  const cycle = cycleOf(raw.cycle, 'cycle')
  const ns = raw.opening === undefined ? 0n : readCounters(raw.opening, 'opening').lastNs
  const change = readChange(objectWith(raw.change, 'change', CHANGE_NAMES), 'change', cycle, ns, bodies)
  const later = bodies && layered(bodies, change.versions)
  return {
    cycle,
    change,
    receipt: readReceipt(raw.receipt, 'receipt'),
    opening: raw.opening === undefined ? undefined : readOpening(raw.opening, 'opening', cycle + 1, later),
    ...readCounts(raw),
  }
}

export function checkFormat(format: unknown): void {
  if (format === FORMAT) return
  throw fault('format', `Only the format ${FORMAT} is known here; a newer version of pact-context may read this.`)
}

export function readCounts(
  raw: Readonly<{ forks?: unknown; foreign?: unknown }>,
): Pick<CommitRecord, 'forks' | 'hasForeignIds'> {
  return {
    forks: raw.forks === undefined ? 0 : integerOf(raw.forks, 'forks', 1),
    hasForeignIds: trueOf(raw.foreign, 'foreign'),
  }
}

// ---- Changes and openings

function writeChange(out: ByteText, change: TreeChange, ns: bigint, bodies: BodyWriter | undefined): void {
  out.list('emptied', change.emptied, (id) => out.quoted(id))
  writeRest(out, change, ns, bodies)
}

/** Bodies are numbered in the order in which they are read, versions first; the names stand in that of the alphabet. */
function writeRest(
  out: ByteText,
  { versions, schedules }: TreeChange,
  ns: bigint,
  bodies: BodyWriter | undefined,
): void {
  if (schedules.length === 0) return writeVersions(out, versions, ns, bodies)
  const written = ByteText.bytesOf((other) => {
    other.ascii('{')
    writeVersions(other, versions, ns, bodies)
  })
  out.list('schedules', schedules, ({ key, schedule }) => {
    out.ascii(schedule === undefined ? quoteJson(key) : scheduleText(schedule, bodies))
  })
  if (versions.length === 0) return
  out.ascii(',')
  out.bytes(written.subarray(1))
}

/** The time from which those of a change are counted: each stands as what lies between. */
export function nsOf(opening: Opening | undefined): bigint {
  return opening?.counters.lastNs ?? 0n
}

export function openingText(opening: Opening, bodies: BodyWriter | undefined): string {
  return ByteText.textOf((out) => writeOpening(out, opening, bodies))
}

function writeOpening(out: ByteText, opening: Opening, bodies: BodyWriter | undefined): void {
  const { counters, emptied, opened, leftOut } = opening
  out.ascii('{"counters":[')
  out.whole(counters.idsGiven)
  out.ascii(',')
  out.whole(counters.indexesGiven)
  out.ascii(`,"${counters.lastNs}"]`)
  out.list('emptied', emptied, (id) => out.quoted(id))
  out.list('leftOut', leftOut, ({ key, code, reason, ids }) => out.ascii(canonicalJson([key, code, reason, ...ids])))
  out.list('opened', opened, (id) => out.quoted(id))
  writeRest(out, opening, counters.lastNs, bodies)
  out.ascii('}')
}

type RawChange = Readonly<Partial<Record<(typeof CHANGE_NAMES)[number], unknown>>>

function readChange(
  raw: RawChange,
  path: string,
  cycle: number,
  ns: bigint,
  bodies: BodyReader | undefined,
): TreeChange {
  return {
    versions: readVersions(raw.versions, pathTo(path, 'versions'), ns, cycle, bodies),
    emptied: eachOf(raw.emptied, pathTo(path, 'emptied'), nameOf),
    schedules: eachOf(raw.schedules, pathTo(path, 'schedules'), (each, at): ScheduleChange => {
      return typeof each === 'string' ? { key: each, schedule: undefined } : readSchedule(each, at, cycle, bodies)
    }),
  }
}

/** `cycle` is the one that opens. */
export function readOpening(value: unknown, path: string, cycle: number, bodies: BodyReader | undefined): Opening {
  const raw = objectWith(value, path, OPENING_NAMES)
  const counters = readCounters(value, path)
  const leftOut = eachOf(raw.leftOut, pathTo(path, 'leftOut'), (each, here): LeftOutKey => {
    const [key, code, reason, ...ids] = listOf(each, here, 3).map((part, i) => textOf(part, `${here}[${i}]`))
    return { key: key!, code: code!, reason: reason!, ids }
  })
  const opened = eachOf(raw.opened, pathTo(path, 'opened'), nameOf)
  return { ...readChange(raw, path, cycle, counters.lastNs, bodies), counters, opened, leftOut }
}

/** What the mint goes on from, of an opening that is not read yet: all times in a record are counted from its last one. */
export function readCounters(opening: unknown, path: string): Opening['counters'] {
  const at = pathTo(path, 'counters')
  const [idsGiven, indexesGiven, lastNs] = listOf(objectWith(opening, path, OPENING_NAMES).counters, at, 3, 3)
  return {
    idsGiven: integerOf(idsGiven, `${at}[0]`, 0),
    indexesGiven: integerOf(indexesGiven, `${at}[1]`, 0),
    lastNs: digitsOf(lastNs, `${at}[2]`),
  }
}

// ---- Receipts; `unmet` follows from the limits

export function receiptText({ removed, limits }: Receipt): string | undefined {
  if (removed.length === 0 && limits.length === 0) return undefined
  const removedText = listText(removed, ({ id, rule, priority, age, size }) =>
    canonicalJson([id, rule, priority, age, size]),
  )
  const limitsText = listText(limits, ({ rule, limit, before, after, target, kept }) =>
    canonicalJson([rule, limit, before, after, ...(target === undefined ? [] : [target]), ...kept]),
  )
  return objectText({ removed: removedText, limits: limitsText })
}

export function readReceipt(value: unknown, path: string): Receipt {
  if (value === undefined) return EMPTY_RECEIPT
  const raw = objectWith(value, path, ['limits', 'removed'] as const)
  const removed = eachOf(raw.removed, pathTo(path, 'removed'), readPruned)
  const limits = eachOf(raw.limits, pathTo(path, 'limits'), readLimit)
  const unmet = limits
    .filter(({ limit, after }) => after > limit)
    .map(({ rule, limit, after }) => Object.freeze({ rule, limit, actual: after }))
  return Object.freeze({ removed: Object.freeze(removed), limits: Object.freeze(limits), unmet: Object.freeze(unmet) })
}

function readPruned(value: unknown, path: string): PrunedNode {
  const [id, rule, ...numbers] = listOf(value, path, 5, 5)
  const [priority, age, size] = numbers.map((each, i) => numberOf(each, `${path}[${i + 2}]`))
  return Object.freeze({
    id: nameOf(id, `${path}[0]`),
    rule: ruleOf(rule, `${path}[1]`),
    priority: priority!,
    age: age!,
    size: size!,
  })
}

function readLimit(value: unknown, path: string): PassedLimit {
  const [rule, limit, before, after, ...rest] = listOf(value, path, 4)
  // A target is the only number behind these.
  const hasTarget = rest.length > 0 && typeof rest[0] !== 'string'
  const kept = hasTarget ? rest.slice(1) : rest
  const first = hasTarget ? 5 : 4
  return Object.freeze({
    rule: ruleOf(rule, `${path}[0]`),
    limit: numberOf(limit, `${path}[1]`),
    ...(hasTarget ? { target: numberOf(rest[0], `${path}[4]`) } : {}),
    before: numberOf(before, `${path}[2]`),
    after: numberOf(after, `${path}[3]`),
    kept: Object.freeze(kept.map((id, i) => nameOf(id, `${path}[${i + first}]`))),
  })
}

function ruleOf(value: unknown, path: string): PruneRule {
  const rule = textOf(value, path)
  if (/^(?:maxDepth|maxNodesPerSegment|maxNodes|maxTokens(?: [^]+)?)$/.test(rule)) return rule as PruneRule
  throw fault(path, 'The name of a limit is expected here.')
}
