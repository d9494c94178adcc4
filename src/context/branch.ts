// Where a fork starts: behind a snapshot, with the open edits taken along, or behind the commit they would make (D6).

import { Draft, Timeline } from '../timeline/index.js'
import { cycleOfLens, type Lens } from './lens.js'
import type { OpenCycle } from './open-cycle.js'

export type Branching = Readonly<{ timeline: Timeline; draft: Draft; indexesGiven: number; lastNs: bigint }>

export function branchOff(lens: Lens, past: Timeline, open: OpenCycle): Branching {
  const { newest } = past
  const { lastNs } = open.mint.counters
  if (lens === 'working' || lens === 'preview') {
    const timeline = newest === undefined ? new Timeline() : new Timeline({ timeline: past, cycle: newest })
    const { indexesGiven } = open.mint.counters
    if (lens === 'working') return { timeline, draft: open.draft.copy(timeline), indexesGiven, lastNs }
    const { draft, receipt, mint } = open.tryCommit(open.mint.provisional())
    timeline.append(draft.cycle, draft.tree, draft.changes, receipt)
    return { timeline, draft: Draft.after(timeline, draft.cycle), indexesGiven: 0, lastNs: mint.counters.lastNs }
  }
  const cycle = cycleOfLens(lens, past)
  const timeline = new Timeline({ timeline: past, cycle })
  return { timeline, draft: Draft.after(timeline, cycle), indexesGiven: 0, lastNs }
}
