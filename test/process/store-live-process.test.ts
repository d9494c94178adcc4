// The promises of `npm run soak` about a store that many use at once, short. The laws of each are in test/stores/store-fsck-live.test.ts,
// test/stores/store-loads-laws.test.ts, test/stores/store-keys-laws.test.ts, test/server/server-load.test.ts and test/stores/store-move-laws.test.ts.

import { expect, it } from 'vitest'

import {
  fsckAmongWriters,
  keepContextsOpen,
  loadAmongWriters,
  moveFamilies,
  retryAtTwoServers,
} from '../../scripts/soak/store/live.mjs'

const SETTINGS = { seed: 1, deadline: Infinity }

it.each([
  ['fsck next to writers finds nothing wrong', () => fsckAmongWriters({ rounds: 4, ...SETTINGS })],
  ['loads among writers show one state', () => loadAmongWriters({ rounds: 8, ...SETTINGS })],
  ['a request with a key at two servers is committed once', () => retryAtTwoServers({ requests: 8, ...SETTINGS })],
  ['contexts in use on a server stay open', () => keepContextsOpen({ contexts: 16, ...SETTINGS })],
  ['nothing is lost when a family is moved', () => moveFamilies({ moves: 4, ...SETTINGS })],
])('%s', async (_name, play) => {
  expect((await play()).failures).toEqual([])
})
