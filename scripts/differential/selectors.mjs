// Random selectors of both dialects, mostly true of a node of the scene.

import { KEYS, TAGS } from './values.mjs'

/** @typedef {import('./random.mjs').Random} Random */
/** @typedef {import('./scene.mjs').Scene} Scene */
/** @typedef {import('./scene.mjs').Placed} Placed */

const CLASSES = { seg: ['seg', 'mt'], cont: ['cont', 'mc'], block: ['block', 'cb'] }

/** A selector for reads, with a time in front and controls behind it now and then. @param {Random} r @param {Scene} scene */
export function readSelector(r, scene, { ranges = true } = {}) {
  if (r.chance(4)) return r.pick(FAULTS)
  const time = timeOf(r, scene, ranges)
  const groups = [group(r, scene)]
  while (groups.length < 3 && r.chance(15)) groups.push(group(r, scene))
  const fallback = scene.dialect === '1.0' && r.chance(6) ? ` ?? ${group(r, scene)}` : ''
  return [time, groups.join(', ') + fallback, controls(r, time)].filter((part) => part !== '').join(' ')
}

/** A selector of one node or a few, for edits. @param {Random} r @param {Scene} scene @param {boolean} system */
export function editSelector(r, scene, system) {
  const optional = r.chance(12) ? '?' : ''
  const own = scene.nodes.filter(({ region }) => (region === '^sys') === system)
  const movable = own.filter(({ node }) => !['seg', 'mt'].includes(node.nodeType))
  const kind = r.weigh({
    node: 20,
    two: 4,
    key: 6,
    tag: 2,
    depth: 3,
    zone: 4,
    box: 2,
    head: 3,
    call: 3,
    any: 2,
    read: 2,
    none: 1,
  })
  const some = movable.length === 0 || r.chance(10) ? scene.nodes : movable
  const id = () => (some.length === 0 ? 'nothing' : r.pick(some).node.id)
  const idOf = (text) => `[id=${quoted(r, text)}]`
  const texts = {
    node: () => idOf(id()),
    two: () => `${idOf(id())}, ${idOf(id())}`,
    key: () =>
      scene.dialect === '1.0'
        ? `#${quoted(r, r.pick([...scene.keys, 'a']))}`
        : `[key=${quoted(r, r.pick([...scene.keys, 'a']))}]`,
    tag: () => `[tags~${quoted(r, r.pick(TAGS))}]`,
    depth: () => (scene.dialect === '1.0' ? `d${r.below(4)} .block` : `.mt:depth(${r.between(1, 3)}) .cb`),
    zone: () => `.${r.pick(['block', 'cb', 'cont'])}${r.pick([':pre', ':post', ':core'])}`,
    box: () => `.${r.pick(['cont', 'mc'])}`,
    head: () => '^ah .block',
    call: () => "[kind='call']",
    any: () => r.pick(['^seq .block', '^sys .block', '*', '.block', '.seg', '^ah']),
    read: () => readSelector(r, scene, { ranges: false }),
    none: () => r.pick(['#missing', '[', "[id='gone']"]),
  }
  return texts[kind]() + optional
}

export function quoted(r, text) {
  const mark = r.pick(["'", '"'])
  return mark + String(text).replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`) + mark
}

function timeOf(r, { cycles, cycle }, ranges) {
  const back = r.below(Math.max(1, cycles.length))
  const turn = (n) => (n === 0 ? '@t0' : `@t-${n}`)
  const some = () => (cycles.length === 0 ? cycle : r.pick(cycles))
  const kind = r.weigh({
    none: 10,
    turn: 4,
    cycle: 3,
    working: 3,
    preview: 1,
    all: 3,
    oldest: 1,
    range: ranges ? 4 : 0,
    history: ranges ? 1 : 0,
    far: 1,
  })
  const texts = {
    none: '',
    turn: turn(back),
    cycle: `@c${some()}`,
    working: '@working',
    preview: '@preview',
    all: '@*',
    oldest: '@t-*',
    range: r.pick([
      `@c${some()}..@c${some()}`,
      `${turn(back)}..${turn(0)}`,
      `@t0:${turn(back)}`,
      '@t0..@t-*',
      `@c${some()}..${some()}`,
    ]),
    history: '@history',
    far: r.pick(['@t-77', '@c77']),
  }
  return texts[kind]
}

function controls(r, time) {
  if (!r.chance(time === '' ? 15 : 35)) return ''
  const list = []
  if (r.chance(50)) list.push(`@order=${r.pick(['pre', 'post', 'bfs', 'path', 'turn:asc', 'turn:desc'])}`)
  if (r.chance(30)) list.push(`@skip=${r.below(3)}`)
  if (r.chance(40)) list.push(r.pick([`@limit=${r.between(1, 4)}`, '@first', '@limit=0']))
  if (r.chance(15)) list.push(r.pick(['@unique', '@vendor', '@*']))
  if (/\.\.|:|history/.test(time) && r.chance(40)) list.push(`@mode=${r.pick(['pairwise', 'latest', 'union'])}`)
  return list.join(' ')
}

/** Forms that a chain drawn by chance hardly gives. */
function form(r, scene) {
  const depth = r.pick(['1', '2', '1-2', '1,3', '1..3', '0', '2-9'])
  const handle = scene.keys.length === 0 ? 'a' : r.pick(scene.keys)
  const key = scene.dialect === '1.0' ? `#${quoted(r, handle)}` : `[key=${quoted(r, handle)}]`
  return r.pick([
    `.${r.pick(CLASSES.seg)}:depth(${depth})`,
    `.${r.pick(CLASSES.seg)}:depth(${depth})${r.pick([' ', ' > '])}.${r.pick([...CLASSES.cont, ...CLASSES.block])}`,
    `${r.pick(['^seq', '^ah', '^sys', '.seg'])} ${r.pick([':pre', ':core', ':post'])}${r.pick([' .block', ' *', '', ' > .cont'])}`,
    `.mt${r.pick([' ', ' > '])}.mc > .cb${r.pick(['', ':first', ':last', ':nth(2)'])}`,
    key,
    `${key}${pseudo(r, r.pick(scene.places))}`,
  ])
}

function group(r, scene) {
  if (r.chance(22)) return form(r, scene)
  const target = r.pick(r.chance(70) && scene.nodes.length > 0 ? scene.nodes : scene.places)
  const line = []
  for (let at = target; at !== undefined; at = at.parent) line.unshift(at)
  const isModern = scene.dialect === '1.0'
  if (isModern && r.chance(12) && target.depth !== undefined) {
    const scope = r.pick([`d${target.depth}`, `d${target.depth - 1}..d${target.depth + 1}`, `depth(${target.depth})`])
    return r.chance(20) ? scope : `${scope} ${step(r, scene, target)}`
  }
  if (isModern && r.chance(8) && target.depth !== undefined) return `(d${[target.depth, ...target.offsets].join(', ')})`
  if (isModern && r.chance(6))
    return `(${step(r, scene, target)}, ${step(r, scene, r.pick(scene.places))})${r.chance(50) ? pseudo(r, target) : ''}`
  const steps = line.filter((each, at) => at === line.length - 1 || (at > 0 && r.chance(30)))
  return steps.map((each) => step(r, scene, each)).join(r.pick([' ', ' ', ' > ']))
}

function step(r, scene, place) {
  const { node } = place
  if (node.nodeType.startsWith('^') && r.chance(75)) return node.nodeType === '^root' ? '*' : node.nodeType
  let text = base(r, scene, place)
  for (let extras = r.pick([0, 0, 1, 1, 2]); extras > 0; extras--)
    text += r.chance(35) ? pseudo(r, place) : `[${property(r, scene, place)}]`
  return text
}

function base(r, scene, { node }) {
  const own = classOf(node.nodeType)
  const handle = scene.dialect === '1.0' ? (node.key ?? r.pick(KEYS)) : node.id
  const kind = r.weigh({ class: 8, star: 3, type: 3, handle: 3, other: 1, tag: scene.dialect === '1.0' ? 1 : 0 })
  if (kind === 'star' || own === undefined) return '*'
  if (kind === 'handle') return `#${quoted(r, handle)}`
  if (kind === 'type' && /^[a-z]+(?::[a-z]+)?$/.test(node.nodeType)) return `.${node.nodeType}`
  if (kind === 'other') return r.pick(['.note', '.cont', '.seg', '.log.entry', '.block:note'])
  if (kind === 'tag') return `+${r.pick(['t', 'rag', 'audit'])}`
  return `.${r.pick(CLASSES[own])}`
}

function classOf(nodeType) {
  const first = nodeType.split(':')[0]
  return Object.keys(CLASSES).find((name) => CLASSES[name].includes(first))
}

function pseudo(r, { node, depth }) {
  const own = node.offset < 0 ? ':pre' : node.offset > 0 ? ':post' : ':core'
  return r.pick([
    own,
    own,
    ':first',
    ':last',
    `:nth(${r.between(1, 3)})`,
    `:depth(${depth ?? 1})`,
    `:depth(1-${r.between(1, 4)})`,
    r.pick([':pre', ':core', ':post']),
  ])
}

const NAMED = [
  'offset',
  'ttl',
  'priority',
  'cycle',
  'role',
  'kind',
  'key',
  'nodeType',
  'id',
  'tags',
  'content',
  'data_note',
  'age',
  'depth',
  'born_turn',
  'creation_index',
]

function property(r, { dialect }, { node }) {
  const present = Object.keys(node).filter(
    (name) => /^[a-z][\w:]*$/i.test(name) && name !== 'children' && name !== 'created_at_ns',
  )
  const name = r.chance(70) ? r.pick(present) : r.pick(NAMED)
  if (r.chance(5)) return r.pick(['ephemeral', 'sticky', 'data_missing', 'content'])
  let value = node[name]
  let at = name
  for (
    let steps = dialect === '1.0' ? 4 : 0;
    steps > 0 && typeof value === 'object' && value !== null && r.chance(70);
    steps--
  ) {
    const keys = Object.keys(value).filter((key) => /^[\w-]+$/.test(key))
    if (keys.length === 0) break
    const key = r.pick(keys)
    at += `.${key}`
    value = Object.hasOwn(value, key) ? value[key] : undefined
  }
  if (r.chance(12)) return at
  return `${at}${comparison(r, value)}`
}

function comparison(r, value) {
  if (r.chance(12))
    return `${r.pick(['=', '!=', '<', '<=', '>', '>=', '~'])}${r.pick(['1', "'a'", 'null', '-1', "''", 'true', '0.5'])}`
  if (value === null || value === undefined) return r.pick(['=null', '!=5'])
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    return r.pick([
      `=${value}`,
      `<=${value}`,
      `>=${value}`,
      `<${value + 1}`,
      `>${value - 1}`,
      `!=${value + 2}`,
      ` in [${value}, 77]`,
    ])
  }
  if (typeof value === 'boolean') return r.pick([`=${value}`, `!=${!value}`])
  if (typeof value === 'string') {
    const part = [...value].slice(0, 3).join('')
    return r.pick([
      `=${quoted(r, value)}`,
      `~${quoted(r, part)}`,
      `>=${quoted(r, value)}`,
      `!=${quoted(r, `${value}x`)}`,
      ` in [${quoted(r, value)}, 'other']`,
    ])
  }
  return r.pick(['!=null', "~'a'", '~5'])
}

const FAULTS = [
  '',
  '[',
  '#',
  '.block[',
  '.block:nth(0)',
  '@t1 .block',
  ':unknown',
  '.block:frist',
  '.block:dept(1)',
  '[ephemera]',
  '.block @ordr=pre',
  '.block >',
  '@c0..',
  "[id='x",
  '@order=up .block',
  '(d1, 0',
  '.block[ttl=]',
  '@t0..@t-1..@t-2 *',
  '.block @limit=-1',
]
