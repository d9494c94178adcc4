// Queries on turns of one shape, against plain code first: a Map where we have an index, a loop where we search. css-select
// and jsonquery, which search the whole tree each time, are measured too. Cold is a meaning never asked for, of a context that
// has answered others; after a commit, a known selector on a new snapshot, with its share of the commit. For the goals see
// bench/history.md.

import { assertWork, interleave, line, perRepeatedCall, timesAtMost, timesBetter } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import {
  CSS,
  formatPower,
  loadCss,
  LOOP,
  openAskedPair,
  openContext,
  openPlain,
  sampleAfterTurn,
  sampleCold,
  sampleColdLoop,
  sampleKnown,
  sampleLoop,
  warmUp,
  warmUpCold,
} from '../queried.mjs'

const SIZES = [1e3, 1e5, 1e6]
const NODES = 1e5
const AFTER = 'first time after a commit'
const COLD = 'cold'

// `#name` is a key in this dialect; an id is asked for by its attribute. The turn is there at every size. `plain` gives
// the work of who keeps the index by hand.
const POINTS = [
  {
    name: 'query by id',
    ours: "@t0 [id='block:100-2']",
    css: "[id='block:100-2']",
    peer: 'Map.get',
    most: 15,
    plain: ({ all }) => {
      const byId = new Map(all.map((node) => [node.id, node]))
      return turning(
        Array.from({ length: 1_000 }, (_, i) => all[i * 97].id),
        (id) => byId.get(id),
      )
    },
    matches: () => 1,
  },
  ...['d1 .block', '^seq .seg:depth(1) .block'].map((text) => ({
    name: `query for the last turn, ${text}`,
    ours: `@t0 ${text}`,
    css: 'seg:last-child block',
    peer: 'a loop over the last turn',
    most: 8,
    plain:
      ({ all }) =>
      () =>
        loopLastTurn(all),
    matches: () => 4,
  })),
  {
    name: 'query without a match',
    ours: '@t0 .nothing',
    css: 'nothing',
    peer: 'Map.get of a type',
    most: 100,
    plain: ({ all }) => {
      const byType = new Map()
      for (const node of all) {
        const nodes = byType.get(node.nodeType)
        if (nodes) nodes.push(node)
        else byType.set(node.nodeType, [node])
      }
      return turning(['nothing', 'nobody', 'never', 'nowhere'], (type) => byType.get(type))
    },
    matches: () => 0,
  },
]
const RARE = {
  name: 'query for a rare type (1 in 10,000)',
  headers: (turn, part) => (part === 0 && turn % 2_500 === 0 ? { nodeType: 'block:summary' } : undefined),
  ours: '@t0 .block:summary',
  css: 'block\\:summary',
  loop: loopRare,
  cold: (n) => `@t0 .block:summary[content!='q${n}']`,
  coldLoop(all, n) {
    const found = []
    for (const node of all) if (node.nodeType === 'block:summary' && node.content !== `q${n}`) found.push(node.id)
    return found
  },
  matches: (turns) => Math.floor(turns / 2_500),
}

const ATTRIBUTE = {
  name: 'query by type + attribute, 1/6 match',
  ours: "@t0 .block[role='assistant']",
  css: "block[role='assistant']",
  loop: loopAttribute,
  cold: (n) => `@t0 .block[role='assistant'][content!='q${n}']`,
  coldLoop(all, n) {
    const value = `q${n}`
    const found = []
    for (const node of all) {
      if (node.nodeType === 'block' && node.role === 'assistant' && node.content !== value) found.push(node.id)
    }
    return found
  },
  matches: (turns) => turns,
}

const CHAIN = {
  name: 'query by chain, 1/3 match',
  ours: '@t0 ^seq .seg > .cont > .block',
  css: 'seq seg > cont > block',
  loop: loopChain,
  cold: (n) => `@t0 ^seq .seg > .cont > .block[content!='q${n}']`,
  coldLoop(all, n) {
    const value = `q${n}`
    const found = []
    for (const node of all) {
      const { parent } = node
      if (node.nodeType !== 'block' || node.content === value) continue
      if (parent.nodeType === 'cont' && parent.parent.nodeType === 'seg') found.push(node.id)
    }
    return found
  },
  matches: (turns) => 2 * turns,
}

const NUMERIC = {
  name: 'query by numeric comparison, 1/3 match',
  headers: (turn, part) => ({ priority: (turn * 4 + part) % 10 }),
  ours: '@t0 .block[priority>=5]',
  json: 'filter(.nodeType == "block" and .priority >= 5)',
  loop: loopNumeric,
  // Another bound each time, with nothing between it and the one before.
  cold: (n) => `@t0 .block[priority>${between(n)}]`,
  coldLoop(all, n) {
    const bound = between(n)
    const found = []
    for (const node of all) if (node.nodeType === 'block' && node.priority > bound) found.push(node.id)
    return found
  },
  // Blocks are numbered from 4; of ten in a row, the last five match.
  matches: (turns) => countHigh(4 * turns + 4) - countHigh(4),
}

export const rows = [
  ...POINTS.map((query) => ({ title: `${query.name}, 1e3 to 1e6 nodes`, run: (options) => runPoint(query, options) })),
  { title: 'query for a rare type, 1e5 nodes', run: runRare },
  { title: 'query by type + attribute, and by chain, 1e5 nodes', run: runShares },
  { title: 'query by numeric comparison, 1e5 nodes', run: runNumeric },
]

async function runPoint(query, { engine, quick }) {
  const css = await loadCss()
  if (engine) warmUp(engine, query)
  const work = query.plain(openPlain(NODES))
  const contenders = { plain: () => samplePlain(work, query.matches() > 0), css: css?.(query, openPlain(NODES)) }
  // Two contexts of a million nodes take half a minute to make.
  const sizes = quick ? SIZES.slice(0, -1) : SIZES
  for (const nodes of sizes) {
    contenders[`ours ${nodes}`] = engine && sampleKnown(query, openAskedPair(engine, nodes))
  }
  const results = await interleave(contenders, { rounds: quick ? 7 : 21, share: quick ? 500 : 1_500 })
  return comparePoint(query, results, sizes)
}

/** Every answer is looked at, or the compiler would leave out the work. */
function samplePlain(work, isThere) {
  let asked = 0
  let found = 0
  const figure = perRepeatedCall(5, () => {
    asked++
    if (work() !== undefined) found++
  })
  assertWork(found === (isThere ? asked : 0), 'every value was looked up')
  return figure
}

/** Asks for one value after another: of the same one again and again, the compiler would keep the answer. */
function turning(values, work) {
  let at = 0
  return () => work(values[at++ % values.length])
}

function comparePoint({ name, peer, most }, results, sizes) {
  const [smallest, largest] = [sizes[0], sizes.at(-1)]
  const compare = (nodes, rival, theirs, goal) => {
    const row = `${name}, ${formatPower(nodes)} nodes: ${AFTER}`
    return line({ row, peer: rival, theirs, ours: results[`ours ${nodes}`], unit: 'ns', goal })
  }
  return [
    compare(NODES, peer, results.plain, timesAtMost(most)),
    compare(NODES, CSS, results.css),
    compare(largest, `ours at ${formatPower(smallest)} nodes`, results[`ours ${smallest}`], timesAtMost(2)),
  ]
}

function runRare(options) {
  return runScan(RARE, options, { after: timesBetter(2_000) })
}

async function runShares(options) {
  return [
    ...(await runScan(ATTRIBUTE, options, { after: timesBetter(25) })),
    ...(await runScan(CHAIN, options, { after: timesBetter(12) })),
  ]
}

async function runNumeric(options) {
  const jsonquery = await loadPeer(() => import('@jsonquerylang/jsonquery'))
  const goals = { cold: timesBetter(5), after: timesBetter(15) }
  const name = `${peerName('@jsonquerylang/jsonquery')}, compiled`
  const sample = jsonquery && ((query, plain) => sampleJson(jsonquery, plain))
  return runScan(NUMERIC, options, goals, { name, sample })
}

/** A query that finds many nodes, or has to look at many, in both states, against the peer and the loop. */
async function runScan(query, { engine, quick }, goals, peer) {
  const plain = openPlain(NODES, query.headers)
  const context = engine && openContext(engine, NODES, query.headers)
  if (engine) {
    warmUp(engine, query, 1_000)
    warmUpCold(engine, query)
  }
  const rival = peer ?? { name: CSS, sample: await loadCss() }
  const results = await interleave(
    {
      theirs: rival.sample?.(query, plain),
      loop: sampleLoop(query, plain),
      coldLoop: sampleColdLoop(query, plain),
      cold: context && sampleCold(query, context),
      after: engine && sampleKnown(query, openAskedPair(engine, NODES, query.headers)),
    },
    { rounds: quick ? 7 : 31, warmup: 4, share: quick ? 800 : 2_500 },
  )
  const compare = (state, name, theirs, ours, goal) =>
    line({ row: `${query.name}: ${state}`, peer: name, theirs, ours, unit: 'ns', goal })
  return [
    compare(COLD, LOOP, results.coldLoop, results.cold, timesBetter(1)),
    compare(COLD, rival.name, results.theirs, results.cold, goals.cold),
    compare(AFTER, rival.name, results.theirs, results.after, goals.after),
    compare(AFTER, LOOP, results.loop, results.after),
    compare(`${AFTER}, with its whole turn`, `push and ${LOOP}`, results.loop?.whole, results.after?.whole),
  ]
}

function sampleJson({ compile, parse }, plain) {
  return sampleAfterTurn(plain, () => plain.all, compile(parse(NUMERIC.json)), NUMERIC.matches)
}

/** A number between 4 and 5, another one each time. */
function between(n) {
  return Number((4.5 + n / 1e6).toFixed(6))
}

/** The count of numbers below `end` whose last digit is five or more. */
function countHigh(end) {
  return Math.floor(end / 10) * 5 + Math.max(0, (end % 10) - 5)
}

// Each loop is written out, as one would by hand: a test passed to a common loop would cost a call per node.

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
