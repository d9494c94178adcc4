// Turns a step into calls, by the tree of the moment. Calls are data and the same for both builds.

import { Random } from './random.mjs'
import { editSelector, quoted, readSelector } from './selectors.mjs'
import { FORMATS, reply } from './talks.mjs'
import { authorship, changes, content, header, json, keyed, KEYS, place, redaction, spec, text } from './values.mjs'

/** @typedef {import('./scene.mjs').Scene} Scene */

/**
 * @param {import('./program.mjs').Step} step
 * @param {Scene} scene
 * @returns {readonly object[]} the calls, one after another
 */
export function callsOf(step, scene) {
  const r = new Random(step.seed)
  const make = STEPS[step.do] ?? EDITS[step.do]
  if (make === undefined) throw new Error(`There is no step ${step.do}.`)
  const made = make(r, scene)
  return Array.isArray(made) ? made : [made]
}

const edit = (method, system, ...args) => ({ do: 'edit', method, system, args })

/** Mostly outside of ^sys. */
const system = (r) => r.chance(12)

const EDITS = {
  add: (r, scene) => addTo(r, scene, system(r)),
  system: (r, scene) => addTo(r, scene, true),
  say: (r, scene) =>
    edit(r.pick(['user', 'assistant', 'tool']), false, content(r), without(header(r, scene.refs), 'role')),
  around: (r, scene) => edit(r.pick(['pre', 'post']), false, content(r), { ...header(r, scene.refs), ...keyed(r) }),
  put: (r, scene) => writeKey('put', r, scene),
  set: (r, scene) => writeKey('set', r, scene),
  insert: (r, scene) => {
    const own = system(r)
    return edit('insert', own, { ...spec(r, scene), ...(r.chance(8) ? place(r) : {}) }, position(r, scene, own))
  },
  replace: (r, scene) => {
    const own = system(r)
    return edit('replace', own, editSelector(r, scene, own), replacement(r, scene))
  },
  move: (r, scene) => {
    const own = system(r)
    return edit('move', own, editSelector(r, scene, own), position(r, scene, own))
  },
  delete: (r, scene) => {
    const own = system(r)
    return edit('delete', own, editSelector(r, scene, own), authorship(r))
  },
  update: (r, scene) => {
    const own = system(r)
    return edit('update', own, editSelector(r, scene, own), changes(r))
  },
  redact: (r, scene) => {
    const own = system(r)
    const selector = r.chance(50) ? r.pick(['.block', '^seq .block', '^ah *', '*']) : editSelector(r, scene, own)
    return edit('redact', own, selector, redaction(r))
  },
  compact: (r) =>
    edit('compact', false, r.chance(95) ? r.between(1, 4) : r.pick([0, 'x']), r.chance(95) ? text(r) || 'sum' : '', {
      ...(r.chance(40) ? { intro: '' } : {}),
      ...(r.chance(15) ? { pinned: true } : {}),
    }),
  expand: (r, { nodes, ids }) => {
    const summaries = nodes.filter(({ node }) => node['pact:compacted'] !== undefined).map(({ node }) => node.id)
    return edit(
      'expand',
      false,
      summaries.length === 0 || r.chance(5) ? r.pick([...ids, 'nothing']) : r.pick(summaries),
    )
  },
}

const STEPS = {
  commit: (r) => ({ do: 'commit', options: r.chance(50) ? { key: `k${r.below(4)}` } : undefined }),
  turn: (r, scene) =>
    [
      ...r.list(3, () => edits(r, scene, ['say', 'add', 'around'])),
      ...(r.chance(50) ? groupOf(r) : []),
      { do: 'commit' },
    ].flat(),
  // Turns that expire whole, so that segments become empty.
  fading: (r) =>
    Array.from({ length: r.between(1, 3) }, () => [
      ...Array.from({ length: r.between(1, 2) }, () =>
        edit(r.pick(['user', 'assistant', 'post']), false, text(r), { ttl: r.between(1, 2) }),
      ),
      { do: 'commit' },
    ]).flat(),
  // Something that outlives its ttl, because it is held or named.
  keep: (r, { nodes }) => {
    const leaving = nodes.filter(({ node }) => node.ttl !== null)
    const id = leaving.length === 0 ? 'nothing' : r.pick(leaving).node.id
    const kept = r.chance(40)
      ? { do: 'hold', id }
      : edit('post', false, 'note', { refs: [id], ...(r.chance(40) ? { ttl: 3 } : {}) })
    return [kept, ...r.list(2, () => ({ do: 'commit' }))]
  },
  // More turns than a leaf of the tree holds.
  long: (r) => ({
    do: 'turns',
    turns: Array.from({ length: r.between(34, 75) }, () =>
      Array.from({ length: r.between(1, 2) }, () =>
        edit(r.pick(['user', 'assistant', 'post']), false, text(r), brief(r)),
      ),
    ),
  }),
  undo: () => ({ do: 'undo' }),
  forget: (r, scene) => ({ do: 'forget', selector: eraseSelector(r, scene), options: authorship(r) }),
  batch: (r, scene) => ({
    do: 'batch',
    calls: Array.from({ length: r.between(1, 3) }, () => edits(r, scene, Object.keys(EDITS))),
    fails: r.chance(15),
  }),
  hold: (r, { ids }) => ({ do: 'hold', id: ids.length === 0 || r.chance(5) ? 'nothing' : r.pick(ids) }),
  release: (r) => ({ do: 'release', at: r.below(9) }),
  fork: (r, scene) => ({
    do: 'fork',
    lens: lens(r, scene),
    id: r.chance(4) ? 'x'.repeat(r.between(500, 501)) : `fork${r.below(1000)}`,
    goes: r.chance(60),
  }),
  switch: (r) => ({ do: 'switch', at: r.below(9) }),
  import: (r, scene) => ({ do: 'import', lens: lens(r, scene) }),
  mutated: (r, scene) => ({ do: 'mutate', seed: r.next(), lens: lens(r, scene) }),
  replay: (r) => ({
    do: 'replay',
    how: r.pick(['applyOperations', 'replayOperations']),
    ...(r.chance(20) ? { operations: r.pick(BAD_OPERATIONS) } : {}),
  }),
  group: (r) => groupOf(r),
  late: (r) => {
    const [first, ...rest] = groupOf(r)
    return [first, ...rest.slice(0, 1), { do: 'commit' }, ...rest.slice(1)]
  },
  attempt: (r, scene) => ({ do: 'attempt', input: attemptInput(r, scene) }),
  end: (r) => ({
    do: 'end',
    at: r.below(4),
    how: r.pick(['complete', 'complete', 'cancel', 'fail']),
    usage: r.pick([undefined, { tokenIn: 5, tokenOut: 7 }, { tokenIn: -1 }]),
  }),
  receive: (r) => {
    const format = r.pick(FORMATS)
    return { do: 'receive', format, reply: reply(r, format), attempt: r.chance(30) }
  },
  request: (r, scene) => ({ do: 'request', ...requestOf(r, scene) }),
  read: (r, scene) => ({ do: 'read', ...readOf(r, scene) }),
  reopen: (r) => ({ do: 'reopen', history: r.pick([1, 2, 'all', undefined]), flush: r.chance(70) }),
  erase: (r, scene) => ({ do: 'erase', selector: eraseSelector(r, scene), options: authorship(r) }),
  retain: (r) => ({
    do: 'retain',
    options: { keep: r.pick([{ newest: 1 }, { newest: 2 }, { every: 2 }, {}]), ...authorship(r) },
  }),
  load: (r, scene) => ({
    do: r.chance(25) ? 'unload' : 'load',
    lens: r.pick(['@t0', '@t-1', '@t-3', '@*', `@c${scene.cycles[0] ?? 1}`, '@c1', '@t0..@t-2']),
  }),
  storeRead: (r) => ({
    do: 'storeRead',
    what: r.pick(['find', 'list', 'fsck', 'answer', 'openAt']),
    key: `k${r.below(4)}`,
    cycle: r.below(6),
  }),
  rival: (r) => ({ do: 'rival', text: text(r) }),
}

function edits(r, scene, names) {
  return EDITS[r.pick(names)](r, scene)
}

function addTo(r, scene, own) {
  const { content: value, ...rest } = spec(r, scene)
  return edit('add', own, value, { ...rest, ...(own ? (r.chance(20) ? { offset: r.between(-2, 3) } : {}) : place(r)) })
}

/** Nodes that are there, that have left, and boxes without content. */
function eraseSelector(r, scene) {
  if (r.chance(25) && scene.earlier.length > 0) return `[id=${quoted(r, r.pick(scene.earlier))}]`
  return r.chance(25) ? r.pick(['.cont', '.seg', '*', '.block', '^sys *']) : editSelector(r, scene, r.chance(10))
}

/** Headers of a node in a long history. */
function brief(r) {
  return {
    ...(r.chance(35) ? { ttl: r.between(1, 9) } : {}),
    ...(r.chance(10) ? { priority: r.between(-1, 2) } : {}),
    ...(r.chance(6) ? { pinned: true } : {}),
    ...(r.chance(10) ? { tags: ['t'] } : {}),
  }
}

function writeKey(method, r, scene) {
  const own = system(r)
  const { content: value, ...rest } = spec(r, scene, r.chance(15) ? 1 : 0)
  const key = r.pick([...scene.keys, ...KEYS])
  const cad = !own && r.chance(25) ? { cad: r.pick([1, 2, 3]) } : {}
  return edit(method, own, key, value, { ...without(rest, 'key', 'cad'), ...cad, ...(own ? {} : place(r)) })
}

function replacement(r, scene) {
  const result = r.chance(75) ? { content: content(r) } : {}
  if (r.chance(25)) Object.assign(result, header(r, scene.refs))
  if (r.chance(15)) Object.assign(result, keyed(r))
  if (r.chance(8)) result.children = r.list(2, () => spec(r, scene, 0))
  if (r.chance(3)) Object.assign(result, place(r))
  return result
}

function position(r, { boxes, places, dialect }, own) {
  const kind = r.weigh({ depth: 5, coordinate: 8, parent: 5, bad: 1 })
  if (kind === 'depth')
    return { depth: own ? -1 : r.below(4), ...(r.chance(50) ? { zone: r.pick(['pre', 'core', 'post']) } : {}) }
  const fitting = boxes.filter(({ region }) => (region === '^sys') === own)
  const box = fitting.length === 0 || r.chance(5) ? r.pick(places) : r.pick(fitting)
  if (kind === 'parent')
    return {
      parent: box.node.id,
      ...(r.chance(50) ? { offset: r.between(-3, 3) } : {}),
      ...(r.chance(10) ? { zone: r.pick(['pre', 'post']) } : {}),
    }
  if (kind === 'coordinate') {
    const hops = [`d${box.depth ?? 1}`, ...box.offsets]
    const sentinel = r.pick(['start', 'end', 'end', `+${r.below(3)}`, `-${r.between(1, 2)}`, `${r.between(-2, 3)}`])
    return `(${[...hops, ...(r.chance(90) ? [sentinel] : [])].join(r.pick([', ', ',']))})`
  }
  return r.pick(['(d1', '', '(d99, 0)', { depth: 1.5 }, { parent: 'gone' }, null, dialect])
}

function lens(r, { cycles }) {
  const known = cycles.map((cycle) => `@c${cycle}`)
  return r.pick(['@t0', '@t0', 'working', 'preview', '@t-1', '@t-2', '@c99', ...known])
}

/** A model's step within a turn: a thought, calls, and their results, now and then in another order or with one missing. */
function groupOf(r) {
  const base = `g${r.below(4)}`
  const calls = Array.from({ length: r.between(1, 3) }, (_, at) => `${base}.${at}`)
  const more = () => ({
    ...(r.chance(15) ? { ttl: r.below(3) } : {}),
    ...(r.chance(15) ? { priority: r.between(-2, 1) } : {}),
  })
  const asked = calls.map((id) =>
    edit(
      'assistant',
      false,
      { name: r.pick(['look', 'read file', 'x']), arguments: json(r, 1) },
      { kind: 'call', data_call_id: id, ...more() },
    ),
  )
  let answered = calls.map((id) =>
    edit('tool', false, r.chance(70) ? text(r) : json(r, 1), { kind: 'result', data_call_id: id, ...more() }),
  )
  if (r.chance(15)) answered = answered.toReversed()
  if (r.chance(12)) answered = answered.slice(1)
  const thought = r.chance(35)
    ? [
        edit('assistant', false, text(r) || 'hm', {
          kind: 'reasoning',
          ...(r.chance(40) ? { data_signature: 's' } : {}),
        }),
      ]
    : []
  const between = r.chance(8) ? [edit('user', false, 'meanwhile')] : []
  return [...thought, ...asked, ...between, ...answered]
}

function attemptInput(r, scene) {
  const input = {
    provider: r.pick(['openai', 'anthropic', 'x']),
    model: 'm-1',
    params: r.pick([{ temperature: 0 }, {}, { a: [1, 2n] }]),
  }
  if (r.chance(30)) input.lens = lens(r, scene)
  if (r.chance(40)) input.request = json(r)
  else if (r.chance(60)) input.adapter = r.pick(FORMATS)
  if (r.chance(40)) input.keepRequest = r.chance(60)
  return input
}

function requestOf(r, scene) {
  const format = r.pick(FORMATS)
  const options = {}
  if (r.chance(40)) options.lens = lens(r, scene)
  if (r.chance(30)) options.repair = r.chance(40)
  if (r.chance(20)) options.systemMessages = r.pick(['keep', 'user'])
  if (r.chance(35))
    options.cache = r.pick([
      true,
      false,
      { at: 'end' },
      { at: 'stable' },
      { at: scene.ids.slice(0, 2) },
      { ttl: '1h' },
      { key: 'k' },
      { at: 'nowhere' },
    ])
  if (format === 'anthropic' && r.chance(30)) options.thinking = r.pick(['on', 'off'])
  if (format === 'gemini' && r.chance(40))
    Object.assign(options, r.pick([{ form: 'sdk' }, { signatures: 'all' }, { signatures: 'none' }]))
  if (format === 'openai-responses' && r.chance(40)) options.store = r.chance(50)
  if (r.chance(25))
    options.blocks = r.pick([
      { role: 'user' },
      { role: 'system' },
      { before: '<{key}>', after: '{id}' },
      { role: 'developer' },
    ])
  return { format, options: Object.keys(options).length === 0 ? undefined : options }
}

function readOf(r, scene) {
  const id = scene.ids.length === 0 || r.chance(8) ? r.pick([...scene.earlier, 'nothing', 'root']) : r.pick(scene.ids)
  const at = () => lens(r, scene)
  const selector = () => readSelector(r, scene)
  const window = r.chance(30)
    ? { skip: r.below(3), limit: r.below(4) }
    : r.chance(10)
      ? { maxVisits: r.between(1, 40) }
      : r.chance(15)
        ? { dialect: r.pick(['1.0', '0.1']) }
        : undefined
  const reads = {
    select: () => [selector(), window],
    nodes: () => [readSelector(r, scene, { ranges: false }), window],
    count: () => [selector(), window],
    first: () => [readSelector(r, scene, { ranges: false }), window],
    iterate: () => [readSelector(r, scene, { ranges: false }), window],
    rangeDiffLatest: () => [rangeOf(r), rangeOptions(r)],
    range: () => [rangeOf(r), rangeOptions(r)],
    diff: () => [at(), at(), ...(r.chance(40) ? [r.pick(['.block', '.block:post', '*', '.cont', '[ttl=1]'])] : [])],
    diffDetailed: () => [at(), at(), ...(r.chance(40) ? [r.pick(['.block', '.block:post', '*', '.cont'])] : [])],
    explain: () => [id, at()],
    life: () => [id],
    node: () => [id, at()],
    coordinate: () => [id, at()],
    threadPlace: () => [id, at()],
    tokens: () => [
      at(),
      r.pick([undefined, 'region', 'depth', 'role', 'key', 'node']),
      ...(r.chance(25) ? [r.pick(FORMATS)] : []),
    ],
    prefix: () => [at(), at(), ...(r.chance(35) ? [r.pick(FORMATS)] : [])],
    placement: () => [r.between(1, 5)],
    parse: () => [selector(), r.pick(['1.0', '0.1'])],
    format: () => [selector(), r.pick(['1.0', '0.1'])],
    lint: () => [selector(), r.pick(['1.0', '0.1'])],
    snapshot: () => [
      at(),
      r.chance(50) ? `[id=${quoted(r, id)}]` : r.pick(['.block', '*', '.block:last', '.cont > .block']),
    ],
    snapshots: () => [r.pick([undefined, { limit: 2 }, { before: 3 }, { limit: -1 }])],
    threadMap: () => [at()],
    estimate: () => [text(r)],
  }
  const name = r.weigh({
    select: 10,
    nodes: 2,
    count: 2,
    first: 1,
    iterate: 1,
    rangeDiffLatest: 2,
    range: 4,
    diff: 3,
    diffDetailed: 3,
    explain: 3,
    life: 2,
    node: 1,
    coordinate: 1,
    threadPlace: 1,
    tokens: 2,
    prefix: 2,
    placement: 1,
    parse: 1,
    format: 2,
    lint: 2,
    snapshot: 1,
    snapshots: 1,
    threadMap: 1,
    estimate: 1,
  })
  return { name, args: reads[name]() }
}

function rangeOf(r) {
  const time = r.pick(['@t0..@t-1', '@t0..@t-*', '@c1..@c2', '@history', '@t-2..@t0', '@c1..@c9'])
  return `${time} ${r.pick(['.block', '*', '.cb:post', '.cont', '.block[ttl]'])}${r.pick(['', '', ' @mode=latest', ' @mode=union', ' @limit=2'])}`
}

/** Contents, caps and what is shown of both sides. */
function rangeOptions(r) {
  const options = {}
  if (r.chance(60)) options.includeContent = r.chance(85)
  if (r.chance(60)) options.contentMode = r.pick(['unified', 'jsonpatch', 'tokens'])
  if (r.chance(20)) options.contextLines = r.below(3)
  if (r.chance(30))
    options.materialize = r.pick([['content'], ['mime', 'encoding'], ['content_hash', 'content'], ['nothing']])
  if (r.chance(20)) options.maxSnapshots = r.below(4)
  if (r.chance(20)) options.maxChangesPerSnapshot = r.below(3)
  return options
}

const BAD_OPERATIONS = [
  [{ op: 'nothing' }],
  [{ op: 'user' }],
  [
    { op: 'user', content: 'x' },
    { op: 'delete', selector: '#missing' },
  ],
  [
    { op: 'add', content: 'y', header: { zone: 'post', key: 'a', cad: 1 } },
    { op: 'replace', selector: '#a', spec: { content: 'z' } },
  ],
  [{ op: 'redact', selector: '.block', options: { match: 'a' } }],
  'none',
]

/** Selectors and ids that are asked in the end. */
export function finalReads(seed, scene) {
  const r = new Random(seed)
  const ids = [
    ...new Set([
      ...scene.earlier.slice(-2),
      ...Array.from({ length: 3 }, () => (scene.ids.length === 0 ? 'root' : r.pick(scene.ids))),
    ]),
  ]
  return { ids, selectors: Array.from({ length: 4 }, () => readSelector(r, scene)) }
}

function without(value, ...names) {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}
