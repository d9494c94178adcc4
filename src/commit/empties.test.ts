// Empty containers and segments wait for what needs them (D26, D55), and commits leave them alone until that goes (G6). What
// goes is the business of the laws (test/laws/waiting-laws.test.ts, test/laws/lifecycle.test.ts); here is counted who is looked at.

import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot, type Context, type ContextOptions } from '../index.js'
import { countEmptied } from './empties.js'

/** The number of containers that a call looks at. */
function lookedAtBy(run: () => unknown): number {
  const before = countEmptied()
  run()
  return countEmptied() - before
}

function turn(ctx: Context): void {
  ctx.user('q')
  ctx.commit()
}

/** Containers that the first commit empties, and a note that refers to them all. */
function emptyBoxes(count: number, options: ContextOptions = {}): Readonly<{ ctx: Context; ids: readonly string[] }> {
  const ctx = createContext({ clock: () => 1n, ...options })
  const box = { zone: 'post', removable: true, children: [{ content: 'x', ttl: 0 }] } as const
  const ids = Array.from({ length: count }, () => ctx.add(undefined, box).id)
  ctx.post('needs them all', { refs: ids, key: 'note' })
  ctx.commit()
  return { ctx, ids }
}

describe('a commit', () => {
  test.each([100, 2000])('looks at none of %i empty containers that wait for a reference (G6)', (count) => {
    const { ctx, ids } = emptyBoxes(count)
    expect([1, 2, 3].map(() => lookedAtBy(() => turn(ctx)))).toEqual([0, 0, 0])
    ctx.update('#note', { tags: ['read'] })
    expect(lookedAtBy(() => turn(ctx))).toBe(0)
    expect(ctx.node(ids[0]!)?.children).toEqual([])
    ctx.delete('#note')
    expect(lookedAtBy(() => ctx.preview())).toBe(lookedAtBy(() => turn(ctx)))
    expect(ids.filter((id) => ctx.node(id) !== undefined)).toEqual([])
  })

  it('looks again at those whose keeper has gone or whose hold has ended, and no others (G6)', () => {
    const ctx = createContext({ clock: () => 1n })
    const box = { zone: 'post', removable: true, children: [{ content: 'x', ttl: 0 }] } as const
    const ids = Array.from({ length: 50 }, () => ctx.add(undefined, box).id)
    ids.slice(2).forEach((id, i) => ctx.post('needs one', { refs: [id], key: `note-${i}` }))
    const holds = ids.slice(0, 2).map((id) => ctx.hold(id))
    ctx.commit()
    turn(ctx)
    holds[1]!.release()
    ctx.delete('#note-7')
    // Each is looked at before expiry, for the cause, and after it.
    expect(lookedAtBy(() => turn(ctx))).toBe(2 * 2)
    expect(ids.filter((id) => ctx.node(id) === undefined)).toEqual([ids[1], ids[9]])
    expect(lookedAtBy(() => turn(ctx))).toBe(0)
  })

  it('looks again at what a keeper no longer refers to, where it changed its refs in place (D26)', () => {
    const ctx = createContext({ clock: () => 1n })
    const box = { zone: 'post', removable: true, children: [{ content: 'x', ttl: 0 }] } as const
    const ids = Array.from({ length: 10 }, () => ctx.add(undefined, box).id)
    const note = ctx.system.add('needs them all', { refs: ids, key: 'note' })
    ctx.commit()
    turn(ctx)
    ctx.system.replace('#note', { refs: ids.slice(1) })
    expect(ctx.nodes('^sys #note')[0]?.id).toBe(note.id)
    turn(ctx)
    expect(ids.filter((id) => ctx.node(id) === undefined)).toEqual([ids[0]])
  })

  it('looks again at one whose name another node has taken, as only a file can have two of (D41)', () => {
    const claims = { supersedes: 'gone', offset: 1 }
    const emptied = { id: 'z1', nodeType: 'cont', removable: true, 'pact:emptied': true, children: [], ...claims }
    const other = { id: 'z2', nodeType: 'block', content: 'also claims the name', ...claims }
    const note = { id: 'z3', nodeType: 'block', content: 'needs it', offset: 2, refs: ['gone'] }
    const core = { id: 'core', nodeType: 'cont', offset: 0, children: [] }
    const segment = { id: 'seg', nodeType: 'seg', children: [core, emptied, other, note] }
    const ctx = importSnapshot({ cycle: 3, root: { children: [{ id: 'seq', nodeType: '^seq', children: [segment] }] } })
    turn(ctx)
    turn(ctx)
    expect(ctx.node('z1')).toBeDefined()
    // The stand-in of the other one comes before z1, so that it is what the note means.
    expect(ctx.replace("[id='z2']", { content: 'newer' }).map(({ id }) => id < 'z1')).toEqual([true])
    turn(ctx)
    expect(ctx.node('z1')).toBeUndefined()
  })

  it('looks again at one that was filled and emptied once more', () => {
    const { ctx, ids } = emptyBoxes(20)
    const { id } = ctx.insert({ content: 'again' }, { parent: ids[3]! })
    turn(ctx)
    ctx.delete('#note')
    turn(ctx)
    expect(ids.filter((each) => ctx.node(each) !== undefined)).toEqual([ids[3]])
    ctx.update(`[id='${id}']`, { ttl: 0 })
    turn(ctx)
    expect(ctx.node(ids[3]!)).toBeUndefined()
  })

  it('sees a container that was filled and emptied within one cycle, and that never held anything before', () => {
    const ctx = createContext({ clock: () => 1n })
    const { id } = ctx.add(undefined, { zone: 'post', removable: true, children: [] })
    turn(ctx)
    turn(ctx)
    expect(ctx.node(id)?.children).toEqual([])
    const inside = ctx.insert({ content: 'for a moment' }, { parent: id })
    ctx.delete(`[id='${inside.id}']`)
    turn(ctx)
    expect(ctx.node(id)).toBeUndefined()
    expect(ctx.diffDetailed('@t-1', '@t0').removed.map(({ cause }) => cause)).toEqual(['edited'])
  })

  it('looks at what pruning has freed, and at nothing else that waits (G6)', () => {
    const { ctx, ids } = emptyBoxes(200, { prune: { maxNodes: 215, protectSegments: 1 } })
    ctx.post('another that needs one', { refs: [ids[0]!], priority: 5 })
    turn(ctx)
    expect(lookedAtBy(() => turn(ctx))).toBe(0)
    expect(ctx.snapshot().receipt.removed).toEqual([])
    for (let i = 0; i < 3; i++) ctx.post('more', { priority: 9, pinned: true })
    ctx.commit()
    // The note was the first to go, and with it all boxes but the one that something else needs.
    expect(ids.filter((id) => ctx.node(id) !== undefined)).toEqual([ids[0]])
  })

  it('looks at all of them once in an import and in a fork', () => {
    const { ctx } = emptyBoxes(30)
    turn(ctx)
    const others = [ctx.fork('@t0'), ctx.fork('working'), importSnapshot(ctx.export('@t0'), { clock: () => 1n })]
    for (const other of others) {
      expect(lookedAtBy(() => turn(other))).toBe(2 * 30)
      expect(lookedAtBy(() => turn(other))).toBe(0)
    }
  })

  test.each([10, 300])('looks at what a turn has touched and none of %i empty segments that wait (D55)', (count) => {
    const ctx = createContext({ clock: () => 1n, emptySegments: 'remove' })
    for (let i = 0; i < count; i++) {
      ctx.user('brief', { ttl: 1 })
      const segment = ctx.commit().root.children[1]!.children.at(-1)!
      if (i % 2 === 0) ctx.hold(segment.children[0]!.id)
      else ctx.post('needs it', { refs: [segment.id] })
    }
    turn(ctx)
    turn(ctx)
    const held = ctx.snapshot().root.children[1]!.children.filter((each) => each.children[0]!.children.length === 0)
    expect(held.length).toBeGreaterThan(count / 3)
    expect(lookedAtBy(() => turn(ctx))).toBeLessThan(6)
  })
})
