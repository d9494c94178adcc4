// A history whose turns have the shapes of recorded conversations. Roles, kinds, order and texts of the core are as
// recorded; around it come the additions of an agent: pre-context with keys, post-context with tags, now and then a container
// of search results. Values come round from large vocabularies, so that each one is on about as many nodes as the next.
// One list of turns feeds our side, a linked tree for css-select, and one flat array for loops.

import { assertWork } from './harness.mjs'
import { recordedTurns } from './recorded.mjs'

/** The number of values of each kind: enough that a run asks for none twice. */
export const VOCABULARY = { topic: 5_000, tag: 2_000, file: 1_600, query: 1_000 }
const NONE = []
const NODES = 50_000

/** A value by number; all of one name are equally long, so that none contains another. */
export function valueOf(name, number) {
  return `${name}-${String(number % VOCABULARY[name]).padStart(4, '0')}`
}

/** The turns by number, made on demand: the recorded ones again and again, with texts of their own each time. */
export function openTurns() {
  const recorded = recordedTurns()
  const made = []
  const spread = openSpread()
  return {
    recorded,
    turn(number) {
      while (made.length <= number) made.push(makeTurn(made.length, recorded, spread))
      return made[number]
    },
    /** The number of turns that give this number of nodes. */
    countFor(nodes = NODES) {
      let count = 0
      for (let sum = 0; sum < nodes; count++) sum += sizeOf(this.turn(count))
      return count
    },
  }
}

/** Words that occur in 2 to 6 recorded texts each: common enough to be found, rare enough not to be everywhere. */
export function rareWords(recorded, count) {
  const texts = new Set(recorded.flat().map(({ content }) => content))
  const words = findRare(texts, /\b([a-z]{7,14})\b/gi)
  assertWork(words.length >= count, `there are ${count} words to ask for, not ${words.length}`)
  return words
}

function findRare(texts, pattern) {
  const seen = new Map()
  for (const text of texts) {
    const words = new Set([...text.matchAll(pattern)].map(([, word]) => word))
    for (const word of words) seen.set(word, (seen.get(word) ?? 0) + 1)
  }
  return [...seen].filter(([, count]) => count >= 2 && count <= 6).map(([word]) => word)
}

/** Puts a turn into a context and commits it; a stored one gives a promise. */
export function commitReal(ctx, { pre, core, post }) {
  for (const { content, ...header } of pre) ctx.pre(content, header)
  for (const { content, role, ...header } of core) ctx[role](content, header)
  for (const { content, children, ...header } of post) {
    if (children) ctx.add(undefined, { zone: 'post', ...header, children })
    else ctx.post(content, header)
  }
  return ctx.commit()
}

export function buildReal(engine, turns, count) {
  const ctx = engine.createContext({ id: 'bench' })
  for (let i = 0; i < count; i++) commitReal(ctx, turns.turn(i))
  return ctx
}

/** The peers' side of the same turns: a tree with links to the parent, and all its nodes in one array. */
export function openRealPlain(turns, count) {
  const root = plainNode({ id: 'root', cls: 'root' })
  const seq = plainNode({ id: 'seq', cls: 'seq', parent: root })
  root.children.push(seq)
  const all = []
  const plain = {
    root,
    all,
    get turns() {
      return seq.children.length
    },
    addTurn: () => addPlainTurn(seq, all, turns.turn(seq.children.length)),
  }
  for (let i = 0; i < count; i++) plain.addTurn()
  return plain
}

/** Both sides hold the same nodes in the same order. */
export function checkSame(ctx, plain) {
  const ids = ctx.select('@t0 .seg, .cont, .block @order=pre')
  assertWork(ids.length === plain.all.length, `${ids.length} nodes in the context, ${plain.all.length} beside it`)
  assertWork(
    ids.every((id, i) => id === plain.all[i].id),
    'the nodes are the same on both sides',
  )
}

// Each of these goes through its vocabulary with a stride that has no factor in common with it.
function openSpread() {
  const at = { topic: 0, tag: 0, file: 0, query: 0 }
  return (name) => valueOf(name, (at[name]++ * 1_237) % VOCABULARY[name])
}

function makeTurn(number, recorded, spread) {
  const core = recorded[number % recorded.length]
  const pass = Math.floor(number / recorded.length)
  const text = (content) => ownText(`${content} (${pass})`)
  const pre = []
  if (number % 3 !== 1) {
    pre.push({ content: text(`Plan of turn ${number}`), kind: 'note', key: 'plan', data_topic: spread('topic') })
  }
  if (number % 2 === 0) pre.push({ content: text(`File ${number}`), kind: 'file', key: spread('file') })
  const post = []
  if (number % 5 !== 2) {
    const tags = [number % 2 ? 'rag' : 'crm', spread('tag'), spread('tag')]
    const nodeType = number % 4 === 0 ? 'block:doc' : 'block'
    post.push({ content: text(`Found for turn ${number}`), nodeType, tags, data_topic: spread('topic') })
  }
  if (number % 3 === 0) post.push(makeResults(number, text, spread))
  if (number % 50 === 0)
    post.push({ content: text(`Summary up to turn ${number}`), nodeType: 'block:summary', tags: ['memory'] })
  return {
    pre,
    core: core.map(({ role, kind, content }) => ({ role, kind, content: text(content), data_topic: spread('topic') })),
    post,
  }
}

function makeResults(number, text, spread) {
  const children = Array.from({ length: 1 + (number % 4) }, (_, i) => ({
    content: text(`Result ${i} of turn ${number}`),
    tags: [spread('tag')],
    data_topic: spread('topic'),
  }))
  return { nodeType: 'cont:search', data_query: spread('query'), data_source: number % 2 ? 'web' : 'files', children }
}

/** Through a buffer: a concatenated string would share its pieces with others and be flattened on somebody's clock. */
function ownText(text) {
  return Buffer.from(text, 'utf8').toString('utf8')
}

/** Nodes of a turn: its blocks and containers, the core and the segment. */
function sizeOf({ pre, core, post }) {
  return 2 + pre.length + core.length + post.reduce((sum, { children }) => sum + 1 + (children?.length ?? 0), 0)
}

/** Ids are numbered as we make nodes: pre-context, core, post-context, and the segment when the turn is sealed. */
function addPlainTurn(seq, all, { pre, core, post }) {
  const turn = seq.children.length + 1
  let index = 0
  const make = (cls, spec, parent) => {
    const node = plainNode({ ...spec, id: `${cls}:${turn}-${index++}`, cls, turn: String(turn), parent })
    parent?.children.push(node)
    return node
  }
  const segment = plainNode({ id: '', cls: 'seg', turn: String(turn), parent: seq })
  for (const spec of pre) make('block', spec, segment)
  const middle = make('cont', {}, segment)
  for (const spec of core) make('block', spec, middle)
  for (const { children, ...spec } of post) {
    if (!children) make('block', spec, segment)
    else addContainer(make('cont', spec, segment), children, make)
  }
  segment.id = `seg:${turn}-${index}`
  seq.children.push(segment)
  pushAll(all, segment)
}

function addContainer(container, children, make) {
  for (const spec of children) make('block', spec, container)
}

function pushAll(all, node) {
  all.push(node)
  for (const child of node.children) pushAll(all, child)
}

// One literal for all, so that V8 gives every node the same layout, to the peers' benefit. `tags` is text, as CSS has it.
function plainNode({ id, cls, parent = null, turn, nodeType = cls, role, kind, key, tags = NONE, content, ...data }) {
  return {
    id,
    cls,
    nodeType,
    sub: nodeType.slice(nodeType.indexOf(':') + 1),
    turn,
    role,
    kind,
    key,
    tags: tags.length > 0 ? tags.join(' ') : undefined,
    tagList: tags,
    data_topic: data.data_topic,
    data_query: data.data_query,
    data_source: data.data_source,
    content,
    parent,
    children: [],
  }
}
