// kill -9 at any moment: an acknowledged commit of an SQLite store survives, and no snapshot is torn. The same run is longer in
// `npm run soak -- --kills 1000`.

import { expect, it } from 'vitest'

import { killWriters } from '../../scripts/soak/store/kills.mjs'
import { otherNode } from '../../scripts/soak/store/other-node.mjs'
import { raceWriters } from '../../scripts/soak/store/writers.mjs'

it('loses nothing that was acknowledged and tears nothing, 50 of 50', async () => {
  const { failures, kills, acknowledged, packs, drafts } = await killWriters({ kills: 50 })
  expect(failures).toEqual([])
  expect(kills).toBe(50)
  expect(acknowledged).toBeGreaterThan(40)
  expect(drafts, 'killed with a draft').toBeGreaterThan(0)
  expect(packs, 'rows were packed meanwhile').toBeGreaterThan(0)
})

const { node, why } = otherNode()

it.skipIf(node === undefined)(
  `holds with Node's own SQLite as well${why === undefined ? '' : ` (skipped: ${why})`}`,
  async () => {
    const killed = await killWriters({ kills: 8, node })
    expect(killed.failures).toEqual([])
    const raced = await raceWriters({ processes: 4, commits: 5, node })
    expect(raced.failures).toEqual([])
  },
  180_000,
)
