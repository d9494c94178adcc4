// The data of the query rows: the same turns on our side, as a linked tree for css-select, and as one flat array. Every
// answer is counted, against one formula for all of them.

import { openPair, samplePair, samplePush } from './after.mjs'
import { buildContext, commitTurn } from './engine.mjs'
import { assertWork, perPreparedCall, perRepeatedCall } from './harness.mjs'
import { loadPeer, peerName } from './peers.mjs'
import { makeText, plainTree, plainTurn } from './turns.mjs'

export const CSS = `${peerName('css-select')}, compiled`
export const LOOP = 'a loop over all nodes'

// Calls per sample, as far as they take no longer than SAMPLE_MS: a query of a microsecond needs many of them, or the
// figure is that of the first few, which find the caches full of the neighbour's tree.
const COUNT = 300
const SAMPLE_MS = 10
const BATCH = { count: COUNT, ms: SAMPLE_MS }
const NONE = []

// Faster than domutils over a tree of domhandler elements, so this is what is measured. The tag is the node's type.
const adapter = {
  isTag: () => true,
  getName: (node) => node.nodeType,
  getAttributeValue: (node, name) => node[name],
  hasAttrib: (node, name) => node[name] !== undefined,
  getChildren: (node) => node.children ?? NONE,
  getParent: (node) => node.parent,
  getSiblings: (node) => node.parent?.children ?? [node],
  getText: () => '',
  removeSubsets: (nodes) => nodes,
}
// Names are compared as they are: less work than HTML's rules.
const CSS_OPTIONS = { adapter, xmlMode: true }
/** The same where a node of its own type keeps its class as its tag. */
export const CSS_BY_CLASS = { adapter: { ...adapter, getName: (node) => node.cls }, xmlMode: true }

/**
 * Our side: a context that gets one more turn when asked. `headers(turn, part)` says what is special about a block of a
 * turn; the parts are pre, user, assistant and post.
 */
export function openContext(engine, nodes, headers) {
  const turns = Math.round(nodes / 6)
  const open = () => (headers ? buildSpecial(engine, turns, headers) : buildContext(engine, turns))
  let ctx = open()
  return {
    get ctx() {
      return ctx
    },
    get turns() {
      return ctx.cycle - 1
    },
    /** One more turn. A context that has grown by half is made again first, and `ask` lets it be asked once. */
    addTurn(ask) {
      if (ctx.cycle - 1 >= turns * 1.5) {
        ctx = open()
        ask?.(ctx)
      }
      if (headers) commitSpecial(ctx, headers)
      else commitTurn(ctx, textsOf(ctx.cycle))
    },
  }
}

/** The peers' side: the tree with links to the parent, and all its nodes in one array. */
export function openPlain(nodes, headers) {
  const root = { id: 'root', nodeType: 'root', parent: null, children: [] }
  const seq = { id: 'seq', nodeType: 'seq', parent: root, children: [] }
  root.children.push(seq)
  const all = []
  const add = (node, parent) => {
    node.parent = parent
    all.push(node)
    for (const child of node.children ?? NONE) add(child, node)
  }
  const addSegment = (segment, turn) => {
    const [pre, core, post] = segment.children
    if (headers) [pre, ...core.children, post].forEach((block, part) => Object.assign(block, headers(turn, part)))
    seq.children.push(segment)
    add(segment, seq)
  }
  const turns = Math.round(nodes / 6)
  plainTree(turns).seq.forEach((segment, i) => addSegment(segment, i + 1))
  const total = all.length
  return {
    root,
    all,
    get turns() {
      return seq.children.length
    },
    /** One more turn; a tree that has grown by half is first cut back to what it was. */
    addTurn() {
      if (seq.children.length >= turns * 1.5) {
        seq.children.length = turns
        all.length = total
      }
      const turn = seq.children.length + 1
      addSegment(plainTurn(turn, textsOf(turn)), turn)
    },
  }
}

/** A sampler of css-select: one more turn, a compiled query, then the clock. */
export async function loadCss() {
  const css = await loadPeer(() => import('css-select'))
  return (
    css &&
    (({ css: text, matches }, plain) =>
      sampleAfterTurn(
        plain,
        // Compiled for each call, since it keeps answers about nodes that may have changed.
        () => css.compile(text, CSS_OPTIONS),
        (query) => css.selectAll(query, plain.root, CSS_OPTIONS),
        matches,
      ))
  )
}

export function sampleLoop({ loop, matches }, plain) {
  return sampleAfterTurn(plain, () => plain.all, loop, matches)
}

/**
 * Runs our side until it is compiled, on a context of its own. A peer that visits every node is compiled within one call;
 * without this, a query of a microsecond would be measured in the interpreter.
 */
export function warmUp(engine, { ours, headers }, calls = 4_000) {
  const context = openContext(engine, 600, headers)
  for (let i = 0; i < calls; i++) {
    context.addTurn()
    context.ctx.select(ours)
  }
}

/** The same for meanings never asked for: reading a text takes a microsecond once it is compiled, and fifty before. */
export function warmUpCold(engine, { cold, headers }, calls = 4_000) {
  const { ctx } = openContext(engine, 600, headers)
  for (let i = 1; i <= calls; i++) ctx.select(cold(-i))
}

/** Two contexts that commit the same, of which one is asked. */
export function openAskedPair(engine, nodes, headers) {
  const turns = Math.round(nodes / 6)
  return openPair(
    () => (headers ? buildSpecial(engine, turns, headers) : buildContext(engine, turns)),
    (ctx) => (headers ? commitSpecial(ctx, headers) : commitTurn(ctx, textsOf(ctx.cycle))),
  )
}

/** A known question to a new snapshot, with its share of the commit. */
export function sampleKnown({ ours, matches }, pair) {
  return () => {
    let found
    const figure = samplePair(
      pair,
      (ctx) => {
        found = ctx.select(ours)
      },
      BATCH,
    )
    checkFound(found, matches, pair.turns)
    return figure
  }
}

/** The same on one context, the commit off the clock: for comparing us with ourselves. */
export function sampleAfterCommit({ ours, matches }, context) {
  const ask = (ctx) => ctx.select(ours)
  return () => {
    ask(context.ctx)
    let found
    const figure = perPreparedCall({
      count: COUNT,
      ms: SAMPLE_MS,
      prepare: () => {
        context.addTurn(ask)
        return context.ctx
      },
      work: (ctx) => {
        found = ctx.select(ours)
      },
    })
    checkFound(found, matches, context.turns)
    return figure
  }
}

/** A meaning never asked for: `cold(n)` is another one for every number. */
export function sampleCold({ cold, matches }, context, count = 50) {
  let next = 0
  return () => {
    let found
    const figure = perPreparedCall({
      count,
      ms: SAMPLE_MS,
      prepare: () => cold(next++),
      work: (text) => {
        found = context.ctx.select(text)
      },
    })
    checkFound(found, matches, context.turns)
    return figure
  }
}

/** The loop for the same meanings. */
export function sampleColdLoop({ coldLoop, matches }, plain) {
  let next = 0
  return () => {
    let found
    const figure = perPreparedCall({
      count: 50,
      ms: SAMPLE_MS,
      prepare: () => next++,
      work: (n) => {
        found = coldLoop(plain.all, n)
      },
    })
    checkFound(found, matches, plain.turns)
    return figure
  }
}

/** The same text again on the same snapshot. */
export function sampleAgain({ ours, matches }, context) {
  return () => {
    const { ctx } = context
    let found = ctx.select(ours)
    const figure = perRepeatedCall(2, () => {
      found = ctx.select(ours)
    })
    checkFound(found, matches, context.turns)
    return figure
  }
}

export function checkFound(found, matches, turns) {
  assertWork(found.length === matches(turns), `${found.length} nodes were found, ${matches(turns)} are there`)
}

export function formatPower(value) {
  return value.toExponential().replace('+', '')
}

/** A peer: one more turn, then what has to be ready, then the query; the answer is counted. */
export function sampleAfterTurn(plain, prepare, work, matches) {
  return () => {
    let found
    const figure = samplePush(
      plain,
      prepare,
      (prepared) => {
        found = work(prepared)
      },
      BATCH,
    )
    checkFound(found, matches, plain.turns)
    return figure
  }
}

function buildSpecial(engine, turns, headers) {
  const ctx = engine.createContext({ id: 'bench' })
  for (let turn = 0; turn < turns; turn++) commitSpecial(ctx, headers)
  return ctx
}

function commitSpecial(ctx, headers) {
  const turn = ctx.cycle
  const [pre, user, assistant, post] = textsOf(turn)
  ctx.pre(pre, headers(turn, 0))
  ctx.user(user, headers(turn, 1))
  ctx.assistant(assistant, headers(turn, 2))
  ctx.post(post, headers(turn, 3))
  ctx.commit()
}

function textsOf(turn) {
  return [0, 1, 2, 3].map((part) => makeText(turn, part))
}
