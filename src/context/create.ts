// New contexts: empty, or from an exported snapshot.

import { asAsyncCall, asCall } from '../errors/index.js'
import { Mint, NodeRecord, type Dialect } from '../core/index.js'
import { renderersLoaded } from '../thread/index.js'
import { BOUND, decodeInSteps, decodeSnapshot, specVersionOf, type DecodedSnapshot } from '../codec/index.js'
import { Draft, growTimeline, newTree, Timeline, type View } from '../timeline/index.js'
import { Context } from './context.js'
import type { Edition } from './edition.js'
import { Family } from './family.js'
import { Gate } from './write-gate.js'
import {
  checkContextOptions,
  mintSources,
  tokenCountsFor,
  type AnyOptions,
  type ContextOptions,
  type ListOptions,
} from './options.js'
import { gather, isPieces } from './pieces.js'
import type { RangeResults } from './select-result.js'
import { Snapshot } from './snapshot.js'

/**
 * Makes an empty context, in memory.
 *
 * @example
 * ```ts
 * import { createContext } from 'pact-context'
 *
 * const ctx = createContext({ id: 'support-42' })
 * ctx.system.add('You are a travel agent.')
 * ctx.user('A train to Turin, please.')
 * const snapshot = ctx.commit()
 * snapshot.cycle // → 1
 * ctx.thread('@t0').map(({ content }) => content) // → ['You are a travel agent.', 'A train to Turin, please.']
 * ```
 */
export function createContext(options?: ContextOptions): Context
export function createContext(options: ListOptions<false>): Context<'list'>
export function createContext(options: ListOptions): Context<RangeResults>
export function createContext(options?: AnyOptions): Context<RangeResults> {
  return asCall(createContext, () => emptyContext(checkContextOptions(options)))
}

function emptyContext(options: AnyOptions): Context<RangeResults> {
  const timeline = Timeline.empty(options.history)
  return newContext(options, timeline, Draft.first(timeline, newTree()), {
    dialect: options.dialect ?? '1.0',
    lastNs: 0n,
    // Root and regions took the first four of cycle 1 (D37).
    indexesGiven: 4,
  })
}

/** Makes a context whose `@t0` is an exported snapshot, or any tree in the specification's fixture form. */
export function importSnapshot(snapshot: string | Uint8Array | object, options?: ContextOptions): Context
export function importSnapshot(snapshot: string | Uint8Array | object, options: ListOptions<false>): Context<'list'>
export function importSnapshot(snapshot: string | Uint8Array | object, options: ListOptions): Context<RangeResults>
export function importSnapshot(snapshot: string | Uint8Array | object, options?: AnyOptions): Context<RangeResults> {
  return asCall(importSnapshot, () => {
    const checked = checkContextOptions(options)
    const input = snapshot instanceof Snapshot ? snapshot.export() : snapshot
    return importedContext(decodeSnapshot(input, checked.dialect), checked)
  })
}

/**
 * The same as importSnapshot, but it yields to other work after every few thousand nodes. It also takes pieces of text or of bytes, as
 * exportChunks or a stream gives them.
 */
export function importSnapshotAsync(snapshot: string | Uint8Array | object, options?: ContextOptions): Promise<Context>
export function importSnapshotAsync(
  snapshot: string | Uint8Array | object,
  options: ListOptions<false>,
): Promise<Context<'list'>>
export function importSnapshotAsync(
  snapshot: string | Uint8Array | object,
  options: ListOptions,
): Promise<Context<RangeResults>>
export function importSnapshotAsync(
  snapshot: string | Uint8Array | object,
  options?: AnyOptions,
): Promise<Context<RangeResults>> {
  return asAsyncCall(importSnapshotAsync, async () => {
    const checked = checkContextOptions(options)
    const input = snapshot instanceof Snapshot ? Snapshot.exportPieces(snapshot) : snapshot
    const steps = decodeInSteps(isPieces(input) ? await gather(input) : input, checked.dialect)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return importedContext(value, checked)
      await rest()
    }
  })
}

/** Yields to other work. */
function rest(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}

function importedContext(decoded: DecodedSnapshot, options: AnyOptions): Context<RangeResults> {
  const { timeline, lastNs } = growTimeline(decoded, options.history, (view) => boundThoughts(view, decoded.byId))
  // An error that the listener throws breaks nothing, as for later warnings.
  for (const warning of decoded.warnings) new Gate().aside(() => options.onWarning?.(warning))
  const { dialect, cycle } = decoded
  return newContext(options, timeline, Draft.after(timeline, cycle), { dialect, lastNs, indexesGiven: 0 }, decoded)
}

/** Thoughts in a file of an earlier release have no digests: the tree as it is imported counts as their beginning (D58). */
function boundThoughts(view: View, byId: ReadonlyMap<string, NodeRecord>): ReadonlyMap<string, NodeRecord> {
  const thoughts = [...byId.values()].filter(
    ({ kind, rare }) => kind === 'reasoning' && rare?.attributes?.has(BOUND) !== true,
  )
  const bound = new Map<string, NodeRecord>()
  if (thoughts.length === 0) return bound
  for (const renderer of renderersLoaded()) {
    for (const [id, digests] of renderer.beginningsOf?.(view, thoughts) ?? []) {
      const record = byId.get(id)!
      const attributes = new Map([...(record.rare?.attributes ?? []), [BOUND, digests] as const])
      bound.set(id, new NodeRecord({ ...record, rare: { ...record.rare, attributes } }))
    }
  }
  return bound
}

function newContext(
  options: AnyOptions,
  timeline: Timeline,
  draft: Draft,
  { dialect, lastNs, indexesGiven }: Readonly<{ dialect: Dialect; lastNs: bigint; indexesGiven: number }>,
  imported?: DecodedSnapshot,
): Context<RangeResults> {
  // Written out: an object that is spread into another one and added to has a hidden class of its own, 300 B each.
  const { context, clock, ids } = mintSources(options)
  const hasForeignIds = imported !== undefined || ids !== undefined
  const counters = { cycle: draft.cycle, idsGiven: 0, indexesGiven, lastNs }
  return new Context({
    options,
    timeline,
    draft,
    mint: new Mint({ context, dialect, clock, ids, fork: '', hasForeignIds }, counters),
    edition: {
      dialect,
      specVersion: specVersionOf(dialect),
      extrasAt: extrasOf(imported),
    },
    tokens: tokenCountsFor(options),
    family: new Family(),
    warnings: imported?.warnings ?? [],
    opens: imported !== undefined,
  })
}

/** Keeps the names and values alone, not all that was decoded. */
function extrasOf(imported: DecodedSnapshot | undefined): Edition['extrasAt'] {
  if (imported === undefined) return () => undefined
  const { cycle: importedIn, extras } = imported
  return (cycle) => (cycle === importedIn ? extras : undefined)
}
