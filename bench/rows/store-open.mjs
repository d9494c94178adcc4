// Opening a context with a long history and answering one question. The peer reads and parses rows of JSON, as a program does that keeps its
// turns in a table; its connection is open before the clock starts, ours is not.

import { assertWork, interleave, line, perAsyncCall, say, timesAtMost } from '../harness.mjs'
import { PLACES } from '../places.mjs'
import { commitStored } from '../stores.mjs'
import { makeTurnTexts, plainTurn } from '../turns.mjs'

const LONG = 100_000
const QUICK = 10_000
const LAST = "@t0 ^seq .seg:depth(1) .block[role='user']"

export const rows = Object.entries(PLACES).map(([name, inPlace]) => ({
  title: `open a context of 100,000 commits, ${name}`,
  run: ({ quick }) => inPlace((place) => measureOpen(name, place, quick)),
}))

async function measureOpen(name, place, quick) {
  const commits = quick ? QUICK : LONG
  await grow(place, 'long', commits)
  const raw = await place.writeRaw(rawTurns(commits))
  const results = await interleave(
    {
      raw: () =>
        perAsyncCall(1, async () => assertWork((await raw.read()).length === commits, 'all raw rows are read')),
      last: () => openAndAsk(place),
    },
    { rounds: quick ? 5 : 7, warmup: 1, share: 60_000 },
  )
  await raw.close()
  const row = `${name}: open ${commits.toLocaleString('en')} commits and answer`
  const peer = 'reading the rows of raw JSON, JSON.parse'
  const goal = timesAtMost(0.5)
  return [line({ row: `${row} the last turn`, peer, theirs: results.raw, ours: results.last, unit: 'ns', goal })]
}

/** Nanoseconds from a closed store to an answer; closing is not counted. */
async function openAndAsk(place) {
  let store
  const time = await perAsyncCall(1, async () => {
    store = await place.openStore('long')
    const ctx = await store.open('bench')
    assertWork(ctx.select(LAST).length === 1, 'the last turn is found')
  })
  await store.close()
  return time
}

/** Fills a store with a context of `commits` turns, one commit each. */
async function grow(place, name, commits) {
  say(`a store takes ${commits.toLocaleString('en')} commits …`)
  const store = await place.openStore(name)
  const ctx = await store.open('bench')
  for (let turn = 0; turn < commits; turn++) await commitStored(ctx, makeTurnTexts(1, turn)[0])
  assertWork(ctx.cycle === commits + 1, `there are ${commits} commits`)
  await store.close()
}

/** The same turns as JSON. */
function* rawTurns(commits) {
  for (let turn = 1; turn <= commits; turn++) yield JSON.stringify(plainTurn(turn, makeTurnTexts(1, turn)[0]))
}
