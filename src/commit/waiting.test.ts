// Nodes that have outlived their ttl wait for what keeps them (D26), and commits leave them alone until that goes (G6). What
// goes is the business of the laws (test/laws/waiting-laws.test.ts, test/laws/lifecycle.test.ts); here is counted who is judged.

import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot, type Context } from '../index.js'
import { countJudged } from './expire.js'

/** The number of nodes that a call judges. */
function judgedBy(run: () => unknown): number {
  const before = countJudged()
  run()
  return countJudged() - before
}

function turn(ctx: Context): void {
  ctx.user('q', { ttl: 1 })
  ctx.commit()
}

/** A context with this many nodes that wait, in two boxes. */
function waitingIn(count: number): Readonly<{ ctx: Context; ids: readonly string[] }> {
  const ctx = createContext({ clock: () => 1n })
  const children = Array.from({ length: count / 2 }, () => ({ content: 'x', ttl: 1 }))
  const boxes = [ctx.add(undefined, { children }), ctx.add(undefined, { children })]
  return { ctx, ids: boxes.flatMap((box) => box.children.map(({ id }) => id)) }
}

describe('a commit', () => {
  test.each([1e3, 2e4])('judges what is due and nothing of %i nodes that wait for one reference (G6)', (count) => {
    const { ctx, ids } = waitingIn(count)
    const note = ctx.post('needs them all', { refs: ids, key: 'note' })
    ctx.commit()
    expect(judgedBy(() => turn(ctx))).toBe(count)
    // From then on the question of the turn before, whose ttl of 1 has ended.
    expect([1, 2, 3].map(() => judgedBy(() => turn(ctx)))).toEqual([1, 1, 1])
    expect(ctx.node(ids[0]!, '@t0')?.ttl).toBe(0)
    ctx.update('#note', { tags: ['read'] })
    expect(judgedBy(() => turn(ctx))).toBe(1)
    ctx.delete(`[id='${note.id}']`)
    expect(judgedBy(() => turn(ctx))).toBe(count + 1)
    expect(ids.filter((id) => ctx.node(id) !== undefined)).toEqual([])
  })

  it('judges those again whose keeper has gone, and no others (G6)', () => {
    const { ctx, ids } = waitingIn(100)
    const notes = ids.map((id, i) => ctx.post('needs one', { refs: [id], key: `note-${i}` }))
    ctx.commit()
    turn(ctx)
    const hold = ctx.hold(ids[8]!)
    ctx.delete(`[id='${notes[7]!.id}']`)
    ctx.delete(`[id='${notes[8]!.id}']`)
    expect(judgedBy(() => turn(ctx))).toBe(3)
    expect([ids[7], ids[8], ids[9]].map((id) => ctx.node(id!)?.ttl)).toEqual([undefined, 0, 0])
    hold.release()
    expect(judgedBy(() => ctx.preview())).toBe(2)
    expect(judgedBy(() => turn(ctx))).toBe(2)
    expect(ctx.node(ids[8]!)).toBeUndefined()
  })

  it('judges again what a keeper no longer refers to, where it changed its refs in place (D26)', () => {
    const { ctx, ids } = waitingIn(10)
    const note = ctx.system.add('needs them all', { refs: ids, key: 'note' })
    ctx.commit()
    turn(ctx)
    ctx.system.replace('#note', { refs: ids.slice(1) })
    expect(ctx.nodes('^sys #note')[0]?.id).toBe(note.id)
    expect(judgedBy(() => turn(ctx))).toBe(11)
    expect([ctx.node(ids[0]!), ctx.node(ids[1]!)?.ttl]).toEqual([undefined, 0])
  })

  it('follows a chain of keepers to its end, also where it closes to a ring (D26)', () => {
    const ctx = createContext({ clock: () => 1n })
    const ring = ['block:1-1', 'block:1-2', 'block:1-3']
    ring.forEach((_, i) => ctx.user(`ring ${i}`, { ttl: 1, refs: [ring[(i + 1) % 3]!] }))
    ctx.post('needs one', { refs: [ring[1]!], key: 'note' })
    ctx.commit()
    turn(ctx)
    expect(ring.map((id) => ctx.node(id)?.ttl)).toEqual([0, 0, 0])
    ctx.delete('#note')
    expect(judgedBy(() => turn(ctx))).toBe(4)
    expect(ring.map((id) => ctx.node(id))).toEqual([undefined, undefined, undefined])
  })

  it('judges everything that waits in an import or a fork once (G6)', () => {
    const { ctx, ids } = waitingIn(50)
    ctx.post('needs them all', { refs: ids })
    ctx.commit()
    turn(ctx)
    for (const other of [
      ctx.fork('@t0'),
      ctx.fork('working'),
      importSnapshot(ctx.export('@t0'), { clock: () => 1n }),
    ]) {
      expect(judgedBy(() => turn(other))).toBe(51)
      expect(judgedBy(() => turn(other))).toBe(1)
    }
  })
})
