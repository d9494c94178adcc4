// What one more snapshot keeps alive when every snapshot is kept, whatever came before it.

import { buildContext, commitTurn } from '../engine.mjs'
import { assertWork, atMost, bytesInUse, line, single } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeText, plainTree, plainTurn } from '../turns.mjs'

const KB = 1024
const ROW = 'heap kept per snapshot'
// The next thousand may or may not see a table double; the average over the whole life has its share of every doubling.
const ROLES = ['system', 'user', 'assistant', 'system']
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

  const plainHeap = await heapPerLength(10_000, 1_000)

  const ours = new Map()
  for (const turns of engine ? OURS : []) ours.set(turns, await heapPerSnapshot(engine, turns, 1_000))
  const goal = atMost(4 * KB, 'bytes')
  const compare = (turns, peer, theirs) =>
    line({
      row: `${ROW} at ${formatCount(turns)} turns`,
      peer,
      theirs,
      ours: ours.get(turns)?.next,
      unit: 'bytes',
      goal,
    })
  return [
    compare(1_000),
    compare(10_000, peerName('mutative'), mutativeHeap),
    compare(10_000, peerName('immer'), immerHeap),
    compare(10_000, 'an array of messages, and its length', plainHeap),
    compare(150_000),
    ...OURS.map((turns) =>
      line({
        row: `${ROW}, average of ${formatCount(turns + 1_000)}`,
        ours: ours.get(turns)?.all,
        unit: 'bytes',
        goal,
      }),
    ),
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

/** The least there is: messages are only ever added, and a state is how many there were. */
async function heapPerLength(turns, count) {
  const messages = []
  const push = (turn) => {
    for (const [part, content] of textsOf(turn).entries()) messages.push({ role: ROLES[part], content })
  }
  for (let turn = 1; turn <= turns; turn++) push(turn)
  const lengths = []
  const before = await bytesInUse()
  for (let i = 1; i <= count; i++) {
    push(turns + i)
    lengths.push(messages.length)
  }
  const bytes = (await bytesInUse()) - before
  assertWork(lengths.at(-1) === 4 * (turns + count) && messages.length === lengths.at(-1), 'every state is kept')
  return single(bytes / count)
}

async function heapPerSnapshot(engine, turns, count) {
  const start = await bytesInUse()
  const ctx = buildContext(engine, turns)
  const snapshots = []
  const before = await bytesInUse()
  for (let i = 0; i < count; i++) snapshots.push(commitTurn(ctx, textsOf(turns + 1 + i)))
  const after = await bytesInUse()
  assertWork(
    snapshots.every((snapshot, i) => snapshot.cycle === turns + 1 + i),
    'every snapshot is kept as it was',
  )
  return { next: single((after - before) / count), all: single((after - start) / (turns + count)) }
}

function formatCount(value) {
  return value.toLocaleString('en')
}

function textsOf(cycle) {
  return [0, 1, 2, 3].map((part) => makeText(cycle, part))
}
