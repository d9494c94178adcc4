// Segments whose last block has left (D55): they stay, or go by the policy of the context.

import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot, type Context, type ContextOptions } from '../index.js'

const REMOVE = { emptySegments: 'remove', clock: () => 1n } as const satisfies ContextOptions

/** The ids of the segments, oldest first. */
function segments(ctx: Context): readonly string[] {
  return ctx.snapshot('@t0').root.children[1]!.children.map(({ id }) => id)
}

/** A turn of one block that the next commit takes, and one that stays. */
function twoTurns(options: ContextOptions): Readonly<{ ctx: Context; first: string; second: string }> {
  const ctx = createContext(options)
  ctx.user('brief', { ttl: 1 })
  ctx.commit()
  ctx.user('lasting')
  const [first] = segments(ctx)
  ctx.commit()
  return { ctx, first: first!, second: segments(ctx).at(-1)! }
}

describe('a segment without a block', () => {
  it('goes where a policy of the context makes it removable, and stays by default (02 §5.3.1, D55)', () => {
    const told: ContextOptions[] = [{}, { emptySegments: 'keep' }, { emptySegments: 'remove' }]
    const left = told.map((options) => segments(twoTurns({ clock: () => 1n, ...options }).ctx).length)
    expect(left).toEqual([2, 2, 1])
  })

  it('goes with its core, for the reason that its last block went', () => {
    const { ctx, first } = twoTurns(REMOVE)
    const { removed } = ctx.diffDetailed('@t-1', '@t0')
    expect(removed.map(({ id, cause }) => [id, cause])).toEqual([
      [first, 'expired'],
      ['cont:1-0', 'expired'],
      ['block:1-1', 'expired'],
    ])
    expect(ctx.life(first).events.at(-1)).toEqual({ cycle: 2, what: 'expired' })
    expect(ctx.snapshot('@t0').receipt.removed).toEqual([])
  })

  it('waits for a reference and for a hold, to itself or to its core', () => {
    for (const at of [0, 1]) {
      const ctx = createContext(REMOVE)
      ctx.user('brief', { ttl: 1 })
      const [segment] = [ctx.commit().root.children[1]!.children[0]!]
      const { id } = [segment, segment.children[0]!][at]!
      const hold = ctx.hold(id)
      ctx.post('refers to it', { refs: [id], ttl: 2 })
      expect([ctx.commit(), ctx.commit(), ctx.commit()].map((each) => each.node(segment.id)?.id)).toEqual(
        Array(3).fill(segment.id),
      )
      // The note's own segment went with it.
      expect(segments(ctx)).toEqual([segment.id])
      hold.release()
      ctx.commit()
      expect(segments(ctx)).toEqual([])
    }
  })

  it('goes for the sake of a call where a call emptied it', () => {
    const ctx = createContext(REMOVE)
    const { id } = ctx.post('taken along')
    ctx.commit()
    const [segment] = segments(ctx)
    ctx.move(`[id='${id}']`, { depth: 0, zone: 'post' })
    ctx.commit()
    expect(segments(ctx)).not.toContain(segment)
    expect(ctx.diffDetailed('@t-1', '@t0').removed.map((each) => each.cause)).toEqual(['edited', 'edited'])
  })

  test.each([true, false])('goes after the last container in it, if that is removable: %s', (removable) => {
    const ctx = createContext(REMOVE)
    ctx.add(undefined, { zone: 'post', removable, children: [{ content: 'x', ttl: 1 }] })
    ctx.commit()
    ctx.commit()
    expect(segments(ctx)).toHaveLength(removable ? 0 : 1)
  })

  it('is listed by the receipt where pruning took what needed it', () => {
    const ctx = createContext({ ...REMOVE, prune: { maxNodes: 11, protectSegments: 0 } })
    ctx.user('brief', { ttl: 1 })
    ctx.commit()
    const [segment] = segments(ctx)
    ctx.user('names the segment', { refs: [segment!] })
    ctx.commit()
    expect(segments(ctx)).toContain(segment)
    ctx.user('one too many')
    const { receipt } = ctx.commit()
    expect(receipt.removed.map(({ id, rule }) => [id, rule])).toEqual([
      ['block:2-1', 'maxNodes'],
      [segment, 'maxNodes'],
      ['cont:1-0', 'maxNodes'],
      ['seg:2-2', 'maxNodes'],
      ['cont:2-0', 'maxNodes'],
    ])
    expect(ctx.diffDetailed('@t-1', '@t0').removed.map((each) => each.cause)).toEqual(Array(5).fill('pruned'))
  })

  it('goes at the first commit of a fork or an import that is told so; forks inherit it', () => {
    const { ctx, first, second } = twoTurns({ clock: () => 1n })
    expect(segments(ctx)).toEqual([first, second])
    const told = [ctx.fork('@t0', { emptySegments: 'remove' }), importSnapshot(ctx.export('@t0'), REMOVE)]
    for (const each of [...told, told[0]!.fork('working'), ctx.fork('@t0')]) each.commit()
    expect(told.map((each) => segments(each))).toEqual([[second], [second]])
    expect(told[0]!.diffDetailed('@t-1', '@t0').removed.map((each) => each.cause)).toEqual(['expired', 'expired'])
    const grandchild = told[0]!.fork('@t0')
    grandchild.user('brief', { ttl: 1 })
    grandchild.commit()
    grandchild.commit()
    expect(segments(grandchild)).toEqual([second])
  })
})
