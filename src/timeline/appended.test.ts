// What commits have sealed, against the segments themselves: whatever is told must be exactly the difference.

import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { createContext, type Context } from '../index.js'
import { sealedSince } from './appended.js'
import { Timeline } from './timeline.js'
import { View } from './view.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 11) }
const MOST = 4

afterEach(() => vi.restoreAllMocks())

/** Runs a program and gives the view of each of its snapshots. */
function viewsOf(program: (ctx: Context) => void, options = {}): readonly View[] {
  const appended = vi.spyOn(Timeline.prototype, 'take')
  const ctx = createContext(options)
  program(ctx)
  const timeline = appended.mock.contexts.at(-1) as Timeline
  vi.restoreAllMocks()
  return Array.from({ length: timeline.size }, (_, i) => View.ofSnapshot(timeline, i + 1))
}

function turn(ctx: Context, text: string): void {
  ctx.user(text)
  ctx.commit()
}

function itemsOf({ tree }: View): readonly unknown[] {
  return [...tree.regions[1].children]
}

describe('sealedSince', () => {
  it('tells the segments of plain commits, up to a number of them, and of commits that seal none', () => {
    const views = viewsOf((ctx) => {
      for (let i = 0; i < 70; i++) {
        turn(ctx, String(i))
        if (i % 10 === 9) ctx.commit()
      }
    })
    const since = (from: number, to: number): number | undefined =>
      sealedSince(views[to]!, views[from]!.tree.regions[1].children, MOST)?.length
    expect([since(5, 5), since(5, 6), since(22, 26), since(22, 27)]).toEqual([0, 1, 4, undefined])
    // The tenth turn is followed by a commit without one.
    expect([since(9, 10), since(8, 11), since(9, 11)]).toEqual([0, 2, 1])
    expect(since(6, 5)).toBeUndefined()
  })

  it('tells exactly what came at the end, or nothing, whatever else commits and edits do', () => {
    const steps = fc.array(
      fc.constantFrom('turn', 'turn', 'turn', 'commit', 'edit', 'delete', 'ttl', 'insert', 'undo'),
      {
        minLength: 10,
        maxLength: 60,
      },
    )
    let told = 0
    fc.assert(
      fc.property(steps, fc.constantFrom(undefined, { maxNodes: 30 }), (program, prune) => {
        const views = viewsOf(
          (ctx) => {
            turn(ctx, 'first')
            for (const [i, step] of program.entries()) play(ctx, step, i)
            turn(ctx, 'last')
          },
          { prune },
        )
        for (const [to, view] of views.entries()) {
          for (let from = Math.max(0, to - 6); from <= to; from++) {
            const segments = sealedSince(view, views[from]!.tree.regions[1].children, MOST)
            if (segments === undefined) continue
            expect([...itemsOf(views[from]!), ...segments]).toEqual(itemsOf(view))
            if (segments.length > 0) told++
          }
        }
      }),
      { ...SEED, numRuns: 60 },
    )
    expect(told).toBeGreaterThan(500)
  })
})

function play(ctx: Context, step: string, i: number): void {
  if (step === 'commit') ctx.commit()
  else if (step === 'edit') ctx.update('^seq .block:last?', { priority: i })
  else if (step === 'delete') ctx.delete('^seq .seg:first .block?', { author: 'a', reason: 'r' })
  else if (step === 'insert') ctx.insert({ content: 'x' }, '(d1, end)')
  else if (step === 'undo') ctx.undo()
  else {
    ctx.user(`turn ${i}`, step === 'ttl' ? { ttl: 2 } : {})
    ctx.commit()
  }
}
