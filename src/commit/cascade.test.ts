// Emptied containers (02 §5.3, D26): which go, when, and in whose wake.

import { describe, expect, it } from 'vitest'

import { createContext, type Context, type NodeSpec } from '../index.js'

describe('the cascade', () => {
  it('goes up through any number of containers in one commit, as far as they are removable (D26)', () => {
    const ctx = createContext()
    let spec: NodeSpec = { content: 'last', ttl: 0 }
    for (let depth = 0; depth < 60; depth++) spec = { removable: depth !== 40, children: [spec] }
    const { id } = ctx.add(undefined, spec)
    ctx.commit()
    // 19 containers hold the one that is not removable.
    expect(depthBelow(ctx, id)).toBe(20)
  })

  it('waits for a reference and goes at the commit at which that ends (D26)', () => {
    const ctx = createContext()
    const { id } = ctx.add(undefined, { removable: true, children: [{ content: 'x', ttl: 0 }] })
    ctx.post('needs it', { ttl: 2, refs: [id] })
    expect([ctx.commit(), ctx.commit(), ctx.commit()].map((snapshot) => snapshot.node(id)?.children.length)).toEqual([
      0,
      0,
      undefined,
    ])
  })

  it('waits for a hold, and goes with the next commit after its release (D26)', () => {
    const ctx = createContext()
    const { id } = ctx.add(undefined, { removable: true, children: [{ content: 'x', ttl: 0 }] })
    const holds = [ctx.hold(id), ctx.hold(id)]
    expect(ctx.commit().node(id)).toBeDefined()
    holds[0]!.release()
    holds[0]!.release()
    expect(ctx.commit().node(id)).toBeDefined()
    holds[1]!.release()
    expect(ctx.commit().node(id)).toBeUndefined()
  })

  it('is not stopped by a container that refers to itself, or to another that goes, and so on (D26)', () => {
    for (const step of [1, -1]) {
      const ctx = createContext()
      const ids = Array.from({ length: 9 }, (_, i) => `cont:1-${2 * i + 1}`)
      for (const [i, id] of ids.entries()) {
        const refs = [id, ...(ids[i + step] === undefined ? [] : [ids[i + step]!])]
        ctx.add(undefined, { removable: true, refs, children: [{ content: 'x', ttl: 0 }] })
      }
      const snapshot = ctx.commit()
      expect(ids.filter((id) => snapshot.node(id) !== undefined)).toEqual([])
    }
  })

  it('leaves containers that refer to each other: something live refers to each (D26)', () => {
    const ctx = createContext()
    const [a, b] = ['cont:1-1', 'cont:1-3']
    ctx.add(undefined, { removable: true, refs: [b], children: [{ content: 'x', ttl: 0 }] })
    ctx.add(undefined, { removable: true, refs: [a], children: [{ content: 'x', ttl: 0 }] })
    const snapshot = ctx.commit()
    expect([a, b].map((id) => snapshot.node(id)?.children.length)).toEqual([0, 0])
  })

  it('takes containers in any region, but no core, no segment, and none that never held a node (D26)', () => {
    const ctx = createContext()
    const spec = { removable: true, children: [{ content: 'x', ttl: 0 }] }
    const gone = [ctx.system.add(undefined, spec), ctx.add(undefined, { zone: 'pre', ...spec })]
    const never = ctx.add(undefined, { zone: 'post', removable: true, children: [] })
    ctx.user('the core is empty afterwards', { ttl: 0 })
    const snapshot = ctx.commit()
    expect(gone.map(({ id }) => snapshot.node(id))).toEqual([undefined, undefined])
    expect(snapshot.node(never.id)?.children).toEqual([])
    const [segment] = snapshot.root.children[1]!.children
    expect(segment?.children.map((child) => [child.offset, child.children.length])).toEqual([
      [0, 0],
      [1, 0],
    ])
  })

  it('takes what pruning empties too, and says so in the receipt (D26, D27)', () => {
    const ctx = createContext({ prune: { maxNodes: 11, protectSegments: 0 } })
    const { id } = ctx.add(undefined, { removable: true, children: [{ content: 'old' }] })
    ctx.user('also old', { pinned: true })
    ctx.commit()
    ctx.user('new', { pinned: true })
    const { receipt } = ctx.commit()
    expect(receipt.removed.map((each) => [each.id, each.rule])).toEqual([
      ['cont:1-1', 'maxNodes'],
      ['block:1-2', 'maxNodes'],
    ])
    expect(id).toBe('cont:1-1')
  })
})

function depthBelow(ctx: Context, id: string): number {
  let depth = 0
  for (let node = ctx.node(id); node !== undefined; node = node.children[0]) depth++
  return depth
}
