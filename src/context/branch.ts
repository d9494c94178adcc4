// The start of a fork: after a snapshot, with the open edits taken along, or after the commit that they would make (D6).

import { PactError, short } from '../errors/index.js'
import { isSentLens, Mint, type Lens, type MintCounters } from '../core/index.js'
import { Draft, Timeline } from '../timeline/index.js'
import type { TokenCounts } from '../commit/index.js'
import type { Family } from './family.js'
import { cycleOfLens } from './lens.js'
import type { OpenCycle } from './open-cycle.js'
import { forkOptions, mintSources, tokenCountsFor, type AnyOptions } from './options.js'
import type { Start } from './start.js'

/** The parts of its parent that a fork needs. */
export type Parent = Readonly<{
  id: string
  options: AnyOptions
  timeline: Timeline
  open: OpenCycle
  edition: Start['edition']
  tokens: TokenCounts
  family: Family
  /** The number of forks that left before. */
  forks: number
}>

/** The start of a fork. It has its parent's options except for those given, and holds nothing that keeps its parent alive. */
export function forkStart(parent: Parent, lens: Lens, given: AnyOptions): Start {
  const { dialect, specVersion, extrasAt } = parent.edition
  const { fork: own, hasForeignIds } = parent.open.mint.sources
  const name = `f${parent.forks + 1}`
  const options = forkOptions({ ...parent.options, dialect, id: `${parent.id}/${name}` }, given)
  const { timeline, draft, counters, release } = branchOff(lens, parent, options.history)
  const sources = mintSources(options)
  const fork = own === '' ? name : `${own}.${name}`
  const mint = new Mint(
    { ...sources, dialect, fork, hasForeignIds: hasForeignIds || sources.hasForeignIds },
    { ...counters, cycle: draft.cycle, idsGiven: 0 },
  )
  const isSameCounter = options.countTokens === parent.options.countTokens
  return {
    options,
    timeline,
    draft,
    mint,
    edition: { dialect, specVersion, extrasAt },
    tokens: isSameCounter ? parent.tokens : tokenCountsFor(options),
    family: parent.family,
    warnings: [],
    opens: lens !== 'working',
    release,
  }
}

type Branching = Readonly<{
  timeline: Timeline
  draft: Draft
  counters: Pick<MintCounters, 'indexesGiven' | 'lastNs'>
  release?: () => void
}>

function branchOff(lens: Lens, { timeline: past, open }: Parent, history: number | undefined): Branching {
  const { indexesGiven, lastNs } = open.mint.counters
  if (lens !== 'working' && lens !== 'preview') {
    if (isSentLens(lens)) throw noFork(lens)
    const cycle = cycleOfLens(lens, past)
    const timeline = past.fork(cycle, history)
    return { timeline, draft: Draft.after(timeline, cycle), counters: { indexesGiven: 0, lastNs } }
  }
  const timeline = past.newest === undefined ? Timeline.empty(history, past.isBacked) : past.fork(past.newest, history)
  if (lens === 'working') return { timeline, draft: open.draft.copy(timeline), counters: { indexesGiven, lastNs } }
  const { draft, receipt, mint } = open.tryCommit(open.mint.provisional())
  // The commit is written as its difference from the snapshot before it, which a limit of one would drop.
  const release = timeline.isBacked ? timeline.hold() : undefined
  timeline.append(draft.cycle, draft.tree, draft.changes, receipt)
  const counters = { indexesGiven: 0, lastNs: mint.counters.lastNs }
  return { timeline, draft: Draft.after(timeline, draft.cycle), counters, ...(release && { release }) }
}

function noFork(lens: string): PactError {
  const message = `A fork begins at a snapshot, at working or at preview. ${short(lens)} is what a call sent: fork a snapshot, and add the edits again.`
  return new PactError('E_SELECTOR_INVALID', message, { token: lens, pos: 0 })
}
