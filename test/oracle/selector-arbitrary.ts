// Worlds and selectors for laws about `select`. Both are written by following a list of numbers, each of which settles one
// question; where the list ends, every answer is the first and simplest. So shrinking the list shrinks the world or the
// text. A selector is mostly true of a node picked beforehand, which is why many match; noise makes the others.

import fc from 'fast-check'

import { oracleCoordinate, type OracleTree, type OracleWorld } from './selector.js'
import { documentOrder, idOf, type Place, tagsOf, virtualCoreOf, viewOf } from './selector-match.js'
import type { Dialect } from './selector-parse.js'

export type WorldOptions = {
  dialect?: Dialect
  /** Also two containers, or blocks and a container, at offset 0 of one segment (D4 warns). Default true. */
  faults?: boolean
}

export type SelectorOptions = {
  /** Also time ranges, `@history` and `@mode`. Default false. */
  ranges?: boolean
  /** Also selectors that are errors, about one in 25. Default true. */
  errors?: boolean
}

/** A context with up to four snapshots that differ a little, and a working state that differs a little again. */
export function worldArbitraryOf(options: WorldOptions): fc.Arbitrary<OracleWorld> {
  return numbers(150, 500).map((list) => new WorldWriter(new Choices(list), options).world())
}

export const worldArbitrary: fc.Arbitrary<OracleWorld> = worldArbitraryOf({})

/** Selector text over the whole grammar of the dialect, with names, ids and values mostly of this world. */
export function selectorArbitrary(
  world: OracleWorld,
  dialect: Dialect,
  options: SelectorOptions = {},
): fc.Arbitrary<string> {
  return numbers(40, 140).map((list) => new SelectorWriter(new Choices(list), world, dialect, options).selector())
}

function numbers(minLength: number, maxLength: number): fc.Arbitrary<number[]> {
  return fc.noBias(fc.array(fc.nat({ max: 9_999 }), { minLength, maxLength, size: 'max' }))
}

class Choices {
  private readonly list: readonly number[]
  private at = 0

  constructor(list: readonly number[]) {
    this.list = list
  }

  /** 0 up to, not including, `count`. */
  below(count: number): number {
    return (this.list[this.at++] ?? 0) % count
  }

  /** False where the list has ended. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent
  }

  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)]!
  }

  /** Each option as often as its weight says; the first where the list has ended. */
  weigh<T>(options: readonly (readonly [weight: number, option: T])[]): T {
    return this.pick(options.flatMap(([weight, option]) => Array.from({ length: weight }, () => option)))
  }
}

const ODD_TEXTS: readonly string[] = [
  'a b',
  "it's",
  'say "hi"',
  'back\\slash',
  'tail\\',
  'n\u00fc\u0308',
  '\u65e5\u672c',
  '\u{1f600}',
  '\ud800',
  '\udc00x',
  '\uffff',
  '\u{10000}',
  'a:first',
  'x:depth',
  '007',
  '5',
  'null',
  'true',
  'None',
  'two\nlines',
  ']}',
  'a, b',
  '@t0',
]

// --------------------------------------------------------------------------------------------------------------- worlds

type Json = Record<string, unknown>

const ROLES = ['user', 'assistant', 'tool', 'system'] as const
const KINDS = ['text', 'call', 'result', 'summary'] as const
const KEYS = [
  'note',
  'note',
  'note',
  'note',
  'policy',
  'policy',
  'theme',
  'nav',
  'hero banner',
  'k:first',
  '007',
  '\u{1f600}',
  '\ud800',
] as const
const TAGS = ['audit', 'rag', 'user', 'z', 'a:b', 'two words', '\u{10000}', '5'] as const
const TIMES = [
  0n,
  1_000n,
  1_000n,
  2_000n,
  1_700_000_000_000_000_000n,
  9_007_199_254_740_993n,
  9_223_372_036_854_775_807n,
]

class WorldWriter {
  private readonly c: Choices
  private readonly dialect: Dialect
  private readonly faults: boolean
  private readonly used = new Set<string>()
  private cycle = 1

  constructor(choices: Choices, options: WorldOptions) {
    this.c = choices
    this.dialect = options.dialect ?? choices.pick(['1.0', '0.1'])
    this.faults = options.faults ?? true
  }

  world(): OracleWorld {
    this.cycle = 1 + this.c.below(4)
    const count = this.c.weigh([
      [6, 1],
      [5, 2],
      [4, 3],
      [2, 4],
      [1, 0],
    ])
    let tree = this.tree()
    const snapshots: { cycle: number; tree: OracleTree }[] = []
    for (let i = 0; i < count; i++) {
      if (i > 0) {
        this.cycle += this.c.weigh([
          [4, 1],
          [1, 2],
        ])
        tree = this.changed(tree)
      }
      snapshots.push({ cycle: this.cycle, tree })
    }
    this.cycle++
    const working = this.c.chance(60) ? this.changed(tree) : tree
    return { dialect: this.dialect, snapshots, working }
  }

  private get modern(): boolean {
    return this.dialect === '1.0'
  }

  private tree(): Json {
    const regions = [
      this.node('sys', '^sys', 0, { children: this.systemChildren() }),
      this.node('seq', '^seq', this.c.pick([0, 0, -1, 3]), { children: [] }),
      this.node(this.c.pick(['ah', 'ah-1']), '^ah', 0, { children: this.turnChildren(20) }),
    ]
    const shared = this.c.chance(15)
    const segments = this.c.pick([3, 2, 4, 1, 5, 0])
    for (let i = 0; i < segments; i++) {
      ;(regions[1]!['children'] as Json[]).push(this.segment(shared ? 0 : i * this.c.pick([1_048_576, 1, 7])))
    }
    return this.node('root', '^root', 0, { children: this.c.chance(20) ? regions.toReversed() : regions })
  }

  private segment(offset: number): Json {
    const nodeType = this.c.weigh([
      [5, this.modern ? 'seg' : 'mt'],
      [2, this.modern ? 'mt' : 'seg'],
      [1, 'seg:chapter'],
      [1, 'custom:turn'],
      [1, this.modern ? 'turn' : 'mt:turn'],
    ])
    const segment = this.node(this.id('seg'), nodeType, offset, {})
    this.decorate(segment, 15)
    return { ...segment, children: this.turnChildren(5) }
  }

  /** Pre-context, a core that is a container, or virtual, or missing, and post-context. */
  private turnChildren(emptyPercent: number): Json[] {
    if (this.c.chance(emptyPercent)) return []
    const children: Json[] = []
    for (let i = this.c.pick([0, 1, 2, 3]); i > 0; i--) children.push(this.item(this.c.pick([-1, -1, -2])))
    const core = this.c.weigh([
      [4, 'real'],
      [4, 'virtual'],
      [1, 'none'],
      [1, this.faults ? 'double' : 'real'],
      [1, this.faults ? 'beside' : 'virtual'],
    ] as const)
    if (core === 'real' || core === 'double' || core === 'beside') children.push(this.container(0, 1))
    if (core === 'double') children.push(this.container(0, 2))
    if (core === 'virtual' || core === 'beside') {
      for (let i = 1 + this.c.below(3); i > 0; i--) children.push(this.block(0))
    }
    for (let i = this.c.pick([0, 1, 2, 3]); i > 0; i--) children.push(this.item(this.c.pick([1, 1, 2, 3])))
    return children
  }

  private systemChildren(): Json[] {
    const children: Json[] = []
    for (let i = this.c.pick([1, 2, 0, 3]); i > 0; i--) children.push(this.item(this.c.pick([0, 0, 1, 2, -1])))
    return children
  }

  private item(offset: number): Json {
    return this.c.chance(25) ? this.container(offset, 1) : this.block(offset)
  }

  private container(offset: number, level: number): Json {
    const nodeType = this.c.weigh([
      [5, this.modern ? 'cont' : 'mc'],
      [1, this.modern ? 'mc' : 'cont'],
      [1, 'cont:Message'],
      [1, 'custom:group'],
      [1, this.modern ? 'group' : 'mc:group'],
    ])
    const container = this.node(this.id('cont'), nodeType, offset, {})
    this.decorate(container, 20)
    const offsets = this.c.pick([
      [0, 1, 2],
      [0, 0, 0],
      [-1, 0, 5],
    ])
    const children: Json[] = []
    for (let i = this.c.pick([1, 2, 3, 0]); i > 0; i--) {
      const at = offsets[children.length]!
      children.push(level < 3 && this.c.chance(20) ? this.container(at, level + 1) : this.block(at))
    }
    return { ...container, children }
  }

  private block(offset: number): Json {
    const nodeType = this.c.weigh([
      [8, this.modern ? 'block' : 'cb'],
      [2, this.modern ? 'cb' : 'block'],
      [2, 'block:summary'],
      [2, 'cb:summary'],
      [1, 'cb:first'],
      [1, 'custom:note'],
      [1, 'block:log.entry'],
      [1, this.modern ? 'note' : 'cb:sql:query'],
      [1, this.modern ? 'log.entry' : 'cb:note'],
      [1, this.modern ? 'idea' : 'custom:idea'],
    ])
    const block = this.node(this.id('block'), nodeType, offset, {})
    if (this.c.chance(60)) block['role'] = this.c.pick(ROLES)
    if (this.c.chance(35)) block['kind'] = this.c.pick(KINDS)
    if (this.c.chance(15)) block['type'] = this.c.pick(['summary', 'note', 'log.entry', 'cta'])
    if (this.c.chance(70)) block['content'] = this.c.chance(25) ? this.structured() : this.text()
    this.decorate(block, 40)
    return block
  }

  /** Keys, tags and custom attributes. */
  private decorate(node: Json, percent: number): void {
    if (this.c.chance(percent)) {
      node['key'] = this.c.pick(KEYS)
      if (this.c.chance(25)) node['cad'] = this.c.pick([1, 1, 2])
    }
    if (this.c.chance(percent)) {
      node['tags'] = [...new Set(Array.from({ length: 1 + this.c.below(3) }, () => this.c.pick(TAGS)))]
    }
    if (this.c.chance(percent / 2)) {
      node['tag'] = this.c.pick<() => unknown>([
        () => this.c.pick(TAGS),
        () => [this.c.pick(TAGS), this.c.pick(TAGS)],
        () => this.c.pick<unknown>([[], ['audit', 5, null], 5, null, { a: 'audit' }]),
      ])()
    }
    for (let i = this.c.pick([0, 1, 2]); i > 0; i--) {
      const name = this.c.pick([
        'data_n',
        'data_n',
        'data_s',
        'data_mixed',
        'content_lang',
        'status',
        'author',
        'x:flag',
        'data_usage',
        'data_usage.input', // next to data_usage, an attribute of that very name (D53)
      ])
      node[name] = name === 'data_usage' ? this.structured() : this.value()
    }
  }

  /** Values that can be searched inside (D53), with names that every object inherits. */
  private structured(): unknown {
    return this.c.pick<() => unknown>([
      () => ({ command: 'npm test', args: ['-w', { cwd: this.text() }], input: this.c.below(200) }),
      () => ({ input: this.value(), output: String(this.c.below(200)), nested: { deep: [[this.text()], null] } }),
      () => [{ type: 'text', text: this.text() }, 5, 'npm', [true, this.text()]],
      () => JSON.parse('{"__proto__": {"x": "own"}, "constructor": "made", "length": 3}') as unknown,
      () => this.value(),
    ])()
  }

  private value(): unknown {
    return this.c.pick<() => unknown>([
      () => this.c.below(12),
      () => String(this.c.below(12)),
      () => this.c.pick(['ok', 'P1', 'en', 'assistant', 'abc']),
      () => this.c.pick([0.5, -2.25, 10.75]),
      () => this.c.pick([9_007_199_254_740_993n, -(2n ** 70n), 2n ** 64n]),
      () => this.c.pick(['9007199254740993', '10.50', '-3']),
      () => this.c.chance(50),
      () => ['x', 5, true, this.text()],
      () => ({ a: 1, b: [this.text()] }),
      () => null,
      () => this.text(),
    ])()
  }

  private text(): string {
    return this.c.chance(30) ? this.c.pick(ODD_TEXTS) : this.c.pick(['Hello', 'Hi there', 'S', '42', 'x y z'])
  }

  private id(prefix: string): string {
    const wanted = this.c.chance(12) ? this.c.pick(ODD_TEXTS) : `${prefix}:${this.cycle}-${this.used.size}`
    const id = this.used.has(wanted) ? `${wanted}${this.used.size}` : wanted
    this.used.add(id)
    return id
  }

  private node(id: string, nodeType: string, offset: number, more: Json): Json {
    this.used.add(id)
    const time = nodeType.startsWith('^') ? 0n : this.c.pick(TIMES)
    const ttl = nodeType.startsWith('^') ? null : this.c.pick([null, null, null, 0, 1, 2, 5])
    return {
      id,
      nodeType,
      offset,
      ttl,
      priority: this.c.pick([0, 0, 1, 5, -2]),
      cycle: nodeType.startsWith('^') ? 1 : 1 + this.c.below(this.cycle),
      created_at_ns: time,
      created_at_iso: isoOf(time),
      creation_index: this.c.below(4),
      ...more,
    }
  }

  /** A copy in which a few nodes were dropped, altered or added, or one more turn was sealed. */
  private changed(tree: Json): Json {
    const copy = structuredClone(tree)
    for (let i = this.c.below(4); i > 0; i--) {
      const parents = nodesOf(copy).filter((node) => node['children'] !== undefined && node['nodeType'] !== '^root')
      const parent = this.c.pick(parents)
      const children = parent['children'] as Json[]
      const child = children.length === 0 ? undefined : this.c.pick(children)
      switch (this.c.below(4)) {
        case 0:
          if (child === undefined) break
          child['ttl'] = this.c.pick([null, 0, 1, 4])
          child['priority'] = this.c.below(6)
          if (this.c.chance(50)) child['tags'] = [this.c.pick(TAGS)]
          if (this.c.chance(50)) child['data_n'] = this.value()
          break
        case 1:
          if (child !== undefined) children.splice(children.indexOf(child), 1)
          break
        case 2:
          if (parent['nodeType'] !== '^seq') children.push(this.block(this.c.pick([1, -1, 2])))
          break
        default: {
          const sequence = nodesOf(copy).find((node) => node['nodeType'] === '^seq')!
          const turns = sequence['children'] as Json[]
          turns.push(this.segment(Math.max(0, ...turns.map((turn) => Number(turn['offset']))) + 1_048_576))
        }
      }
    }
    return copy
  }
}

function nodesOf(tree: Json): Json[] {
  return [tree, ...((tree['children'] ?? []) as Json[]).flatMap(nodesOf)]
}

/** The UTC form with nine fraction digits (D37). */
function isoOf(ns: bigint): string {
  const seconds = new Date(Number(ns / 1_000_000_000n) * 1_000).toISOString().slice(0, 19)
  return `${seconds}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`
}

// ------------------------------------------------------------------------------------------------------------ selectors

/** A step of a chain, with the ancestor of the target it is about: 0 is the root, a virtual core is half a step on. */
type Written = { text: string; at: number; kind: 'step' | 'zone' | 'virtual' }

const CLASS_TOKENS = { seg: ['seg', 'mt'], cont: ['cont', 'mc'], block: ['block', 'cb'] } as const

class SelectorWriter {
  private readonly c: Choices
  private readonly world: OracleWorld
  private readonly dialect: Dialect
  private readonly options: SelectorOptions
  private tree: OracleTree
  private cycle: number | undefined

  constructor(choices: Choices, world: OracleWorld, dialect: Dialect, options: SelectorOptions) {
    this.c = choices
    this.world = world
    this.dialect = dialect
    this.options = options
    this.tree = world.working
  }

  selector(): string {
    if (this.options.errors !== false && this.c.chance(4)) return this.c.pick(errorsOf(this.dialect))
    const time = this.time()
    if (this.options.errors !== false && this.modern && this.c.chance(2))
      return [time, this.position()].join(' ').trim()
    const body =
      this.modern && this.c.chance(time === '@*' ? 20 : 6) ? `${this.union()} ?? ${this.union()}` : this.union()
    return [time, body, this.controls(time)].filter((part) => part !== '').join(this.gap())
  }

  private get modern(): boolean {
    return this.dialect === '1.0'
  }

  /** The prefix; sets the tree that names and values are taken from. */
  private time(): string {
    const newestFirst = this.world.snapshots.toSorted((a, b) => b.cycle - a.cycle)
    const latest = newestFirst[0]
    const at = (index: number): void => {
      this.tree = newestFirst[index]!.tree
      this.cycle = newestFirst[index]!.cycle
    }
    if (latest === undefined) return this.c.pick(this.modern ? ['', '@working', '@*', '@t0'] : ['@working', '', '@*'])
    if (this.options.ranges === true && this.c.chance(20)) {
      at(this.c.below(newestFirst.length))
      return this.range(newestFirst.map(({ cycle }) => cycle))
    }
    const kind = this.c.weigh([
      [8, 'none'],
      [3, 't'],
      [3, 'c'],
      [3, 'all'],
      [2, 'working'],
      [1, 'oldest'],
      [1, this.world.preview === undefined ? 'none' : 'preview'],
    ] as const)
    const index = this.c.below(newestFirst.length)
    switch (kind) {
      case 'none':
        if (!this.modern) this.tree = latest.tree
        return ''
      case 'working':
        return '@working'
      case 'preview':
        this.tree = this.world.preview!
        return '@preview'
      case 'oldest':
        at(newestFirst.length - 1)
        return '@t-*'
      case 't':
        at(index)
        if (this.c.chance(3)) return '@t-77'
        return index === 0 ? '@t0' : `@t-${index}`
      case 'c':
        at(index)
        return this.c.chance(3) ? '@c77' : `@c${this.cycle}`
      case 'all':
        at(index)
        return '@*'
    }
  }

  private range(cycles: readonly number[]): string {
    const operator = this.c.pick(['..', ':'])
    const turns = [this.c.below(cycles.length + 1), this.c.below(cycles.length + 1)].map((n) =>
      n === 0 ? '0' : `-${n}`,
    )
    return this.c.pick([
      `@t${turns[0]}${operator}@t${turns[1]}`,
      `@t${turns[0]}${operator}${turns[1]}`,
      `@c${this.c.pick(cycles)}${operator}@c${this.c.pick(cycles)}`,
      `@c${this.c.pick(cycles)}${operator}${this.c.pick(cycles)}`,
      `@t0${operator}@t-*`,
      '@history',
    ])
  }

  private union(): string {
    const groups = [this.group(true)]
    while (groups.length < 3 && this.c.chance(18)) groups.push(this.group(true))
    return groups.join(this.c.pick([', ', ',', ' , ']))
  }

  /** A chain true of some node of the tree, where noise does not spoil it. */
  private group(zones: boolean): string {
    const places = documentOrder(viewOf(this.tree, this.dialect, this.cycle))
    const blocks = places.filter((place) => place.class === 'block')
    const target = blocks.length > 0 && this.c.chance(60) ? this.c.pick(blocks) : this.c.pick(places)
    const line = [target]
    while (line[0]!.parent !== undefined) line.unshift(line[0]!.parent)
    const form = this.modern
      ? this.c.weigh([
          [14, 'chain'],
          [3, 'scope'],
          [2, 'coordinate'],
          [2, 'parentheses'],
        ] as const)
      : 'chain'
    if (form === 'scope' && target.depth !== undefined) return this.scoped(line, zones)
    if (form === 'coordinate') return this.coordinate(line)
    if (form === 'parentheses') return this.parenthesized(line)
    return this.chain(line, 0, undefined, zones)
  }

  /** Steps for some of the ancestors from `from` on, and for the target; `head` is the chain before them. */
  private chain(line: readonly Place[], from: number, head: Written | undefined, zones: boolean): string {
    const steps: Written[] = head === undefined ? [] : [head]
    line.forEach((place, at) => {
      const isTarget = at === line.length - 1
      if (at < from || (!isTarget && !this.c.chance(35))) return
      const parent = place.parent
      const core = parent === undefined ? undefined : virtualCoreOf(parent)
      if (core?.children.includes(place) === true && this.c.chance(30)) {
        const filter = this.c.pick(['', '', '[offset=0]', ':core', ':first', '[cycle=null]'])
        steps.push({ text: `.${this.c.pick(CLASS_TOKENS.cont)}${filter}`, at: at - 0.5, kind: 'virtual' })
      } else if (
        zones &&
        (parent?.class === 'seg' || parent?.depth === -1 || parent?.region === '^ah') &&
        this.c.chance(20)
      ) {
        const zone = offsetSide(place)
        steps.push({ text: `${zone}${this.c.chance(30) ? this.extras(place) : ''}`, at, kind: 'zone' })
        if (this.c.chance(30)) return
      }
      steps.push({ text: this.step(place, steps.length === 0), at, kind: 'step' })
    })
    return steps.map((step, i) => (i === 0 ? step.text : this.combinator(steps[i - 1]!, step) + step.text)).join('')
  }

  private combinator(left: Written, right: Written): string {
    const child =
      right.kind === 'virtual' ? left.at === right.at - 0.5 : right.at - left.at <= (left.kind === 'zone' ? 0 : 1)
    return child && this.c.chance(45) ? this.c.pick([' > ', '>', ' >']) : this.gap()
  }

  private scoped(line: readonly Place[], zones: boolean): string {
    const at = line.findIndex((place) => place.depth !== undefined)
    const depth = line[at]!.depth!
    const high = depth + this.c.below(3)
    const low = Math.max(-1, depth - this.c.below(2))
    const text = this.c.pick([`d${depth}`, `d${low}..d${high}`, `d${low}..${high}`, `depth(${depth})`])
    const filtered = this.c.chance(12) ? text + this.extras(line[at]!) : text
    if (this.c.chance(12)) return filtered
    const from = line[at]!.class === 'seg' && this.c.chance(25) ? at : at + 1
    if (from >= line.length) return filtered
    return this.chain(line, from, { text: filtered, at, kind: 'step' }, zones)
  }

  private coordinate(line: readonly Place[]): string {
    const at = this.c.chance(40) ? this.c.below(line.length) : line.length - 1
    const place = line[at]!
    const exact = oracleCoordinate(this.tree, idOf(place))
    const text =
      place.depth !== undefined && this.c.chance(40) ? `(d${[place.depth, ...place.offsets].join(',')})` : exact
    const set = this.c.chance(15) && exact.endsWith(')') ? `(${text}, (d1, 0), (d0,-1))` : text
    const head = { text: set + (this.c.chance(15) ? this.extras(place) : ''), at, kind: 'step' } as const
    return at === line.length - 1 ? head.text : this.chain(line, at + 1, head, false)
  }

  private parenthesized(line: readonly Place[]): string {
    const at = this.c.chance(40) ? this.c.below(line.length) : line.length - 1
    const inner = [this.chain(line.slice(0, at + 1), 0, undefined, false)]
    if (this.c.chance(50)) inner.push(this.group(false))
    const depth = line[at]!.depth
    // Depths and coordinates alone, and a depth in parentheses before anything, are unions (D44).
    if (depth !== undefined && this.c.chance(10)) inner.splice(0, 2, `d${depth}`, this.c.pick(['d1', '(d1, 0)', 'd0']))
    else if (this.c.chance(10)) inner.unshift('(d1)')
    const text = this.c.pick([`(${inner.join(', ')})`, `( ${inner.join(',')} )`, `(${inner.join(' ?? ')})`])
    const head = { text: text + (this.c.chance(40) ? this.extras(line[at]!) : ''), at, kind: 'step' } as const
    return at === line.length - 1 ? head.text : this.chain(line, at + 1, head, true)
  }

  /** A list that starts with a bare depth; mostly a position of older drafts, sometimes a set of places (D44). */
  private position(): string {
    this.cycle = undefined // one fault a text: where no snapshot is named, a facet would be another
    const depth = this.c.pick(['d1', 'd0', 'd1..d2', 'd-1', 'depth(1)', 'depth(0)'])
    const members = [depth, this.group(false)]
    if (this.c.chance(30)) members.push(this.group(false))
    return this.c.pick([
      `(${members.join(', ')})`,
      `( ${members.join(',')} ) +audit`,
      `(${members.join(', ')}) > .block`,
    ])
  }

  private step(place: Place, first: boolean): string {
    if (place.region !== undefined && this.c.chance(80)) {
      const sugar = place.region === '^sys' && this.c.chance(15) ? '.sys' : place.region
      return sugar + (this.c.chance(15) ? this.extras(place) : '')
    }
    const base = this.base(place)
    if (base === '') {
      const extras = this.extras(place)
      return first || !this.modern ? extras : `*${extras}`
    }
    const grouped = /^\.[^#]*$/.test(base) && base !== '.sys' && this.modern && this.c.chance(8)
    const group = grouped
      ? `(${this.property(place)}${this.c.chance(50) ? this.c.pick([' ', ',', ' , ']) + this.property(place) : ''})`
      : ''
    return base + group + (this.c.chance(45) ? this.extras(place) : '')
  }

  /** The first token of a step: a type, `*`, an id or key, a tag, or nothing. */
  private base(place: Place): string {
    if (this.noise()) return this.c.pick(['.mt', '.cont', '.cb', '.note', '.cb:summary', '#note', '*'])
    const nodeType = String(place.node!['nodeType'])
    const key = place.node!['key'] as string | undefined
    const tags = tagsOf(place.node!)
    const token = place.class === 'region' ? '*' : `.${this.c.pick(CLASS_TOKENS[place.class])}`
    const plainType =
      /^[A-Za-z][\w-]*(?::[A-Za-z0-9_-]+)*$/.test(nodeType) && !/:(?:first|last|pre|core|post)/.test(nodeType)
    const types = [token]
    if (plainType) types.push(`.${nodeType}`)
    if (this.modern) {
      if (nodeType.endsWith('summary') || place.node!['type'] === 'summary') types.push('.summary', '.x:summary')
      if (nodeType.endsWith('note') || place.node!['type'] === 'note') types.push('.note', '.block:note')
      if (nodeType.endsWith('log.entry')) types.push('.log.entry', '.entry', `${token}.log`)
    }
    const handle = this.modern ? key : idOf(place)
    const weight = this.modern ? 5 : 2
    return this.c.weigh([
      [6, token],
      [4, this.c.pick(types)],
      [2, '*'],
      [weight, handle === undefined ? token : this.handle(handle)],
      [1, ''],
      [1, handle === undefined ? '*' : token + this.handle(handle)],
      [1, this.modern && tags.length > 0 ? this.tag(this.c.pick(tags)) : token],
    ])
  }

  private handle(text: string): string {
    const plain =
      /^[A-Za-z0-9][A-Za-z0-9_-]*(?::[A-Za-z0-9_-]+)*$/.test(text) && !/:(?:first|last|pre|core|post)/.test(text)
    return plain && !this.c.chance(10) ? `#${text}` : `#${this.quote(text)}`
  }

  private tag(text: string): string {
    return /^[A-Za-z][A-Za-z0-9_-]*(?::[A-Za-z0-9_-]+)*$/.test(text) ? `+${text}` : `{ tag=${this.quote(text)} }`
  }

  /** One to three filters and pseudos behind a step. */
  private extras(place: Place): string {
    let text = ''
    for (let i = this.c.pick([1, 1, 1, 2, 2, 3]); i > 0; i--) {
      const kind = this.c.weigh([
        [6, 'filter'],
        [3, 'pseudo'],
        [1, 'tag'],
      ] as const)
      const tags = tagsOf(place.node!)
      if (kind === 'tag' && this.modern && tags.length > 0) {
        text += (this.c.chance(40) ? ' ' : '') + this.tag(this.c.pick(tags))
      } else if (kind === 'pseudo') text += this.pseudo(place)
      else text += this.filter(place)
    }
    return text
  }

  private filter(place: Place): string {
    const space = this.c.pick(['', '', ' '])
    const properties = [this.property(place)]
    if (this.c.chance(20)) properties.push(this.property(place))
    const inner = space + properties.join(this.c.pick([', ', ','])) + space
    if (this.c.chance(35)) return `${this.modern && this.c.chance(50) ? ' ' : ''}{${inner}}`
    if (!this.modern) return properties.map((property) => `[${space}${property}${space}]`).join('')
    return `${this.c.chance(25) ? ' ' : ''}[${inner}]`
  }

  private pseudo(place: Place): string {
    const isSegment = place.class === 'seg'
    const depth = place.depth ?? 1
    const depths = [
      `${depth}`,
      `${depth},${depth + 2}`,
      `1-${Math.max(1, depth)}`,
      `1..${Math.max(2, depth)}`,
      '1, 2-3',
      '7',
    ]
    return this.c.weigh([
      [5, offsetSide(place)],
      [isSegment ? 8 : 1, `:depth(${this.c.pick(depths)})`],
      [2, ':first'],
      [2, ':last'],
      [2, `:nth(${1 + this.c.below(3)})`],
      [1, this.c.pick([':pre', ':core', ':post'])],
    ])
  }

  /** `name`, `name = literal` and so on, mostly true of the node. */
  private property(place: Place): string {
    const node = place.node!
    const present = Object.keys(node).filter((name) => name !== 'children' && (this.modern || !name.includes('.')))
    const optional = present.filter((name) => !HEADERS.includes(name))
    const structured = optional.filter((each) => typeof node[each] === 'object' && node[each] !== null)
    if (this.modern && structured.length > 0 && this.c.chance(40)) return this.inside(node, this.c.pick(structured))
    const name = this.c.weigh([
      [4, this.c.pick(present)],
      [4, optional.length === 0 ? this.c.pick(present) : this.c.pick(optional)],
      [2, this.c.pick(['offset', 'ttl', 'cycle', 'created_at_ns', 'priority', 'nodeType', 'id'])],
      [1, this.c.pick(['role', 'kind', 'key', 'tag', 'cad', 'data_n', 'data_missing', 'status', 'content'])],
      [1, this.cycle === undefined ? 'offset' : this.c.pick(['age', 'born_turn', 'depth'])],
    ])
    if (this.noise()) return this.randomProperty(name)
    const ttl = node['ttl']
    if (this.c.chance(8) && ttl !== null && Number(ttl) <= 1) return 'ephemeral'
    if (this.c.chance(8) && node['cad'] === 1) return 'sticky'
    const value = this.valueOf(place, name)
    if (value === null || value === undefined)
      return this.comparison(
        name,
        this.c.pick([
          ['=', 'null'],
          ['!=', '5'],
          ['=', 'None'],
        ]),
      )
    if (this.c.chance(12)) return name
    return this.comparison(name, this.trueOf(name, value))
  }

  /** A test of something inside an attribute, or next to it (D53). */
  private inside(node: OracleTree, attribute: string): string {
    let name = attribute
    let value: unknown = node[attribute]
    while (typeof value === 'object' && value !== null && (name === attribute || this.c.chance(60))) {
      const keys = Object.keys(value).filter((key) => /^[\w-]+$/.test(key))
      const key = keys.length === 0 || this.noise() ? this.c.pick(INHERITED) : this.c.pick(keys)
      name += `.${key}`
      value = Object.hasOwn(value, key) && key !== 'length' ? (value as Record<string, unknown>)[key] : null
    }
    if (value === null || value === undefined || this.noise()) return this.randomProperty(name)
    return this.c.chance(15) ? name : this.comparison(name, this.trueOf(name, value))
  }

  private valueOf(place: Place, name: string): unknown {
    const node = place.node!
    if (name === 'age') return this.cycle! - Number(node['cycle'])
    if (name === 'born_turn') return node['cycle']
    if (name === 'depth') return place.depth
    if (name === 'tag' || name === 'tags') return tagsOf(node).length === 0 ? undefined : tagsOf(node)
    return node[name]
  }

  private comparison(name: string, [operator, literal]: readonly string[]): string {
    const gap = operator === 'in' ? ' ' : this.c.pick(['', '', ' '])
    return `${name}${gap}${operator}${gap}${literal}`
  }

  /** An operator and a literal that hold for this value, by what the decisions say of such values. */
  private trueOf(name: string, value: unknown): readonly string[] {
    if (name === 'tags' || name === 'tag') {
      const text = String(this.c.pick(value as unknown[]))
      const tag = /^\d+$/.test(text) && this.c.chance(50) ? text : this.quote(text)
      return this.c.pick([
        ['=', tag],
        ['~', tag],
        ['in', `[${tag}, 'other']`],
        ['!=', "'other'"],
      ])
    }
    if (typeof value === 'number' || typeof value === 'bigint') {
      if (typeof value === 'number' && !Number.isInteger(value)) {
        return this.c.pick([
          ['=', `${value}`],
          ['<=', `${value}`],
          ['>', `${value - 1}`],
          ['<', `'${value + 1}'`],
        ])
      }
      const whole = BigInt(value)
      const quoted = KNOWN_NUMBERS.includes(name) && this.c.chance(15) ? "'" : ''
      return this.c.pick([
        ['=', `${quoted}${whole}${quoted}`],
        ['<=', `${quoted}${whole}${quoted}`],
        ['>=', `${whole}`],
        ['<', `${whole + 1n}`],
        ['>', `${whole - 1n}`],
        ['!=', `${whole + 3n}`],
        ['=', `[${whole}, ${whole + 1n}]`],
        ['in', `[${whole - 1n},${whole}]`],
        ['!=', `[${whole - 1n}, null]`],
        ['>=', `${whole}.0`],
      ])
    }
    if (typeof value === 'boolean')
      return this.c.pick([
        ['=', `${value}`],
        ['=', `'${value}'`],
        ['!=', `${!value}`],
      ])
    if (typeof value === 'string') return this.trueOfText(value)
    if (name === 'content' && this.c.chance(70)) {
      const texts = JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `${each}` : each))
      const found = this.c.pick(/[\w -]{2,}/g.exec(texts) ?? ['x'])
      return ['~', this.c.pick([this.quote(found), this.quote(found.slice(1)), "'npm'", "'e'", "'command'", '5'])]
    }
    if (Array.isArray(value))
      return this.c.pick([
        ['~', "'x'"],
        ['~', '5'],
        ['~', 'true'],
        ['!=', 'x'],
      ])
    return ['!=', 'null']
  }

  private trueOfText(value: string): readonly string[] {
    const literal = this.word(value)
    const characters = [...value]
    const part = characters.slice(0, 1 + this.c.below(characters.length + 1)).join('')
    return this.c.pick([
      ['=', literal],
      ['=', literal],
      ['~', this.word(isWellFormed(part) ? part : '')],
      ['>=', literal],
      ['<=', literal],
      ['in', `[${literal}, "other"]`],
      ['=', `['other', ${literal}]`],
      ['!=', this.word(`${value}x`)],
      ['!=', `[other, ${this.word(`${value}y`)}]`],
    ])
  }

  private randomProperty(name: string): string {
    const operator = this.c.pick(['=', '!=', '<', '<=', '>', '>=', '~'])
    const literal = this.c.pick([
      () => String(this.c.below(9) - 2),
      () => `'${this.c.below(40)}'`,
      () => this.word(this.c.pick(ROLES)),
      () => 'null',
      () => this.quote(this.c.pick(ODD_TEXTS.filter(isWellFormed))),
      () => '9007199254740992',
      () => this.c.pick(['true', 'false', "''", '0.50', '-0', 'seg', 'mc', 'block']),
    ])()
    return this.comparison(name, [operator, literal])
  }

  private word(text: string): string {
    const bare = /^[A-Za-z][A-Za-z0-9_-]*(?::[A-Za-z0-9_-]+)*$/.test(text) && text !== 'null' && text !== 'None'
    return bare && this.c.chance(30) ? text : this.quote(text)
  }

  private quote(text: string): string {
    const quote = this.c.pick(["'", '"'])
    return quote + text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote
  }

  private controls(time: string): string {
    if (!this.c.chance(time === '@*' || isRange(time) ? 50 : 22)) return ''
    const controls: string[] = []
    if (this.c.chance(50))
      controls.push(`@order=${this.c.pick(['pre', 'post', 'bfs', 'path', 'turn:asc', 'turn:desc'])}`)
    if (this.c.chance(30)) controls.push(`@skip=${this.c.below(3)}`)
    if (this.c.chance(40)) controls.push(this.c.pick([`@limit=${1 + this.c.below(4)}`, '@first', '@limit=0']))
    if (this.c.chance(15)) controls.push(this.c.pick(['@unique', '@vendor', '@vendor=x1', '@*']))
    if (isRange(time) && this.c.chance(30)) controls.push(`@mode=${this.c.pick(['pairwise', 'latest', 'union'])}`)
    if (controls.length > 0 && this.modern && this.c.chance(10))
      controls.push(this.c.pick(['[ttl=null]', '{ offset>=0 }', '+audit']))
    return controls.join(' ')
  }

  private gap(): string {
    return this.c.weigh([
      [12, ' '],
      [1, '  '],
      [1, '\n'],
      [1, '\t'],
    ])
  }

  private noise(): boolean {
    return this.c.chance(12)
  }
}

/** Names that nothing has of its own, but what every object, list or text has from elsewhere. */
const INHERITED = ['length', 'constructor', '__proto__', 'toString', 'missing', '7', '00', '-1'] as const

const HEADERS = [
  'id',
  'nodeType',
  'offset',
  'ttl',
  'priority',
  'cycle',
  'created_at_ns',
  'created_at_iso',
  'creation_index',
]
const KNOWN_NUMBERS = [
  'offset',
  'ttl',
  'cad',
  'priority',
  'cycle',
  'created_at_ns',
  'creation_index',
  'age',
  'born_turn',
  'depth',
]

/** Without lone surrogates: half of a pair is no part of a text that any reading of `~` agrees on. */
function isWellFormed(text: string): boolean {
  return [...text].every((character) => character.length === 2 || !/[\ud800-\udfff]/.test(character))
}

function offsetSide(place: Place): string {
  const offset = Number(place.node!['offset'])
  return offset < 0 ? ':pre' : offset === 0 ? ':core' : ':post'
}

function isRange(time: string): boolean {
  return time === '@history' || /\.\.|:/.test(time)
}

/** Selectors whose error code no reading of the decisions doubts. */
function errorsOf(dialect: Dialect): readonly string[] {
  const both = [
    '.block:depth()',
    '.seg:depth(3-1)',
    '.seg:depth(-2)',
    '.block:nth(0)',
    '.block:nth()',
    '.block[age<2]',
    '@working .block[depth=1]',
    '.block @mode=latest',
    '.block >',
    '.block,',
    '.block[]',
    '.block?',
    "[role='user",
    '^nowhere',
    '.block:bogus[x]:nope',
    '@t0..@c1 .block',
    '@*..@t0 .block',
    '@t+1 .block',
    '',
  ]
  const old = ['[data_s.a=1]', 'd1 .cb', '(d1, 0)', '+audit', '.cb ?? .mt']
  const current = [
    'd3..d1 .block',
    'd-2 .block',
    '.block()',
    'cont[offset=0]',
    '(d1, seg, *:block)',
    'c@1',
    '*@+',
    '(d1, .block)',
    '(d1..d2, *)',
    '( d1, .block ) +user',
    '(depth(0), #note)',
    '+5',
    '[a.=1]',
  ]
  return [...both, ...(dialect === '1.0' ? current : old)]
}
