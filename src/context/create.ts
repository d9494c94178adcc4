// How contexts begin: empty, or from an exported snapshot.

import { asCall } from '../errors/index.js'
import { Mint, type Dialect } from '../core/index.js'
import { decodeSnapshot, specVersionOf, type DecodedSnapshot } from '../codec/index.js'
import { Draft, growTimeline, newTree, Timeline } from '../timeline/index.js'
import { TokenCounts } from '../commit/index.js'
import { ThreadWriter } from '../thread/index.js'
import { Context } from './context.js'
import { Gate } from './gate.js'
import { checkOptions, mintSources, type AnyOptions, type ContextOptions, type ListOptions } from './options.js'
import type { RangeResults } from './select-result.js'
import { Snapshot } from './snapshot.js'

/** Makes an empty context, in memory. */
export function createContext(options?: ContextOptions): Context
export function createContext(options: ListOptions<false>): Context<'list'>
export function createContext(options: ListOptions): Context<RangeResults>
export function createContext(options?: AnyOptions): Context<RangeResults> {
  return asCall(createContext, () => emptyContext(checkOptions(options)))
}

function emptyContext(options: AnyOptions): Context<RangeResults> {
  const timeline = new Timeline()
  return newContext(options, timeline, Draft.first(timeline, newTree()), {
    dialect: options.dialect ?? '1.0',
    lastNs: 0n,
    // Root and regions took the first four of cycle 1 (D37).
    indexesGiven: 4,
  })
}

/** Makes a context whose `@t0` is an exported snapshot, or any tree in the documents' fixture form (D4). */
export function importSnapshot(snapshot: string | Uint8Array | object, options?: ContextOptions): Context
export function importSnapshot(snapshot: string | Uint8Array | object, options: ListOptions<false>): Context<'list'>
export function importSnapshot(snapshot: string | Uint8Array | object, options: ListOptions): Context<RangeResults>
export function importSnapshot(snapshot: string | Uint8Array | object, options?: AnyOptions): Context<RangeResults> {
  return asCall(importSnapshot, () => importedContext(snapshot, checkOptions(options)))
}

function importedContext(snapshot: string | Uint8Array | object, options: AnyOptions): Context<RangeResults> {
  const decoded = decodeSnapshot(snapshot instanceof Snapshot ? snapshot.export() : snapshot, options.dialect)
  const { timeline, lastNs } = growTimeline(decoded)
  // As later ones are told: what the listener throws breaks nothing.
  for (const warning of decoded.warnings) new Gate().aside(() => options.onWarning?.(warning))
  const { dialect, cycle } = decoded
  return newContext(options, timeline, Draft.after(timeline, cycle), { dialect, lastNs, indexesGiven: 0 }, decoded)
}

function newContext(
  options: AnyOptions,
  timeline: Timeline,
  draft: Draft,
  { dialect, lastNs, indexesGiven }: Readonly<{ dialect: Dialect; lastNs: bigint; indexesGiven: number }>,
  imported?: DecodedSnapshot,
): Context<RangeResults> {
  const counters = { cycle: draft.cycle, idsGiven: 0, indexesGiven, lastNs }
  return new Context({
    options,
    timeline,
    draft,
    mint: new Mint(
      {
        ...mintSources(options),
        dialect,
        fork: '',
        hasForeignIds: imported !== undefined || options.ids !== undefined,
      },
      counters,
    ),
    edition: {
      dialect,
      specVersion: imported?.specVersion ?? specVersionOf(dialect),
      writer: new ThreadWriter(dialect),
      extrasAt: (cycle) => (cycle === imported?.cycle ? imported.extras : undefined),
    },
    tokens: new TokenCounts(options.countTokens),
    warnings: imported?.warnings ?? [],
    opens: imported !== undefined,
  })
}
