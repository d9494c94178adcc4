// Values that programs write: texts, contents, headers and specs of nodes, with the oddities that have broken something before.

/** @typedef {import('./random.mjs').Random} Random */

export const KEYS = [
  'a',
  'b',
  'note',
  'memory',
  '007',
  'k:first',
  'hero banner',
  '__proto__',
  '\u{1f600}',
  '\uffff',
  '\ue000b',
]
export const TAGS = ['t', 'rag', 'audit', 'two words', 'a:b', '\u{10000}', '\uffff', '5', 'constructor']
const ROLES = ['user', 'assistant', 'tool', 'system', 'critic']
const TEXTS = [
  '',
  ' ',
  'short',
  'a somewhat longer text with several words in it',
  'card 4111',
  '4111, 4111 \u{1f600}',
  'e\u0301 is not NFC',
  'lone \ud800 surrogate',
  '\udc00',
  'NUL \0',
  '\ufeffBOM',
  '\u2028',
  '\u202ebidi',
  '\r\n\u001b[31mred',
  '漢字 \u{1f600}',
  "it's",
  'say "hi"',
  'back\\slash',
  '42',
  'null',
  'two\nlines',
  'ends in space ',
  '\uffff after',
  '\u{10000} before',
]

/** @param {Random} r */
export function text(r) {
  if (r.chance(50)) return r.pick(TEXTS)
  if (r.chance(8)) return 'long '.repeat(r.between(20, 120))
  return `${r.pick(['see', 'say', 'find', 'read'])} ${r.below(50)} ${r.pick(TEXTS)}`
}

/** Own keys, also for names that an object literal would take for its prototype. */
export function objectOf(entries) {
  const result = {}
  for (const [key, value] of entries) {
    Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return result
}

const NAMES = [
  'a',
  'b',
  'text',
  'type',
  'role',
  'name',
  '__proto__',
  'constructor',
  'toString',
  '1',
  'x4111',
  '\ud800',
  '\uffff',
  '\u{1f600}',
  'é',
]

/** JSON, with whole numbers of any size. @param {Random} r */
export function json(r, depth = 2) {
  const kind = r.weigh({ text: 5, number: 3, constant: 2, big: 1, list: depth > 0 ? 2 : 0, object: depth > 0 ? 3 : 0 })
  if (kind === 'text') return text(r)
  if (kind === 'number') return r.pick([0, -0, 1, 5, 4111, -1.5, 1e21, 0.1, Number.MAX_SAFE_INTEGER])
  if (kind === 'constant') return r.pick([null, true, false])
  if (kind === 'big') return r.pick([2n ** 70n, -(2n ** 64n), 9_007_199_254_740_993n, 7n])
  if (kind === 'list') return r.list(3, () => json(r, depth - 1))
  return objectOf(r.list(3, () => [r.pick(NAMES), json(r, depth - 1)]))
}

/** Content, and now and then a value that is none. @param {Random} r */
export function content(r) {
  if (r.chance(55)) return text(r)
  if (r.chance(3)) return r.pick([Number.NaN, Infinity, () => 1, Symbol.iterator, new Map(), undefined])
  if (r.chance(15)) return r.pick(PARTS)
  return json(r)
}

/** Contents in the form of a provider's parts. */
const PARTS = [
  { type: 'text', text: 'part' },
  [
    { type: 'text', text: 'one' },
    { type: 'text', text: '' },
  ],
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
  { type: 'image_url', image_url: { url: 'https://example.org/x.png' } },
  { type: 'tool_use', id: 'a', name: 'f', input: 3 },
  { functionResponse: { name: 'x', response: { output: 'y' } } },
  { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
]

/** @param {Random} r */
export function ttl(r) {
  return r.chance(6) ? r.pick([-1, 0.5, '1', 2 ** 53]) : r.pick([0, 1, 1, 1, 2, 2, 3, null])
}

/**
 * Headers of a block. `refs` are ids that it may name.
 * @param {Random} r @param {readonly string[]} refs
 */
export function header(r, refs) {
  const result = {}
  if (r.chance(35)) result.ttl = ttl(r)
  if (r.chance(20)) result.priority = r.between(-2, 3)
  if (r.chance(35)) result.role = r.pick(ROLES)
  if (r.chance(20)) result.kind = r.pick(['text', 'call', 'result', 'reasoning', 'summary'])
  if (r.chance(15)) result.tags = r.list(3, () => r.pick(TAGS))
  if (r.chance(8)) result.pinned = r.chance(70)
  if (r.chance(12)) result.data_call_id = r.pick(['c1', 'c2', 'c/3', ''])
  if (r.chance(10)) result.data_note = json(r)
  if (r.chance(6)) result.content_lang = text(r)
  if (r.chance(6)) result['x:flag'] = json(r, 1)
  if (r.chance(6)) result.provenance = json(r, 1)
  if (r.chance(6)) result.type = r.pick(['note', 'summary', 'log.entry'])
  if (r.chance(18) && refs.length > 0) result.refs = r.list(2, () => r.pick(refs))
  if (r.chance(2)) result[r.pick(['data_', 'children_', 'contents', 'Role'])] = 1
  return result
}

/** A key, mostly with a cadence. @param {Random} r */
export function keyed(r) {
  if (r.chance(60)) return {}
  if (r.chance(4)) return r.pick([{ cad: 2 }, { cad: 0, key: 'a' }, { cad: 1.5, key: 'b' }, { key: '' }])
  return r.chance(50) ? { key: r.pick(KEYS) } : { key: r.pick(KEYS), cad: r.pick([1, 1, 2, 3]) }
}

/**
 * A block or a container.
 * @param {Random} r @param {Readonly<{ refs: readonly string[], dialect: string }>} scene
 */
export function spec(r, { refs, dialect }, depth = 1) {
  if (r.chance(18) && depth > 0) {
    const box = keyed(r)
    if (r.chance(40)) box.removable = r.chance(70)
    if (r.chance(25)) box.ttl = ttl(r)
    if (r.chance(15)) box.tags = [r.pick(TAGS)]
    return { ...box, children: r.list(3, () => spec(r, { refs, dialect }, r.chance(25) ? depth : 0)) }
  }
  const type = r.chance(12) ? { nodeType: typeName(r, dialect) } : {}
  return { content: content(r), ...header(r, refs), ...(depth > 0 ? keyed(r) : {}), ...type }
}

function typeName(r, dialect) {
  return r.pick(
    dialect === '1.0' ? ['block:note', 'block', 'cont', 'block:log.entry'] : ['cb:note', 'cb', 'mc', 'cb:sql'],
  )
}

/** Where in the head a node is added. @param {Random} r */
export function place(r) {
  const result = {}
  if (r.chance(50)) result.zone = r.pick(['pre', 'core', 'post'])
  if (r.chance(15)) result.offset = r.between(-3, 3)
  if (r.chance(1)) result.zone = 'middle'
  return result
}

/** Changes that `update` makes. @param {Random} r */
export function changes(r) {
  const result = {}
  if (r.chance(60)) result.ttl = ttl(r)
  if (r.chance(30)) result.priority = r.between(-2, 3)
  if (r.chance(20)) result.pinned = r.chance(60)
  if (r.chance(20)) result.tags = r.list(2, () => r.pick(TAGS))
  return result
}

/** Author and reason. @param {Random} r */
export function authorship(r) {
  return {
    ...(r.chance(40) ? { author: r.pick(['kim', 'Zoë']) } : {}),
    ...(r.chance(40) ? { reason: 'personal data' } : {}),
  }
}

/** A redaction; a pattern is data, since a `RegExp` has a state. @param {Random} r */
export function redaction(r) {
  const pattern = r.pick([
    ['[0-9]+', ''],
    ['\\d*', 'gy'],
    ['CARD|x', 'i'],
    ['.', 'u'],
    ['[^\\s]+', 'g'],
    ['[aeiou]+', ''],
  ])
  const match = r.chance(55) ? r.pick(['4111', '4111', '11', 'short', '\u{1f600}', 'a', '']) : { pattern }
  return { match, ...(r.chance(40) ? { with: r.pick(['', '$&', '4111', '\u2588']) } : {}), ...authorship(r) }
}
