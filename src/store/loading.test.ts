import { MemoryRows, Store } from 'pact-context/store'
import { expect, test } from 'vitest'

import { loadContext } from './loading.js'

test.each([1, 2])(
  'a load that plays thinned cycles holds %i snapshots at a time, and not all of them',
  async (history) => {
    const rows = new MemoryRows()
    const store = new Store(rows)
    const ctx = await store.open('main')
    for (let n = 1; n <= 40; n++) {
      ctx.user(`turn ${n}`)
      await ctx.commit()
    }
    await store.retain('main', { keep: { newest: 2 } })
    const row = (await rows.find('main'))!
    // Without a manifest all rows are played.
    await rows.dropDerived(row.family)
    const held: number[] = []
    const { parts } = await loadContext(
      rows,
      row,
      history,
      {},
      {
        isBacked: true,
        onReplayed: ({ timeline: { bounds } }) =>
          void held.push(bounds === undefined ? 0 : bounds.newest - bounds.oldest + 1),
      },
    )
    expect(held.length).toBe(41)
    expect(Math.max(...held.slice(0, -3))).toBe(history)
    // Two snapshots are left of all.
    expect(parts.timeline.thinned.upTo(40).size).toBe(38)
    await store.close()
  },
)
