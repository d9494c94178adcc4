// The trees that a selector reads (D5, D8): the one that its time prefix names, or all of them.

import { PactError } from '../errors/index.js'
import type { Dialect, Lens, Warning } from '../core/index.js'
import { notLoaded, type Bounds, type View } from '../timeline/index.js'
import { selectorError, type Span, type TimePoint } from '../selector/index.js'
import type { Plan } from '../query/index.js'
import { isThere, oldestOf, unloaded } from './lens.js'

/** The trees that selectors can read. */
export interface QuerySource {
  readonly dialect: Dialect
  /** True if a range gives the changes in it, false if it gives a flat list (D23). */
  readonly rangesAreDiffs: boolean
  of(lens: Lens): View
  /** A view that later edits do not change. */
  still(lens: Lens): View
  /** The bounds of the snapshots that exist; undefined before the first commit. */
  readonly bounds: Bounds | undefined
  /** The newest snapshot; undefined before the first commit. */
  readonly newest: View | undefined
  /** The snapshot of a cycle; undefined if it does not exist. */
  at(cycle: number): View | undefined
  /** Warns once about a subject. */
  warn(subject: string, message: string, details: Warning['details']): void
}

/** The one tree that a plan reads; undefined for `@*`, which reads all of them. */
export function viewOf(sources: QuerySource, plan: Plan, text: string, isKept = false): View | undefined {
  const { time, dialect } = plan
  const working = (): View => (isKept ? sources.still('working') : sources.of('working'))
  if (time === undefined) {
    return dialect === '1.0' ? working() : placed(text, NOWHERE, () => newestOf(sources))
  }
  switch (time.kind) {
    case 'working':
      return working()
    case 'preview':
      return sources.of('preview')
    case 'all':
      placed(text, time.span, () => checkAll(sources))
      return undefined
    case 'at':
      return placed(text, time.span, () => viewAt(sources, time.at))
    case 'range': {
      const sentence = 'A range of snapshots is for select and rangeDiffLatest; name one snapshot here, or @* for all.'
      throw faultAt(text, plan, sentence)
    }
  }
}

/** The newest snapshot; throws if there is none. */
export function newestOf(sources: QuerySource): View {
  return sources.newest ?? sources.of('@t0')
}

/** A selector over all snapshots needs all that exist. */
function checkAll(sources: QuerySource): void {
  const bounds = sources.bounds
  if (bounds === undefined) return
  const cycle = oldestOf(bounds)
  if (cycle < bounds.oldest) throw notLoaded('Some of @* is', cycle, bounds, '@*', { lens: '@*' })
}

/** Every snapshot there is now, newest first; to be gone through more than once. */
export function allViews(sources: QuerySource): Iterable<View> {
  const bounds = sources.bounds
  if (bounds === undefined) return []
  return { [Symbol.iterator]: () => viewsOf(bounds, sources) }
}

function* viewsOf({ oldest, newest, thinned }: Bounds, sources: QuerySource): Generator<View, void, undefined> {
  for (let cycle = newest; cycle >= oldest; cycle = thinned.previous(cycle - 1)) {
    const view = sources.at(cycle)
    if (view !== undefined) yield view
  }
}

function viewAt(sources: QuerySource, point: TimePoint): View {
  if (point.kind === 'oldest') {
    const bounds = sources.bounds
    if (bounds !== undefined) {
      const cycle = oldestOf(bounds)
      if (isThere(bounds, cycle)) return sources.at(cycle)!
      throw unloaded(bounds, '@t-*', cycle)
    }
    throw new PactError('E_SNAPSHOT_NOT_FOUND', 'There is no @t-* before the first commit.', { lens: '@t-*' })
  }
  const { kind, value } = point
  if (value === 0 && kind === 't') return newestOf(sources)
  return sources.of(`@${kind}${value}` as Lens)
}

/** A snapshot that is missing is a fault of the text that named it, so the error says where it does (D40). */
function placed<T>(text: string, { start, end }: Span, find: () => T): T {
  try {
    return find()
  } catch (error) {
    if (!PactError.is(error)) throw error
    const { code, message, details } = error
    throw selectorError(code, message, text, start, end, details)
  }
}

const NOWHERE: Span = { start: 0, end: 0 }

/** An error at the time prefix of a text, or about all of it. */
export function faultAt(text: string, { time }: Plan, sentence: string): PactError {
  const { start, end } = time?.span ?? { start: 0, end: text.length }
  return selectorError('E_SELECTOR_INVALID', sentence, text, start, end)
}
