// Heap that one more snapshot keeps alive when all snapshots are kept, at several lengths of history.

import { buildContext, commitTurn } from '../engine.mjs'
import { assertWork, atMost, bytesInUse, line, single } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeText, plainTree, plainTurn } from '../turns.mjs'

const KB = 1024
const ROW = 'heap kept per snapshot'
const OURS = [1_000, 10_000, 150_000]

export const rows = [{ title: ROW, run }]

async function run({ engine, quick }) {
  const more = quick ? 100 : 200
  const [mutative, immer] = [await loadPeer(() => import('mutative')), await loadPeer(() => import('immer'))]
  const mutativeHeap =
    mutative &&
    (await heapPerState(plainTree(10_000), more, (state, turn) =>
      mutative.create(state, (draft) => {
        draft.seq.push(turn)
      }),
    ))
  const immerHeap =
    immer &&
    (await heapPerState(immer.freeze(plainTree(10_000), true), more, (state, turn) =>
      immer.produce(state, (draft) => {
        draft.seq.push(turn)
      }),
    ))

  const ours = new Map()
  for (const turns of engine ? OURS : []) ours.set(turns, await heapPerSnapshot(engine, turns, 1_000))
  const goal = atMost(6 * KB, 'bytes')
  const compare = (turns, peer, theirs) =>
    line({
      row: `${ROW} at ${formatCount(turns)} turns`,
      peer,
      theirs,
      ours: ours.get(turns),
      unit: 'bytes',
      goal,
    })
  return [
    compare(1_000),
    compare(10_000, peerName('mutative'), mutativeHeap),
    compare(10_000, peerName('immer'), immerHeap),
    compare(150_000),
  ]
}

async function heapPerState(base, count, push) {
  const states = [base]
  const before = await bytesInUse()
  for (let i = 0; i < count; i++) {
    const cycle = base.seq.length + 1 + i
    states.push(push(states.at(-1), plainTurn(cycle, textsOf(cycle))))
  }
  const bytes = (await bytesInUse()) - before
  assertWork(
    states.every((state, i) => state.seq.length === base.seq.length + i),
    'every state is kept as it was',
  )
  return single(bytes / count)
}

async function heapPerSnapshot(engine, turns, count) {
  const ctx = buildContext(engine, turns)
  const snapshots = []
  const before = await bytesInUse()
  for (let i = 0; i < count; i++) snapshots.push(commitTurn(ctx, textsOf(turns + 1 + i)))
  const after = await bytesInUse()
  assertWork(
    snapshots.every((snapshot, i) => snapshot.cycle === turns + 1 + i),
    'every snapshot is kept as it was',
  )
  return single((after - before) / count)
}

function formatCount(value) {
  return value.toLocaleString('en')
}

function textsOf(cycle) {
  return [0, 1, 2, 3].map((part) => makeText(cycle, part))
}
