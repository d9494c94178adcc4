// Opening a context with a long past, and going far back in it. The peer reads what was written and parses it, as a program does that
// keeps its turns as rows of JSON; its connection is open before the clock runs, and ours is not.

import { assertWork, interleave, line, perAsyncCall, say, timesAtMost } from '../harness.mjs'
import { PLACES } from '../places.mjs'
import { commitStored } from '../stores.mjs'
import { makeTurnTexts, plainTurn } from '../turns.mjs'

const LONG = 100_000
const QUICK = 10_000
const SHORT = 1_000
/** What is asked first, and what makes every leaf be read. */
const LAST = "@t0 ^seq .seg:depth(1) .block[role='user']"
const ALL = "@t0 .block[role='user']"

export const rows = Object.entries(PLACES).flatMap(([name, inPlace]) => [
  {
    title: `open a context of 100,000 commits, ${name}`,
    run: ({ quick }) => inPlace((place) => measureOpen(name, place, quick)),
  },
  { title: `load an old snapshot, ${name}`, run: ({ quick }) => inPlace((place) => measureOld(name, place, quick)) },
])

async function measureOpen(name, place, quick) {
  const commits = quick ? QUICK : LONG
  await grow(place, 'long', commits)
  const raw = await place.writeRaw(rawTurns(commits))
  const results = await interleave(
    {
      raw: () =>
        perAsyncCall(1, async () => assertWork((await raw.read()).length === commits, 'all raw rows are read')),
      last: () => openAndAsk(place, LAST, 1),
      all: () => openAndAsk(place, ALL, commits),
    },
    { rounds: quick ? 5 : 7, warmup: 1, share: 60_000 },
  )
  await raw.close()
  const row = `${name}: open ${commits.toLocaleString('en')} commits and answer`
  const peer = 'reading the rows of raw JSON, JSON.parse'
  const goal = timesAtMost(0.5)
  return [
    line({ row: `${row} the last turn`, peer, theirs: results.raw, ours: results.last, unit: 'ns', goal }),
    line({ row: `${row} a search of all turns`, peer, theirs: results.raw, ours: results.all, unit: 'ns' }),
  ]
}

/** Nanoseconds from a closed store to an answer; closing is not counted. */
async function openAndAsk(place, selector, found) {
  let store
  const time = await perAsyncCall(1, async () => {
    store = await place.openStore('long')
    const ctx = await store.open('bench')
    assertWork(ctx.select(selector).length === found, `${selector} finds ${found}`)
  })
  await store.close()
  return time
}

async function measureOld(name, place, quick) {
  const commits = quick ? QUICK : LONG
  await grow(place, 'short', SHORT)
  await grow(place, 'long', commits)
  const stores = { short: await place.openStore('short'), long: await place.openStore('long') }
  const results = await interleave(
    { short: (number) => loadOld(stores.short, number), long: (number) => loadOld(stores.long, number) },
    { rounds: quick ? 7 : 15, share: 60_000 },
  )
  await stores.short.close()
  await stores.long.close()
  return [
    line({
      row: `${name}: load a snapshot of some 600 turns, of ${commits.toLocaleString('en')} commits`,
      peer: `ours, of ${SHORT.toLocaleString('en')} commits`,
      theirs: results.short,
      ours: results.long,
      unit: 'ns',
      goal: timesAtMost(2),
    }),
  ]
}

/** The same cycles in both, far below what `open` loads; a context that has loaded none before. */
async function loadOld(store, number) {
  const cycle = 512 + ((number * 37) % 200)
  const ctx = await store.open('bench')
  return perAsyncCall(1, async () => {
    await ctx.loadHistory(`@c${cycle}`)
    assertWork(ctx.thread(`@c${cycle}`).length === 4 * cycle, `the snapshot of cycle ${cycle} is read`)
  })
}

/** A store with a context of so many turns, each its own commit. */
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
