// Queries against css-select, jsonquery and a plain loop. Three states of ours are told apart: cold is a text never seen
// before, on a context that has been asked other things, also of the same meaning (what was found for those may serve);
// the first time after a commit, a known selector on a new snapshot; repeated, a known selector on the same snapshot. To
// the peers these are all the same.

import { atMost, both, interleave, line, timesAtMost, timesBetter } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import {
  CSS,
  formatPower,
  loadCss,
  LOOP,
  openContext,
  openPlain,
  sampleAfterCommit,
  sampleAfterTurn,
  sampleAgain,
  sampleCold,
  sampleLoop,
  warmUp,
  warmUpCold,
} from '../queried.mjs'

const SIZES = [1e3, 1e5, 1e6]
const NODES = 1e5
const AFTER = 'first time after a commit'
const COLD = 'cold'
const AGAIN = 'repeated'

// `#name` is a key in this dialect; an id is asked for by its attribute. The turn is there at every size.
const POINTS = [
  {
    name: 'query by id',
    ours: "@t0 [id='block:100-2']",
    css: "[id='block:100-2']",
    loop: loopId,
    matches: () => 1,
  },
  ...['d1 .block', '^seq .seg:depth(1) .block'].map((text) => ({
    name: `query for the last turn, ${text}`,
    ours: `@t0 ${text}`,
    css: 'seg:last-child block',
    loop: loopLastTurn,
    matches: () => 4,
  })),
  {
    name: 'query without a match',
    ours: '@t0 .nothing',
    css: 'nothing',
    loop: loopNothing,
    matches: () => 0,
  },
]

const RARE = {
  name: 'query for a rare type (1 in 10,000)',
  headers: (turn, part) => (part === 0 && turn % 2_500 === 0 ? { nodeType: 'block:summary' } : undefined),
  ours: '@t0 .block:summary',
  css: 'block\\:summary',
  loop: loopRare,
  matches: (turns) => Math.floor(turns / 2_500),
}

const ATTRIBUTE = {
  name: 'query by type + attribute, 1/6 match',
  ours: "@t0 .block[role='assistant']",
  css: "block[role='assistant']",
  loop: loopAttribute,
  matches: (turns) => turns,
}

const CHAIN = {
  name: 'query by chain, 1/3 match',
  ours: '@t0 ^seq .seg > .cont > .block',
  css: 'seq seg > cont > block',
  loop: loopChain,
  matches: (turns) => 2 * turns,
}

const NUMERIC = {
  name: 'query by numeric comparison, 1/3 match',
  headers: (turn, part) => ({ priority: (turn * 4 + part) % 10 }),
  ours: '@t0 .block[priority>=5]',
  json: 'filter(.nodeType == "block" and .priority >= 5)',
  loop: loopNumeric,
  // Blocks are numbered from 4; of ten in a row, the last five match.
  matches: (turns) => countHigh(4 * turns + 4) - countHigh(4),
}

export const rows = [
  { title: 'query by id, last turn, no match; 1e3, 1e5, 1e6 nodes', run: runPoints },
  { title: 'query for a rare type, 1e5 nodes', run: runRare },
  { title: 'query by type + attribute, and by chain, 1e5 nodes', run: runShares },
  { title: 'query by numeric comparison, 1e5 nodes', run: runNumeric },
]

async function runPoints({ engine, quick }) {
  const css = await loadCss()
  const contexts = engine && new Map(SIZES.map((nodes) => [nodes, openContext(engine, nodes)]))
  // A quick run leaves out css-select over a million nodes.
  const trees = new Map((quick ? SIZES.slice(0, 2) : SIZES).map((nodes) => [nodes, openPlain(nodes)]))
  const lines = []
  for (const query of POINTS) {
    if (engine) warmUp(engine, query)
    const contenders = { loop: sampleLoop(query, trees.get(NODES)) }
    for (const nodes of SIZES) {
      const context = contexts?.get(nodes)
      contenders[`after ${nodes}`] = context && sampleAfterCommit(query, context)
      contenders[`again ${nodes}`] = context && sampleAgain(query, context)
      contenders[`css ${nodes}`] = trees.has(nodes) ? css?.(query, trees.get(nodes)) : undefined
    }
    const results = await interleave(contenders, { rounds: quick ? 7 : 21, share: quick ? 250 : 1_000 })
    lines.push(...comparePoint(query, results, [...trees.keys()]))
  }
  return lines
}

function comparePoint({ name }, results, sizes) {
  const short = atMost(1_000, 'ns')
  const [smallest, largest] = [SIZES[0], SIZES.at(-1)]
  const compare = (state, nodes, peer, theirs, goal) => {
    const ours = results[`${state === AFTER ? 'after' : 'again'} ${nodes}`]
    const row = `${name}, ${formatPower(nodes)} nodes: ${state}`
    return line({ row, peer, theirs, ours, unit: 'ns', goal })
  }
  const compareGrowth = (state, key) =>
    compare(
      state,
      largest,
      `ours at ${formatPower(smallest)} nodes`,
      results[`${key} ${smallest}`],
      both(timesAtMost(2), short),
    )
  const large = both(timesBetter(10_000), short)
  return [
    ...sizes.map((nodes) => compare(AFTER, nodes, CSS, results[`css ${nodes}`], nodes === NODES ? large : short)),
    compare(AFTER, NODES, LOOP, results.loop),
    compareGrowth(AFTER, 'after'),
    compare(AGAIN, NODES, CSS, results[`css ${NODES}`], large),
    compareGrowth(AGAIN, 'again'),
  ]
}

function runRare(options) {
  return runScan(RARE, options, { cold: timesBetter(2_000), after: timesBetter(2_000) })
}

async function runShares(options) {
  const subjects = openSubjects(options, undefined)
  return [
    ...(await runScan(ATTRIBUTE, options, { cold: timesBetter(20), after: timesBetter(40) }, subjects)),
    ...(await runScan(CHAIN, options, { cold: timesBetter(10), after: timesBetter(30) }, subjects)),
  ]
}

async function runNumeric(options) {
  const jsonquery = await loadPeer(() => import('@jsonquerylang/jsonquery'))
  const subjects = openSubjects(options, NUMERIC.headers)
  const goal = timesBetter(15)
  const peer = { name: `${peerName('@jsonquerylang/jsonquery')}, compiled`, sample: undefined }
  if (jsonquery) peer.sample = sampleJson(jsonquery, subjects.plain)
  return runScan(NUMERIC, options, { cold: goal, after: goal }, subjects, peer)
}

function openSubjects({ engine }, headers) {
  return { context: engine && openContext(engine, NODES, headers), plain: openPlain(NODES, headers) }
}

/** A query that finds many nodes, or has to look at many, in both states, against the peer and the loop. */
async function runScan(query, options, goals, subjects = openSubjects(options, query.headers), peer) {
  const { engine, quick } = options
  const { context, plain } = subjects
  if (engine) {
    warmUp(engine, query, 1_000)
    warmUpCold(engine, query)
  }
  const rival = peer ?? { name: CSS, sample: (await loadCss())?.(query, plain) }
  const results = await interleave(
    {
      theirs: rival.sample,
      loop: sampleLoop(query, plain),
      cold: context && sampleCold(query, context),
      after: context && sampleAfterCommit(query, context),
    },
    { rounds: quick ? 7 : 31, warmup: 6, share: quick ? 400 : 2_000 },
  )
  const compare = (state, name, theirs, ours, goal) =>
    line({ row: `${query.name}: ${state}`, peer: name, theirs, ours, unit: 'ns', goal })
  return [
    compare(COLD, rival.name, results.theirs, results.cold, goals.cold),
    compare(AFTER, rival.name, results.theirs, results.after, goals.after),
    compare(COLD, LOOP, results.loop, results.cold),
    compare(AFTER, LOOP, results.loop, results.after),
  ]
}

function sampleJson({ compile, parse }, plain) {
  return sampleAfterTurn(plain, () => plain.all, compile(parse(NUMERIC.json)), NUMERIC.matches)
}

/** How many numbers below `end` have a last digit of five or more. */
function countHigh(end) {
  return Math.floor(end / 10) * 5 + Math.max(0, (end % 10) - 5)
}

// Each loop is written out, as one would by hand: a test passed to a common loop would cost a call per node.

function loopId(all) {
  const found = []
  for (const node of all) if (node.id === 'block:100-2') found.push(node.id)
  return found
}

function loopNothing(all) {
  const found = []
  for (const node of all) if (node.nodeType === 'nothing') found.push(node.id)
  return found
}

function loopLastTurn(all) {
  const found = []
  const last = all.at(-1).parent
  for (let i = all.length - 1; all[i] !== last; i--) if (all[i].nodeType === 'block') found.push(all[i].id)
  return found.reverse()
}

function loopRare(all) {
  const found = []
  for (const node of all) if (node.nodeType === 'block:summary') found.push(node.id)
  return found
}

function loopAttribute(all) {
  const found = []
  for (const node of all) if (node.nodeType === 'block' && node.role === 'assistant') found.push(node.id)
  return found
}

function loopChain(all) {
  const found = []
  for (const node of all) {
    if (node.nodeType === 'block' && node.parent.nodeType === 'cont' && node.parent.parent.nodeType === 'seg') {
      found.push(node.id)
    }
  }
  return found
}

function loopNumeric(all) {
  const found = []
  for (const node of all) if (node.nodeType === 'block' && node.priority >= 5) found.push(node.id)
  return found
}
