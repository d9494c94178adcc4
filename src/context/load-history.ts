// Loading of older snapshots (D56). A store reads them; the functions here find out which ones a lens needs, and put them below the oldest
// loaded snapshot or keep one alone.

import { describe, PactError, short } from '../errors/index.js'
import type { CheckpointSnapshot, JsonValue } from '../core/index.js'
import {
  Gone,
  replayCommit,
  Timeline,
  timelineFrom,
  type Bounds,
  type KnownVersion,
  type Version,
} from '../timeline/index.js'
import { cycleBack, heldSnapshots, isThere, oldestOf, parseLens, thinnedOut } from './lens.js'
import type { Parts } from './parts.js'
import type { WrittenRecord } from './restore.js'

/** The snapshots to load: one alone, all from a cycle up to the loaded ones, or none. */
export type HistoryWanted = Readonly<{ kind: 'one' | 'span' | 'loaded'; from: number; to: number }>

/**
 * Reads the argument of `loadHistory`: a snapshot (`@c12`, `@t-30`, `@t-*`), a range of them (`@c12..@t0`), or all (`@*`,
 * `@history`). A range is loaded up to the snapshots that are already loaded, since comparisons need everything in between.
 */
export function historyWanted(lens: string, bounds: Bounds | undefined): HistoryWanted {
  const ends = endsOf(lens)
  if (ends === undefined) {
    const message = `${describe(lens)} names no part of history; write @c12, @t-30, @c12..@t0, or @* for all of it.`
    throw new PactError('E_SELECTOR_INVALID', message, {
      token: typeof lens === 'string' ? lens : describe(lens),
      pos: 0,
    })
  }
  if (bounds === undefined) {
    throw new PactError('E_SNAPSHOT_NOT_FOUND', `There is no ${short(lens)} before the first commit.`, { lens })
  }
  const { newest, thinned } = bounds
  const oldest = oldestOf(bounds)
  const cycles = ends.map(({ kind, value }) =>
    kind === 'oldest' ? oldest : kind === 'c' ? value : cycleBack(newest, -value, thinned),
  )
  const [first, last] = [Math.min(...cycles), Math.max(...cycles)]
  if (last < oldest || first > newest || (ends.length === 1 && (first < oldest || last > newest))) {
    const message = `There is no ${short(lens)}; ${heldSnapshots(bounds)}.`
    throw new PactError('E_SNAPSHOT_NOT_FOUND', message, { lens, oldest, newest })
  }
  if (ends.length === 1 && thinned.has(first)) throw thinnedOut(bounds, lens, first)
  return wanted(Math.max(first, oldest), Math.min(last, newest), bounds)
}

function wanted(from: number, to: number, bounds: Bounds): HistoryWanted {
  const below = bounds.oldest - 1
  if (from > below || (from === to && isThere(bounds, from))) return { kind: 'loaded', from, to }
  // The one right below is in line with the others.
  return from === to && from < below ? { kind: 'one', from, to } : { kind: 'span', from, to: below }
}

type End = Readonly<{ kind: 't' | 'c' | 'oldest'; value: number }>

const OLDEST: End = { kind: 'oldest', value: 0 }
const NEWEST: End = { kind: 't', value: 0 }

/** Unlike those of a selector, the ends of a range may be of two kinds: nothing is labelled by them. */
function endsOf(lens: unknown): readonly End[] | undefined {
  if (typeof lens !== 'string') return undefined
  if (lens === '@*' || lens === '@history') return [OLDEST, NEWEST]
  const parts = lens.split(lens.includes('..') ? '..' : ':')
  const [start, end] = parts
  const from = endOf(start!)
  if (from === undefined || parts.length > 2) return undefined
  if (end === undefined) return [from]
  // `@c12..20` is short for `@c12..@c20`.
  const to = endOf(end) ?? endOf(`@${from.kind === 'c' ? 'c' : 't'}${end}`)
  return to && [from, to]
}

function endOf(text: string): End | undefined {
  return text === '@t-*' ? OLDEST : parseLens(text)
}

/** A timeline of older cycles that begins with a snapshot; without one, with the first cycle. */
export function olderBeginning(parts: Parts, snapshot: CheckpointSnapshot | undefined): Timeline {
  if (snapshot === undefined) return Timeline.empty(Infinity, true)
  const known = parts.timeline.knownVersions()
  const nodes = snapshot.nodes.map(known)
  return timelineFrom({ ...snapshot, nodes, log: snapshot.log.map((each) => versionOf(each, known)) }, Infinity, true)
}

/** Adds the cycles of records to a timeline. */
export function olderTimeline(parts: Parts, older: Timeline, records: Iterable<WrittenRecord>): Timeline {
  const known = parts.timeline.knownVersions()
  for (const written of records) {
    const { newest = 0 } = older
    const record = typeof written === 'function' ? written((id) => older.find(id, newest)) : written
    // The first row of a fork has no snapshot.
    if (!('cycle' in record)) continue
    const versions = record.change.versions.map((each) => versionOf(each, known))
    replayCommit(older, { ...record, change: { ...record.change, versions } })
  }
  return older
}

function versionOf(version: Version, known: KnownVersion): Version {
  return version instanceof Gone ? version : known(version)
}

/** The fields of an imported document outside its tree, for the snapshot that it gave. */
export type LoadedExtras = ReadonlyMap<string, JsonValue> | undefined

/**
 * Adds the snapshots of a timeline that ends right before the oldest loaded one. They stay loaded, whatever the option `history`
 * says, until `unloadHistory` (N63). `extras` belong to the first of them.
 */
export function loadSpan(parts: Parts, older: Timeline, extras?: LoadedExtras): void {
  const { timeline, extras: known } = parts
  const { oldest } = older
  timeline.prepend(older)
  if (extras !== undefined) (known.byCycle ??= new Map()).set(oldest!, extras)
}

/**
 * Adds one snapshot of a timeline, at the cost of its own size. It can be read, and forked from; reads that need the history
 * between it and others are refused.
 */
export function loadAlone(parts: Parts, island: Timeline, cycle: number, extras?: LoadedExtras): void {
  const { timeline, extras: known } = parts
  timeline.settle(cycle, island)
  if (extras !== undefined) (known.byCycle ??= new Map()).set(cycle, extras)
}

/**
 * Keeps the loaded history in place while a store reads what comes below it, also over commits. Call the returned function once
 * the rest is added or could not be read.
 */
export function holdHistory({ timeline }: Parts): () => void {
  return timeline.hold()
}

/** Unloads history that was loaded by name; the option `history` decides what stays. */
export function unloadHistory({ timeline }: Parts): void {
  timeline.unload()
}
