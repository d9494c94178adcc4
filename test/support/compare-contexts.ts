// Two contexts that should be one and the same: whatever can be asked of them is asked of both.

import { PactError, type Lens } from 'pact-context'
import { toAnthropic } from 'pact-context/anthropic'
import { toOpenAIChat } from 'pact-context/openai'
import { expect } from 'vitest'

import type { AnyContext } from '../../src/context/index.js'
import { textOf, walk } from './context.js'
import { expectSame } from './same.js'

export type ComparedContexts = Readonly<{
  live: AnyContext
  twin: AnyContext
  /** Chooses one of this many. */
  pick: (among: number) => number
  /** True if every snapshot is looked at, else the newest and some others. */
  isWhole: boolean
}>

export function compareContexts({ live, twin, pick, isWhole }: ComparedContexts): void {
  const cycles = live.snapshots().map(({ cycle }) => cycle)
  expectSame(twin.snapshots(), live.snapshots())
  expectSame([twin.cycle, twin.dialect, twin.operations()], [live.cycle, live.dialect, live.operations()])
  const all = cycles.map((cycle): Lens => `@c${cycle}`)
  const chosen = isWhole ? all : all.filter((_, i) => i === 0 || pick(5) === 0)
  const lenses: Lens[] = [...chosen, 'working']
  // A limit may refuse the next commit.
  if (isGiven(() => live.export('preview'))) lenses.push('preview')
  else expect(isGiven(() => twin.export('preview'))).toBe(false)
  for (const lens of lenses) {
    expectSame(textOf(twin.export(lens)), textOf(live.export(lens)), lens)
    expectSame(textOf(twin.threadBytes(lens)), textOf(live.threadBytes(lens)), lens)
    expectSame(textOf(twin.referenceBytes(lens)), textOf(live.referenceBytes(lens)), lens)
    expectSame(twin.snapshot(lens).receipt, live.snapshot(lens).receipt, lens)
    if (pick(isWhole ? 2 : 4) === 0) expectSame(rendered(twin, lens), rendered(live, lens), lens)
    // Explaining everything everywhere would take most of the time.
    if (!isWhole && pick(6) > 0) continue
    for (const { id } of walk(live.snapshot(lens).root)) expectSame(twin.explain(id, lens), live.explain(id, lens), id)
  }
  for (const [i, lens] of lenses.entries()) {
    const other = lenses[pick(lenses.length)]!
    if (isWhole || pick(3) === 0) expectSame(twin.diffDetailed(other, lens), live.diffDetailed(other, lens))
    if (i > 0) expectSame(twin.diffDetailed(lens, lenses[i - 1]!), live.diffDetailed(lens, lenses[i - 1]!))
  }
  compareAttempts(live, twin, pick)
  if (cycles.length === 0 || (!isWhole && pick(2) === 0)) return
  const block = live.dialect === '1.0' ? '.block' : '.cb'
  const range = `@c${cycles.at(-1)}..@c${cycles[0]} ${block}`
  expectSame(twin.rangeDiffLatest(range), live.rangeDiffLatest(range))
  if (!isWhole) return
  expectSame(twin.past, live.past)
  expectSame(twin.select(`@* ${block}`), live.select(`@* ${block}`))
  const ids = new Set(cycles.flatMap((cycle) => walk(live.snapshot(`@c${cycle}`).root).map(({ id }) => id)))
  for (const id of ids) expectSame(twin.life(id), live.life(id), id)
}

function compareAttempts(live: AnyContext, twin: AnyContext, pick: (among: number) => number): void {
  const attempts = live.attempts()
  expectSame(twin.attempts(), attempts)
  for (const { attempt_id: id, adapter } of attempts) {
    if (adapter === undefined || pick(2) > 0) continue
    const to = adapter === 'toAnthropic' || adapter.includes('nthropic') ? toAnthropic : toOpenAIChat
    expectSame(
      answer(() => textOf(twin.requestOf(id, { for: to }))),
      answer(() => textOf(live.requestOf(id, { for: to }))),
    )
  }
}

/** The bytes of two providers' requests, or why there are none. */
function rendered(ctx: AnyContext, lens: Lens): unknown {
  return [
    answer(() => textOf(toOpenAIChat(ctx, { lens }).bytes)),
    answer(() => textOf(toAnthropic(ctx, { lens }).bytes)),
  ]
}

/** The result of a call, or the code of its refusal. */
export function answer<T>(call: () => T): T | { code: string } {
  try {
    return call()
  } catch (error) {
    if (PactError.is(error)) return { code: error.code }
    throw error
  }
}

function isGiven(call: () => Uint8Array): boolean {
  return answer(call) instanceof Uint8Array
}
