// Queries against ourselves under easier conditions, and what comes before and after a query: compiling its text, and
// asking the same again.

import {
  assertWork,
  atMost,
  interleave,
  line,
  perCall,
  perPreparedCall,
  perRepeatedCall,
  timesAtMost,
} from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { checkFound, openContext, sampleAfterCommit, sampleAgain } from '../queried.mjs'
import { makeText, plainTree } from '../turns.mjs'

const NODES = 1e5
const TURNS = Math.round(NODES / 6)
const EDITS = 10

const ATTRIBUTE = {
  name: 'type + attribute',
  text: ".block[role='assistant']",
  css: "block[role='assistant']",
  perTurn: 1,
}
const CHAIN = { name: 'chain', text: '^seq .seg > .cont > .block', css: 'seg > cont > block', perTurn: 2 }

// The peer's text says the same as ours; `n` makes it a new one. `atMost` is the goal: some 2 µs of ours do not
// depend on the text, since it is also kept and asked.
const TEXTS = [
  { name: 'one type', atMost: 10, ours: (n) => `.t${n}`, css: (n) => `t${n}` },
  { name: 'type + attribute', atMost: 5, ours: (n) => `.block[role='r${n}']`, css: (n) => `block[role='r${n}']` },
  { name: 'chain', atMost: 4, ours: (n) => `.s${n} .seg > .cont > .block`, css: (n) => `s${n} seg > cont > block` },
  {
    name: 'union of chains with attributes',
    atMost: 3.5,
    ours: (n) => `.seg > .cont > .block[role='r${n}'][kind='text'], .seg .block[key='k${n}'], .note[data_x='${n}']`,
    css: (n) => `seg > cont > block[role='r${n}'][kind='text'], seg block[key='k${n}'], note[data_x='${n}']`,
  },
]

export const rows = [
  { title: 'the same query again on the same snapshot', run: runAgain },
  { title: 'the same query half-way back in history', run: runHalfWay },
  { title: 'parse and compile a selector by the public API', run: runCompile },
  { title: 'query on the working state with 10 uncommitted edits', run: runWorking },
]

async function runAgain({ engine, quick }) {
  const happy = await loadPeer(() => import('happy-dom'))
  // Neither side's hit depends on the size; a hundred thousand elements take seconds to make.
  const nodes = 1e4
  const seq = happy && openHappyDom(happy, plainTree(Math.round(nodes / 6)))
  const context = engine && openContext(engine, nodes)
  const lines = []
  for (const { name, text, css, perTurn } of [ATTRIBUTE, CHAIN]) {
    const matches = (turns) => perTurn * turns
    const { theirs, ours } = await interleave(
      {
        theirs: seq && sampleHappyDom(seq, css, matches),
        ours: context && sampleAgain({ ours: `@t0 ${text}`, matches }, context),
      },
      { rounds: quick ? 7 : 21, share: quick ? 400 : 1_500 },
    )
    const row = `the same query again, ${name}`
    const peer = `${peerName('happy-dom')}, its cache`
    lines.push(line({ row, peer, theirs, ours, unit: 'ns', goal: timesAtMost(2) }))
  }
  return lines
}

/** The same nodes as elements; the attributes are those that are asked for. */
function openHappyDom({ Window }, { seq }) {
  const { document } = new Window()
  const add = (node, parent) => {
    const element = document.createElement(node.nodeType)
    element.setAttribute('id', node.id)
    if (node.role !== undefined) element.setAttribute('role', node.role)
    for (const child of node.children ?? []) add(child, element)
    parent.appendChild(element)
  }
  const root = document.createElement('seq')
  for (const segment of seq) add(segment, root)
  document.body.appendChild(root)
  return root
}

function sampleHappyDom(seq, text, matches) {
  return () => {
    // Held meanwhile: the cache itself holds its lists weakly.
    const first = seq.querySelectorAll(text)
    let found = first
    const figure = perRepeatedCall(2, () => {
      found = seq.querySelectorAll(text)
    })
    assertWork(found === first, 'the list came from the cache')
    checkFound(found, matches, seq.children.length)
    return figure
  }
}

/** Per node of the snapshot that is asked: half-way back there are half as many. */
async function runHalfWay({ engine, quick }) {
  if (!engine) return []
  const half = Math.round(TURNS / 2)
  const context = openContext(engine, NODES)
  const lines = []
  for (const { name, text, perTurn } of [ATTRIBUTE, CHAIN]) {
    const sample = (turnsAt, makeSelector, addTurn) => () => {
      let turns = 0
      let found
      const { mean, times } = perPreparedCall({
        count: 30,
        ms: 10,
        prepare: () => {
          if (addTurn) context.addTurn()
          turns = turnsAt()
          return makeSelector(turns)
        },
        work: (selector) => {
          found = context.ctx.select(selector)
        },
      })
      checkFound(found, (count) => perTurn * count, turns)
      const nodes = turns * 6
      return { mean: mean / nodes, times: times.map((time) => time / nodes) }
    }
    let earlier = half
    let asked = 0
    const results = await interleave(
      {
        // Another meaning each time.
        now: sample(
          () => context.turns,
          () => `@t0 ${text}[content!='q${asked++}']`,
        ),
        half: sample(
          () => context.turns - half,
          () => `@t-${half} ${text}[content!='q${asked++}']`,
        ),
        // A known selector on a snapshot it has not been asked about: a new one, or an old one.
        nowFirst: sample(
          () => context.turns,
          () => `@t0 ${text}`,
          true,
        ),
        halfFirst: sample(
          () => earlier--,
          (turns) => `@c${turns} ${text}`,
        ),
      },
      { rounds: quick ? 7 : 21, share: quick ? 400 : 1_500 },
    )
    const row = (state) => `half-way back in history, ${name}, per node: ${state}`
    const compare = (state, peer, theirs, ours, goal) => line({ row: row(state), peer, theirs, ours, unit: 'ns', goal })
    lines.push(
      compare('cold', 'ours on @t0, cold', results.now, results.half, timesAtMost(2)),
      compare('another snapshot each time', 'ours on @t0 after a commit', results.nowFirst, results.halfFirst),
    )
  }
  return lines
}

/**
 * Reading alone, and all that a new text costs. The peer reads and compiles; nothing but a question compiles a text of
 * ours, so it is also kept, and asked of an empty context. Every text is a new one.
 */
async function runCompile({ engine, quick }) {
  const [css, what] = [await loadPeer(() => import('css-select')), await loadPeer(() => import('css-what'))]
  const ctx = engine?.createContext({ id: 'bench' })
  ctx?.commit()
  const rounds = quick ? 25 : 61
  const lines = []
  for (const { name, atMost: most, ours: makeOurs, css: makeCss } of TEXTS) {
    const { readTheirs, readOurs, theirs, ours } = await interleave(
      {
        readTheirs: what && sampleTexts(makeCss, (text) => what.parse(text)),
        readOurs: engine && sampleTexts(makeOurs, (text) => engine.parseSelector(text)),
        theirs: css && what && sampleTexts(makeCss, (text) => css.compile(what.parse(text), { xmlMode: true })),
        ours:
          ctx &&
          sampleTexts(
            (n) => `@t0 ${makeOurs(n)}`,
            (text) => ctx.count(text),
          ),
      },
      { rounds, warmup: 40 },
    )
    const both = `${peerName('css-what')} + ${peerName('css-select')}`
    lines.push(
      line({
        row: `parse alone, ${name}`,
        peer: peerName('css-what'),
        theirs: readTheirs,
        ours: readOurs,
        unit: 'ns',
        note: 'ours is frozen',
      }),
      line({
        row: `parse, compile and ask an empty context, ${name}`,
        peer: both,
        theirs,
        ours,
        unit: 'ns',
        goal: timesAtMost(most),
      }),
    )
  }
  if (ctx) lines.push(await measureHit(ctx, rounds))
  return lines
}

let texts = 0

/** A sampler of work on 300 new texts; they are made off the clock. */
function sampleTexts(makeText, work) {
  return () => {
    const some = Array.from({ length: 300 }, () => makeText(texts++))
    let last
    const figure = perCall(some.length, (i) => {
      last = work(some[i])
    })
    assertWork(last !== undefined, 'the text was read')
    return figure
  }
}

/** All that a known text costs where there is nothing to find: finding its plan is only a part of it. */
async function measureHit(ctx, rounds) {
  const { ours } = await interleave(
    {
      ours: () => {
        let found = 0
        const figure = perRepeatedCall(2, () => {
          found += ctx.count("@t0 .block[role='assistant']")
        })
        assertWork(found === 0, 'the context is empty')
        return figure
      },
    },
    { rounds },
  )
  return line({ row: 'count of a known text, an empty context', ours, unit: 'ns', goal: atMost(50, 'ns') })
}

/** Each time a new snapshot; on the working state, ten new blocks in the active head as well. */
async function runWorking({ engine, quick }) {
  if (!engine) return []
  const committed = openContext(engine, NODES)
  const edited = openContext(engine, NODES)
  const queries = [
    { name: 'by id', text: "[id='block:100-2']", matches: () => 1 },
    { name: 'without a match', text: '.nothing', matches: () => 0 },
    { name: ATTRIBUTE.name, text: ATTRIBUTE.text, matches: (assistants) => assistants },
  ]
  const lines = []
  for (const { name, text, matches } of queries) {
    const { theirs, ours } = await interleave(
      {
        theirs: sampleAfterCommit({ ours: `@t0 ${text}`, matches }, committed),
        ours: () => sampleWorking(edited, text, matches),
      },
      { rounds: quick ? 7 : 21, share: quick ? 400 : 1_500 },
    )
    const row = `query on the working state, ${EDITS} edits, ${name}`
    lines.push(line({ row, peer: 'ours on @t0', theirs, ours, unit: 'ns' }))
  }
  return lines
}

function sampleWorking(context, text, matches) {
  // The edits stay in the head and are sealed with the next turn; a fork would not be the same context.
  const { ctx } = context
  let assistants = ctx.count(ATTRIBUTE.text) - context.turns
  let found
  const figure = perPreparedCall({
    count: 10,
    ms: 10,
    prepare: () => {
      context.addTurn()
      for (let i = 0; i < EDITS; i += 2) {
        ctx.user(makeText(ctx.cycle, i))
        ctx.assistant(makeText(ctx.cycle, i + 1))
        assistants++
      }
      return text
    },
    work: (selector) => {
      found = ctx.select(selector)
    },
  })
  checkFound(found, matches, context.turns + assistants)
  return figure
}
