// Histories that were edited: random programs of every call that changes a tree, with forks and imports in between, and
// what each call and each commit may do to a node. The choices come from test/oracle/editing-arbitrary.ts, so that a new
// call joins in there; here it needs a line in CALLS. Nothing here asks the engine, or the model, for an expectation.

import fc from 'fast-check'
import { createContext, importSnapshot, type Context, type ContextOptions, type Dialect, type Lens } from 'pact-context'
import { expect } from 'vitest'

import {
  clockOf,
  editProgram,
  resolveStep,
  type EditCall,
  type EditProgram,
  type EditStep,
} from '../oracle/editing-arbitrary.js'
import type { EditingOracle, TreeJson } from '../oracle/editing.js'
import { textOf, walkExport, type ExportedNode } from './context.js'
import { callContext, type Outcome } from './editing-law.js'
import { runs } from './runs.js'

export type EditedProgram = Omit<EditProgram, 'steps'> & { steps: (EditStep | { do: 'import' })[] }

export type Call = EditCall | { do: 'import' }

/** One call of a run. After a fork or an import `ctx` is the new context, and the program goes on there. */
export type Moment = Readonly<{
  ctx: Context
  call: Call
  outcome: Outcome
  /** The working tree before and after; those of a fork or an import are the new context's. */
  before: ExportedNode
  after: ExportedNode
}>

export type Watch = Readonly<{
  before?: (ctx: Context, call: Call) => void
  /** True for a call that is left out. */
  skips?: (ctx: Context, call: Call) => boolean
  after?: (moment: Moment) => void
}>

/** Every context of a run, the one it ended in last, and how often each call went through. */
export type Edited = Readonly<{ contexts: readonly Context[]; ctx: Context; done: Readonly<Record<string, number>> }>

/** The number of programs that a test runs, and which; PACT_RUNS, PACT_SEED and PACT_SHRINK change them, as in the laws of diffs. */
export function editedRuns(usual: number): Readonly<{ numRuns: number; seed: number; endOnFailure: boolean }> {
  return {
    numRuns: runs(usual),
    seed: Number(process.env['PACT_SEED'] ?? 20261118),
    endOnFailure: (process.env['PACT_SHRINK'] ?? 'no') === 'no', // making one of these programs smaller takes minutes
  }
}

/** Programs of edits for one edition: those of the laws, with imports, more forks and holds, and tries to mark containers. */
export function editedPrograms(dialect: Dialect, maxSteps = 30): fc.Arbitrary<EditedProgram> {
  const pick = fc.nat(59)
  const marked = fc
    .record({ pick, second: pick, removable: fc.boolean(), system: fc.boolean() })
    .map(({ pick: at, second, removable, system }): EditStep => {
      const selector = { of: 'node' as const, pick: at, second, optional: false }
      return { do: 'replace', system, selector, spec: { spec: { removable }, refs: [] } }
    })
  const rare = fc.oneof(
    fc.constant({ do: 'import' as const }),
    ...(['fork', 'hold', 'release'] as const).map((name) => fc.record({ do: fc.constant(name), pick })),
  )
  const compacted = fc
    .tuple(fc.constantFrom(1, 1, 2), fc.nat(2), fc.boolean(), pick)
    .map(([keep, commits, expands, at]): EditStep[] => [
      { do: 'compact', keep, text: 'sum' },
      ...Array.from({ length: commits }, (): EditStep => ({ do: 'commit' })),
      ...(expands ? [{ do: 'expand' as const, pick: at }] : []),
    ])
  const extra: fc.Arbitrary<EditedProgram['steps']> = fc.oneof(
    fc.oneof(rare, marked).map((step) => [step]),
    compacted,
  )
  return fc
    .tuple(fc.noBias(editProgram(maxSteps, [dialect])), fc.noBias(fc.array(fc.tuple(pick, extra), { maxLength: 9 })))
    .map(([program, extras]) => {
      const steps: EditedProgram['steps'] = [...program.steps]
      for (const [at, more] of extras) steps.splice(at % (steps.length + 1), 0, ...more)
      return { ...program, steps: [...steps, { do: 'commit' }] }
    })
}

/** Runs a program. Options given win over the program's own. */
export function playEdited(program: EditedProgram, watch: Watch = {}, given: ContextOptions = {}): Edited {
  const { dialect, odi, prune, ticks, steps } = program
  const countTokens = (text: string): number => text.length
  const options = { dialect, odi, countTokens, clock: clockOf(ticks), ...(prune ? { prune } : {}), ...given }
  let ctx = createContext(options)
  let holds: (() => void)[] = []
  const contexts = [ctx]
  const done: Record<string, number> = {}
  let tree = treeOf(ctx)
  for (const step of steps) {
    const call = callFor(ctx, tree, step)
    if (call === undefined || watch.skips?.(ctx, call) === true) continue
    watch.before?.(ctx, call)
    const outcome = call.do === 'import' ? { fork: importOf(ctx, options) } : callContext(ctx, call, holds)
    if (!('code' in outcome)) done[call.do] = (done[call.do] ?? 0) + 1
    let before = tree
    if ('fork' in outcome) {
      ctx = outcome.fork
      holds = []
      contexts.push(ctx)
      before = treeOf(ctx)
    }
    tree = treeOf(ctx)
    watch.after?.({ ctx, call, outcome, before, after: tree })
  }
  return { contexts, ctx, done }
}

/** The snapshots of every context of a run, oldest first in each; what forks share is there once for each of them. */
export function snapshotsOf({ contexts }: Edited): readonly Readonly<{ ctx: Context; lens: `@c${number}` }>[] {
  return contexts.flatMap((ctx) =>
    ctx
      .snapshots()
      .toReversed()
      .map(({ cycle }) => ({ ctx, lens: `@c${cycle}` as const })),
  )
}

/** A program whose calls are all refused shows nothing: each kind of call must have gone through. */
export function expectAllDone(runs: readonly Readonly<Record<string, number>>[]): void {
  // A handful of programs says nothing about that.
  if (runs.length < 15) return
  const missing = Object.keys(CALLS).filter((name) => !runs.some((done) => (done[name] ?? 0) > 0))
  expect(missing).toEqual([])
}

/** The meaning of a step in this tree. A choice only looks at what there is to choose from, so a context serves as the model. */
export function callFor(ctx: Context, tree: ExportedNode, step: EditedProgram['steps'][number]): Call | undefined {
  if (step.do === 'import') return ctx.snapshots().length === 0 ? undefined : step
  const scene = {
    dialect: ctx.dialect,
    cycle: ctx.cycle,
    cycles: ctx.snapshots().map(({ cycle }) => cycle),
    held: [],
    tree: (lens: 'working' | number) => (lens === 'working' ? tree : treeOf(ctx, `@c${lens}`)) as unknown as TreeJson,
    schedules: () => ctx.snapshot('working').schedules,
  }
  return resolveStep(scene as unknown as EditingOracle, step)
}

function importOf(ctx: Context, options: ContextOptions): Context {
  return importSnapshot(textOf(ctx.export('@t0')), options)
}

export function treeOf(ctx: Context, lens: Lens = 'working'): ExportedNode {
  return ctx.snapshot(lens).root.toJSON() as ExportedNode
}

// The things that may happen to a node.

type Rule = Readonly<{
  /** Fields that may change under the id of a node; never those in CREATION, and not in a sealed core but for `update`. */
  changes: readonly string[] | 'any'
  /** True if a node may be gone afterwards. */
  drops: boolean
}>

const PLACE = ['parent', 'offset']
const UPDATED = ['ttl', 'priority', 'pinned', 'tags']

/** The effects that each call may have on an existing node (D30). One line for each call there is. */
const CALLS: Readonly<Record<Call['do'] | 'set' | 'redact', Rule>> = {
  add: { changes: [], drops: false },
  insert: { changes: [], drops: false },
  put: { changes: 'any', drops: true },
  set: { changes: 'any', drops: true },
  replace: { changes: 'any', drops: true },
  redact: { changes: 'any', drops: true },
  move: { changes: PLACE, drops: true }, // between ^sys and the rest it becomes another node (02 §2.3)
  delete: { changes: [], drops: true },
  update: { changes: UPDATED, drops: false },
  compact: { changes: [], drops: true },
  expand: { changes: [], drops: true },
  undo: { changes: 'any', drops: true },
  commit: { changes: ['ttl', 'parent'], drops: true }, // checked by itself below
  fork: { changes: [], drops: false },
  import: { changes: [], drops: false },
  hold: { changes: [], drops: false },
  release: { changes: [], drops: false },
}

/** Fixed with the node: no call changes it under one id (02 §3.2.1, §5.3.1). */
const CREATION = [
  'nodeType',
  'cycle',
  'created_at_ns',
  'created_at_iso',
  'creation_index',
  'role',
  'kind',
  'removable',
  'supersedes',
]

type Placed = Readonly<{ header: Readonly<Record<string, unknown>>; parent: string; isSealed: boolean }>

/** Everything that one call of a run did and may not do, in words. */
export function editFaults({ ctx, call, outcome, before, after }: Moment): string[] {
  const sealed = sealedIn(ctx)
  const [old, now] = [placed(before, sealed), placed(after, sealed)]
  if ('code' in outcome) return allowed(call, old, now, { changes: [], drops: false })
  return call.do === 'commit' ? commitFaults(ctx, old, now) : allowed(call, old, now, CALLS[call.do])
}

function allowed(call: Call, old: Flat, now: Flat, { changes, drops }: Rule): string[] {
  const faults: string[] = []
  for (const [id, before] of old) {
    const after = now.get(id)
    if (after === undefined) {
      if (!drops) faults.push(`${call.do} took ${id} away.`)
      continue
    }
    for (const name of changed(before, after, old, now)) {
      const isMoved = PLACE.includes(name)
      // Overlap demotion moves older instances of a key (D29).
      const isDemoted = isMoved && before.header['key'] !== undefined && WRITES.has(call.do)
      const isAllowed = changes === 'any' || changes.includes(name) || isDemoted
      if (CREATION.includes(name) || !isAllowed) faults.push(`${call.do} changed ${name} of ${id}.`)
      else if (before.isSealed && !UPDATED.includes(name)) faults.push(`${call.do} changed ${name} of ${id}, sealed.`)
    }
  }
  for (const [id, after] of now) {
    // A node that comes into a sealed core takes the place of what was there (D30).
    if (old.has(id) || !after.isSealed || SURGERY.has(call.do)) continue
    const isInside = !old.has(after.parent)
    if (!isInside && after.header['supersedes'] === undefined) faults.push(`${call.do} put ${id} into a sealed core.`)
  }
  return faults
}

/** Calls that bring nodes into a sealed core for others that leave, or that were there. */
const SURGERY: ReadonlySet<string> = new Set(['undo', 'compact', 'expand'])

const WRITES: ReadonlySet<string> = new Set(['add', 'insert', 'put', 'set', 'replace', 'move', 'undo'])

/** A commit takes what is due, pruned or emptied, adds a segment and its core, and changes nothing but a ttl. */
function commitFaults(ctx: Context, old: Flat, working: Flat): string[] {
  const faults: string[] = []
  const snapshot = ctx.snapshot('@t0')
  const now = placed(snapshot.root.toJSON() as ExportedNode, new Set())
  const pruned = new Set(snapshot.receipt.removed.map(({ id }) => id))
  const isDue = ({ header: { ttl } }: Placed): boolean => typeof ttl === 'number' && ttl <= 1
  const mayGo = (id: string, node: Placed): boolean => {
    const parent = old.get(node.parent)
    return (
      pruned.has(id) || isDue(node) || node.header['removable'] === true || (!!parent && mayGo(node.parent, parent))
    )
  }
  for (const [id, before] of old) {
    const after = now.get(id)
    if (after === undefined) {
      if (!mayGo(id, before)) faults.push(`The commit took ${id} away before its time.`)
      continue
    }
    if (pruned.has(id)) faults.push(`${id} is listed as pruned and still there.`)
    for (const name of changed(before, after, old, now)) {
      const isTtl = name === 'ttl' && after.header['ttl'] === Math.max(0, (before.header['ttl'] as number) - 1)
      const isSealing = name === 'parent' && before.parent === 'ah' && !old.has(after.parent)
      if (!isTtl && !isSealing) faults.push(`The commit changed ${name} of ${id}.`)
    }
  }
  const added = [...now].filter(([id]) => !old.has(id))
  for (const [id, { header, parent }] of added) {
    const isStructure = parent === 'seq' || (header['offset'] === 0 && added.some(([segment]) => segment === parent))
    if (!isStructure || header['cycle'] !== snapshot.cycle) faults.push(`The commit made ${id}.`)
  }
  for (const [id, { header }] of now) {
    for (const ref of (header['refs'] as readonly string[] | undefined) ?? []) {
      if (old.has(ref) && !now.has(ref)) faults.push(`The commit took ${ref} away, to which ${id} refers.`)
    }
  }
  // Until the next call the working state is that snapshot, but for what returns now and what that demotes (D28, D29).
  for (const [id, node] of working) {
    const same = now.get(id)
    const differing = same === undefined ? [] : changed(same, node, now, working)
    const isDemoted = node.header['key'] !== undefined && differing.every((name) => PLACE.includes(name))
    const isSame = same === undefined ? node.header['cycle'] === ctx.cycle : differing.length === 0 || isDemoted
    if (!isSame) faults.push(`${id} of the open cycle is not that of the snapshot.`)
  }
  return faults
}

type Flat = ReadonlyMap<string, Placed>

/** The cores that the latest snapshot holds sealed. */
function sealedIn(ctx: Context): ReadonlySet<string> {
  if (ctx.snapshots().length === 0) return new Set()
  const [, seq] = ctx.snapshot('@t0').root.children
  return new Set(
    seq!.children.flatMap(({ children }) => children.filter(({ offset }) => offset === 0)).map(({ id }) => id),
  )
}

function placed(root: ExportedNode, sealed: ReadonlySet<string>): Flat {
  const flat = new Map<string, Placed>()
  const isSealed = new Set(sealed)
  for (const { children = [], ...header } of walkExport(root)) {
    for (const child of children) {
      const { children: _children, ...rest } = child
      // Not removable and not said to be are one.
      const full = { ...rest, removable: rest['removable'] ?? false }
      flat.set(child.id, { header: full, parent: header.id, isSealed: isSealed.has(header.id) })
      if (isSealed.has(header.id)) isSealed.add(child.id)
    }
  }
  return flat
}

/**
 * The headers that differ, and `parent` where another node holds it; one that stands in for the same node does not count.
 * Names with `pact:` are the engine's own notes.
 */
function changed(before: Placed, after: Placed, old: Flat, now: Flat): string[] {
  const names = new Set([...Object.keys(before.header), ...Object.keys(after.header)])
  const differing = [...names].filter(
    (name) => !name.startsWith('pact:') && JSON.stringify(before.header[name]) !== JSON.stringify(after.header[name]),
  )
  const [held, holds] = [idsFor(before.parent, old), idsFor(after.parent, now)]
  return held.some((id) => holds.includes(id)) ? differing : [...differing, 'parent']
}

/** The id of a node and the one it stands in for. */
function idsFor(id: string, tree: Flat): readonly unknown[] {
  const { supersedes } = tree.get(id)?.header ?? {}
  return supersedes === undefined ? [id] : [id, supersedes]
}
