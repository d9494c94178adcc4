// What a long life leaves behind: nodes that wait for a reference to go, turns that a budget takes, snapshots of trees that
// were pruned, and a context that keeps only its newest snapshots.

import { commitTurn } from '../engine.mjs'
import { assertWork, bytesInUse, bytesKept, interleave, line, perCall, say, single, timesAtMost } from '../harness.mjs'
import { makeText, makeTurnTexts } from '../turns.mjs'

const WAITING = [1e3, 1e5]
const PER_TURN = 100
const BATCH = 100
const KEPT = 100

export const rows = [
  { title: 'commit with nodes that wait for a reference', run: runWaiting },
  { title: 'commit that compacts, flat from 1e3 to 1e5 nodes', run: runCompacting },
  { title: 'memory after pruning', run: runPruned },
  { title: 'a million commits with history: 100', run: runLimited, limitMs: 1_200_000 },
]

async function runWaiting({ engine, quick }) {
  if (!engine) return []
  const texts = makeTurnTexts(BATCH)
  const lines = []
  for (const count of quick ? WAITING.slice(0, 1) : WAITING) {
    // The same nodes on both sides; on one they are overdue and held.
    const [idle, waiting] = [openWaiting(engine, count, null), openWaiting(engine, count, 1)]
    assertWork(waiting.count('@t0 [ttl=0]') === count, `${count} nodes wait`)
    const sample = (ctx) => () => perCall(BATCH, (i) => commitTurn(ctx, texts[i]))
    const { theirs, ours } = await interleave(
      { theirs: sample(idle), ours: sample(waiting) },
      { rounds: quick ? 7 : 15, share: 20_000 },
    )
    const row = `commit of one turn, ${count.toLocaleString('en')} nodes waiting`
    lines.push(line({ row, peer: 'ours, none waiting', theirs, ours, unit: 'ns', goal: timesAtMost(2) }))
  }
  return lines
}

/** Turns of blocks that are all named by one more block, which stays. */
function openWaiting(engine, count, ttl) {
  const ctx = engine.createContext({ id: 'bench' })
  for (let made = 0; made < count; made += PER_TURN) {
    const refs = Array.from({ length: PER_TURN }, (_, i) => ctx.post(makeText(made, i), { ttl }).id)
    ctx.post('holds them', { refs })
    ctx.user(makeText(made, 0))
    ctx.commit()
  }
  // The last ones become overdue as well.
  for (let i = 0; i < 2; i++) ctx.commit()
  return ctx
}

/** Every commit takes a turn for the one it adds; how many stay must not matter. */
async function runCompacting({ engine, quick }) {
  if (!engine) return []
  const texts = makeTurnTexts(BATCH)
  const sizes = quick ? [1e3, 1e4] : [1e3, 1e5]
  const [small, large] = sizes.map((nodes) => openFull(engine, nodes))
  const sample = (ctx) => () => perCall(BATCH, (i) => commitTurn(ctx, texts[i]))
  const { theirs, ours } = await interleave(
    { theirs: sample(small), ours: sample(large) },
    { rounds: quick ? 7 : 15, share: 20_000 },
  )
  for (const ctx of [small, large]) {
    assertWork(
      ctx.snapshot('@t0').receipt.removed.some(({ id }) => id.startsWith('seg:')),
      'a turn was taken',
    )
  }
  const row = `commit of one turn, unit: 'turn' takes another, ${sizes[1].toLocaleString('en')} nodes`
  const peer = `ours, ${sizes[0].toLocaleString('en')} nodes`
  return [line({ row, peer, theirs, ours, unit: 'ns', goal: timesAtMost(2) })]
}

/** As many turns as a limit on nodes lets stay, of three priorities. */
function openFull(engine, nodes) {
  const ctx = engine.createContext({ id: 'bench', prune: { unit: 'turn', maxNodes: nodes } })
  for (let i = 0; ctx.cycle < 2 || ctx.snapshot('@t0').receipt.removed.length === 0; i++) {
    ctx.user(makeText(i, 0, 40), { priority: i % 3 })
    ctx.assistant(makeText(i, 1, 40), { priority: i % 3 })
    ctx.commit()
  }
  return ctx
}

/** The tree stays small, the past does not: without a limit every snapshot can still be had. */
async function runPruned({ engine, quick }) {
  if (!engine) return []
  const commits = quick ? 5_000 : 50_000
  const build = (options) => () => {
    const ctx = engine.createContext({ id: 'bench', ...options })
    addSmallTurns(ctx, commits)
    return ctx
  }
  const theirs = single((await bytesKept(build({}))) / commits)
  const ours = single((await bytesKept(build({ prune: { maxDepth: 10 } }))) / commits)
  const row = `heap kept per commit of two blocks, pruned to 10 turns, ${commits.toLocaleString('en')} commits`
  return [line({ row, peer: 'ours, not pruned', theirs, ours, unit: 'bytes' })]
}

/** What is kept must not depend on how long the context has lived. */
async function runLimited({ engine, quick }) {
  if (!engine) return []
  const commits = quick ? 100_000 : 1_000_000
  const early = commits / 10
  const row = `heap kept after ${commits.toLocaleString('en')} commits, history: ${KEPT}, pruned to 10 turns`
  const peer = `ours after ${early.toLocaleString('en')}`
  const before = await bytesInUse()
  const ctx = openLimited(engine)
  if (ctx === undefined) {
    const note = 'left out: createContext has no option "history" yet'
    say(note)
    return [line({ row, peer, unit: 'bytes', note })]
  }
  addSmallTurns(ctx, early)
  const theirs = single((await bytesInUse()) - before)
  addSmallTurns(ctx, commits - early)
  const ours = single((await bytesInUse()) - before)
  assertWork(ctx.cycle === commits + 1 && ctx.snapshots().length === KEPT, `the newest ${KEPT} are kept`)
  return [line({ row, peer, theirs, ours, unit: 'bytes', goal: timesAtMost(1.2) })]
}

function openLimited(engine) {
  try {
    return engine.createContext({ id: 'bench', history: KEPT, prune: { maxDepth: 10 } })
  } catch (error) {
    if (engine.PactError.is(error) && error.details.name === 'history') return undefined
    throw error
  }
}

function addSmallTurns(ctx, count) {
  for (let i = 0; i < count; i++) {
    ctx.user(makeText(ctx.cycle, 0, 40))
    ctx.assistant(makeText(ctx.cycle, 1, 40))
    ctx.commit()
  }
}
