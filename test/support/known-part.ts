// A context that knows the newest part of another one's history, compared with it: its answers are right, and it leaves out only what it
// cannot know (D56).

import { isDeepStrictEqual } from 'node:util'

import type { Context, Lens, LifeEvent } from 'pact-context'
import { expect } from 'vitest'

import { Context as ContextClass } from '../../src/context/index.js'
import { walk } from './context.js'
import { expectSame } from './same.js'

export function compareExplanations(full: Context, twin: Context, lens: Lens): void {
  for (const { id } of walk(twin.snapshot(lens).root)) {
    const [ours, theirs] = [twin.explain(id, lens), full.explain(id, lens)]
    // Unknown facts are left out; the facts it states are right.
    const { created, changed, redaction, sentences: _sentences, ...facts } = ours
    const { created: made, changed: changedThen, redaction: redacted, sentences: _words, ...others } = theirs
    expectSame(facts, others)
    // The call behind a version that only dropped names (D41) is in an older one.
    if (redaction !== undefined || !isOldestOfNames(twin, id)) expectSame(redaction, redacted)
    expectSame({ ...created, by: made!.by }, made)
    if (created!.by !== undefined) expectSame(created!.by, made!.by)
    if (changed !== undefined) expectSame(changed, changedThen)
  }
}

function isOldestOfNames(twin: Context, id: string): boolean {
  const { timeline } = ContextClass.partsOf(twin)
  const version = timeline.find(id, timeline.oldest!)
  return version !== undefined && version.by === 'commit' && !version.isFirst
}

export function compareLives(full: Context, twin: Context, oldest: number): void {
  const ids = new Set(
    twin.snapshots().flatMap(({ cycle }) => walk(twin.snapshot(`@c${cycle}`).root).map(({ id }) => id)),
  )
  for (const id of ids) {
    const [ours, theirs] = [twin.life(id), full.life(id)]
    const cut = theirs.runs
      .filter(({ to }) => to >= oldest)
      .map(({ from, to }) => ({ from: Math.max(from, oldest), to }))
    expectSame(ours.runs, cut)
    const later = (events: readonly LifeEvent[]): readonly LifeEvent[] => events.filter(({ cycle }) => cycle > oldest)
    expectSame(later(ours.events), later(theirs.events))
    for (const event of ours.events) {
      const isTold = event.cycle >= oldest && theirs.events.some((each) => isDeepStrictEqual(each, event))
      if (isTold) continue
      expect(event.cycle).toBeGreaterThanOrEqual(oldest)
      expect(theirs.events).toContainEqual(event)
    }
  }
}
