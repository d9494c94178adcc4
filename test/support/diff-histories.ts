// Random histories through the public API, for the laws of diffs: every way to write and to edit, holds, pruning, imported
// trees with an open head, forks, ids that come again.

import fc from 'fast-check'
import {
  createContext,
  importSnapshot,
  PactError,
  type AddHeader,
  type Context,
  type Dialect,
  type Hold,
  type Lens,
  type Node,
  type NodeSpec,
  type PrunePolicy,
  type Replacement,
} from 'pact-context'

import { worldArbitraryOf } from '../oracle/selector-arbitrary.js'
import type { OracleTree } from '../oracle/selector.js'
import { NAMES, START_NS, walk } from './context.js'

export type Json = Readonly<Record<string, unknown>>

export function idOf(entry: Readonly<{ id?: unknown }>): string {
  return String(entry.id)
}

/** Gives numbers below a bound, one after another. */
export type Pick = (below: number) => number

export const picks: fc.Arbitrary<number[]> = fc.noBias(fc.array(fc.nat(0x3fff_ffff), { minLength: 60, maxLength: 60 }))

export function picker(numbers: readonly number[]): Pick {
  let at = 0
  return (below) => (numbers[at++ % numbers.length]! + Math.floor(at / numbers.length) * 7919) % below
}

type Spec = Readonly<{
  content?: unknown
  refs?: readonly number[] | undefined
  children?: readonly Spec[] | undefined
}> &
  Json

type Call = 'user' | 'assistant' | 'tool' | 'pre' | 'post' | 'add' | 'sys'

type Step =
  | Readonly<{ do: 'write'; call: Call; spec: Spec; place: Json }>
  | Readonly<{ do: 'hold' | 'release'; pick: number }>
  | Readonly<{ do: 'commit' }>
  | Readonly<{ do: 'fork'; pick: number }>
  | Readonly<{ do: 'edit'; call: Edit; pick: number; depth: number; spec: Spec }>

type Edit = 'put' | 'insert' | 'attach' | 'replace' | 'move' | 'splice' | 'delete' | 'update' | 'undo'

export type Recipe = Readonly<{
  dialect: Dialect
  /** An imported tree to begin with; the head of most holds something. */
  start: Readonly<{ cycle: number; tree: OracleTree }> | undefined
  prune: PrunePolicy | undefined
  /** Ids that are free again are given to other nodes (N6). */
  reuse: boolean
  ticks: readonly number[]
  steps: readonly Step[]
}>

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 })

const contents = fc.constantFrom<unknown>(
  '',
  'same',
  'same',
  'a text\nof two lines',
  'é\u{1f600}"\\\n\u007f\ud800',
  { b: [1, { c: null }], a: 'x' },
  [1, 2.5, 1e300, -1e-7, true],
  { n: 9_007_199_254_740_993n, z: -(2n ** 70n) },
  12_345_678_901_234_567_890n,
  null,
)

const headers = {
  ttl: fc.constantFrom(undefined, undefined, null, 0, 1, 2, 3, 4),
  priority: optional(fc.integer({ min: -1, max: 2 })),
  role: optional(fc.constantFrom('user', 'assistant', 'tool')),
  kind: optional(fc.constantFrom('text', 'call', 'result')),
  key: optional(fc.constantFrom('note', 'policy', '\u{10000}')),
  tags: optional(fc.subarray(['audit', 'rag', '\uffff'])),
  refs: optional(fc.array(fc.nat(60), { maxLength: 2 })),
  pinned: optional(fc.boolean()),
  data_call_id: optional(fc.constantFrom('c1', 'c2', ['c1', 'c3'])),
  data_n: optional(fc.constantFrom(1, '1', 2 ** 60, 2n ** 64n, { deep: [null] })),
  'app:note': optional(fc.constant({ by: ['me'] })),
  content_mime: optional(fc.constantFrom('text/plain', 'application/json')),
}

export function recipes(dialect: Dialect): fc.Arbitrary<Recipe> {
  const { cont, block } = NAMES[dialect]
  const nodeType = optional(fc.constantFrom(`${block}:summary`, `${block}:log.entry`))
  const blocks: fc.Arbitrary<Spec> = fc.oneof(
    { weight: 1, arbitrary: fc.record({ content: contents, nodeType, ...headers }) },
    // Alike but for the ttl, so that some go when their like comes.
    {
      weight: 1,
      arbitrary: fc.record({ content: fc.constantFrom('same', 'other'), ttl: fc.constantFrom(1, 2, null) }),
    },
  )
  const containers = (children: fc.Arbitrary<Spec>): fc.Arbitrary<Spec> =>
    fc.record({
      children: fc.array(children, { maxLength: 3 }),
      content: fc.option(contents, { nil: undefined, freq: 3 }),
      nodeType: optional(fc.constant(`${cont}:group`)),
      removable: optional(fc.boolean()),
      ...headers,
    })
  const small = fc.integer({ min: -2, max: 3 })
  const place: fc.Arbitrary<Json> = fc.oneof(
    fc.constantFrom<Json>({}, { zone: 'pre' }, { zone: 'post' }, { zone: 'core' }),
    small.map((offset) => ({ offset })),
    small.map((offset) => ({ zone: 'core', offset })),
  )
  const write = fc
    .tuple(
      fc.constantFrom<Call>('user', 'assistant', 'tool', 'pre', 'post', 'add', 'add', 'sys'),
      blocks,
      fc.oneof(
        { weight: 2, arbitrary: blocks },
        { weight: 2, arbitrary: containers(blocks) },
        { weight: 1, arbitrary: containers(fc.oneof(blocks, containers(blocks))) },
      ),
      place,
    )
    .map(([call, own, any, where]): Step => {
      return {
        do: 'write',
        call,
        spec: call === 'add' || call === 'sys' ? any : own,
        place: call === 'add' ? where : {},
      }
    })
  const edit = fc.record({
    do: fc.constant('edit' as const),
    call: fc.constantFrom<Edit>('put', 'insert', 'attach', 'replace', 'move', 'splice', 'delete', 'update', 'undo'),
    pick: fc.nat(60),
    depth: fc.nat(3),
    spec: fc.oneof({ weight: 3, arbitrary: blocks }, { weight: 1, arbitrary: containers(blocks) }),
  })
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 18, arbitrary: write },
    { weight: 9, arbitrary: fc.constant<Step>({ do: 'commit' }) },
    { weight: 2, arbitrary: fc.nat(60).map((pick): Step => ({ do: 'hold', pick })) },
    { weight: 1, arbitrary: fc.nat(60).map((pick): Step => ({ do: 'release', pick })) },
    { weight: 1, arbitrary: fc.nat(60).map((pick): Step => ({ do: 'fork', pick })) },
    { weight: 8, arbitrary: edit },
  )
  const limits = fc.record({
    maxNodes: optional(fc.integer({ min: 8, max: 40 })),
    maxNodesPerSegment: optional(fc.integer({ min: 1, max: 6 })),
    maxDepth: optional(fc.integer({ min: 1, max: 4 })),
    protectSegments: optional(fc.nat(2)),
    unit: optional(fc.constantFrom('turn' as const, 'node' as const)),
    target: optional(fc.constantFrom(0.5, 0.7)),
  })
  const some = fc.subarray(['^root', '^sys', '^seq', '^ah'])
  const start = fc.tuple(worldArbitraryOf({ dialect }), some, some).map(
    ([
      {
        snapshots: [first],
      },
      said,
      mortal,
    ]) => {
      return first && { ...first, tree: withRegions(first.tree, said, mortal) }
    },
  )
  return fc.record({
    dialect: fc.constant(dialect),
    start: fc.option(start, { nil: undefined, freq: 2 }),
    prune: fc.option(limits, { nil: undefined, freq: 2 }),
    reuse: fc.constantFrom(false, false, true),
    // A clock that does not move, jumps back or runs on.
    ticks: fc.array(fc.integer({ min: -5, max: 50 }), { minLength: 1, maxLength: 5 }),
    steps: fc.array(step, { minLength: 6, maxLength: 32, size: 'max' }),
  })
}

/** Root and regions may have contents, and ttls that run and end nothing (N10). */
function withRegions(tree: OracleTree, said: readonly string[], mortal: readonly string[]): OracleTree {
  const dressed = (node: OracleTree): OracleTree => {
    const nodeType = String(node['nodeType'])
    return {
      ...node,
      ...(said.includes(nodeType) ? { content: `about ${nodeType}` } : {}),
      ...(mortal.includes(nodeType) ? { ttl: 5 } : {}),
    }
  }
  return { ...dressed(tree), children: (tree['children'] as readonly OracleTree[]).map(dressed) }
}

/** Runs a program; gives every context it made, each with what was left open in it. */
export function run({ dialect, start, prune, reuse, ticks, steps }: Recipe, startNs = START_NS): readonly Context[] {
  let tick = 0
  let now = startNs
  const clock = (): bigint => (now += BigInt(ticks[tick++ % ticks.length]!))
  const contexts: Context[] = []
  // Whichever of them asks, a free id is free in all.
  const free = freeIds((id) => contexts.some((ctx) => holdsId(ctx, id)))
  const options = {
    dialect,
    clock,
    ...(reuse ? { ids: free } : {}),
    ...(prune ? { prune: withoutUndefined(prune) } : {}),
  }
  let current =
    start === undefined
      ? createContext(options)
      : importSnapshot({ spec_version: `PACT/${dialect}.0`, cycle: start.cycle, root: start.tree }, options)
  contexts.push(current)
  const known = start === undefined ? [] : walk(current.snapshot().root).map(idOf)
  let holds: Hold[] = []
  for (const step of steps) {
    if (step.do === 'write') known.push(...idsMadeBy(() => [writeTo(current, step, known)]))
    else if (step.do === 'edit') known.push(...idsMadeBy(() => edited(current, step, known)))
    else if (step.do === 'commit') current.commit()
    else if (step.do === 'hold') {
      const id = known[step.pick % (known.length || 1)]
      if (id !== undefined && current.node(id) !== undefined) holds.push(current.hold(id))
    } else if (step.do === 'release') holds.splice(step.pick % (holds.length || 1), 1)[0]?.release()
    else if (contexts.length < 4) {
      const lenses: Lens[] = ['working', ...current.snapshots().map(({ label }) => label as Lens)]
      current = current.fork(step.pick % 7 === 0 ? 'preview' : lenses[step.pick % lenses.length]!)
      contexts.push(current)
      holds = []
    }
  }
  return contexts
}

/** The ids that a call made; none where overlap, or the nodes there, forbid it. */
function idsMadeBy(call: () => readonly Node[]): readonly string[] {
  try {
    return call().flatMap((node) => walk(node).map(idOf))
  } catch (error) {
    if (PactError.is(error)) return []
    throw error
  }
}

function edited(
  ctx: Context,
  { call, pick, depth, spec }: Extract<Step, { do: 'edit' }>,
  known: readonly string[],
): readonly Node[] {
  const id = known[pick % (known.length || 1)] ?? 'nobody'
  const selector = `[id='${id}']`
  const { refs: _refs, ...rest } = named(spec, known) as NodeSpec
  switch (call) {
    case 'put':
      return [ctx.put('note', rest.content ?? 'put', { ttl: rest.ttl, zone: 'post' })]
    case 'insert':
      return [ctx.insert(rest, { depth })]
    case 'attach':
      return [ctx.insert(rest, `(d${depth}, ${pick % 2 === 0 ? 'end' : ''})`)]
    case 'replace':
      return ctx.replace(selector, rest as Replacement)
    case 'move':
      return ctx.move(selector, `(d${depth}, ${pick % 2 === 0 ? 'end' : ''})`)
    case 'splice':
      return ctx.move(selector, { depth })
    case 'delete':
      return ctx.delete(selector, { reason: 'law' })
    case 'update':
      return ctx.update(selector, { ttl: pick % 4, tags: ['updated'] })
    case 'undo':
      ctx.undo()
      return []
  }
}

function holdsId(ctx: Context, id: string): boolean {
  return ctx.node(id) !== undefined || (ctx.snapshots().length > 0 && ctx.node(id, '@t0') !== undefined)
}

/** Ids from a small set, so that those of nodes long gone come again; none twice in a cycle. */
function freeIds(isTaken: (id: string) => boolean): (request: Readonly<{ cycle: number }>) => string {
  let count = 0
  let given = { cycle: 0, ids: new Set<string>() }
  return ({ cycle }) => {
    if (given.cycle !== cycle) given = { cycle, ids: new Set() }
    for (let tries = 0; ; tries++) {
      const id = tries > 40 ? `more:${count++}` : `n${count++ % 40}`
      if (given.ids.has(id) || isTaken(id)) continue
      given.ids.add(id)
      return id
    }
  }
}

function writeTo(ctx: Context, { call, spec, place }: Extract<Step, { do: 'write' }>, known: readonly string[]): Node {
  const { content, ...header } = { ...named(spec, known), ...place } as AddHeader & { content?: string }
  const { role: _role, ...own } = header
  switch (call) {
    case 'sys':
      return ctx.system.add(content, header)
    case 'add':
      return ctx.add(content, header)
    case 'pre':
    case 'post':
      return ctx[call](content!, header)
    default:
      return ctx[call](content!, own)
  }
}

/** The spec without what is undefined, its refs as ids; one that names nothing yet stays a forward reference. */
function named(spec: Spec, known: readonly string[]): Json {
  const { refs, children, ...rest } = spec
  return withoutUndefined({
    ...rest,
    refs: refs?.map((pick) => known[pick] ?? `block:${pick % 6}-${pick % 5}`),
    children: children?.map((child) => named(child, known)),
  })
}

function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
}
