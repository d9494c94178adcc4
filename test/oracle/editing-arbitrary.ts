// Random programs of edits for fast-check. A step is an abstract choice ("the fifth node", "after the second child of the
// third container"); `resolveStep` turns it into a call against the tree that the model holds at that moment, so that
// shrinking one step leaves the others meaningful. Nothing here knows the engine.

import fc from 'fast-check'

import {
  EditingOracle,
  type Changes,
  type DeleteOptions,
  type EditSpec,
  type Position,
  type RedactOptions,
  type TreeJson,
} from './editing.js'
import type { OraclePolicy, OracleReceipt } from './editing-commit.js'
import { OracleError } from './selector-parse.js'

type Dialect = '1.0' | '0.1'

/** A number that picks one of whatever there is: `pick % length`. */
type Pick = number

export type SpecChoice = { spec: EditSpec; refs: RefChoice[] }

/** A live node; one of the newest; a call; or an id that something live once had, or that a live node names. */
export type RefChoice = { to: 'node' | 'newest' | 'call' | 'earlier id'; pick: Pick }

export type SelectorChoice = { of: SelectorKind; pick: Pick; second: Pick; optional: boolean }
export type SelectorKind =
  | 'node'
  | 'two nodes'
  | 'key'
  | 'tag'
  | 'blocks at a depth'
  | 'zone'
  | 'segment'
  | 'core'
  | 'note'
  | 'marker'
  | 'in sys'
  | 'region'
  | 'nothing'
  | 'invalid'
  | 'protected' // a node that refs or a hold mean
  | 'call' // a node of kind call
  | 'scheduled' // the key of a schedule, with or without a window
  | 'box' // a container of the open cycle in history
  | 'sealed context' // pre- or post-context that a snapshot holds, in history
  | 'everything' // below ^seq and ^ah, or in ^sys

export type PositionChoice =
  | { to: 'depth'; pick: Pick; zone: 'pre' | 'core' | 'post' | undefined }
  | { to: 'container'; pick: Pick; sentinel: 'start' | 'end' | 'after' | 'before' | 'offset' | 'none'; n: Pick }
  | { to: 'parent'; pick: Pick; containers: boolean; offset: number | undefined }
  | { to: 'box'; pick: Pick }
  | { to: 'invalid'; pick: Pick }

export type EditStep =
  | { do: 'add'; system: boolean; spec: SpecChoice }
  | { do: 'put' | 'set'; system: boolean; key: string | Pick; spec: SpecChoice } // a number: the key of a schedule
  | { do: 'insert'; system: boolean; spec: SpecChoice; position: PositionChoice }
  | { do: 'replace'; system: boolean; selector: SelectorChoice; spec: SpecChoice }
  | { do: 'move'; system: boolean; selector: SelectorChoice; position: PositionChoice }
  | { do: 'delete'; system: boolean; selector: SelectorChoice; options: DeleteOptions }
  | { do: 'redact'; system: boolean; selector: SelectorChoice; options: RedactChoice }
  | { do: 'update'; system: boolean; selector: SelectorChoice; changes: Changes }
  | { do: 'compact'; keep: number; text: string }
  | { do: 'expand'; pick: Pick }
  | { do: 'undo' }
  | { do: 'commit' }
  | { do: 'fork'; pick: Pick }
  | { do: 'import' }
  | { do: 'hold'; pick: Pick }
  | { do: 'release'; pick: Pick }

/** Options of a redaction that can be shown as JSON. */
export type RedactChoice = DeleteOptions & { match: string | { pattern: string; flags: string }; with?: string }

/** A step as one context at one moment understands it: the arguments are those of the public API. */
export type EditCall =
  | { do: 'add'; system: boolean; spec: EditSpec }
  | { do: 'put' | 'set'; system: boolean; key: string; content: unknown; header: EditSpec }
  | { do: 'insert'; system: boolean; spec: EditSpec; position: Position }
  | { do: 'replace'; system: boolean; selector: string; spec: EditSpec }
  | { do: 'move'; system: boolean; selector: string; position: Position }
  | { do: 'delete'; system: boolean; selector: string; options: DeleteOptions }
  | { do: 'redact'; system: boolean; selector: string; options: RedactChoice }
  | { do: 'update'; system: boolean; selector: string; changes: Changes }
  | { do: 'compact'; keep: number; text: string }
  | { do: 'expand'; id: string }
  | { do: 'undo' }
  | { do: 'commit' }
  | { do: 'fork'; lens: 'working' | number }
  | { do: 'import'; cycle: number } // go on in what an import of that snapshot's export gives
  | { do: 'hold'; id: string }
  | { do: 'release'; pick: Pick } // of the holds taken so far in this context

export type EditProgram = {
  dialect: Dialect
  odi: 'demote' | 'reject'
  prune: OraclePolicy | undefined
  ticks: number[] // what each clock reading adds to the one before; may be 0 or less
  steps: EditStep[]
}

// ----------------------------------------------------------------------------------------------------------- generators

const pick = fc.nat(59)
const maybe = <T>(value: fc.Arbitrary<T>, oneIn = 2): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

const KEYS = ['a', 'b', 'c'] as const
const key = fc.constantFrom(...KEYS)
const content = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('', 'short', 'a somewhat longer text', 'é😀') },
  { weight: 2, arbitrary: fc.constantFrom({ a: [1] }, null) },
  // Something to redact, in texts, lists and names.
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>('card 4111', '4111, 4111 😀', ['x', { n: '4111' }, 4111]),
  },
  { weight: 1, arbitrary: fc.constantFrom({ '4111': 'a', '41114111': { x4111: '4' }, '[redacted]': 1 }) },
)
const ttl = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 1, 1, 2, 3, null) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0.5) },
)

const headers = {
  ttl: maybe(ttl, 3),
  priority: maybe(fc.integer({ min: -1, max: 2 }), 4),
  role: maybe(fc.constantFrom('user', 'assistant', 'tool')),
  kind: maybe(fc.constantFrom('text', 'call', 'result', 'reasoning', 'call'), 4),
  tags: maybe(fc.constantFrom<string[]>(['t'], ['t', 'u']), 5),
  pinned: maybe(fc.boolean(), 8),
  data_call_id: maybe(fc.constantFrom('c1', 'c2'), 6),
  data_note: maybe(fc.constantFrom<unknown>('no. 4111', { by: ['4111'] }), 8),
  content_note: maybe(fc.constant('4111'), 12),
  provenance: maybe(fc.constantFrom<unknown>('from 4111', { '4111': 'short' }), 10),
}

const note = (dialect: Dialect): string => (dialect === '1.0' ? 'block:note' : 'cb:note')

/** `forHead`: its place will mostly be one where `cad` is allowed. */
function blockSpec(dialect: Dialect, forHead: boolean): fc.Arbitrary<EditSpec> {
  const keyed = fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    { weight: 4, arbitrary: fc.record({ key }) },
    { weight: forHead ? 3 : 1, arbitrary: fc.record({ key, cad: fc.constantFrom(1, 1, 2, 3) }) },
    {
      weight: forHead ? 1 : 0,
      arbitrary: fc.constantFrom<EditSpec>({ cad: 2 }, { cad: 0, key: 'a' }, { cad: 1.5, key: 'b' }),
    },
  )
  const type = maybe(fc.constant(note(dialect)), 5)
  const signed: fc.Arbitrary<EditSpec> = fc.oneof(
    { weight: 14, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('4111', 's').map((text) => ({ kind: 'reasoning', data_signature: text })),
    },
  )
  return fc
    .tuple(content, fc.record(headers), keyed, type, signed)
    .map(([value, header, key, nodeType, kind]) => compact({ content: value, nodeType, ...header, ...key, ...kind }))
}

function containerSpec(dialect: Dialect): fc.Arbitrary<EditSpec> {
  const child = fc.oneof(
    { weight: 8, arbitrary: fc.record({ content, role: headers.role, ttl: headers.ttl }).map(compact) },
    { weight: 1, arbitrary: blockSpec(dialect, false) },
    { weight: 1, arbitrary: fc.record({ children: fc.array(fc.record({ content }), { maxLength: 2 }) }) },
  )
  return fc
    .tuple(
      fc.record({ removable: maybe(fc.boolean()), key: maybe(key, 4), ttl: maybe(ttl, 4) }),
      fc.array(child, { maxLength: 3 }),
    )
    .map(([header, children]) => compact({ ...header, children }))
}

const ref: fc.Arbitrary<RefChoice> = fc.record({
  to: fc.constantFrom('node', 'newest', 'call', 'earlier id', 'earlier id'),
  pick,
})

function specChoice(dialect: Dialect, place: fc.Arbitrary<EditSpec>): fc.Arbitrary<SpecChoice> {
  return fc
    .tuple(
      fc.oneof(
        { weight: 5, arbitrary: blockSpec(dialect, place === inHead) },
        { weight: 1, arbitrary: containerSpec(dialect) },
      ),
      place,
      fc.oneof(
        { weight: 3, arbitrary: fc.constant<RefChoice[]>([]) },
        { weight: 1, arbitrary: fc.array(ref, { maxLength: 2 }) },
      ),
    )
    .map(([spec, where, refs]) => ({ spec: { ...spec, ...where }, refs }))
}

/** The patch of `replace`: mostly content and a header or two. */
function replacement(dialect: Dialect): fc.Arbitrary<SpecChoice> {
  const header = fc.oneof(
    { weight: 6, arbitrary: fc.constant<EditSpec>({}) },
    { weight: 2, arbitrary: fc.record({ ttl }) },
    { weight: 2, arbitrary: fc.record({ priority: fc.integer({ min: -1, max: 2 }) }) },
    { weight: 2, arbitrary: fc.record({ role: fc.constantFrom('user', 'assistant', 'tool') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('text', 'call') }) },
    { weight: 1, arbitrary: fc.constant<EditSpec>({ nodeType: note(dialect) }) },
    { weight: 2, arbitrary: fc.record({ key }) },
    { weight: 2, arbitrary: fc.record({ key, cad: fc.constantFrom(1, 2) }) },
    { weight: 1, arbitrary: fc.record({ cad: fc.constantFrom(1, 2) }) },
    { weight: 1, arbitrary: fc.record({ children: fc.array(fc.record({ content }), { maxLength: 2 }) }) },
    { weight: 1, arbitrary: fc.constantFrom<EditSpec>({ zone: 'post' }, { offset: 1 }) },
    { weight: 2, arbitrary: fc.record({ removable: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant<EditSpec>({ kind: 'call' }) },
    { weight: 1, arbitrary: fc.constant<EditSpec>({ nodeType: dialect === '1.0' ? 'block' : 'cb' }) },
  )
  const refs = fc.oneof(
    { weight: 5, arbitrary: fc.constant<RefChoice[]>([]) },
    { weight: 1, arbitrary: fc.array(ref, { minLength: 1, maxLength: 2 }) },
  )
  return fc.tuple(maybe(content, 5), header, refs).map(([value, rest, named]) => ({
    spec: { ...(value === undefined ? { content: 'new' } : { content: value }), ...rest },
    refs: named,
  }))
}

const inHead: fc.Arbitrary<EditSpec> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<EditSpec>({}) },
  { weight: 5, arbitrary: fc.constantFrom<EditSpec>({ zone: 'pre' }, { zone: 'post' }, { zone: 'core' }) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }).map((offset): EditSpec => ({ offset })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('pre' as const, 'core' as const, 'post' as const), fc.integer({ min: -2, max: 2 }))
      .map(([zone, offset]): EditSpec => ({ zone, offset })),
  },
)
const inSys: fc.Arbitrary<EditSpec> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<EditSpec>({}) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 3 }).map((offset): EditSpec => ({ offset })) },
)
const besidePosition: fc.Arbitrary<EditSpec> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<EditSpec>({}) },
  { weight: 1, arbitrary: inHead },
)

function selectorChoice(kinds: readonly (readonly [SelectorKind, number])[]): fc.Arbitrary<SelectorChoice> {
  return fc.record({
    of: fc.oneof(...kinds.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }))),
    pick,
    second: pick,
    optional: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
}

const selector = selectorChoice([
  ['protected', 8],
  ['call', 4],
  ['scheduled', 6],
  ['box', 3],
  ['everything', 1],
  ['node', 20],
  ['two nodes', 5],
  ['key', 6],
  ['tag', 2],
  ['blocks at a depth', 4],
  ['zone', 5],
  ['segment', 2],
  ['core', 2],
  ['note', 2],
  ['marker', 2],
  ['in sys', 1],
  ['region', 1],
  ['nothing', 1],
  ['invalid', 1],
])
/** For moves: what sealed cores hold cannot move, so zones and heads weigh more. */
const movable = selectorChoice([
  ['sealed context', 4],
  ['protected', 3],
  ['node', 20],
  ['two nodes', 8],
  ['key', 5],
  ['tag', 1],
  ['blocks at a depth', 1],
  ['zone', 12],
  ['segment', 1],
  ['core', 1],
  ['note', 2],
  ['in sys', 1],
  ['region', 1],
  ['nothing', 1],
])
const systemSelector = selectorChoice([
  ['everything', 2],
  ['region', 1],
  ['node', 12],
  ['two nodes', 3],
  ['key', 2],
  ['in sys', 4],
  ['nothing', 1],
])

const position: fc.Arbitrary<PositionChoice> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      to: fc.constant('depth' as const),
      pick,
      zone: maybe(fc.constantFrom('pre' as const, 'core' as const, 'post' as const), 3),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      to: fc.constant('container' as const),
      pick,
      sentinel: fc.constantFrom('start', 'end', 'end', 'after', 'before', 'offset', 'none'),
      n: pick,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      to: fc.constant('parent' as const),
      pick,
      containers: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      offset: maybe(fc.integer({ min: -3, max: 3 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ to: fc.constant('invalid' as const), pick }) },
)

const changes: fc.Arbitrary<Changes> = fc
  .record({
    ttl: maybe(ttl),
    priority: maybe(fc.integer({ min: -1, max: 3 })),
    pinned: maybe(fc.boolean(), 3),
    tags: maybe(fc.constantFrom<string[]>(['t'], ['v', 'w']), 3),
  })
  .map(compact)

const options: fc.Arbitrary<DeleteOptions> = fc
  .record({ author: maybe(fc.constant('kim')), reason: maybe(fc.constant('personal data')) })
  .map(compact)

/** For redactions: mostly many nodes at once, since each is looked at by itself. */
const searched = selectorChoice([
  ['everything', 8],
  ['blocks at a depth', 5],
  ['node', 6],
  ['key', 4],
  ['scheduled', 6],
  ['zone', 3],
  ['box', 1],
  ['marker', 1],
  ['segment', 1],
  ['region', 1],
  ['in sys', 1],
  ['nothing', 1],
  ['invalid', 1],
])

const redaction: fc.Arbitrary<RedactChoice> = fc
  .record({
    match: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('4111', '4111', '11', 'short', '😀') },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          { pattern: '[0-9]+', flags: '' },
          { pattern: '\\d*', flags: 'gy' },
          { pattern: 'CARD|x', flags: 'i' },
          { pattern: '.', flags: 'u' },
          { pattern: 'kim|[^a]$', flags: 'g' },
        ),
      },
      { weight: 1, arbitrary: fc.constant('') },
    ),
    with: maybe(fc.constantFrom('', '$&', '4111', 'x'), 4),
    author: maybe(fc.constant('kim'), 3),
    reason: maybe(fc.constant('personal data'), 3),
  })
  .map(compact)

function steps(dialect: Dialect): fc.Arbitrary<EditStep> {
  const system = fc.constant(true)
  const ordinary = fc.constant(false)
  const just = <T extends string>(name: T): fc.Arbitrary<T> => fc.constant(name)
  const spec = specChoice(dialect, besidePosition)
  return fc.oneof(
    { weight: 14, arbitrary: fc.record({ do: just('add'), system: ordinary, spec: specChoice(dialect, inHead) }) },
    { weight: 2, arbitrary: fc.record({ do: just('add'), system, spec: specChoice(dialect, inSys) }) },
    { weight: 4, arbitrary: fc.record({ do: just('put'), system: ordinary, key, spec: specChoice(dialect, inHead) }) },
    { weight: 1, arbitrary: fc.record({ do: just('put'), system, key, spec: specChoice(dialect, inSys) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: just('set'),
        system: ordinary,
        key: keyOrScheduled,
        spec: specChoice(dialect, inHead),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: just('set'), system, key, spec: specChoice(dialect, inSys) }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: just('redact'), system: ordinary, selector: searched, options: redaction }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: just('redact'), system, selector: systemSelector, options: redaction }),
    },
    { weight: 9, arbitrary: fc.record({ do: just('insert'), system: ordinary, spec, position }) },
    { weight: 1, arbitrary: fc.record({ do: just('insert'), system, spec, position }) },
    {
      weight: 7,
      arbitrary: fc.record({ do: just('replace'), system: ordinary, selector, spec: replacement(dialect) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: just('replace'), system, selector: systemSelector, spec: replacement(dialect) }),
    },
    { weight: 9, arbitrary: fc.record({ do: just('move'), system: ordinary, selector: movable, position }) },
    { weight: 2, arbitrary: fc.record({ do: just('move'), system, selector: systemSelector, position }) },
    { weight: 5, arbitrary: fc.record({ do: just('delete'), system: ordinary, selector, options }) },
    { weight: 1, arbitrary: fc.record({ do: just('delete'), system, selector: systemSelector, options }) },
    { weight: 4, arbitrary: fc.record({ do: just('update'), system: ordinary, selector, changes }) },
    { weight: 1, arbitrary: fc.record({ do: just('update'), system, selector: systemSelector, changes }) },
    { weight: 5, arbitrary: fc.record({ do: just('undo') }) },
    { weight: 10, arbitrary: fc.record({ do: just('commit') }) },
    { weight: 1, arbitrary: fc.record({ do: just('fork'), pick }) },
    { weight: 1, arbitrary: fc.record({ do: just('import') }) },
    { weight: 2, arbitrary: fc.record({ do: just('hold'), pick }) },
    { weight: 1, arbitrary: fc.record({ do: just('release'), pick }) },
  )
}

const policy = maybe(
  fc
    .record({
      maxNodes: maybe(fc.integer({ min: 5, max: 30 })),
      maxNodesPerSegment: maybe(fc.integer({ min: 1, max: 6 }), 4),
      maxDepth: maybe(fc.integer({ min: 1, max: 5 }), 3),
      protectSegments: maybe(fc.integer({ min: 0, max: 2 }), 3),
      unmet: maybe(fc.constantFrom('report' as const, 'error' as const), 4),
    })
    .map((given): OraclePolicy => compact(given)),
)

/**
 * By what, and how far down, a policy takes (D51). Read off the clock of a program, so that it draws what it drew before
 * there was this, and keeps it while its steps are made fewer.
 */
function withThrift(policy: OraclePolicy, ticks: readonly number[]): OraclePolicy {
  const mixed = ticks.reduce((sum, tick) => Math.imul(sum + tick + 7, 0x9e3779b1) >>> 0, ticks.length)
  const at = <T>(from: readonly T[], shift: number): T => from[(mixed >>> shift) % from.length]!
  const unit = at(['turn', 'turn', 'node', undefined] as const, 28)
  const share = at([undefined, undefined, 0.3, 0.5, 0.7, 1], 20)
  const maxTokens = at([undefined, 10 + ((mixed >>> 4) % 81)], 16)
  const isInTokens = maxTokens !== undefined && share !== undefined && at([false, true], 12)
  const names = at([undefined, undefined, 2, 20], 8)
  return compact({ ...policy, unit, maxTokens, target: isInTokens ? Math.ceil(maxTokens * share) : share, names })
}

const keyOrScheduled: fc.Arbitrary<string | Pick> = fc.oneof(
  { weight: 1, arbitrary: key },
  { weight: 1, arbitrary: pick },
)

/** Several steps in a row that meet one of the rules of D41–D54 more often than chance would. */
function scenes(dialect: Dialect): fc.Arbitrary<EditStep[]> {
  const ordinary = { system: false } as const
  const choice = (of: SelectorKind): fc.Arbitrary<SelectorChoice> =>
    fc.record({ of: fc.constant(of), pick: fc.oneof(fc.constant(0), pick), second: pick, optional: fc.constant(false) })
  const replace = (of: SelectorKind): fc.Arbitrary<EditStep> =>
    fc.record({
      do: fc.constant('replace' as const),
      system: fc.constant(false),
      selector: choice(of),
      spec: replacement(dialect),
    })
  const replaceWith = (selector: SelectorChoice, spec: EditSpec): EditStep => ({
    do: 'replace',
    ...ordinary,
    selector,
    spec: { spec, refs: [] },
  })
  const remove = (of: SelectorKind): fc.Arbitrary<EditStep> =>
    fc.record({ do: fc.constant('delete' as const), system: fc.constant(false), selector: choice(of), options })
  const redact = (of: SelectorKind): fc.Arbitrary<EditStep> =>
    fc.record({
      do: fc.constant('redact' as const),
      system: fc.constant(false),
      selector: choice(of),
      options: redaction,
    })
  const set: fc.Arbitrary<EditStep> = fc.record({
    do: fc.constant('set' as const),
    system: fc.constant(false),
    key: keyOrScheduled,
    spec: specChoice(dialect, inHead),
  })
  const add = (spec: EditSpec, refs: RefChoice[] = []): EditStep => ({ do: 'add', ...ordinary, spec: { spec, refs } })
  const commit: EditStep = { do: 'commit' }
  const commits = fc.array(fc.constant(commit), { maxLength: 2 })
  const newest: RefChoice = { to: 'newest', pick: 0 }

  /** A document with a ttl that a note or a hold keeps, edited at its place. */
  const kept = fc
    .tuple(
      fc.constantFrom(0, 1, 2),
      fc.constantFrom('note', 'hold', 'removable'),
      commits,
      fc.array(fc.oneof(replace('protected'), remove('protected'), redact('protected')), {
        minLength: 1,
        maxLength: 3,
      }),
      commits,
    )
    .map(([ttl, by, before, edits, after]): EditStep[] => [
      by === 'removable'
        ? add({ zone: 'post', removable: true, children: [{ content: 'x', ttl: 1 }] })
        : add({ content: 'doc 4111', zone: 'post', ttl }),
      by === 'hold' ? { do: 'hold', pick: 0 } : add({ content: 'note', zone: 'post' }, [newest]),
      ...before,
      ...edits,
      ...after,
    ])
  /** A call and its result, of which an edit touches one; the turns after it make pruning look for something to take. */
  const pair = fc
    .tuple(
      fc.record({ priority: fc.constantFrom(-1, 0), ttl: fc.constantFrom(null, 3) }),
      commits,
      fc.array(fc.oneof(replace('call'), remove('call'), redact('call')), { minLength: 1, maxLength: 2 }),
      fc.nat(3),
    )
    .map(([header, before, edits, turns]): EditStep[] => [
      ...(turns % 2 === 0 ? [add({ content: 'thought', kind: 'reasoning', role: 'assistant' })] : []),
      add({ content: 'call 4111', kind: 'call', role: 'assistant', ...header }),
      add({ content: 'result', kind: 'result', role: 'tool', ...header }, [newest]),
      ...before,
      ...edits,
      ...Array.from({ length: turns }, () => [add({ content: 'turn', role: 'user' }), commit]).flat(),
      commit,
    ])
  /** A new container next to a sealed core, with something sealed in it. */
  const boxed = fc
    .tuple(
      fc.record({ key: maybe(key, 3), children: fc.array(fc.record({ content }), { maxLength: 2 }) }),
      fc.record({ to: fc.constant('container' as const), pick, sentinel: fc.constant('end' as const), n: pick }),
      fc.array(choice('sealed context'), { minLength: 1, maxLength: 2 }),
      fc.array(fc.oneof(replace('node'), remove('node'), replace('box')), { maxLength: 1 }),
      fc.oneof(
        { weight: 2, arbitrary: remove('box') },
        {
          weight: 1,
          arbitrary: choice('box').map((selector) => replaceWith(selector, { children: [{ content: 'x' }] })),
        },
        {
          weight: 1,
          arbitrary: choice('box').map((selector) => replaceWith(selector, { content: 'x', nodeType: note(dialect) })),
        },
      ),
    )
    .map(([spec, position, sealed, between, last]): EditStep[] => [
      add({ content: 'context', zone: 'post' }),
      commit,
      { do: 'insert', ...ordinary, spec: { spec: compact(spec), refs: [] }, position: { ...position, pick: 3 } },
      ...sealed.map((selector): EditStep => ({
        do: 'move',
        ...ordinary,
        selector,
        position: { to: 'box', pick: selector.second },
      })),
      ...between,
      last,
    ])
  /** A returning node, met between two appearances or next to one. */
  const returning = fc
    .tuple(
      fc.record({
        key,
        cad: fc.constantFrom(1, 2, 3, 3),
        ttl: fc.constantFrom(1, 1, 1, 2, null),
        zone: fc.constantFrom('pre', 'core', 'post'),
      }),
      fc.oneof(
        { weight: 3, arbitrary: fc.record({ content }) },
        {
          weight: 2,
          arbitrary: fc.record({
            children: fc.array(fc.record({ content, role: headers.role }).map(compact), { maxLength: 2 }),
          }),
        },
        { weight: 1, arbitrary: fc.constant<EditSpec>({ content: '4111', kind: 'reasoning', data_signature: 's' }) },
      ),
      commits,
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: replace('scheduled') },
          { weight: 2, arbitrary: remove('scheduled') },
          { weight: 2, arbitrary: redact('scheduled') },
          { weight: 1, arbitrary: redact('everything') },
          { weight: 2, arbitrary: set },
        ),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(([header, body, before, edits]): EditStep[] => [add({ ...header, ...body }), ...before, ...edits, commit])
  /** One key in ^sys, written again. */
  const inSystem = fc
    .tuple(key, fc.array(specChoice(dialect, inSys), { minLength: 2, maxLength: 3 }), fc.constantFrom('put', 'set'))
    .map(([name, specs, call]): EditStep[] =>
      specs.flatMap((spec): EditStep[] => [
        { do: call, system: true, key: name, spec },
        {
          do: 'redact',
          system: true,
          selector: { of: 'everything', pick: 0, second: 0, optional: true },
          options: { match: '4111' },
        },
      ]),
    )
  const met = fc.oneof(replace('node'), remove('node'), redact('everything'), redact('blocks at a depth'))
  /** A summary in the place of what there is, met by other edits, and what it stands for again, met by others too (D63). */
  const summed = fc
    .tuple(
      fc.record({
        do: fc.constant('compact' as const),
        keep: fc.constantFrom(1, 1, 2, 3),
        text: fc.constantFrom('sum', 'sum of 4111'),
      }),
      commits,
      fc.array(met, { maxLength: 2 }),
      commits,
      fc.array(fc.record({ do: fc.constant('expand' as const), pick }), { minLength: 1, maxLength: 2 }),
      fc.array(met, { maxLength: 2 }),
    )
    .map(([compaction, before, edits, after, expansions, last]): EditStep[] => [
      add({ content: 'a step', role: 'assistant' }),
      compaction,
      ...before,
      ...edits,
      ...after,
      ...expansions,
      ...last,
    ])
  return fc.oneof(
    { weight: 3, arbitrary: summed },
    { weight: 4, arbitrary: kept },
    { weight: 4, arbitrary: pair },
    { weight: 2, arbitrary: boxed },
    { weight: 5, arbitrary: returning },
    { weight: 1, arbitrary: inSystem },
  )
}

/** Programs in both dialects and both modes of overlap; most calls do something, a fair share is refused. */
export function editProgram(
  maxSteps = 40,
  dialects: readonly Dialect[] = ['1.0', '1.0', '0.1'],
): fc.Arbitrary<EditProgram> {
  return fc.constantFrom(...dialects).chain((dialect) =>
    fc
      .record({
        dialect: fc.constant(dialect),
        odi: fc.constantFrom('demote' as const, 'demote' as const, 'demote' as const, 'reject' as const),
        prune: policy,
        ticks: fc.array(fc.integer({ min: -5, max: 50 }), { minLength: 1, maxLength: 5 }),
        steps: fc
          .tuple(beginning(dialect), fc.array(stretch(dialect), { minLength: 1, maxLength: maxSteps, size: 'max' }))
          .map(([first, then]) => [...first, ...then.flat()].slice(0, 2 * maxSteps)),
      })
      .map(({ prune, ...program }) => ({ ...program, prune: prune && withThrift(prune, program.ticks) })),
  )
}

function stretch(dialect: Dialect): fc.Arbitrary<EditStep[]> {
  const one = steps(dialect).map((step) => [step])
  return fc.oneof({ weight: 17, arbitrary: one }, { weight: 2, arbitrary: scenes(dialect) })
}

/** Something to work on: a few nodes in `^sys`, then a few turns. */
function beginning(dialect: Dialect): fc.Arbitrary<EditStep[]> {
  const add = fc.record({
    do: fc.constant('add' as const),
    system: fc.constant(false),
    spec: specChoice(dialect, inHead),
  })
  const addToSys = fc.record({
    do: fc.constant('add' as const),
    system: fc.constant(true),
    spec: specChoice(dialect, inSys),
  })
  const turn = fc.array(add, { maxLength: 4 }).map((adds): EditStep[] => [...adds, { do: 'commit' }])
  return fc
    .tuple(fc.array(addToSys, { maxLength: 2 }), fc.array(turn, { maxLength: 4 }))
    .map(([system, turns]) => [...system, ...turns.flat()])
}

/** The clock of a program; the engine and the model each need their own. */
export function clockOf(ticks: readonly number[]): () => bigint {
  let now = 1_700_000_000_000_000_000n
  let i = 0
  return () => (now += BigInt(ticks[i++ % ticks.length]!))
}

// ------------------------------------------------------------------------------------------- choices against a tree

/** The call that a step means now; undefined where there is nothing to call it on. */
export function resolveStep(oracle: EditingOracle, step: EditStep): EditCall | undefined {
  const scene = sceneOf(oracle)
  switch (step.do) {
    case 'add':
      return { do: 'add', system: step.system, spec: specOf(scene, step.spec) }
    case 'put':
    case 'set': {
      const { content, ...header } = specOf(scene, step.spec)
      delete header.key
      delete header.children
      delete header.removable // for containers only
      const key = typeof step.key === 'string' ? step.key : (choose(scene.schedules, step.key) ?? 'a')
      return { do: step.do, system: step.system, key, content: content ?? 'put', header }
    }
    case 'insert':
      return {
        do: 'insert',
        system: step.system,
        spec: specOf(scene, step.spec),
        position: positionOf(scene, step.position, step.system, 'insert'),
      }
    case 'replace':
      return { do: 'replace', system: step.system, selector: selectorOf(scene, step), spec: specOf(scene, step.spec) }
    case 'move':
      return {
        do: 'move',
        system: step.system,
        selector: selectorOf(scene, step),
        position: positionOf(scene, step.position, step.system, 'move'),
      }
    case 'delete':
      return { do: 'delete', system: step.system, selector: selectorOf(scene, step), options: step.options }
    case 'redact':
      return { do: 'redact', system: step.system, selector: selectorOf(scene, step), options: step.options }
    case 'update':
      return { do: 'update', system: step.system, selector: selectorOf(scene, step), changes: step.changes }
    case 'compact':
      return step
    case 'expand': {
      const summaries = scene.nodes.filter(({ node }) => node['pact:compacted'] !== undefined)
      // Now and then a node that stands for nothing, or a name of what is gone.
      const others = step.pick % 9 === 0 ? scene.earlierIds : []
      const id = choose([...summaries.map(({ node }) => node.id), ...others], step.pick)
      return id === undefined ? undefined : { do: 'expand', id }
    }
    case 'undo':
    case 'commit':
      return { do: step.do }
    case 'fork': {
      // The working state, or one of the latest snapshots.
      const back = step.pick % 4
      const lens = back === 0 || oracle.cycle <= back ? ('working' as const) : oracle.cycle - back
      return { do: 'fork', lens: lens === 'working' || oracle.cycles.includes(lens) ? lens : 'working' }
    }
    case 'import': {
      const cycle = oracle.cycle - 1
      return oracle.cycles.includes(cycle) ? { do: 'import', cycle } : undefined
    }
    case 'hold': {
      // Mostly what would leave without it.
      const leaving = newestFirst(scene.nodes.filter(({ node }) => node['ttl'] !== null))
      const id = choose(leaving.length > 0 && step.pick % 4 < 3 ? leaving : scene.nodes, step.pick)?.node.id
      return id === undefined ? undefined : { do: 'hold', id }
    }
    case 'release':
      return { do: 'release', pick: step.pick }
  }
}

/** The working tree, laid out for choosing. */
type Scene = {
  dialect: Dialect
  segments: number
  nodes: Placed[] // all but root and regions
  containers: Placed[] // what can hold nodes, head and `^sys` included; the head's core even where it is missing
  schedules: string[] // keys
  earlierIds: string[] // ids that no live node has, but had, or that one names
  isProtected: (node: TreeJson) => boolean // by refs or a hold, under its own id or an earlier one
  isNew: (node: TreeJson) => boolean // in no snapshot, and no stand-in for what is
}
type Placed = { node: TreeJson; depth: number; offsets: number[]; isStructural: boolean; isSealed: boolean }

function sceneOf(oracle: EditingOracle): Scene {
  const [sys, seq, head] = oracle.tree('working').children as [TreeJson, TreeJson, TreeJson]
  const segments = seq.children!
  const below = (node: TreeJson, depth: number, offsets: number[]): Placed[] =>
    (node.children ?? []).flatMap((child) => {
      const path = [...offsets, child['offset'] as number]
      const inCore = depth >= 0 && path[0] === 0
      const placed = {
        node: child,
        depth,
        offsets: path,
        isStructural: inCore && path.length === 1,
        isSealed: inCore && depth > 0,
      }
      return [placed, ...below(child, depth, path)]
    })
  const sealed = segments.flatMap((segment, i) => {
    const depth = segments.length - i
    return [{ node: segment, depth, offsets: [], isStructural: true, isSealed: true }, ...below(segment, depth, [])]
  })
  const nodes = [...below(sys, -1, []), ...sealed, ...below(head, 0, [])]
  const core = head.children!.some((child) => child['offset'] === 0)
    ? []
    : [{ node: { id: 'nowhere', children: [] }, depth: 0, offsets: [0], isStructural: true, isSealed: false }]
  const regions = [
    { node: head, depth: 0, offsets: [], isStructural: true, isSealed: false },
    { node: sys, depth: -1, offsets: [], isStructural: true, isSealed: false },
  ]
  const containers = [...regions, ...core, ...nodes.filter(({ node }) => node.children !== undefined)]
  const live = new Set(nodes.map(({ node }) => node.id))
  const named = new Set([...nodes.flatMap(({ node }) => (node['refs'] ?? []) as string[]), ...oracle.held])
  const earlier = nodes.flatMap(({ node }) => earlierIdsOf(node))
  return {
    dialect: oracle.dialect,
    segments: segments.length,
    nodes,
    containers,
    schedules: oracle.schedules('working').map(({ key }) => key),
    earlierIds: [...new Set([...earlier, ...named])].filter((id) => !live.has(id)),
    isProtected: (node) => [node.id, ...earlierIdsOf(node)].some((id) => named.has(id)),
    isNew: (node) => node['cycle'] === oracle.cycle && node['supersedes'] === undefined,
  }
}

function earlierIdsOf(node: TreeJson): string[] {
  const { supersedes, 'pact:stands_for': others = [] } = node as { supersedes?: string; 'pact:stands_for'?: string[] }
  return [...others, ...(supersedes === undefined ? [] : [supersedes])]
}

function specOf(scene: Scene, { spec, refs }: SpecChoice): EditSpec {
  const ids = new Set(refs.map((ref) => refOf(scene, ref)).filter((id) => id !== undefined))
  return ids.size === 0 ? structuredClone(spec) : { ...structuredClone(spec), refs: [...ids] }
}

function newestFirst(nodes: readonly Placed[]): Placed[] {
  const time = ({ node }: Placed): bigint => node['created_at_ns'] as bigint
  return nodes.toSorted((a, b) => Number(time(b) - time(a)))
}

/** A missing target is replaced by a live node. */
function refOf({ nodes, earlierIds }: Scene, { to, pick }: RefChoice): string | undefined {
  const any = choose(nodes, pick)?.node.id
  switch (to) {
    case 'node':
      return any
    case 'newest':
      return choose(newestFirst(nodes.filter(({ isStructural }) => !isStructural)).slice(0, 1 + (pick % 3)), pick)?.node
        .id
    case 'call':
      return (
        choose(
          nodes.filter(({ node }) => node.kind === 'call'),
          pick,
        )?.node.id ?? any
      )
    case 'earlier id':
      return choose(earlierIds, pick) ?? any
  }
}

function selectorOf(
  scene: Scene,
  { selector, system, do: call }: { selector: SelectorChoice; system: boolean; do: string },
): string {
  return `${plainSelector(scene, selector, system, call === 'move')}${selector.optional ? '?' : ''}`
}

function plainSelector(
  scene: Scene,
  { of, pick, second }: SelectorChoice,
  system: boolean,
  prefersFree: boolean,
): string {
  const is10 = scene.dialect === '1.0'
  const [seg, cont, block] = is10 ? ['.seg', '.cont', '.block'] : ['.mt', '.mc', '.cb']
  // A call that picks a node picks none in the wrong region, no segment and no core: those have kinds of their own. A kind
  // that has nothing here gives way to a node, mostly.
  const own = scene.nodes.filter(({ depth }) => (depth === -1) === system)
  const plain = own.filter(({ isStructural }) => !isStructural)
  const free = plain.filter(({ isSealed }) => !isSealed)
  const nodes = prefersFree && free.length > 0 && pick % 5 > 0 ? free : plain
  const hasAny = (test: (node: TreeJson) => boolean): boolean => second % 5 === 0 || own.some(({ node }) => test(node))
  const byId = (each: Placed | undefined): string => {
    const id = each?.node.id ?? 'nowhere'
    return is10 ? `{ id="${id}" }` : `#'${id}'`
  }
  const fallback = byId(choose(nodes, pick))
  const newestOf = (of: Placed[], test: (placed: Placed) => boolean): string => {
    const found = choose(newestFirst(of.filter(test)), pick)
    return found === undefined ? fallback : byId(found)
  }
  const turn = `${seg}:depth(${1 + (pick % (scene.segments || 1))})`
  switch (of) {
    case 'node':
      return fallback
    case 'two nodes':
      return `${fallback}, ${byId(choose(nodes, second))}`
    case 'key': {
      const present = KEYS.filter((name) => own.some(({ node }) => node['key'] === name))
      const name = choose(present.length > 0 && second % 5 > 0 ? present : KEYS, pick)!
      if (present.length === 0 && second % 5 > 0) return fallback
      return is10 ? `#${name}` : `[key='${name}']`
    }
    case 'tag':
      if (!hasAny((node) => (node['tags'] as string[] | undefined)?.includes('t') === true)) return fallback
      return is10 ? '+t' : "[tags='t']"
    case 'blocks at a depth':
      return second % 2 === 0 ? `${turn} ${block}` : `^ah ${block}`
    case 'zone': {
      const side = ['pre', 'post', 'post'][pick % 3]!
      const depth = second % 2 === 0 ? 0 : 1 + (pick % (scene.segments || 1))
      const isThere = own.some(
        (each) => each.depth === depth && each.offsets.length === 1 && (side === 'pre') === each.offsets[0]! < 0,
      )
      if (!isThere && second % 5 > 0) return fallback
      return `${depth === 0 ? '^ah' : turn} :${side}`
    }
    case 'segment':
      return turn
    case 'core':
      return `${second % 2 === 0 ? '^ah' : turn} > ${cont}[offset=0]`
    case 'note':
      if (!hasAny((node) => String(node['nodeType']).endsWith(':note'))) return fallback
      return is10 ? '.block:note' : '.cb:note'
    case 'marker':
      if (!hasAny((node) => String(node['nodeType']).endsWith(':redaction'))) return fallback
      return `[nodeType='${is10 ? 'block' : 'cb'}:redaction']`
    case 'in sys':
      return `^sys ${block}`
    case 'region':
      return ['^ah', '^seq', '*', '^sys'][pick % 4]!
    case 'protected':
      return newestOf(plain, ({ node }) => scene.isProtected(node))
    case 'call':
      return newestOf(plain, ({ node }) => node.kind === 'call')
    case 'box':
      return newestOf(plain, ({ node, depth }) => depth > 0 && node.children !== undefined && scene.isNew(node))
    case 'sealed context':
      return newestOf(free, ({ node, depth }) => depth > 0 && !scene.isNew(node))
    case 'scheduled': {
      const name = choose(scene.schedules, pick)
      if (name === undefined) return fallback
      const keyed = is10 ? `#${name}` : `[key='${name}']`
      return [keyed, keyed, `^ah ${keyed}`, `${keyed} @order=turn:desc @first`, `${keyed} @order=turn:asc @limit=1`][
        second % 5
      ]!
    }
    case 'everything':
      return system
        ? ['*', `^sys *`, `${block}, ${cont}`][second % 3]!
        : ['^seq *, ^ah *', '^ah *', '^seq *'][second % 3]!
    case 'nothing':
      return '#nowhere'
    case 'invalid':
      return [`${block}[`, `@t0 ${block}`, `@working ${block}`, '[age>1]', `${seg}:depth(3-1)`, ''][pick % 6]!
  }
}

function positionOf(scene: Scene, choice: PositionChoice, system: boolean, call: 'insert' | 'move'): Position {
  // A system call mostly stays in ^sys; an ordinary one goes there now and then.
  const isIn = ({ depth }: Placed): boolean => (depth === -1) === (system && call === 'insert')
  switch (choice.to) {
    case 'depth': {
      if (system && (call === 'insert' || choice.pick % 3 === 0)) return { depth: choice.pick % 7 === 0 ? 0 : -1 }
      const depth = [0, 0, 0, ...Array.from({ length: scene.segments + 1 }, (_, i) => i + 1), scene.segments + 2, -1]
      const at = choose(depth, choice.pick)!
      return choice.zone === undefined || at > 0 ? { depth: at } : { depth: at, zone: choice.zone }
    }
    case 'container': {
      const own = scene.containers.filter(isIn)
      const open = own.filter(({ isSealed, offsets }) => !isSealed || offsets.length === 0)
      const { depth, offsets, node } = choose(choice.pick > 55 ? scene.containers : open, choice.pick)!
      const count = node.children!.length
      const last = {
        start: '',
        end: ' end',
        after: ` +${1 + (choice.n % (count + (choice.n > 50 ? 1 : 0) || 1))}`,
        before: ` -${1 + (choice.n % (count + (choice.n > 50 ? 1 : 0) || 1))}`,
        offset: ` ${choice.n % 5}`,
        none: undefined,
      }[choice.sentinel]
      const path = [`d${depth}`, ...offsets.map((offset) => ` ${offset}`)]
      // Behind hops, a last number would be read as the offset to take: only `(dK)` can go without.
      if (last === undefined) return offsets.length === 0 ? `(${path.join(',')})` : `(${path.join(',')}, end)`
      return `(${[...path, last].join(',')})`
    }
    case 'parent': {
      const own = choice.containers ? scene.containers : scene.nodes
      const parent = choose(choice.pick % 10 === 0 ? own : own.filter(isIn), choice.pick)?.node.id ?? 'nowhere'
      return choice.offset === undefined ? { parent } : { parent, offset: choice.offset }
    }
    case 'box': {
      const boxes = scene.containers.filter(
        ({ node, depth, isStructural }) => depth > 0 && !isStructural && scene.isNew(node),
      )
      return { parent: choose(boxes, choice.pick)?.node.id ?? 'nowhere' }
    }
    case 'invalid': {
      const positions: Position[] = [
        '(d9, end)',
        '(d0, 7, end)',
        '(d0, end',
        '(d0, +0)',
        '(d-2, end)',
        '(d1, 0)',
        { depth: -2 },
        { depth: 1.5 },
        { parent: 'nowhere' },
        { parent: 'seq' },
        { parent: 'root', offset: 1 },
      ]
      return choose(positions, choice.pick)!
    }
  }
}

function choose<T>(from: readonly T[], pick: Pick): T | undefined {
  return from[pick % (from.length || 1)]
}

function compact<T extends object>(given: T): { [name in keyof T]: Exclude<T[name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
}

// ------------------------------------------------------------------------------------------------------------- running

/** The options as a call takes them. */
export function redactOptions({ match, ...rest }: RedactChoice): RedactOptions {
  return { match: typeof match === 'string' ? match : new RegExp(match.pattern, match.flags), ...rest }
}

/** The result of a call: ids, whether undo did something, a receipt, a fork, or the code of the refusal. */
export type EditOutcome =
  | { ids: string[] }
  | { undone: boolean }
  | { receipt: OracleReceipt }
  | { fork: EditingOracle }
  | { done: true }
  | { code: string }

/** Runs one call on the model. `holds` are those of this context, oldest first; a hold adds to them. */
export function callOracle(oracle: EditingOracle, call: EditCall, holds: (() => void)[]): EditOutcome {
  try {
    switch (call.do) {
      case 'add':
        return { ids: [call.system ? oracle.system.add(call.spec) : oracle.add(call.spec)] }
      case 'put':
        return { ids: [(call.system ? oracle.system : oracle).put(call.key, call.content, call.header)] }
      case 'set':
        return { ids: [(call.system ? oracle.system : oracle).set(call.key, call.content, call.header)] }
      case 'insert':
        return { ids: [(call.system ? oracle.system : oracle).insert(call.spec, call.position)] }
      case 'replace':
        return { ids: (call.system ? oracle.system : oracle).replace(call.selector, call.spec) }
      case 'move':
        return { ids: (call.system ? oracle.system : oracle).move(call.selector, call.position) }
      case 'delete':
        return { ids: (call.system ? oracle.system : oracle).delete(call.selector, call.options) }
      case 'update':
        return { ids: (call.system ? oracle.system : oracle).update(call.selector, call.changes) }
      case 'redact':
        return { ids: (call.system ? oracle.system : oracle).redact(call.selector, redactOptions(call.options)) }
      case 'compact': {
        const plan = oracle.planCompaction(call.keep)
        const id = oracle.compact(call.keep, call.text)
        return { ids: [id, ...plan.nodes, ...plan.stays.map(({ id: each, why }) => `${each} ${why}`)] }
      }
      case 'expand':
        return { ids: oracle.expand(call.id) }
      case 'undo':
        return { undone: oracle.undo() }
      case 'commit':
        return { receipt: oracle.commit() }
      case 'fork':
        return { fork: oracle.fork(call.lens) }
      case 'import':
        return { fork: oracle.reimport(call.cycle) }
      case 'hold':
        holds.push(oracle.hold(call.id))
        return { done: true }
      case 'release':
        holds[call.pick % (holds.length || 1)]?.()
        return { done: true }
    }
  } catch (error) {
    if (error instanceof OracleError) return { code: error.code }
    throw error
  }
}

/** Runs a program on the model alone, going on in every fork; `visit` sees each call with what it gave. */
export function playOnOracle(
  program: EditProgram,
  visit: (oracle: EditingOracle, call: EditCall, outcome: EditOutcome, before: string) => void,
  notice?: (feature: string) => void,
): EditingOracle[] {
  let oracle = new EditingOracle({
    dialect: program.dialect,
    odi: program.odi,
    clock: clockOf(program.ticks),
    ...(program.prune === undefined ? {} : { prune: program.prune }),
    ...(notice === undefined ? {} : { notice }),
  })
  const contexts = [oracle]
  let holds: (() => void)[] = []
  for (const step of program.steps) {
    const call = resolveStep(oracle, step)
    if (call === undefined) continue
    const before = oracle.exportText('working')
    const outcome = callOracle(oracle, call, holds)
    visit(oracle, call, outcome, before)
    if (!('fork' in outcome)) continue
    oracle = outcome.fork
    contexts.push(oracle)
    holds = []
  }
  return contexts
}
